"""`sacheck explain`: what a code means, at length."""

from __future__ import annotations

from typing import Annotated

import typer

from sa.cli.options import JsonOption, Settings
from sa.cli.output import screen, write, write_json
from sa.cli.session import run


def _beginning(incomplete: str) -> list[tuple[str, str]]:
    from sa.app.explain import beginning

    return list(beginning(incomplete).items())


def explain(
    code: Annotated[
        str, typer.Argument(metavar="CODE", help="A code such as SA101.", autocompletion=_beginning)
    ] = "SA",
    json: JsonOption = False,
) -> None:
    """Explain an error or warning code; with the beginning of codes list them."""
    run(Settings(json, False, None, None), lambda: _explain(code, json))


def _explain(code: str, json: bool) -> int:
    from sa.app.explain import beginning, closest
    from sa.app.explain import explain as look_up

    found = look_up(code)
    if found is None and not json and (titles := beginning(code)):
        from sa.report.explanation import show_codes

        write(show_codes(titles, screen()))
        return 0
    if found is None:
        near = closest(code)
        hint = f"did you mean {near}?" if near else "codes look like SA101"
        raise typer.BadParameter(f"no code `{code}`; {hint}", param_hint="CODE")
    if json:
        from sa.report.explanation import ExplanationJson

        write_json(ExplanationJson(code.upper(), found.title, found.text, found.example))
    else:
        from sa.report.explanation import show_explanation

        write(show_explanation(code.upper(), found.title, found.text, found.example, screen()))
    return 0
