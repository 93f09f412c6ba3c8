"""A run that no abstract state matches, with as few steps as may be: parts of it are left out, large ones first.

Without some steps of a thread later ones may be impossible, and are left out as well. What is left counts where still
nobody matches it. No run is shown to be shortest.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Edge
from sa.base.limits import Limits, spend
from sa.explicit.machine import Steps, Stride
from sa.values.followers import Followers

#: So many steps are made to find a shorter run.
STEPS = 200_000

#: What a step is, whatever other threads do meanwhile.
Own: TypeAlias = Hashable


class Made(Struct, frozen=True, eq=False):
    """A run as strides from initial states of both sides. `escapes`: nobody matches all of it."""

    concrete: int
    abstract: int
    strides: tuple[Stride, ...]
    escapes: bool


def track(followers: Followers, concrete: int, abstract: int, strides: Iterable[Stride]) -> Made:
    """The run by these strides as far as somebody matches it, and not too many do, with one more step where none does.

    Raises Unevaluable.
    """
    made, front = list[Stride](), frozenset((abstract,))
    for stride in strides:
        made.append(stride)
        after = followers.after(front, stride)
        if after is None:
            break
        if not after:
            return Made(concrete, abstract, tuple(made), True)
        front = after
    return Made(concrete, abstract, tuple(made), False)


def shortened(
    steps: Callable[[int], Steps], own: Callable[[Edge], Own], followers: Followers, run: Made, bounds: Limits
) -> tuple[Stride, ...]:
    """The strides of a run that escapes, those of a shorter one where one is found.

    `steps` has those from a state, and `own` says which step of which thread an edge is. Raises LimitReached and
    Unevaluable.
    """
    left = STEPS
    size = len(run.strides) // 2
    while size > 0:
        is_shorter, place = False, len(run.strides) - size
        while place >= 0 and left > 0:
            spend(bounds, 300)
            wanted = run.strides[:place] + run.strides[place + size :]
            tried = track(followers, run.concrete, run.abstract, _again(steps, own, run.concrete, wanted))
            left -= len(wanted)
            if tried.escapes:
                run, is_shorter = tried, True
            place = min(place, len(run.strides)) - size
        size = size if is_shorter and size == 1 else size // 2
    return run.strides


def _again(
    steps: Callable[[int], Steps], own: Callable[[Edge], Own], state: int, strides: Sequence[Stride]
) -> Iterator[Stride]:
    """The same steps of the same threads, as far as they are possible."""
    for stride in strides:
        wanted = own(stride.edge), stride.picked
        again = (s for s in steps(state).strides if (own(s.edge), s.picked) == wanted)
        found = next(again, None)
        if found is not None:
            yield found
            state = found.after
