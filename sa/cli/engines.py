"""`sacheck engines`: which techniques there are, their parameters, and what each can answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sa.cli.options import JsonOption, QuietOption, Settings
from sa.cli.output import write, write_json
from sa.cli.session import run

if TYPE_CHECKING:
    from sa.app.engines import Listed
    from sa.report.explanation import EngineJson


def engines(json: JsonOption = False, quiet: QuietOption = False) -> None:
    """List the techniques, in the order in which they are asked first, with their parameters and what they answer."""

    def body() -> int:
        from sa.app.engines import listed

        lists = {command: listed(command) for command in ("verify", "refine")}
        if json:
            from sa.report.explanation import EnginesJson

            write_json(EnginesJson({command: [_json(one) for one in found] for command, found in lists.items()}, 0))
            return 0
        for command, found in lists.items():
            write(f"sacheck {command} --engine TECHNIQUE[:PARAMETER=VALUE,…]\n")
            for one in found:
                write(_text(one))
            write("\n" * (command == "verify"))
        return 0

    run(Settings(json, quiet, None, None), body)


def _json(one: Listed) -> EngineJson:
    from sa.app.engines import parameters_of
    from sa.report.explanation import EngineJson

    verdicts = [verdict.value for verdict in one.answers]
    return EngineJson(one.technique.name, verdicts, one.technique.about, parameters_of(one), list(one.engines))


def _text(one: Listed) -> str:
    from sa.app.engines import parameters_of

    verdicts = " or ".join(verdict.value for verdict in one.answers)
    lines = [f"\n  {one.technique.name}  {verdicts}", f"      {one.technique.about}"]
    for name, values in parameters_of(one).items():
        width, places = max(map(len, values)), enumerate(values.items())
        lines += [f"      {'' if n else name + '=':12}{value:{width}}  {about}" for n, (value, about) in places]
    return "\n".join(lines) + "\n"
