"""What the text of a program tells at once."""

from __future__ import annotations

from tests.frontends.c.judge.syntax import Call, Create, Once, Program, Statement


def creations(program: Program) -> int:
    """How many threads a program has: `main`, and one for each creation in the text of what is called."""
    functions = {f.name: f for f in program.functions}
    found, pending = 1, ["main"]
    while pending:
        for statement in every(functions[pending.pop()].body):
            if isinstance(statement, Create):
                found += 1
                pending.append(statement.function)
            elif isinstance(statement, Call | Once):
                pending.append(statement.function)
    return found


def every(body: tuple[Statement, ...]) -> list[Statement]:
    """All statements, inner ones too."""
    found = list[Statement]()
    for statement in body:
        found.append(statement)
        for inner in ("then", "otherwise", "body"):
            found.extend(every(getattr(statement, inner, ())))
    return found
