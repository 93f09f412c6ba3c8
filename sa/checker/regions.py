"""Regions: infinitely many pairs of states from which Spoiler wins by one step (THEORY section 4).

For all states of a region at once: the step can be made, and every answer breaks ι or ends in a region that comes after
it. A region leads to others that are parts of it as data, so there is no circle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sa.certificates.goal import iota_of
from sa.certificates.play import Exhausted, Region, Silent
from sa.checker.absence import absence
from sa.checker.obligation import Case, Obligation, discharge
from sa.checker.passed import Answering, passed_ends, passed_faults
from sa.checker.path import step
from sa.checker.replay import Replay
from sa.checker.ruling import Failure, Rejected, failing
from sa.checker.side import invariant, renamed, state_variables, within
from sa.checker.symbolic import Front, Query, fronts
from sa.terms.build import FALSE, conjoined, conjuncts, lnot
from sa.terms.sort import BOOL
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var, has_quantifiers, sort_of


def region_faults(r: Replay, region: Region) -> Iterator[Failure]:
    """What is wrong with a region and those that it leads to; each is looked at once. Raises NotEnumerable."""
    pending = [region]
    while pending:
        here = pending.pop()
        if ("region", id(here)) in r.closures:
            continue
        r.closures.add(("region", id(here)))
        where = f"({here.concrete}, {here.abstract})"
        fault = _fault(r, here)
        if fault is not None:
            yield Rejected("region", fault, where)
            continue
        yield from silent_faults(r, here.silent)
        yield from _lost(r, here, where)
        pending.extend(here.then)


def _fault(r: Replay, region: Region) -> str | None:
    """Why a region does not say what it should."""
    if region.concrete not in r.concrete.locations or region.abstract not in r.abstract.locations:
        return "a location does not exist"
    edges = r.goal.concrete.edges
    if type(region.edge) is not int or not 0 <= region.edge < len(edges):
        return "the step does not exist"
    edge = edges[region.edge]
    if edge.source != region.concrete:
        return "the step does not leave the location"
    both = _both(r)
    if sort_of(region.states) != BOOL or not region.states.free <= both or has_quantifiers(region.states):
        return "its states are not given by a formula over the variables of both sides"
    if {v for v, _ in region.choices} != {c.var for c in edge.choices} or len(region.choices) != len(edge.choices):
        return "a step must give a value to each choice and to nothing else"
    if any(sort_of(t) != v.sort or not t.free <= both or has_quantifiers(t) for v, t in region.choices):
        return "a choice is not given over the variables of both sides"
    if region.passed and any(not t.free.isdisjoint(state_variables(r.abstract)) for _, t in region.choices):
        return "a choice depends on abstract variables, which change while the step is answered"
    return None


def _both(r: Replay) -> frozenset[Var]:
    sides = (r.concrete, r.abstract)
    return frozenset(v for s in sides for v in (*s.params, *state_variables(s)))


def _lost(r: Replay, region: Region, where: str) -> Iterator[Failure]:
    edge = r.goal.concrete.edges[region.edge]
    iota = conjuncts(iota_of(r.goal))
    own = (*invariant(r.concrete, region.concrete), *invariant(r.abstract, region.abstract))
    given = conjoined((region.states, *iota, *own))
    taken, chosen = step(r.concrete, edge), dict(region.choices)
    possible = Case((), renamed(taken.conditions, chosen))
    yield from failing(discharge(r.session, frozenset(), Obligation("region, step", where, given, (possible,))))
    values: dict[Var, Term] = {v: substitute(t, chosen) for v, t in taken.after.items()}
    shown = None
    if taken.label is not None:
        terms = tuple(substitute(t, chosen) for t in taken.label.values)
        shown = (taken.label.action, tuple(sort_of(t).name for t in terms), terms)
    order = tuple(v.var for v in r.abstract.automaton.variables)
    if region.passed:
        # In the end the abstract variables have other values than before.
        known = tuple(g for g in given if g.free <= {*r.concrete.params, *state_variables(r.concrete)})
        yield from passed_faults(r, region.passed, Answering(region.abstract, given, shown, known))
        ends = passed_ends(r, region.passed)
    else:
        known, first = given, Front(region.abstract, shown is None, order, ())
        ends = fronts(r.session, r.abstract, first, Query(shown, _both(r), given), region.silent)
    others = dict[str, list[Term]]()
    for then in region.then:
        if then.concrete == edge.target:
            others.setdefault(then.abstract, []).append(then.states)
    for front in ends:
        after = r.after({**values, **dict(zip(order, front.values, strict=True))})
        beyond = (lnot(after(states)) for states in others.get(front.location, ()))
        formulas = (*known, *front.conditions, *map(after, iota), *beyond)
        yield from failing(absence(r.session, "region, answers", where, formulas, (), Exhausted.SOLVER))


def silent_faults(r: Replay, silent: Sequence[Silent]) -> Iterator[Failure]:
    """What is wrong with what is said of silent abstract steps: it must hold of none, and of one more after any."""
    if not silent or ("silent", silent) in r.closures:
        return
    r.closures.add(("silent", silent))
    a = r.abstract
    own = {*a.params, *state_variables(a)}
    seen = {*own, *(primed(v) for v in state_variables(a))}
    told = {(s.source, s.target): s.relation for s in silent}
    fault = None
    if len(told) < len(silent) or any(q not in a.locations for pair in told for q in pair):
        fault = "a location does not exist, or a pair of them occurs twice"
    elif any(sort_of(f) != BOOL or not f.free <= seen or has_quantifiers(f) for f in told.values()):
        fault = "a relation is not one between abstract states"
    if fault is not None:
        yield Rejected("silent steps", fault)
        return
    later: dict[Var, Term] = {v: primed(v) for v in state_variables(a)}
    for source in dict.fromkeys(s.source for s in silent):
        stays = {primed(v): v for v in state_variables(a)}
        none = Case((), renamed((told.get((source, source), FALSE),), stays))
        begun = Obligation("silent steps, none", source, invariant(a, source), (none,))
        yield from failing(discharge(r.session, frozenset(), begun))
        for (first, middle), relation in told.items():
            if first != source:
                continue
            for number, edge in a.outgoing[middle]:
                if edge.label is None:
                    inside = (edge.guard, *(within(c) for c in edge.choices))
                    after = {v: substitute(t, later) for v, t in edge.updates}
                    reached = {**later, **after}
                    known = (
                        *invariant(a, source),
                        relation,
                        *renamed((*invariant(a, middle), *inside), later),
                        *renamed(invariant(a, edge.target), reached),
                    )
                    moved = {primed(v): reached[v] for v in state_variables(a)}
                    more = Case((), renamed((told.get((source, edge.target), FALSE),), moved))
                    where = f"{source} to {middle}, edge {number}"
                    one = Obligation("silent steps, one more", where, conjoined(known), (more,))
                    yield from failing(discharge(r.session, frozenset(), one))
