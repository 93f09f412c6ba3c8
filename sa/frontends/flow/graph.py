"""Procedures as graphs of elementary steps.

A register is a variable of one activation that nothing points to. Memory is made of objects; the address of an
object's first cell is the variable `base(name)` until the layout gives it a number, and the code of a procedure is
`code(name)`. All terms are of sort int, tests of sort bool.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from sa.automata.automaton import Origin
from sa.terms import build
from sa.terms.term import Term, Var

#: A point of a graph.
Node: TypeAlias = int


class Storage(Enum):
    """How long an object lives, and whose it is: one for all, one a thread, one an activation, one an allocation."""

    STATIC = "static"
    THREAD = "thread"
    AUTO = "auto"
    HEAP = "heap"


@dataclass(frozen=True, slots=True)
class Range:
    """The least and the greatest value of a type; None where it has none or none is to be relied on."""

    low: int | None = None
    high: int | None = None


ANY = Range()


@dataclass(frozen=True, slots=True)
class Cell:
    """A scalar of an object. `path` is what follows the object's name. `synchronises`: races on it are none.

    `initial` is its value when the object comes to life, None for an arbitrary one. `key` names the type, so that
    an access through a pointer meets only cells of its own kind.
    """

    path: str
    range: Range
    key: str
    initial: Term | None = None
    synchronises: bool = False


@dataclass(frozen=True, slots=True)
class Object:
    """A row of cells with a name that nothing else has in its procedure, or in the unit if it is static."""

    name: str
    cells: tuple[Cell, ...]
    storage: Storage
    origin: Origin


@dataclass(frozen=True, slots=True)
class Register:
    """A variable of an activation. A `temporary` is one that the front end made up."""

    var: Var
    range: Range
    origin: Origin
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class Set:
    """`var := term`."""

    var: Var
    term: Term


@dataclass(frozen=True, slots=True)
class Havoc:
    """`var` becomes any value of the range."""

    var: Var
    range: Range


@dataclass(frozen=True, slots=True)
class Load:
    """`var :=` the cell at an address. `wrong` says what is wrong where there is no such cell."""

    var: Var
    address: Term
    key: str
    wrong: str


@dataclass(frozen=True, slots=True)
class Store:
    """The cell at an address `:= term`."""

    address: Term
    term: Term
    key: str
    wrong: str


@dataclass(frozen=True, slots=True)
class Test:
    """The way on where a formula holds; the other ways from the same node have the other cases."""

    formula: Term


@dataclass(frozen=True, slots=True)
class Wait:
    """The atomic region that this is in can be begun only where the formula holds here."""

    formula: Term


@dataclass(frozen=True, slots=True)
class Begin:
    """An atomic region begins; they nest."""


@dataclass(frozen=True, slots=True)
class End:
    """The innermost atomic region ends."""


@dataclass(frozen=True, slots=True)
class Fail:
    """The step goes wrong."""

    what: str


@dataclass(frozen=True, slots=True)
class Halt:
    """The thread stops here for ever."""


@dataclass(frozen=True, slots=True)
class Live:
    """An object of this activation comes to life: its cells get their initial values."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a procedure by its name; `result` takes the value."""

    procedure: str
    arguments: tuple[Term, ...]
    result: Var | None


@dataclass(frozen=True, slots=True)
class Fork:
    """A new thread runs the procedure with this code; `result` takes the number of the thread."""

    procedure: Term
    argument: Term
    result: Var


@dataclass(frozen=True, slots=True)
class Join:
    """Waits until the thread with this number has ended; `result` takes what it returned."""

    thread: Term
    result: Var | None


@dataclass(frozen=True, slots=True)
class Exit:
    """The thread ends, wherever it is, with this result."""

    term: Term


@dataclass(frozen=True, slots=True)
class Self:
    """`var :=` the number of the thread that runs this."""

    var: Var


@dataclass(frozen=True, slots=True)
class Show:
    """A visible action with values."""

    action: str
    values: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Skip:
    """Nothing."""


Op: TypeAlias = (
    Set
    | Havoc
    | Load
    | Store
    | Test
    | Wait
    | Begin
    | End
    | Fail
    | Halt
    | Live
    | Call
    | Fork
    | Join
    | Exit
    | Self
    | Show
    | Skip
)


@dataclass(frozen=True, slots=True)
class Step:
    """One elementary step between two nodes."""

    source: Node
    op: Op
    target: Node
    origin: Origin


@dataclass(frozen=True, slots=True)
class Procedure:
    """A graph from `entry` to `exit`. `result` is the register that holds the value at the exit.

    What a `hidden` one does is shown at the place of its call: the user did not write it.
    """

    name: str
    parameters: tuple[Var, ...]
    result: Var | None
    registers: tuple[Register, ...]
    objects: tuple[Object, ...]
    steps: tuple[Step, ...]
    entry: Node
    exit: Node
    origin: Origin
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Unit:
    """A whole program before threads are known: static objects, procedures by name, and where it starts."""

    objects: tuple[Object, ...]
    procedures: Mapping[str, Procedure]
    entry: str


@dataclass(slots=True)
class Graph:
    """A graph in the making: what one thread does, all calls inlined."""

    steps: list[Step] = field(default_factory=list)
    registers: dict[Var, Register] = field(default_factory=dict)
    objects: dict[str, Object] = field(default_factory=dict)
    nodes: int = 0
    entry: Node = 0
    exit: Node = 0


def fresh(graph: Graph) -> Node:
    """A new node."""
    graph.nodes += 1
    return graph.nodes - 1


def outgoing(steps: tuple[Step, ...] | list[Step]) -> dict[Node, list[Step]]:
    """The steps by their source."""
    result = dict[Node, list[Step]]()
    for step in steps:
        result.setdefault(step.source, []).append(step)
    return result


def base(name: str) -> Var:
    """The address of the first cell of an object."""
    return build.variable(f"&{name}")


def code(name: str) -> Var:
    """The code of a procedure, as a number."""
    return build.variable(f"&{name}()")
