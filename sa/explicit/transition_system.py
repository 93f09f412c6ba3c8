"""A closed program as one transition system, laid out for searches: nobody but its threads moves (Definition 3).

A state gives each thread a place, as a number, and each variable a value; locals are named `thread.x` as in a
product. A thread's invariant and the ranges of its variables hold before and after every step of any thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import FAIL, Automaton, Edge, Variable
from sa.automata.ranges import within
from sa.automata.rename import apart
from sa.automata.trace import Configuration, Move
from sa.certificates.run import Bad, Ending, Run, Snapshot, Turn
from sa.terms.build import FALSE, TRUE, conjoined, eq, integer, land, variable
from sa.terms.compile import executable
from sa.terms.evaluate import evaluate
from sa.terms.name import at_place
from sa.terms.sort import BOOL, INT, Value
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


class Arc(Struct, frozen=True, eq=False):
    """An edge of thread number `thread` over the names of the whole; `edge` is the thread's own.

    The guard contains the ranges of the choices.
    """

    thread: int
    source: int
    target: int
    edge: Edge
    guard: Term
    updates: Mapping[Var, Term]
    shown: tuple[Term, ...]
    choices: tuple[Variable, ...]


class Whole(Struct, frozen=True, eq=False):
    """`counters` are where the threads are; `order` are they and all variables, the entries of a state.

    `inv` has the conjuncts by thread and place; `arcs` the steps by thread and place. `claim` is over `order`.
    What depends on functions without a body has no value: such steps and such a claim are left out, places with
    such invariants are never reached. `partial` says that something was left out.
    """

    threads: tuple[Automaton, ...]
    counters: tuple[Var, ...]
    variables: tuple[Variable, ...]
    order: tuple[Var, ...]
    start: tuple[int, ...]
    init: Term
    inv: tuple[tuple[tuple[Term, ...], ...], ...]
    arcs: tuple[tuple[tuple[Arc, ...], ...], ...]
    claim: Term
    partial: bool


def whole(threads: tuple[Automaton, ...], bad: Bad) -> Whole:
    """The composition of the threads; without a claim in `bad`, the claim is `true`."""
    separate = tuple(apart(t) for t in threads)
    counters = tuple(variable(f"at {t.name}", INT) for t in threads)
    variables = dict[Var, Variable]()
    for thread in separate:
        for v in thread.variables:
            variables.setdefault(v.var, v)
    order = (*counters, *variables)
    places = [{q.name: i for i, q in enumerate(t.locations)} for t in threads]
    claim = TRUE if bad.claim is None else substitute(bad.claim, meaning(threads, counters, places))
    init = land(*(t.init for t in separate))
    inv = tuple(tuple(invariant_of(t, q.inv) for q in t.locations) for t in separate)
    numbered = enumerate(zip(threads, separate, places, strict=True))
    arcs = tuple(arcs_of(i, thread, renamed, numbers) for i, (thread, renamed, numbers) in numbered)
    kept = tuple(tuple(tuple(a for a in here if _is_executable(a, order)) for here in t) for t in arcs)
    formulas = (claim, init, *(c for here in inv for formulas in here for c in formulas))
    return Whole(
        threads,
        counters,
        tuple(variables.values()),
        order,
        tuple(numbers[t.initial] for t, numbers in zip(threads, places, strict=True)),
        init if executable((init,), order) else FALSE,
        tuple(tuple(c if executable(c, order) else (FALSE,) for c in here) for here in inv),
        kept,
        claim if executable((claim,), order) else TRUE,
        kept != arcs or not executable(formulas, order),
    )


def meaning(
    threads: Sequence[Automaton], counters: Sequence[Var], places: Sequence[Mapping[str, int]]
) -> dict[Var, Term]:
    """What `at T.CS` says in terms of counters."""
    return {
        variable(at_place(t.name, name), BOOL): eq(counter, integer(i))
        for t, counter, numbers in zip(threads, counters, places, strict=True)
        for name, i in numbers.items()
    }


def _names(thread: Automaton, separate: Automaton) -> dict[Var, Var]:
    return {v.var: s.var for v, s in zip(thread.variables, separate.variables, strict=True)}


def invariant_of(thread: Automaton, inv: Term) -> tuple[Term, ...]:
    """The conjuncts of a location's invariant, the ranges of the thread's variables among them."""
    return conjoined((inv, *(within(v) for v in thread.variables)))


def arcs_of(
    index: int, thread: Automaton, separate: Automaton, places: Mapping[str, int]
) -> tuple[tuple[Arc, ...], ...]:
    """The edges of thread number `index` by place; `separate` is the thread over the names of the whole."""
    by_place: list[list[Arc]] = [[] for _ in thread.locations]
    for edge, renamed in zip(thread.edges, separate.edges, strict=True):
        source, target = places[edge.source], places[edge.target]
        guard = land(renamed.guard, *(within(c) for c in renamed.choices))
        shown = renamed.label.values if renamed.label else ()
        by_place[source].append(Arc(index, source, target, edge, guard, dict(renamed.updates), shown, renamed.choices))
    return tuple(tuple(arcs) for arcs in by_place)


def _is_executable(arc: Arc, order: tuple[Var, ...]) -> bool:
    return executable((arc.guard, *arc.updates.values(), *arc.shown), (*order, *(c.var for c in arc.choices)))


def is_bad(w: Whole, bad: Bad, arc: Arc) -> bool:
    """Whether taking the step is what must not happen."""
    wanted = bad.failing
    if wanted is None or arc.edge.label is None or arc.edge.label.action != FAIL:
        return False
    return wanted.thread in (None, w.threads[arc.thread].name) and wanted.edge in (None, arc.edge)


def run_of(
    threads: Sequence[Automaton],
    start: Mapping[Var, Value],
    script: Sequence[tuple[Arc, Sequence[Value]]],
    ending: Ending,
) -> Run:
    """The run from values of the whole's variables along steps with the values of their choices, evaluated."""
    own = {t.name: _names(t, apart(t)) for t in threads}
    shared = {v: start[v] for names in own.values() for v, name in names.items() if v is name}
    configurations = {
        t.name: Configuration(t.initial, {v: start[name] for v, name in own[t.name].items()}) for t in threads
    }
    here = first = Snapshot(shared, configurations)
    turns = list[Turn]()
    for arc, picked in script:
        choices = {c.var: x for c, x in zip(arc.edge.choices, picked, strict=True)}
        turns.append(turn_of(threads[arc.thread].name, arc.edge, choices, here))
        here = turns[-1].after
    return Run(first, tuple(turns), ending)


def turn_of(name: str, edge: Edge, choices: Mapping[Var, Value], here: Snapshot) -> Turn:
    """A step of a thread with these choices. Each thread has the shared variables that it knows."""
    values = here.threads[name].values
    before = {**values, **choices}
    after = Configuration(edge.target, {**values, **{v: evaluate(t, before) for v, t in edge.updates}})
    shared = {v: after.values.get(v, x) for v, x in here.shared.items()}
    threads = {
        other: after
        if other == name
        else Configuration(there.location, {**there.values, **{v: shared[v] for v in there.values if v in shared}})
        for other, there in here.threads.items()
    }
    shown = tuple(evaluate(t, before) for t in edge.label.values) if edge.label else ()
    return Turn(name, Move(edge, choices, after), shown, Snapshot(shared, threads))
