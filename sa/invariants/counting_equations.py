"""Equations between numbers and words: each word counts 1 in a state that has it and 0 in others.

"While the master waits, the token is what was sent and as many as there are events" is one: counters, and how far each
of many threads is, in one sum. Candidates are all equations of the states that were seen with a word (a location of a
thread, say), a null space; whoever uses one shows that it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import TypeAlias

from msgspec import Struct

from sa.invariants.features import Seen, Word
from sa.invariants.linear import null_space
from sa.invariants.templates import Amount, Look
from sa.terms import build
from sa.terms.sort import Value
from sa.terms.term import Term

#: What an equation adds up: 1, an amount, by its number, or a word.
Summand: TypeAlias = int | Word | None

#: Coefficients of amounts and words at most: what few states have in common by chance has larger ones.
COEFFICIENT = 20

#: Summands and states at most, how many states more than summands are looked at first, and how often others that break
#: an equation are looked at, too.
SUMMANDS, STATES, MORE, AGAIN = 200, 1_500, 60, 8


class Equation(Struct, frozen=True):
    """Coefficients that add up to 0 in states with a word, in all states where there is none.

    They are those of 1, of amounts, and of words.
    """

    where: Word | None
    constant: int
    numbers: tuple[tuple[int, int], ...]
    counted: tuple[tuple[int, Value, int], ...]

    @property
    def entries(self) -> frozenset[int]:
        """The amounts that it speaks of."""
        return frozenset(n for n, _ in self.numbers)

    def holds(self, look: Look) -> bool:
        """Whether it holds in a state."""
        amounts, words = look
        if self.where is not None and words[self.where[0]] != self.where[1]:
            return True
        total = self.constant
        for number, weight in self.numbers:
            total += weight * amounts[number]
        for feature, value, weight in self.counted:
            if words[feature] == value:
                total += weight
        return total == 0


def equation(where: Word | None, weights: Mapping[Summand, int]) -> Equation:
    """The equation with these coefficients."""
    numbers = tuple((s, w) for s, w in weights.items() if isinstance(s, int))
    counted = tuple((*s, w) for s, w in weights.items() if isinstance(s, tuple))
    return Equation(where, weights.get(None, 0), numbers, counted)


def written(equation: Equation, seen: Seen, amounts: Sequence[Amount]) -> Term:
    """The equation as a formula."""

    numbers = [build.scale(w, amounts[n].term) for n, w in equation.numbers]
    words = [build.ite(seen.features[f].says(x), build.integer(w), build.ZERO) for f, x, w in equation.counted]
    total = build.add(build.integer(equation.constant), *numbers, *words)
    said = build.eq(total, build.ZERO)
    where = equation.where
    return said if where is None else build.implies(seen.features[where[0]].says(where[1]), said)


def equations(
    seen: Seen, looked: Sequence[Look], numbers: Sequence[int], where: Word | None, between: Callable[[], None]
) -> tuple[list[Equation] | None, int]:
    """The equations with an amount in them of the states with a word, and how many pairs of summands were looked at;
    none where there are too few states to tell. `looked` are all states that were seen, `numbers` those of amounts.
    """
    states = seen.together(() if where is None else (where,))
    mine = [n for n in range(len(looked)) if states >> n & 1]
    summands: list[Summand] = [None, *_words(seen, states), *numbers]
    if len(mine) < len(summands) + 2 or len(summands) > SUMMANDS:
        return None, 0
    known = frozenset(summands)
    forms = [_form(known, numbers, looked[n]) for n in Random(0).sample(mine, min(len(mine), STATES))]
    first, found = 2 * len(summands) + MORE, list[dict[Summand, int]]()
    picked = set(range(min(len(forms), first)))
    for turn in range(1, AGAIN + 1):
        between()
        weights = null_space(summands, [forms[n] for n in sorted(picked)])
        found = [w for w in weights if any(isinstance(s, int) for s in w)]
        broken = [n for n, f in enumerate(forms) if any(_total(w, f) for w in found)]
        if not broken:
            short = [equation(where, w) for w in found if all(abs(c) <= COEFFICIENT or s is None for s, c in w.items())]
            return short, turn * len(summands) ** 2
        picked.update(broken[:MORE])
    return [], AGAIN * len(summands) ** 2


def _form(known: frozenset[Summand], numbers: Sequence[int], look: Look) -> dict[Summand, int]:
    """What the summands count in a state, in their order."""
    amounts, words = look
    form: dict[Summand, int] = {None: 1}
    form.update((word, 1) for word in enumerate(words) if word in known)
    form.update((n, value) for n in numbers if (value := amounts[n]))
    return form


def _total(weights: Mapping[Summand, int], form: Mapping[Summand, int]) -> int:
    return sum(w * form.get(s, 0) for s, w in weights.items())


def _words(seen: Seen, states: int) -> Iterator[Word]:
    """Words that tell some of the states from others, each split of the states once."""
    told = set[int]()
    for feature, known in enumerate(seen.with_word):
        for value, others in known.items():
            some = states & others
            if some not in (0, states) and some not in told and states & ~some not in told:
                told.add(some)
                yield feature, value
