"""Checks that something comes to an end by ranks, justice and rest at control points (`certificates.ends`).

Everything is made here from the threads: the points that a part's steps lead to, the steps between them, and their
strongly connected components. A run in which the part's threads step for ever stays in a component at last. It takes
steps that lower a rank only finitely often, so it stays in a component of what is left without them, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sa.automata.components import components
from sa.automata.standstill import possible
from sa.base.limits import Limits, spend
from sa.certificates.ends import Helped, Lowered, Part, Ranked, Resting, Stage
from sa.certificates.proof import OfThreads, about, excluded_by
from sa.certificates.run import Bad
from sa.checker.control_points import (
    Graph,
    Question,
    Taken,
    Wrong,
    check_points,
    graph_of,
    in_words,
    open_at,
    pending,
    require,
    require_lowered,
    where_at,
)
from sa.checker.elimination import check_rounds
from sa.checker.never import discharged, program_fault
from sa.checker.proofs import check_proof
from sa.checker.ruling import Accepted, Failure, Rejected, Ruling
from sa.checker.run import thread_faults
from sa.checker.solvers import Z3, Solvers
from sa.checker.threads import apart
from sa.checker.written import uncut_together
from sa.terms.build import constant
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var, sort_of


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
        shown |= set(excluded_by(proof))
    missing = [c for b, c in left.items() if b not in shown]
    if missing:
        return Rejected("condition", "it is not shown", in_words(missing[0].places))
    return Accepted()


def conditions_of(made: Ranked, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Conditions | Failure:
    """What proofs have to exclude; or why the reasons cannot do. Raises LimitReached."""
    try:
        question = _conditions(made, bounds, seed, solvers)
    except Wrong as wrong:
        return wrong.ruling
    return Conditions(tuple(question.asked), tuple(question.left))


def _proved(made: Ranked, proof: OfThreads, bounds: Limits, seed: int, solvers: Solvers) -> Ruling:
    if about(proof) != (made.threads, made.axioms):
        return Rejected("proof of a condition", "it is about another program")
    return check_proof(proof, bounds, seed, solvers)


def _conditions(made: Ranked, bounds: Limits, seed: int, solvers: Solvers) -> Question:
    """The question, with what the reason asks of states. Raises Wrong and LimitReached."""
    fault = program_fault(made.threads) or next(thread_faults(made.threads), None)
    if fault is not None:
        raise Wrong(Rejected("well-formed threads", fault))
    if made.ends.fair or made.ends.until is not None:
        ruling = discharged(uncut_together(made.threads), made.axioms, bounds, seed, solvers)
        if not isinstance(ruling, Accepted):
            raise Wrong(ruling)
    session = solvers.session(bounds, [a.formula for a in made.axioms], seed)
    question = Question(tuple(map(apart, made.threads)), made.ends, session, bounds)
    if isinstance(made.reason, Part):
        _together(question, made.reason)
    else:
        check_rounds(question, made.reason)
    return question


def _together(question: Question, part: Part) -> None:
    if part.threads != tuple(range(len(question.separate))):
        raise Wrong(Rejected("part", "it is not about all threads of the program"))
    check_points(question, part)
    graph = graph_of(question, part)
    until = question.ends.until
    roots = graph.starts if until is None else pending(question, graph)
    _stages(question, graph, roots, graph.taken, part.stages)
    if until is not None:
        _no_standstill(question, graph, roots)


# ---------------------------------------------------------------- stages


def _stages(
    question: Question,
    graph: Graph,
    roots: Sequence[int],
    taken: Sequence[Taken],
    stages: Sequence[Stage],
) -> None:
    """Each component with a cycle has a stage, which is fine."""
    spend(question.bounds, 200)
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
            at = where_at(question, graph.part, graph.part.points[min(inside)])
            raise Wrong(Rejected("component", "there is no reason why it is left", ", ".join(map(" at ".join, at))))
        match stage:
            case Lowered():
                _lowered(question, graph, stage, own)
            case Helped():
                _helped(question, graph, stage, own)
            case Resting():
                if any(question.separate[t.passage[1]].name in question.ends.threads for t in own):
                    raise Wrong(Rejected("rest", "a thread that the claim is about has a step inside"))


def _lowered(question: Question, graph: Graph, stage: Lowered, own: Sequence[Taken]) -> None:
    if len(stage.ranks) != len(stage.points):
        raise Wrong(Rejected("rank", "it is not given at each point"))
    ranks = dict(zip(stage.points, stage.ranks, strict=True))
    if any(not r.free <= question.numbers or sort_of(r) != INT for r in stage.ranks):
        raise Wrong(Rejected("rank", "it is no number over variables of the program"))
    strict = frozenset(stage.strict)
    for step in own:
        require_lowered(question, graph, step, ranks, (), step.passage in strict)
    left = [t for t in own if t.passage not in strict]
    if len(left) == len(own):
        raise Wrong(Rejected("rank", "no step lowers it"))
    _stages(question, graph, stage.points, left, stage.then)


def _helped(question: Question, graph: Graph, stage: Helped, own: Sequence[Taken]) -> None:
    fault = None
    if not question.ends.fair:
        fault = "the claim does not assume fairness"
    elif stage.thread not in graph.part.threads:
        fault = "the thread that is to step is not one of the part"
    elif any(t.passage[1] == stage.thread for t in own):
        fault = "the thread that is to step has a step inside"
    if fault is not None:
        raise Wrong(Rejected("justice", fault))
    thread = question.separate[stage.thread]
    for number in stage.points:
        point = graph.part.points[number]
        place = point.places[graph.part.threads.index(stage.thread)]
        values: dict[Var, Term] = {v: constant(x, v.sort) for v, x in point.values}
        can = possible(e for e in thread.edges if e.source == place)
        premise = (*graph.known[number], open_at(question, graph.part, number, {}, values))
        require(question, graph, number, premise, (), substitute(can, values))


def _no_standstill(question: Question, graph: Graph, roots: Sequence[int]) -> None:
    """Where the claim is open, somebody can step."""
    targets = dict[int, list[int]]()
    for step in graph.taken:
        targets.setdefault(step.passage[0], []).append(step.passage[3])
    for number in sorted(n for c in components(roots, targets) for n in c):
        point = graph.part.points[number]
        values: dict[Var, Term] = {v: constant(x, v.sort) for v, x in point.values}
        places = dict(where_at(question, graph.part, point))
        can = possible(e for t in question.separate for e in t.edges if e.source == places[t.name])
        premise = (*graph.known[number], open_at(question, graph.part, number, {}, values))
        require(question, graph, number, premise, (), substitute(can, values))
