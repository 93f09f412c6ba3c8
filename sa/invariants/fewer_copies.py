"""What holds of one copy, whatever others do, and of numbers of copies; and what holds of fewer copies, said of more.

Invariants of all threads and one copy of each family alone are looked for together: there is a predicate for each
location of each family, not for each choice of locations, so this is quick. Joint invariants of any different copies
hold of each choice of as many among more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from sa.automata.family import in_place_of, symbolic, symbolic_name
from sa.automata.rename import apart
from sa.base.limits import Limits
from sa.invariants.conjunctions import conjunctions
from sa.invariants.counter_abstraction import Counted
from sa.invariants.family_candidates_by_location import needed
from sa.invariants.family_clauses import System, choices, clauses, parameters, places_of, predicate
from sa.invariants.partition_by_flags import flags_of
from sa.question.asked import Asked
from sa.smt.horn import Clause
from sa.smt.session import Session
from sa.terms import build
from sa.terms.substitute import substitution
from sa.terms.term import Term, Var


class Solved(Struct, frozen=True):
    """A system with formulas for its predicates that satisfy its clauses."""

    system: System
    found: Mapping[str, Term]


def held_of(s: System, before: Iterable[Solved]) -> dict[str, Term]:
    """By predicate what follows from what was found of no more copies, where the same is counted or nothing."""
    held: dict[tuple[str, ...], Term] = dict.fromkeys(places_of(s), build.TRUE)
    for known in before:
        if all(few <= many for few, many in zip(known.system.counts, s.counts, strict=True)) and (
            known.system.counted in (None, s.counted)
        ):
            for chosen in choices(known.system.counts, s.counts):
                for places, said in _of_these(s, known, chosen):
                    held[places] = build.land(held[places], said)
    return {predicate(places): said for places, said in held.items()}


def of_one_copy(asked: Asked, known: Counted, session: Session, bounds: Limits) -> list[Solved]:
    """Conjunctions about all threads and one copy of each family, with numbers of copies. Raises LimitReached."""
    systems = [_of_one(asked, known, n) for n in range(len(asked.families))]
    names, offered, steps = dict[str, Sequence[Var]](), dict[str, Sequence[Term]](), list[Clause]()
    for s in systems:
        names |= parameters(s)
        offered |= {s.label + name: said for name, said in needed(s, asked.bads).items()}
        steps += clauses(s, systems)
    flags = flags_of([t for s in systems for t in s.apart])
    found = conjunctions(session, names, steps, offered, bounds, flags=flags)
    return [Solved(s, {predicate(q): found[s.label + predicate(q)] for q in places_of(s)}) for s in systems]


def _of_one(asked: Asked, known: Counted, number: int) -> System:
    family = known.families[number]
    counts = tuple(int(n == number) for n in range(len(known.families)))
    threads = (*asked.threads, symbolic(family, 1))
    return System(asked, counts, [apart(t) for t in threads], known, f"{family.thread.name}: ")


def _of_these(s: System, known: Solved, chosen: Sequence[Sequence[int]]) -> Iterator[tuple[tuple[str, ...], Term]]:
    """What is known of these copies, at each choice of locations of all."""
    index = {t.name: n for n, t in enumerate(s.apart)}
    mine = [index[t.name] for t in s.asked.threads]
    names = dict[Var, Term]()
    for family, numbers in zip(s.asked.families, chosen, strict=True):
        mine += (index[symbolic_name(family, n)] for n in numbers)
        for number, other in enumerate(numbers, 1):
            names |= in_place_of(family, number, other)
    renamed = substitution({v: t for v, t in names.items() if v is not t})
    for places in places_of(s):
        said = known.found[predicate([places[n] for n in mine])]
        if said is not build.TRUE:
            yield places, renamed(said)
