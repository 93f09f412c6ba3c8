"""Functions without a body, given one: meanings that satisfy all axioms, so that what fails for them is refuted.

A meaning is tried, never believed: each axiom is put to the solver with the meaning in place of the function, and is
then a formula without functions. That also shows that the axioms do not contradict each other. Few simple meanings
are tried; that none is found says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations

from sa.automata.program import Axiom
from sa.automata.proof import Script
from sa.base.diagnostic import Diagnostic, warning
from sa.base.limits import Limits
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.meaning import Meaning, called, calls, interpreted
from sa.terms.printer import show
from sa.terms.sort import Sort, finite_values
from sa.terms.substitute import substitute
from sa.terms.term import Function, IsZero, Le, Not, Same, Term, Var, children

#: How many conditions are tried, and of how many comparisons of the axioms each is made.
CONDITIONS, WIDTH = 40, 3

#: Solver resources for a question about axioms: an answer comes soon or not at all.
SOON = 1_000_000


def meanings(session: Session, functions: tuple[Function, ...], axioms: tuple[Axiom, ...]) -> Iterator[Meaning]:
    """Meanings that satisfy the axioms. `session` assumes no axioms. Raises LimitReached."""
    for meaning in _candidates(functions, axioms):
        if all(_holds(session, interpreted(a.formula, meaning)) for a in axioms):
            yield meaning


def doubt(script: Script, bounds: Limits, seed: int) -> Diagnostic | None:
    """A warning where it is not known that the axioms of a script can be true. Raises LimitReached."""
    axioms = script.axioms
    if not axioms or next(meanings(Session(bounds, (), seed), script.functions, axioms), None) is not None:
        return None
    if isinstance(Session(bounds, tuple(a.formula for a in axioms), seed, rlimit=SOON).check(()), Sat):
        return None
    hint = "the axioms contradict each other, so anything follows from them: weaken them, or give functions a body"
    return warning("SA512", "it is not known whether the axioms can be true", axioms[0].origin.span, hint)


def _holds(session: Session, formula: Term) -> bool:
    return isinstance(session.check((build.lnot(formula),)), Unsat)


def in_words(meaning: Meaning) -> tuple[str, ...]:
    """`gcd(x, y) = if x > y then 0 else 1`, one line each function."""
    return tuple(
        f"{f.name}({', '.join(p.name for p in parameters)}) = {show(body)}"
        for f, (parameters, body) in sorted(meaning.bodies.items(), key=lambda item: item[0].name)
    )


# ---------------------------------------------------------------- what is tried


def _candidates(functions: tuple[Function, ...], axioms: tuple[Axiom, ...]) -> Iterator[Meaning]:
    """Constants, arguments, and one or the other by a condition made of what the axioms compare."""
    own = {f: _parameters(f) for f in functions}
    for body in (_zero, _one, _first):
        yield Meaning({f: (own[f], body(f, own[f])) for f in functions})
    tests = {f: tuple(_conditions(f, own[f], axioms)) for f in functions}
    for number in range(max((len(t) for t in tests.values()), default=0)):
        for low, high in ((_zero, _one), (_zero, _first)):
            yield Meaning(
                {
                    f: (own[f], _either(tests[f][number % len(tests[f])], low(f, own[f]), high(f, own[f])))
                    if tests[f]
                    else (own[f], low(f, own[f]))
                    for f in functions
                }
            )


def _parameters(function: Function) -> tuple[Var, ...]:
    names = "xyz" if len(function.arguments) <= 3 else ""
    return tuple(build.variable(names[i] if names else f"x{i + 1}", sort) for i, sort in enumerate(function.arguments))


def _constant(value: int, sort: Sort) -> Term:
    every = finite_values(sort)
    return build.constant(value if every is None else every[min(value, len(every) - 1)], sort)


def _zero(function: Function, parameters: tuple[Var, ...]) -> Term:
    return _constant(0, function.result)


def _one(function: Function, parameters: tuple[Var, ...]) -> Term:
    return _constant(1, function.result)


def _first(function: Function, parameters: tuple[Var, ...]) -> Term:
    return next((p for p in parameters if p.sort == function.result), _constant(1, function.result))


def _either(condition: Term, positive: Term, negative: Term) -> Term:
    if positive in (build.TRUE, build.FALSE):
        return build.lor(build.land(condition, positive), build.land(build.lnot(condition), negative))
    return build.ite(condition, positive, negative)


def _conditions(function: Function, parameters: tuple[Var, ...], axioms: tuple[Axiom, ...]) -> Iterator[Term]:
    """Conjunctions of comparisons that axioms make of variables that the function is applied to."""
    found = dict[Term, None]()
    for axiom in axioms:
        for call in calls(axiom.formula):
            plain = all(isinstance(a, Var) for a in call.arguments)
            if call.function == function and plain and len(set(call.arguments)) == len(call.arguments):
                names = {a: p for a, p in zip(call.arguments, parameters, strict=True) if isinstance(a, Var)}
                for atom in _atoms(axiom.formula):
                    if atom.free and atom.free <= names.keys() and not called(atom):
                        found[substitute(atom, names)] = None
    several = chain.from_iterable(combinations(found, n) for n in range(1, WIDTH + 1))
    made = dict.fromkeys(build.land(*atoms) for atoms in several)
    yield from (c for c in list(made)[:CONDITIONS] if c is not build.FALSE)


def _atoms(term: Term) -> Iterator[Term]:
    """The comparisons in a formula, each also negated."""
    waiting, seen = [term], set[Term]()
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        if isinstance(here, Le | IsZero | Same):
            yield here
            yield build.lnot(here)
        elif not isinstance(here, Not) or not isinstance(here.body, Var):
            waiting.extend(children(here))
