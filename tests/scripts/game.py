"""Weak simulation between tiny automata (Definition 6, THEORY section 3): a relation judged, the greatest one found.

Spoiler's environment move is one step of the concrete side and any sequence of steps of the abstract side;
answers are `τ* σ τ*`. Both can be exchanged where a rule is to be shown wrong with other moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from tests.scripts.finite import Automaton, Explicit, Mask, Rows, alive, bits, explicit, image, joined, mask_of, product


class Refinement(Struct, frozen=True):
    """A claim: θ, by concrete state, is a weak simulation. κ and ι are given by concrete valuation."""

    concrete: Automaton
    abstract: Automaton
    kappa: Rows
    iota: Rows
    theta: Rows


class Moves(Struct, frozen=True):
    """What Spoiler may do in an environment move: the concrete side's steps, and the abstract side's backwards."""

    concrete: Rows
    before_abstract: Rows


def related(x1: Explicit, x2: Explicit, iota: Rows) -> Rows:
    """By concrete state the abstract ones that ι relates to it, the invariants of both sides included."""
    n1, n2 = x1.valuations, x2.valuations
    copies = mask_of(range(0, x2.inv.bit_length() or 1, n2))
    by_valuation = [row * copies & x2.inv for row in iota]
    return tuple(by_valuation[s % n1] if x1.inv >> s & 1 else 0 for s in range(len(x1.env)))


def standard(x1: Explicit, x2: Explicit) -> Moves:
    """The moves of Definition 6."""
    return Moves(x1.env, x2.before_drift)


def kept(theta: Sequence[Mask], pairs: Rows, s1: int, x1: Explicit, x2: Explicit, moves: Moves) -> Mask:
    """The abstract states that may stay related to s1, when θ is what the others are related to."""
    row = theta[s1]
    lost = 0
    for t1 in bits(moves.concrete[s1]):
        lost |= pairs[t1] & ~theta[t1]
    if lost:
        row &= ~image(moves.before_abstract, lost)
    for steps, before in zip(x1.steps, x2.before_answers, strict=True):
        for t1 in bits(steps[s1]):
            row &= image(before, theta[t1])
    return row


def greatest(x1: Explicit, x2: Explicit, iota: Rows, moves: Moves) -> Rows:
    """The greatest relation that satisfies condition 2 of Definition 6."""
    pairs = related(x1, x2, iota)
    theta = list(pairs)
    changed = True
    while changed:
        changed = False
        for s1, row in enumerate(theta):
            if row:
                theta[s1] = kept(theta, pairs, s1, x1, x2, moves)
                changed = changed or theta[s1] != row
    return tuple(theta)


def is_weak_simulation(r: Refinement, moves: Moves | None = None) -> bool:
    """Definition 6 for a given θ."""
    x1, x2 = explicit(r.concrete), explicit(r.abstract)
    pairs = related(x1, x2, r.iota)
    started = all(r.kappa[s1] & x2.init & ~r.theta[s1] == 0 for s1 in bits(x1.init))
    inside = all(row & ~pairs[s1] == 0 for s1, row in enumerate(r.theta))
    chosen = moves or standard(x1, x2)
    return (
        started
        and inside
        and all(kept(r.theta, pairs, s1, x1, x2, chosen) == row for s1, row in enumerate(r.theta) if row)
    )


def covers(r: Refinement) -> bool:
    """Whether κ relates an abstract initial state to every concrete one."""
    return all(r.kappa[s1] & explicit(r.abstract).init for s1 in bits(explicit(r.concrete).init))


def matches_environments(r: Refinement) -> bool:
    """`WS`: every concrete environment step has an abstract environment path that ends in θ."""
    x1, x2 = explicit(r.concrete), explicit(r.abstract)
    return all(
        row & ~image(x2.before_drift, r.theta[t1]) == 0 for s1, row in enumerate(r.theta) for t1 in bits(x1.env[s1])
    )


def runs_matched(r: Refinement) -> bool:
    """Whether every component run of the concrete side has one of the abstract side with the same visible actions.

    κ relates the starts, and ι holds after every concrete step, at the end of its answer. Judged by a subset
    construction, not by simulation.
    """
    x1, x2 = explicit(r.concrete), explicit(r.abstract)
    pairs = related(x1, x2, r.iota)
    pending = [(s1, r.kappa[s1] & x2.init & pairs[s1]) for s1 in bits(x1.init)]
    seen = set(pending)
    while pending:
        s1, partners = pending.pop()
        if not partners:
            return False
        for steps, answers in zip(x1.steps, x2.answers, strict=True):
            for t1 in bits(steps[s1]):
                after = (t1, image(answers, partners) & pairs[t1])
                if after not in seen:
                    seen.add(after)
                    pending.append(after)
    return True


def related_states(r: Refinement) -> Mask:
    """The reachable concrete states that θ relates to something."""
    return mask_of(s for s, row in enumerate(r.theta) if row) & explicit(r.concrete).reachable


def started(r: Refinement) -> bool:
    """Whether κ relates some initial states."""
    return any(r.kappa[s] & explicit(r.abstract).init for s in bits(explicit(r.concrete).init))


def refinement_alive(r: Refinement) -> bool:
    """κ relates initial states, and related reachable states have component steps and changing environment steps."""
    return started(r) and alive(explicit(r.concrete), related_states(r))


def chained(first: Rows, second: Rows, through: Mask = -1) -> Rows:
    """The composition of two relations, through middle elements of a mask."""
    return tuple(image(second, row & through) for row in first)


@lru_cache(maxsize=64)
def parallel(a: Refinement, b: Refinement, frame: bool = True) -> Refinement:
    """The claim that Theorem 4 makes: compositions, κ1 ∧ κ2, ι1 ∧ ι2, θ1 ⊗ θ2."""
    owns = a.concrete.own, b.concrete.own, a.abstract.own, b.abstract.own
    concrete, abstract = product(a.concrete, b.concrete, frame), product(a.abstract, b.abstract, frame)
    here = [len(x.inv) for x in (a.concrete, b.concrete, a.abstract, b.abstract)]
    theta = tuple(
        _joined_states(row1, row2, a.abstract, b.abstract)
        for row1, row2 in _states(a.theta, b.theta, here[0], here[1], a.concrete, b.concrete)
    )
    return Refinement(concrete, abstract, joint(a.kappa, b.kappa, owns), joint(a.iota, b.iota, owns), theta)


def _states(x: Rows, y: Rows, at_x: int, at_y: int, a: Automaton, b: Automaton) -> list[tuple[Mask, Mask]]:
    """The rows of both relations for each state of the composition, in its order."""
    return [
        (x[p * a.valuations + g * a.own + i], y[q * b.valuations + g * b.own + j])
        for p in range(at_x)
        for q in range(at_y)
        for g in range(a.shared)
        for i in range(a.own)
        for j in range(b.own)
    ]


def _joined_states(x: Mask, y: Mask, a: Automaton, b: Automaton) -> Mask:
    """The states of a composition whose parts are in both sets."""
    if not x or not y:
        return 0
    size = a.valuations * b.own
    found = 0
    for p in range(len(a.inv)):
        left = x >> (p * a.valuations) & ((1 << a.valuations) - 1)
        for q in range(len(b.inv)) if left else ():
            right = y >> (q * b.valuations) & ((1 << b.valuations) - 1)
            found |= joined(left, a.own, right, b.own) << ((p * len(b.inv) + q) * size)
    return found


def joint(x: Rows, y: Rows, owns: tuple[int, int, int, int]) -> Rows:
    """Two relations between valuations as one on compositions; `owns` counts the local values of all four automata."""
    own1, own2, abstract1, abstract2 = owns
    return tuple(
        joined(x[g * own1 + i], abstract1, y[g * own2 + j], abstract2)
        for g in range(len(x) // own1)
        for i in range(own1)
        for j in range(own2)
    )
