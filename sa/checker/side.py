"""One automaton of a goal as the checker looks at it: tables by name, and priming of its globals."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind, Location, Variable, variables_of
from sa.terms.build import TRUE, conjoined, conjuncts, eq, integer, land, le
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


class Side(Struct, frozen=True, eq=False):
    """`outgoing` numbers the edges by their place in the automaton. `after` takes globals to their primes."""

    automaton: Automaton
    locations: Mapping[str, Location]
    outgoing: Mapping[str, tuple[tuple[int, Edge], ...]]
    params: tuple[Var, ...]
    globals: tuple[Var, ...]
    locals: tuple[Var, ...]
    after: Mapping[Var, Term]


def side(automaton: Automaton) -> Side:
    """The tables of an automaton that is known to be well-formed."""
    outgoing: dict[str, list[tuple[int, Edge]]] = {q.name: [] for q in automaton.locations}
    for number, edge in enumerate(automaton.edges):
        outgoing[edge.source].append((number, edge))
    shared = variables_of(automaton, Kind.GLOBAL)
    return Side(
        automaton,
        {q.name: q for q in automaton.locations},
        {name: tuple(edges) for name, edges in outgoing.items()},
        variables_of(automaton, Kind.PARAM),
        shared,
        variables_of(automaton, Kind.LOCAL),
        {v: primed(v) for v in shared},
    )


def state_variables(s: Side) -> tuple[Var, ...]:
    """Everything that a step may change."""
    return (*s.globals, *s.locals)


def invariant(s: Side, location: str) -> tuple[Term, ...]:
    """The conjuncts of `Inv` at a location."""
    return conjuncts(s.locations[location].inv)


def environment(s: Side, location: str) -> tuple[Term, ...]:
    """The conjuncts of `Env` at a location."""
    env = s.locations[location].env
    assert env is not None  # a goal whose environments are not all given is not well-formed
    return conjuncts(env)


def identity(s: Side) -> tuple[Term, ...]:
    """No global changes."""
    return conjoined(eq(primed(v), v) for v in s.globals)


def within(choice: Variable) -> Term:
    """The range of an edge's choice."""
    low = TRUE if choice.low is None else le(integer(choice.low), choice.var)
    high = TRUE if choice.high is None else le(choice.var, integer(choice.high))
    return land(low, high)


def renamed(formulas: tuple[Term, ...], names: Mapping[Var, Term]) -> tuple[Term, ...]:
    """The conjuncts of the formulas after a substitution."""
    return conjoined(substitute(f, names) for f in formulas)
