"""All abstract states that match a concrete run so far, as fronts: Spoiler wins along the run where none is left.

Nothing is asked of single answers. After each step the states are kept that answers end in and ι relates to the
concrete state; if there are none, no abstract run matches, whatever values it chooses and however often it turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import product
from math import inf, prod
from typing import TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Edge, Label
from sa.automata.live import live
from sa.automata.ranges import count_of, is_large, values_of, within
from sa.automata.trace import Configuration, Move
from sa.base.limits import spend
from sa.certificates.goal import Goal, iota_of
from sa.domains import affine
from sa.game.board import Side, initial_condition, lay_out
from sa.plays.symbolic_state_sets import Front, bound_of, covers, fresh, front, widened
from sa.smt.session import Session
from sa.terms import build
from sa.terms.cases import condition_in, decided
from sa.terms.evaluate import evaluate
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var, sort_of

#: How many fronts are looked at for one step and for all, and how many values of choices are tried one by one.
FRONTS, ALL_FRONTS, FEW = 300, 3_000, 8

#: A large number that had so many values is taken to go on like that, by fronts that are so many.
VALUES, SEVERAL = 4, 3

#: Fronts by location and by whether the action was shown.
Passing: TypeAlias = Mapping[tuple[str, bool], list[Front]]


class TooMany(Exception):
    """There are more fronts than are looked at, or too many questions about them."""


class Matching(Struct, eq=False):
    """A goal as far as matching needs it. `matters` are the abstract variables that matter at a location.

    Choices of at most `few` values are tried one by one. `coarse`: there were too many fronts, so only equations are
    kept of large numbers.
    """

    goal: Goal
    session: Session
    side: Side
    order: tuple[Var, ...]
    growing: tuple[bool, ...]
    matters: Mapping[str, frozenset[Var]]
    most_calls: float
    looks: int = 0
    few: int = FEW
    coarse: bool = False
    known: dict[object, Passing] = field(default_factory=dict)


def matching(goal: Goal, session: Session, questions: float = inf) -> Matching:
    """The matching of runs of a closed goal, which asks the solver at most about so many questions."""
    side, variables = lay_out(goal).abstract, goal.abstract.variables
    growing = tuple(map(is_large, variables))
    order = tuple(v.var for v in variables)
    matters = live(goal.abstract, iota_of(goal).free)
    return Matching(goal, session, side, order, growing, matters, session.calls + questions)


def starting(m: Matching, concrete: Configuration) -> Front | None:
    """The abstract initial states that κ and ι relate to a concrete one, None if there are none.

    Raises LimitReached.
    """
    board, goal = lay_out(m.goal), m.goal
    names: dict[Var, Term] = {v: fresh(i, v.sort) for i, v in enumerate(m.order) if v not in concrete.values}
    point = {**names, **{v: build.constant(x, v.sort) for v, x in concrete.values.items()}}
    conditions = [substitute(t, point) for t in (*initial_condition(board), iota_of(goal))]
    conditions += (within(v, point[v.var]) for v in goal.abstract.variables)
    return front(m.session, m.order, [point[v] for v in m.order], conditions, m.matters[goal.abstract.initial])


def at(m: Matching, state: Configuration) -> Front:
    """The front of one state."""
    values = [build.constant(state.values[v], v.sort) for v in m.order]
    made = front(m.session, m.order, values, (), m.matters[state.location])
    assert made is not None
    return made


def passing(m: Matching, begin: Mapping[str, Sequence[Front]], here: Configuration, move: Move) -> Passing:
    """What answers to a concrete step pass, from the states of the fronts. Raises TooMany and LimitReached."""
    while True:
        try:
            return _passing(m, begin, here, move)
        except TooMany:
            if m.coarse:
                raise
            # With one front for all values of a choice there are fewer.
            m.few, m.coarse, m.looks = 1, m.few == 1, 0


def _passing(m: Matching, begin: Mapping[str, Sequence[Front]], here: Configuration, move: Move) -> Passing:
    action = move.edge.label
    if action is not None:
        known = {**here.values, **move.choices}
        shown = tuple(build.constant(evaluate(t, known), sort_of(t)) for t in action.values)
        action = Label(action.action, shown)
    # Most silent steps lead to the fronts that they begin with, and many runs take the same steps.
    key = frozenset((q, tuple(fronts)) for q, fronts in begin.items()), action, m.few, m.coarse
    if key not in m.known:
        m.known[key] = _looked(m, begin, action)
    return m.known[key]


def _looked(m: Matching, begin: Mapping[str, Sequence[Front]], action: Label | None) -> Passing:
    search = _Search(m)
    for location, fronts in begin.items():
        for one in fronts:
            _add(search, (location, action is None), one)
    while search.pending:
        spend(m.session.bounds, 180)
        cell, one = search.pending.pop()
        if one not in search.cells[cell]:
            continue
        for _, edge in m.side.edges[cell[0]]:
            if edge.label is None or (not cell[1] and action is not None and _alike(edge.label, action)):
                for after in _after(m, one, edge, action):
                    _add(search, (edge.target, cell[1] or edge.label is not None), after)
    return search.cells


def ends(m: Matching, passed: Passing, after: Configuration) -> dict[str, list[Front]]:
    """The states at the ends of answers that ι relates to the concrete state after the step. Raises LimitReached."""
    point: dict[Var, Term] = {v: build.constant(x, v.sort) for v, x in after.values.items() if v not in m.order}
    iota, found = substitute(iota_of(m.goal), point), dict[str, list[Front]]()
    for (location, shown), fronts in passed.items():
        for one in fronts if shown else ():
            related = substitute(iota, dict(zip(m.order, one.values, strict=True)))
            conditions = (*one.conditions, related)
            kept = front(m.session, m.order, one.values, conditions, m.matters[location], one.exact)
            if kept is not None and kept not in found.get(location, ()):
                found.setdefault(location, []).append(kept)
    return found


class _Search(Struct, eq=False):
    matching: Matching
    cells: dict[tuple[str, bool], list[Front]] = field(default_factory=dict)
    pending: list[tuple[tuple[str, bool], Front]] = field(default_factory=list)
    seen: set[tuple[tuple[str, bool], Front]] = field(default_factory=set)
    levels: dict[tuple[object, ...], int] = field(default_factory=dict)


def _add(search: _Search, cell: tuple[str, bool], made: Front) -> None:
    m, here = search.matching, search.cells.setdefault(cell, [])
    if m.coarse:
        made = _hull(m, cell[0], made, here)
    if (cell, made) in search.seen:
        return
    search.seen.add((cell, made))
    m.looks += 1
    if len(search.seen) > FRONTS or m.looks > ALL_FRONTS or m.session.calls > m.most_calls:
        raise TooMany
    if any(covers(m.session, wide, made) for wide in here):
        return
    here[:] = [narrow for narrow in here if not covers(m.session, made, narrow)]
    here.append(made)
    search.pending.append((cell, made))
    guess = None if m.coarse else _guess(search, cell, made)
    if guess is not None:
        _add(search, cell, guess)


def _hull(m: Matching, location: str, one: Front, here: Sequence[Front]) -> Front:
    """The states of a front and of those like it: with the equations between large numbers that all keep."""
    fixed = [None if grows or t.free else t for t, grows in zip(one.values, m.growing, strict=True)]
    alike = (f for f in here if all(t is None or t is u for t, u in zip(fixed, f.values, strict=True)))
    spaces = [affine.meet(affine.EVERYTHING, affine.rows_of(f.formula)) for f in (one, *alike)]
    ranged = [v for v, grows in zip(m.order, m.growing, strict=True) if not grows]
    known = [affine.forget(space, ranged) for space in spaces if space is not None]
    if not known:
        return one
    space = reduce(affine.join, known)
    names: dict[Var, Term] = {v: fresh(i, v.sort) for i, v in enumerate(m.order)}
    values = [names[v] if t is None else t for v, t in zip(m.order, fixed, strict=True)]
    conditions = [substitute(t, names) for t in affine.formulas(space)]
    return front(m.session, m.order, values, conditions, m.matters[location], exact=False) or one


def _guess(search: _Search, cell: tuple[str, bool], made: Front) -> Front | None:
    """What the fronts at a place lead to if they go on as they began."""
    m, key = search.matching, _shape(search.matching, made)
    group = [f for f in search.cells[cell] if _shape(m, f) == key]
    distinct = [len({f.values[i] for f in group}) for i in range(len(m.order))]
    varying = [i for i, n in enumerate(distinct) if m.growing[i] and n > VALUES]
    if not varying:
        return None
    like = [f for f in group if all(f.values[i] is made.values[i] for i in range(len(m.order)) if i not in varying)]
    if len(like) < SEVERAL:
        return None
    level = search.levels[cell, key] = search.levels.get((cell, key), -1) + 1
    return widened(m.session, m.order, like, m.matters[cell[0]], level // 2)


def _shape(m: Matching, one: Front) -> tuple[object, ...]:
    """What a front has in common with those that differ from it by constants and factors in numbers that may grow."""
    parts = (
        frozenset(build.linear_parts(t)[1]) if grows else t for t, grows in zip(one.values, m.growing, strict=True)
    )
    return (*parts, frozenset(bound_of(c)[0] for c in one.conditions))


def _alike(first: Label, second: Label) -> bool:
    return first.action == second.action and [sort_of(t) for t in first.values] == [sort_of(t) for t in second.values]


def _after(m: Matching, one: Front, edge: Edge, action: Label | None) -> Iterator[Front]:
    """What an abstract step makes of a front."""
    for picked in _picks(edge, m.few):
        choices = {c.var: picked.get(c.var, fresh(i, c.var.sort)) for i, c in enumerate(edge.choices)}
        here = {**dict(zip(m.order, one.values, strict=True)), **choices}
        conditions = [*one.conditions, substitute(edge.guard, here), *(within(c, choices[c.var]) for c in edge.choices)]
        if edge.label is not None and action is not None:
            pairs = zip(edge.label.values, action.values, strict=True)
            conditions += (build.eq(substitute(t, here), x) for t, x in pairs)
        updates = dict(edge.updates)
        values = tuple(substitute(updates[v], here) if v in updates else here[v] for v in m.order)
        inv = m.side.locations[edge.target].inv
        conditions.append(substitute(inv, dict(zip(m.order, values, strict=True))))
        for case, known in _cases(values, conditions):
            made = front(m.session, m.order, case, known, m.matters[edge.target], one.exact)
            if made is not None:
                yield made


def _cases(values: tuple[Term, ...], known: Sequence[Term]) -> Iterator[tuple[tuple[Term, ...], Sequence[Term]]]:
    """Values without conditionals, each with the conditions under which they are these."""
    on = next((c for t in values if (c := condition_in(t)) is not None), None)
    if on is None:
        yield values, known
        return
    for truth in (True, False):
        holds = on if truth else build.lnot(on)
        if holds is not build.FALSE:
            yield from _cases(tuple(decided(t, on, truth) for t in values), (*known, holds))


def _picks(edge: Edge, most: int) -> Iterator[dict[Var, Term]]:
    """The values of those choices that have few."""
    few = [c for c in edge.choices if (n := count_of(c)) is not None and n <= most]
    if prod(count_of(c) or 0 for c in few) > most:
        few = []
    for row in product(*(values_of(c) or () for c in few)):
        yield {c.var: build.constant(x, c.var.sort) for c, x in zip(few, row, strict=True)}
