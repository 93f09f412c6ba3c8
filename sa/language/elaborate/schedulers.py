"""Schedulers: those of the library and of a file, and what their names stand for in a program."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sa.base.diagnostic import Diagnostic, error
from sa.base.source import Source, Span
from sa.language import syntax
from sa.language.elaborate.rewriting import rewritten, with_names
from sa.language.names import did_you_mean
from sa.language.parser import parse
from sa.language.syntax.node import Node

_LIBRARY = Path(__file__).parent.parent / "schedulers"


class Made(Struct, frozen=True):
    """A scheduler, and what its names stand for in the file: its variables, `THREADS`, `EVENTS`, `LONGEST`."""

    scheduler: syntax.Scheduler
    meanings: Mapping[str, syntax.Expression]
    events: Mapping[str, syntax.Event]
    numbers: Mapping[str, tuple[syntax.Thread, syntax.Expression]]
    asking: frozenset[str]
    problems: list[Diagnostic]

    def name(self, own: str) -> str:
        """The name in the program of a name of the scheduler."""
        return f"{self.scheduler.name.name}_{own}"


def library() -> tuple[str, ...]:
    """The schedulers that a file need not declare."""
    return tuple(sorted(p.stem for p in _LIBRARY.glob("*.sa")))


def scheduler_of(module: syntax.Module, name: syntax.Identifier, problems: list[Diagnostic]) -> syntax.Scheduler | None:
    """The scheduler of this name: the file's own, or else that of the library. None is an error."""
    own = [d for d in module.declarations if isinstance(d, syntax.Scheduler)]
    for found in own:
        if found.name.name == name.name:
            return _hygienic(found)
    if name.name in library():
        return _hygienic(of_library(name.name))
    known = [*(d.name.name for d in own), *library()]
    hint = (
        did_you_mean(name.name, known) or f"there are {', '.join(f'`{k}`' for k in known)}; a file may declare its own"
    )
    problems.append(error("SA327", f"there is no scheduler `{name.name}`", name.span, hint))
    return None


@cache
def of_library(name: str) -> syntax.Scheduler:
    """A scheduler that a file need not declare."""
    path = _LIBRARY / f"{name}.sa"
    source = Source(f"{name}.sa", path.read_text(encoding="utf-8"))
    return next(d for d in parse(source).declarations if isinstance(d, syntax.Scheduler))


def _hygienic(scheduler: syntax.Scheduler) -> syntax.Scheduler:
    """A scheduler whose bound names are none of the file's: counters, arguments, locals, bound variables."""
    bound = set[str]()

    def look(part: Node) -> None:
        match part:
            case syntax.For(name):
                bound.add(name.name)
            case syntax.Binder(names) | syntax.Local(names) | syntax.Define(_, names) | syntax.Answer(_, names):
                bound.update(n.name for n in names)
            case _:
                pass

    rewritten(scheduler, look)
    prefix = scheduler.name.name

    def change(part: Node) -> Node | None:
        match part:
            case syntax.Identifier(name, span) if name in bound:
                return syntax.Identifier(f"{prefix}_{name}", span)
            case _:
                return None

    meanings = {n: syntax.Name(f"{prefix}_{n}", 0, scheduler.name.span) for n in bound}
    renamed = rewritten(with_names(scheduler, meanings), change)
    return replace(renamed, name=scheduler.name)


def plus(left: syntax.Expression, right: syntax.Expression) -> syntax.Expression:
    """The sum of two numbers."""
    return syntax.Chain((left, right), ("+",), right.span)


def runs(made: Made, number: syntax.Expression, span: Span) -> syntax.Expression:
    """Whether this thread runs; nobody does where it is the number of threads."""
    return syntax.Compare("==", syntax.Name(made.name("running"), 0, span), number, span)


def conjunction(left: syntax.Expression, right: syntax.Expression) -> syntax.Expression:
    """Both."""
    return syntax.Chain((left, right), ("&&",), right.span)
