"""Structured statements as front ends hand them over: what each step does is known, names and types are gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Origin
from sa.base.source import Span
from sa.lowering.paths import Failing, Need, Path, Step, assume, demand, written
from sa.lowering.writes import known
from sa.terms import build
from sa.terms.term import Term, Var


class Outcome(Struct, frozen=True):
    """One edge or more: the ways through a step, and those in which it goes wrong."""

    paths: tuple[Path, ...]
    failures: tuple[Failing, ...]
    origin: Origin


class Test(Struct, frozen=True):
    """A silent step for each outcome of a condition."""

    yes: Outcome
    no: Outcome


class Do(Struct, frozen=True):
    """A statement that is one step. `name` is the one that the user gave to the location before it."""

    step: Outcome
    name: Origin | None = None

    @property
    def origin(self) -> Origin:
        """The statement's place."""
        return self.step.origin


class Arm(Struct, frozen=True):
    """`if (test) body`."""

    test: Test
    body: Block
    origin: Origin


class If(Struct, frozen=True):
    """The arms in order, then `orelse` if there is one."""

    arms: tuple[Arm, ...]
    orelse: Block | None
    origin: Origin
    name: Origin | None = None


class While(Struct, frozen=True):
    """A loop with its test at the head. `CONTINUE` leads to `advance`, the last step of each round, if there is one."""

    test: Test
    body: Block
    origin: Origin
    name: Origin | None = None
    advance: Do | None = None


class Inlined(Struct, frozen=True):
    """The body of a procedure: `RETURN` leads behind it."""

    body: Block
    origin: Origin
    name: Origin | None = None


class Choose(Struct, frozen=True):
    """The first step of a branch decides."""

    branches: tuple[Block, ...]
    origin: Origin
    name: Origin | None = None


class Where(Enum):
    """Where a jump leads: behind the innermost loop, to the end of its body, to the end of the procedure or thread."""

    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"


class Jump(Struct, frozen=True):
    """No step of its own."""

    to: Where
    origin: Origin


Statement: TypeAlias = Do | If | While | Choose | Inlined | Jump
Block: TypeAlias = tuple[Statement, ...]


def any_outcome(head: Origin) -> Test:
    """The steps of a test without a condition."""
    return Test(*(Outcome((Path(),), (), Origin(head.span, f"{head.text}: goes {way}")) for way in ("in", "on")))


def test_of(
    condition: Term, wrong: Sequence[Need], updates: Mapping[Var, Term], span: Span, head: Origin, step: Step
) -> Test:
    """The steps of a test that fails at `span` where one of the `wrong` conditions holds, and makes `updates`.

    What goes wrong is an edge once, beside the first outcome.
    """
    safe = demand(Path(), wrong, span, step)
    ways = [None if safe is None else assume(safe, term) for term in (condition, build.lnot(condition))]
    first, second = (
        () if way is None else (written(way, known(updates, condition, truth)),)
        for way, truth in zip(ways, (True, False), strict=True)
    )
    return Test(
        Outcome(first, tuple(step.failures), Origin(head.span, f"{head.text}: true")),
        Outcome(second, (), Origin(head.span, f"{head.text}: false")),
    )


#: No step at all: what stands for a test that was wrong.
NO_STEP = Outcome((), (), Origin(None))
