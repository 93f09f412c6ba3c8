"""`sacheck explain`: what a code means, at length."""

from __future__ import annotations

from typing import Annotated

import typer

from sa.cli.options import JsonOption, Settings
from sa.cli.session import run


def explain(
    code: Annotated[str, typer.Argument(metavar="CODE", help="A code such as SA201.")],
    json: JsonOption = False,
) -> None:
    """Explain an error or warning code."""
    settings = Settings(json, False, None, None)
    run(settings, lambda: 0)
