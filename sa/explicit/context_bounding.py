"""Runs with few preemptions, of threads and of copies of families: long runs in which little is interleaved.

Most errors need few preemptions, however long their runs are (Musuvathi, Qadeer, Iterative context bounding for
systematic testing of multithreaded programs, PLDI 2007). A thread that can move goes on; that another one moves instead
is a preemption. Who was blocked goes on as soon as a step lets it, and such steps come first: so threads hand something
over, as an argument to a thread that is created. Copies at one place with the same values are counted, not told apart;
a copy gets its identity when it first reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Kind
from sa.automata.family import Family, identity_of, spoken_of, symbolic, symbolic_name
from sa.automata.rename import own_local
from sa.base.limits import Limits, check_limits, check_memory, count
from sa.certificates.run import Bad, Failing
from sa.explicit.layout import WIDTHS, Slot, TooWide, placed
from sa.explicit.moves import moves_of
from sa.explicit.search import Effort, Work, begun, starts_of
from sa.explicit.system import System, system
from sa.question.asked import Asked

#: Ranges with at most four values are tried as a whole; of other numbers a few values are. So many initial states.
EFFORT, STARTS = Effort(1_000, 4, reduced=False, beam=1), 64

#: Units of a state, and states between two looks at the limits.
A_STATE, BETWEEN_LOOKS = 30, 256

#: Who moves: a thread by its number, or any copy of a family, by its number, that has these bits.
Agent: TypeAlias = int | tuple[int, int]


class Bounds(Struct, frozen=True):
    """How far one search goes: preemptions and steps of a run, copies of each family, and states."""

    preemptions: int
    steps: int
    copies: int
    states: int


class State(NamedTuple):
    """What is shared and what threads have, packed, and how many copies of a family have which bits.

    Copies that never moved are not among them. `named` says how many identities of each family are given away.
    """

    base: int
    groups: tuple[tuple[tuple[int, int], int], ...]
    named: tuple[int, ...]


class Way(NamedTuple):
    """A step: who moves, what is behind it, and who is then in the place of who moved."""

    agent: Agent
    after: State
    became: Agent


class Crew(Struct, frozen=True, eq=False):
    """A family in a search: the thread that stands for any copy, the bits that a copy has, the slot of its identity.

    `reads` are the places from where steps read the identity; `first` is one less than the first that is given.
    """

    thread: int
    bits: int
    identity: Slot | None
    reads: frozenset[int]
    first: int


class Turn(NamedTuple):
    """Whose turn it is, who is blocked and goes on as soon as possible, and how many preemptions are left.

    Those who were preempted go on afterwards, the last one first.
    """

    current: Agent | None
    waiting: Agent | None
    preempted: tuple[Agent, ...]
    left: int


class Found(NamedTuple):
    """A run into what is bad about a question: its steps, and who fails then, if anybody."""

    question: int
    start: State
    ways: tuple[Way, ...]
    failing: Agent | None


class Hunt(Struct, eq=False):
    """A search while it runs. `seen` gives for what was looked at the preemptions left and the steps before it.

    `begins` are by family the bits that its copies may begin with, each with a packed initial state. `failed` are
    questions that steps which were looked at last fail, by whom, and the steps that lead there.
    `leading` are by thread the places from where its own steps may lead to one that fails.
    """

    work: Work
    crews: tuple[Crew, ...]
    begins: tuple[Mapping[int, int], ...]
    bounds: Bounds
    leading: tuple[frozenset[int], ...]
    seen: dict[tuple[State, Turn], tuple[int, int]] = field(default_factory=dict)
    failed: list[tuple[int, Agent | None, tuple[Way, ...]]] = field(default_factory=list)


def crowd_of(asked: Asked) -> System:
    """The threads with one copy of each family that stands for all of its copies."""
    threads = (*asked.threads, *(symbolic(f, 1) for f in asked.families))
    return system(threads, tuple(_of_symbolic(b, asked.families) for b in asked.bads))


def is_of_one(bad: Bad, families: Sequence[Family]) -> bool:
    """Whether what is bad speaks of at most one copy of each family."""
    return bad.claim is None or all(spoken_of(bad.claim, f) <= 1 for f in families)


def _of_symbolic(bad: Bad, families: Sequence[Family]) -> Bad:
    named = {f.thread.name: symbolic_name(f, 1) for f in families}
    if bad.failing is None or bad.failing.thread not in named:
        return bad
    return Bad(Failing(named[bad.failing.thread], bad.failing.edge), bad.claim)


def hunted(s: System, families: Sequence[Family], bounds: Bounds, limits: Limits) -> Iterator[tuple[Hunt, Found]]:
    """What one search finds: the first run for each question, with the search. Raises LimitReached."""
    work = begun(s, EFFORT, limits, dict.fromkeys(s.variables, WIDTHS[-1]))
    claims, work.claims = work.claims, []
    crews = tuple(_crew(work, f, number, len(families), bounds) for number, f in enumerate(families))
    covered = sum(c.bits for c in crews)
    begins = dict[int, tuple[dict[int, int], ...]]()
    for packed in islice(starts_of(work), STARTS):
        of = begins.setdefault(packed & ~covered, tuple(dict[int, int]() for _ in crews))
        for known, crew in zip(of, crews, strict=True):
            known.setdefault(packed & crew.bits & ~_bits_of(crew.identity), packed)
    work.claims = claims
    leading = tuple(_leading(s, thread) for thread in range(len(s.threads)))
    for base, of in begins.items():
        hunt = Hunt(work, crews, of, bounds, leading)
        for found in _searched(hunt, State(base, (), tuple(0 for _ in crews)), limits):
            yield hunt, found


def _crew(work: Work, family: Family, number: int, families: int, bounds: Bounds) -> Crew:
    s, slots = work.making.system, work.making.layout.slots
    thread = len(s.threads) - families + number
    name = symbolic_name(family, 1)
    own = [own_local(name, v.var) for v in family.thread.variables if v.kind is Kind.LOCAL]
    bits = sum(_bits_of(slots.get(v)) for v in (s.counters[thread], *own))
    identity = identity_of(family, name)
    said = any(identity in c.free for c in s.claims if c is not None)
    reads = (p for p, acts in enumerate(s.acts[thread]) if said or any(identity in a.reads for a in acts))
    return Crew(thread, bits, slots.get(identity), frozenset(reads), number * bounds.copies)


def _leading(s: System, thread: int) -> frozenset[int]:
    """The places of a thread from where its own steps may lead to one that fails."""
    acts = [act for here in s.acts[thread] for act in here]
    found = {a.arc.source for a in acts if a.bads}
    while more := {a.arc.source for a in acts if a.arc.target in found} - found:
        found |= more
    return frozenset(found)


def _is_hopeless(hunt: Hunt, state: State) -> bool:
    """Whether nobody can fail any more, and no claim is open."""
    if hunt.work.claims:
        return False
    threads = range(len(hunt.leading) - len(hunt.crews))
    if any(_place(hunt, t, state.base) in hunt.leading[t] for t in threads):
        return False
    copied = [agent for agent, _ in state.groups]
    copied += [(of, bits) for of, begins in enumerate(hunt.begins) for bits in begins]
    crews = ((hunt.crews[of].thread, bits) for of, bits in copied)
    return all(_place(hunt, thread, bits) not in hunt.leading[thread] for thread, bits in crews)


def _bits_of(slot: Slot | None) -> int:
    return 0 if slot is None else slot.mask << slot.shift


def _searched(hunt: Hunt, start: State, limits: Limits) -> Iterator[Found]:
    """Depth first: who moves goes on, and preemptions are tried from the end of a run backwards."""
    ways = list[Way]()
    pending = [_onwards(hunt, start, Turn(None, None, (), hunt.bounds.preemptions))]
    _judged(hunt, start)
    yield from _noted(hunt, start, ways)
    while pending and hunt.work.open:
        found = next(pending[-1], None)
        yield from _noted(hunt, start, ways)
        if found is None:
            pending.pop()
            if ways:
                ways.pop()
            continue
        way, turn = found
        left, key, steps = turn.left, (way.after, turn._replace(left=0)), len(ways) + 1
        before = hunt.seen.get(key)
        if (
            steps > hunt.bounds.steps
            or _is_hopeless(hunt, way.after)
            or (before is not None and before[0] >= left and before[1] <= 2 * steps)
        ):
            continue
        if before is None and len(hunt.seen) >= hunt.bounds.states:
            return
        if len(hunt.seen) % BETWEEN_LOOKS == 0:
            check_limits(limits)
            check_memory(limits)
        hunt.seen[key] = left, steps
        count(limits, A_STATE)
        ways.append(way)
        pending.append(_onwards(hunt, way.after, turn))
        _judged(hunt, way.after)
        yield from _noted(hunt, start, ways)


def _noted(hunt: Hunt, start: State, ways: Sequence[Way]) -> Iterator[Found]:
    """What was found at the end of these steps."""
    for question, agent, further in hunt.failed:
        if question in hunt.work.open:
            hunt.work.open.discard(question)
            yield Found(question, start, (*ways, *further), agent)
    hunt.failed.clear()


def _judged(hunt: Hunt, state: State) -> None:
    """Note claims that are false in a state."""
    if not hunt.work.claims:
        return
    whole = [state.base]
    for number in range(len(hunt.crews)):
        own = [*(bits for (of, bits), _ in state.groups if of == number), *hunt.begins[number]]
        whole = [w + bits for w in whole for bits in own]
    for question, read, fine, test in hunt.work.claims:
        for packed in whole:
            if packed & read not in fine:
                if test(packed & read):
                    fine.add(packed & read)
                else:
                    hunt.failed.append((question, None, ()))


def _onwards(hunt: Hunt, state: State, turn: Turn) -> Iterator[tuple[Way, Turn]]:
    """Steps from a state, each with whose turn it is then."""
    going = turn.waiting if turn.waiting != turn.current else None
    first = [] if going is None else _ways(hunt, state, going)
    if not first and turn.current is not None:
        going, first = turn.current, _ways(hunt, state, turn.current)
    if first:
        kept = None if going == turn.waiting else turn.waiting
        for way in first:
            yield way, Turn(way.became, kept, turn.preempted, turn.left)
        if turn.left and going is not None:
            for way in _of_others(hunt, state, going):
                yield way, Turn(way.became, None, (*turn.preempted, going), turn.left - 1)
        return
    current = turn.current
    blocked = current if current is not None and _is_within(hunt, state, current) else turn.waiting
    others = list(_of_others(hunt, state, current))
    back = [w for w in others if w.agent in turn.preempted[-1:]]
    soon = back or [w for w in others if blocked is not None and _ways(hunt, w.after, blocked, (w,))] or others
    for way in soon:
        yield way, Turn(way.became, blocked, turn.preempted[:-1] if back else turn.preempted, turn.left)
    if turn.left and len(soon) < len(others):
        for way in others:
            if way not in soon:
                yield way, Turn(way.became, blocked, turn.preempted, turn.left - 1)


def _of_others(hunt: Hunt, state: State, agent: Agent | None) -> Iterator[Way]:
    return (way for other in _agents(hunt, state) if other != agent for way in _ways(hunt, state, other))


def _agents(hunt: Hunt, state: State) -> list[Agent]:
    """Threads, copies that moved, and those that did not, if there may be more copies."""
    threads = range(len(hunt.work.making.system.threads) - len(hunt.crews))
    moved = [agent for agent, _ in state.groups]
    agents: list[Agent] = [*threads, *moved]
    for number, bits in enumerate(hunt.begins):
        if sum(n for (of, _), n in state.groups if of == number) < hunt.bounds.copies:
            agents += [(number, b) for b in bits if (number, b) not in moved]
    return agents


def _is_within(hunt: Hunt, state: State, agent: Agent) -> bool:
    """Whether somebody is at a location with steps."""
    thread, packed = _whole(hunt, state, agent)
    return bool(hunt.work.making.system.acts[thread][_place(hunt, thread, packed)])


def _whole(hunt: Hunt, state: State, agent: Agent) -> tuple[int, int]:
    """The number of a thread, and the packed state with this copy in it."""
    if isinstance(agent, int):
        return agent, state.base
    return hunt.crews[agent[0]].thread, state.base + agent[1]


def _place(hunt: Hunt, thread: int, packed: int) -> int:
    slot = hunt.work.making.layout.slots[hunt.work.making.system.counters[thread]]
    return packed >> slot.shift & slot.mask


def named_for(hunt: Hunt, state: State, agent: Agent) -> int | None:
    """The identity that a copy needs for its next step, and does not have yet: the next one of its family."""
    if isinstance(agent, int):
        return None
    crew = hunt.crews[agent[0]]
    here = _place(hunt, crew.thread, agent[1])
    if crew.identity is None or here not in crew.reads or agent[1] & _bits_of(crew.identity):
        return None
    return state.named[agent[0]] + 1


def _ways(hunt: Hunt, state: State, agent: Agent, further: tuple[Way, ...] = ()) -> list[Way]:
    """The steps of somebody from a state, to which `further` steps lead; those that fail are noted."""
    making = hunt.work.making
    thread, packed = _whole(hunt, state, agent)
    new, named = named_for(hunt, state, agent), state.named
    if new is not None and not isinstance(agent, int):
        crew = hunt.crews[agent[0]]
        if new > hunt.bounds.copies or crew.identity is None:
            return []
        packed += placed(crew.identity, crew.first + new)
        named = (*named[: agent[0]], new, *named[agent[0] + 1 :])
    mask, known, make = moves_of(making, thread, _place(hunt, thread, packed))
    moves = known.get(packed & mask)
    if moves is None:
        moves = ()
        # A run may go on in numbers that have no room.
        with suppress(TooWide):
            moves = known[packed & mask] = make(packed & mask)
        hunt.failed += [(question, agent, further) for question in making.hits]
        making.hits.clear()
    return [_behind(hunt, state, agent, packed + move, named) for move in moves]


def _behind(hunt: Hunt, state: State, agent: Agent, packed: int, named: tuple[int, ...]) -> Way:
    if isinstance(agent, int):
        return Way(agent, State(packed, state.groups, named), agent)
    bits = packed & hunt.crews[agent[0]].bits
    became, groups = (agent[0], bits), dict(state.groups)
    if agent in groups:
        groups[agent] -= 1
        if not groups[agent]:
            del groups[agent]
    groups[became] = groups.get(became, 0) + 1
    return Way(agent, State(packed - bits, tuple(sorted(groups.items())), named), became)
