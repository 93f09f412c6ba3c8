"""Where an expression stands: which names are visible, what may be written, where errors go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Variable
from sa.automata.family import Copy
from sa.base.diagnostic import Diagnostic, error
from sa.base.source import Span
from sa.language.names import Scope
from sa.lowering.paths import Need, Step
from sa.terms.interval import Interval
from sa.terms.term import Term, Var

#: What a macro stands for may need so many checks and quotients: macros that use each other twice grow without bound.
MOST_NEEDS = 1000


class Handle(Struct, frozen=True):
    """The state of a thread that others start or join, a global. A family has an array, its members from `low` on."""

    variables: tuple[Variable, ...]
    low: int | None
    started: bool


class Mode(Struct, frozen=True):
    """What may be written in a kind of place; `what` names it in messages."""

    what: str
    variables: bool = True
    primes: bool = False
    ghosts: bool = True
    locations: bool = False
    quantifiers: bool = False
    locals: bool = True


CONSTANT = Mode("a constant", variables=False)
PROGRAM = Mode("a statement", ghosts=False)
GHOST_UPDATE = Mode("an update of a ghost")
FORMULA = Mode("a formula")
RELATION = Mode("a relation", primes=True)
RELY = Mode("a rely", primes=True, locals=False)
INVARIANT = Mode("an invariant", locations=True)
AXIOM = Mode("an axiom", variables=False, quantifiers=True)


class Context(Struct, frozen=True):
    """Everything that the meaning of an expression depends on.

    `problems` collects errors. `undefined` collects when the value is undefined: an index is outside of its
    array, a divisor is 0. It is None where no step could fail; then an index must be within its array anyway.
    `primes` are added to plain names (in relations with `old`). `expanding` are the macros and functions being
    replaced, and `expanded` what came out with which arguments (macros that use macros twice would grow without
    bound).
    `locations` are the names that `at` may use, `copies` by their identities those that a claim speaks of, and
    `families` the names of families of any number. `calls` are the procedures that are being called, and
    `taken` the names of their callers' variables. `threads` are those that are started or joined.
    `divisions` number the choices of quotients.
    `members` are the first and last index of families, which quantifiers may be over; `unrolled` says that a quantifier
    was written out around here.
    """

    scope: Scope
    mode: Mode
    problems: list[Diagnostic]
    ranges: dict[Var, Interval]
    undefined: list[Need] | None = None
    primes: int = 0
    expanding: tuple[str, ...] = ()
    expanded: dict[tuple[object, ...], tuple[Term | None, tuple[Need, ...]]] = field(default_factory=dict)
    locations: frozenset[str] = frozenset()
    copies: Mapping[Term, Copy] = field(default_factory=dict)
    families: frozenset[str] = frozenset()
    calls: tuple[str, ...] = ()
    taken: frozenset[str] = frozenset()
    threads: Mapping[str, Handle] = field(default_factory=dict)
    members: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    unrolled: bool = False
    divisions: Iterator[int] = field(default_factory=lambda: count(1))


class Execution(Struct, frozen=True):
    """Where the statements of one step stand, and what they share."""

    context: Context
    step: Step


def one_step(context: Context, holder: Term, checked: bool = False) -> Execution:
    """A step that begins; `holder` and `checked` as in `Step`."""
    return Execution(context, Step(holder, context.ranges, checked))


def complain(context: Context, code: str, message: str, span: Span | None, hint: str | None = None) -> None:
    """Report an error and go on."""
    context.problems.append(error(code, message, span, hint))


def counted(number: int, what: str) -> str:
    """`1 value`, `2 values`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def within(context: Context, scope: Scope) -> Context:
    """The same place with more names."""
    return replace(context, scope=scope)
