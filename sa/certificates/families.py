"""Proofs about programs with families of any number of threads (THEORY section 9).

Both kinds speak of symbolic copies (`automata.family`): of any different copies, whichever they are and however many
others there are beside them.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.family import Family, concrete, numbers, of_copies
from sa.automata.program import Axiom
from sa.certificates.run import Bad, Failing, Run
from sa.certificates.threads import Annotated, Never
from sa.terms.build import TRUE, variable
from sa.terms.term import Term, Var


class Count(Struct, frozen=True):
    """How many copies of a family are at these locations with a condition on their own variables that is then true.

    The number is written as `counter(n)`, n being the place among all counts. No thread reads it.
    """

    family: str
    held: tuple[tuple[str, Term], ...]


def counter(number: int) -> Var:
    """The variable for a number of copies, with a name that no text can give."""
    return variable(f"#{number}")


class CrowdKeeps(Struct, frozen=True):
    """A proof by invariants of each thread and of each copy: `copies` annotate the families' automata, in their order.

    Witnesses of a claim may be symbolic copies. `init` is what holds of the shared variables at the start.
    """

    threads: tuple[Annotated, ...]
    families: tuple[Family, ...]
    copies: tuple[Annotated, ...]
    init: Term
    never: tuple[Never, ...]
    axioms: tuple[Axiom, ...]


class CrowdJoint(Struct, frozen=True):
    """The same by joint invariants of all threads and any `counts` different copies, a number for each family.

    They are over the names of the product of the threads and these symbolic copies, and over the counters of what is
    `counted`. Joint locations that are not in `invariants` cannot be reached. What mentions `indices` holds for all
    integers in their place.
    """

    threads: tuple[Automaton, ...]
    families: tuple[Family, ...]
    counts: tuple[int, ...]
    invariants: tuple[tuple[tuple[str, ...], Term], ...]
    init: Term
    never: tuple[Bad, ...]
    axioms: tuple[Axiom, ...]
    counted: tuple[Count, ...] = ()
    indices: tuple[Var, ...] = ()


class CrowdRun(Struct, frozen=True):
    """A run with so many copies of each family, in their order."""

    counts: tuple[int, ...]
    run: Run


def bads_of_copies(bad: Bad, families: Sequence[Family], counts: Sequence[int]) -> tuple[Bad, ...]:
    """What is bad where there are so many copies, of something bad about symbolic copies or about a family's steps."""
    if not families:
        return (bad,)
    if bad.claim is not None:
        claim = of_copies(bad.claim, families, counts)
        return () if claim is TRUE else (Bad(None, claim),)
    assert bad.failing is not None and bad.failing.edge is not None
    for family, own in zip(families, numbers(counts), strict=True):
        if family.thread.name == bad.failing.thread:
            place = family.thread.edges.index(bad.failing.edge)
            made = (concrete(family, identity) for identity in own)
            return tuple(Bad(Failing(t.name, t.edges[place]), None) for t in made)
    return (bad,)
