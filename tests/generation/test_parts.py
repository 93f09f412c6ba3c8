"""The parts of generation one by one: order, visibility, closures, relations, questions, another domain."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from sa.automata.automaton import Automaton, Edge, Kind, Location, Origin, variables_of
from sa.automata.rename import apart
from sa.base.limits import Limits
from sa.domains.frame import Frame
from sa.generation.algorithm_1_reach import reach
from sa.generation.checks import verify
from sa.generation.closure import closure_of
from sa.generation.environment import environment_of, keeps, relation_of
from sa.generation.generate import Generated, automata, changes, generate, strengthened
from sa.generation.modular import Allowed
from sa.generation.order import order_of
from sa.generation.steady import steady
from sa.generation.visibility import Level, exposed
from sa.language.load import load_program
from sa.smt.horn import NoSolution
from sa.smt.session import Session
from sa.terms import build
from sa.terms.build import conjuncts, land
from sa.terms.overapproximate import shadow
from sa.terms.substitute import primed, substitute
from tests.domains.intervals import Intervals
from tests.generation.exploring import reached_together
from tests.generators.drafts import random_guard, ranged
from tests.generators.threads import random_threads
from tests.oracle.explicit import explicit
from tests.oracle.formula import predicate
from tests.parts import for_each

NOWHERE = Origin(None)


def random_graph(rng: Random) -> Automaton:
    """Locations and edges, nothing else."""
    size = rng.randint(1, 9)
    pairs = [(rng.randrange(size), rng.randrange(size)) for _ in range(rng.randint(0, 2 * size))]
    edges = tuple(Edge(f"q{a}", f"q{b}", None, build.TRUE, (), (), NOWHERE) for a, b in pairs)
    places = tuple(Location(f"q{i}", build.TRUE, None, NOWHERE) for i in range(size))
    return Automaton("G", (), places, "q0", build.TRUE, edges, NOWHERE)


@for_each("seed", range(300))
def test_every_cycle_goes_through_a_head_and_back_edges_lead_to_heads(seed: int) -> None:
    """Without the heads the reachable part is in the order of its edges, so there is no cycle."""
    graph = random_graph(Random(seed))
    order = order_of(graph)
    reached = {"q0"}
    while more := {e.target for e in graph.edges if e.source in reached} - reached:
        reached |= more
    assert set(order.position) == reached
    for edge in graph.edges:
        if edge.source in reached and edge.target not in order.heads:
            assert order.position[edge.source] < order.position[edge.target]


@for_each("seed", range(40))
@pytest.mark.parametrize("level", [Level.LOCATIONS, Level.LOCALS])
def test_without_its_ghosts_an_exposed_program_is_the_program(seed: int, level: Level) -> None:
    """Guards and updates are the same; what was added speaks of ghosts."""
    threads = random_threads(seed, related=True)
    shown = exposed(threads, level)
    ghosts = tuple(shown.counters.values())
    for thread, made in zip(threads, shown.threads, strict=True):
        own = variables_of(thread, Kind.LOCAL)
        called = [v.var for v in made.variables if v.ghost and v.var.name.startswith(f"{thread.name}_")]
        names = dict(zip(called, own, strict=True)) if level is Level.LOCALS else {}
        assert [(e.source, e.target) for e in made.edges] == [(e.source, e.target) for e in thread.edges]
        for before, after in zip(thread.edges, made.edges, strict=True):
            updates = [(names.get(v, v), substitute(t, names)) for v, t in after.updates if v not in ghosts]
            assert substitute(after.guard, names) is before.guard and tuple(updates) == before.updates
        for place, there in zip(thread.locations, made.locations, strict=True):
            kept = land(*(c for c in conjuncts(there.inv) if c.free.isdisjoint(ghosts)))
            assert substitute(kept, names) is place.inv


@for_each("seed", range(40))
def test_closures_are_reflexive_transitive_and_contain_every_change(seed: int) -> None:
    """All three by the solver."""
    session, known = Session(Limits()), generate(random_threads(seed, related=True), Level.HIDDEN, Limits())
    for thread in known.exposure.threads:
        shared = variables_of(thread, Kind.GLOBAL)
        others = [c for name, found in changes(known).items() if name != thread.name for c in found]
        closure = closure_of(session, others, shared, build.TRUE)
        first = {v: primed(v) for v in shared}
        second = {primed(v): primed(primed(v)) for v in shared}
        assert substitute(closure, {primed(v): v for v in shared}) is build.TRUE
        later = substitute(substitute(closure, second), first)
        assert session.implied(substitute(closure, second), (closure, later))
        assert all(session.implied(closure, (relation_of(c, shared),)) for c in others)
        assert all(keeps(session, c, closure, shared) for c in others)
        assert session.implied(closure, (environment_of(others, shared),))


@for_each("seed", range(200))
def test_a_shadow_follows_and_does_not_mention_what_is_hidden(seed: int) -> None:
    """By enumeration over small values."""
    rng = Random(seed)
    scope = tuple(ranged(n, Kind.LOCAL, 2) for n in "wxyz")
    parts = [build.lor(random_guard(rng, scope), random_guard(rng, scope)) for _ in range(4)]
    formula = build.land(*parts, *(random_guard(rng, scope) for _ in range(2)))
    hidden = [v.var for v in scope[: rng.choice((1, 2))]]
    found = shadow(formula, hidden)
    assert found.free.isdisjoint(hidden)
    order = [v.var for v in scope]
    holds, seen = predicate(formula, order), predicate(found, order)
    assert all(seen(row) for row in product(range(3), repeat=4) if holds(row))


def test_what_gcd_needs_is_found_and_what_is_wrong_is_not() -> None:
    """Thread 2 leaves `b` alone unless it is the larger one; it does not always leave it alone."""
    threads = load_program("specs/closed/gcd/conc.sa").program.threads
    known = generate(threads, Level.HIDDEN, Limits())
    a, b = build.variable("a"), build.variable("b")
    still = build.eq(primed(a), a), build.eq(primed(b), b)
    fact = build.land(still[0], build.lor(build.lt(a, b), still[1]))
    found = strengthened(known, [Allowed("T2", fact)], {"T1": (fact,)}, Limits())
    assert isinstance(found, Generated)
    verify(Session(Limits()), automata(found))
    assert all(set(build.conjuncts(fact)) <= set(build.conjuncts(q.env)) for q in automata(found)[0].locations if q.env)
    assert isinstance(strengthened(known, [Allowed("T2", still[1])], {"T1": still}, Limits()), NoSolution)


@pytest.mark.parametrize("related", [False, True])
@for_each("seed", range(40))
def test_single_boxes_can_stand_in_for_boxes(seed: int, related: bool) -> None:
    """The fixed point is sound with intervals too."""
    threads = random_threads(seed, related)
    separate = tuple(apart(t) for t in threads)
    choices = (c.var for t in separate for e in t.edges for c in e.choices)
    variables = dict.fromkeys((*(v.var for t in separate for v in t.variables), *choices))
    domain = Intervals(Frame(tuple(variables)))
    run = reach(domain, separate, build.land(*(t.init for t in separate)), Limits())
    views = reached_together(threads, 4000)
    assert views is not None
    for thread, values, view in zip(separate, run.values, views, strict=True):
        order = explicit(thread).order
        for state in view:
            assert predicate(domain.to_formula(values[state.location]), order)(state.row)


@pytest.mark.parametrize("related", [False, True])
@for_each("seed", range(60))
def test_steady_closures_pass_all_checks(seed: int, related: bool) -> None:
    """Coarse environments, and invariants that are stable in them all the same."""
    session, known = Session(Limits()), generate(random_threads(seed, related), Level.HIDDEN, Limits())
    verify(session, steady(session, automata(known, session), automata(known)))


def test_random_programs_are_of_all_kinds() -> None:
    """Otherwise the tests on them would say little."""
    found = [random_threads(seed, related=True) for seed in range(60)]
    assert {len(threads) for threads in found} == {2, 3, 4}
    assert any(variables_of(t, Kind.LOCAL) for threads in found for t in threads)
    assert any(e.choices for threads in found for t in threads for e in t.edges)
