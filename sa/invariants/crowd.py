"""Claims about programs with families of any number of threads: proofs for any number, runs with few copies.

Each function answers for itself, as far as it can, what is asked; in which order they are asked is said in
`engines.crowds`. That no run is found with so many copies never becomes a proof. Nothing is believed yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product as combinations
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, variables_of
from sa.automata.family import Family, copies, crowd, different, spoken_of, symbolic, symbolic_name
from sa.automata.rename import apart
from sa.base.budget import Budget, Event, Report
from sa.base.limits import part_of
from sa.certificates.crowd import CrowdJoint, CrowdKeeps, CrowdRun, bads_of_copies
from sa.certificates.run import Bad
from sa.certificates.threads import Annotated
from sa.conditions.never import at_places, excluded, failing_edges, taking
from sa.generation.generate import generate, invariants
from sa.generation.visibility import Rung
from sa.invariants.violation import Effort, find_run
from sa.question.asked import Asked, Excluded, Refuted
from sa.smt.horn import Atom, Clause, GivenUp, HornAnswer, Solution, solve
from sa.smt.session import Session
from sa.terms import build
from sa.terms.substitute import local_of, substitute
from sa.terms.term import Term, Var

#: Joint locations of threads and copies up to which there are Horn clauses about them.
JOINT = 1_500

#: Solver resources for joint invariants, with little effort and with much.
JOINTLY = (5_000_000, 60_000_000)

#: Solver resources for each question whether invariants exclude something: what follows from them follows soon.
SOON = 500_000

#: The part of an engine's time that one of its questions may have.
ONE = 0.4

#: How many copies there are where runs are looked for, and how hard: a short look and a long one.
FEW, MANY = 3, 5
SHORT, LONG = Effort(30_000, 6, 2_000_000), Effort(300_000, 16, 5_000_000)


def by_boxes(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What threads and copies know of their own variables and the shared ones, by Algorithm 1. Raises LimitReached.

    Two copies are enough for the fixed point: to a third one they do what they do to each other.
    """
    report(Event("boxes over shared variables"))
    bads = asked.bads
    pairs = crowd(asked.families, tuple(2 for _ in asked.families))
    known = {a.name: a for a in invariants(generate((*asked.threads, *pairs), Rung.HIDDEN, budget.bounds))}
    threads = tuple(Annotated(t, known[t.name]) for t in asked.threads)
    firsts = [known[symbolic_name(f, 1)] for f in asked.families]
    made = tuple(
        Annotated(f.thread, replace(a, name=f.thread.name)) for f, a in zip(asked.families, firsts, strict=True)
    )
    counts = tuple(max(1, *(_spoken(bad, f) for bad in bads)) for f in asked.families)
    known_of_all = (*(a.formula for a in asked.axioms), *different(asked.families, counts))
    session = Session(budget.bounds, known_of_all, budget.seed, SOON)
    # What is bad knows the first copy as its family, and the others by their own names.
    written, named = [*asked.threads], [t.automaton for t in threads]
    for family, first, count in zip(asked.families, firsts, counts, strict=True):
        written += (family.thread, *(symbolic(family, n) for n in range(2, count + 1)))
        named += (replace(first, name=symbolic_name(family, n)) for n in range(1, count + 1))
    separate = [apart(a) for a in named]
    never = tuple(n for bad in bads if (n := excluded(session, written, separate, bad)) is not None)
    if never:
        proof = CrowdKeeps(threads, asked.families, made, asked.init, never, asked.axioms)
        yield Excluded(tuple(n.bad for n in never), proof, "boxes over shared variables, for any number of copies")


def _spoken(bad: Bad, family: Family) -> int:
    return 0 if bad.claim is None else spoken_of(bad.claim, family)


def short_runs(asked: Asked, budget: Budget, report: Report) -> Iterator[Refuted]:
    """A short look for runs with few copies. Raises LimitReached."""
    return _runs(asked, budget, report, range(1, FEW + 1), SHORT)


def long_runs(asked: Asked, budget: Budget, report: Report) -> Iterator[Refuted]:
    """A long look for runs with some copies. Raises LimitReached."""
    return _runs(asked, budget, report, range(1, MANY + 1), LONG)


def _runs(asked: Asked, budget: Budget, report: Report, tried: range, effort: Effort) -> Iterator[Refuted]:
    """Runs with so many copies of each family, fewer first. A family with fewer copies has no other runs: a copy may
    stand at its start for ever.
    """
    left = list(asked.bads)
    for number in tried:
        report(Event("runs", {"copies": number, "claims": len(left)}))
        counts = tuple(number for _ in asked.families)
        threads = (*asked.threads, *copies(asked.families, counts))
        for bad in tuple(left):
            for one in bads_of_copies(bad, asked.families, counts):
                run = find_run(threads, one, budget.bounds, effort)
                if run is not None:
                    left.remove(bad)
                    yield Refuted(bad, CrowdRun(counts, run), _words(len(run.turns), counts))
                    break


def _words(steps: int, counts: Sequence[int]) -> str:
    number = sum(counts)
    return f"a run of {steps} step{'' if steps == 1 else 's'} with {number} cop{'y' if number == 1 else 'ies'}"


def by_joint_relations(effort: int, asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """Joint invariants of all threads and any copy, then any two copies, from Horn clauses. Raises LimitReached.

    The effort is little (0) or much (1).
    """
    settled = set[Bad]()
    for number in (1, 2):
        counts = tuple(number for _ in asked.families)
        threads = (*asked.threads, *crowd(asked.families, counts))
        if prod(len(t.locations) for t in threads) > JOINT:
            return
        s = _System(asked, counts, [apart(t) for t in threads])
        within = tuple(b for b in asked.bads if all(_spoken(b, f) <= number for f in asked.families))
        for some in dict.fromkeys((within, *((b,) for b in within))):
            open_ = tuple(b for b in some if b not in settled)
            if not open_:
                continue
            report(Event("joint invariants", {"copies": number, "settled": len(settled)}))
            answer: HornAnswer = GivenUp("its share of the time was over")
            with part_of(budget.bounds, ONE) as bounds:
                answer = solve(_parameters(s), (*_clauses(s), *_wanted(s, open_)), bounds, JOINTLY[effort])
            if isinstance(answer, Solution):
                settled.update(open_)
                yield _excluded(s, answer, open_)


def _excluded(s: _System, answer: Solution, bads: tuple[Bad, ...]) -> Excluded:
    asked = s.asked
    found = ((places, answer.predicates[_predicate(places)]) for places in _places(s))
    joint = tuple((places, inv) for places, inv in found if inv is not build.FALSE)
    proof = CrowdJoint(asked.threads, asked.families, s.counts, joint, asked.init, bads, asked.axioms)
    copy = "any copy" if max(s.counts) == 1 else f"any {max(s.counts)} copies"
    return Excluded(bads, proof, f"relations between all threads and {copy}")


class _System(Struct, frozen=True):
    """All threads and some symbolic copies, `apart` in this order."""

    asked: Asked
    counts: tuple[int, ...]
    apart: Sequence[Automaton]


def _places(s: _System) -> Iterator[tuple[str, ...]]:
    return combinations(*([q.name for q in t.locations] for t in s.apart))


def _predicate(places: Sequence[str]) -> str:
    return " | ".join(places)


def _variables(s: _System) -> tuple[Var, ...]:
    return tuple(dict.fromkeys(v.var for t in s.apart for v in t.variables))


def _parameters(s: _System) -> Mapping[str, Sequence[Var]]:
    variables = _variables(s)
    return {_predicate(places): variables for places in _places(s)}


def _at(s: _System, places: Sequence[str], after: Mapping[Var, Term]) -> Atom:
    return Atom(_predicate(places), tuple(after.get(v, v) for v in _variables(s)))


def _inv(s: _System, places: Sequence[str], after: Mapping[Var, Term]) -> Term:
    written = ({q.name: q.inv for q in t.locations}[place] for t, place in zip(s.apart, places, strict=True))
    return substitute(build.land(*written), after)


def _clauses(s: _System) -> Iterator[Clause]:
    """Initial states, steps of each thread and copy, and steps of a copy that is none of these."""
    apart_facts = build.land(*different(s.asked.families, tuple(n + 1 for n in s.counts)))
    start = tuple(t.initial for t in s.apart)
    inits = build.land(s.asked.init, *(t.init for t in s.apart), *different(s.asked.families, s.counts))
    yield Clause((), build.land(inits, _inv(s, start, {})), _at(s, start, {}))
    for places in _places(s):
        known = _inv(s, places, {})
        for index, thread in enumerate(s.apart):
            for edge in thread.edges:
                if edge.source == places[index]:
                    there = (*places[:index], edge.target, *places[index + 1 :])
                    after = dict[Var, Term](edge.updates)
                    taken = build.land(known, taking(edge), _inv(s, there, after))
                    yield Clause((_at(s, places, {}),), taken, _at(s, there, after))
        for family, number in zip(s.asked.families, s.counts, strict=True):
            other = apart(symbolic(family, number + 1))
            shared = frozenset(variables_of(other, Kind.GLOBAL))
            for edge in other.edges:
                after = {v: t for v, t in edge.updates if v in shared}
                if after:
                    body = (_at(s, places, {}), *_with_other(s, places, family, number, edge.source))
                    taken = build.land(known, taking(edge), apart_facts, _inv(s, places, after))
                    yield Clause(body, taken, _at(s, places, after))


def _with_other(s: _System, places: tuple[str, ...], family: Family, number: int, source: str) -> Iterator[Atom]:
    """What is known with one more copy, at a location, in the place of each of the others."""
    for n in range(1, number + 1):
        one, other = symbolic_name(family, n), symbolic_name(family, number + 1)
        index = next(i for i, t in enumerate(s.apart) if t.name == one)
        own = variables_of(family.thread, Kind.LOCAL)
        names: dict[Var, Term] = {local_of(v, one): local_of(v, other) for v in own}
        yield _at(s, (*places[:index], source, *places[index + 1 :]), names)


def _wanted(s: _System, bads: Sequence[Bad]) -> Iterator[Clause]:
    """What is bad does not happen: no failing step of a thread or of the first copy is possible, no claim is false."""
    firsts = {symbolic_name(f, 1): f.thread for f in s.asked.families}
    own = {t.name: t for t in s.asked.threads} | firsts
    for places in _places(s):
        here = {t.name: q for t, q in zip(s.apart, places, strict=True)}
        known = _inv(s, places, {})
        for bad in bads:
            for thread in s.apart:
                for edge in _failing(own.get(thread.name), thread, bad):
                    if edge.source == here[thread.name]:
                        yield Clause((_at(s, places, {}),), build.land(known, taking(edge)), None)
            if bad.claim is not None and (claim := at_places(bad.claim, here)) is not build.TRUE:
                broken = build.land(known, *different(s.asked.families, s.counts), build.lnot(claim))
                yield Clause((_at(s, places, {}),), broken, None)


def _failing(written: Automaton | None, thread: Automaton, bad: Bad) -> Iterator[Edge]:
    if written is not None:
        asked = set(failing_edges(written, bad.failing))
        yield from (own for edge, own in zip(written.edges, thread.edges, strict=True) if edge in asked)
