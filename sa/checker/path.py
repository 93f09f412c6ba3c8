"""A run of an automaton along given edges, as terms over the state before it (weakest precondition of a path)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count

from msgspec import Struct

from sa.automata.automaton import Edge, Label, Variable
from sa.certificates.relation import TURN, Turns
from sa.checker.obligation import Case, Obligation
from sa.checker.side import Side, invariant, within
from sa.terms.build import ONE, add, conjoined, eq, forall, land, le, lnot, lt, variable
from sa.terms.name import staged
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


class Run(Struct, frozen=True):
    """The run is possible where `conditions` hold for some values of `choices`; `after` gives what changed.

    The conditions are all guards, the ranges of choices and `Inv` at every location entered. `label` is
    the one visible action, if there is one.
    """

    conditions: tuple[Term, ...]
    after: Mapping[Var, Term]
    label: Label | None
    choices: tuple[Var, ...]
    end: str


def step(automaton: Side, edge: Edge) -> Run:
    """The run along one edge, whose choices keep their names."""
    return _run(automaton, edge.source, (edge,), lambda choice, _: choice.var)


def run(automaton: Side, start: str, edges: Sequence[Edge], turns: Sequence[Turns] = ()) -> Run:
    """The run along connected edges of which at most one is visible; choices are named as in `at_position`.

    Before its edges it makes turns of cycles, which are taken to be what `loops` asks for.
    """
    return _run(automaton, start, edges, at_position, turns)


def _run(
    automaton: Side,
    start: str,
    edges: Sequence[Edge],
    name: Callable[[Variable, int], Var],
    turns: Sequence[Turns] = (),
) -> Run:
    values: dict[Var, Term] = {}
    conditions: list[Term] = []
    choices: list[Var] = []
    label, end = None, start
    for position in range(len(edges) + 1):
        for made in turns:
            if made.position == position:
                conditions.extend(_possible(automaton, made, values))
                here = {**values, TURN: made.count}
                values.update({v: substitute(t, here) for v, t in made.after})
        if position == len(edges):
            break
        edge = edges[position]
        chosen = {c.var: name(c, position) for c in edge.choices}
        scope = {**values, **chosen}
        choices.extend(chosen.values())
        conditions.extend(substitute(within(c), chosen) for c in edge.choices)
        conditions.append(substitute(edge.guard, scope))
        if edge.label is not None:
            label = Label(edge.label.action, tuple(substitute(v, scope) for v in edge.label.values))
        values.update({v: substitute(t, scope) for v, t in edge.updates})
        conditions.extend(substitute(inv, values) for inv in invariant(automaton, edge.target))
        end = edge.target
    return Run(conjoined(conditions), values, label, tuple(choices), end)


def _possible(automaton: Side, made: Turns, values: Mapping[Var, Term]) -> Iterator[Term]:
    """That the turns can be made from these values: at least one, and each where those before it have led."""
    one = _turn(automaton, made)
    yield le(ONE, made.count)
    yield from (substitute(c, values) for c in one.conditions)
    later = {**values, **{v: substitute(t, values) for v, t in made.after}}
    inside = land(le(ONE, TURN), lt(TURN, made.count), lnot(land(*(substitute(c, later) for c in one.conditions))))
    # `made.count` and the values speak of choices, too: none may be taken for the bound variable.
    taken = {v.name for v in inside.free}
    names = (staged("turn", f"{made.position}.{i}") for i in count())
    bound = variable(next(n for n in names if n not in taken), TURN.sort)
    yield forall((bound,), lnot(substitute(inside, {TURN: bound})))


def _turn(automaton: Side, made: Turns) -> Run:
    edges = [automaton.automaton.edges[i] for i in made.cycle]
    return run(automaton, edges[0].source, edges)


def loops(automaton: Side, turns: Iterable[Turns]) -> Iterator[Obligation]:
    """That `after` is what turns of a cycle do, by induction: after one turn, and after one turn more."""
    for made in turns:
        one = _turn(automaton, made)
        where = ", ".join(str(i) for i in made.cycle)
        changed = dict.fromkeys((*one.after, *(v for v, _ in made.after)))
        first, now, then = (_after(made, changed, n) for n in (ONE, TURN, add(TURN, ONE)))
        begun = Case((), conjoined(eq(first[v], one.after.get(v, v)) for v in changed))
        yield Obligation("loop, first turn", where, one.conditions, (begun,))
        again = {v: substitute(one.after.get(v, v), now) for v in changed}
        kept = Case((), conjoined(eq(then[v], again[v]) for v in changed))
        hypotheses = (le(ONE, TURN), *(substitute(c, now) for c in one.conditions))
        yield Obligation("loop, next turn", where, conjoined(hypotheses), (kept,))


def _after(made: Turns, changed: Iterable[Var], turns: Term) -> dict[Var, Term]:
    """The values of what is changed after so many turns."""
    known = dict(made.after)
    return {v: substitute(known.get(v, v), {TURN: turns}) for v in changed}


def at_position(choice: Variable, position: int) -> Var:
    """The name `choice@position` of a choice of the edge at this position of a path, counted from 0."""
    return variable(staged(choice.var.name, position), choice.var.sort)
