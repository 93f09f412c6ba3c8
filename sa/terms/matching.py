"""Instances of formulas that hold for all values, by the terms of a question (E-matching, without congruence).

Triggers are parts of the formula that name its variables: they say what a question is about. The question together with
its instances is without quantifiers, so a solver finds models. These are models of the instances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product

from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Call, Forall, Select, Sum, Term, Var, children, sort_of, subterms

#: Instances for a question, and how often those of instances are made.
MOST, ROUNDS = 200, 2


def instances(laws: Sequence[Forall]) -> Callable[[Iterable[Term]], tuple[Term, ...]]:
    """A function from formulas to instances of the laws for the terms in them."""
    ways = tuple((law, triggers) for law in laws for triggers in triggers_of(law))
    if not ways:
        return lambda formulas: ()
    known = dict[tuple[Forall, Term, Term], Mapping[Var, Term] | None]()

    def at(law: Forall, trigger: Term, terms: Iterable[Term]) -> Iterator[Mapping[Var, Term]]:
        for term in terms:
            key = law, trigger, term
            if key not in known:
                known[key] = matched(trigger, term, frozenset(law.binders))
            if (found := known[key]) is not None:
                yield found

    def of(formulas: Iterable[Term]) -> tuple[Term, ...]:
        made, asked = dict[Term, None](), tuple(formulas)
        for _ in range(ROUNDS):
            here = [t for t in subterms((*asked, *made)) if isinstance(t, Call | Select)]
            found = ((law, p) for law, triggers in ways for p in product(*(at(law, t, here) for t in triggers)))
            for law, parts in islice(found, MOST):
                made[substitute(law.body, {v: t for part in parts for v, t in part.items()})] = None
        return tuple(made)

    return of


def laws_of(formulas: Iterable[Term]) -> tuple[tuple[Forall, ...], tuple[Term, ...]]:
    """Those of the formulas that instances can be made of, and the others."""
    asked = tuple(formulas)
    laws = tuple(f for f in asked if isinstance(f, Forall) and triggers_of(f))
    return laws, tuple(f for f in asked if f not in laws)


def triggers_of(law: Forall) -> tuple[tuple[Term, ...], ...]:
    """Ways to see what a law is about: each of them terms that together name all its variables; none if no terms do.

    The smallest values of functions and arrays with all variables, one of them each; otherwise those with one variable.
    """
    binders = frozenset(law.binders)
    values = [t for t in subterms((law.body,)) if isinstance(t, Call | Select)]
    naming = [t for t in values if binders <= t.free]
    larger = {t for t in naming for part in subterms(children(t)) if part in naming}
    if naming:
        return tuple((t,) for t in naming if t not in larger)
    single = [[t for t in values if t.free & binders == {v}] for v in law.binders]
    return tuple(product(*single)) if all(single) else ()


def matched(pattern: Term, term: Term, binders: frozenset[Var]) -> Mapping[Var, Term] | None:
    """What the binders stand for where the pattern is the term; None if it is not, as it is written."""
    values = dict[Var, Term]()
    return values if _match(pattern, term, binders, values) else None


def _match(pattern: Term, term: Term, binders: frozenset[Var], values: dict[Var, Term]) -> bool:
    if pattern.free.isdisjoint(binders):
        return pattern is term
    match pattern:
        case Var():
            return pattern.sort == sort_of(term) and values.setdefault(pattern, term) is term
        case Sum(constant, ((Var() as var, 1),)):
            return values.setdefault(var, moved := build.add(term, build.integer(-constant))) is moved
        case Call(function, _):
            same = isinstance(term, Call) and term.function == function
        case Select():
            same = isinstance(term, Select)
        case _:
            return False
    pairs = zip(children(pattern), children(term), strict=same)
    return same and all(_match(p, t, binders, values) for p, t in pairs)
