"""Goals of whole programs, and what engines that look for runs find of random ones, beside an enumeration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from sa.base.limits import limits
from sa.base.source import Source
from sa.certificates.goal import Goal
from sa.certificates.play import Play, following
from sa.certificates.play import Position as InPlay
from sa.checker.check import Accepted, check
from sa.language.elaborate import program
from sa.question.goals import goals
from tests.generators.automata import random_goal
from tests.oracle.game import board, decide, is_related, openings
from tests.oracle.inclusion import escape


def goal_of(abstract: str, concrete: str, shared: str = "global x : int = 0;") -> Goal:
    """The goal about two programs as a whole, which share what is declared."""
    first, second = (
        program(Source(n, f"{shared} {text}")) for n, text in (("abs.sa", abstract), ("conc.sa", concrete))
    )
    (goal,) = goals(first, second, None, whole=True)
    return goal


def length(play: Play | InPlay | object) -> int:
    """The longest way through a play."""
    return 1 + max(map(length, following(play)), default=0) if isinstance(play, InPlay) else 0


def compared(seeds: Iterable[int], refuted: Callable[[Goal, int], Play | None]) -> Counter[str]:
    """What an engine, asked with a seed, and an enumeration of behaviours say of random closed goals.

    These are related at the start.
    """
    counts = Counter[str]()
    for seed in seeds:
        goal = random_goal(seed).goal
        if not goal.closed or goal.choose_init:
            continue
        b = board(goal)
        if not all(
            partners and all(is_related(b, (s1, s2)) for s2 in partners) for s1, partners in openings(b).items()
        ):
            continue
        play = refuted(goal, seed)
        if play is not None:
            # A play may begin at any pair that κ relates, an escape only where no partner is left.
            assert not decide(goal).simulated and isinstance(check(goal, play, limits(60.0, None)), Accepted), seed
        escapes = escape(goal, related=True) is not None
        counts[f"{'escapes' if escapes else 'matched'}, {'found' if play else 'not found'}"] += 1
    return counts
