"""Relies that people write: while a thread holds a lock nobody else writes what it protects.

They are tried before anything finer. Whether they are enough is for the checker to say, as of any other environment.
"""

from __future__ import annotations

from collections.abc import Iterator

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.terms.build import conjuncts, eq
from sa.terms.solve import solution
from sa.terms.substitute import primed
from sa.terms.term import Term, Var
from sa.weakest.clauses import Clause

#: More locks than these are not tried one by one.
LOCKS = 4


def relies(thread: Automaton) -> Iterator[tuple[Clause, ...]]:
    """Relies of a thread, guarded by each lock that it takes and by all of them; none where it takes none."""
    shared = variables_of(thread, Kind.GLOBAL)
    taken = tuple(_taken(thread))[:LOCKS]
    for held in taken:
        yield _unchanged(shared, (held,))
    if len(taken) > 1:
        yield tuple(clause for held in taken for clause in _unchanged(shared, (held,)))


def _unchanged(variables: tuple[Var, ...], when: tuple[Term, ...]) -> tuple[Clause, ...]:
    return tuple(Clause(when, eq(primed(v), v)) for v in variables)


def _taken(thread: Automaton) -> Iterator[Term]:
    """That the thread holds a lock: a step takes one where it finds a constant in a variable and leaves another there.

    What a variable begins with is what it has while nobody holds it.
    """
    shared = frozenset(variables_of(thread, Kind.GLOBAL))
    free = _constants(thread.init, shared)
    found = dict[Term, None]()
    for edge in thread.edges:
        tested = _constants(edge.guard, shared)
        for variable, term in edge.updates:
            if variable in tested and not term.free and term not in (tested[variable], free.get(variable)):
                found[eq(variable, term)] = None
    yield from found


def _constants(formula: Term, variables: frozenset[Var]) -> dict[Var, Term]:
    """The variables that a formula gives a constant."""
    solved = (solution(c, variables) for c in conjuncts(formula))
    return {s[0]: s[1] for s in solved if s is not None and not s[1].free}
