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
from sa.terms import build
from sa.terms.compile import Row
from sa.terms.sort import Value
from sa.terms.term import Term, Var

#: What an equation adds up: 1, the entry of a row, or a word.
Summand: TypeAlias = int | Word | None

#: Coefficients at most: what few states have in common by chance has larger ones.
COEFFICIENT = 20

#: Summands and states at most, how many states more than summands are looked at first, and how often others that break
#: an equation are looked at, too.
SUMMANDS, STATES, MORE, AGAIN = 200, 1_500, 60, 8

#: A state, and its words.
Look: TypeAlias = tuple[Row, Sequence[Value]]


class Equation(Struct, frozen=True, eq=False):
    """Coefficients that add up to 0 in states with a word, in all states where there is none."""

    where: Word | None
    weights: Mapping[Summand, int]

    @property
    def numbers(self) -> frozenset[int]:
        """The entries of a row that it speaks of."""
        return frozenset(s for s in self.weights if isinstance(s, int))

    def holds(self, row: Row, words: Sequence[Value]) -> bool:
        """Whether it holds in a state."""
        if self.where is not None and words[self.where[0]] != self.where[1]:
            return True
        return sum(w * _counts(s, row, words) for s, w in self.weights.items()) == 0


def _counts(summand: Summand, row: Row, words: Sequence[Value]) -> int:
    if summand is None:
        return 1
    if isinstance(summand, int):
        value = row[summand]
        assert isinstance(value, int)
        return value
    feature, value = summand
    return int(words[feature] == value)


def written(equation: Equation, seen: Seen, order: Sequence[Var]) -> Term:
    """The equation as a formula."""

    def term(summand: Summand) -> Term:
        if summand is None:
            return build.ONE
        if isinstance(summand, int):
            return order[summand]
        return build.ite(seen.features[summand[0]].says(summand[1]), build.ONE, build.ZERO)

    total = build.add(*(build.scale(w, term(s)) for s, w in equation.weights.items()))
    said = build.eq(total, build.ZERO)
    where = equation.where
    return said if where is None else build.implies(seen.features[where[0]].says(where[1]), said)


def equations(
    seen: Seen, looked: Sequence[Look], numbers: Sequence[int], where: Word | None, between: Callable[[], None]
) -> tuple[list[Equation], int]:
    """The equations with a number in them of the states with a word, and how many pairs of summands were looked at.

    `looked` are all states that were seen.
    """
    states = seen.together(() if where is None else (where,))
    mine = [n for n in range(len(looked)) if states >> n & 1]
    summands: list[Summand] = [None, *_words(seen, states), *numbers]
    if len(mine) < len(summands) + 2 or len(summands) > SUMMANDS:
        return [], 0
    forms = [_form(summands, *looked[n]) for n in Random(0).sample(mine, min(len(mine), STATES))]
    first, found = 2 * len(summands) + MORE, list[Equation]()
    picked = set(range(min(len(forms), first)))
    for turn in range(1, AGAIN + 1):
        between()
        weights = null_space(summands, [forms[n] for n in sorted(picked)])
        found = [Equation(where, w) for w in weights if any(isinstance(s, int) for s in w)]
        broken = [n for n, f in enumerate(forms) if any(_total(e.weights, f) for e in found)]
        if not broken:
            return [e for e in found if all(abs(w) <= COEFFICIENT for w in e.weights.values())], turn * len(
                summands
            ) ** 2
        picked.update(broken[:MORE])
    return [], AGAIN * len(summands) ** 2


def _form(summands: Sequence[Summand], row: Row, words: Sequence[Value]) -> dict[Summand, int]:
    return {s: c for s in summands if (c := _counts(s, row, words))}


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
