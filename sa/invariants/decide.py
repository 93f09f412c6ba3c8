"""Claims about a closed program decided: by invariants of its threads, by joint ones, or refuted by a run.

In fixed order, as far as claims are open: boxes; all states, if there are few; a short look for a run;
relational invariants of joint locations, then of threads on each rung; a long look for a run. Nothing is believed yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product as combinations
from math import prod
from typing import TypeAlias

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom
from sa.automata.rename import apart
from sa.base.limits import Limits
from sa.certificates.run import Bad, Run
from sa.certificates.threads import Annotated, Joint, Keeps
from sa.conditions.never import at_places, excluded, failing_edges, mentioned, taking
from sa.conditions.product import SEPARATOR, product
from sa.generation.generate import Generated, generate, invariants, strengthened, unbounded
from sa.generation.modular import Kept, solve_modular
from sa.generation.visibility import Rung
from sa.invariants.states import Joints, all_states
from sa.invariants.violation import Effort, find_run
from sa.smt.horn import GivenUp, NoSolution
from sa.smt.session import Session
from sa.terms import build

#: Joint locations up to which all of them are looked at.
JOINT = 3_000

#: Joint locations up to which boxes may tell them apart.
FEW = 200

#: Solver resources for relational invariants, of joint locations and of threads.
JOINTLY, APART = 60_000_000, 30_000_000

#: A short look for a run and a long one.
SHORT, LONG = Effort(60_000, 8, 2_000_000), Effort()

#: What an invariant of a thread speaks of on each rung, in words.
_SEEN = {
    Rung.HIDDEN: "over shared variables",
    Rung.LOCATIONS: "with locations",
    Rung.LOCALS: "with locations and locals",
}

Evidence: TypeAlias = Keeps | Joint | Run


@dataclass(frozen=True, slots=True)
class Settled:
    """Evidence about something bad: that none of it happens, or a run in which it does; and the words for how."""

    bads: tuple[Bad, ...]
    evidence: Evidence
    how: str


@dataclass(frozen=True, slots=True)
class Imprecise:
    """Where precision was given up, in words: of claims that are left open it may be the reason."""

    notes: tuple[str, ...]


@dataclass(slots=True)
class _Work:
    """What is still open, and what is known."""

    threads: tuple[Automaton, ...]
    axioms: tuple[Axiom, ...]
    bounds: Limits
    session: Session
    open: list[Bad]
    known: dict[Rung, Generated] = field(default_factory=dict)

    def settle(self, bads: Sequence[Bad], evidence: Evidence, how: str) -> Settled:
        for bad in bads:
            self.open.remove(bad)
        return Settled(tuple(bads), evidence, how)


def decide(
    threads: tuple[Automaton, ...], bads: Sequence[Bad], axioms: tuple[Axiom, ...], bounds: Limits, seed: int = 0
) -> Iterator[Settled | Imprecise]:
    """What becomes of them, as soon as it is known; of what is never settled neither a proof nor a run was found.

    Evidence is for a checker to confirm. Raises LimitReached: what was settled before stands.
    """
    session = Session(bounds, tuple(a.formula for a in axioms), seed)
    work = _Work(threads, axioms, bounds, session, list(dict.fromkeys(bads)))
    steps: tuple[Callable[[_Work], Iterator[Settled]], ...]
    steps = (_by_boxes, _by_states, _short_look, _by_joint_invariants, _by_relations, _long_look)
    for step in steps:
        if work.open:
            yield from step(work)
        if step is _by_boxes and work.open:
            yield Imprecise(tuple(unbounded(work.known[Rung.HIDDEN]).values()))


def _by_boxes(work: _Work) -> Iterator[Settled]:
    few = len(work.threads) > 1 and prod(len(t.locations) for t in work.threads) <= FEW
    for rung in (Rung.HIDDEN, Rung.LOCATIONS):
        if rung is Rung.HIDDEN or few:
            yield from _accept(work, _generated(work, rung), f"boxes {_SEEN[rung]}")
        if not work.open:
            return


def _generated(work: _Work, rung: Rung) -> Generated:
    if rung not in work.known:
        work.known[rung] = generate(work.threads, rung, work.bounds)
    return work.known[rung]


def _accept(work: _Work, known: Generated, how: str) -> Iterator[Settled]:
    """What the invariants exclude."""
    made = invariants(known)
    separate = tuple(apart(t) for t in made)
    found = [n for bad in work.open if (n := excluded(work.session, work.threads, separate, bad)) is not None]
    if found:
        annotated = tuple(Annotated(t, a) for t, a in zip(work.threads, made, strict=True))
        yield work.settle([n.bad for n in found], Keeps(annotated, tuple(found), work.axioms), how)


def _by_states(work: _Work) -> Iterator[Settled]:
    """Where there are few states, all of them are the invariant."""
    found = all_states(work.threads, SHORT.steps, work.bounds)
    if found is None:
        return
    never = tuple(b for b in work.open if _excluded_jointly(work, found, b))
    if never:
        yield work.settle(never, Joint(work.threads, found, never, work.axioms), "all states")


def _excluded_jointly(work: _Work, joint: Joints, bad: Bad) -> bool:
    separate = [apart(t) for t in work.threads]
    for places, inv in joint:
        here = {t.name: q for t, q in zip(separate, places, strict=True)}
        if bad.claim is not None and not work.session.implied(at_places(bad.claim, here), (inv,)):
            return False
        for original, thread in zip(work.threads, separate, strict=True):
            asked = set(failing_edges(original, bad.failing))
            for edge, own in zip(original.edges, thread.edges, strict=True):
                reached = edge in asked and edge.source == here[thread.name]
                if reached and not work.session.implied(build.FALSE, (inv, taking(own))):
                    return False
    return True


def _short_look(work: _Work) -> Iterator[Settled]:
    return _look(work, SHORT)


def _long_look(work: _Work) -> Iterator[Settled]:
    return _look(work, LONG)


def _look(work: _Work, effort: Effort) -> Iterator[Settled]:
    for bad in list(work.open):
        run = find_run(work.threads, bad, work.bounds, effort)
        if run is not None:
            steps = len(run.turns)
            yield work.settle((bad,), run, f"a run of {steps} step{'' if steps == 1 else 's'}")


def _by_joint_invariants(work: _Work) -> Iterator[Settled]:
    if prod(len(t.locations) for t in work.threads) > JOINT:
        return
    whole = product(work.threads)
    asked = [tuple(work.open), *(((b,) for b in work.open) if len(work.open) > 1 else ())]
    for bads in asked:
        answer = solve_modular((whole,), list(_joint_wants(work, whole, bads)), work.bounds, JOINTLY)
        if isinstance(answer, NoSolution | GivenUp):
            continue
        joint = tuple((tuple(q.split(SEPARATOR)), inv) for (_, q), inv in answer.items() if inv is not build.FALSE)
        yield work.settle(bads, Joint(work.threads, joint, bads, work.axioms), "relations between all threads")
        if not work.open or len(bads) > 1:
            return


def _joint_wants(work: _Work, whole: Automaton, bads: Sequence[Bad]) -> Iterator[Kept]:
    separate = tuple(apart(t) for t in work.threads)
    for place in whole.locations:
        here = dict(zip((t.name for t in separate), place.name.split(SEPARATOR), strict=True))
        for bad in bads:
            for original, thread in zip(work.threads, separate, strict=True):
                asked = set(failing_edges(original, bad.failing))
                for edge, own in zip(original.edges, thread.edges, strict=True):
                    if edge in asked and edge.source == here[thread.name]:
                        yield Kept(((whole.name, place.name),), build.lnot(taking(own)))
            if bad.claim is not None and (claim := at_places(bad.claim, here)) is not build.TRUE:
                yield Kept(((whole.name, place.name),), claim)


def _by_relations(work: _Work) -> Iterator[Settled]:
    if len(work.threads) == 1:
        return
    for rung in (Rung.HIDDEN, Rung.LOCATIONS):
        known = _generated(work, rung)
        answer = strengthened(known, list(_wants(work, known, tuple(work.open))), {}, work.bounds, APART)
        if isinstance(answer, Generated):
            yield from _accept(work, answer, f"relations {_SEEN[rung]}")
        if not work.open:
            return


def _wants(work: _Work, known: Generated, bads: Sequence[Bad]) -> Iterator[Kept]:
    separate = {t.name: apart(t) for t in known.exposure.threads}
    for bad in bads:
        for original in work.threads:
            asked = set(failing_edges(original, bad.failing))
            for edge, own in zip(original.edges, separate[original.name].edges, strict=True):
                if edge in asked:
                    yield Kept(((original.name, own.source),), build.lnot(taking(own)))
        if bad.claim is not None:
            names = mentioned(bad.claim) or (min(work.threads, key=lambda t: len(t.locations)).name,)
            if prod(len(separate[n].locations) for n in names) > JOINT:
                # Too many to ask about; what is not asked for is not accepted unless it holds.
                continue
            for places in combinations(*([(n, q.name) for q in separate[n].locations] for n in names)):
                claim = at_places(bad.claim, dict(places))
                if claim is not build.TRUE:
                    yield Kept(tuple(places), claim)
