"""Bounds of numbers by where threads are, for numbers that are in no balance: what is taken may never come back.

A thread that is at a location has added at least so much to a number: the least sum along a way there (Bellman, On a
Routing Problem, 1958). So the number is at least what it was at the start and what all have added who are somewhere;
in the same way it is at most that. Whoever uses what is found shows that it holds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from sa.automata.automaton import Automaton
from sa.invariants.cases import two_valued
from sa.invariants.place_invariants import Balance, Guess, Step, Total, firsts, steps_of
from sa.terms import build
from sa.terms.sort import INT
from sa.terms.term import Var


def leaks(
    threads: Sequence[Automaton],
    guess: Guess,
    others: Sequence[Automaton],
    apart_from: Collection[Var],
    copied: Collection[str],
) -> Iterator[Balance]:
    """Sums of one number and of locations that are never less, or never more, than at the start.

    The `others` make steps like the threads; some variables may be left out. Of the threads that are `copied` there may
    be any number, and some location of one of them has to count.
    """
    everyone = (*threads, *others)
    two = two_valued(everyone, firsts(everyone))
    every = {t.name: (t.initial, steps_of(t, everyone, guess, two)) for t in threads}
    declared = {v.var: (v.low, v.high) for t in everyone for v in t.variables}
    moved = dict.fromkeys(v for _, steps in every.values() for s in steps for v in s.changes if v.sort == INT)
    for var in (v for v in moved if v not in apart_from):
        for total, sign in ((Total.LEAST, 1), (Total.MOST, -1)):
            heights = {name: _least(start, steps, var, sign) for name, (start, steps) in every.items()}
            known = {name: found for name, found in heights.items() if found is not None}
            counted = [known[name] for name in copied if name in known]
            if len(known) < len(heights):
                continue
            low, high = declared.get(var, (None, None))
            # Where a range bounds the number anyway, only what is counted against it says more.
            is_bounded = (low if sign > 0 else high) is not None
            if any(h > 0 or (h < 0 and not is_bounded) for c in counted for h in c.values()):
                places = {(t, q): build.integer(-sign * h) for t, found in known.items() for q, h in found.items() if h}
                yield Balance({var: 1}, places, total)


def _least(start: str, steps: Sequence[Step], var: Var, sign: int) -> Mapping[str, int] | None:
    """The least sum of what is added to a number, or taken from it where the sign is -1, on a way to each location.

    None where that is not known, or there is no least one.
    """
    ways = list[tuple[str, str, int]]()
    for step in steps:
        change = step.changes.get(var, {})
        if change is None or not change.keys() <= {build.ONE}:
            return None
        ways.append((step.source, step.target, sign * change.get(build.ONE, 0)))
    found = {start: 0}
    for _ in range(len({q for source, target, _ in ways for q in (source, target)}) + 1):
        before = dict(found)
        for source, target, added in ways:
            if source in found:
                found[target] = min(found.get(target, found[source] + added), found[source] + added)
        if found == before:
            return found
    return None
