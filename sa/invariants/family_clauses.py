"""Horn clauses about all threads and symbolic copies of families (THEORY section 9): an unknown joint invariant.

A state of a predicate is that of all threads and of some different copies, at these locations. It is closed under their
steps, and under those of one more copy from states that agree on what is shared, whichever of the copies it replaces.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations as subsets
from itertools import product as combinations

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind, variables_of
from sa.automata.family import (
    Family,
    crowd,
    different,
    identity_of,
    in_place_of,
    spoken_of,
    symbolic,
    symbolic_name,
)
from sa.automata.rename import apart
from sa.certificates.families import counter
from sa.certificates.run import Bad
from sa.conditions.never import at_places, failing_edges, taking
from sa.invariants.counter_abstraction import Counted, within
from sa.question.asked import Asked
from sa.smt.horn import Atom, Clause
from sa.terms import build
from sa.terms.substitute import local_of, substitute
from sa.terms.term import Term, Var


class System(Struct, frozen=True):
    """All threads and some symbolic copies, `apart` in this order; the copies count what is `counted`.

    The `label` tells its predicates from those of other systems.
    """

    asked: Asked
    counts: tuple[int, ...]
    apart: Sequence[Automaton]
    counted: Counted | None = None
    label: str = ""

    @property
    def families(self) -> tuple[Family, ...]:
        """The families, with counters."""
        return self.asked.families if self.counted is None else self.counted.families


def places_of(s: System) -> Iterator[tuple[str, ...]]:
    """All choices of a location of each."""
    return combinations(*([q.name for q in t.locations] for t in s.apart))


def predicate(places: Sequence[str]) -> str:
    """The name of what is unknown of a choice of locations."""
    return " | ".join(places)


def variables(s: System) -> tuple[Var, ...]:
    """The variables of all of them, and what families share, of which there may be no copies."""
    shared = (v for f in s.families for v in variables_of(f.thread, Kind.GLOBAL))
    return tuple(dict.fromkeys((*(v.var for t in s.apart for v in t.variables), *shared)))


def counters(s: System) -> tuple[Var, ...]:
    """How many copies there are of each kind that is counted."""
    return tuple(counter(n) for n in range(0 if s.counted is None else len(s.counted.counts)))


def parameters(s: System) -> Mapping[str, Sequence[Var]]:
    """The predicates, all of them about all variables."""
    known = variables(s)
    return {s.label + predicate(places): known for places in places_of(s)}


def _at(s: System, places: Sequence[str], after: Mapping[Var, Term]) -> Atom:
    return Atom(s.label + predicate(places), tuple(after.get(v, v) for v in variables(s)))


def identities(s: System) -> tuple[Var, ...]:
    """The identities of the copies."""
    counted = zip(s.asked.families, s.counts, strict=True)
    return tuple(identity_of(f, symbolic_name(f, n)) for f, count in counted for n in range(1, count + 1))


def _inv(s: System, places: Sequence[str], after: Mapping[Var, Term]) -> Term:
    written = ({q.name: q.inv for q in t.locations}[place] for t, place in zip(s.apart, places, strict=True))
    return substitute(build.land(*written), after)


def _seen(s: System, places: Sequence[str]) -> Iterator[tuple[Family, str, str]]:
    return _copies_seen(s.families, s.counts, {t.name: q for t, q in zip(s.apart, places, strict=True)})


def _copies_seen(
    families: Sequence[Family], counts: Sequence[int], here: Mapping[str, str]
) -> Iterator[tuple[Family, str, str]]:
    for family, count in zip(families, counts, strict=True):
        names = (symbolic_name(family, n) for n in range(1, count + 1))
        yield from ((family, name, here[name]) for name in names)


def balanced(s: System, places: Sequence[str]) -> tuple[Term, ...]:
    """The equations of what is counted where threads are at these locations."""
    here = {t.name: q for t, q in zip(s.apart, places, strict=True)}
    return () if s.counted is None else tuple(at_places(e, here) for e in s.counted.equations)


def told(s: System, places: Sequence[str], *others: tuple[Family, str, str]) -> Term:
    """What is known of counters where threads and copies are at these locations, and these others."""
    if s.counted is None:
        return build.TRUE
    return build.land(*within(s.counted.counts, s.families, (*_seen(s, places), *others)))


def clauses(s: System, beside: Sequence[System] = ()) -> Iterator[Clause]:
    """Initial states, steps of each thread and copy, and steps of a copy that is none of these.

    Of that copy is known what is known of one in the place of each of these; and of all threads and one copy, if a
    system `beside` is about these.
    """
    apart_facts = build.land(*different(s.asked.families, tuple(n + 1 for n in s.counts)))
    start = tuple(t.initial for t in s.apart)
    facts = build.land(*different(s.asked.families, s.counts))
    none = (build.eq(v, build.ZERO) for v in counters(s))
    inits = build.land(facts, s.asked.init, *none, *(t.init for t in s.apart))
    yield Clause((), build.land(inits, _inv(s, start, {})), _at(s, start, {}))
    for places in places_of(s):
        known = build.land(facts, _inv(s, places, {}), told(s, places))
        for index, thread in enumerate(s.apart):
            for edge in thread.edges:
                if edge.source == places[index]:
                    there = (*places[:index], edge.target, *places[index + 1 :])
                    after = dict[Var, Term](edge.updates)
                    taken = build.land(known, taking(edge), _inv(s, there, after))
                    yield Clause((_at(s, places, {}),), taken, _at(s, there, after))
        for family, number in zip(s.families, s.counts, strict=True):
            other = apart(symbolic(family, number + 1))
            shared = frozenset(variables_of(other, Kind.GLOBAL))
            for edge in other.edges:
                after = {v: t for v, t in edge.updates if v in shared}
                if after:
                    body = (_at(s, places, {}), *_with_other(s, places, family, number, edge.source))
                    body = (*body, *_alone(s, beside, places, family, edge.source))
                    more = told(s, places, (family, other.name, edge.source))
                    taken = build.land(known, more, taking(edge), apart_facts, _inv(s, places, after))
                    yield Clause(body, taken, _at(s, places, after))


def _with_other(s: System, places: tuple[str, ...], family: Family, number: int, source: str) -> Iterator[Atom]:
    """What is known with one more copy, at a location, in the place of each of the others."""
    for n in range(1, number + 1):
        one, other = symbolic_name(family, n), symbolic_name(family, number + 1)
        index = next(i for i, t in enumerate(s.apart) if t.name == one)
        own = variables_of(family.thread, Kind.LOCAL)
        names: dict[Var, Term] = {local_of(v, one): local_of(v, other) for v in own}
        yield _at(s, (*places[:index], source, *places[index + 1 :]), names)


def _alone(s: System, beside: Sequence[System], places: Sequence[str], family: Family, source: str) -> Iterator[Atom]:
    """What is known of all threads and one more copy of a family alone, if the system has none."""
    of = s.asked.families.index(next(f for f in s.asked.families if f.thread.name == family.thread.name))
    if s.counts[of] == 0:
        threads = places[: len(s.asked.threads)]
        yield from (_at(other, (*threads, source), {}) for other in beside if other.counts[of] == 1)


def wanted(s: System, bads: Sequence[Bad]) -> Iterator[Clause]:
    """What is bad does not happen: no failing step of a thread or of the first copy is possible, no claim is false.

    A claim may speak of more copies than there are here: then of each choice of as many.
    """
    for places in places_of(s):
        known = build.land(_inv(s, places, {}), told(s, places))
        for edge in (e for bad in bads for e in _failing_from(s, places, bad)):
            yield Clause((_at(s, places, {}),), build.land(known, taking(edge)), None)
    for claim in (bad.claim for bad in bads if bad.claim is not None):
        counts = spoken(s, claim)
        every = (*s.asked.threads, *crowd(s.families, counts))
        facts, chosen = different(s.asked.families, counts), list(choices(s.counts, counts))
        for places in combinations(*([q.name for q in t.locations] for t in every)):
            here = {t.name: q for t, q in zip(every, places, strict=True)}
            said = at_places(claim, here)
            if said is not build.TRUE:
                atoms = tuple(_at_chosen(s, here, some) for some in chosen)
                seen = _copies_seen(s.families, counts, here)
                least_seen = () if s.counted is None else within(s.counted.counts, s.families, tuple(seen))
                yield Clause(atoms, build.land(*facts, *least_seen, build.lnot(said)), None)


def spoken(s: System, claim: Term) -> tuple[int, ...]:
    """How many copies of each family there are here, or a claim speaks of, if these are more."""
    return tuple(max(n, spoken_of(claim, f)) for n, f in zip(s.counts, s.asked.families, strict=True))


def choices(few: Sequence[int], many: Sequence[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """For each family the numbers of so few different copies among so many."""
    return combinations(*(list(subsets(range(1, m + 1), f)) for f, m in zip(few, many, strict=True)))


def _at_chosen(s: System, here: Mapping[str, str], chosen: Sequence[Sequence[int]]) -> Atom:
    """What is known of all threads and these copies."""
    places, names = [here[t.name] for t in s.asked.threads], dict[Var, Term]()
    for family, numbers in zip(s.families, chosen, strict=True):
        for first, number in enumerate(numbers, 1):
            places.append(here[symbolic_name(family, number)])
            names |= in_place_of(family, first, number)
    return _at(s, places, names)


def _failing_from(s: System, places: Sequence[str], bad: Bad) -> Iterator[Edge]:
    """The bad steps at these locations, of threads and first copies."""
    firsts = {symbolic_name(f, 1): f.thread for f in s.asked.families}
    own = {t.name: t for t in s.asked.threads} | firsts
    for thread, place in zip(s.apart, places, strict=True):
        yield from (e for e in _failing(own.get(thread.name), thread, bad) if e.source == place)


def _failing(written: Automaton | None, thread: Automaton, bad: Bad) -> Iterator[Edge]:
    if written is not None:
        asked = set(failing_edges(written, bad.failing))
        yield from (own for edge, own in zip(written.edges, thread.edges, strict=True) if edge in asked)
