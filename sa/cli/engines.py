"""`sacheck engines`: which engines there are, and what each can answer."""

from __future__ import annotations

from sa.cli.options import JsonOption, QuietOption, Settings
from sa.cli.output import write, write_json
from sa.cli.session import run


def engines(json: JsonOption = False, quiet: QuietOption = False) -> None:
    """List the engines, in the order in which they are asked, and what each of them can answer."""

    def body() -> int:
        from sa.app.engines import listed

        lists = {command: listed(command) for command in ("verify", "refine")}
        if json:
            from sa.report.explanation import EngineJson, EnginesJson

            named = {c: [EngineJson(e.name, list(e.answers), e.about) for e in found] for c, found in lists.items()}
            write_json(EnginesJson(named, 0))
            return 0
        for command, found in lists.items():
            write(f"sacheck {command} --engine\n")
            width = max(len(e.name) for e in found)
            for e in found:
                write(f"  {e.name:{width}}  {' or '.join(e.answers):18}  {e.about}\n")
        return 0

    run(Settings(json, quiet, None, None), body)
