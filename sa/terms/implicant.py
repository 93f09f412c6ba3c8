"""A conjunction of literals that a state satisfies and that implies a given formula.

Conditionals inside atoms can be decided by the state too: then the literals that come out are free of them,
and say less.
"""

from __future__ import annotations

from collections.abc import Iterable

from sa.terms import build
from sa.terms.evaluate import State, holds
from sa.terms.sort import BOOL
from sa.terms.substitute import rebuild
from sa.terms.term import And, Bool, Ite, Not, Or, Same, Term, children, sort_of


def implicant(formulas: Iterable[Term], state: State, decide: bool = True) -> tuple[Term, ...]:
    """Literals true in `state` whose conjunction implies every formula. All formulas must hold in `state`.

    With `decide`, conditionals inside atoms are decided as the state has them.
    """
    literals = dict[Term, None]()
    for formula in formulas:
        _collect(formula, state, literals, decide)
    return tuple(literals)


def _collect(formula: Term, state: State, literals: dict[Term, None], decide: bool) -> None:
    match formula:
        case Bool():
            return
        case And(args):
            for arg in args:
                _collect(arg, state, literals, decide)
        case Or(args):
            if not any(a in literals for a in args):
                _collect(_choose(args, state), state, literals, decide)
        case Same(left, right) if sort_of(left) == BOOL:
            _sides(left, right, state, literals, decide)
        case Not(Same(left, right)) if sort_of(left) == BOOL:
            _sides(left, right, state, literals, decide)
        case _:
            atom = decided(formula, state, literals) if decide else formula
            if not isinstance(atom, Bool):
                literals[atom] = None


def _choose(args: tuple[Term, ...], state: State) -> Term:
    # A true literal generalises better than a true conjunction.
    true = [a for a in args if holds(a, state)]
    return next((a for a in true if not isinstance(a, And)), true[0])


def _sides(left: Term, right: Term, state: State, literals: dict[Term, None], decide: bool) -> None:
    for side in (left, right):
        _collect(side if holds(side, state) else build.lnot(side), state, literals, decide)


def decided(term: Term, state: State, literals: dict[Term, None]) -> Term:
    """The term with its conditionals replaced by the branch that the state takes; why, goes into `literals`."""
    # Terms share parts: what is written out may be much longer than the term.
    known = dict[Term, Term]()

    def go(term: Term) -> Term:
        if isinstance(term, Ite):
            taken = holds(term.condition, state)
            _collect(term.condition if taken else build.lnot(term.condition), state, literals, True)
            return go(term.positive if taken else term.negative)
        if not children(term):
            return term
        if term not in known:
            known[term] = rebuild(term, go)
        return known[term]

    return go(term)
