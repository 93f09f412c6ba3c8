"""Choices of the abstract side among infinitely many values: open along a run, settled where it ends.

An open choice is a variable in the run's terms. Equations of guards, labels and ι define some; whether values are left
for the others is the solver's question, in one state. Values are then terms that do for more states: bounds that the
conditions give, or what the concrete step makes; where there are none, the choice is eliminated for the reason why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Edge, Label
from sa.game.runs import Choice, Run, domain
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.eliminate import eliminate
from sa.terms.evaluate import State, evaluate, holds
from sa.terms.implicant import implicant
from sa.terms.name import staged
from sa.terms.solve import isolated, solution
from sa.terms.sort import INT, Value, default_value
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Ite, Le, Not, Term, Var, sort_of

#: How far from a bound a value is looked for.
DISTANCE = 4


class NotSettled(Exception):
    """The solver could not tell whether values are left for open choices."""


def instances_of(edge: Edge, depth: int, label: Label | None) -> tuple[tuple[Choice, ...], tuple[Var, ...]]:
    """The ways to make an edge's choices, few values one by one, and the choices that stay open.

    What is shown as it was chosen has the value that the label asks for.
    """
    instances: tuple[Choice, ...] = ((),)
    opened = list[Var]()
    asked = {} if label is None else asked_for(edge, label)
    for variable in edge.choices:
        values = (asked[variable.var],) if variable.var in asked else domain(variable)
        if values is None:
            name = build.variable(staged(variable.var.name, depth), variable.var.sort)
            opened.append(name)
            values = (name,)
        instances = tuple((*i, (variable.var, value)) for i in instances for value in values)
    return instances, tuple(opened)


def asked_for(edge: Edge, label: Label) -> dict[Var, Term]:
    """The values that a label asks of an edge's choices: of those that are shown, perhaps in one case only.

    No choice can have another value. In the other case it is arbitrary, so nothing but the label may depend on it.
    """
    if edge.label is None:
        return {}
    shown = tuple(zip(edge.label.values, label.values, strict=True))
    found = {mine: asked for mine, asked in shown if isinstance(mine, Var)}
    elsewhere = frozenset[Var]().union(edge.guard.free, *(t.free for _, t in edge.updates))
    for variable in edge.choices:
        var, within = variable.var, [(mine, asked) for mine, asked in shown if variable.var in mine.free]
        if var in found or var in elsewhere or variable.low is not None or variable.high is not None:
            continue
        if len(within) == 1 and _is_a_case(var, within[0][0]):
            found[var] = within[0][1]
    return {v.var: found[v.var] for v in edge.choices if v.var in found}


def _is_a_case(var: Var, shown: Term) -> bool:
    """Whether a term is the variable in one case, and in no other way depends on it."""
    while isinstance(shown, Ite) and var not in shown.condition.free:
        if var in shown.positive.free and var in shown.negative.free:
            return False
        shown = shown.positive if var in shown.positive.free else shown.negative
    return shown is var


def with_given(run: Run, given: Mapping[Var, Term]) -> Run:
    """The run with terms for some of its open choices."""
    conditions = build.conjoined(substitute(c, given) for c in run.condition)
    return replace(
        run,
        choices=tuple(tuple((v, substitute(t, given)) for v, t in choice) for choice in run.choices),
        values={v: substitute(t, given) for v, t in run.values.items()},
        condition=conditions,
        decisions=tuple(substitute(d, given) for d in run.decisions),
        open=tuple(v for v in run.open if v not in given),
        turns=tuple(replace(t, count=substitute(t.count, given)) for t in run.turns),
    )


def narrowed(run: Run, formulas: Iterable[Term]) -> tuple[Run, tuple[Term, ...]]:
    """The run and formulas that must hold, with the open choices that they define put in."""
    wanted = build.conjoined(formulas)
    while run.open and (found := _definition((*run.condition, *wanted), frozenset(run.open))) is not None:
        given = dict((found,))
        run = with_given(run, given)
        wanted = build.conjoined(substitute(w, given) for w in wanted)
    return run, wanted


def _definition(formulas: Sequence[Term], open_choices: frozenset[Var]) -> tuple[Var, Term] | None:
    for formula in formulas:
        solved = None if formula.free.isdisjoint(open_choices) else solution(formula, open_choices)
        if solved is not None:
            return solved
    for formula in formulas:
        if isinstance(formula, IsZero):
            const, parts = build.linear_parts(formula.total)
            for part, coefficient in parts.items():
                rest = build.linear(const, {p: c for p, c in parts.items() if p is not part})
                if isinstance(part, Var) and part in open_choices and part not in rest.free:
                    return part, build.div(build.scale(-1, rest), coefficient)
    return None


def at(formulas: Iterable[Term], state: State) -> tuple[Term, ...]:
    """The formulas in a state: what they say of choices there."""
    point = {v: build.constant(x, v.sort) for v, x in state.items()}
    return build.conjoined(substitute(f, point) for f in formulas)


class NoValues(Struct, frozen=True):
    """That no values of open choices satisfy formulas in a state."""

    formulas: tuple[Term, ...]
    open: tuple[Var, ...]


#: Why a run cannot be taken from a state. What choices have to do with it takes long to say, and few need it.
Refusal: TypeAlias = Term | NoValues


def refusal(session: Session, formulas: Sequence[Term], run: Run, state: State) -> Refusal | None:
    """Why no values of a run's open choices satisfy the formulas in a state; None if some do. Raises NotSettled."""
    false = next((f for f in formulas if f.free.isdisjoint(run.open) and not holds(f, state)), None)
    if false is not None:
        return build.lnot(false)
    about = tuple(f for f in formulas if not f.free.isdisjoint(run.open))
    reply = session.check(at(about, state))
    if isinstance(reply, Sat):
        return None
    if not isinstance(reply, Unsat):
        raise NotSettled(reply.why)
    return NoValues(about, run.open)


def reasons(session: Session, refused: Refusal, state: State) -> tuple[Term, ...]:
    """Literals that are true in the state and imply what is refused there."""
    if not isinstance(refused, NoValues):
        return (refused,)
    core = list(refused.formulas)
    for formula in reversed(refused.formulas):
        fewer = [f for f in core if f is not formula]
        if isinstance(session.check(at(fewer, state)), Unsat):
            core = fewer
    left = eliminate(build.land(*core), refused.open)
    if left is not None:
        return implicant((build.lnot(left),), state, decide=False)
    mentioned = sorted(frozenset[Var]().union(*(f.free for f in core)).difference(refused.open), key=lambda v: v.key)
    return tuple(build.eq(v, build.constant(state[v], v.sort)) for v in mentioned)


def settled(
    session: Session, formulas: Sequence[Term], run: Run, state: State, hints: Sequence[Term]
) -> tuple[Run, ...]:
    """The run with terms for all open choices, in several ways, such that the formulas hold in the state.

    Some values satisfy the formulas there. Where neither hints nor bounds do, what the state has in a variable may: it
    is the argument that a function or an array is read at. Raises NotSettled.
    """
    reply = session.check(at(formulas, state))
    if not isinstance(reply, Sat):
        raise NotSettled("no values")
    model = {v: reply.values.get(v, default_value(v.sort)) for v in run.open}
    found = dict[tuple[Term, ...], Run]()
    for order in ((*hints, *_NEAR, *state), (*_NEAR, *hints, *state)):
        given = picked(run.open, tuple(formulas), {**state, **model}, order)
        found.setdefault(tuple(given.values()), with_given(run, given))
    return tuple(found.values())


#: Stands for the bounds of a choice in an order of preference.
_NEAR: tuple[None, ...] = (None,)


def picked(
    open_choices: Sequence[Var], formulas: Sequence[Term], state: State, order: Sequence[Term | None] = _NEAR
) -> dict[Var, Term]:
    """A term for each open choice, the first of those in the order that does in a state, which gives values to all."""
    given, here, wanted = dict[Var, Term](), dict(state), tuple(formulas)
    for var in open_choices:
        for term in _candidates(var, wanted, open_choices, here, order):
            value = evaluate(term, here)
            if all(holds(f, {**here, var: value}) for f in wanted):
                given[var], here[var] = term, value
                break
        else:
            given[var] = build.constant(here[var], var.sort)
        wanted = tuple(substitute(f, {var: given[var]}) for f in wanted)
    return given


def _candidates(
    var: Var,
    formulas: Sequence[Term],
    open_choices: Sequence[Var],
    state: Mapping[Var, Value],
    order: Sequence[Term | None],
) -> Iterator[Term]:
    for term in order:
        if term is None:
            # What a conditional is in this state says more than the conditional: an equation in it defines the choice.
            literals = implicant(formulas, state)
            yield from (t for t in _bounds(var, literals) if t.free.isdisjoint(open_choices))
        elif sort_of(term) == var.sort and term.free <= state.keys() and term.free.isdisjoint(open_choices):
            yield term


def _bounds(var: Var, literals: Iterable[Term]) -> Iterator[Term]:
    """Terms at and near the bounds that literals give for a variable, what equations say first, then the nearest."""
    edges = list[tuple[Term, int]]()
    for literal in sorted(literals, key=lambda c: not isinstance(c, IsZero)):
        match literal:
            case Le(total) | IsZero(total) | Not(IsZero(total)):
                found = isolated(total, var) if var.sort == INT else None
            case _:
                continue
        if found is None:
            continue
        coefficient, rest = found
        if coefficient > 0:
            edges.append((build.div(build.scale(-1, rest), coefficient), -1))
        else:
            edges.append((build.scale(-1, build.div(build.scale(-1, rest), -coefficient)), 1))
    for distance in range(DISTANCE):
        for term, way in edges:
            yield build.add(term, build.integer(way * distance))
