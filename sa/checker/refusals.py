"""What a play says about edges that are not answers: no evidence, but checked by evaluation all the same."""

from __future__ import annotations

from collections.abc import Iterator

from sa.certificates.goal import Goal
from sa.certificates.interpreted import goal_of, plain_play
from sa.certificates.play import Chosen, Obstacle, PlainPlay, Play, Position, Refusal, Step, following
from sa.checker.legal import Action, shown, state_fault, updated
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.side import Side, side
from sa.terms.evaluate import Unevaluable, holds


def check_refusals(goal: Goal, play: Play) -> Ruling:
    """Whether all refusals of a play, which refutes the goal, are as they say."""
    abstract = side(goal_of(play, goal).abstract)
    try:
        for here in _positions(plain_play(play)):
            if isinstance(here.move, Step):
                move = here.move.move
                asked = shown(move.edge, here.concrete.values, move.choices)
                for refusal in here.move.refusals:
                    if _obstacle(abstract, refusal, asked) is not refusal.obstacle:
                        where = f"{refusal.at.location}, edge to {refusal.edge.target}"
                        return Rejected("refusal", "the edge is not refused, or for another reason", where)
    except Unevaluable as problem:
        return Rejected("evaluation", f"{problem} has no value")
    return Accepted()


def _positions(play: PlainPlay) -> Iterator[Position]:
    """Each position once. Plays may be deep: no recursion."""
    pending = [play] if isinstance(play, Position) else []
    if isinstance(play, Chosen):
        pending += [o for o in play.openings if isinstance(o, Position)]
    seen = {id(p) for p in pending}
    while pending:
        here = pending.pop()
        yield here
        for then in following(here):
            if isinstance(then, Position) and id(then) not in seen:
                seen.add(id(then))
                pending.append(then)


def _obstacle(s: Side, refusal: Refusal, asked: Action) -> Obstacle | None:
    """Why the edge does not answer from there; None where it does, or where this is no edge or no state."""
    edge, at = refusal.edge, refusal.at
    if edge.choices or edge.source != at.location or state_fault(s, at) is not None:
        return None
    if not holds(edge.guard, at.values):
        return Obstacle.GUARD
    seen = shown(edge, at.values, {})
    if seen is not None and (asked is None or asked[:2] != seen[:2]):
        return Obstacle.LABEL
    if seen is not None and seen != asked:
        return Obstacle.VALUE
    return None if holds(s.locations[edge.target].inv, updated(edge, at.values, {})) else Obstacle.INVARIANT
