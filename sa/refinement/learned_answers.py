"""A strategy learned from examples: answers on terms that do what Duplicator does on small values.

A game on small values says how steps can be answered there (`values.examples`). Here each of these answers becomes a
run on terms, and the one that answers most examples of a step comes first. With the answers fixed, what is left is to
find a relation that they keep, which is a question for the search for lemmas and for Horn clauses (THEORY section 4,
point 7). Nothing that is learned is believed: an answer that is wrong elsewhere makes no relation.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sa.automata.trace import Configuration
from sa.base.limits import spend
from sa.game.board import Board
from sa.game.choices import NotSettled
from sa.game.rounds import Challenge, Round, play_round
from sa.game.runs import Bounds, start
from sa.simulation import learning
from sa.simulation.algorithm_2_search import Search
from sa.terms.evaluate import State, Unevaluable, evaluate
from sa.terms.sort import default_value
from sa.values.examples import Example, Examples

#: How far an answer is looked for, at first and where that does not do; examples of a step; steps in all.
BOUNDS = (Bounds(50, 1, 1), Bounds(200, 2, None))
EXAMPLES = 60
STEPS = 1000


def taught(search: Search, examples: Examples) -> bool:
    """Whether the search has an answer to each step that there are examples of: these are added to it, best first.

    Raises LimitReached.
    """
    if not examples.given or len(examples.given) > STEPS:
        return False
    for (concrete, abstract, number), listed in examples.given.items():
        spend(search.session.bounds, 300)
        answers = _answers(search, (concrete, abstract), number, examples, _few(listed))
        if answers is None:
            return False
        search.propose((concrete, abstract), number, answers)
    _complete(search)
    return True


def _few(examples: Sequence[Example]) -> Sequence[Example]:
    """The first examples, and some of all the others: late ones tell answers apart that agree near the start."""
    first, others = examples[: EXAMPLES // 3], examples[EXAMPLES // 3 :]
    return (*first, *others[:: 1 + len(others) // (EXAMPLES - len(first))])


def _complete(search: Search) -> None:
    """Answers to steps that no example shows: those to other steps of the same statement there, or staying."""
    board = search.board
    edges = board.goal.concrete.edges
    for pair, state in list(search.pairs.items()):
        for number, step in state.steps.items():
            if number not in state.rounds:
                alike = (n for n in state.rounds if edges[n].origin == step.edge.origin)
                runs = [r.run for n in alike for r in state.rounds[n]] or [start(board, pair[1])]
                rounds = (play_round(board, step, run) for run in runs)
                search.propose(pair, number, [r for r in rounds if r.target in search.pairs])


class _Candidate(Struct, frozen=True, eq=False):
    """An answer, the examples in which it is given and does not lose, and in how many it does."""

    answer: Round
    good: frozenset[int]
    bad: int

    @property
    def rank(self) -> tuple[int, int, int]:
        """Answers that lose nowhere come first, then those that are good often, then short ones."""
        return self.bad, -len(self.good), len(self.answer.run.edges)


def _answers(
    search: Search, pair: tuple[str, str], number: int, examples: Examples, given: Sequence[Example]
) -> tuple[Round, ...] | None:
    """Few answers, one of which is good in each example; None where some example has none."""
    board, step = search.board, search.challenge(number)
    states = [_state(board, step, e) for e in given]
    left, chosen = set(range(len(given))), list[_Candidate]()
    while left:
        first = min(left)
        found = (
            _Candidate(answer, frozenset(n for n, f in enumerate(fates) if f is False), sum(f is True for f in fates))
            for answer in _like(search, step, pair[1], states[first], given[first], examples)
            for fates in [[_loses(answer, s, e, examples) for s, e in zip(states, given, strict=True)]]
        )
        best = min((c for c in found if first in c.good), key=lambda c: c.rank, default=None)
        if best is None:
            return None
        chosen.append(best)
        left -= best.good
    return tuple(c.answer for c in sorted(chosen, key=lambda c: c.rank))


def _like(
    search: Search, step: Challenge, location: str, state: State, example: Example, examples: Examples
) -> list[Round]:
    """Answers on terms in the state of an example, one of which the game knows not to lose, if there is one."""
    good = list[Round]()
    for bounds in BOUNDS:
        try:
            good, _, _ = learning.answers_at(search.session, search.board, step, location, state, {}, bounds)
        except NotSettled:
            continue
        if any(_loses(answer, state, example, examples) is False for answer in good):
            break
    return good


def _state(board: Board, step: Challenge, example: Example) -> State:
    wanted = (*board.variables, *step.choices)
    return {v: example.state.get(v, default_value(v.sort)) for v in wanted}


def _loses(answer: Round, state: State, example: Example, examples: Examples) -> bool | None:
    """Whether an answer loses in a state; None where it cannot be given or the game does not know."""
    try:
        if not learning.possible(answer, state):
            return None
        values = {v: evaluate(term, state) for v, term in answer.run.values.items()}
    except Unevaluable:
        return None
    return examples.is_lost(example, Configuration(answer.run.location, {**state, **values}))
