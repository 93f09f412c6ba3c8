"""The second strategy (THEORY section 4, point 7): fix the answers, let Spacer find θ.

The answers are those that the lemma search arrived at, in order of preference: a later one is used where the
earlier ones are not good. With the answers fixed, "θ is closed and keeps ι" is a set of Horn clauses, one
predicate each pair. If Spacer refutes a fixed choice, the orders are turned round and it is asked once more;
no refutation comes out of this strategy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sa.automata.live import live
from sa.certificates.goal import iota_of, matches_environments
from sa.environments.matching import matched_step
from sa.game.board import Pair
from sa.simulation.algorithm_2_search import Search
from sa.simulation.state import PairState
from sa.smt.horn import RLIMIT, Atom, Clause, Solution, solve
from sa.terms import build
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


def solve_horn(search: Search, rlimit: int = RLIMIT) -> dict[Pair, Term] | None:
    """A formula for each pair that the search met, to be checked as a relation; None if there is none to be had."""
    pairs = {pair: state for pair, state in search.pairs.items() if state.facts is not None}
    if search.initial not in pairs:
        return None
    predicates = _predicates(search, pairs)
    for turned in (False, True):
        clauses = [Clause((), build.land(*search.opening), predicates[search.initial])]
        for state in pairs.values():
            clauses.extend(_clauses(search, state, predicates, turned))
        parameters = {atom.predicate: _variables(atom) for atom in predicates.values()}
        answer = solve(parameters, clauses, search.session.bounds, rlimit)
        if isinstance(answer, Solution):
            return {pair: answer.predicates[atom.predicate] for pair, atom in predicates.items()}
    return None


def _predicates(search: Search, pairs: Mapping[Pair, PairState]) -> dict[Pair, Atom]:
    """A predicate for each pair, over what still matters there: fewer variables are much less work."""
    board = search.board
    matters = [live(side.automaton, iota_of(board.goal).free) for side in (board.concrete, board.abstract)]
    found = dict[Pair, Atom]()
    for pair in pairs:
        kept = frozenset[Var]().union(*(m[place] for m, place in zip(matters, pair, strict=True)))
        kept = kept.union(*(board.links[v].free for v in kept if v in board.links))
        found[pair] = Atom(f"at.{pair[0]}.{pair[1]}", tuple(v for v in board.variables if v in kept))
    return found


def _variables(atom: Atom) -> tuple[Var, ...]:
    return tuple(t for t in atom.arguments if isinstance(t, Var))


def _clauses(search: Search, state: PairState, predicates: Mapping[Pair, Atom], turned: bool) -> Iterator[Clause]:
    here = predicates[state.pair]
    known = (*state.base, *state.known, *state.equations)
    if state.moves.moving:
        there: dict[Var, Term] = {v: primed(v) for v in state.moves.moving}
        after = Atom(here.predicate, tuple(there.get(v, v) for v in _variables(here)))
        yield Clause((here,), build.land(*known, state.moves.relation), after)
    if matches_environments(search.board.goal):
        yield Clause((here,), build.lnot(matched_step(search.board, state.pair)), None)
    for number, step in state.steps.items():
        rounds = state.rounds.get(number, [])
        enabled = build.land(*known, *step.enabled)
        for answer in reversed(rounds) if turned else rounds:
            good = build.land(*answer.required)
            target = predicates.get(answer.target)
            if target is not None:
                arguments = tuple(substitute(v, answer.updates) for v in _variables(target))
                yield Clause((here,), build.land(enabled, good), Atom(target.predicate, arguments))
                enabled = build.land(enabled, build.lnot(good))
        yield Clause((here,), enabled, None)
