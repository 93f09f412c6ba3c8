"""From points to evidence: joint invariants of locations, and runs along steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import lcm
from typing import TypeAlias

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.ranges import within
from sa.base.limits import Limits, spend
from sa.certificates.run import Bad, Ending, Run
from sa.conditions.never import at_places
from sa.explicit.transition_system import Arc, Whole, fails, run_of, whole
from sa.hybrid.points import Frame, Graph, Point, first_own, known
from sa.hybrid.solve import Way
from sa.smt.session import Sat, Session
from sa.terms import build
from sa.terms.name import staged
from sa.terms.sort import default_value
from sa.terms.substitute import rebuild, substitute
from sa.terms.term import And, Div, Int, IsZero, Le, Mod, Not, Or, Term, Var

#: Formulas by joint location, those that are reached.
Joints: TypeAlias = tuple[tuple[tuple[str, ...], Term], ...]


def joints(
    f: Frame, full: Graph, held: Mapping[Point, Term], lemmas: Sequence[Term], back: Mapping[Var, Term], bounds: Limits
) -> Joints:
    """What holds at each joint location, by the formulas of the reduced graph and lemmas. Raises LimitReached.

    `back` says what variables of the frame are in terms of the threads'.

    Where a thread is by itself, that is what its own steps need so that the formulas hold when it is through: others'
    steps commute with them, and keep it.
    """
    # Only these: what the solver says of points in between need not commute.
    found = {point: formula for point, formula in held.items() if first_own(f, point) is None}
    by_place = dict[tuple[int, ...], list[Term]]()
    equal = dict[tuple[Var, Term], Term]()
    for point in full.steps:
        spend(bounds, 40)
        formula = _weakest(f, full, found, point)
        if formula is not build.FALSE:
            values = known(f, point)
            for pair in values.items():
                if pair not in equal:
                    equal[pair] = build.eq(*pair)
            here = build.land(*map(equal.__getitem__, values.items()), _exact(formula, values, back))
            by_place.setdefault(point.places, []).append(substitute(here, back))
    names = [[q.name for q in t.locations] for t in f.whole.threads]
    said = list[tuple[tuple[str, ...], Term]]()
    for places, formulas in by_place.items():
        named = {t.name: names[i][places[i]] for i, t in enumerate(f.whole.threads)}
        always = (substitute(at_places(lemma, named), back) for lemma in lemmas)
        said.append((tuple(named.values()), build.land(build.lor(*formulas), *always)))
    return tuple(said)


def _exact(formula: Term, values: Mapping[Var, Term], back: Mapping[Var, Term]) -> Term:
    """The formula without quotients whose remainders are known: for the solver they are hard."""
    rests = {(t.dividend, t.divisor): values.get(v) for v, t in back.items() if isinstance(t, Mod)}
    quotients = dict[Term, tuple[Term, int]]()
    for v, t in back.items():
        if isinstance(t, Div) and isinstance(rest := rests.get((t.dividend, t.divisor)), Int):
            quotients[v] = build.sub(t.dividend, rest), t.divisor
    return _scaled(formula, quotients) if quotients else formula


def _scaled(formula: Term, quotients: Mapping[Term, tuple[Term, int]]) -> Term:
    match formula:
        case Le(total) | IsZero(total):
            constant, parts = build.linear_parts(total)
            size = lcm(*(quotients[p][1] for p in parts if p in quotients))
            multiples = [
                build.scale(c * size // quotients[p][1], quotients[p][0])
                if p in quotients
                else build.scale(c * size, p)
                for p, c in parts.items()
            ]
            whole = build.add(build.integer(constant * size), *multiples)
            return build.at_most_zero(whole) if isinstance(formula, Le) else build.is_zero(whole)
        case And() | Or() | Not():
            return rebuild(formula, lambda t: _scaled(t, quotients))
        case _:
            return formula


def _weakest(f: Frame, full: Graph, found: dict[Point, Term], point: Point) -> Term:
    """The formula of a point. Own steps lead through few points, and to an end."""
    if point in found:
        return found[point]
    mover = first_own(f, point)
    if mover is None:
        return build.FALSE
    parts = list[Term]()
    for step in full.steps[point]:
        if step.arcs and step.arcs[0].thread == mover:
            after = build.FALSE if step.target is None else _weakest(f, full, found, step.target)
            parts.append(build.implies(step.guard, substitute(after, step.updates)))
    found[point] = build.land(*parts)
    return found[point]


def run(f: Frame, way: Way, session: Session, threads: tuple[Automaton, ...]) -> Run | None:
    """The run of `threads` along the steps, if there are values for it; some of them are those of the frame.

    Raises LimitReached and SolverDisagrees.
    """
    w = f.whole if threads == f.whole.threads else whole(threads, Bad(None, None))
    numbers = {i: threads.index(t) for i, t in enumerate(f.whole.threads)}
    arcs = [replace(arc, thread=numbers[arc.thread]) for step in way.steps for arc in step.arcs]
    state: dict[Var, Term] = {v.var: v.var for v in w.variables}
    conditions = [w.init, *(within(v) for v in w.variables)]
    chosen = list[tuple[Arc, tuple[Var, ...]]]()
    for number, arc in enumerate(arcs):
        fresh = tuple(build.variable(staged(c.var.name, number), c.var.sort) for c in arc.choices)
        scope = {**state, **dict(zip((c.var for c in arc.choices), fresh, strict=True))}
        conditions.append(substitute(arc.guard, scope))
        state |= {v: substitute(t, scope) for v, t in arc.updates.items()}
        chosen.append((arc, fresh))
    bad = way.steps[-1].bad
    assert bad is not None
    if arcs and fails(bad, w.threads[arcs[-1].thread].name, arcs[-1]):
        ending = Ending.FAILED
    else:
        ending = Ending.VIOLATED
        places = dict(enumerate(w.start)) | {arc.thread: arc.target for arc in arcs}
        at: dict[Var, Term] = {c: build.integer(places[i]) for i, c in enumerate(w.counters)}
        conditions.append(build.lnot(substitute(f.claims[f.bads.index(bad)], {**state, **at})))
    answer = session.check(conditions)
    if not isinstance(answer, Sat):
        return None
    return _evaluated(w, chosen, answer, ending)


def _evaluated(w: Whole, chosen: Sequence[tuple[Arc, tuple[Var, ...]]], answer: Sat, ending: Ending) -> Run:
    start = {v.var: answer.values.get(v.var, default_value(v.var.sort)) for v in w.variables}
    script = [(arc, tuple(answer.values.get(c, default_value(c.sort)) for c in fresh)) for arc, fresh in chosen]
    return run_of(w.threads, start, script, ending)
