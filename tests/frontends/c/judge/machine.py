"""States of a program: memory, threads, and what has been seen of the accesses so far.

Happens-before (C11 5.1.2.4) is kept as sets instead of clocks. For each location, thread and sort of access there is
one bit, the last such access. Who *knows* a bit, a thread or what carries knowledge from one thread to another, has it
before its present. A new access begins with nobody knowing it but its thread. Two conflicting accesses race if the
thread of the later one does not know the earlier one; a thread that knows the last access of a sort knows all before
it, since they are by one thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, StrEnum
from typing import Final, TypeAlias

from msgspec import Struct

from tests.frontends.c.judge.syntax import (
    ATOMIC,
    ATOMIC_POINTER,
    BARRIER,
    CONDITION,
    MUTEX,
    NODE,
    ONCE,
    RWLOCK,
    SEMAPHORE,
    SPIN,
    Variable,
)

#: The address of the first cell. An `int` is never that large.
FIRST: Final = 1000
#: The most objects that allocations may give out.
HEAP: Final = 5
NOT_CREATED, ENDED = -2, -1


class Fault(StrEnum):
    """What may go wrong. The last two leave a comparison without an answer."""

    ASSERTION = "assertion"
    USE_AFTER_FREE = "use after free"
    DOUBLE_FREE = "double free"
    BAD_FREE = "bad free"
    DEAD_VARIABLE = "use of a dead variable"
    POINTER = "pointer to no object"
    BEFORE_INIT = "use before initialisation"
    AFTER_DESTROY = "use after destruction"
    DESTROYED_IN_USE = "destroyed in use"
    FREED_IN_USE = "freed in use"
    LOCK = "misuse of a lock"
    RACE = "data race"
    DEADLOCK = "deadlock"
    LEAK = "leak"
    #: A value is used that was never written.
    INDETERMINATE = "indeterminate value"
    #: POSIX leaves open what happens, and implementations differ.
    AMBIGUOUS = "ambiguous"


class Life(Enum):
    """The states of an object."""

    NEVER = 0
    ALIVE = 1
    ENDED = 2


class Storage(Enum):
    """Where an object lives."""

    STATIC = 0
    AUTOMATIC = 1
    HEAP = 2


class Faulted(Exception):
    """A step that goes wrong."""

    def __init__(self, fault: Fault, where: str) -> None:
        super().__init__(fault)
        self.fault, self.where = fault, where


class Object(Struct, frozen=True):
    """An object: its name, its first cell, and the types and names of its cells."""

    name: str
    base: int
    cells: tuple[Variable, ...]
    storage: Storage

    @property
    def size(self) -> int:
        """The number of its cells."""
        return len(self.cells)


class Destroyed(Enum):
    """The value of a synchronisation object that was destroyed."""

    DESTROYED = "destroyed"


class Lock(Struct, frozen=True):
    """The owner of a mutex or spin lock, -1 for nobody."""

    owner: int = -1


class Semaphore(Struct, frozen=True):
    """The value of a semaphore."""

    value: int = 0


class RwState(Struct, frozen=True):
    """Who writes, -1 for nobody, and who reads."""

    writer: int = -1
    readers: tuple[int, ...] = ()


class BarrierState(Struct, frozen=True):
    """How many are needed, who has come, and who may go but has not gone yet."""

    count: int
    waiting: tuple[int, ...] = ()
    leaving: tuple[int, ...] = ()


class Waiting(Struct, frozen=True):
    """The threads that wait for a condition."""

    threads: tuple[int, ...] = ()


class OnceState(Enum):
    """How far an initialisation is."""

    NEW = 0
    RUNS = 1
    DONE = 2


Content: TypeAlias = int | Destroyed | Lock | Semaphore | RwState | BarrierState | Waiting | OnceState | None


def zero(of: str) -> Content:
    """What a cell of a type holds that is all zero; that initialises all but barriers and spin locks."""
    match of:
        case t if t == MUTEX:
            return Lock()
        case t if t == SEMAPHORE:
            return Semaphore()
        case t if t == RWLOCK:
            return RwState()
        case t if t == CONDITION:
            return Waiting()
        case t if t == ONCE:
            return OnceState.NEW
        case t if t in (BARRIER, SPIN):
            return None
        case _:
            return 0


def synchronises(of: str) -> bool:
    """Whether a type is that of a synchronisation object."""
    return of in (MUTEX, RWLOCK, SPIN, BARRIER, SEMAPHORE, CONDITION, ONCE)


def carries(of: str) -> bool:
    """Whether an object of a type carries knowledge."""
    return synchronises(of) or of in (ATOMIC, ATOMIC_POINTER)


def in_use(value: Content) -> bool:
    """Whether some thread holds a synchronisation object, or waits for it."""
    match value:
        case Lock(owner):
            return owner >= 0
        case RwState(writer, readers):
            return writer >= 0 or bool(readers)
        case BarrierState(waiting=waiting) | Waiting(waiting):
            return bool(waiting)
        case _:
            return False


class Layout:
    """Which objects and cells there are, and which bits stand for their accesses."""

    def __init__(self, fields: Sequence[Variable], threads: int) -> None:
        self.fields, self.threads = tuple(fields), threads
        self.objects: list[Object] = []
        self.cells: list[Variable] = []
        self.owner: list[int] = []

    def add(self, variable: Variable, storage: Storage) -> Object:
        """An object for a variable."""
        cells = self.fields if variable.type == NODE else (variable,)
        found = Object(variable.name, len(self.cells), cells, storage)
        self.owner.extend([len(self.objects)] * len(cells))
        self.objects.append(found)
        self.cells.extend(cells)
        return found

    def offset(self, field: str) -> int:
        """The cell of a member in its structure."""
        return next(i for i, f in enumerate(self.fields) if f.name == field)


State: TypeAlias = tuple[
    tuple[int, ...],
    tuple[tuple[Content, ...], ...],
    tuple[Content, ...],
    tuple[Life, ...],
    tuple[int, ...],
    int,
    frozenset[int],
]


class Setting(Struct, frozen=True):
    """What is the same in all states: the layout, parameters, thread-local objects, first values, what is asked."""

    layout: Layout
    parameters: tuple[int | None, ...]
    own: tuple[tuple[int, ...], ...]
    initial: dict[int, int]
    races: bool
    spurious: bool
    reuse: bool


class Draft:
    """A state that a step is changing.

    `know` has for each thread what it knows, what its last release fence knew and what its relaxed loads have read,
    and then for each cell and thread what a release of that thread at that cell carries.
    """

    def __init__(self, setting: Setting, state: State) -> None:
        pcs, registers, values, lives, know, done, self.joined = state
        self.setting, self.layout = setting, setting.layout
        self.pcs, self.values, self.lives, self.know = list(pcs), list(values), list(lives), list(know)
        self.registers = [list(r) for r in registers]
        self.done = done
        #: Whether the process has ended, and the accesses of this step that race with earlier ones.
        self.over = False
        self.races_found: set[str] = set()

    def freeze(self) -> State:
        """The state. What all threads know by now decides nothing any more."""
        know, done = self.know, self.done
        if done:
            threads, settled = self.layout.threads, done
            for thread, pc in enumerate(self.pcs):
                if pc >= 0:
                    settled &= know[thread]
            done &= ~settled
            know = [k & done for k in know]
            for thread, pc in enumerate(self.pcs):
                if pc < 0:
                    know[threads + thread] = know[2 * threads + thread] = 0
        return (
            tuple(self.pcs),
            tuple(map(tuple, self.registers)),
            tuple(self.values),
            tuple(self.lives),
            tuple(know),
            done,
            self.joined,
        )

    def carried(self, cell: int, thread: int) -> int:
        """The index of what a release of a thread at a cell carries."""
        return self.layout.threads * (3 + cell) + thread

    def release(self, cell: int, thread: int) -> None:
        """What the thread knows is carried by an object: locks and the like, where nothing is lost."""
        self.know[self.carried(cell, thread)] |= self.know[thread]

    def acquire(self, cell: int, thread: int) -> None:
        """The thread comes to know what an object carries."""
        self.know[thread] |= self.message(cell)

    def message(self, cell: int) -> int:
        """All that an object carries."""
        found, first = 0, self.carried(cell, 0)
        for index in range(first, first + self.layout.threads):
            found |= self.know[index]
        return found

    def forget(self, cell: int) -> None:
        """An object carries nothing any more."""
        for thread in range(self.layout.threads):
            self.know[self.carried(cell, thread)] = 0

    def touch(self, cell: int, thread: int, write: bool, atomic: bool, where: str) -> None:
        """An access, and whether it races with an earlier one."""
        if not self.setting.races:
            return
        threads = self.layout.threads
        first = cell * threads * 4
        others = 0
        for other in range(threads):
            if other == thread:
                continue
            bits = 0
            for earlier_write in (False, True):
                for earlier_atomic in (False, True):
                    if (write or earlier_write) and not (atomic and earlier_atomic):
                        bits |= 1 << (2 * earlier_write + earlier_atomic)
            others |= bits << (first + 4 * other)
        races = self.done & others & ~self.know[thread]
        bit = 1 << (first + 4 * thread + 2 * write + atomic)
        self.done |= bit
        self.know = [k & ~bit for k in self.know]
        self.know[thread] |= bit
        if races:
            self.races_found.add(where)

    def begin(self, number: int, values: Sequence[Content]) -> None:
        """The life of an object begins."""
        found = self.layout.objects[number]
        self.lives[number] = Life.ALIVE
        for cell, value in enumerate(values, found.base):
            self.values[cell] = value
            self.forget(cell)

    def end(self, number: int) -> None:
        """The life of an object ends, and with it all that is known of its cells."""
        found = self.layout.objects[number]
        self.lives[number] = Life.ENDED
        width = self.layout.threads * 4
        mask = ~(((1 << (found.size * width)) - 1) << (found.base * width))
        self.done &= mask
        self.know = [k & mask for k in self.know]
        for cell in range(found.base, found.base + found.size):
            self.values[cell] = None
            self.forget(cell)

    def find(self, address: Content, where: str) -> int:
        """The cell at an address.

        Raises:
            Faulted: there is no object that is alive.
        """
        if address is None:
            raise Faulted(Fault.INDETERMINATE, where)
        if not isinstance(address, int) or not FIRST <= address < FIRST + len(self.values):
            raise Faulted(Fault.POINTER, where)
        cell = address - FIRST
        number = self.layout.owner[cell]
        if self.lives[number] is not Life.ALIVE:
            heap = self.layout.objects[number].storage is Storage.HEAP
            raise Faulted(Fault.USE_AFTER_FREE if heap else Fault.DEAD_VARIABLE, where)
        return cell
