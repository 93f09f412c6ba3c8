"""A step as one for each outcome of the conditions that its updates depend on: each may add something known."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from sa.automata.automaton import Edge
from sa.terms import build
from sa.terms.sort import BOOL
from sa.terms.substitute import rebuild
from sa.terms.term import Bool, Forall, Ite, Term, children, subterms

#: Steps that one becomes at most.
MOST = 16


def cases(edge: Edge) -> tuple[Edge, ...]:
    """The step once for each outcome; as it is where these are too many."""
    found = list[Edge]()
    waiting = [edge]
    while waiting:
        if len(found) + len(waiting) > MOST:
            return (edge,)
        one = waiting.pop()
        condition = next(_conditions(one), None)
        if condition is None:
            found.append(one)
        else:
            waiting += _where(one, condition)
    return tuple(found)


def _conditions(edge: Edge) -> Iterator[Term]:
    """What an update chooses by, and what a truth value becomes that is no constant."""
    for var, term in edge.updates:
        if var.sort == BOOL:
            if not isinstance(term, Bool):
                yield term
        else:
            yield from (t.condition for t in subterms((term,)) if isinstance(t, Ite))


def _where(edge: Edge, condition: Term) -> Iterator[Edge]:
    for value in (build.TRUE, build.FALSE):
        guard = build.land(edge.guard, condition if value is build.TRUE else build.lnot(condition))
        if guard is not build.FALSE:
            updates = tuple((v, _resolved(t, condition, value)) for v, t in edge.updates)
            yield replace(edge, guard=guard, updates=updates)


def _resolved(term: Term, condition: Term, value: Term) -> Term:
    """A term without a condition whose value is known."""
    if term is condition:
        return value
    if term is build.lnot(condition):
        return build.lnot(value)
    if isinstance(term, Forall) or not children(term):
        return term
    return rebuild(term, lambda t: _resolved(t, condition, value))
