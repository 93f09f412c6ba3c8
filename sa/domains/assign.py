"""Simultaneous assignment to several variables, path by path.

On the way down a diagram, each right-hand side collects the ranges of the variables that it reads; once it has all of
them, its interval is what the target gets on that path. So `x := c`, `x := x + k` and `x := -x + k` are exact, and
everything else is as exact as the paths are fine. What is not modelled (functions) is any value of its sort.
The result depends on how the set is cut into boxes: assignment is sound, but not monotone.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from sa.domains.diagram import join_all, meet
from sa.domains.frame import Frame
from sa.domains.guard import guard
from sa.domains.paths import assembled, parts, values_in
from sa.domains.quantify import forget, hull
from sa.domains.store import FALSE, Node, Store
from sa.terms import build, interval
from sa.terms.bounds import interval_of
from sa.terms.cases import condition_of_value, decided, numeric
from sa.terms.interval import Interval
from sa.terms.term import Term, Var


class Pending(Struct, frozen=True):
    """A right-hand side on its way down: `total + Σ coefficient · variable + rest`.

    `total` is the constant and what has been read so far. `linear` are levels with coefficients, `wanted` levels
    that `rest` needs, both still to be read and in order; `known` is what `rest` has.
    """

    target: int
    total: Interval
    linear: tuple[tuple[int, int], ...]
    wanted: tuple[int, ...]
    rest: Term
    known: tuple[tuple[Var, Interval], ...] = ()


class _Run(Struct, frozen=True):
    store: Store
    frame: Frame
    targets: frozenset[int]
    done: dict[tuple[Node, tuple[Pending, ...]], Node] = field(default_factory=dict)


def assign(store: Store, frame: Frame, node: Node, updates: Mapping[Var, Term]) -> Node:
    """The states after all updates at once; every updated variable must be in the frame."""
    targets = frozenset(frame.levels[v] for v in updates)
    waiting, done = [(node, dict(updates))], list[Node]()
    while waiting:
        inside, cases = waiting.pop()
        found = (condition_of_value(value) for value in cases.values())
        condition = next((c for c in found if c is not None), None)
        if inside == FALSE:
            continue
        if condition is None or len(waiting) + len(done) >= frame.precision.cases:
            done.append(_image(_Run(store, frame, targets), inside, _started(frame, cases)))
            continue
        for truth, formula in ((True, condition), (False, build.lnot(condition))):
            taken = {v: decided(value, condition, truth) for v, value in cases.items()}
            waiting.append((guard(store, frame, inside, formula), taken))
    return join_all(store, done)


def _started(frame: Frame, updates: Mapping[Var, Term]) -> tuple[Pending, ...]:
    found = list[Pending]()
    for target, value in sorted(updates.items(), key=lambda u: frame.levels[u[0]]):
        if condition_of_value(value) is not None:
            # More cases than the budget allows: evaluated as a whole.
            const, added = 0, {value: 1}
        else:
            const, added = numeric(value)
        linear = {frame.levels[v]: c for v, c in added.items() if isinstance(v, Var) and v in frame.levels}
        others = {t: c for t, c in added.items() if not (isinstance(t, Var) and t in frame.levels)}
        total, rest = _rest(const, others)
        wanted = sorted(frame.levels[v] for v in rest.free if v in frame.levels)
        found.append(Pending(frame.levels[target], total, tuple(sorted(linear.items())), tuple(wanted), rest))
    return tuple(found)


def _rest(const: int, others: Mapping[Term, int]) -> tuple[Interval, Term]:
    if len(others) == 1 and set(others.values()) == {1}:
        return (const, const), next(iter(others))
    if any(interval_of(t, {}) != interval.WHOLE for t in others if isinstance(t, Var)):
        # A Boolean or enumeration outside of the frame: no sum can hold it.
        return interval.WHOLE, build.ZERO
    return (const, const), build.linear(0, others)


def _ready(pending: Pending) -> bool:
    return not pending.linear and not pending.wanted


def _value(pending: Pending) -> Interval:
    return interval.add(pending.total, interval_of(pending.rest, dict(pending.known)))


def _read(frame: Frame, pending: Pending, level: int, values: Interval) -> Pending:
    if pending.linear and pending.linear[0][0] == level:
        total = interval.add(pending.total, interval.scale(pending.linear[0][1], values))
        pending = replace(pending, total=total, linear=pending.linear[1:])
    if pending.wanted and pending.wanted[0] == level:
        known = (*pending.known, (frame.variables[level], values))
        pending = replace(pending, wanted=pending.wanted[1:], known=known)
    return pending


def _next_level(pending: Pending) -> int:
    return min((*(level for level, _ in pending.linear[:1]), *pending.wanted[:1]))


def _image(run: _Run, node: Node, pending: tuple[Pending, ...]) -> Node:
    if node == FALSE:
        return FALSE
    waiting = tuple(p for p in pending if not _ready(p))
    if waiting:
        result = _below(run, node, waiting)
    else:
        result = forget(run.store, node, run.targets)
    # The old values of the targets are gone from `result`: now the new ones can be put there.
    for p in pending:
        if _ready(p):
            result = meet(run.store, result, values_in(run.store, run.frame, p.target, _value(p)))
    return result


def _below(run: _Run, node: Node, waiting: tuple[Pending, ...]) -> Node:
    key = (node, waiting)
    found = run.done.get(key)
    if found is not None:
        return found
    if len(run.done) >= run.frame.precision.steps:
        return _image(run, node, tuple(_from_hull(run, node, p) for p in waiting))
    store = run.store
    level = min(store.levels[node], *(_next_level(p) for p in waiting))
    if level == store.levels[node] and all(_next_level(p) > level for p in waiting) and level not in run.targets:
        # Nothing is read here, and nothing written.
        kids = [FALSE if kid == FALSE else _below(run, kid, waiting) for kid in store.kids[node]]
        result = run.done[key] = assembled(store, level, (*store.cuts[node], None), kids)
        return result
    readers = [p for p in waiting if _next_level(p) == level]
    split = any(not _keeps_shape(p, level) for p in readers)
    line = parts(store, run.frame, node, level, split)
    results = [_image(run, kid, tuple(_read(run.frame, p, level, values) for p in waiting)) for _, values, kid in line]
    if level in run.targets:
        result = join_all(store, results)
    else:
        result = assembled(store, level, [last for last, _, _ in line], results)
    run.done[key] = result
    return result


def _keeps_shape(pending: Pending, level: int) -> bool:
    """Whether intervals of the level have exact images: `x := ±x + k`."""
    return pending.target == level and pending.linear in (((level, 1),), ((level, -1),)) and not pending.wanted


def _from_hull(run: _Run, node: Node, pending: Pending) -> Pending:
    box = hull(run.store, node)
    assert box is not None, "empty sets have no image to look for"
    while not _ready(pending):
        level = _next_level(pending)
        values = interval.meet(box.get(level, interval.WHOLE), run.frame.ranges[level])
        assert values is not None, "values of a sort are in its range"
        pending = _read(run.frame, pending, level, values)
    return pending
