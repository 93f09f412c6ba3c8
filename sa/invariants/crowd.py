"""Claims about programs with families of any number of threads: proofs for any number, runs with few copies.

In fixed order, as far as claims are open: boxes of each thread and each copy; a short look for runs with 1, 2, ...
copies; joint invariants of all threads and one copy, then two, from Horn clauses; a long look. That no run is found
with so many copies never becomes a proof. Nothing is believed yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product as combinations
from math import prod

from sa.automata.automaton import Automaton, Edge, Kind, variables_of
from sa.automata.family import Family, copies, crowd, different, spoken_of, symbolic, symbolic_name
from sa.automata.program import Axiom
from sa.automata.rename import apart
from sa.base.limits import Limits
from sa.certificates.crowd import CrowdJoint, CrowdKeeps, CrowdProof, CrowdRun, bads_of_copies
from sa.certificates.run import Bad
from sa.certificates.threads import Annotated
from sa.conditions.never import at_places, excluded, failing_edges, taking
from sa.generation.generate import generate, invariants
from sa.generation.visibility import Rung
from sa.invariants.violation import Effort, find_run
from sa.smt.horn import Atom, Clause, GivenUp, NoSolution, solve
from sa.smt.session import Session
from sa.terms import build
from sa.terms.substitute import prefixed, substitute
from sa.terms.term import Term, Var

#: Joint locations of threads and copies up to which there are Horn clauses about them.
JOINT = 1_500

#: Solver resources for joint invariants.
JOINTLY = 60_000_000

#: How many copies there are where runs are looked for, and how hard: a short look and a long one.
FEW, MANY = 3, 4
SHORT, LONG = Effort(30_000, 6, 2_000_000), Effort(300_000, 16, 5_000_000)


@dataclass(frozen=True, slots=True)
class Crowd:
    """Threads and families that run together. `init` is what holds of the shared variables at the start."""

    threads: tuple[Automaton, ...]
    families: tuple[Family, ...]
    init: Term
    axioms: tuple[Axiom, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """Evidence about something bad: that none of it happens, or a run in which it does; and the words for how."""

    bads: tuple[Bad, ...]
    evidence: CrowdProof | CrowdRun
    how: str


def decide_crowd(asked: Crowd, bads: Sequence[Bad], bounds: Limits, seed: int = 0) -> Iterator[Found]:
    """What becomes of them, as soon as it is known; of what is never settled neither a proof nor a run was found.

    Evidence is for a checker to confirm. Raises LimitReached: what was settled before stands.
    """
    left = list(dict.fromkeys(bads))
    steps: tuple[Callable[[], Iterator[Found]], ...] = (
        lambda: _by_boxes(asked, left, bounds, seed),
        lambda: _by_runs(asked, left, range(1, FEW + 1), SHORT, bounds),
        lambda: _by_joint_invariants(asked, left, 1, bounds),
        lambda: _by_joint_invariants(asked, left, 2, bounds),
        lambda: _by_runs(asked, left, range(1, MANY + 1), LONG, bounds),
    )
    for step in steps:
        for found in step() if left else ():
            left = [bad for bad in left if bad not in found.bads]
            yield found


def _by_boxes(asked: Crowd, bads: Sequence[Bad], bounds: Limits, seed: int) -> Iterator[Found]:
    """What threads and copies know of their own variables and the shared ones, by Algorithm 1.

    Two copies are enough for the fixed point: to a third one they do what they do to each other.
    """
    pairs = crowd(asked.families, tuple(2 for _ in asked.families))
    known = {a.name: a for a in invariants(generate((*asked.threads, *pairs), Rung.HIDDEN, bounds))}
    threads = tuple(Annotated(t, known[t.name]) for t in asked.threads)
    firsts = [known[symbolic_name(f, 1)] for f in asked.families]
    made = tuple(
        Annotated(f.thread, replace(a, name=f.thread.name)) for f, a in zip(asked.families, firsts, strict=True)
    )
    counts = tuple(max(1, *(_spoken(bad, f) for bad in bads)) for f in asked.families)
    session = Session(bounds, (*(a.formula for a in asked.axioms), *different(asked.families, counts)), seed)
    # What is bad knows the first copy as its family, and the others by their own names.
    written, named = [*asked.threads], [t.automaton for t in threads]
    for family, first, count in zip(asked.families, firsts, counts, strict=True):
        written += (family.thread, *(symbolic(family, n) for n in range(2, count + 1)))
        named += (replace(first, name=symbolic_name(family, n)) for n in range(1, count + 1))
    separate = [apart(a) for a in named]
    never = tuple(n for bad in bads if (n := excluded(session, written, separate, bad)) is not None)
    if never:
        proof = CrowdKeeps(threads, asked.families, made, asked.init, never, asked.axioms)
        yield Found(tuple(n.bad for n in never), proof, "boxes over shared variables, for any number of copies")


def _spoken(bad: Bad, family: Family) -> int:
    return 0 if bad.claim is None else spoken_of(bad.claim, family)


def _by_runs(asked: Crowd, bads: Sequence[Bad], tried: range, effort: Effort, bounds: Limits) -> Iterator[Found]:
    """Runs with few copies of each family, fewer first."""
    left = list(bads)
    for number in tried:
        counts = tuple(number for _ in asked.families)
        threads = (*asked.threads, *copies(asked.families, counts))
        for bad in tuple(left):
            for one in bads_of_copies(bad, asked.families, counts):
                run = find_run(threads, one, bounds, effort)
                if run is not None:
                    left.remove(bad)
                    yield Found((bad,), CrowdRun(counts, run), _words(len(run.turns), counts))
                    break


def _words(steps: int, counts: Sequence[int]) -> str:
    number = sum(counts)
    return f"a run of {steps} step{'' if steps == 1 else 's'} with {number} cop{'y' if number == 1 else 'ies'}"


def _by_joint_invariants(asked: Crowd, bads: Sequence[Bad], number: int, bounds: Limits) -> Iterator[Found]:
    """Invariants of all threads and so many different copies of each family, first for all that is bad at once."""
    counts = tuple(number for _ in asked.families)
    threads = (*asked.threads, *crowd(asked.families, counts))
    if prod(len(t.locations) for t in threads) > JOINT:
        return
    s = _System(asked, counts, [apart(t) for t in threads])
    left = tuple(b for b in bads if all(_spoken(b, f) <= number for f in asked.families))
    for some in dict.fromkeys((left, *((b,) for b in left))):
        answer = solve(_parameters(s), (*_clauses(s), *_wanted(s, some)), bounds, JOINTLY) if some else None
        if answer is None or isinstance(answer, NoSolution | GivenUp):
            continue
        joint = tuple(
            (places, inv) for places in _places(s) if (inv := answer.predicates[_predicate(places)]) is not build.FALSE
        )
        proof = CrowdJoint(asked.threads, asked.families, counts, joint, asked.init, some, asked.axioms)
        what = "relations between all threads and " + ("any copy" if number == 1 else f"any {number} copies")
        yield Found(some, proof, what)
        if some == left:
            return


@dataclass(frozen=True, slots=True)
class _System:
    """All threads and some symbolic copies, `apart` in this order."""

    asked: Crowd
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
        names: dict[Var, Term] = {prefixed(v, one): prefixed(v, other) for v in own}
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
