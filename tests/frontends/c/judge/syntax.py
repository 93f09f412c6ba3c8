"""Small concurrent programs of C, as terms: made by the generator, run by the interpreter, read by compilers.

Variables of a function whose address is never used are `Local`; everything else is an object of memory that has a name.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

#: The types of synchronisation objects.
MUTEX, RWLOCK, SPIN, BARRIER, SEMAPHORE, CONDITION, ONCE = (
    "pthread_mutex_t",
    "pthread_rwlock_t",
    "pthread_spinlock_t",
    "pthread_barrier_t",
    "sem_t",
    "pthread_cond_t",
    "pthread_once_t",
)
INT, ATOMIC, HANDLE, NODE, INT_POINTER, NODE_POINTER, ATOMIC_POINTER = (
    "int",
    "atomic_int",
    "pthread_t",
    "struct node",
    "int *",
    "struct node *",
    "_Atomic(struct node *)",
)
RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST = "relaxed", "acquire", "release", "acq_rel", "seq_cst"


class Number(Struct, frozen=True, tag=True):
    """A number; 0 is the null pointer too."""

    value: int


class Local(Struct, frozen=True, tag=True):
    """The value of a local variable."""

    name: str


class Load(Struct, frozen=True, tag=True):
    """What a plain object holds."""

    place: Place


class Address(Struct, frozen=True, tag=True):
    """Where an object is."""

    place: Place


class Binary(Struct, frozen=True, tag=True):
    """An operator between two values, the left one first: one of `== != < <= + - &`."""

    operator: str
    left: Expression
    right: Expression


Expression: TypeAlias = Number | Local | Load | Address | Binary


class Named(Struct, frozen=True, tag=True):
    """An object by its name."""

    name: str


class Part(Struct, frozen=True, tag=True):
    """A member of a structure that has a name."""

    name: str
    field: str


class Field(Struct, frozen=True, tag=True):
    """A member of a structure that is pointed to."""

    pointer: Expression
    field: str


class Target(Struct, frozen=True, tag=True):
    """What an `int *` points to."""

    pointer: Expression


Place: TypeAlias = Named | Part | Field | Target


class Assign(Struct, frozen=True, tag=True):
    """A plain store; a `Local` only changes that variable."""

    place: Place | Local
    value: Expression


class Atomic(Struct, frozen=True, tag=True):
    """`load`, `store`, `exchange`, `fetch_add`, `fetch_sub`, `compare_exchange_strong` or `init` of an atomic object.

    A compare-exchange has the wanted value and the variable of the expected one, and the orders of success and failure.
    """

    operation: str
    place: Place
    values: tuple[Expression, ...]
    orders: tuple[str, ...]
    result: str | None = None
    expected: str | None = None


class Fence(Struct, frozen=True, tag=True):
    """`atomic_thread_fence`."""

    order: str


class Allocate(Struct, frozen=True, tag=True):
    """`malloc`, `calloc`, or `realloc` of a pointer, of the object that `result` points to."""

    function: str
    of: str
    result: str
    old: Expression | None = None


class Free(Struct, frozen=True, tag=True):
    """`free`."""

    pointer: Expression


class Sync(Struct, frozen=True, tag=True):
    """A function of POSIX threads or semaphores by its name, with its objects and numbers."""

    function: str
    places: tuple[Place, ...]
    numbers: tuple[int, ...] = ()
    result: str | None = None


class Create(Struct, frozen=True, tag=True):
    """`pthread_create`."""

    handle: Place
    function: str
    argument: Expression


class Join(Struct, frozen=True, tag=True):
    """`pthread_join`."""

    handle: Place


class Once(Struct, frozen=True, tag=True):
    """`pthread_once` of a function without arguments."""

    place: Place
    function: str


class Call(Struct, frozen=True, tag=True):
    """A call of a function of the program."""

    function: str
    arguments: tuple[Expression, ...]
    result: str | None = None


class Return(Struct, frozen=True, tag=True):
    """`return`; of `main` the end of the process, of a thread's function the end of the thread."""

    value: Expression | None = None


class Exit(Struct, frozen=True, tag=True):
    """`pthread_exit`."""


class Assert(Struct, frozen=True, tag=True):
    """`assert`."""

    value: Expression


class If(Struct, frozen=True, tag=True):
    """`if`."""

    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


class While(Struct, frozen=True, tag=True):
    """`while`; `body` runs first where `do` is set."""

    condition: Expression
    body: tuple[Statement, ...]
    do: bool = False


class Break(Struct, frozen=True, tag=True):
    """`break` out of a loop."""


class Block(Struct, frozen=True, tag=True):
    """A block with automatic variables in memory: names and types."""

    variables: tuple[Variable, ...]
    body: tuple[Statement, ...]


Statement: TypeAlias = (
    Assign
    | Atomic
    | Fence
    | Allocate
    | Free
    | Sync
    | Create
    | Join
    | Once
    | Call
    | Return
    | Exit
    | Assert
    | If
    | While
    | Break
    | Block
)


class Variable(Struct, frozen=True):
    """A variable of a type; a thread-local one has one object for each thread."""

    name: str
    type: str
    initial: int | None = None
    thread_local: bool = False


class Function(Struct, frozen=True):
    """A function; one that threads start with has at most one parameter. Locals have no address."""

    name: str
    parameters: tuple[Variable, ...]
    locals: tuple[Variable, ...]
    body: tuple[Statement, ...]
    result: str = "void"
    thread: bool = False


class Program(Struct, frozen=True):
    """A program: the members of `struct node`, the static variables, the functions, `main` last."""

    fields: tuple[Variable, ...]
    statics: tuple[Variable, ...]
    functions: tuple[Function, ...]
