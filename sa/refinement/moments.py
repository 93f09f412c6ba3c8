"""When the abstract threads make the steps that others may see: read off runs of both sides that show the same.

A concrete run is followed by all abstract runs with the same actions. Those that come to its end say for each step of
an abstract thread between which concrete steps it can be made: at the thread's own steps, or at those of another thread
that helps it. A rule says at which concrete steps, and under which condition, the abstract step is made; one is kept
that is right in all runs (linearization points: Herlihy and Wing 1990; looked for: Vafeiadis, CAV 2010). It is a guess.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Automaton, Edge, Label, Variable
from sa.automata.automaton import composed as threads_of
from sa.explicit.instantiate import Row
from sa.explicit.machine import Stride
from sa.refinement.sides import Sides
from sa.terms.name import off_side
from sa.terms.term import Term, Var

#: A thread's step, whatever the others are at: the thread's number, where it is before and after, and what it does.
Step: TypeAlias = tuple[int, str, str, "Deed"]

#: A condition on the concrete state before a step: tests, and whether they hold.
Literals: TypeAlias = tuple[tuple[Term, bool], ...]

#: A node of the abstract runs: a moment and an abstract state. A visible step has a moment before its action.
_Node: TypeAlias = tuple[int, int]

#: Abstract states that are looked at for one moment; literals of a condition; tests that conditions are made of.
LOOKED_AT, LITERALS, TESTS = 300, 2, 24


class Deed(Struct, frozen=True):
    """What a step does."""

    guard: Term
    label: Label | None
    updates: tuple[tuple[Var, Term], ...]
    choices: tuple[Variable, ...]


class Moment(Struct, frozen=True, eq=False):
    """Where an abstract step can be made: along with a concrete step, before its action if it has one, or after it.

    `before` and `after` are the concrete values around that step.
    """

    step: Step
    late: bool
    before: Row
    after: Row


class Chance(Struct, frozen=True, eq=False):
    """A moment in which an abstract thread has not made its step yet; the ways to choose with which it can be made."""

    moment: Moment
    picked: frozenset[Row] | None


class Rule(Struct, frozen=True):
    """Along with which concrete step, and when, an abstract step is made."""

    step: Step
    late: bool
    condition: Literals


class Test(Struct, frozen=True, eq=False):
    """A condition on the concrete values before a step."""

    term: Term
    holds: Callable[[Row], bool]


class Steps(Struct, frozen=True, eq=False):
    """The steps of an automaton's threads by the numbers of its edges."""

    of: tuple[Step, ...]

    @staticmethod
    def made(automaton: Automaton) -> Steps:
        """Those of an automaton, composed or not."""
        names = {name: n for n, name in enumerate(threads_of(automaton))}
        parts = {q.name: q.parts or (q.name,) for q in automaton.locations}

        def step(edge: Edge) -> Step:
            n = names[edge.thread] if edge.thread in names and len(names) > 1 else 0
            return (
                n,
                parts[edge.source][n],
                parts[edge.target][n],
                Deed(edge.guard, edge.label, edge.updates, edge.choices),
            )

        return Steps(tuple(map(step, automaton.edges)))


class Watched(Struct, frozen=True, eq=False):
    """What runs are looked at with: both sides, their steps, and where each abstract thread stands at a location."""

    sides: Sides
    concrete: Steps
    abstract: Steps
    parts: tuple[tuple[str, ...], ...]
    numbers: Mapping[int, int]
    moves: tuple[Step, ...]

    @staticmethod
    def made(sides: Sides) -> Watched:
        """The same for two sides; `moves` are the silent abstract steps."""
        abstract = sides.goal.abstract
        steps = Steps.made(abstract)
        silent = dict.fromkeys(
            s for s, e in zip(steps.of, abstract.edges, strict=True) if e.label is None and s[1] != s[2]
        )
        parts = tuple(q.parts or (q.name,) for q in abstract.locations)
        numbers = {id(e): n for n, e in enumerate(abstract.edges)}
        return Watched(sides, Steps.made(sides.goal.concrete), steps, parts, numbers, tuple(silent))


class Layers(Struct, eq=False):
    """All abstract runs along a concrete one.

    `into` has the arcs that lead to a node, with no step for one that just waits; `across` those to the next moment.
    `made` are the choices of silent steps in live runs, and `orders` says how often one comes just before another.
    """

    moments: list[Moment]
    nodes: list[set[int]]
    into: dict[_Node, list[tuple[_Node, Stride | None]]] = field(default_factory=dict)
    across: dict[_Node, list[_Node]] = field(default_factory=dict)
    live: set[_Node] = field(default_factory=set)
    made: dict[tuple[int, Step], list[Row]] = field(default_factory=dict)
    orders: Counter[tuple[Step, Step]] = field(default_factory=Counter)


def chances(watched: Watched, layers: Layers) -> Iterator[tuple[Step, list[Chance]]]:
    """Of each abstract step and each time that a thread was about to make it the chances; one of them is the last."""
    acting = [_acting(watched, layers, n) for n in range(len(layers.moments))]
    standing = [_standing(watched, layers, n) for n in range(len(layers.moments))]
    for move in watched.moves:
        waiting = list[Chance]()
        for n, moment in enumerate(layers.moments):
            if n and move[0] in acting[n]:
                waiting = []
            here = standing[n].get(move[:2], ())
            if not here:
                waiting = []
                continue
            made = layers.made.get((n, move))
            waiting.append(Chance(moment, frozenset(made) if made else None))
            if not any(_leaves(layers, n, a) for a in here):
                # Who waits on has lost.
                last = max((k for k, c in enumerate(waiting) if c.picked is not None), default=None)
                if last is not None:
                    yield move, waiting[: last + 1]
                waiting = []


def _standing(watched: Watched, layers: Layers, n: int) -> Mapping[tuple[int, str], list[int]]:
    """Where abstract threads stand in live states."""
    found = dict[tuple[int, str], list[int]]()
    for a in layers.nodes[n]:
        if (n, a) in layers.live:
            for place in enumerate(watched.parts[watched.sides.abstract.places[a]]):
                found.setdefault(place, []).append(a)
    return found


def layers_of(watched: Watched, start: tuple[int, int], run: Sequence[Stride]) -> Layers | None:
    """All abstract runs along a concrete one; None where they are too many. Raises Unevaluable."""
    concrete, numbers = watched.sides.concrete, watched.sides.numbers
    here, front = start[0], {start[1]}
    layers = Layers([], [])
    for stride in run:
        step = watched.concrete.of[numbers[id(stride.edge)]]
        rows = concrete.rows[here], concrete.rows[stride.after]
        for late in (False, True) if stride.action is not None else (True,):
            n = len(layers.moments)
            layers.moments.append(Moment(step, late, *rows))
            acting = late and stride.action is not None
            entering = _shown(watched, layers, n, front, stride) if acting else _waiting(layers, n, front)
            reached = _silently(watched, layers, n, entering)
            if reached is None:
                return None
            layers.nodes.append(reached)
            front = {a for a in reached if not late or watched.sides.following.keeps(stride.after, a)}
        here = stride.after
    last = len(layers.moments) - 1
    _survive(layers, [(last, a) for a in front])
    _count(watched, layers)
    return layers


def _waiting(layers: Layers, n: int, front: Iterable[int]) -> set[int]:
    for a in front:
        if n:
            _cross(layers, (n - 1, a), (n, a), None)
    return set(front)


def _shown(watched: Watched, layers: Layers, n: int, front: Iterable[int], stride: Stride) -> set[int]:
    found = set[int]()
    for a in front:
        for answer in watched.sides.abstract.showing(a, stride.action).strides:
            _cross(layers, (n - 1, a), (n, answer.after), answer)
            found.add(answer.after)
    return found


def _cross(layers: Layers, before: _Node, after: _Node, stride: Stride | None) -> None:
    layers.into.setdefault(after, []).append((before, stride))
    layers.across.setdefault(before, []).append(after)


def _silently(watched: Watched, layers: Layers, n: int, entering: set[int]) -> set[int] | None:
    reached, pending = set(entering), list(entering)
    while pending:
        a = pending.pop()
        for stride in watched.sides.abstract.silent(a).strides:
            if stride.after != a:
                layers.into.setdefault((n, stride.after), []).append(((n, a), stride))
                if stride.after not in reached:
                    reached.add(stride.after)
                    pending.append(stride.after)
        if len(reached) > LOOKED_AT:
            return None
    return reached


def _survive(layers: Layers, ends: list[_Node]) -> None:
    layers.live.update(ends)
    while ends:
        for before, _ in layers.into.get(ends.pop(), ()):
            if before not in layers.live:
                layers.live.add(before)
                ends.append(before)


def _count(watched: Watched, layers: Layers) -> None:
    """What silent steps live runs make, in which moment, and one after the other."""
    for node in layers.live:
        for before, stride in layers.into.get(node, ()):
            if stride is None or stride.action is not None or before not in layers.live:
                continue
            move = _step(watched, stride)
            layers.made.setdefault((node[0], move), []).append(stride.picked)
            for first, earlier in layers.into.get(before, ()):
                if earlier is not None and earlier.action is None and first in layers.live:
                    layers.orders[_step(watched, earlier), move] += 1


def _step(watched: Watched, stride: Stride) -> Step:
    return watched.abstract.of[watched.numbers[id(stride.edge)]]


def _acting(watched: Watched, layers: Layers, n: int) -> set[int]:
    """The abstract threads that show the action with which a moment begins."""
    return {
        _step(watched, s)[0]
        for a in layers.nodes[n]
        if (n, a) in layers.live
        for before, s in layers.into.get((n, a), ())
        if s is not None and s.action is not None and before in layers.live
    }


def _leaves(layers: Layers, n: int, state: int) -> bool:
    """Whether a live run is still in this state when the moment is over."""
    return n + 1 == len(layers.moments) or any(later in layers.live for later in layers.across.get((n, state), ()))


def rules_for(
    move: Step, times: Sequence[Sequence[Chance]], tests: Mapping[Step, Sequence[Test]]
) -> tuple[Rule, ...] | None:
    """Rules by which a step is made in time, always; None if none were found. The first one that says so counts.

    Those that settle most are taken first; then those at steps that change variables of the same name, since these may
    be equal at all times then; then those that say it late: what others do in between is done by then.
    """
    changed = _changed(move)
    left, found = set(range(len(times))), list[Rule]()
    candidates = {rule: outcome for rule, outcome in _candidates(times, tests) if None not in outcome.values()}

    def worth(rule: Rule) -> tuple[int, bool, int, int]:
        settled = candidates[rule].keys() & left
        early = sum(len(times[n]) - (candidates[rule][n] or 0) for n in settled)
        return len(settled), bool(_changed(rule.step) & changed), -early, -len(rule.condition)

    while left:
        best = max(candidates, key=worth, default=None)
        if best is None or not worth(best)[0]:
            return None
        found.append(best)
        left -= candidates[best].keys()
    return tuple(found)


def _changed(step: Step) -> frozenset[str]:
    return frozenset(off_side(v.name) for v, t in step[3].updates if v is not t)


def _candidates(
    times: Sequence[Sequence[Chance]], tests: Mapping[Step, Sequence[Test]]
) -> Iterator[tuple[Rule, Mapping[int, int | None]]]:
    """Rules, and by the times in which one says that the step is made when it does so; None if it cannot be then."""
    known = dict[tuple[Step, bool], list[tuple[int, int, Chance, tuple[bool, ...]]]]()
    for n, time in enumerate(times):
        for k, chance in enumerate(time):
            moment = chance.moment
            values = tuple(bool(t.holds(moment.before)) for t in tests.get(moment.step, ()))
            known.setdefault((moment.step, moment.late), []).append((n, k, chance, values))
    for (step, late), met in known.items():
        its = tests.get(step, ())
        literals = [(i, truth) for i in range(len(its)) for truth in (True, False)]
        for size in range(LITERALS + 1):
            for some in combinations(literals, size):
                first = dict[int, tuple[int, bool]]()
                for n, k, chance, values in met:
                    if all(values[i] is truth for i, truth in some) and (n not in first or k < first[n][0]):
                        first[n] = k, chance.picked is not None
                if first:
                    condition = tuple((its[i].term, truth) for i, truth in some)
                    yield Rule(step, late, condition), {n: k if good else None for n, (k, good) in first.items()}
