"""Inclusion of behaviours for closed goals, by a subset construction (THEORY sections 2 and 7).

Follows every concrete run together with the set of all abstract states that some abstract run with
the same visible actions leads to. A concrete run whose set becomes empty escapes. Says nothing of open goals.
"""

from __future__ import annotations

from msgspec import Struct

from sa.certificates.goal import Goal
from tests.oracle.explicit import Action, State, Step, component_steps
from tests.oracle.game import Board, answers_to, board, is_related, openings


class Escape(Struct, frozen=True):
    """A concrete run that no abstract run matches: its last step is the one that cannot be followed."""

    start: State
    steps: tuple[Step, ...]


def visible_actions(escape: Escape) -> tuple[Action, ...]:
    """What is seen of the run."""
    return tuple(step.action for step in escape.steps if step.action is not None)


def escape(goal: Goal, related: bool = False) -> Escape | None:
    """A shortest concrete run that no abstract run from a κ-related initial state matches; None if all are.

    With `related`, `ι` must also hold initially and after every concrete step, at the end of its abstract
    answer. Raises ValueError for an open goal, Unbounded, and Unevaluable.
    """
    if not goal.closed:
        raise ValueError("behaviours are compared only for closed goals")
    b = board(goal)
    layer: list[tuple[State, frozenset[State], Escape]] = []
    for s1, partners in openings(b).items():
        subset = frozenset(s2 for s2 in partners if not related or is_related(b, (s1, s2)))
        if not subset:
            return Escape(s1, ())
        layer.append((s1, subset, Escape(s1, ())))
    seen = {(s1, subset) for s1, subset, _ in layer}
    while layer:
        further = []
        for s1, subset, run in layer:
            for step in component_steps(b.concrete, s1):
                longer = Escape(run.start, (*run.steps, step))
                after = _answers(b, step, subset, related)
                if not after:
                    return longer
                if (step.after, after) not in seen:
                    seen.add((step.after, after))
                    further.append((step.after, after, longer))
        layer = further
    return None


def _answers(b: Board, step: Step, subset: frozenset[State], related: bool) -> frozenset[State]:
    ends = frozenset(end for s2 in subset for end in answers_to(b, s2, step.action))
    return frozenset(end for end in ends if is_related(b, (step.after, end))) if related else ends
