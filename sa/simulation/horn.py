"""The second strategy (THEORY section 4, point 7): fix the answers, let Spacer find θ.

The answers are those that the lemma search arrived at, in order of preference: a later one is used where the
earlier ones are not good. With the answers fixed, "θ is closed and keeps ι" is a set of Horn clauses, one
predicate each pair. If Spacer refutes a fixed choice, the orders are turned round and it is asked once more;
no refutation comes out of this strategy.
"""

from __future__ import annotations

from collections.abc import Iterator

from sa.certificates.goal import matches_environments
from sa.environments.matching import matched_step
from sa.game.board import Pair
from sa.simulation.algorithm_2_search import Search
from sa.simulation.state import PairState
from sa.smt.horn import Atom, Clause, Solution, solve
from sa.terms import build
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


def solve_horn(search: Search) -> dict[Pair, Term] | None:
    """A formula for each pair that the search met, to be checked as a relation; None if there is none to be had."""
    for turned in (False, True):
        pairs = {pair: state for pair, state in search.pairs.items() if state.facts is not None}
        if search.initial not in pairs:
            return None
        names = {pair: f"at.{pair[0]}.{pair[1]}" for pair in pairs}
        clauses = [_opening(search, names)]
        for state in pairs.values():
            clauses.extend(_clauses(search, state, names, turned))
        variables = search.board.variables
        answer = solve(dict.fromkeys(names.values(), variables), clauses, search.session.bounds)
        if isinstance(answer, Solution):
            return {pair: answer.predicates[name] for pair, name in names.items()}
    return None


def _opening(search: Search, names: dict[Pair, str]) -> Clause:
    return Clause((), build.land(*search.opening), Atom(names[search.initial], search.board.variables))


def _clauses(search: Search, state: PairState, names: dict[Pair, str], turned: bool) -> Iterator[Clause]:
    here = Atom(names[state.pair], search.board.variables)
    known = (*state.base, *state.known, *state.equations)
    if state.moves.moving:
        there: dict[Var, Term] = {v: primed(v) for v in state.moves.moving}
        after = Atom(here.predicate, tuple(there.get(v, v) for v in search.board.variables))
        yield Clause((here,), build.land(*known, state.moves.relation), after)
    if matches_environments(search.board.goal):
        yield Clause((here,), build.lnot(matched_step(search.board, state.pair)), None)
    for number, step in state.steps.items():
        rounds = state.rounds.get(number, [])
        enabled = build.land(*known, *step.enabled)
        for answer in reversed(rounds) if turned else rounds:
            good = build.land(*answer.required)
            arguments = tuple(substitute(v, answer.updates) for v in search.board.variables)
            if answer.target in names:
                yield Clause((here,), build.land(enabled, good), Atom(names[answer.target], arguments))
                enabled = build.land(enabled, build.lnot(good))
        yield Clause((here,), enabled, None)
