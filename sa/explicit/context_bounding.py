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


class Transition(NamedTuple):
    """A step: who moves, what is behind it, and who is then in the place of who moved."""

    agent: Agent
    after: State
    became: Agent


class Representative(Struct, frozen=True, eq=False):
    """A family in a search: the thread that stands for any copy, the bits that a copy has, the slot of its identity.

    `reads` are the places from where steps read the identity; `first` is one less than the first that is given.
    """

    thread: int
    bits: int
    identity: Slot | None
    reads: frozenset[int]
    first: int


class Schedule(NamedTuple):
    """Whose turn it is, who is blocked and goes on as soon as possible, and how many preemptions are left.

    Those who were preempted go on afterwards, the last one first.
    """

    current: Agent | None
    waiting: Agent | None
    preempted: tuple[Agent, ...]
    left: int


class Violation(NamedTuple):
    """A run into what is bad about a question: its steps, and who fails then, if anybody."""

    question: int
    start: State
    transitions: tuple[Transition, ...]
    failing: Agent | None


class Exploration(Struct, eq=False):
    """A search while it runs. `seen` gives for what was looked at the preemptions left and the steps before it.

    `begins` are by family the bits that its copies may begin with, each with a packed initial state. `failed` are
    questions that steps which were looked at last fail, by whom, and the steps that lead there.
    `before_failure` are by thread the places from where its own steps may lead to one that fails.
    """

    work: Work
    representatives: tuple[Representative, ...]
    begins: tuple[Mapping[int, int], ...]
    bounds: Bounds
    before_failure: tuple[frozenset[int], ...]
    seen: dict[tuple[State, Schedule], tuple[int, int]] = field(default_factory=dict)
    failed: list[tuple[int, Agent | None, tuple[Transition, ...]]] = field(default_factory=list)


def system_of(asked: Asked) -> System:
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


def explored(
    s: System, families: Sequence[Family], bounds: Bounds, limits: Limits
) -> Iterator[tuple[Exploration, Violation]]:
    """What one search finds: the first run for each question, with the search. Raises LimitReached."""
    work = begun(s, EFFORT, limits, dict.fromkeys(s.variables, WIDTHS[-1]))
    claims, work.claims = work.claims, []
    representatives = tuple(
        _representative(work, f, number, len(families), bounds) for number, f in enumerate(families)
    )
    covered = sum(c.bits for c in representatives)
    begins = dict[int, tuple[dict[int, int], ...]]()
    for packed in islice(starts_of(work), STARTS):
        of = begins.setdefault(packed & ~covered, tuple(dict[int, int]() for _ in representatives))
        for known, one in zip(of, representatives, strict=True):
            known.setdefault(packed & one.bits & ~_bits_of(one.identity), packed)
    work.claims = claims
    before_failure = tuple(_places_before_failure(s, thread) for thread in range(len(s.threads)))
    for base, of in begins.items():
        ex = Exploration(work, representatives, of, bounds, before_failure)
        for found in _searched(ex, State(base, (), tuple(0 for _ in representatives)), limits):
            yield ex, found


def _representative(work: Work, family: Family, number: int, families: int, bounds: Bounds) -> Representative:
    s, slots = work.making.system, work.making.layout.slots
    thread = len(s.threads) - families + number
    name = symbolic_name(family, 1)
    own = [own_local(name, v.var) for v in family.thread.variables if v.kind is Kind.LOCAL]
    bits = sum(_bits_of(slots.get(v)) for v in (s.counters[thread], *own))
    identity = identity_of(family, name)
    said = any(identity in c.free for c in s.claims if c is not None)
    reads = (p for p, acts in enumerate(s.acts[thread]) if said or any(identity in a.reads for a in acts))
    return Representative(thread, bits, slots.get(identity), frozenset(reads), number * bounds.copies)


def _places_before_failure(s: System, thread: int) -> frozenset[int]:
    """The places of a thread from where its own steps may lead to one that fails."""
    acts = [act for here in s.acts[thread] for act in here]
    found = {a.arc.source for a in acts if a.bads}
    while more := {a.arc.source for a in acts if a.arc.target in found} - found:
        found |= more
    return frozenset(found)


def _cannot_fail(ex: Exploration, state: State) -> bool:
    """Whether nobody can fail any more, and no claim is open."""
    if ex.work.claims:
        return False
    threads = range(len(ex.before_failure) - len(ex.representatives))
    if any(_place(ex, t, state.base) in ex.before_failure[t] for t in threads):
        return False
    copied = [agent for agent, _ in state.groups]
    copied += [(of, bits) for of, begins in enumerate(ex.begins) for bits in begins]
    representatives = ((ex.representatives[of].thread, bits) for of, bits in copied)
    return all(_place(ex, thread, bits) not in ex.before_failure[thread] for thread, bits in representatives)


def _bits_of(slot: Slot | None) -> int:
    return 0 if slot is None else slot.mask << slot.shift


def _searched(ex: Exploration, start: State, limits: Limits) -> Iterator[Violation]:
    """Depth first: who moves goes on, and preemptions are tried from the end of a run backwards."""
    transitions = list[Transition]()
    pending = [_successors(ex, start, Schedule(None, None, (), ex.bounds.preemptions))]
    _check_claims(ex, start)
    yield from _reported(ex, start, transitions)
    while pending and ex.work.open:
        found = next(pending[-1], None)
        yield from _reported(ex, start, transitions)
        if found is None:
            pending.pop()
            if transitions:
                transitions.pop()
            continue
        transition, schedule = found
        left, key, steps = schedule.left, (transition.after, schedule._replace(left=0)), len(transitions) + 1
        before = ex.seen.get(key)
        if (
            steps > ex.bounds.steps
            or _cannot_fail(ex, transition.after)
            or (before is not None and before[0] >= left and before[1] <= 2 * steps)
        ):
            continue
        if before is None and len(ex.seen) >= ex.bounds.states:
            return
        if len(ex.seen) % BETWEEN_LOOKS == 0:
            check_limits(limits)
            check_memory(limits)
        ex.seen[key] = left, steps
        count(limits, A_STATE)
        transitions.append(transition)
        pending.append(_successors(ex, transition.after, schedule))
        _check_claims(ex, transition.after)
        yield from _reported(ex, start, transitions)


def _reported(ex: Exploration, start: State, transitions: Sequence[Transition]) -> Iterator[Violation]:
    """What was found at the end of these steps."""
    for question, agent, further in ex.failed:
        if question in ex.work.open:
            ex.work.open.discard(question)
            yield Violation(question, start, (*transitions, *further), agent)
    ex.failed.clear()


def _check_claims(ex: Exploration, state: State) -> None:
    """Note claims that are false in a state."""
    if not ex.work.claims:
        return
    whole = [state.base]
    for number in range(len(ex.representatives)):
        own = [*(bits for (of, bits), _ in state.groups if of == number), *ex.begins[number]]
        whole = [w + bits for w in whole for bits in own]
    for question, read, fine, test in ex.work.claims:
        for packed in whole:
            if packed & read not in fine:
                if test(packed & read):
                    fine.add(packed & read)
                else:
                    ex.failed.append((question, None, ()))


def _successors(ex: Exploration, state: State, schedule: Schedule) -> Iterator[tuple[Transition, Schedule]]:
    """Steps from a state, each with whose turn it is then."""
    going = schedule.waiting if schedule.waiting != schedule.current else None
    first = [] if going is None else _transitions(ex, state, going)
    if not first and schedule.current is not None:
        going, first = schedule.current, _transitions(ex, state, schedule.current)
    if first:
        kept = None if going == schedule.waiting else schedule.waiting
        for transition in first:
            yield transition, Schedule(transition.became, kept, schedule.preempted, schedule.left)
        if schedule.left and going is not None:
            for transition in _of_others(ex, state, going):
                yield transition, Schedule(transition.became, None, (*schedule.preempted, going), schedule.left - 1)
        return
    current = schedule.current
    blocked = current if current is not None and _is_within(ex, state, current) else schedule.waiting
    others = list(_of_others(ex, state, current))
    back = [w for w in others if w.agent in schedule.preempted[-1:]]
    soon = back or [w for w in others if blocked is not None and _transitions(ex, w.after, blocked, (w,))] or others
    for transition in soon:
        yield (
            transition,
            Schedule(
                transition.became, blocked, schedule.preempted[:-1] if back else schedule.preempted, schedule.left
            ),
        )
    if schedule.left and len(soon) < len(others):
        for transition in others:
            if transition not in soon:
                yield transition, Schedule(transition.became, blocked, schedule.preempted, schedule.left - 1)


def _of_others(ex: Exploration, state: State, agent: Agent | None) -> Iterator[Transition]:
    return (
        transition for other in _agents(ex, state) if other != agent for transition in _transitions(ex, state, other)
    )


def _agents(ex: Exploration, state: State) -> list[Agent]:
    """Threads, copies that moved, and those that did not, if there may be more copies."""
    threads = range(len(ex.work.making.system.threads) - len(ex.representatives))
    moved = [agent for agent, _ in state.groups]
    agents: list[Agent] = [*threads, *moved]
    for number, bits in enumerate(ex.begins):
        if sum(n for (of, _), n in state.groups if of == number) < ex.bounds.copies:
            agents += [(number, b) for b in bits if (number, b) not in moved]
    return agents


def _is_within(ex: Exploration, state: State, agent: Agent) -> bool:
    """Whether somebody is at a location with steps."""
    thread, packed = _whole(ex, state, agent)
    return bool(ex.work.making.system.acts[thread][_place(ex, thread, packed)])


def _whole(ex: Exploration, state: State, agent: Agent) -> tuple[int, int]:
    """The number of a thread, and the packed state with this copy in it."""
    if isinstance(agent, int):
        return agent, state.base
    return ex.representatives[agent[0]].thread, state.base + agent[1]


def _place(ex: Exploration, thread: int, packed: int) -> int:
    slot = ex.work.making.layout.slots[ex.work.making.system.counters[thread]]
    return packed >> slot.shift & slot.mask


def identity_for(ex: Exploration, state: State, agent: Agent) -> int | None:
    """The identity that a copy needs for its next step, and does not have yet: the next one of its family."""
    if isinstance(agent, int):
        return None
    one = ex.representatives[agent[0]]
    here = _place(ex, one.thread, agent[1])
    if one.identity is None or here not in one.reads or agent[1] & _bits_of(one.identity):
        return None
    return state.named[agent[0]] + 1


def _transitions(ex: Exploration, state: State, agent: Agent, further: tuple[Transition, ...] = ()) -> list[Transition]:
    """The steps of somebody from a state, to which `further` steps lead; those that fail are noted."""
    making = ex.work.making
    thread, packed = _whole(ex, state, agent)
    new, named = identity_for(ex, state, agent), state.named
    if new is not None and not isinstance(agent, int):
        one = ex.representatives[agent[0]]
        if new > ex.bounds.copies or one.identity is None:
            return []
        packed += placed(one.identity, one.first + new)
        named = (*named[: agent[0]], new, *named[agent[0] + 1 :])
    mask, known, make = moves_of(making, thread, _place(ex, thread, packed))
    moves = known.get(packed & mask)
    if moves is None:
        moves = ()
        # A run may go on in numbers that have no room.
        with suppress(TooWide):
            moves = known[packed & mask] = make(packed & mask)
        ex.failed += [(question, agent, further) for question in making.hits]
        making.hits.clear()
    return [_moved(ex, state, agent, packed + move, named) for move in moves]


def _moved(ex: Exploration, state: State, agent: Agent, packed: int, named: tuple[int, ...]) -> Transition:
    if isinstance(agent, int):
        return Transition(agent, State(packed, state.groups, named), agent)
    bits = packed & ex.representatives[agent[0]].bits
    became, groups = (agent[0], bits), dict(state.groups)
    if agent in groups:
        groups[agent] -= 1
        if not groups[agent]:
            del groups[agent]
    groups[became] = groups.get(became, 0) + 1
    return Transition(agent, State(packed - bits, tuple(sorted(groups.items())), named), became)
