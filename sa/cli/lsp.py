"""`sacheck lsp`: the editor server."""

from __future__ import annotations

from sa.base.diagnostic import InputError, error
from sa.cli.options import Settings
from sa.cli.session import wrong_input


def lsp() -> None:
    """Serve an editor over standard input and output.

    It speaks the Language Server Protocol; `editors/vscode` has an extension that starts it.
    """
    import sys

    try:
        from sa.lsp.server import server
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.split(".")[0] == "sa":
            raise
        hint = "pip install '.[lsp]' in the clone"
        problem = InputError((error("SA917", f"the package `{missing.name}` is not installed", None, hint),))
        sys.exit(wrong_input(Settings(False, False, None, None), problem.diagnostics))
    server().start_io()
