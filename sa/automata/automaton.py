"""Succinct automata (paper, Definition 1), generalised by choices and labels with values.

`(Q, q0, G ∪ L, Init, Inv, Env, Σ, Edge)`: locations with an invariant and an environment relation,
edges with a label, a guard and a simultaneous update. Component and environment steps are those of
THEORY section 1: `Inv` must hold before and after, locals do not change under environment steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from sa.base.source import Span
from sa.terms.term import Term, Var

#: The label of reaching the end of a thread, of a step that goes wrong, and of one that is undefined where C or LLVM IR
#: leaves it so.
EXIT = "exit"
FAIL = "fail"
UNDEFINED = "undefined"


class Link(Struct, frozen=True):
    """A call that a step is inlined at, or the definition of a `macro` that it is an expansion of.

    It may be what a step is `compiled` from, too.
    """

    span: Span
    macro: str | None = None
    compiled: bool = False


class Origin(Struct, frozen=True):
    """Where a declaration comes from: a span in some source, and what it is in words.

    The `chain` of a step leads from there outwards: macros whose expansion it is in, and calls that it is inlined at.
    Where a step is made of statements on several lines, it has `passed` them all, in their order. A `remark` says what
    happens there that no text says.
    """

    span: Span | None
    text: str = ""
    chain: tuple[Link, ...] = ()
    passed: tuple[Span, ...] = ()
    remark: str = ""


#: What steps are in words that stand at the head of a thread's function, as there is no statement for them.
THREAD_BEGINS, THREAD_ENDS = "the thread begins", "the end of the thread"


def innermost(origin: Origin) -> Origin:
    """The place alone, which is the same in every call and on every way."""
    return replace(origin, chain=(), passed=(), remark="") if origin.chain or origin.passed or origin.remark else origin


class Kind(Enum):
    """Who owns a variable. A parameter is rigid: one value, the same on both sides of a refinement."""

    GLOBAL = "global"
    LOCAL = "local"
    PARAM = "param"


class Shown(Struct, frozen=True):
    """How a variable is told to a user who wrote it in another language: its name there, and words for some values.

    In the name of an array `[]` stands for the index. Where values are `letters` they are characters. A variable that
    the translation made up to follow another one says what that is `about`.
    """

    name: str
    values: tuple[tuple[int, str], ...] = ()
    letters: bool = False
    about: str = ""


class Variable(Struct, frozen=True):
    """A declared variable. `low..high` bounds an int that has a range; both None for all of ℤ.

    Enumerations are bounded by their sort. A choice of an edge is a Variable of kind LOCAL too. `shown` is None where
    the variable is told as it is. A `sequence` is the length of one: `q_len` beside the elements `q[0]`, ….
    Only threads of the program itself write one that is `internal`, as the state of a thread that others start.
    Those `of_scheduler` are no part of what programs are compared by, unless a block relates them.
    """

    var: Var
    kind: Kind
    low: int | None = None
    high: int | None = None
    origin: Origin = Origin(None)
    ghost: bool = False
    shown: Shown | None = None
    sequence: bool = False
    internal: bool = False
    of_scheduler: bool = False


class Label(Struct, frozen=True):
    """A visible action with the values it shows, read before the step. Silent edges have none."""

    action: str
    values: tuple[Term, ...] = ()


class Location(Struct, frozen=True):
    """A control location: `inv` over G ∪ L (ranges of variables included), `env` over G ∪ G'.

    `env` is None where nobody declared one. It need not be reflexive: an environment may always
    do nothing, and who uses it says so (`composition.environment`).
    """

    name: str
    inv: Term
    env: Term | None
    origin: Origin
    parts: tuple[str, ...] = ()


def joint_name(names: Iterable[str]) -> str:
    """What several threads, or their locations, are called together."""
    return "|".join(names)


def composed(product: Automaton) -> tuple[str, ...]:
    """The names of the threads that a composition has; of one thread, its name. No thread has a bar in its name."""
    return tuple(product.name.split("|"))


def mover(before: Location, after: Location) -> int | None:
    """Which of several threads moves between two joint locations; None where none does, or there is one thread only."""
    for number, part in enumerate(before.parts):
        # One of both may have no parts.
        if number < len(after.parts) and part != after.parts[number]:
            return number
    return None


class Fault(Enum):
    """How a step goes wrong."""

    ASSERTION = "an assertion is false"
    RANGE = "a value is outside of its variable's range"
    INDEX = "the array or sequence has no such element"
    DIVISION = "a divisor is 0"
    TWICE = "one element is assigned two values at once"
    LOCK = "the thread that releases a lock does not hold it"
    START = "the thread that is started was started before"
    FULL = "the sequence is full"
    EMPTY = "the sequence is empty"
    GUARANTEE = "a guarantee is broken"
    OVERFLOW = "a value is too large for its type"
    UNDEFINED = "what the step does is undefined"
    POINTER = "a pointer does not point to an object"
    FREED = "memory is used after it was freed"
    ENDED = "a variable is used after its lifetime"
    FREED_TWICE = "memory is freed twice"
    NOT_ALLOCATED = "what is freed does not begin an allocated object"
    DESTROYED = "a synchronisation object is used after its destruction"
    RAW = "a synchronisation object is used before its initialisation"
    IN_USE = "a synchronisation object ends while it is in use"
    FREED_IN_USE = "the memory of a lock that is held is freed"
    CONSTANT = "a write to a constant or a string literal"
    LEAK = "allocated memory is lost"
    REACHED = "a call that must not be reached is reached"
    RACE = "two threads access one memory location, and neither access happens before the other"
    DEADLOCK = "no thread can take a step"
    LIMIT = "a limit of the translation is reached"


class Failure(Struct, frozen=True):
    """What goes wrong where a step fails: how, and the statement as it is written, on one line; the `detail` says more.

    Where another step has a part in it, that is the last one which set the variable `since`: what it did is the word
    for the value, and what is done `here` is another word.
    """

    fault: Fault
    what: str
    since: Var | None = None
    here: str = ""
    detail: str = ""


class Edge(Struct, frozen=True):
    """A component step: for some value of the choices, the guard holds and all updates happen at once.

    `guard`, the label's values and the updates' right-hand sides are over G ∪ L ∪ choices and read
    the state before the step. Variables without an update keep their value. Choices of the abstract
    thread are Duplicator's, of the concrete thread Spoiler's. `failure` is what an edge with the label `fail` stands
    for, as far as that is known. `thread` names the one of several composed threads that makes the step.
    """

    source: str
    target: str
    label: Label | None
    guard: Term
    updates: tuple[tuple[Var, Term], ...]
    choices: tuple[Variable, ...]
    origin: Origin
    failure: Failure | None = None
    thread: str | None = None


class Automaton(Struct, frozen=True):
    """A succinct automaton. `variables` are all it may mention, parameters included, in declared order."""

    name: str
    variables: tuple[Variable, ...]
    locations: tuple[Location, ...]
    initial: str
    init: Term
    edges: tuple[Edge, ...]
    origin: Origin


def variables_of(automaton: Automaton, kind: Kind) -> tuple[Var, ...]:
    """The automaton's variables of one kind, in declared order."""
    return tuple(v.var for v in automaton.variables if v.kind is kind)


def copies_of(automaton: Automaton) -> dict[Var, tuple[Var, ...]]:
    """The globals that locals are set to, by local."""
    shared = frozenset(variables_of(automaton, Kind.GLOBAL))
    found = dict[Var, dict[Var, None]]()
    for var, value in (u for e in automaton.edges for u in e.updates):
        if var not in shared and isinstance(value, Var) and value in shared:
            found.setdefault(var, {})[value] = None
    return {var: tuple(some) for var, some in found.items()}


def location_of(automaton: Automaton, name: str) -> Location:
    """The location with this name. Raises KeyError."""
    for location in automaton.locations:
        if location.name == name:
            return location
    raise KeyError(name)


def edges_from(automaton: Automaton) -> dict[str, tuple[Edge, ...]]:
    """The edges by source location, in declared order; every location has an entry."""
    by_source: dict[str, list[Edge]] = {location.name: [] for location in automaton.locations}
    for edge in automaton.edges:
        by_source[edge.source].append(edge)
    return {name: tuple(edges) for name, edges in by_source.items()}
