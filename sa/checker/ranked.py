"""Checks that something comes to an end by ranks, justice and rest at control points (`certificates.ends`).

Everything is made here from the threads: the points that a part's steps lead to, the steps between them, and their
strongly connected components. A run in which the part's threads step for ever stays in a component at last. It takes
steps that lower a rank only finitely often, so it stays in a component of what is left without them, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from sa.automata.components import components
from sa.automata.standstill import possible
from sa.base.limits import Limits, spend
from sa.certificates.ends import (
    Condition,
    Helped,
    Lowered,
    Part,
    Ranked,
    Resting,
    Stage,
    bad_of,
)
from sa.certificates.proof import about
from sa.certificates.reduced import Composed
from sa.certificates.run import Bad
from sa.certificates.threads import Keeps
from sa.checker.control_points import (
    Graph,
    Question,
    Taken,
    Wrong,
    check_points,
    graph_of,
    open_at,
    pending,
    where_at,
)
from sa.checker.never import discharged, program_fault
from sa.checker.obligation import Case, Obligation, discharge
from sa.checker.reduced import check_composed
from sa.checker.ruling import Accepted, Failure, Rejected, Ruling
from sa.checker.run import thread_faults
from sa.checker.side import within
from sa.checker.solvers import Z3, Solvers
from sa.checker.threads import apart
from sa.checker.written import uncut_together
from sa.terms.build import ONE, ZERO, add, conjoined, constant, land, le
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var, sort_of


class _Check(Struct):
    """What is checked, all conditions, and those that do not hold by themselves."""

    made: Ranked
    question: Question
    asked: dict[Bad, Condition] = field(default_factory=dict)
    left: dict[Bad, Condition] = field(default_factory=dict)


class Conditions(Struct, frozen=True):
    """What reasons ask of states, as something bad, and what of it does not hold by itself; in a fixed order."""

    asked: tuple[Bad, ...]
    left: tuple[Bad, ...]


def check_ranked(made: Ranked, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether what is claimed comes to an end for the reasons given. Raises LimitReached."""
    try:
        left = _conditions(made, bounds, seed, solvers).left
    except Wrong as wrong:
        return wrong.ruling
    shown = set[Bad]()
    for proof in made.proofs:
        ruling = _proved(made, proof, bounds, seed, solvers)
        if not isinstance(ruling, Accepted):
            return ruling
        shown |= {n.bad for n in proof.never} if isinstance(proof, Keeps) else set(proof.never)
    missing = [c for b, c in left.items() if b not in shown]
    if missing:
        return Rejected("condition", "it is not shown", _where(missing[0]))
    return Accepted()


def conditions_of(made: Ranked, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Conditions | Failure:
    """What proofs have to exclude; or why the reasons cannot do. Raises LimitReached."""
    try:
        check = _conditions(made, bounds, seed, solvers)
    except Wrong as wrong:
        return wrong.ruling
    return Conditions(tuple(check.asked), tuple(check.left))


def _where(condition: Condition) -> str:
    return ", ".join(f"{t} at {q}" for t, q in condition.places)


def _proved(made: Ranked, proof: Composed, bounds: Limits, seed: int, solvers: Solvers) -> Ruling:
    if about(proof) != (made.threads, made.axioms):
        return Rejected("proof of a condition", "it is about another program")
    return check_composed(proof, bounds, seed, solvers)


def _conditions(made: Ranked, bounds: Limits, seed: int, solvers: Solvers) -> _Check:
    """Everything but proofs of conditions. Raises Wrong and LimitReached."""
    fault = program_fault(made.threads) or next(thread_faults(made.threads), None)
    if fault is not None:
        raise Wrong(Rejected("well-formed threads", fault))
    covered = {made.threads[n].name for p in made.parts for n in p.threads if 0 <= n < len(made.threads)}
    everyone = tuple(range(len(made.threads)))
    if made.ends.until is not None and [p.threads for p in made.parts] != [everyone]:
        raise Wrong(Rejected("parts", "there is not one part with all threads"))
    if not set(made.ends.threads) <= covered:
        raise Wrong(Rejected("parts", "a thread that the claim is about is in none"))
    if made.ends.fair or made.ends.until is not None:
        ruling = discharged(uncut_together(made.threads), made.axioms, bounds, seed, solvers)
        if not isinstance(ruling, Accepted):
            raise Wrong(ruling)
    session = solvers.session(bounds, [a.formula for a in made.axioms], seed)
    check = _Check(made, Question(tuple(map(apart, made.threads)), made.ends, session, bounds))
    for part in made.parts:
        _whole_part(check, part)
    return check


def _whole_part(check: _Check, part: Part) -> None:
    numbers = range(len(check.question.separate))
    if len(set(part.threads)) < len(part.threads) or not all(n in numbers for n in part.threads):
        raise Wrong(Rejected("part", "its threads are not different ones of the program"))
    check_points(check.question, part)
    graph = graph_of(check.question, part)
    roots = graph.starts if check.made.ends.until is None else pending(check.question, graph)
    _stages(check, graph, roots, graph.taken, part.stages)
    if check.made.ends.until is not None:
        _no_standstill(check, graph, roots)


# ---------------------------------------------------------------- stages


def _stages(
    check: _Check,
    graph: Graph,
    roots: Sequence[int],
    taken: Sequence[Taken],
    stages: Sequence[Stage],
) -> None:
    """Each component with a cycle has a stage, which is fine."""
    spend(check.question.bounds, 200)
    given = {frozenset(s.points): s for s in stages}
    targets = dict[int, list[int]]()
    for step in taken:
        targets.setdefault(step.passage[0], []).append(step.passage[3])
    for component in components(roots, targets):
        inside = frozenset(component)
        own = [t for t in taken if t.passage[0] in inside and t.passage[3] in inside]
        if not own:
            continue
        stage = given.get(inside)
        if stage is None:
            at = where_at(check.question, graph.part, graph.part.points[min(inside)])
            raise Wrong(Rejected("component", "there is no reason why it is left", ", ".join(map(" at ".join, at))))
        match stage:
            case Lowered():
                _lowered(check, graph, stage, own)
            case Helped():
                _helped(check, graph, stage, own)
            case Resting():
                if any(check.question.separate[t.passage[1]].name in check.made.ends.threads for t in own):
                    raise Wrong(Rejected("rest", "a thread that the claim is about has a step inside"))


def _lowered(check: _Check, graph: Graph, stage: Lowered, own: Sequence[Taken]) -> None:
    if len(stage.ranks) != len(stage.points):
        raise Wrong(Rejected("rank", "it is not given at each point"))
    ranks = dict(zip(stage.points, stage.ranks, strict=True))
    known = frozenset(v.var for t in check.question.separate for v in t.variables)
    if any(not r.free <= known or sort_of(r) != INT for r in stage.ranks):
        raise Wrong(Rejected("rank", "it is no number over variables of the program"))
    strict = frozenset(stage.strict)
    for step in own:
        first, _, _, second = step.passage
        before, after = ranks[first], substitute(ranks[second], step.updates)
        if step.passage in strict:
            conclusion = land(le(ZERO, before), le(add(after, ONE), before))
        else:
            conclusion = le(after, before)
        _require(check, graph, first, step.premise, step.choices, conclusion)
    for number, rank in ranks.items():
        _kept_by_others(check, graph, number, rank)
    left = [t for t in own if t.passage not in strict]
    if len(left) == len(own):
        raise Wrong(Rejected("rank", "no step lowers it"))
    _stages(check, graph, stage.points, left, stage.then)


def _kept_by_others(check: _Check, graph: Graph, number: int, rank: Term) -> None:
    """No step of a thread outside of the part raises the rank."""
    for other, thread in enumerate(check.question.separate):
        for edge in thread.edges if other not in graph.part.threads else ():
            updates = dict(edge.updates)
            if not rank.free.isdisjoint(updates):
                place = next(q.inv for q in thread.locations if q.name == edge.source)
                premise = (*graph.known[number], place, edge.guard, *map(within, edge.choices))
                at = (thread.name, edge.source)
                choices = tuple(c.var for c in edge.choices)
                _require(check, graph, number, premise, choices, le(substitute(rank, updates), rank), at)


def _helped(check: _Check, graph: Graph, stage: Helped, own: Sequence[Taken]) -> None:
    fault = None
    if not check.made.ends.fair:
        fault = "the claim does not assume fairness"
    elif stage.thread not in graph.part.threads:
        fault = "the thread that is to step is not one of the part"
    elif any(t.passage[1] == stage.thread for t in own):
        fault = "the thread that is to step has a step inside"
    if fault is not None:
        raise Wrong(Rejected("justice", fault))
    thread = check.question.separate[stage.thread]
    for number in stage.points:
        point = graph.part.points[number]
        place = point.places[graph.part.threads.index(stage.thread)]
        values: dict[Var, Term] = {v: constant(x, v.sort) for v, x in point.values}
        can = possible(e for e in thread.edges if e.source == place)
        premise = (*graph.known[number], open_at(check.question, graph.part, number, {}, values))
        _require(check, graph, number, premise, (), substitute(can, values))


def _no_standstill(check: _Check, graph: Graph, roots: Sequence[int]) -> None:
    """Where the claim is open, somebody can step."""
    targets = dict[int, list[int]]()
    for step in graph.taken:
        targets.setdefault(step.passage[0], []).append(step.passage[3])
    for number in sorted(n for c in components(roots, targets) for n in c):
        point = graph.part.points[number]
        values: dict[Var, Term] = {v: constant(x, v.sort) for v, x in point.values}
        places = dict(where_at(check.question, graph.part, point))
        can = possible(e for t in check.question.separate for e in t.edges if e.source == places[t.name])
        premise = (*graph.known[number], open_at(check.question, graph.part, number, {}, values))
        _require(check, graph, number, premise, (), substitute(can, values))


def _require(
    check: _Check,
    graph: Graph,
    number: int,
    premise: Sequence[Term],
    choices: tuple[Var, ...],
    conclusion: Term,
    *others: tuple[str, str],
) -> None:
    """A condition at a point: it holds by itself, or something bad is left that a proof has to exclude."""
    places = (*where_at(check.question, graph.part, graph.part.points[number]), *others)
    condition = Condition(places, conjoined(premise), choices, conclusion)
    obligation = Obligation("condition", _where(condition), condition.premise, (Case((), (conclusion,)),))
    bad = bad_of(condition)
    check.asked[bad] = condition
    if discharge(check.question.session, frozenset(), obligation) is not None:
        check.left[bad] = condition
