"""The entry point `sacheck`: Ctrl-C while everything is still being imported ends the process without a word."""

from __future__ import annotations

import gc
import signal

#: How many new objects there are between two looks for garbage that refers to itself. There is little of it: with
#: Python's own 700 a tenth of a short run goes into looking, with 50,000 still 20 ms.
BETWEEN_COLLECTIONS = 250_000


def collect_seldom() -> None:
    """Look for garbage as seldom as the tool does; for measurements, too."""
    gc.set_threshold(BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])


def main() -> None:
    """Run the command line and leave with its exit status."""
    # Commands have their own way with it. Until then there is nothing to say, least of all where an import was.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    collect_seldom()
    from sa.cli.main import main as command_line

    try:
        command_line()
    finally:
        # An interpreter that ends looks for garbage once more. Nothing of what is frozen is looked at: 10 ms.
        gc.freeze()
