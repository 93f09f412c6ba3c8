"""The states of a set that satisfy a formula, path by path.

Exact for Boolean combinations of bounds on single variables; otherwise a superset: a relation between variables
refines each path as far as boxes can say. What is not understood (functions, quantifiers) refines nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from sa.domains.diagram import difference, join_all, meet, meet_all
from sa.domains.frame import Frame
from sa.domains.paths import parts, values_in
from sa.domains.quantify import hull
from sa.domains.relation import refined
from sa.domains.store import FALSE, TRUE, Node, Store, reduced
from sa.terms import build, interval
from sa.terms.bounds import interval_of, truth_of
from sa.terms.cases import condition_in, decided, difference_of, numeric
from sa.terms.interval import Interval
from sa.terms.sort import BOOL
from sa.terms.term import And, Bool, Forall, IsZero, Le, Not, Or, Same, Term, Var, sort_of

#: How often a conjunction is gone through: more rounds may go on for very long, and gain little.
_ROUNDS = 3


def guard(store: Store, frame: Frame, node: Node, formula: Term) -> Node:
    """A set between the states of `node` that satisfy the formula and `node` itself."""
    known = exact(store, frame, formula)
    if known is not None:
        return meet(store, node, known)
    match formula:
        case _ if node == FALSE:
            return FALSE
        case And(args):
            return _conjunction(store, frame, node, args)
        case Or(args):
            return join_all(store, (guard(store, frame, node, a) for a in args))
        case Same(left, right) if sort_of(left) == BOOL:
            both = ((left, right), (build.lnot(left), build.lnot(right)))
            return join_all(store, (_conjunction(store, frame, node, args) for args in both))
        case Not(Same(left, right)) if sort_of(left) == BOOL:
            either = ((left, build.lnot(right)), (build.lnot(left), right))
            return join_all(store, (_conjunction(store, frame, node, args) for args in either))
        case Var() | Not(Var()) | Forall() | Not(Forall()):
            return node
        case _:
            return _atom(store, frame, node, formula)


def exact(store: Store, frame: Frame, formula: Term) -> Node | None:
    """The states that satisfy a Boolean combination of bounds on single variables; None for any other formula."""
    return _exact(store, frame, formula, {})


def _exact(store: Store, frame: Frame, formula: Term, done: dict[Term, Node | None]) -> Node | None:
    # Parts are shared in formulas that come from diagrams, so each is looked at once.
    if formula not in done:
        done[formula] = _combination(store, frame, formula, done)
    return done[formula]


def _combination(store: Store, frame: Frame, formula: Term, done: dict[Term, Node | None]) -> Node | None:
    match formula:
        case Bool(value):
            return TRUE if value else FALSE
        case And(args) | Or(args):
            found = list[Node]()
            for arg in args:
                node = _exact(store, frame, arg, done)
                if node is None:
                    return None
                found.append(node)
            return meet_all(store, found) if isinstance(formula, And) else join_all(store, found)
        case Var():
            return values_in(store, frame, frame.levels[formula], (1, 1)) if formula in frame.levels else None
        case Not(body):
            node = None if isinstance(body, Forall) else _exact(store, frame, body, done)
            return None if node is None else difference(store, TRUE, node)
        case Le(total):
            return _bound(store, frame, *numeric(total), (None, 0))
        case IsZero(total):
            return _bound(store, frame, *numeric(total), interval.ZERO)
        case Same(left, right) if sort_of(left) != BOOL:
            return _bound(store, frame, *difference_of(left, right), interval.ZERO)
        case _:
            return None


def _bound(store: Store, frame: Frame, const: int, added: dict[Term, int], wanted: Interval) -> Node | None:
    if len(added) != 1:
        return None
    ((var, coefficient),) = added.items()
    if not isinstance(var, Var) or var not in frame.levels:
        return None
    values = interval.unscale(interval.shifted(wanted, (const, const)), coefficient)
    return FALSE if values is None else values_in(store, frame, frame.levels[var], values)


def _conjunction(store: Store, frame: Frame, node: Node, args: Sequence[Term]) -> Node:
    """Bounds first, then what they make sharper; again as long as relations tell each other something."""
    relations = list[Term]()
    for arg in args:
        known = exact(store, frame, arg)
        if known is None:
            relations.append(arg)
        else:
            node = meet(store, node, known)
    relations.sort(key=lambda a: isinstance(a, And | Or))
    for _ in range(_ROUNDS):
        before = node
        for arg in relations:
            node = guard(store, frame, node, arg)
        if node == before or len(relations) == 1:
            break
    return node


def _atom(store: Store, frame: Frame, node: Node, atom: Term) -> Node:
    waiting, done = [(node, atom)], list[Node]()
    while waiting:
        inside, case = waiting.pop()
        if inside == FALSE or case is build.FALSE:
            continue
        condition = condition_in(case.body if isinstance(case, Not) else case)
        if condition is None or len(waiting) + len(done) >= frame.precision.cases:
            done.append(_literal(store, frame, inside, case))
            continue
        for truth, formula in ((True, condition), (False, build.lnot(condition))):
            waiting.append((guard(store, frame, inside, formula), decided(case, condition, truth)))
    return join_all(store, done)


def _literal(store: Store, frame: Frame, node: Node, literal: Term) -> Node:
    """An atom or its negation: as a linear relation with the rest by its range, then by evaluation on each path."""
    match literal:
        case Le(total):
            node = _linear(store, frame, node, *numeric(total), (None, 0))
        case IsZero(total):
            node = _linear(store, frame, node, *numeric(total), interval.ZERO)
        case Same(left, right):
            node = _linear(store, frame, node, *difference_of(left, right), interval.ZERO)
        case Not(IsZero(total)):
            node = _unequal(store, frame, node, *numeric(total))
        case Not(Same(left, right)):
            node = _unequal(store, frame, node, *difference_of(left, right))
    if _is_linear(literal):
        return node
    levels = tuple(sorted(frame.levels[v] for v in literal.free if v in frame.levels))
    return _filtered(_Filter(store, frame, literal, levels), node, 0, ())


def _is_linear(literal: Term) -> bool:
    match literal:
        case Le(total) | IsZero(total) | Not(IsZero(total)):
            return all(isinstance(t, Var) for t in numeric(total)[1])
        case Same(left, right) | Not(Same(left, right)):
            return all(isinstance(t, Var) for t in difference_of(left, right)[1])
        case _:
            return False


def _unequal(store: Store, frame: Frame, node: Node, const: int, added: dict[Term, int]) -> Node:
    sides = (_linear(store, frame, node, const, added, side) for side in ((None, -1), (1, None)))
    return join_all(store, sides)


def _linear(store: Store, frame: Frame, node: Node, const: int, added: dict[Term, int], wanted: Interval) -> Node:
    """The paths on which `const + Σ coefficient · term` can be in `wanted`, cut to where it can."""
    box = hull(store, node)
    if box is None:
        return FALSE
    ranges = {frame.variables[level]: values for level, values in box.items()}
    wanted = interval.shifted(wanted, (const, const))
    coefficients = list[tuple[int, int]]()
    for term, coefficient in added.items():
        if isinstance(term, Var) and term in frame.levels:
            coefficients.append((frame.levels[term], coefficient))
        else:
            wanted = interval.shifted(wanted, interval.scale(coefficient, interval_of(term, ranges)))
    return refined(store, frame, node, tuple(sorted(coefficients)), wanted)


class _Filter(Struct, frozen=True):
    store: Store
    frame: Frame
    literal: Term
    levels: tuple[int, ...]
    done: dict[tuple[Node, tuple[tuple[Var, Interval], ...]], Node] = field(default_factory=dict)


def _filtered(run: _Filter, node: Node, index: int, known: tuple[tuple[Var, Interval], ...]) -> Node:
    """The paths on which the literal is not false, with the ranges of its first variables known."""
    if node == FALSE:
        return FALSE
    found = run.done.get((node, known))
    if found is not None:
        return found
    truth = truth_of(run.literal, dict(known))
    if truth is False:
        return FALSE
    if truth or index == len(run.levels) or len(run.done) >= run.frame.precision.steps:
        return node
    store, next_level = run.store, run.levels[index]
    level = min(store.levels[node], next_level)
    reads = level == next_level
    line = parts(store, run.frame, node, level, reads)
    results = list[Node]()
    for _, values, kid in line:
        more = (*known, (run.frame.variables[level], values)) if reads else known
        results.append(_filtered(run, kid, index + reads, more))
    result = reduced(store, level, [last for last, _, _ in line if last is not None], results)
    run.done[node, known] = result
    return result
