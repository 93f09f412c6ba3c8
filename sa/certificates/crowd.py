"""Proofs about programs with families of any number of threads (THEORY section 9).

Both kinds speak of symbolic copies (`automata.family`): of any different copies, whichever they are and however many
others there are beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.family import Family, at, concrete, numbers, of_copies, symbolic_name
from sa.automata.program import Axiom
from sa.certificates.run import Bad, Failing, Run
from sa.certificates.threads import Annotated, Composition, Never
from sa.terms.build import TRUE, land, lnot, variable
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


#: Where a thread is, or a copy of a family: a name and a location.
Spot: TypeAlias = tuple[str, str]


def meetings(threads: Sequence[Automaton], families: Sequence[Family]) -> dict[Bad, tuple[Spot, Spot]]:
    """Claims that two are never at two places at once, in order: a copy and a thread, a copy and a different copy."""
    found = dict[Bad, tuple[Spot, Spot]]()
    for number, family in enumerate(families):
        mine, name = symbolic_name(family, 1), family.thread.name
        others = [(t, t.name) for t in threads]
        others += [(f.thread, symbolic_name(f, 1)) for f in families[:number]]
        others.append((family.thread, symbolic_name(family, 2)))
        for other, called in others:
            for one, two in product(family.thread.locations, other.locations):
                claim = lnot(land(at(mine, one.name), at(called, two.name)))
                found[Bad(None, claim)] = ((name, one.name), (other.name, two.name))
    return found


class CrowdComposition(Composition, frozen=True):
    """A proof that one composition refines another where there are families of any number (THEORY section 12).

    Some of the pairs, named by their places, stand for any number of `copies` of a family: the parameter with each is
    the copy's identity, and there is no other copy with it. `apart` are proofs of `meetings` of the concrete side and
    of the abstract one: what two of them do beside each other need not be looked at where they never are at once.
    """

    copies: tuple[tuple[int, Var], ...] = ()
    apart: tuple[tuple[CrowdJoint, ...], tuple[CrowdJoint, ...]] = ((), ())


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
