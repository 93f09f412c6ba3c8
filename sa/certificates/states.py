"""Evidence that something bad never happens in a closed program whose reachable states are finitely many: all of them.

A state is written as one number (`States.packed`). What is claimed is that these numbers contain every initial state
and everything that steps lead to, as far as the reduction asks for it, and that nothing bad is among them.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom
from sa.certificates.run import Bad
from sa.terms.sort import Value
from sa.terms.term import Var


class Field(Struct, frozen=True):
    """A part of a packed state, `width` bits wide: a value as its distance from `low`, true as 1 and false as 0.

    Arrays are written as their places among `values`; None for other sorts.
    """

    var: Var
    low: int
    width: int
    values: tuple[Value, ...] | None = None


class States(Struct, frozen=True, eq=False):
    """A proof by all states.

    The lowest bits of a packed state say where the threads are: for each a number of the location, in as many bits as
    the greatest needs. `fields` follow from low bits to high ones; their variables are those of the threads' product.
    Variables without a field do not matter. `kept` says, by thread and location, of which locals with a field the value
    matters there; elsewhere their bits are 0.

    `first` are, by thread, the numbers of locations whose steps may be taken before those of other threads. They form
    no cycle, and what is bad does not depend on them. From a state only the steps of some threads need lead to states
    of the proof: for a thread at such a location that can move, its own and those of all threads that are not
    independent of it (`checker.states` says which that are). Empty sets mean that nothing is reduced.
    """

    threads: tuple[Automaton, ...]
    fields: tuple[Field, ...]
    kept: tuple[tuple[frozenset[Var], ...], ...]
    first: tuple[frozenset[int], ...]
    packed: Collection[int]
    never: tuple[Bad, ...]
    axioms: tuple[Axiom, ...]


def place_widths(threads: tuple[Automaton, ...]) -> tuple[int, ...]:
    """How many bits the location of each thread has in a packed state."""
    return tuple((len(t.locations) - 1).bit_length() for t in threads)
