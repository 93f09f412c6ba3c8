"""Tiny succinct automata as plain integers, with the semantics of THEORY section 1 by enumeration.

For judging the *statements* of the proof rules: nothing of `sa` is imported here. A set of valuations or of
states is a bit mask. A valuation is `shared value * own + local value`, a state `location * valuations +
valuation`; location 0 is initial, label 0 is silent. Environments are relations over shared values, by location.
Products are formed one by one (composition is associative), the other thread's locals kept unless asked otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache, reduce

from msgspec import Struct
from msgspec.structs import replace

Mask = int
#: For each source (a valuation, a state, a shared value) the mask of its targets.
Rows = tuple[Mask, ...]

#: What an observer may see; the first is silent.
LABELS = ("", "a", "b")


class Edge(Struct, frozen=True):
    """An edge: for each valuation the valuations that its guard and update allow."""

    source: int
    label: int
    targets: Rows
    target: int


class Automaton(Struct, frozen=True):
    """A succinct automaton over `shared` global valuations and `own` local ones."""

    shared: int
    own: int
    init: Mask
    inv: tuple[Mask, ...]
    env: tuple[Rows, ...]
    edges: tuple[Edge, ...]

    @property
    def valuations(self) -> int:
        """How many valuations there are."""
        return self.shared * self.own


class Explicit(Struct, frozen=True, eq=False, dict=True):
    """The transition system of an automaton. `inv` and `init` are masks of states, `steps` has rows by label."""

    valuations: int
    init: Mask
    inv: Mask
    steps: tuple[Rows, ...]
    env: Rows

    @cached_property
    def component(self) -> Rows:
        """The component steps of all labels."""
        return tuple(reduce(int.__or__, row) for row in zip(*self.steps, strict=True))

    @cached_property
    def every(self) -> Rows:
        """The steps of component and environment."""
        return tuple(c | e for c, e in zip(self.component, self.env, strict=True))

    @cached_property
    def environment_move(self) -> Rows:
        """Finite sequences of environment steps, the empty one included."""
        return closed(self.env)

    @cached_property
    def answers(self) -> tuple[Rows, ...]:
        """By label what `τ*`, or `τ* σ τ*`, leads to."""
        silent = closed(self.steps[0])
        seen = (composed(composed(silent, row), silent) for row in self.steps[1:])
        return (silent, *seen)

    @cached_property
    def before_drift(self) -> Rows:
        """For each state the states that environment_move to it."""
        return inverse(self.environment_move)

    @cached_property
    def before_answers(self) -> tuple[Rows, ...]:
        """By label, for each state the states with an answer that ends there."""
        return tuple(inverse(row) for row in self.answers)

    @cached_property
    def reachable(self) -> Mask:
        """The states of all runs."""
        return reached(self.every, self.init)


@lru_cache(maxsize=1 << 16)
def bits(mask: Mask) -> tuple[int, ...]:
    """The members of a mask."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)


def mask_of(members: Iterable[int]) -> Mask:
    """The mask with these members."""
    return reduce(lambda mask, i: mask | 1 << i, members, 0)


def full(size: int) -> Mask:
    """All of 0..size-1."""
    return (1 << size) - 1


def image(rows: Sequence[Mask], sources: Mask) -> Mask:
    """Everything that some member of `sources` leads to."""
    found = 0
    for i in bits(sources):
        found |= rows[i]
    return found


def composed(first: Rows, second: Rows) -> Rows:
    """One step of the first relation, then one of the second."""
    return tuple(image(second, row) for row in first)


def inverse(rows: Rows) -> Rows:
    """The relation backwards, between sets of one size."""
    found = [0] * len(rows)
    for i, row in enumerate(rows):
        for j in bits(row):
            found[j] |= 1 << i
    return tuple(found)


def closed(rows: Rows) -> Rows:
    """The reflexive transitive closure."""
    return tuple(reached(rows, 1 << i) for i in range(len(rows)))


def reached(rows: Sequence[Mask], start: Mask) -> Mask:
    """Everything that finitely many steps from `start` lead to."""
    seen = fresh = start
    while fresh:
        fresh = image(rows, fresh) & ~seen
        seen |= fresh
    return seen


@lru_cache(maxsize=1 << 12)
def widened(shared: Mask, own: int) -> Mask:
    """For a set of shared values their valuations in which the local value is 0."""
    return mask_of(g * own for g in bits(shared))


def shared_part(valuations: Mask, own: int) -> Mask:
    """The shared values of a set of valuations."""
    return mask_of(v // own for v in bits(valuations)) if own > 1 else valuations


def slice_of(valuations: Mask, own: int, local: int) -> Mask:
    """The shared values that a set of valuations has together with a local value."""
    return mask_of(v // own for v in bits(valuations) if v % own == local) if own > 1 else valuations


@lru_cache(maxsize=64)
def explicit(a: Automaton) -> Explicit:
    """The transition system: component and environment steps, the invariants before and after (they cut runs)."""
    size = len(a.inv) * a.valuations
    steps = [[0] * size for _ in LABELS]
    for e in a.edges:
        for v in bits(a.inv[e.source]):
            steps[e.label][e.source * a.valuations + v] |= (e.targets[v] & a.inv[e.target]) << (e.target * a.valuations)
    env = [0] * size
    for q, inv in enumerate(a.inv):
        for v in bits(inv):
            g, local = divmod(v, a.own)
            env[q * a.valuations + v] = (widened(a.env[q][g], a.own) << local & inv) << (q * a.valuations)
    inv = states_where(a, a.inv)
    return Explicit(a.valuations, a.init & a.inv[0], inv, tuple(map(tuple, steps)), tuple(env))


def states_where(a: Automaton, by_location: Sequence[Mask]) -> Mask:
    """The states given as valuations by location."""
    return reduce(int.__or__, (mask << (q * a.valuations) for q, mask in enumerate(by_location)))


def everywhere(a: Automaton, valuations: Mask) -> Mask:
    """The states with one of these valuations, at any location; the invariants hold or not."""
    return states_where(a, (valuations,) * len(a.inv))


def pairwise_compatible(automata: Sequence[Automaton]) -> bool:
    """Whether every two automata are compatible (Definition 2)."""
    return all(_tolerates(b, a) for a in automata for b in automata if a is not b)


def _tolerates(b: Automaton, a: Automaton) -> bool:
    """Whether b's environments and invariants admit every component step of a."""
    for e in a.edges:
        for v in bits(a.inv[e.source]):
            g, after = v // a.own, shared_part(e.targets[v] & a.inv[e.target], a.own)
            if after and not all(_admits(b, q, g, after) for q in range(len(b.inv))):
                return False
    return True


def _admits(b: Automaton, q: int, g: int, after: Mask) -> bool:
    locals_here = b.inv[q] >> (g * b.own) & full(b.own)
    moved = all(widened(after, b.own) << local & ~b.inv[q] == 0 for local in bits(locals_here))
    return not locals_here or (after & ~b.env[q][g] == 0 and moved)


@lru_cache(maxsize=64)
def product(a: Automaton, b: Automaton, frame: bool = True) -> Automaton:
    """The parallel composition (Definition 3). Without the frame a step of one sets the other's locals at will."""
    own, there = a.own * b.own, range(len(b.inv))
    env = tuple(tuple(map(int.__and__, x, y)) for x in a.env for y in b.env)
    left = [(e, _lifted(e.targets, a.own, b.own, True, frame)) for e in a.edges]
    right = [(e, _lifted(e.targets, b.own, a.own, False, frame)) for e in b.edges]
    edges = [
        *(Edge(e.source * len(b.inv) + q, e.label, t, e.target * len(b.inv) + q) for e, t in left for q in there),
        *(
            Edge(p * len(b.inv) + e.source, e.label, t, p * len(b.inv) + e.target)
            for e, t in right
            for p in range(len(a.inv))
        ),
    ]
    inv = tuple(joined(x, a.own, y, b.own) for x in a.inv for y in b.inv)
    return Automaton(a.shared, own, joined(a.init, a.own, b.init, b.own), inv, env, tuple(edges))


@lru_cache(maxsize=1 << 12)
def joined(x: Mask, own_x: int, y: Mask, own_y: int) -> Mask:
    """The valuations of a composition whose parts are in both sets."""
    if own_x == own_y == 1:
        return x & y
    by_shared = [(v // own_x, v % own_x) for v in bits(x)]
    return mask_of((g * own_x + i) * own_y + w % own_y for g, i in by_shared for w in bits(y) if w // own_y == g)


def _lifted(targets: Rows, own: int, other: int, first: bool, frame: bool) -> Rows:
    """A relation on one part's valuations as one on the composition's, of which it is the first part or the second."""
    if other == 1:
        return targets
    at = (other, 1) if first else (1, own)
    rows = [0] * (len(targets) * other)
    for v, after in enumerate(targets):
        for j in range(other):
            left = range(other) if not frame else (j,)
            ends = [(w // own, w % own, k) for w in bits(after) for k in left]
            there = mask_of(g * own * other + i * at[0] + k * at[1] for g, i, k in ends)
            rows[v // own * own * other + v % own * at[0] + j * at[1]] = there
    return tuple(rows)


def composition(automata: Sequence[Automaton], frame: bool = True) -> Automaton:
    """The parallel composition of all."""
    return reduce(lambda a, b: product(a, b, frame), automata)


def is_closed(a: Automaton) -> bool:
    """Whether the environment cannot change a shared value, whatever `Inv` cuts."""
    return all(row & ~(1 << g) == 0 for rows in a.env for g, row in enumerate(rows))


def preserving(x: Explicit, good: Mask) -> Rows:
    """The environment steps that keep a set of states once it holds."""
    return tuple(row & good if good >> s & 1 else row for s, row in enumerate(x.env))


def weakly_reachable(x: Explicit, good: Mask) -> Mask:
    """The states of the runs whose environment steps preserve a set of states."""
    kept = preserving(x, good)
    return reached([c | e for c, e in zip(x.component, kept, strict=True)], x.init)


def is_weak_invariant(a: Automaton, valuations: Mask) -> bool:
    """Definition 5, for a set of valuations."""
    good = everywhere(a, valuations)
    return weakly_reachable(explicit(a), good) & ~good == 0


def is_strong_invariant(a: Automaton, valuations: Mask) -> bool:
    """Definition 4, for a set of valuations."""
    return explicit(a).reachable & ~everywhere(a, valuations) == 0


def alive(x: Explicit, states: Mask) -> bool:
    """Whether in some of these states a component step is possible, and in some an environment step that changes."""
    here = bits(states)
    return any(x.component[s] for s in here) and any(x.env[s] & ~(1 << s) for s in here)


def made_closed(a: Automaton) -> Automaton:
    """The automaton with an environment that does nothing."""
    identity = tuple(1 << g for g in range(a.shared))
    return replace(a, env=(identity,) * len(a.inv))
