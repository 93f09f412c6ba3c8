"""Concrete runs of copies with identities from runs in which copies are only counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind
from sa.automata.family import copies, symbolic_name
from sa.automata.rename import apart, own_local
from sa.base.budget import Budget, Event, Report
from sa.certificates.families import CrowdRun, bads_of_copies
from sa.certificates.run import Bad, Ending, Run
from sa.explicit.context_bounding import (
    Bounds,
    Exploration,
    Transition,
    Violation,
    explored,
    identity_for,
    is_of_one,
    system_of,
)
from sa.explicit.evidence import start_of, value_in_state
from sa.explicit.instantiate import Row, extensions, picks
from sa.explicit.moves import WAYS
from sa.explicit.search import Search, found_by
from sa.explicit.transition_system import Arc, arcs_of, fails, run_of
from sa.question.asked import Asked, Refuted
from sa.terms.build import variable
from sa.terms.evaluate import Unevaluable, evaluate, holds
from sa.terms.sort import INT, Value
from sa.terms.term import Var

BOUNDS = (
    Bounds(1, 200, 8, 4_000),
    Bounds(2, 200, 8, 20_000),
    Bounds(1, 3_000, 300, 20_000),
    Bounds(2, 3_000, 300, 100_000),
    Bounds(3, 3_000, 300, 100_000),
)

#: Several families have few copies each: how many there are of one says which identities those of the next have.
SEVERAL = 32

#: Steps of a run times its threads, since each step tells the state of all of them.
MOST = 400_000


def by_few_preemptions(asked: Asked, budget: Budget, report: Report) -> Iterator[Refuted]:
    """Runs with few preemptions, with as many copies as they need. Raises LimitReached."""
    left = [b for b in asked.bads if is_of_one(b, asked.families)]
    for bounds in BOUNDS:
        if not left:
            return
        if len(asked.families) > 1:
            bounds = replace(bounds, copies=min(bounds.copies, SEVERAL))
        report(Event("few preemptions", {"preemptions": bounds.preemptions, "copies": bounds.copies}))
        open_ = replace(asked, bads=tuple(left))
        for ex, found in explored(system_of(open_), asked.families, bounds, budget.bounds):
            bad = open_.bads[found.question]
            evidence = _concretized(open_, bad, ex, found)
            if evidence is not None:
                left.remove(bad)
                yield Refuted(bad, evidence, _words(evidence, bounds))


def _words(evidence: Run | CrowdRun, bounds: Bounds) -> str:
    run, number = (evidence, 0) if isinstance(evidence, Run) else (evidence.run, sum(evidence.counts))
    steps = len(run.turns)
    copied = f" with {number} cop{'y' if number == 1 else 'ies'}" if number else ""
    return f"a run of {steps} step{'' if steps == 1 else 's'}{copied}, at most {bounds.preemptions} preemptions"


class _Copy(Struct, eq=False):
    """A copy that has moved: the bits that it began with and has now, and which one it is of its family, once known."""

    family: int
    begun: int
    bits: int
    number: int = 0


class _Interleaving(Struct, frozen=True):
    """A run by who moves: threads by their numbers, and copies. `fails` is who fails at its end, if anybody."""

    movers: tuple[int | _Copy, ...]
    fails: int | _Copy | None
    counts: tuple[int, ...]
    members: tuple[_Copy, ...]


def _concretized(asked: Asked, bad: Bad, ex: Exploration, found: Violation) -> Run | CrowdRun | None:
    """The run with identities; None where it is too long, or where what the search left out has no values."""
    interleaving = _with_identities(ex, found)
    if len(found.transitions) * (len(asked.threads) + sum(interleaving.counts)) > MOST:
        return None
    instance = _Instance(asked, ex, interleaving, (*asked.threads, *copies(asked.families, interleaving.counts)))
    try:
        run = _replayed(instance, bad, found)
    except Unevaluable:
        return None
    return run if run is None or not asked.families else CrowdRun(interleaving.counts, run)


def _with_identities(ex: Exploration, found: Violation) -> _Interleaving:
    """Who moves: of the copies that are alike one that has moved before, or a new one."""
    members, movers, state = list[_Copy](), list[int | _Copy](), found.start
    agents = [*(w.agent for w in found.transitions), *(() if found.failing is None else (found.failing,))]
    for number, agent in enumerate(agents):
        if isinstance(agent, int):
            movers.append(agent)
        else:
            alike = (m for m in members if (m.family, m.bits) == agent)
            mover = next(alike, None) or _Copy(agent[0], agent[1], agent[1])
            members += () if mover in members else (mover,)
            mover.number = identity_for(ex, state, agent) or mover.number
            movers.append(mover)
            if number < len(found.transitions) and not isinstance(became := found.transitions[number].became, int):
                mover.bits = became[1]
        state = found.transitions[number].after if number < len(found.transitions) else state
    fails_ = movers.pop() if found.failing is not None else None
    of = [[m for m in members if m.family == family] for family in range(len(ex.representatives))]
    for own in of:
        free = iter(sorted(set(range(1, len(own) + 1)) - {m.number for m in own}))
        for m in own:
            m.number = m.number or next(free)
    several = len(of) > 1
    counts = tuple(ex.bounds.copies if several else len(own) for own in of)
    return _Interleaving(tuple(movers), fails_, counts, tuple(members))


class _Instance(Struct, frozen=True, eq=False):
    """What a run is played on: the threads and the copies that there are."""

    asked: Asked
    ex: Exploration
    interleaving: _Interleaving
    threads: tuple[Automaton, ...]

    def index(self, mover: int | _Copy) -> int:
        """The number of a thread or a copy among all."""
        if isinstance(mover, int):
            return mover
        return len(self.asked.threads) + sum(self.interleaving.counts[: mover.family]) + mover.number - 1


def _replayed(instance: _Instance, bad: Bad, found: Violation) -> Run | None:
    """The run on values, step by step as the search saw it. Raises Unevaluable."""
    search, here = found_by(instance.ex.work), _initial(instance, found)
    if here is None:
        return None
    start, script, arcs = dict(here), list[tuple[Arc, Row]](), dict[int, tuple[tuple[Arc, ...], ...]]()
    for mover, transition in zip(instance.interleaving.movers, found.transitions, strict=True):
        wanted = _values(instance, search, mover, transition)
        taken = _steps(instance, arcs, search, mover, here)
        step = next((x for x in taken if all(x[2].get(v, here[v]) == value for v, value in wanted.items())), None)
        if step is None:
            return None
        script.append((step[0], step[1]))
        here.update(step[2])
    if instance.interleaving.fails is None:
        return run_of(instance.threads, start, script, Ending.VIOLATED)
    name = instance.threads[instance.index(instance.interleaving.fails)].name
    once = bads_of_copies(bad, instance.asked.families, instance.interleaving.counts)
    for arc, row, _ in _steps(instance, arcs, search, instance.interleaving.fails, here):
        if any(fails(one, name, arc) for one in once):
            return run_of(instance.threads, start, [*script, (arc, row)], Ending.FAILED)
    return None


def _initial(instance: _Instance, found: Violation) -> dict[Var, Value] | None:
    """Initial values of everything: each copy has those that its first bits stand for."""
    search, here = found_by(instance.ex.work), dict[Var, Value]()
    first = {m: instance.ex.begins[m.family][m.begun] for m in instance.interleaving.members}
    usual = [next(iter(b.values())) for b in instance.ex.begins]
    states = {*first.values(), *usual} or {found.start.base}
    values = {state: start_of(search, state) for state in states}
    if any(v is None for v in values.values()):
        return None
    by_index = {instance.index(m): state for m, state in first.items()}
    some = values[next(iter(states))]
    assert some is not None
    for number, thread in enumerate(instance.threads):
        family = _family_of(instance, number)
        known = some if family is None else values[by_index.get(number, usual[family])]
        name = thread.name if family is None else symbolic_name(instance.asked.families[family], 1)
        assert known is not None
        for v in thread.variables:
            named = own_local(name, v.var) if v.kind is Kind.LOCAL else v.var
            here[own_local(thread.name, v.var) if v.kind is Kind.LOCAL else v.var] = known[named]
    counters = (variable(f"at {t.name}", INT) for t in instance.threads)
    here.update((c, _place(t, t.initial)) for c, t in zip(counters, instance.threads, strict=True))
    return here


def _place(thread: Automaton, name: str) -> int:
    return next(i for i, q in enumerate(thread.locations) if q.name == name)


def _family_of(instance: _Instance, number: int) -> int | None:
    """The family of a thread by its number among all."""
    number -= len(instance.asked.threads)
    for family, size in enumerate(instance.interleaving.counts):
        if 0 <= number < size:
            return family
        number -= size
    return None


def _values(instance: _Instance, search: Search, mover: int | _Copy, transition: Transition) -> dict[Var, Value]:
    """What a step makes of the shared variables and of what the one who moved has, as far as the search knows it."""
    s, thread = search.system, instance.threads[instance.index(mover)]
    own = mover if isinstance(mover, int) else instance.ex.representatives[mover.family].thread
    packed = transition.after.base + (0 if isinstance(transition.became, int) else transition.became[1])
    counter, slot = s.counters[own], search.layout.slots[s.counters[own]]
    place = packed >> slot.shift & slot.mask
    found: dict[Var, Value] = {v: value_in_state(search, packed, v) for v in s.shared}
    found[variable(f"at {thread.name}", counter.sort)] = place
    for v in thread.variables:
        named = own_local(s.threads[own].name, v.var)
        if v.kind is Kind.LOCAL and named in s.kept[own][place]:
            found[own_local(thread.name, v.var)] = value_in_state(search, packed, named)
    return found


def _steps(
    instance: _Instance,
    arcs: dict[int, tuple[tuple[Arc, ...], ...]],
    search: Search,
    mover: int | _Copy,
    here: Mapping[Var, Value],
) -> Iterator[tuple[Arc, Row, dict[Var, Value]]]:
    """The steps of a thread or a copy, with what they change."""
    index = instance.index(mover)
    thread, counter = instance.threads[index], variable(f"at {instance.threads[index].name}", INT)
    if index not in arcs:
        arcs[index] = arcs_of(index, thread, apart(thread), {q.name: i for i, q in enumerate(thread.locations)})
    place = here[counter]
    assert isinstance(place, int)
    for arc in arcs[index][place]:
        given = tuple(v for v in here if v in arc.guard.free)
        how = picks(arc.guard, given, arc.choices, search.pool, WAYS) if arc.choices else None
        for row in ((),) if how is None else extensions(how, tuple(here[v] for v in given), WAYS)[0]:
            scope = {**here, **dict(zip((c.var for c in arc.choices), row, strict=True))}
            if holds(arc.guard, scope):
                yield arc, row, {**{v: evaluate(t, scope) for v, t in arc.updates.items()}, counter: arc.target}
