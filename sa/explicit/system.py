"""A closed program as the explicit search steps it: only what can matter to the questions is kept in a state.

A variable is kept where something reads it before it is written: guards, choices, invariants that a step could
break, what becomes of kept variables, and the questions. Locals are kept location by location, globals
everywhere or nowhere. States that agree on what is kept have the same runs as far as the questions can tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton, Kind, Variable
from sa.automata.ranges import within
from sa.certificates.run import Bad
from sa.explicit.transition_system import Arc, fails, joined
from sa.terms.build import conjuncts, eq, integer, land, lor
from sa.terms.compile import executable
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: The conjuncts of invariants by thread and place.
Invariants = tuple[tuple[tuple[Term, ...], ...], ...]


class Act(Struct, frozen=True, eq=False):
    """A step over counters and the names of the whole: where `condition` holds before it, `updates` happen.

    The condition contains all tests of invariants after the step. The counter of the thread is not among the updates.
    `forgotten` are locals that no longer matter behind it. Choices that do not matter are left out. `bads` are the
    numbers of the questions that the step fails.
    """

    arc: Arc
    condition: Term
    updates: Mapping[Var, Term]
    choices: tuple[Variable, ...]
    forgotten: frozenset[Var]
    bads: tuple[int, ...]

    @property
    def reads(self) -> frozenset[Var]:
        """What the condition and the new values depend on."""
        chosen = {c.var for c in self.choices}
        return self.condition.free.union(*(t.free for t in self.updates.values())) - chosen


class System(Struct, frozen=True, eq=False):
    """Threads laid out for a search about `bads`.

    `kept` are the locals that matter, by thread and place, `shared` the globals and parameters that do. `acts` are by
    thread and place. `claims` are over counters and variables, None where a question has none. `start` are the
    places at the beginning, `init` what holds there. `partial`: some step depends on functions and was left out.
    """

    threads: tuple[Automaton, ...]
    bads: tuple[Bad, ...]
    counters: tuple[Var, ...]
    variables: Mapping[Var, Variable]
    shared: frozenset[Var]
    kept: tuple[tuple[frozenset[Var], ...], ...]
    acts: tuple[tuple[tuple[Act, ...], ...], ...]
    claims: tuple[Term | None, ...]
    start: tuple[int, ...]
    init: Term
    partial: bool


def system(threads: tuple[Automaton, ...], bads: Sequence[Bad]) -> System:
    """The composition of the threads, as far as it matters to whether something bad happens."""
    made = joined(threads)
    counters, variables, inv = made.counters, made.variables, made.inv
    claims = tuple(None if b.claim is None else substitute(b.claim, made.words) for b in bads)
    landings = {a: _landing(a, inv, counters) for by_place in made.arcs for here in by_place for a in here}
    spoken = _spoken(made.separate, counters, [c for c in claims if c is not None])
    shared, kept = _kept(made.separate, made.arcs, landings, spoken, variables)
    acts_of = {a: _act(a, landing, shared, kept, bads, threads) for a, landing in landings.items()}
    all_acts = tuple(tuple(tuple(acts_of[a] for a in here) for here in t) for t in made.arcs)
    acts = tuple(tuple(tuple(a for a in here if _is_executable(a, made.order)) for here in t) for t in all_acts)
    begun = (c for places, i in zip(inv, made.start, strict=True) for c in places[i])
    init = land(*(t.init for t in made.separate), *begun)
    return System(
        threads, tuple(bads), counters, variables, shared, kept, acts, claims, made.start, init, acts != all_acts
    )  # fmt: skip


def _landing(arc: Arc, inv: Invariants, counters: tuple[Var, ...]) -> Term:
    """What invariants ask of the state before a step, so that they hold after it.

    What held before and mentions nothing that is written still holds.
    """
    own, before, written = inv[arc.thread][arc.target], inv[arc.thread][arc.source], arc.updates.keys()
    due = [c for c in own if c not in before or not c.free.isdisjoint(written)]
    for thread, places in enumerate(inv):
        if thread != arc.thread:
            for formula in dict.fromkeys(c for formulas in places for c in formulas):
                if formula in own or formula.free.isdisjoint(written):
                    continue
                elsewhere = [eq(counters[thread], integer(i)) for i, there in enumerate(places) if formula not in there]
                due.append(lor(formula, *elsewhere))
    return substitute(land(*due), dict(arc.updates))


def _spoken(
    separate: Sequence[Automaton], counters: Sequence[Var], claims: Sequence[Term]
) -> tuple[tuple[frozenset[Var], ...], ...]:
    """What claims speak of while a thread is at a place: of a thread that waits there, what it waits for."""
    return tuple(
        tuple(
            frozenset[Var]().union(*(substitute(c, {counter: integer(place)}).free for c in claims))
            for place in range(len(thread.locations))
        )
        for thread, counter in zip(separate, counters, strict=True)
    )


def _kept(
    separate: Sequence[Automaton],
    arcs: Sequence[Sequence[Sequence[Arc]]],
    landings: Mapping[Arc, Term],
    spoken: Sequence[Sequence[frozenset[Var]]],
    variables: Mapping[Var, Variable],
) -> tuple[frozenset[Var], tuple[tuple[frozenset[Var], ...], ...]]:
    """Globals that matter, and locals by thread and place: the least sets that contain what is read of them."""
    owner = {v.var: i for i, t in enumerate(separate) for v in t.variables if v.kind is Kind.LOCAL}
    shared = {v for by_place in spoken for here in by_place for v in here if v in variables and v not in owner}
    kept = [[{v for v in here if owner.get(v) == i} for here in by_place] for i, by_place in enumerate(spoken)]

    def read(arc: Arc) -> Iterator[Var]:
        after = kept[arc.thread][arc.target] | shared
        terms = (arc.guard, landings[arc], *(t for v, t in arc.updates.items() if v in after))
        yield from (v for t in terms for v in t.free if v in variables)
        yield from (v for v in kept[arc.thread][arc.target] if v not in arc.updates)

    changed = True
    while changed:
        changed = False
        for arc in (a for by_place in arcs for here in reversed(by_place) for a in here):
            for v in list(read(arc)):
                if v not in owner:
                    homes = [shared]
                elif owner[v] == arc.thread:
                    homes = [kept[arc.thread][arc.source]]
                else:
                    homes = kept[owner[v]]
                for home in homes:
                    if v not in home:
                        home.add(v)
                        changed = True
    return frozenset(shared), tuple(tuple(map(frozenset, by_place)) for by_place in kept)


def _act(
    arc: Arc,
    landing: Term,
    shared: frozenset[Var],
    kept: Sequence[Sequence[frozenset[Var]]],
    bads: Sequence[Bad],
    threads: Sequence[Automaton],
) -> Act:
    before, after = kept[arc.thread][arc.source], kept[arc.thread][arc.target]
    updates = {v: t for v, t in arc.updates.items() if v in shared or v in after}
    ranges = {c: conjuncts(within(c)) for c in arc.choices}
    idle = {f for formulas in ranges.values() for f in formulas}
    asked = [f for f in conjuncts(arc.guard) if f not in idle]
    read = frozenset[Var]().union(landing.free, *(t.free for t in (*asked, *updates.values())))
    choices = tuple(c for c in arc.choices if c.var in read)
    condition = land(*asked, *(f for c in choices for f in ranges[c]), landing)
    failed = tuple(i for i, bad in enumerate(bads) if fails(bad, threads[arc.thread].name, arc))
    return Act(arc, condition, updates, choices, before - after, failed)


def _is_executable(act: Act, order: tuple[Var, ...]) -> bool:
    return executable((act.condition, *act.updates.values()), (*order, *(c.var for c in act.choices)))
