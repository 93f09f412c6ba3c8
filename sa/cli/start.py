"""The entry point `sacheck`: Ctrl-C while everything is still being imported ends the process without a word."""

from __future__ import annotations

import signal


def main() -> None:
    """Run the command line and leave with its exit status."""
    # Commands have their own way with it. Until then there is nothing to say, least of all where an import was.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from sa.cli.main import main as command_line

    command_line()
