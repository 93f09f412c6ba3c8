"""More states than are known to be lost, where one lemma is made after the other for the same reason.

Which values the environments may lead to cannot always be said without quantifiers: that `f(x) != x` for some x. Then
each lemma speaks of one value, and there is no last one. What they have in common excludes states that may not be
lost, so no play follows from it; a relation that is found without these states is as good as any.
"""

from __future__ import annotations

from collections.abc import Sequence

from sa.simulation.state import Cause, Lemma, LostEnvironment
from sa.terms.term import Term

#: So many lemmas for one reason are made before what they have in common is taken.
ALIKE = 12


def is_drift(cause: Cause, lemma: Lemma) -> bool:
    """Whether states are lost because the environments lead to those of a lemma."""
    return isinstance(cause, LostEnvironment) and cause.lemma is lemma


def wider_than(cube: tuple[Term, ...], before: Sequence[tuple[Term, ...]]) -> tuple[Term, ...]:
    """What a cube has in common with those before it, if these are many; otherwise the cube itself."""
    if len(before) < ALIKE:
        return cube
    common = tuple(c for c in cube if all(c in other for other in before[-ALIKE:]))
    return common if len(common) < len(cube) else cube
