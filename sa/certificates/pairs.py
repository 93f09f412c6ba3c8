"""Evidence for PROVED where the reachable values are finite: every pair of states that the two sides can be in.

What is claimed of the pairs is that ι holds of all of them, that they contain the initial ones, and that each concrete
step from one of them has an answer that ends in another (decision 014).
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from sa.certificates.relation import Relation
from sa.terms.sort import Value
from sa.terms.term import Term, Var


class SideStates(Struct, frozen=True, eq=False):
    """States of one side, each the number of a location and the values of what is `kept` there.

    Values stand in the order in which the automaton declares its variables. Variables that are not kept at a location
    may have any value there: nothing that matters depends on them.
    """

    kept: tuple[frozenset[Var], ...]
    states: tuple[tuple[int, tuple[Value, ...]], ...]


class StatePairs(Struct, frozen=True, eq=False):
    """A weak simulation as a set of pairs: concrete state i with abstract state j is `i * len(abstract.states) + j`.

    `openings` shows initial coverage, as in a `Relation`.
    """

    concrete: SideStates
    abstract: SideStates
    pairs: frozenset[int]
    openings: tuple[tuple[tuple[Var, Term], ...], ...]


#: Evidence that a goal holds.
Simulation: TypeAlias = Relation | StatePairs
