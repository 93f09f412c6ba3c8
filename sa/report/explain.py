"""Why something fails, in words and values: refused abstract edges and broken conjuncts of ι."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sa.automata.automaton import Automaton, Edge, Label, location_of
from sa.base.source import Span
from sa.certificates.play import Broken, Obstacle, Refusal
from sa.terms.build import conjuncts
from sa.terms.evaluate import Unevaluable, evaluate, holds
from sa.terms.printer import Namer, plain_name, show
from sa.terms.sort import Value, show_value
from sa.terms.term import Term, Var, sort_of


@dataclass(frozen=True, slots=True)
class Why:
    """A reason: where it lies (None: no text), what is wrong, and the values that make it so."""

    span: Span | None
    text: str
    values: tuple[str, ...] = ()


def bare(var: Var) -> str:
    """A variable as its own side writes it: without `conc.` or `abs.`."""
    name = var.name
    for prefix in ("conc.", "abs."):
        name = name.removeprefix(prefix)
    return name + "'" * var.primes


def _values(terms: Iterable[Term], state: Mapping[Var, Value], name: Namer) -> tuple[str, ...]:
    """`x = 3` for the variables of the terms that have a value."""
    free = sorted({v for t in terms for v in t.free if v in state}, key=lambda v: v.key)
    return tuple(f"{name(v)} = {show_value(state[v], v.sort)}" for v in free)


def action(label: Label | None, state: Mapping[Var, Value]) -> str | None:
    """A label as `print(3)`, its values read in `state`; None for a silent step."""
    if label is None:
        return None
    return f"{label.action}({', '.join(_value(v, state) for v in label.values)})" if label.values else label.action


def _value(term: Term, state: Mapping[Var, Value]) -> str:
    try:
        return show_value(evaluate(term, state), sort_of(term))
    except Unevaluable:
        return show(term, bare)


def refused(refusal: Refusal, abstract: Automaton, asked: str | None) -> Why:
    """Why an abstract edge does not answer a step whose action is `asked`."""
    edge, state = refusal.edge, refusal.at.values
    span = edge.origin.span
    match refusal.obstacle:
        case Obstacle.GUARD:
            false = _false_parts(edge.guard, state)
            text = f"its guard is false: {' && '.join(show(t, bare) for t in false)}"
            return Why(span, text, _values(false, state, bare))
        case Obstacle.LABEL:
            return Why(span, f"its action is {action(edge.label, state) or 'silent'}, not {asked or 'silent'}")
        case Obstacle.VALUE:
            shown = edge.label.values if edge.label else ()
            text = f"it shows {action(edge.label, state)}, not {asked}"
            return Why(span, text, _values(shown, state, bare))
        case Obstacle.INVARIANT:
            return _breaks_invariant(edge, state, abstract)


def _false_parts(formula: Term, state: Mapping[Var, Value]) -> tuple[Term, ...]:
    """The conjuncts that are false; the whole formula where that cannot be told (choices are open)."""
    try:
        return tuple(t for t in conjuncts(formula) if not holds(t, state)) or (formula,)
    except Unevaluable:
        return (formula,)


def _breaks_invariant(edge: Edge, state: Mapping[Var, Value], abstract: Automaton) -> Why:
    target = location_of(abstract, edge.target)
    span = edge.origin.span
    try:
        after = {**state, **{v: evaluate(t, state) for v, t in edge.updates}}
    except Unevaluable:
        return Why(span, f"it would break the invariant of {target.name}: {show(target.inv, bare)}")
    false = _false_parts(target.inv, after)
    text = f"it would break the invariant of {target.name}: {' && '.join(show(t, bare) for t in false)}"
    return Why(span, text, _values(false, after, bare))


def broken(failure: Broken) -> Why:
    """Which conjunct of ι is false, with the values of both sides."""
    both = {**failure.concrete.values, **failure.abstract.values}
    term = failure.formula.term
    return Why(failure.formula.origin.span, f"{show(term)} is false", _values((term,), both, plain_name))
