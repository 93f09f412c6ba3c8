"""Checks proofs about programs with families of any number of threads (THEORY section 9).

What is shown of symbolic copies, with nothing known of their identities but that they differ and are positive, holds
of all copies. Joint invariants may speak of numbers of copies (`counts.py`). A copy that is not spoken of has a step
too: it is one more symbolic copy, of which everything is known that is claimed of the others. Claims are shown for
programs with as many copies as a proof speaks of, or more; fewer are a special case, since a copy may stand at its
start for ever: that a further copy can start is an obligation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.automata.family import (
    Family,
    crowd,
    different,
    family_fault,
    identity_of,
    in_place_of,
    spoken_of,
    symbolic,
    symbolic_name,
)
from sa.base.limits import Limits
from sa.certificates.families import CrowdJoint, CrowdKeeps, counter
from sa.certificates.threads import Annotated
from sa.checker.counts import Seen, at_least, begun, counting, counts_fault, nobody_counts
from sa.checker.indices import indices_fault, with_indices
from sa.checker.joint_locations import in_words, settled
from sa.checker.never import (
    claim_follows,
    discharged,
    impossible,
    is_failing,
    joint_invariant,
    program_fault,
    taking,
)
from sa.checker.obligation import Case, Obligation
from sa.checker.ruling import Rejected, Ruling
from sa.checker.side import Side, side
from sa.checker.solvers import Z3, Solvers
from sa.checker.threads import annotation_fault, apart, ghosts_fault, own_steps, steps_of_others
from sa.checker.written import implied
from sa.terms.build import TRUE, conjoined, conjuncts, land
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute, substitution
from sa.terms.term import Term, Var, sort_of


def check_crowd_keeps(made: CrowdKeeps, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether the invariants of threads and copies exclude what is bad, for any number of copies.

    Raises LimitReached, and SolverDisagrees on an internal error.
    """
    counts = _witnessed(made)
    everyone = (*made.threads, *_annotated(made, counts))
    if [a.thread for a in made.copies] != [f.thread for f in made.families]:
        return Rejected("well-formed threads", "the families differ")
    faults = (
        *(family_fault(f) for f in made.families),
        program_fault([*(t.thread for t in made.threads), *(f.thread for f in made.families)]),
        program_fault([t.thread for t in everyone]),
        *(annotation_fault(t) for t in (*made.threads, *made.copies)),
        ghosts_fault(everyone),
        _witness_fault(made, everyone),
    )
    if any(faults):
        return Rejected("well-formed threads", next(f for f in faults if f))
    return discharged(_kept(made, everyone), made.axioms, bounds, seed, solvers, different(made.families, counts))


def check_crowd_joint(made: CrowdJoint, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether joint invariants of threads and copies exclude what is bad. Raises as `check_crowd_keeps`."""
    if len(made.counts) != len(made.families) or any(n < 1 for n in made.counts):
        return Rejected("well-formed threads", "a number of copies is expected for each family")
    more = tuple(max(n + 1, m) for n, m in zip(made.counts, _spoken(made), strict=True))
    threads = (*made.threads, *crowd(made.families, made.counts))
    places = [p for p, _ in made.invariants]
    program = frozenset(v.var for t in threads for v in apart(t).variables)
    counters = {counter(n) for n in range(len(made.counted))}
    known = program | counters | set(made.indices)
    faults = (
        *(family_fault(f) for f in made.families),
        program_fault((*made.threads, *crowd(made.families, more))),
        "a joint location occurs twice" if len(set(places)) < len(places) else None,
        None if all(inv.free <= known for _, inv in made.invariants) else "an invariant mentions an unknown variable",
        None if all(sort_of(inv) == BOOL for _, inv in made.invariants) else "an invariant is no formula",
        None
        if all(_is_place(p, threads) for p in places)
        else "a joint location does not name one location of each thread",
        counts_fault(made.counted, made.families, program),
        indices_fault(made.indices, map(apart, (*made.threads, *crowd(made.families, more))), made.never, ()),
        "an index means something else" if (counters | made.init.free) & set(made.indices) else None,
    )
    if any(faults):
        return Rejected("well-formed threads", next(f for f in faults if f))
    obligations = _jointly(made, threads)
    if made.indices:
        obligations = (with_indices(made.indices, o) for o in obligations)
    return discharged(obligations, made.axioms, bounds, seed, solvers, different(made.families, more))


def _witnessed(made: CrowdKeeps) -> tuple[int, ...]:
    """How many symbolic copies there are to look at: two of each family, or all witnesses."""
    named = {w for n in made.never for w in n.witnesses}
    return tuple(2 + sum(symbolic_name(f, 3 + n) in named for n in range(len(named))) for f in made.families)


def _annotated(made: CrowdKeeps, counts: Sequence[int]) -> tuple[Annotated, ...]:
    """The symbolic copies with what is claimed of each copy."""
    return tuple(
        Annotated(symbolic(f, n), replace(a.automaton, name=symbolic_name(f, n)))
        for f, a, count in zip(made.families, made.copies, counts, strict=True)
        for n in range(1, count + 1)
    )


def _witness_fault(made: CrowdKeeps, everyone: Sequence[Annotated]) -> str | None:
    names = {t.thread.name for t in everyone}
    wrong = any(len(set(n.witnesses)) < len(n.witnesses) or not set(n.witnesses) <= names for n in made.never)
    return "a witness is not a thread, or occurs twice" if wrong else None


def _kept(made: CrowdKeeps, everyone: Sequence[Annotated]) -> Iterator[Obligation]:
    sides = {t.thread.name: side(apart(t.automaton)) for t in everyone}
    first = {symbolic_name(f, 1) for f in made.families}
    second = {symbolic_name(f, 2) for f in made.families}
    # Copies with other numbers do what the first two do, under other names.
    observers = [sides[t.thread.name] for t in everyone if t in made.threads or t.thread.name in first]
    actors = [sides[t.thread.name] for t in everyone if t in made.threads or t.thread.name in first | second]
    start = land(made.init, *(s.automaton.init for s in observers))
    yield from further_copies(made.families, made.init)
    for observer in observers:
        yield from own_steps(observer, start)
        for actor in actors:
            if actor is not observer and not _redundant(actor, observer, made.families):
                yield from steps_of_others(actor, observer)
    yield from implied((*made.threads, *made.copies))
    for never in made.never:
        for annotated in (*made.threads, *made.copies):
            automaton = sides.get(annotated.thread.name) or sides[_first(annotated.thread.name, made.families)]
            inv = {q.name: q.inv for q in automaton.automaton.locations}
            for written, edge in zip(annotated.thread.edges, automaton.automaton.edges, strict=True):
                if is_failing(never.bad.failing, annotated.thread.name, written):
                    where = f"{annotated.thread.name}, {edge.source}"
                    yield impossible(where, (inv[edge.source], *taking(edge)))
        if never.bad.claim is not None:
            yield from claim_follows(never.bad.claim, [sides[name].automaton for name in never.witnesses])


def _first(family: str, families: Sequence[Family]) -> str:
    return next(symbolic_name(f, 1) for f in families if f.thread.name == family)


def _redundant(actor: Side, observer: Side, families: Sequence[Family]) -> bool:
    """The second copy does to threads and to other families what the first one does."""
    pairs = {(symbolic_name(f, 2), symbolic_name(f, 1)) for f in families}
    others = {name for name, _ in pairs}
    return actor.automaton.name in others and (actor.automaton.name, observer.automaton.name) not in pairs


def further_copies(families: Sequence[Family], init: Term) -> Iterator[Obligation]:
    """Wherever the program can start, a further copy can: it has values for its locals, whatever its identity is."""
    for family in families:
        copy = apart(symbolic(family, 1))
        own = tuple(v for v in variables_of(copy, Kind.LOCAL) if v is not identity_of(family, symbolic_name(family, 1)))
        yield Obligation("further copy", family.thread.name, conjuncts(init), (Case(own, conjuncts(copy.init)),))


def _is_place(places: tuple[str, ...], threads: Sequence[Automaton]) -> bool:
    known = [{q.name for q in t.locations} for t in threads]
    return len(places) == len(threads) and all(p in k for p, k in zip(places, known, strict=True))


class _Product(Struct, frozen=True):
    """Threads and copies side by side, their joint invariants, and what is written at their locations."""

    threads: Sequence[Automaton]
    joint: Mapping[tuple[str, ...], Term]
    written: Sequence[Mapping[str, Term]]
    made: CrowdJoint


def _jointly(made: CrowdJoint, threads: Sequence[Automaton]) -> Iterator[Obligation]:
    pairs = zip(made.families, made.counts, strict=True)
    of_family = {symbolic_name(f, n): f.thread.name for f, count in pairs for n in range(1, count + 1)}
    counted = (counting(t, of_family[t.name], made.counted) if t.name in of_family else t for t in threads)
    separate = [apart(t) for t in counted]
    p = _Product(separate, dict(made.invariants), [{q.name: q.inv for q in t.locations} for t in separate], made)
    yield from further_copies(made.families, made.init)
    yield from nobody_counts(made.counted, made.families)
    start = tuple(t.initial for t in separate)
    inits = conjoined((made.init, *(t.init for t in separate), *begun(made.counted)))
    yield Obligation("initial invariant", "", inits, (Case((), _landed(p, start, {})),))
    failing = {**{t.name: t.name for t in made.threads}, **{symbolic_name(f, 1): f.thread.name for f in made.families}}
    for places in p.joint:
        here = {t.name: q for t, q in zip(separate, places, strict=True)}
        known = _known(p, places)
        for index, thread in enumerate(separate):
            for original, edge in zip(threads[index].edges, thread.edges, strict=True):
                if edge.source != places[index]:
                    continue
                where = f"{in_words(here)}, {thread.name} -> {edge.target}"
                there = (*places[:index], edge.target, *places[index + 1 :])
                taken = conjoined((*known, *taking(edge)))
                yield Obligation(
                    "inductive invariant", where, taken, (Case((), _landed(p, there, dict(edge.updates))),)
                )
                name = failing.get(thread.name)
                if name is not None and any(is_failing(bad.failing, name, original) for bad in made.never):
                    yield impossible(where, (*known, *taking(edge)))
        for family, count in zip(made.families, made.counts, strict=True):
            yield from _steps_of_others(p, places, family, count)
    yield from _claims(p)


def _claims(p: _Product) -> Iterator[Obligation]:
    """What is claimed of copies follows from what is known of them, and of each choice of as many as `counts` says."""
    claims = [bad.claim for bad in p.made.never if bad.claim is not None]
    counts = _spoken(p.made)
    every = (*p.made.threads, *crowd(p.made.families, counts))
    names = [t.name for t in every]
    chosen = list(_choices(p.made, counts))
    for places in product(*([q.name for q in t.locations] for t in every)) if claims else ():
        here = dict(zip(names, places, strict=True))
        open_ = [c for c in (settled(claim, here) for claim in claims) if c is not TRUE]
        if not open_:
            continue
        spots = [tuple(here[name] for name in mine) for mine, _ in chosen]
        if any(spot not in p.joint for spot in spots):
            continue
        said = (renamed(f) for spot, (_, renamed) in zip(spots, chosen, strict=True) for f in _said(p, spot))
        seen = list(_copies_seen(p.made.families, counts, here))
        known = conjoined((*said, *at_least(p.made.counted, p.made.families, seen)))
        for claim in open_:
            yield Obligation("claim", in_words(here), known, (Case((), conjuncts(claim)),))


def _spoken(made: CrowdJoint) -> tuple[int, ...]:
    """How many copies of each family the invariants or a claim speak of."""
    claims = [bad.claim for bad in made.never if bad.claim is not None]
    return tuple(max((n, *(spoken_of(c, f) for c in claims))) for f, n in zip(made.families, made.counts, strict=True))


def _choices(made: CrowdJoint, counts: Sequence[int]) -> Iterator[tuple[tuple[str, ...], Callable[[Term], Term]]]:
    """All threads and any `made.counts` of so many copies, by name, and what is said of the first ones of these."""
    of_each = zip(made.counts, counts, strict=True)
    for chosen in product(*(combinations(range(1, many + 1), few) for few, many in of_each)):
        who, names = [t.name for t in made.threads], dict[Var, Term]()
        for family, numbers in zip(made.families, chosen, strict=True):
            who += (symbolic_name(family, n) for n in numbers)
            for first, number in enumerate(numbers, 1):
                names |= in_place_of(family, first, number)
        yield tuple(who), substitution(names)


def _known(p: _Product, places: tuple[str, ...], *others: Seen) -> tuple[Term, ...]:
    """What is known of a state, where besides these other copies are seen."""
    return conjoined((*_said(p, places), *at_least(p.made.counted, p.made.families, (*_seen(p, places), *others))))


def _seen(p: _Product, places: tuple[str, ...]) -> Iterator[Seen]:
    return _copies_seen(p.made.families, p.made.counts, {t.name: q for t, q in zip(p.threads, places, strict=True)})


def _copies_seen(families: Sequence[Family], counts: Sequence[int], here: Mapping[str, str]) -> Iterator[Seen]:
    for family, count in zip(families, counts, strict=True):
        names = (symbolic_name(family, n) for n in range(1, count + 1))
        yield from ((family.thread.name, name, here[name]) for name in names)


def _said(p: _Product, places: tuple[str, ...]) -> tuple[Term, ...]:
    written = (w[q] for w, q in zip(p.written, places, strict=True))
    return conjoined((*joint_invariant(p.joint, places), *written))


def _landed(p: _Product, places: tuple[str, ...], after: Mapping[Var, Term]) -> tuple[Term, ...]:
    """That the joint invariant holds after a step. What is written must not cut the step either."""
    return conjuncts(substitute(land(*_said(p, places)), dict(after)))


def _steps_of_others(p: _Product, places: tuple[str, ...], family: Family, count: int) -> Iterator[Obligation]:
    """A step of a copy that is not among the symbolic ones: with it in the place of any of them the same is known."""
    other = apart(counting(symbolic(family, count + 1), family.thread.name, p.made.counted))
    shared = frozenset(variables_of(other, Kind.GLOBAL))
    renamed = {n: substitution(in_place_of(family, n, count + 1)) for n in range(1, count + 1)}
    for edge in other.edges:
        after: dict[Var, Term] = {v: t for v, t in edge.updates if v in shared}
        if not after:
            continue
        known = list(_known(p, places, (family.thread.name, other.name, edge.source)))
        for number in range(1, count + 1):
            index = next(i for i, t in enumerate(p.threads) if t.name == symbolic_name(family, number))
            moved = (*places[:index], edge.source, *places[index + 1 :])
            known += map(renamed[number], _said(p, moved))
        where = f"{', '.join(places)}, another copy of {family.thread.name}: {edge.source} -> {edge.target}"
        taken = conjoined((*known, *taking(edge)))
        yield Obligation("step of another copy", where, taken, (Case((), _landed(p, places, after)),), edge=edge)
