"""A proof about threads in normal form: variables are replaced by what they equal, and dead assignments are gone."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom
from sa.certificates.reduced import Composed, Reduced
from sa.certificates.run import Bad
from sa.terms.term import Term, Var

#: By location what variables equal there.
Equal: TypeAlias = tuple[tuple[tuple[Var, Term], ...], ...]

#: By location the variables whose values matter there.
Matter: TypeAlias = tuple[frozenset[Var], ...]


class Simplified(Struct, frozen=True):
    """`inner` is about `threads` in normal form, which `equal` and `matter` determine, thread by thread.

    Claimed is that the equations hold whenever a thread is at the location, over variables that no other thread
    writes, and that no step reads a variable where it does not matter, once equals are replaced by equals and tests of
    what does not matter are left out.
    """

    threads: tuple[Automaton, ...]
    equal: tuple[Equal, ...]
    matter: tuple[Matter, ...]
    inner: Composed | Reduced
    never: tuple[Bad, ...]
    axioms: tuple[Axiom, ...]
