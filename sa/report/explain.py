"""Why something fails, in words and values: refused abstract edges and broken conjuncts of ι."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind, location_of
from sa.base.source import Span, span_text
from sa.certificates.goal import Goal
from sa.certificates.play import Broken, Obstacle, Refusal
from sa.report.formulas import Whole, action_name, content, legible, show_with, wholes_of
from sa.terms.build import conjuncts
from sa.terms.evaluate import State, Unevaluable, evaluate, holds
from sa.terms.name import ABSTRACT, QUOTIENT, unchosen
from sa.terms.printer import Namer, plain_name, show
from sa.terms.sort import show_value
from sa.terms.substitute import called, unsided
from sa.terms.term import Term, Var, sort_of


class Why(Struct, frozen=True):
    """A reason: where it lies, what is wrong, and the values that make it so. `place` names it without a span."""

    span: Span | None
    text: str
    values: tuple[str, ...] = ()
    place: str = ""


def is_internal(var: Var) -> bool:
    """Whether the tool made the variable up: no name that a user can write, or one that C reserves."""
    name = var.name
    derived = any(part is not None for part in (name.choice, name.stage, name.owner))
    return derived or not name.base.isidentifier() or name.base.startswith("__")


def name_of(edge: Edge) -> str:
    """An edge that has no source text, in words."""
    return edge.origin.text or f"{edge.source} → {edge.target}"


def statement_of(edge: Edge) -> str:
    """What a step is called: its source text on one line."""
    span = edge.origin.span
    return name_of(edge) if span is None else " ".join(span_text(span).split())


def shown_variables(automaton: Automaton) -> list[Var]:
    """The variables that a reader knows: declared ones, parameters and internal names aside."""
    return [v.var for v in automaton.variables if v.kind is not Kind.PARAM and not is_internal(v.var)]


def bare(var: Var) -> str:
    """A variable as its own side writes it: without `conc.` or `abs.`."""
    return plain_name(unsided(var))


def _values(terms: Iterable[Term], state: State, name: Namer, wholes: Mapping[Var, Whole]) -> tuple[str, ...]:
    """`x = 3` for the variables of the terms that have a value, the abstract side's last; of sequences the whole."""
    free = sorted({v for t in terms for v in t.free if v in state}, key=lambda v: (v.name.side == ABSTRACT, v.key))
    return tuple(dict.fromkeys(_valued(v, state, name, wholes) for v in free))


def _valued(var: Var, state: State, name: Namer, wholes: Mapping[Var, Whole]) -> str:
    whole = wholes.get(var)
    inside = None if whole is None else content(whole, state)
    if whole is None or inside is None:
        return f"{legible(name(var))} = {show_value(state[var], var.sort)}"
    return f"{name(whole.var)} = {inside}"


def action(edge: Edge, state: State) -> str | None:
    """The label of a step as `print(3)`, its values read in `state`; None for a silent step."""
    name, values = action_name(edge), edge.label.values if edge.label else ()
    return f"{name}({', '.join(_value(v, state) for v in values)})" if values else name


def _value(term: Term, state: State) -> str:
    try:
        return show_value(evaluate(term, state), sort_of(term))
    except Unevaluable:
        return show(term, bare)


def refused(refusal: Refusal, abstract: Automaton, asked: str | None) -> Why:
    """Why an abstract edge does not answer a step whose action is `asked`."""
    edge, state = refusal.edge, refusal.at.values
    wholes = wholes_of(abstract.variables)
    text, terms, at = _obstacle(refusal.obstacle, edge, state, abstract, asked, wholes)
    return Why(edge.origin.span, text, _values(terms, at, bare, wholes), name_of(edge))


#: A reason in words, the terms whose values explain it, and the state in which they have them.
_Reason: TypeAlias = tuple[str, Sequence[Term], State]


def _obstacle(
    obstacle: Obstacle,
    edge: Edge,
    state: State,
    abstract: Automaton,
    asked: str | None,
    wholes: Mapping[Var, Whole],
) -> _Reason:
    match obstacle:
        case Obstacle.GUARD:
            false = _false_parts(edge.guard, state)
            return f"its guard is false: {_conjunction(false, wholes)}", false, state
        case Obstacle.LABEL:
            return f"its action is {action(edge, state) or 'silent'}, not {asked or 'silent'}", (), state
        case Obstacle.VALUE:
            values = edge.label.values if edge.label else ()
            return f"it shows {action(edge, state)}, not {asked}", values, state
        case Obstacle.INVARIANT:
            return _breaks_invariant(edge, state, abstract, wholes)


def no_choice(edge: Edge) -> Why:
    """An edge that chooses values, of which none makes it an answer."""
    written = [c.var for c in edge.choices if c.var.name.base != QUOTIENT]
    if not written:
        # A quotient is a choice that its condition determines.
        return Why(edge.origin.span, "the value that it computes does not match", (), name_of(edge))
    if edge.origin.span is not None and edge.origin.span.source.name.endswith((".c", ".i")):
        # What is chosen there has no name in the program.
        return Why(edge.origin.span, "no values that it may take match this step", (), name_of(edge))
    said = [c for c in conjuncts(edge.guard) if all(v.name.base != QUOTIENT for v in c.free)]
    chosen = ", ".join(dict.fromkeys(map(_chosen_name, written)))
    limits = f" with {' && '.join(show(c, _chosen_name) for c in said)}" if said else ""
    return Why(edge.origin.span, f"no value of {chosen}{limits} matches this step", (), name_of(edge))


def _chosen_name(var: Var) -> str:
    """A choice by the name of the variable that it is made for."""
    return bare(called(var, unchosen(var.name)))


def _conjunction(terms: Sequence[Term], wholes: Mapping[Var, Whole]) -> str:
    return " && ".join(show_with(t, bare, wholes) for t in terms)


def _false_parts(formula: Term, state: State) -> tuple[Term, ...]:
    """The conjuncts that are false; the whole formula where that cannot be told (choices are open)."""
    try:
        return tuple(t for t in conjuncts(formula) if not holds(t, state)) or (formula,)
    except Unevaluable:
        return (formula,)


def _breaks_invariant(edge: Edge, state: State, abstract: Automaton, wholes: Mapping[Var, Whole]) -> _Reason:
    target = location_of(abstract, edge.target)
    text = f"it would break the invariant of {target.name}: "
    try:
        after = {**state, **{v: evaluate(t, state) for v, t in edge.updates}}
    except Unevaluable:
        return text + show(target.inv, bare), (), state
    false = _false_parts(target.inv, after)
    return text + _conjunction(false, wholes), false, after


def broken(failure: Broken, wholes: Mapping[Var, Whole]) -> Why:
    """Which conjunct of ι is false, with the values of both sides; `wholes` are the sequences of these."""
    both = {**failure.concrete.values, **failure.abstract.values}
    term = failure.formula.term
    values = _values((term,), both, plain_name, wholes)
    return Why(failure.formula.origin.span, show_with(term, plain_name, wholes), values)


def wholes_of_both(goal: Goal) -> Mapping[Var, Whole]:
    """The sequences of the two sides."""
    return {**wholes_of(goal.concrete.variables), **wholes_of(goal.abstract.variables)}
