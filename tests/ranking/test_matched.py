"""Evidence state by state about what is preserved: accepted as it was found, refused when anything is changed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Edge
from sa.base.limits import Limits
from sa.base.source import Source
from sa.certificates.goal import Goal
from sa.certificates.preservation import Kept, Matched, Node, Unmatched
from sa.checker.matched import check_matched, check_unmatched
from sa.checker.ruling import Accepted
from sa.language.elaborate.program import program
from sa.question.goals import goals
from sa.ranking.matched import by_all_states
from sa.terms.build import TRUE
from tests.oracle.endings import graph
from tests.oracle.preservation import preserves
from tests.ranking.pairs import pair

BOUNDS = Limits()


def goal_of(abstract: str, concrete: str) -> Goal:
    first, second = (program(Source(n, t)) for n, t in (("abs", abstract), ("conc", concrete)))
    (goal,) = goals(first, second, None, whole=True)
    return goal


LOOP = "global f : bool; thread T {{ while ({0}) {{ skip; }} @out skip; }}"


@pytest.mark.parametrize(("loops", "accepted"), [("f", True), ("true", False)])
def test_a_loop_that_need_not_end_is_matched_by_one_that_goes_on_too(loops: str, accepted: bool) -> None:
    goal = goal_of(LOOP.format("f"), LOOP.format(loops))
    found = by_all_states(goal, Kept.TERMINATION, BOUNDS)
    assert isinstance(found, Matched if accepted else Unmatched)


def test_a_rank_that_does_not_get_lower_is_refused() -> None:
    goal = goal_of(
        "thread T { @out skip; }", "thread T { local i : 0..3 = 3; while (i > 0) { i := i - 1; } @out skip; }"
    )
    found = by_all_states(goal, Kept.TERMINATION, BOUNDS)
    assert isinstance(found, Matched)
    assert isinstance(check_matched(goal, Kept.TERMINATION, found, BOUNDS), Accepted)
    level = replace(found, nodes=tuple(Node(n.concrete, n.beside, 1) for n in found.nodes))
    assert not isinstance(check_matched(goal, Kept.TERMINATION, level, BOUNDS), Accepted)
    below = replace(found, nodes=tuple(Node(n.concrete, n.beside, n.rank - 50) for n in found.nodes))
    assert not isinstance(check_matched(goal, Kept.TERMINATION, below, BOUNDS), Accepted)


def test_a_run_that_is_matched_refutes_nothing() -> None:
    wrong = goal_of("thread T { @out skip; }", "thread T { while (true) { skip; } @out skip; }")
    found = by_all_states(wrong, Kept.TERMINATION, BOUNDS)
    assert isinstance(found, Unmatched) and found.run.cycle is not None
    assert isinstance(check_unmatched(wrong, Kept.TERMINATION, found, BOUNDS), Accepted)
    same = goal_of("thread T { while (true) { skip; } @out skip; }", "thread T { while (true) { skip; } @out skip; }")
    other = replace(wrong, abstract=same.abstract)
    assert not isinstance(check_unmatched(other, Kept.TERMINATION, found, BOUNDS), Accepted)
    stopped = Unmatched(replace(found.run, cycle=None))
    assert not isinstance(check_unmatched(wrong, Kept.TERMINATION, stopped, BOUNDS), Accepted)
    assert not isinstance(check_unmatched(wrong, Kept.PROGRESS, stopped, BOUNDS), Accepted)


def runs(goal: Goal, kept: Kept) -> Iterator[Unmatched]:
    """A run of the concrete side that goes on for ever, or gets stuck, whatever the abstract side does."""
    abstract = goal.abstract
    match kept:
        case Kept.TERMINATION:
            other = replace(abstract, edges=tuple(e for e in abstract.edges if e.label is not None))
        case Kept.PROGRESS:
            turning = (Edge(q.name, q.name, None, TRUE, (), (), q.origin) for q in abstract.locations)
            other = replace(abstract, edges=(*abstract.edges, *turning))
    found = by_all_states(replace(goal, abstract=other), kept, BOUNDS)
    if isinstance(found, Unmatched):
        yield found
        for other_end in range(len(found.run.turns)):
            yield Unmatched(replace(found.run, turns=found.run.turns[:other_end]))


def made_up(made: Matched, dice: Random) -> Iterator[Matched]:
    """Evidence for something else as evidence for this: other ranks, other sets, other endless states."""
    last, every = len(made.nodes), tuple(range(len(made.abstract)))
    for ranks in (range(last), range(last, 0, -1), [dice.randrange(last) for _ in made.nodes]):
        nodes = tuple(Node(n.concrete, n.beside, r) for n, r in zip(made.nodes, ranks, strict=True))
        for endless in (made.endless, every, tuple(dice.sample(every, len(every) // 2)), ()):
            for sets in (made.sets, (every,) * len(made.sets), tuple(tuple(dice.sample(every, 1)) for _ in made.sets)):
                yield replace(made, nodes=nodes, endless=endless, sets=sets)
    less = tuple(n for n in made.nodes if dice.random() < 0.9)
    yield replace(made, nodes=less)


def judged(seed: int) -> int:
    """How many pieces of evidence for the opposite of the truth are refused."""
    first, second = (program(Source(f"seed {seed}", text)) for text in pair(seed))
    above, below = graph(first.threads, 200), graph(second.threads, 200)
    if above is None or below is None:
        return 0
    dice, refused = Random(seed), 0
    (goal,) = goals(first, second, None, whole=True)
    for kept, loops_end in product(Kept, (False, True)):
        asked = replace(goal, loops_end=loops_end)
        found = by_all_states(asked, kept, BOUNDS)
        if preserves(above, below, kept is Kept.TERMINATION, loops_end):
            assert isinstance(found, Matched)
            assert isinstance(check_matched(asked, kept, found, BOUNDS), Accepted), (seed, kept)
            for run in runs(asked, kept):
                assert not isinstance(check_unmatched(asked, kept, run, BOUNDS), Accepted), (seed, kept)
                refused += 1
        else:
            assert isinstance(found, Unmatched)
            assert isinstance(check_unmatched(asked, kept, found, BOUNDS), Accepted), (seed, kept)
            (other,) = (k for k in Kept if k is not kept)
            base = by_all_states(asked, other, BOUNDS)
            for made in () if not isinstance(base, Matched) else made_up(base, dice):
                assert not isinstance(check_matched(asked, kept, made, BOUNDS), Accepted), (seed, kept)
                refused += 1
    return refused


@pytest.mark.parametrize("seeds", [range(2, 4)])
def test_what_is_not_true_is_refused(seeds: range) -> None:
    assert sum(map(judged, seeds)) > 0


@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(4))
def test_much_that_is_not_true_is_refused(block: int) -> None:
    assert sum(map(judged, range(40 * block + 100, 40 * block + 140))) >= 100
