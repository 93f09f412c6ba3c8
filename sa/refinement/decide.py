"""One goal decided: coverage and start first, then the search; a relation, a play, or why neither."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from sa.automata.automaton import Automaton
from sa.automata.program import Formula
from sa.automata.trace import Configuration
from sa.base.limits import LimitReached, Limits
from sa.base.verdict import Reason, Unknown
from sa.certificates.goal import Goal
from sa.certificates.play import Broken, BrokenAtStart, Exhausted, Play, Uncovered
from sa.certificates.relation import AbstractPath, EdgeAnswer, PairRelation, Relation
from sa.domains import affine
from sa.game.board import Board, Pair, lay_out
from sa.game.opening import Covered, NotCovered, broken_at_start, cover
from sa.game.rounds import Round
from sa.game.runs import Bounds
from sa.plays.positions import Survives
from sa.plays.single_run import course, pursue
from sa.plays.strategy import Refuter
from sa.simulation.endings import Answered, Lost, LostChoices, Patience, Stuck, Tactics
from sa.simulation.horn import solve_horn
from sa.simulation.search import Search
from sa.simulation.state import Lemma, PairState, dead
from sa.smt.session import Session
from sa.terms import build
from sa.terms.evaluate import State, Unevaluable
from sa.terms.sort import default_value
from sa.terms.term import Term, Var
from sa.values.search import refute_by_values

#: In order of preference. Short answers make general lemmas; what needs long ones comes later.
STRATEGIES = (
    Tactics("first answers", 100, 4, Bounds(100, 1, 1), Patience.FULL),
    Tactics("likely answers", 200, 4, Bounds(100, 1, 1), Patience.SOME),
    Tactics("short answers", 400, 4, Bounds(100, 1, 1), Patience.NONE),
    Tactics("long answers", 2000, 4, Bounds(400, None, None), Patience.NONE),
)

#: The same with few lemmas and without long answers, for goals that there is another way around.
BRIEF = tuple(replace(t, lemmas=min(t.lemmas, 150), each=1) for t in STRATEGIES[:3])

#: Where a search for a closed goal gets stuck, small values are tried: so many steps for each lemma that it learned,
#: so that what is easy to prove stays so, and no more than these.
STEPS_PER_LEMMA = 10_000
STEPS = 400_000

Evidence: TypeAlias = Relation | Play | Unknown


@dataclass(frozen=True, slots=True)
class Decision:
    """What came out, with the size of the work: pairs explored, lemmas learned, questions to the solver."""

    evidence: Evidence
    pairs: int
    lemmas: int
    solver_calls: int
    strategy: str


def decide(goal: Goal, bounds: Limits, seed: int = 0, briefly: bool = False) -> Decision:
    """Decide a goal. The evidence is for a checker to confirm; a limit that is reached makes it Unknown.

    `briefly` tries only what is cheap, for goals that there is another way around.
    """
    session = Session(bounds, tuple(a.formula for a in goal.axioms), seed)
    board = lay_out(goal)
    searches = list[Search]()
    try:
        evidence, name = _evidence(session, board, searches, BRIEF if briefly else STRATEGIES)
    except LimitReached as limit:
        evidence, name = Unknown(limit.reason, _so_far(searches)), ""
    pairs = len(searches[-1].pairs) if searches else 0
    return Decision(evidence, pairs, sum(s.lemma_count for s in searches[-1:]), session.calls, name)


def _evidence(
    session: Session, board: Board, searches: list[Search], strategies: Sequence[Tactics]
) -> tuple[Evidence, str]:
    """What the strategies find, and which one did. Each search is noted in `searches` before it begins."""
    evidence = _at_start(session, board)
    if evidence is not None:
        return evidence, "start"
    for tactics in strategies:
        search = Search(board, session, tactics)
        searches.append(search)
        evidence = _of_search(search)
        if not isinstance(evidence, Unknown):
            return evidence, tactics.name
        play = refute_by_values(board.goal, session.bounds, min(STEPS_PER_LEMMA * search.lemma_count, STEPS))
        if play is not None:
            return play, "values"
        solution = solve_horn(search) if search.stuck and strategies is STRATEGIES else None
        if solution is not None:
            return relation_of(search, solution), "horn"
    assert evidence is not None
    return evidence, ""


def _so_far(searches: Sequence[Search]) -> str:
    """Where the last search had most trouble: the pair of locations with most lemmas."""
    if not searches or not searches[-1].pairs:
        return "before the search began"
    search = searches[-1]
    hardest = max(search.pairs.values(), key=lambda state: len(state.lemmas))
    if not hardest.lemmas:
        return "before any lemma was found"
    first = search.board.concrete.locations[hardest.pair[0]].origin.text
    second = search.board.abstract.locations[hardest.pair[1]].origin.text
    return f"most lemmas, {len(hardest.lemmas)}, were needed at `{_brief(first)}` against `{_brief(second)}`"


def _brief(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def _at_start(session: Session, board: Board) -> Evidence | None:
    match cover(session, board):
        case NotCovered(state, True):
            return Uncovered(_configuration(board.goal.concrete, state), Exhausted.SOLVER)
        case NotCovered():
            return Unknown(Reason.SOLVER, "whether every initial state is covered")
    if board.goal.choose_init:
        return None
    broken = broken_at_start(session, board)
    match broken:
        case None:
            return None
        case str():
            return Unknown(Reason.SOLVER, broken)
        case (formula, state):
            return BrokenAtStart(_broken(board, formula, state))


def _broken(board: Board, formula: Formula, state: State) -> Broken:
    goal = board.goal
    return Broken(formula, _configuration(goal.concrete, state), _configuration(goal.abstract, state))


def _configuration(automaton: Automaton, state: State) -> Configuration:
    return Configuration(
        automaton.initial, {v.var: state.get(v.var, default_value(v.var.sort)) for v in automaton.variables}
    )


def _of_search(search: Search) -> Evidence:
    ending = search.run()
    refuter = Refuter(search.board, search.session, search)
    try:
        match ending:
            case Answered():
                return relation_of(search)
            case Stuck(reason, detail):
                return Unknown(reason, detail)
            case Lost(state, lemma):
                return _play(refuter, state, lemma)
            case LostChoices(state):
                return refuter.chosen(state)
    except Survives as problem:
        return Unknown(Reason.BOUND, f"not proved, and no play found: {problem}")
    except Unevaluable as problem:
        return Unknown(Reason.UNSUPPORTED, f"a play depends on {problem}, which has no definition")


def _play(refuter: Refuter, state: State, lemma: Lemma) -> Play:
    search = refuter.search
    try:
        return refuter.position(search.initial, state, lemma)
    except Survives:
        stages = course(refuter, search.initial, state, lemma)
        return pursue(refuter, stages, search.initial, state)


def relation_of(search: Search, solution: Mapping[Pair, Term] | None = None) -> Evidence:
    """The relation that a search without open questions has found, or that a solution of its clauses gives."""
    if solution is None:
        alive = {p: s for p, s in search.pairs.items() if s.facts is not None and not dead(s)}
    else:
        alive = {p: s for p, s in search.pairs.items() if solution.get(p, build.FALSE) is not build.FALSE}
    covered = search.opening_cover()
    if not isinstance(covered, Covered):
        return Unknown(Reason.SOLVER, "whether every initial state is covered")
    closures = {pair[1]: search.closure(pair[1]).relation for pair in alive}
    return Relation(
        tuple(
            PairRelation(*pair, _lemmas(state) if solution is None else _solved(state, solution[pair]))
            for pair, state in alive.items()
        ),
        tuple(
            EdgeAnswer(*pair, number, tuple(_path(r) for r in state.rounds.get(number, []) if r.target in alive))
            for pair, state in alive.items()
            for number in state.steps
        ),
        tuple(closures.items()),
        tuple(tuple(opening.items()) for opening in covered.openings),
    )


def _solved(state: PairState, solution: Term) -> tuple[Term, ...]:
    return tuple(dict.fromkeys((*affine.formulas(state.facts or {}), *build.conjuncts(solution))))


def _lemmas(state: PairState) -> tuple[Term, ...]:
    facts = affine.formulas(state.facts or {})
    return tuple(dict.fromkeys((*facts, *(lemma.formula for lemma in state.lemmas))))


def _path(answer: Round) -> AbstractPath:
    witnesses = list[tuple[Var, Term]]()
    for position, choice in enumerate(answer.run.choices):
        for var, term in choice:
            witnesses.append((build.variable(f"{var.name}@{position}", var.sort), term))
    return AbstractPath(answer.run.edges, tuple(witnesses))
