"""Claims about programs with families of any number of threads: proofs for any number, runs with few copies.

Each function answers for itself, as far as it can, what is asked; in which order they are asked is said in
`engines.crowds`. That no run is found with so many copies never becomes a proof. Nothing is believed yet.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import prod

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.automata.family import Family, copies, crowd, different, identity_of, spoken_of, symbolic, symbolic_name
from sa.automata.rename import apart, own_local
from sa.base.budget import Budget, Event, Report
from sa.base.limits import share
from sa.certificates.families import CrowdJoint, CrowdKeeps, CrowdRun, bads_of_copies
from sa.certificates.run import Bad, Run
from sa.certificates.threads import Annotated
from sa.conditions.never import excluded
from sa.explicit.deciders import by_far_states, by_few_states
from sa.generation.generate import generate, invariants
from sa.generation.visibility import Level
from sa.invariants.conjunctions import conjunctions, impossible, under
from sa.invariants.counter_abstraction import Counted, counted
from sa.invariants.family_candidates import candidates
from sa.invariants.family_candidates_by_location import Offered, needed
from sa.invariants.family_clauses import (
    System,
    balanced,
    clauses,
    identities,
    parameters,
    places_of,
    predicate,
    variables,
    wanted,
)
from sa.invariants.family_thread_modular import apart_from_each_other, own_clauses, own_parameters, predicate_at
from sa.invariants.fewer_copies import Solved, held_of, of_one_copy
from sa.invariants.partition_by_flags import flags_of
from sa.question.asked import Asked, Excluded, Refuted
from sa.smt.session import Session
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Joint locations of threads and copies up to which there are Horn clauses about them.
JOINT = 1_500


#: Solver resources for each question whether invariants exclude something: what follows from them follows soon.
SOON = 500_000


#: How many copies there are at most where runs are looked for.
FEW = 3


def by_boxes(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What threads and copies know of their own variables and the shared ones, by Algorithm 1. Raises LimitReached.

    One copy of each family is enough for the fixed point: what it does to the shared variables, the others do to it.
    """
    report(Event("boxes over shared variables"))
    firsts = crowd(asked.families, tuple(1 for _ in asked.families))
    copied = frozenset(a.name for a in firsts)
    boxes = generate((*asked.threads, *firsts), Level.HIDDEN, budget.bounds, copied=copied)
    known = {a.name: a for a in invariants(boxes)}
    yield from _kept(asked, budget, known, "boxes over shared variables, for any number of copies")


def by_conjunctions_apart(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """Invariants of each thread and each copy by itself that are made of candidates. Raises LimitReached."""
    report(Event("conjunctions, thread by thread"))
    s = apart_from_each_other(asked)
    names, offered = own_parameters(s), dict[str, Sequence[Term]]()
    identities = [identity_of(f, symbolic_name(f, 1)) for f in asked.families]
    for thread in s.observers:
        own = candidates(tuple(v.var for v in thread.variables), s.observers, identities, asked.bads)
        offered |= {predicate_at(thread.name, q.name): own for q in thread.locations}
    session = Session(budget.bounds, tuple(a.formula for a in asked.axioms), budget.seed, SOON)
    found = conjunctions(session, names, tuple(own_clauses(s)), offered, budget.bounds, flags=flags_of(s.observers))
    known = dict[str, Automaton]()
    firsts = tuple(symbolic(f, 1) for f in asked.families)
    for thread in (*asked.threads, *firsts):
        plain: dict[Var, Term] = {own_local(thread.name, v): v for v in variables_of(thread, Kind.LOCAL)}
        said = {q.name: substitute(found[predicate_at(thread.name, q.name)], plain) for q in thread.locations}
        places = (replace(q, inv=build.land(q.inv, said[q.name]), env=build.TRUE) for q in thread.locations)
        known[thread.name] = replace(thread, locations=tuple(places))
    yield from _kept(asked, budget, known, "relations over shared variables, for any number of copies")


def _kept(asked: Asked, budget: Budget, known: Mapping[str, Automaton], how: str) -> Iterator[Excluded]:
    """What is excluded by annotated threads and first copies, by their names."""
    threads = tuple(Annotated(t, known[t.name]) for t in asked.threads)
    firsts = [known[symbolic_name(f, 1)] for f in asked.families]
    made = tuple(
        Annotated(f.thread, replace(a, name=f.thread.name)) for f, a in zip(asked.families, firsts, strict=True)
    )
    counts = tuple(max(1, *(_spoken(bad, f) for bad in asked.bads)) for f in asked.families)
    known_of_all = (*(a.formula for a in asked.axioms), *different(asked.families, counts))
    session = Session(budget.bounds, known_of_all, budget.seed, SOON)
    # What is bad knows the first copy as its family, and the others by their own names.
    written, named = [*asked.threads], [t.automaton for t in threads]
    for family, first, count in zip(asked.families, firsts, counts, strict=True):
        written += (family.thread, *(symbolic(family, n) for n in range(2, count + 1)))
        named += (replace(first, name=symbolic_name(family, n)) for n in range(1, count + 1))
    separate = [apart(a) for a in named]
    never = tuple(n for bad in asked.bads if (n := excluded(session, written, separate, bad)) is not None)
    if never:
        proof = CrowdKeeps(threads, asked.families, made, asked.init, never, asked.axioms)
        yield Excluded(tuple(n.bad for n in never), proof, how)


def _spoken(bad: Bad, family: Family) -> int:
    return 0 if bad.claim is None else spoken_of(bad.claim, family)


def few_states(asked: Asked, budget: Budget, report: Report) -> Iterator[Refuted]:
    """Runs among the states of some copies, fewer first. That all of these were seen proves nothing of more copies.

    Raises LimitReached.
    """
    left = list(asked.bads)
    for number in range(1, FEW + 1):
        report(Event("states", {"copies": number, "claims": len(left)}))
        counts = tuple(number for _ in asked.families)
        of = {one: bad for bad in left for one in bads_of_copies(bad, asked.families, counts)}
        threads = (*asked.threads, *copies(asked.families, counts))
        few = Asked(threads, tuple(of), asked.axioms)
        for search in (by_few_states, by_far_states):
            for found in search(few, replace(budget, bounds=share(budget.bounds, 0.5)), report):
                if isinstance(found, Refuted) and isinstance(run := found.evidence, Run) and of[found.bad] in left:
                    left.remove(of[found.bad])
                    yield Refuted(of[found.bad], CrowdRun(counts, run), _words(len(run.turns), counts))


def _words(steps: int, counts: Sequence[int]) -> str:
    number = sum(counts)
    return f"a run of {steps} step{'' if steps == 1 else 's'} with {number} cop{'y' if number == 1 else 'ies'}"


def by_conjunctions(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """Joint invariants of all threads and any copy, then any two, that are made of candidates. Raises LimitReached."""
    tried = ((s, _compared) for s in systems(asked) if _found_key(asked, s.counts) not in asked.shared.made)
    return _conjunctions(asked, tried, budget, report)


def by_counts(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """The same, and each time then with what steps need, and with numbers of copies where they are in balance with
    shared variables. Raises LimitReached.
    """
    known = counted(asked)
    if known is not None:
        report(Event("numbers of copies", {"counts": len(known.counts), "equations": len(known.equations)}))
        for found in _of_one_copy(asked, known, budget):
            yield found
            asked = replace(asked, bads=tuple(b for b in asked.bads if b not in found.bads))
    if not asked.bads:
        return
    both = zip(systems(asked), systems(asked, known), strict=True)
    tried = (stage for plain, s in both for stage in ((plain, _compared), (s, needed)))
    yield from _conjunctions(asked, tried, budget, report)


def _of_one_copy(asked: Asked, known: Counted, budget: Budget) -> Iterator[Excluded]:
    """What is excluded by invariants of one copy of each family, with numbers of copies."""
    session = Session(budget.bounds, tuple(a.formula for a in asked.axioms), budget.seed, SOON)
    for s in islice(systems(asked, known), 1):
        # Sums in balance alone settle much of what is said of numbers of copies.
        offered = {s.label + predicate(places): balanced(s, places) for places in places_of(s)}
        steps = tuple(clauses(s))
        sums = conjunctions(session, parameters(s), steps, offered, budget.bounds, flags=flags_of(s.apart))
        if told := _excluded(session, s, sums, asked.bads):
            yield excluded_by(s, sums, told)
            asked = replace(asked, bads=tuple(b for b in asked.bads if b not in told))
            if not asked.bads:
                return
    if not any(k.system.label for k in _solved(asked).values()):
        _note(asked, of_one_copy(asked, known, session, budget.bounds))
    for s in islice(systems(asked, known), 1):
        held = held_of(s, _solved(asked).values())
        if told := _excluded(session, s, held, asked.bads):
            yield excluded_by(s, held, told)


def _solved(asked: Asked) -> dict[Hashable, Solved]:
    """The systems that were solved, each with what was found of it last."""
    solved: dict[Hashable, Solved] = asked.shared.made.setdefault(("solved systems", asked.threads), {})
    return solved


def _note(asked: Asked, solved: Iterable[Solved]) -> None:
    _solved(asked).update({(k.system.label, k.system.counts, k.system.counted is None): k for k in solved})


def _compared(s: System, open_: Sequence[Bad]) -> Offered:
    return dict.fromkeys(parameters(s), candidates(variables(s), s.apart, identities(s), open_))


def _conjunctions(
    asked: Asked,
    tried: Iterable[tuple[System, Callable[[System, Sequence[Bad]], Offered]]],
    budget: Budget,
    report: Report,
) -> Iterator[Excluded]:
    open_ = asked.bads
    for s, offers in tried:
        report(Event("conjunctions", {"copies": max(s.counts), "claims": len(open_)}))
        session = Session(budget.bounds, tuple(a.formula for a in asked.axioms), budget.seed, SOON)
        names = parameters(s)
        # What was found of fewer candidates, or of fewer copies, is right, and need not be asked again.
        held = held_of(s, _solved(asked).values())
        offered, steps = _without(offers(s, open_), held), tuple(under(names, held, clauses(s)))
        more = conjunctions(session, names, steps, offered, budget.bounds, flags=flags_of(s.apart))
        found = {name: build.land(held[name], said) for name, said in more.items()}
        _note(asked, (Solved(s, found),))
        asked.shared.made.setdefault(_found_key(asked, s.counts), (s, found))
        if never := _excluded(session, s, found, about(asked, s, open_)):
            open_ = tuple(b for b in open_ if b not in never)
            yield excluded_by(s, found, never)
        if not open_:
            return


def _excluded(session: Session, s: System, found: Mapping[str, Term], bads: Sequence[Bad]) -> tuple[Bad, ...]:
    """What is bad and impossible by what was found."""
    names = parameters(s)
    return tuple(b for b in bads if all(impossible(session, names, found, c) for c in wanted(s, (b,))))


def _without(offered: Offered, held: Mapping[str, Term]) -> Offered:
    known = {name: frozenset(build.conjuncts(said)) for name, said in held.items()}
    return {name: tuple(f for f in some if f not in known[name]) for name, some in offered.items()} if held else offered


def about(asked: Asked, s: System, bads: Sequence[Bad]) -> tuple[Bad, ...]:
    """Those that speak of no more copies than there are."""
    return tuple(b for b in bads if all(_spoken(b, f) <= n for f, n in zip(asked.families, s.counts, strict=True)))


def _found_key(asked: Asked, counts: tuple[int, ...]) -> Hashable:
    """Under what is shared what conjunctions were found, which other engines may take for granted."""
    return ("conjunctions of copies", asked.threads, counts)


def systems(asked: Asked, known: Counted | None = None) -> Iterator[System]:
    """All threads with one copy of each family, with two of one of them, and with two of each: those with few joint
    locations first, and none with too many.
    """
    every, families = range(len(asked.families)), asked.families if known is None else known.families
    some = [
        tuple(1 for _ in every),
        *(tuple(2 if n == f else 1 for n in every) for f in every),
        tuple(2 for _ in every),
    ]
    made = [(*asked.threads, *crowd(families, counts)) for counts in dict.fromkeys(some)]
    sized = zip((prod(len(t.locations) for t in threads) for threads in made), dict.fromkeys(some), made, strict=True)
    for size, counts, threads in sorted(sized, key=lambda said: said[0]):
        if size <= JOINT:
            yield System(asked, counts, [apart(t) for t in threads], known)


def excluded_by(s: System, found: Mapping[str, Term], bads: tuple[Bad, ...], indices: tuple[Var, ...] = ()) -> Excluded:
    """What joint invariants by predicate exclude, for all integers in place of `indices`."""
    proof, most = joint_of(s, found, bads, indices), max(s.counts)
    also = ", and numbers of copies" if proof.counted else ", of every element of arrays" if indices else ""
    copy = "any copy" if most == 1 else f"any {most} copies{'' if most == min(s.counts) else ' of a family'}"
    return Excluded(bads, proof, f"relations between all threads and {copy}{also}")


def joint_of(s: System, found: Mapping[str, Term], bads: tuple[Bad, ...], indices: tuple[Var, ...] = ()) -> CrowdJoint:
    """Joint invariants by predicate as a proof."""
    asked = s.asked
    said = ((places, found[predicate(places)]) for places in places_of(s))
    joint = tuple((q, inv) for q, inv in said if inv is not build.FALSE)
    made = () if s.counted is None else s.counted.counts
    return CrowdJoint(asked.threads, asked.families, s.counts, joint, asked.init, bads, asked.axioms, made, indices)
