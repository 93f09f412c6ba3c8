"""The steps of a thread from a place as a function of the bits of a packed state that they depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct, field

from sa.base.limits import Limits
from sa.explicit.instantiate import Picks, Row, extensions, picks
from sa.explicit.layout import Layout, Slot, placed
from sa.explicit.system import Act, System
from sa.terms.compile import guarded, predicate
from sa.terms.sort import Value
from sa.terms.term import Term, Var

#: How many partial choices of values are looked at for one step.
WAYS = 70_000

#: The parts of a state that a thread's steps depend on at a location, what they do by part, and how to find that out.
Moves = tuple[int, dict[int, tuple[int, ...]], Callable[[int], tuple[int, ...]]]


class Making(Struct):
    """What steps are made of. `hits` are questions that the steps looked at last fail; `exact`: no value was left out.

    Ranges with at most `few` values are tried as a whole.
    """

    system: System
    layout: Layout
    pool: tuple[int, ...]
    few: int
    bounds: Limits
    exact: bool
    moves: dict[tuple[int, int], Moves] = field(default_factory=dict)
    hits: list[int] = field(default_factory=list)


def moves_of(work: Making, thread: int, place: int) -> Moves:
    """The moves of a thread from a place, made once."""
    found = work.moves.get((thread, place))
    if found is None:
        found = work.moves[thread, place] = _made(work, work.system.acts[thread][place])
    return found


class _Ready(Struct, frozen=True, eq=False):
    """A step made ready: from a row of what is needed and picked values to the values of `written`.

    `moved` is what becomes of the counter, `replaced` are the bits that are written or, of what is forgotten, cleared.
    """

    bads: tuple[int, ...]
    picks: Picks | None
    values: Callable[[Row], tuple[Value, ...] | None]
    written: tuple[Slot, ...]
    moved: int
    replaced: int


def _made(work: Making, acts: tuple[Act, ...]) -> Moves:
    """The steps from a place, as a function of the bits that they depend on."""
    s, where = work.system, work.layout
    touched = frozenset[Var]().union(*(a.reads | a.updates.keys() | a.forgotten for a in acts))
    needed = tuple(v for v in (*s.counters, *s.variables) if v in touched)
    mask, decode = decoding(where, needed)
    ready = tuple(_ready(work, act, needed) for act in acts)
    hits = work.hits

    def make(part: int) -> tuple[int, ...]:
        row, found = decode(part), list[int]()
        for act in ready:
            for picked in ((),) if act.picks is None else _picked(work, act.picks, row):
                values = act.values(row + picked)
                if values is not None:
                    hits.extend(act.bads)
                    found.append(_step(act, part, values))
        return tuple(dict.fromkeys(found))

    return mask, {}, make


def _step(act: _Ready, part: int, values: tuple[Value, ...]) -> int:
    """What a step adds to a packed state with these bits. Raises TooWide."""
    step = act.moved - (part & act.replaced)
    for slot, value in zip(act.written, values, strict=True):
        step += placed(slot, value)
    return step


def _ready(work: Making, act: Act, needed: tuple[Var, ...]) -> _Ready:
    slots = work.layout.slots
    replaced = [slots[v] for v in (*act.updates, *act.forgotten)]
    how = picks(act.condition, needed, act.choices, work.pool, work.few) if act.choices else None
    scope = (*needed, *(c.var for c in act.choices))
    return _Ready(
        act.bads,
        how,
        guarded(act.condition, tuple(act.updates.values()), scope),
        tuple(slots[v] for v in act.updates),
        act.arc.target - act.arc.source << slots[work.system.counters[act.arc.thread]].shift,
        sum(s.mask << s.shift for s in replaced),
    )


def _picked(work: Making, how: Picks, row: Row) -> list[Row]:
    found, every = extensions(how, row, WAYS, work.bounds)
    work.exact = work.exact and every
    return found


def tested(work: Making, claim: Term) -> tuple[int, set[int], Callable[[int], bool]]:
    """What a claim reads, where it is known to hold, and its test."""
    needed = [v for v in (*work.system.counters, *work.system.variables) if v in claim.free]
    mask, decode = decoding(work.layout, needed)
    test = predicate(claim, needed)
    return mask, set(), lambda part: test(decode(part))


def decoding(where: Layout, needed: Iterable[Var]) -> tuple[int, Callable[[int], Row]]:
    """The bits of some variables, and a function that takes such bits to the row of values."""
    slots = [where.slots[v] for v in needed]
    mask = sum(s.mask << s.shift for s in slots)
    scope: dict[str, object] = {f"t{i}": s.table.values for i, s in enumerate(slots) if s.table is not None}
    exec(f"def decode(p): return ({''.join(_written(i, s) + ',' for i, s in enumerate(slots))})", scope)
    decode = scope["decode"]
    assert callable(decode)
    return mask, decode


def _written(number: int, slot: Slot) -> str:
    """The value of slot number `number` in the bits `p`, as Python text."""
    code = f"p >> {slot.shift} & {slot.mask}"
    if slot.table is not None:
        return f"t{number}[{code}]"
    return f"({code}) + {slot.low}" if slot.low else code
