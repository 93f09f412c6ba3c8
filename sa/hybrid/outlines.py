"""What a thread needs before its own steps so that nothing bad is next: weakest preconditions, back along these steps.

A proof outline (Owicki, Gries, 1976) says this where the thread is, and that others keep it. So a fact that holds under
a condition only is among them: "if the version is still the one that was read, both copies are equal".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from sa.hybrid.points import Step
from sa.invariants.houdini import has_functions
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, subterms

#: So many formulas at most, parts of one, and steps back.
FORMULAS, SIZE, DEPTH = 48, 80, 8

#: A thread at one of its places.
_Place: TypeAlias = tuple[int, int]


def outlines(steps: Sequence[Step]) -> Iterator[Term]:
    """Formulas that are needed at some place of the thread that fails, those of its last steps first."""
    into = dict[_Place, dict[tuple[int, Term, tuple[object, ...]], Step]]()
    pending = deque[tuple[_Place, Term, int]]()
    for step in steps:
        threads = {a.thread for a in step.arcs}
        if len(threads) != 1 or step.choices or has_functions(step.guard):
            continue
        (thread,) = threads
        place = step.source.places[thread]
        if step.target is None:
            pending.append(((thread, place), build.lnot(step.guard), 0))
        else:
            key = place, step.guard, tuple(step.updates.items())
            into.setdefault((thread, step.target.places[thread]), {}).setdefault(key, step)
    found = {(at, formula) for at, formula, _ in pending}
    told = dict.fromkeys(formula for _, formula, _ in pending)
    while pending and len(told) < FORMULAS:
        at, formula, back = pending.popleft()
        for step in into.get(at, {}).values() if back < DEPTH else ():
            before = at[0], step.source.places[at[0]]
            after = substitute(formula, step.updates)
            for needed in dict.fromkeys((after, build.implies(step.guard, after))):
                small = needed.free and sum(1 for _ in subterms((needed,))) <= SIZE
                if small and (before, needed) not in found:
                    found.add((before, needed))
                    pending.append((before, needed, back + 1))
                    if needed not in told:
                        told[needed] = None
                        yield needed
