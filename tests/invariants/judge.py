"""Random closed programs with something bad, and how far away it is by exhaustive enumeration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from sa.automata.automaton import FAIL, Automaton, Edge
from sa.certificates.run import Bad, Failing
from sa.terms.build import eq, integer, land, lnot, variable
from sa.terms.sort import BOOL
from sa.terms.substitute import local_of
from sa.terms.term import Term, Var
from tests.generators.programs import random_program
from tests.language.texts import program_of
from tests.oracle.explicit import Explicit, State, allowed, component_steps, explicit, initial_states, restrict
from tests.oracle.formula import Row, predicate

#: The values of integers without a range, for the oracle and for everyone else.
LOW, HIGH = -1, 3


def random_question(seed: int, threads: int = 2) -> tuple[tuple[Automaton, ...], Bad]:
    """Threads whose integers are confined to few values, and a failure, a claim or both."""
    program = program_of(random_program(seed, threads))
    confined = tuple(restrict(t, LOW, HIGH) for t in program.threads)
    rng = Random(seed)
    kind = rng.choice(("failure", "one thread", "one edge", "claim", "claim", "both"))
    claim = random_claim(rng, confined) if kind in ("claim", "both") else None
    failing = None if kind == "claim" else Failing()
    if kind in ("one thread", "one edge"):
        thread = rng.choice(confined)
        failures = [e for e in thread.edges if e.label is not None and e.label.action == FAIL]
        failing = Failing(thread.name, rng.choice(failures) if failures and kind == "one edge" else None)
    return confined, Bad(failing, claim)


def random_claim(rng: Random, threads: tuple[Automaton, ...]) -> Term:
    """That some values, or values at some places, do not occur together."""
    x, y, n = (variable(v) for v in ("x", "y", "n"))
    parts: list[Term] = [eq(x, integer(rng.randint(0, 3))), eq(y, integer(rng.randint(0, 2)))]
    parts += [eq(n, integer(rng.randint(LOW, HIGH))), variable("b", BOOL)]
    parts += [variable(f"at {t.name}.{rng.choice(t.locations).name}", BOOL) for t in threads]
    return lnot(land(*rng.sample(parts, rng.randint(1, 3))))


Whole = tuple[State, ...]


def distance(threads: tuple[Automaton, ...], bad: Bad, most: int | None = None) -> int | None:
    """The number of steps to the nearest violation, None if no reachable state has one, of the first `most` or so.

    The state of each thread is the oracle's; all agree on what is shared.
    """
    sides = [explicit(t) for t in threads]
    claim = None if bad.claim is None else predicate(bad.claim, names_of(threads, sides))
    seen = set(starts(sides))
    front, taken = list(seen), 0
    while front and (most is None or len(seen) < most):
        if claim is not None and not all(claim(values_of(threads, sides, here)) for here in front):
            return taken
        after = set[Whole]()
        for here in front:
            for thread, edge, there in steps(sides, here):
                if is_bad(bad, threads[thread].name, edge):
                    return taken + 1
                after.add(there)
        front, taken = list(after - seen), taken + 1
        seen |= after
    return None


def starts(sides: Sequence[Explicit]) -> list[Whole]:
    """The initial states."""
    shared = sides[0].visible
    found: list[Whole] = [()]
    for x in sides:
        mine = initial_states(x)
        found = [(*w, s) for w in found for s in mine if not w or w[0].row[:shared] == s.row[:shared]]
    return found


def steps(sides: Sequence[Explicit], here: Whole) -> Iterator[tuple[int, Edge, Whole]]:
    """The steps of all threads from a state: which thread, along which edge, where to."""
    for i, x in enumerate(sides):
        for step in component_steps(x, here[i]):
            shared = step.after.row[: x.visible]
            there = tuple(
                step.after if i == j else State(s.location, shared + s.row[x.visible :]) for j, s in enumerate(here)
            )
            if all(allowed(y, s) for y, s in zip(sides, there, strict=True)):
                yield i, step.edge, there


def is_bad(bad: Bad, thread: str, edge: Edge) -> bool:
    """Whether a step of the thread is what must not happen."""
    if bad.failing is None or edge.label is None or edge.label.action != FAIL:
        return False
    return bad.failing.thread in (None, thread) and bad.failing.edge in (None, edge)


def names_of(threads: Sequence[Automaton], sides: Sequence[Explicit]) -> list[Var]:
    """What claims may mention."""
    places = [variable(f"at {t.name}.{q.name}", BOOL) for t in threads for q in t.locations]
    own = [local_of(v, t.name) for t, x in zip(threads, sides, strict=True) for v in x.order[x.visible :]]
    return [*sides[0].order[: sides[0].visible], *own, *places]


def values_of(threads: Sequence[Automaton], sides: Sequence[Explicit], here: Whole) -> Row:
    """The values of `names_of` in a state."""
    places = [q.name == s.location for t, s in zip(threads, here, strict=True) for q in t.locations]
    own = [value for x, s in zip(sides, here, strict=True) for value in s.row[x.visible :]]
    return (*here[0].row[: sides[0].visible], *own, *places)
