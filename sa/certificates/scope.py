"""What the names in a certificate's terms mean: taken from automata that were made from the sources, never from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sa.automata.automaton import Automaton
from sa.certificates.goal import Goal
from sa.terms.read_smtlib import Names
from sa.terms.sort import Sort, enumerations
from sa.terms.term import Call, Function, Member, Term, Var, subterms


def scope(automata: Iterable[Automaton], formulas: Iterable[Term] = ()) -> Names:
    """The variables of the automata, and the functions and enumerations that they or the formulas mention."""
    known = tuple(automata)
    variables = [v.var for a in known for v in a.variables]
    choices = [c.var for a in known for e in a.edges for c in e.choices]
    functions = dict[str, Function]()
    sorts: dict[str, Sort] = {s.name: s for s in enumerations(v.sort for v in (*variables, *choices))}
    for term in subterms((*formulas, *(t for a in known for t in _terms(a)))):
        match term:
            case Call(function, _):
                functions[function.name] = function
                sorts |= {s.name: s for s in enumerations((*function.arguments, function.result))}
            case Member(sort, _):
                sorts[sort.name] = sort
    return Names({v.name: v for v in variables}, functions, sorts)


def goal_scope(goal: Goal) -> Names:
    """The names of both sides of a goal."""
    formulas = (f.term for f in (*goal.kappa, *goal.iota))
    return scope((goal.concrete, goal.abstract), (*formulas, *(a.formula for a in goal.axioms)))


def more(names: Names, variables: Iterable[Var]) -> Names:
    """The names and some more."""
    return Names({**names.variables, **{v.name: v for v in variables}}, names.functions, names.sorts)


def _terms(automaton: Automaton) -> Iterator[Term]:
    yield automaton.init
    for place in automaton.locations:
        yield place.inv
        if place.env is not None:
            yield place.env
    for edge in automaton.edges:
        yield edge.guard
        yield from (t for _, t in edge.updates)
        yield from edge.label.values if edge.label is not None else ()
