"""Functions without a body as arrays: a rigid parameter each, whose elements are their values.

"For all functions" and "for all values of the parameter" are the same. Models of arrays can be evaluated, so the
searches know states in which functions have values. A relation that they find speaks of functions again. What an axiom
says of all values of a function takes their place: that it is the same is for the checker to show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Origin, Variable
from sa.automata.program import Axiom
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.terms import build
from sa.terms.map_terms import everywhere, terms_in
from sa.terms.name import staged
from sa.terms.sort import ArraySort
from sa.terms.substitute import rebuild, substitute
from sa.terms.term import Bool, Call, Forall, Function, Int, IsZero, Member, Same, Select, Term, Var, subterms


class NoCall(Exception):
    """A relation speaks of a function itself, not of its values."""


def functions_of(goal: Goal) -> tuple[Function, ...]:
    """The functions without a body that the goal's automata and relation apply to something, by name."""
    found = {
        t.function
        for t in subterms(terms_in((goal.concrete, goal.abstract, goal.kappa, goal.iota)))
        if isinstance(t, Call)
    }
    return tuple(sorted((f for f in found if f.arguments), key=lambda f: f.name))


def with_arrays(goal: Goal, functions: tuple[Function, ...]) -> Goal:
    """The goal with a parameter for each function that no axiom gives the values of."""
    given, axioms = dict[Function, Meaning](), list[Axiom]()
    for axiom in goal.axioms:
        found = _given(axiom.formula)
        if found is None or found[0] in given:
            axioms.append(axiom)
        else:
            given[found[0]] = found[1]
    for f in functions:
        if f not in given:
            given[f] = _elements(f)
    arrays = tuple(Variable(_parameter(f), Kind.PARAM, origin=Origin(None, f.name)) for f in functions)
    made = everywhere(replace(goal, axioms=tuple(axioms)), lambda term: _meant(term, given))
    return replace(made, concrete=_with(made.concrete, arrays), abstract=_with(made.abstract, arrays))


def _elements(function: Function) -> Meaning:
    names = tuple(build.variable(f"argument_{i}", sort) for i, sort in enumerate(function.arguments))
    value: Term = _parameter(function)
    for name in names:
        value = build.select(value, name)
    return Meaning(names, value)


def _given(axiom: Term) -> tuple[Function, Meaning] | None:
    """The function that an axiom gives all values of, by terms without functions."""
    if not isinstance(axiom, Forall):
        return None
    match axiom.body:
        case IsZero(total):
            const, parts = build.linear_parts(total)
            pairs = [
                (call, build.scale(-c, build.linear(const, {p: d for p, d in parts.items() if p is not call})))
                for call, c in parts.items()
                if abs(c) == 1
            ]
        case Same(left, right):
            pairs = [(left, right), (right, left)]
        case _:
            return None
    for call, value in pairs:
        if isinstance(call, Call) and not any(isinstance(t, Call) for t in subterms((value,))):
            names = tuple(a for a in call.arguments if isinstance(a, Var))
            if len(set(names)) == len(call.arguments) and set(names) == set(axiom.binders):
                return call.function, Meaning(names, value)
    return None


def with_calls(relation: Relation, functions: tuple[Function, ...]) -> Relation:
    """The relation with the functions instead of their parameters. Raises NoCall."""
    names = {_parameter(f): f for f in functions}
    memo = dict[Term, Term]()
    return everywhere(relation, lambda term: _called(term, names, memo))


class Meaning(Struct, frozen=True):
    """The values of a function, as a term over names for its arguments."""

    names: tuple[Var, ...]
    value: Term


def _parameter(function: Function) -> Var:
    sort = reduce(lambda result, argument: ArraySort(argument, result), reversed(function.arguments), function.result)
    return build.variable(staged(function.name, "function"), sort)


def _with(automaton: Automaton, more: tuple[Variable, ...]) -> Automaton:
    return replace(automaton, variables=(*more, *automaton.variables))


def _meant(term: Term, given: Mapping[Function, Meaning]) -> Term:
    match term:
        case Var() | Int() | Bool() | Member():
            return term
        case Forall(binders, body):
            return build.forall(binders, _meant(body, given))
        case Call(function, arguments) if function in given:
            meaning = given[function]
            own = (_meant(a, given) for a in arguments)
            return substitute(meaning.value, dict(zip(meaning.names, own, strict=True)))
        case _:
            return rebuild(term, lambda t: _meant(t, given))


def _called(term: Term, names: Mapping[Var, Function], memo: dict[Term, Term]) -> Term:
    """A term with calls of functions; `memo` has those of terms, which may have parts in common."""
    found = memo.get(term)
    if found is None:
        found = memo[term] = _with_call(term, names, lambda t: _called(t, names, memo))
    return found


def _with_call(term: Term, names: Mapping[Var, Function], go: Callable[[Term], Term]) -> Term:
    head, arguments = term, list[Term]()
    while isinstance(head, Select):
        arguments.append(head.index)
        head = head.array
    if isinstance(head, Var) and head in names:
        function = names[head]
        if len(arguments) != len(function.arguments):
            raise NoCall
        return build.call(function, tuple(go(a) for a in reversed(arguments)))
    match term:
        case Var() | Int() | Bool() | Member():
            return term
        case Forall(binders, body):
            return build.forall(binders, go(body))
        case _:
            return rebuild(term, go)
