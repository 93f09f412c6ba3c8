"""What is known where two threads or copies meet, shown by joint invariants of threads and one or two copies.

Of two places that are never met at once everything is known. Numbers of copies say more: a counter of readers is at
least two where two copies read. What is said of a meeting has no counters in it: it is over the variables of the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

from msgspec import Struct

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.automata.family import symbolic_name
from sa.base.budget import Budget
from sa.certificates.family_composition import Meeting, Met, called, claimed
from sa.conditions.never import at_places
from sa.invariants.conjunctions import conjunctions, impossible
from sa.invariants.counter_abstraction import counted, numbers_seen
from sa.invariants.efforts import Effort
from sa.invariants.families import joint_of, systems
from sa.invariants.family_candidates import blocks
from sa.invariants.family_candidates_by_location import Offered, needed, numbers_of, parts_of_sums
from sa.invariants.family_clauses import (
    System,
    balanced,
    clauses,
    counters,
    parameters,
    places_of,
    predicate,
    told,
    wanted,
)
from sa.invariants.indexed import apart_from_others, indices_of
from sa.invariants.partition_by_flags import flags_of
from sa.question.asked import Asked
from sa.smt.session import Session
from sa.terms import build
from sa.terms.solve import solution
from sa.terms.substitute import local_of, substitute
from sa.terms.term import IsZero, Le, Term, Var, subterms

#: Solver resources for each question, and formulas that are tried where two meet.
SOON, TRIED = 300_000, 60


class Told(Struct, frozen=True):
    """What is known where two meet, if it is more than nothing, and what numbers of copies say where one is: of threads
    and of the first copies of families, by name and location. That may hold whatever others do.
    """

    met: Met | None
    alone: Mapping[tuple[str, str], Term]


def meetings(asked: Asked, effort: Effort, budget: Budget, facts: Mapping[tuple[str, str], Term]) -> Iterator[Told]:
    """What is known where two meet, or where one is. Raises LimitReached.

    `facts` may hold of threads and of the first copies of families at their locations, whatever the others do.
    """
    known, done = counted(asked), set[tuple[str, str]]()
    if known is None and effort is Effort.NUMBERS:
        return
    if effort is Effort.CLAIMS and not asked.bads:
        return
    if effort is Effort.PLACES and not indices_of((*asked.threads, *(f.thread for f in asked.families))):
        return
    listed = tuple(systems(asked, known))
    # That a place of a copy's own is no other's is known where there are two copies.
    for s in reversed(listed) if effort is Effort.PLACES else listed:
        pairs = [p for p in _pairs(s) if p not in done]
        if not pairs:
            continue
        done.update(pairs)
        session = Session(budget.bounds, tuple(a.formula for a in asked.axioms), budget.seed, SOON)
        steps = tuple(clauses(s))
        found = conjunctions(
            session, parameters(s), steps, _offered(s, effort, facts), budget.bounds, flags=flags_of(s.apart)
        )
        known_there = _reached(s, found)
        said = tuple(m for one, other in pairs for m in _of_two(s, session, known_there, one, other))
        met = Met(joint_of(s, found, claimed(asked.families, said)), said) if said else None
        yield Told(met, dict(_of_one(s, session, known_there)))
        if effort is Effort.CLAIMS and all(impossible(session, parameters(s), found, c) for c in wanted(s, asked.bads)):
            return


def _pairs(s: System) -> Iterator[tuple[str, str]]:
    """Two that there are here: a copy is called by its family, two of one family if there are two."""
    names = [t.name for t in s.asked.threads]
    families = zip(s.asked.families, s.counts, strict=True)
    several = {f.thread.name: count > 1 for f, count in families}
    everybody = [*names, *several]
    for number, one in enumerate(everybody):
        yield from ((one, other) for other in everybody[number + 1 :])
        if several.get(one):
            yield one, one


def _offered(s: System, effort: Effort, facts: Mapping[tuple[str, str], Term]) -> Offered:
    said = (
        needed(s, s.asked.bads) if effort in (Effort.NEEDS, Effort.CLAIMS) else _of_numbers(s, effort is Effort.PLACES)
    )
    known, offered = _of_each(s, facts), dict[str, Sequence[Term]]()
    for places in places_of(s):
        own = (f for t, q in zip(s.apart, places, strict=True) for f in known.get((t.name, q), ()))
        offered[predicate(places)] = tuple(f for f in dict.fromkeys((*said[predicate(places)], *own)) if f.free)
    return offered


def _of_numbers(s: System, and_places: bool) -> Offered:
    """What is in balance and how many copies there are; and how places in arrays are ordered."""
    alone, parts = tuple(numbers_of(s)), tuple(parts_of_sums(s))
    if and_places:
        alone = (*alone, *apart_from_others(s.apart), *blocks(s.apart))
    offered = dict[str, Sequence[Term]]()
    for places in places_of(s):
        here = {t.name: q for t, q in zip(s.apart, places, strict=True)}
        offered[predicate(places)] = (*balanced(s, places), *alone, *(at_places(f, here) for f in parts))
    return offered


def _of_each(s: System, facts: Mapping[tuple[str, str], Term]) -> Mapping[tuple[str, str], tuple[Term, ...]]:
    """Facts of threads and of all copies, by their names and locations."""
    plain = {t.name for t in s.asked.threads}
    found = {spot: build.conjuncts(said) for spot, said in facts.items() if spot[0] in plain}
    for family, count in zip(s.asked.families, s.counts, strict=True):
        first, own = symbolic_name(family, 1), variables_of(family.thread, Kind.LOCAL)
        for name in (symbolic_name(family, n) for n in range(1, count + 1)):
            names: dict[Var, Term] = {local_of(v, first): local_of(v, name) for v in own}
            for place in (q.name for q in family.thread.locations if (first, q.name) in facts):
                found[name, place] = build.conjuncts(substitute(facts[first, place], names))
    return found


def _reached(s: System, found: Mapping[str, Term]) -> Mapping[tuple[str, ...], Term]:
    """Joint locations that may be reached, with what is known there."""
    said = ((places, found[predicate(places)]) for places in places_of(s))
    return {places: build.land(inv, told(s, places)) for places, inv in said if inv is not build.FALSE}


def _of_two(
    s: System, session: Session, known: Mapping[tuple[str, ...], Term], one: str, other: str
) -> Iterator[Meeting]:
    """What is known of each two locations of two, where that is something."""
    names = called(s.asked.families, one, other)
    index = [next(n for n, t in enumerate(s.apart) if t.name == name) for name in names]
    first, second = (s.apart[n] for n in index)
    spoken = frozenset(v.var for t in (first, second) for v in t.variables) - frozenset(counters(s))
    for here, there in product((q.name for q in first.locations), (q.name for q in second.locations)):
        cases = [inv for places, inv in known.items() if (places[index[0]], places[index[1]]) == (here, there)]
        said = _common(session, cases, islice(_tried(s, cases, spoken, (here, there), (first, second)), TRIED))
        if said is not build.TRUE:
            yield Meeting((one, here), (other, there), said)


def _of_one(
    s: System, session: Session, known: Mapping[tuple[str, ...], Term]
) -> Iterator[tuple[tuple[str, str], Term]]:
    """What numbers of copies say of each location of a thread or a first copy."""
    names = (*(t.name for t in s.asked.threads), *(symbolic_name(f, 1) for f in s.asked.families))
    for index, thread in enumerate(s.apart if s.counted is not None else ()):
        spoken = frozenset(v.var for v in thread.variables) - frozenset(counters(s))
        for here in (q.name for q in thread.locations if thread.name in names):
            cases = [inv for places, inv in known.items() if places[index] == here]
            tried = islice(_tried(s, cases, spoken, (here,), (thread,)), TRIED)
            said = _common(session, cases, tried)
            if said.free:
                yield (thread.name, here), said


def _common(session: Session, cases: Sequence[Term], tried: Iterator[Term]) -> Term:
    """What follows in each case; without cases everything does."""
    possible = [inv for inv in cases if not session.implied(build.FALSE, (inv,))]
    if not possible:
        return build.FALSE
    common = [f for f in dict.fromkeys(tried) if all(session.implied(f, (inv,)) for inv in possible)]
    # The longest are left out first, and what speaks of less does not need what speaks of more.
    for formula in sorted(common, key=lambda f: -sum(1 for _ in subterms((f,)))):
        rest = [f for f in common if f is not formula]
        if session.implied(formula, tuple(f for f in rest if f.free <= formula.free)):
            common = rest
    return build.land(*common)


def _tried(
    s: System, cases: Sequence[Term], spoken: frozenset[Var], places: Sequence[str], pair: Sequence[Automaton]
) -> Iterator[Term]:
    """What is said of one case and speaks of these alone, one or two, and what numbers of copies say of them."""
    said = build.conjuncts(cases[0]) if cases else ()
    equations = [e.total for e in (s.counted.equations if s.counted is not None else ()) if isinstance(e, IsZero)]
    totals = [t for e in equations for t in (e, build.scale(-1, e))]
    totals += [c.total for c in said if isinstance(c, Le)] if s.counted is not None else []
    # Of how many copies there are, shared numbers may say more than what is seen of them.
    told = _numbers_told(s)
    totals += [substitute(t, told) for t in totals if not t.free.isdisjoint(told)]
    least = dict[frozenset[tuple[Term, int]], int]()
    for total in totals:
        seen = _with_least(s, total, places, pair)
        if seen is not total and seen.free and seen.free <= spoken:
            const, parts = build.linear_parts(seen)
            same = frozenset(parts.items())
            least[same] = max(const, least.get(same, const))
    yield from (build.at_most_zero(build.linear(const, dict(parts))) for parts, const in least.items())
    # What the flags of one of them are is known of it alone.
    own = tuple(frozenset(variables_of(t, Kind.LOCAL)) for t in pair)
    yield from (c for c in said if c.free and c.free <= spoken and not any(c.free <= mine for mine in own))


def _numbers_told(s: System) -> dict[Var, Term]:
    """Counters that equal what is shared, by equations that speak of no other counter."""
    equations = s.counted.equations if s.counted is not None else ()
    counted = frozenset(counters(s))
    spoken = ((e, e.free & counted) for e in equations if isinstance(e, IsZero))
    found = (solution(e, some) for e, some in spoken if len(some) == 1)
    return dict(said for said in found if said is not None)


def _with_least(s: System, total: Term, places: Sequence[str], pair: Sequence[Automaton]) -> Term:
    """A sum that is 0 at most with as many copies as are seen in place of all; as it is where they lessen it."""
    assert s.counted is not None
    _, parts = build.linear_parts(total)
    counted_in = [p for p in counters(s) if p in parts]
    if not counted_in or any(parts[p] < 0 for p in counted_in):
        return total
    here = {t.name: q for t, q in zip(pair, places, strict=True)}
    families = zip(s.families, s.counts, strict=True)
    names = ((f, symbolic_name(f, n)) for f, count in families for n in range(1, count + 1))
    seen = numbers_seen(s.counted.counts, [(f, name, here[name]) for f, name in names if name in here])
    return substitute(at_places(total, here), dict(zip(counters(s), seen, strict=True)))
