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
from sa.automata.trace import Configuration
from sa.certificates.run import Bad, Ending, Run, Snapshot, Turn, turn_of
from sa.terms.build import FALSE, TRUE, conjoined, eq, integer, land, variable
from sa.terms.compile import executable
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


class Joined(Struct, frozen=True, eq=False):
    """Threads side by side, `separate` with names of their own. `words` say what `at T.CS` is in terms of counters.

    `inv` has the conjuncts by thread and place; `arcs` the steps by thread and place.
    """

    separate: tuple[Automaton, ...]
    counters: tuple[Var, ...]
    variables: Mapping[Var, Variable]
    start: tuple[int, ...]
    words: Mapping[Var, Term]
    inv: tuple[tuple[tuple[Term, ...], ...], ...]
    arcs: tuple[tuple[tuple[Arc, ...], ...], ...]

    @property
    def order(self) -> tuple[Var, ...]:
        """The entries of a state."""
        return (*self.counters, *self.variables)


def joined(threads: tuple[Automaton, ...]) -> Joined:
    """The threads over the names of the whole."""
    separate = tuple(apart(t) for t in threads)
    counters = tuple(variable(f"at {t.name}", INT) for t in threads)
    variables = dict[Var, Variable]()
    for v in (v for t in separate for v in t.variables):
        variables.setdefault(v.var, v)
    places = [{q.name: i for i, q in enumerate(t.locations)} for t in threads]
    words: dict[Var, Term] = {
        variable(at_place(t.name, name), BOOL): eq(counter, integer(i))
        for t, counter, numbers in zip(threads, counters, places, strict=True)
        for name, i in numbers.items()
    }
    inv = tuple(tuple(_invariant(t, q.inv) for q in t.locations) for t in separate)
    start = tuple(numbers[t.initial] for t, numbers in zip(threads, places, strict=True))
    each = enumerate(zip(threads, separate, places, strict=True))
    arcs = tuple(arcs_of(i, thread, renamed, numbers) for i, (thread, renamed, numbers) in each)
    return Joined(separate, counters, variables, start, words, inv, arcs)


def whole(threads: tuple[Automaton, ...], bad: Bad) -> Whole:
    """The composition of the threads; without a claim in `bad`, the claim is `true`."""
    made = joined(threads)
    order = made.order
    claim = TRUE if bad.claim is None else substitute(bad.claim, made.words)
    init = land(*(t.init for t in made.separate))
    kept = tuple(tuple(tuple(a for a in here if _is_executable(a, order)) for here in t) for t in made.arcs)
    formulas = (claim, init, *(c for here in made.inv for formulas in here for c in formulas))
    return Whole(
        threads,
        made.counters,
        tuple(made.variables.values()),
        order,
        made.start,
        init if executable((init,), order) else FALSE,
        tuple(tuple(c if executable(c, order) else (FALSE,) for c in here) for here in made.inv),
        kept,
        claim if executable((claim,), order) else TRUE,
        kept != made.arcs or not executable(formulas, order),
    )


def _names(thread: Automaton, separate: Automaton) -> dict[Var, Var]:
    return {v.var: s.var for v, s in zip(thread.variables, separate.variables, strict=True)}


def _invariant(thread: Automaton, inv: Term) -> tuple[Term, ...]:
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


def fails(bad: Bad, thread: str, arc: Arc) -> bool:
    """Whether a step of the thread is what must not happen."""
    wanted, label = bad.failing, arc.edge.label
    if wanted is None or label is None or label.action != FAIL:
        return False
    return wanted.thread in (None, thread) and wanted.edge in (None, arc.edge)


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
