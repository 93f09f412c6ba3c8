"""Procedures as graphs of elementary steps.

A register is a variable of one activation that nothing points to. Memory is made of objects; the address of an
object's first cell is the variable `base(name)` until the layout gives it a number, and the code of a procedure is
`code(name)`. All terms are of sort int, tests of sort bool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Origin
from sa.frontends.flow.actions import Show, Thing
from sa.frontends.flow.lives import Dead, Free, Freeable, Recycle, Track
from sa.frontends.flow.orders import Fence, Lock, Order, Synchronise
from sa.frontends.flow.waits import Waits
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


class Range(NamedTuple):
    """The least and the greatest value of a type; None where it has none or none is to be relied on."""

    low: int | None = None
    high: int | None = None


ANY = Range()


class Words(Struct, frozen=True):
    """How values of a type are told: those of enumerations by their names, `letters` as such, `pointers` by objects.

    A variable that the translation made up to follow another one says what that is `about`.
    """

    values: tuple[tuple[int, str], ...] = ()
    letters: bool = False
    pointers: bool = False
    about: str = ""


PLAIN = Words()


class Cell(Struct, frozen=True):
    """A scalar of an object. `path` is what follows the object's name. `synchronises`: races on it are none,
    but of plain accesses where its type is `atomic`.

    `initial` is its value when the object comes to life, None for an arbitrary one. `key` names the type, so that
    an access through a pointer meets only cells of its own kind. The cell is so far `behind` the first one of its
    memory location: who accesses one cell of it races with who writes another. Where it may have no value, as what
    LLVM calls poison, the number `poison` stands for that: it is in the range, and no value of the type.
    """

    path: str
    range: Range
    key: str
    initial: Term | None = None
    synchronises: bool = False
    words: Words = PLAIN
    behind: int = 0
    atomic: bool = False
    poison: int | None = None


class Row(Struct, frozen=True):
    """`count` elements of a large array, from a cell of an object on: cells that are not variables of their own.

    Those at one distance from the starts of all elements are one array. `paths` are what follows the object's name
    for each distance, without the index: there are as many as an element has cells.
    """

    start: int
    count: int
    paths: tuple[str, ...]


class Object(Struct, frozen=True):
    """Consecutive cells with a name that nothing else has in its procedure, or in the unit if it is static.

    Its large arrays are `rows`, and those of a middle size `middling`. `told` is its name for users, if that is another
    one. What is `kept` is constant or a text: it has its first values for ever, known or not, and who writes it is
    undefined. Its one cell may be the life of the object with the name `life_of`.
    """

    name: str
    cells: tuple[Cell, ...]
    storage: Storage
    origin: Origin
    rows: tuple[Row, ...] = ()
    told: str = ""
    kept: bool = False
    life_of: str = ""
    middling: tuple[Row, ...] = ()


class Register(Struct, frozen=True):
    """A variable of an activation. A `temporary` is one that the front end made up. `told` is its name for users."""

    var: Var
    range: Range
    origin: Origin
    temporary: bool = False
    words: Words = PLAIN
    told: str = ""


class Set(Struct, frozen=True):
    """`var := term`."""

    var: Var
    term: Term


class Divide(Struct, frozen=True):
    """`var :=` the quotient (`/`) or remainder (`%`) towards zero. What values the divisor may have must be known."""

    var: Var
    sign: str
    dividend: Term
    divisor: Term


class Havoc(Struct, frozen=True):
    """`var` becomes any value of the range. It is `unset` where nothing gave it a value.

    Where it is `found`, an atomic access reads it there.
    """

    var: Var
    range: Range
    unset: bool = False
    found: Thing | None = None


#: An address, and the distances of cells from it.
Among: TypeAlias = tuple[Term, tuple[int, ...]]


class Load(Struct, frozen=True):
    """`var :=` the cell at an address. `wrong` says what is wrong where there is no such cell.

    `among`, if given, are the cells of which this is one whenever the step is taken. A plain access has no `order`.
    """

    var: Var
    address: Term
    key: str
    wrong: str
    among: Among | None = None
    order: Order | None = None


class Store(Struct, frozen=True):
    """The cell at an address `:= term`. What is `kept` may be written only where it gets its `first` value."""

    address: Term
    term: Term
    key: str
    wrong: str
    among: Among | None = None
    order: Order | None = None
    first: bool = False


class Test(Struct, frozen=True):
    """The way on where a formula holds; the other ways from the same node have the other cases."""

    formula: Term


class Wait(Struct, frozen=True):
    """The atomic region that this is in can be begun only where the formula holds here."""

    formula: Term


class Begin(Struct, frozen=True):
    """An atomic region begins; they nest. Accesses in one of the `program` are atomic, whatever they are of."""

    program: bool = False


class End(Struct, frozen=True):
    """The innermost atomic region ends."""


class Fail(Struct, frozen=True):
    """The step goes wrong."""

    what: str


#: What goes wrong where a write to a constant or a string literal (C11 6.4.5p7, 6.7.3p6).
KEPT = "write to a constant"

#: What goes wrong where a function is called alone through a pointer, and may be another one than those of the file.
UNKNOWN_CALL = "call"


class Halt(Struct, frozen=True):
    """The thread stops here for ever. An atomic region can stop where the process `ends`, and is impossible else."""

    ends: bool = False


class Live(Struct, frozen=True):
    """An object of this activation comes to life: its cells get their initial values."""

    name: str


class Allocate(Struct, frozen=True):
    """`var :=` the address of a new object like the one with this name, whose cells get their initial values."""

    var: Var
    name: str


class Room(Struct, frozen=True):
    """`var :=` how many scalars the allocated object has that begins at an address; there are none at 0."""

    var: Var
    address: Term


class Call(Struct, frozen=True):
    """A call of a procedure by its name; `result` takes the value."""

    procedure: str
    arguments: tuple[Term, ...]
    result: Var | None


class Fork(Struct, frozen=True):
    """A new thread runs the procedure with this code; `result` takes the number of the thread."""

    procedure: Term
    argument: Term
    result: Var


class Join(Struct, frozen=True):
    """Waits until the thread with this number has ended; `result` takes what it returned."""

    thread: Term
    result: Var | None


class Exit(Struct, frozen=True):
    """The thread ends, wherever it is, with this result."""

    term: Term


class Self(Struct, frozen=True):
    """`var :=` the number of the thread that runs this."""

    var: Var


class Stride(Struct, frozen=True):
    """The address is moved by elements of a size: of cells of this kind. It does nothing by itself."""

    address: Term
    key: str


class Skip(Struct, frozen=True):
    """Nothing. `again`: another round of a loop begins whose controlling expression is no constant.

    `qualified`: a register of a volatile or atomic type is accessed. `past`: a loop is left out that is taken to end.
    """

    again: bool = False
    qualified: bool = False
    past: bool = False


Op: TypeAlias = (
    Set | Divide | Havoc | Load | Store | Test | Wait | Begin | End | Fail | Halt | Live | Allocate | Room
    | Free | Freeable | Dead | Recycle | Track | Call | Fork | Join | Exit | Self | Show | Lock | Stride | Skip
    | Fence | Synchronise | Waits
)  # fmt: skip


class Step(Struct, frozen=True):
    """One elementary step between two nodes."""

    source: Node
    op: Op
    target: Node
    origin: Origin


class Procedure(Struct, frozen=True):
    """A graph from `entry` to `exit`. `result` is the register that holds the value at the exit.

    What a `hidden` one does is shown at the place of its call: the user did not write it. `told` is what users call it,
    if that is not its name.
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
    told: str = ""


class Unit(Struct, frozen=True):
    """A whole program before threads are known: static objects, procedures by name, and where it starts.

    `heap` is how many objects an allocation that may happen several times can make. Where the process `ends` with
    the first thread's procedure, as it does in C unless the thread exits by itself, the thread stops at its end. Where
    it `shows` its result, that is a visible action. Where it `reuses` addresses, what was freed may be allocated again.
    Where it `tracks` memory, none that was allocated may be lost at the end. Each thread calls the `last` procedure at
    its end, but not where the process ends with the first thread's procedure.
    """

    objects: tuple[Object, ...]
    procedures: Mapping[str, Procedure]
    entry: str
    heap: int = 4
    ends: bool = False
    shows: bool = False
    reuses: bool = False
    tracks: bool = False
    last: str | None = None


class Graph(Struct):
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


def outgoing(steps: Sequence[Step]) -> dict[Node, list[Step]]:
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
