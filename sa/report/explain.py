"""Why something fails, in words and values: refused abstract edges and broken conjuncts of ι."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import THREAD_BEGINS, THREAD_ENDS, Automaton, Edge, Kind, Shown, location_of
from sa.base.source import Span, span_text
from sa.certificates.goal import Goal
from sa.certificates.play import Broken, Obstacle, Refusal
from sa.report.formulas import Whole, action_name, content, legible, show_with, wholes_of
from sa.terms.build import conjuncts, variable
from sa.terms.evaluate import State, Unevaluable, evaluate, holds
from sa.terms.name import ABSTRACT, QUOTIENT, unchosen
from sa.terms.printer import Namer, plain_name, show
from sa.terms.sort import ArraySort, show_value
from sa.terms.substitute import called, unsided
from sa.terms.term import Term, Var, sort_of

#: Actions by which others hand over to a function that is compared alone; constants among the values are permissions.
BEGINS = "begins"
OPENINGS = frozenset({BEGINS, "gains", "keeps", "resumes"})


class Wording(Struct, frozen=True):
    """How the two sides of a goal are told: what their variables are called where they are `shown` in other words, and
    their sequences. Without `details` nothing is said of what the translation of functions made up.
    """

    details: bool
    shown: Mapping[Var, Shown]
    wholes: Mapping[Var, Whole]
    #: Whether the sides are functions that are compared alone.
    alone: bool = False

    @property
    def followed(self) -> frozenset[str]:
        """What other variables follow: what functions that are compared alone share with others."""
        return frozenset(s.about for s in self.shown.values() if s.about)

    def is_made_up(self, term: Term) -> bool:
        """Whether a formula speaks only of variables that follow others, which are not told of."""
        about = (s.about for v in term.free if (s := self.shown.get(v)) is not None)
        return not self.details and bool(term.free) and all(about) and term.free <= self.shown.keys()

    def is_beside(self, term: Term) -> bool:
        """Whether a formula speaks of some variable that follows others, which is not told of."""
        return not self.details and any(s.about for v in term.free if (s := self.shown.get(v)) is not None)

    def name(self, var: Var) -> str:
        """A variable with its side: `conc.x`."""
        shown = None if self.details else self.shown.get(variable(var.name, var.sort))
        side = "" if var.name.side is None else f"{var.name.side}."
        return plain_name(var) if shown is None else side + _own(shown) + "'" * var.primes

    def bare(self, var: Var) -> str:
        """A variable as its own side writes it: `x`."""
        shown = None if self.details else self.shown.get(variable(var.name, var.sort))
        return bare(var) if shown is None else _own(shown) + "'" * var.primes


def _own(shown: Shown) -> str:
    return shown.name.replace("[]", "", 1)


def wording(goal: Goal, details: bool) -> Wording:
    """The words for the two sides of a goal."""
    variables = (*goal.concrete.variables, *goal.abstract.variables)
    wholes = {**wholes_of(goal.concrete.variables), **wholes_of(goal.abstract.variables)}
    alone = any(e.label is not None and e.label.action == BEGINS for e in goal.concrete.edges)
    return Wording(details, {v.var: v.shown for v in variables if v.shown is not None}, wholes, alone)


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
    """What a step is called: its source text on one line, or what it is where that is the head of a function."""
    span, said = edge.origin.span, edge.origin.text
    if span is None:
        return name_of(edge)
    text = " ".join(span_text(span).split())
    return said if said in (THREAD_BEGINS, THREAD_ENDS) and text != "}" else text


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


def told_action(edge: Edge, state: State, words: Wording) -> str | None:
    """The same in the user's words: of a function that is compared alone, what others know as `best = 3`."""
    if edge.label is None or words.details or not words.alone:
        return action(edge, state)
    values = [v for t in edge.label.values if (v := _told_value(t, edge, state, words)) is not None]
    name = re.sub(r"^call_(\w+)_\d+$", r"\1", action_name(edge) or "")
    return f"{name}({', '.join(values)})" if values else name


def _told_value(term: Term, edge: Edge, state: State, words: Wording) -> str | None:
    """A value that a label shows; None where it is nothing that the user wrote."""
    assert edge.label is not None
    chosen = any(c.var is term for c in edge.choices)
    if not term.free and edge.label.action in OPENINGS:
        return None
    into = next((v for v, value in edge.updates if value is term), None) if chosen else None
    if chosen and into is None and edge.label.action in OPENINGS:
        return None
    meant = term.free if into is None else frozenset((into,))
    shown = {v: s for v in meant if (s := words.shown.get(v)) is not None}
    own = [s for s in shown.values() if not s.about]
    if isinstance(sort_of(term), ArraySort) or (shown and not own):
        return None
    handed = into is not None and edge.label.action in OPENINGS
    if len(own) == 1 and (own[0].name in words.followed or handed):
        picked = next((v for v, s in shown.items() if s.name == f"picked of {own[0].name}"), None)
        name = _own(own[0]) if picked is None else own[0].name.replace("[]", f"[{_value(picked, state)}]", 1)
        return f"{name} = {_value(term, state)}"
    return _value(term, state)


def is_told(refusal: Refusal, words: Wording) -> bool:
    """Whether a refused step is one that a reader may expect: not where a function's behaviour would be undefined."""
    false = _false_parts(refusal.edge.guard, refusal.at.values)
    return refusal.obstacle is not Obstacle.GUARD or not all(map(words.is_made_up, false))


def refused(refusal: Refusal, abstract: Automaton, asked: str | None, words: Wording) -> Why:
    """Why an abstract edge does not answer a step whose action is `asked`."""
    edge, state = refusal.edge, refusal.at.values
    text, terms, at = _obstacle(refusal.obstacle, edge, state, abstract, asked, words)
    return Why(edge.origin.span, text, _values(terms, at, words.bare, words.wholes), name_of(edge))


#: A reason in words, the terms whose values explain it, and the state in which they have them.
_Reason: TypeAlias = tuple[str, Sequence[Term], State]


def _obstacle(
    obstacle: Obstacle,
    edge: Edge,
    state: State,
    abstract: Automaton,
    asked: str | None,
    words: Wording,
) -> _Reason:
    match obstacle:
        case Obstacle.GUARD:
            false = _false_parts(edge.guard, state)
            # What the translation added is no reason where the program's own words have one.
            told = tuple(t for t in false if not words.is_beside(t)) or false
            return f"its guard is false: {_conjunction(told, words)}", told, state
        case Obstacle.LABEL:
            return f"its action is {told_action(edge, state, words) or 'silent'}, not {asked or 'silent'}", (), state
        case Obstacle.VALUE:
            values = edge.label.values if edge.label else ()
            return f"it shows {told_action(edge, state, words)}, not {asked}", values, state
        case Obstacle.INVARIANT:
            return _breaks_invariant(edge, state, abstract, words)


def no_choice(edge: Edge) -> Why:
    """An edge that chooses values, of which none makes it an answer."""
    written = [c.var for c in edge.choices if c.var.name.base != QUOTIENT]
    if not written:
        # A quotient is a choice that its condition determines.
        return Why(edge.origin.span, "the value that it computes does not match", (), name_of(edge))
    if edge.origin.span is not None and edge.origin.span.source.name.endswith((".c", ".i")):
        # What is chosen there has no name in the program.
        return Why(edge.origin.span, "none of the values that it can take matches this step", (), name_of(edge))
    said = [c for c in conjuncts(edge.guard) if all(v.name.base != QUOTIENT for v in c.free)]
    chosen = ", ".join(dict.fromkeys(map(_chosen_name, written)))
    limits = f" with {' && '.join(show(c, _chosen_name) for c in said)}" if said else ""
    return Why(edge.origin.span, f"no value of {chosen}{limits} matches this step", (), name_of(edge))


def _chosen_name(var: Var) -> str:
    """A choice by the name of the variable that it is made for."""
    return bare(called(var, unchosen(var.name)))


def _conjunction(terms: Sequence[Term], words: Wording) -> str:
    return " && ".join(show_with(t, words.bare, words.wholes) for t in terms)


def _false_parts(formula: Term, state: State) -> tuple[Term, ...]:
    """The conjuncts that are false; the whole formula where that cannot be told (choices are open)."""
    try:
        return tuple(t for t in conjuncts(formula) if not holds(t, state)) or (formula,)
    except Unevaluable:
        return (formula,)


def _breaks_invariant(edge: Edge, state: State, abstract: Automaton, words: Wording) -> _Reason:
    target = location_of(abstract, edge.target)
    text = f"it would break the invariant of {target.name}: "
    try:
        after = {**state, **{v: evaluate(t, state) for v, t in edge.updates}}
    except Unevaluable:
        return text + show(target.inv, words.bare), (), state
    false = _false_parts(target.inv, after)
    return text + _conjunction(false, words), false, after


def broken(failure: Broken, words: Wording) -> Why:
    """Which conjunct of ι is false, with the values of both sides."""
    both = {**failure.concrete.values, **failure.abstract.values}
    term = failure.formula.term
    values = _values((term,), both, words.name, words.wholes)
    return Why(failure.formula.origin.span, formula_told(term, words), values)


def formula_told(term: Term, words: Wording) -> str:
    """A formula about both sides."""
    return show_with(term, words.name, words.wholes)


def written(term: Term, words: Wording) -> str | None:
    """The variable of which a conjunct of ι says that the abstract function writes it if the concrete one does."""
    told = [s for v in term.free if (s := words.shown.get(v)) is not None]
    found = dict.fromkeys(s.about for s in told if s.name == f"has written {s.about}")
    return next(iter(found)) if len(found) == 1 and all(s.about for s in told) else None
