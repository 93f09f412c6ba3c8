"""Terms in which some variables have known values, made for very many states: each is made once for what it reads."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from sa.terms.build import FALSE, TRUE, land
from sa.terms.substitute import substitute
from sa.terms.term import And, Term, Var


class Partly(Struct, frozen=True, eq=False):
    """What each term reads, and what became of it by the values of that."""

    read: dict[Term, tuple[Var, ...]] = field(default_factory=dict)
    made: dict[tuple[Term | None, ...], Term] = field(default_factory=dict)


def partly(memory: Partly, term: Term, values: Mapping[Var, Term]) -> Term:
    """`substitute`, remembered: a scheduler's state has many values, each term reads few of them."""
    read = memory.read.get(term)
    if read is None:
        read = memory.read[term] = tuple(term.free)
    if not read:
        return term
    key = (term, *map(values.get, read))
    found = memory.made.get(key)
    if found is None:
        found = memory.made[key] = (
            _conjoined(memory, term, values) if isinstance(term, And) else substitute(term, values)
        )
    return found


def _conjoined(memory: Partly, term: And, values: Mapping[Var, Term]) -> Term:
    left = list[Term]()
    for conjunct in term.args:
        said = partly(memory, conjunct, values)
        if said is FALSE:
            return said
        if said is not TRUE:
            left.append(said)
    return land(*left)
