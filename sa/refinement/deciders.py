"""Engines of `refine` for one goal: initial states, searches with different tactics, small values, Horn clauses.

Their order is that of `engines.portfolio_of_goals`. Nothing is believed yet: the checker looks at all evidence.
What an engine needs beyond the search is loaded when it is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.program import Formula
from sa.automata.trace import Configuration
from sa.base.budget import Budget, Event, Report
from sa.base.limits import share
from sa.base.verdict import Reason, Unknown
from sa.certificates.goal import Goal
from sa.certificates.pairs import StatePairs
from sa.certificates.play import Broken, BrokenAtStart, Chosen, Exhausted, PlainPlay, Position, Uncovered
from sa.certificates.relation import Relation
from sa.game.board import Board, lay_out
from sa.game.opening import Covered, NotCovered, broken_at_start, cover
from sa.question.asked import Effort, GoalAsked, Lost, Related, Stuck
from sa.refinement.found import relation_of
from sa.refinement.functions import NoCall, functions_of, with_arrays, with_calls
from sa.simulation.algorithm_2_search import Search
from sa.simulation.endings import Answered, Patience, Tactics
from sa.simulation.endings import Stuck as SearchStuck
from sa.simulation.state import Facts, given
from sa.smt.session import Session
from sa.terms.evaluate import State
from sa.terms.matching import instances, laws_of
from sa.terms.sort import default_value
from sa.values.search_bounds import Closed, Sought

if TYPE_CHECKING:
    from sa.values.guessed_moves import Guess

#: Where a search for a closed goal gets stuck, small values are tried: so many steps for each lemma that it learned,
#: so that what is easy to prove stays so, and no more than these.
STEPS_PER_LEMMA, STEPS = 10_000, 400_000

#: Solver resources for Horn clauses about answers that hold on small values.
HARD = 60_000_000

Answer: TypeAlias = Related | Lost | Stuck


class _Work(Struct):
    """What the searches for one goal share: the solver's memory, the board, and how far each of them came."""

    session: Session
    board: Board
    searches: list[Search]
    known: Facts | None = None


def _work(asked: GoalAsked, budget: Budget, by_instances: bool = False) -> _Work:
    def made() -> _Work:
        axioms = tuple(a.formula for a in asked.goal.axioms)
        laws, others = laws_of(axioms) if by_instances else ((), axioms)
        return _Work(Session(budget.bounds, others, budget.seed, instances=instances(laws)), lay_out(asked.goal), [])

    work = asked.shared.once(("search", asked.goal), made)
    work.session.bounds = budget.bounds
    return work


def search_beside(asked: GoalAsked, other: Goal, budget: Budget) -> GoalAsked:
    """Another goal with the same axioms, for searches that share the solver with those for the one that is asked."""
    asked.shared.once(("search", other), lambda: _Work(_work(asked, budget).session, lay_out(other), []))
    return GoalAsked(other, asked.shared)


def effort_of(asked: GoalAsked) -> Effort:
    """The work so far."""
    work = asked.shared.made.get(("search", asked.goal))
    if work is None:
        return Effort()
    last = work.searches[-1:]
    pairs, lemmas = sum(len(s.pairs) for s in last), sum(s.lemma_count for s in last)
    return Effort(pairs, lemmas, work.session.calls)


def so_far(asked: GoalAsked) -> str:
    """How far the searches came, in words: the pair of locations with most lemmas in the last one."""
    work = asked.shared.made.get(("search", asked.goal))
    if work is None or not work.searches or not work.searches[-1].pairs:
        return "before the search began"
    search = work.searches[-1]
    hardest = max(search.pairs.values(), key=lambda state: len(state.lemmas))
    if not hardest.lemmas:
        return "before any lemma was found"
    first = search.board.concrete.locations[hardest.pair[0]].origin.text
    second = search.board.abstract.locations[hardest.pair[1]].origin.text
    return f"most lemmas, {len(hardest.lemmas)}, were needed at `{_brief(first)}` against `{_brief(second)}`"


def at_start(asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Lost | Stuck]:
    """Whether initial states refute the goal: one without a partner, or a pair of them that breaks ι.

    Raises LimitReached.
    """
    work = _work(asked, budget)
    match cover(work.session, work.board):
        case NotCovered(state, True):
            yield Lost(Uncovered(_configuration(asked.goal.concrete, state), Exhausted.SOLVER), effort_of(asked))
            return
        case NotCovered():
            yield Stuck(
                Unknown(Reason.SOLVER, "it is not known whether every initial state is related to an abstract one"),
                effort_of(asked),
            )
            return
    broken = None if asked.goal.choose_init else broken_at_start(work.session, work.board)
    match broken:
        case None:
            return
        case str():
            yield Stuck(Unknown(Reason.SOLVER, broken), effort_of(asked))
        case (formula, state):
            yield Lost(BrokenAtStart(_broken(work.board, formula, state)), effort_of(asked))


def by_search(tactics: Tactics, asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Answer]:
    """The search for a relation with these tactics; where an initial state is lost, a play. Raises LimitReached."""
    evidence = _of_search(_searching(tactics, asked, budget, report), report)
    yield _answer(evidence, effort_of(asked))


def by_relation(tactics: Tactics, asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Related]:
    """The same for those who want a relation only: where an initial state is lost, nobody looks for a play, which may
    take a hundred times as long as the search. Raises LimitReached."""
    search = _searching(tactics, asked, budget, report)
    if isinstance(search.run(report), Answered):
        found = relation_of(search)
        if isinstance(found, Relation):
            yield Related(found, effort_of(asked))


def _searching(tactics: Tactics, asked: GoalAsked, budget: Budget, report: Report) -> Search:
    """The search with these tactics, which goes on where it was cut short. Raises LimitReached."""
    work = _work(asked, budget)
    known = _known(work, asked) if tactics.known else given(asked.shared, asked.goal)
    search = _begun(work, tactics, known) or Search(work.board, work.session, tactics, report, known)
    work.searches = [*(s for s in work.searches if s is not search), search]
    report(Event(tactics.name))
    return search


def _begun(work: _Work, tactics: Tactics, known: Facts) -> Search | None:
    """The same search, where it was cut short: made anew, it would only come to the same place again."""
    return next((s for s in work.searches if s.goes_on and s.tactics == tactics and s.known == known), None)


def _known(work: _Work, asked: GoalAsked) -> Facts:
    """What is known of either side alone. Raises LimitReached."""
    from sa.refinement.facts import both, facts, with_equations

    if work.known is None:
        work.known = both(given(asked.shared, asked.goal), facts(work.session, work.board))
    return with_equations(work.session, asked.goal, work.known, asked.shared)


def by_arrays(tactics: Sequence[Tactics], asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Related]:
    """Searches for a relation where functions are arrays that nobody changes. Raises LimitReached."""
    functions = functions_of(asked.goal)
    if not functions:
        return
    # Whatever holds of all arrays holds of those that the axioms are true of.
    other = GoalAsked(with_arrays(asked.goal, functions))
    _work(other, budget, by_instances=True)
    for number, tactic in enumerate(tactics):
        part = replace(budget, bounds=share(budget.bounds, 1 / (len(tactics) - number)))
        for answer in by_relation(tactic, other, part, report):
            if isinstance(answer.evidence, Relation):
                try:
                    yield Related(with_calls(answer.evidence, functions), answer.effort)
                except NoCall:
                    continue
                return


def _answer(evidence: Relation | PlainPlay | Unknown, effort: Effort) -> Answer:
    match evidence:
        case Relation() | Unknown():
            return _proof(evidence, effort)
        case Position() | Uncovered() | BrokenAtStart() | Chosen():
            return Lost(evidence, effort)
        case _:
            assert_never(evidence)


def _proof(evidence: Relation | Unknown, effort: Effort) -> Related | Stuck:
    return Related(evidence, effort) if isinstance(evidence, Relation) else Stuck(evidence, effort)


def by_values(asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Lost]:
    """A play on concrete states, looked for the longer the more lemmas were learned in vain. Raises LimitReached."""
    return by_plays(min(STEPS_PER_LEMMA * effort_of(asked).lemmas, STEPS), asked, budget, report)


def by_plays(steps: int, asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Lost]:
    """A play on concrete states, by so many steps. Raises LimitReached."""
    return (a for a in by_states(Sought(steps, plays=True), asked, budget, report) if isinstance(a, Lost))


def by_states(sought: Sought, asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Related | Lost]:
    """A play on concrete states, or all pairs of them where these are finitely many. Raises LimitReached."""
    from sa.values.search import search

    # Duplicator can do more where the moves of environments are steps: all pairs of that game prove nothing.
    played = None if sought.all_or_nothing and not asked.goal.closed else _as_closed(asked)
    if played is None:
        return
    report(Event("plays on values", {"steps allowed": sought.steps}))
    match search(played.goal, budget.bounds, sought):
        case None:
            return
        case Closed() if played is not asked:
            return
        case Closed(concrete, abstract, pairs):
            work = _work(asked, budget)
            covered = cover(work.session, work.board)
            if isinstance(covered, Covered):
                openings = tuple(tuple(o.items()) for o in covered.openings)
                evidence = StatePairs(concrete, abstract, pairs, openings)
                yield Related(evidence, replace(effort_of(asked), pairs=len(pairs)))
        case Position() as play:
            yield from _as_asked((Lost(play, effort_of(asked)),), asked)
        case guess:
            yield from _as_asked(_by_steps(guess, played, budget), asked)


def by_guess(steps: int, values: tuple[int, ...], asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Lost]:
    """A play by steps that win against all abstract states that may match, guessed where choices have few values.

    So many steps for each of these numbers of values. Raises LimitReached.
    """
    from sa.values.search import winning

    played = _as_closed(asked)
    if played is None:
        return
    for pool in values:
        report(Event("steps that win on few values", {"steps allowed": steps}))
        found = winning(played.goal, budget.bounds, Sought(steps, pool=pool, plays=True))
        if found is not None:
            lost = next(_as_asked(_by_steps(found, played, budget), asked), None)
            if lost is not None:
                yield lost
                return


def _as_closed(asked: GoalAsked) -> GoalAsked | None:
    """The question itself if it is about closed programs, else that in which moves of environments are steps.

    None for a pair in inferred environments, about which a play says nothing of the programs.
    """
    if asked.goal.closed:
        return asked
    if not asked.goal.matched:
        return None
    from sa.refinement.moving import closed_goal

    def made() -> GoalAsked | None:
        goal = closed_goal(asked.goal)
        return None if goal is None else GoalAsked(goal)

    return asked.shared.once(("moving", asked.goal), made)


def _as_asked(answers: Iterable[Lost], asked: GoalAsked) -> Iterator[Lost]:
    """Plays as those of what was asked, as far as they can be told so."""
    if asked.goal.closed:
        yield from answers
        return
    from sa.refinement.moving import Opened, opened

    for answer in answers:
        with suppress(Opened):
            yield replace(answer, evidence=opened(answer.evidence, asked.goal))


def _by_steps(guess: Guess, asked: GoalAsked, budget: Budget) -> Iterator[Lost]:
    """The play by steps that may win, if they do. Raises LimitReached."""
    from sa.plays.play_against_state_sets import outrun

    session = Session(budget.bounds, (), budget.seed)
    play = outrun(asked.goal, session, guess.first, guess.second, guess.choose)
    if play is not None:
        yield Lost(play, effort_of(asked))


def by_horn(asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Related | Stuck]:
    """The answers of the last search fixed, and the rest left to Spacer. Raises LimitReached."""
    work = _work(asked, budget)
    search = work.searches[-1] if work.searches else None
    if search is None or not search.stuck:
        return
    from sa.simulation.horn import solve_horn

    report(Event("answers fixed, Horn clauses"))
    solution = solve_horn(search)
    if solution is not None:
        yield _proof(relation_of(search, solution), effort_of(asked))


def answers_fixed(
    tactics: Tactics, asked: GoalAsked, budget: Budget, report: Report, propose: Callable[[Search], bool]
) -> Related | None:
    """A relation with the answers that are proposed, by lemmas, then, if there may be others, by Horn clauses.

    None where none is found.

    Raises LimitReached.
    """
    work = _work(asked, budget)
    known = _known(work, asked) if tactics.known else given(asked.shared, asked.goal)
    search = Search(work.board, work.session, tactics, report, known)
    if not propose(search):
        return None
    report(Event("answers fixed"))
    work.searches.append(search)
    ending, evidence = search.run(), None
    if isinstance(ending, Answered):
        evidence = relation_of(search)
    elif isinstance(ending, SearchStuck) and tactics.patience is not Patience.GIVEN:
        from sa.simulation.horn import solve_horn

        report(Event("answers fixed, Horn clauses"))
        search.forget()
        solution = solve_horn(search, HARD)
        evidence = None if solution is None else relation_of(search, solution)
    return Related(evidence, effort_of(asked)) if isinstance(evidence, Relation) else None


def _brief(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def _broken(board: Board, formula: Formula, state: State) -> Broken:
    goal = board.goal
    return Broken(formula, _configuration(goal.concrete, state), _configuration(goal.abstract, state))


def _configuration(automaton: Automaton, state: State) -> Configuration:
    return Configuration(
        automaton.initial, {v.var: state.get(v.var, default_value(v.var.sort)) for v in automaton.variables}
    )


def _of_search(search: Search, report: Report | None = None) -> Relation | PlainPlay | Unknown:
    match search.run(report):
        case Answered():
            return relation_of(search)
        case SearchStuck(reason, detail):
            return Unknown(reason, detail)
        case ending:
            # Proofs need nothing of this.
            from sa.plays.play_of_search import play_of

            return play_of(search, ending)
