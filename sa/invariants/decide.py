"""Claims about a closed program decided: by invariants of its threads, by joint ones, or refuted by a run.

In fixed order, as far as claims are open: boxes; all states, if there are few; a short look for a run; relational
invariants of threads on each rung and of joint locations, first with few resources, then with more; a long look for a
run. Claims are asked about together, then one by one: what cannot be shown of one does not keep others unproved.
No question has more than its share of the time, and one that used it up leaves the others theirs.
Nothing is believed yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import product as combinations
from math import prod
from typing import TypeAlias

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom
from sa.automata.rename import apart
from sa.base.limits import LimitReached, Limits, check_time, share
from sa.base.verdict import Reason
from sa.certificates.run import Bad, Run
from sa.certificates.threads import Annotated, Joint, Keeps
from sa.conditions.never import at_places, excluded, failing_edges, mentioned, taking
from sa.conditions.product import SEPARATOR, product
from sa.generation.generate import Generated, generate, invariants, strengthened, unbounded
from sa.generation.modular import Annotation, Kept, solve_modular
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

#: Solver resources for relational invariants of joint locations, the first time and the second.
JOINTLY = (5_000_000, 60_000_000)
#: The same for those of threads.
APART = (3_000_000, 30_000_000)

#: Solver resources for each question whether invariants exclude something: what follows from them follows soon.
SOON = 500_000

#: The part of the time that is left which one question may have, the first time and the second.
SHARES = (0.15, 0.4)

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
    session = Session(bounds, tuple(a.formula for a in axioms), seed, SOON)
    work = _Work(threads, axioms, bounds, session, list(dict.fromkeys(bads)))
    steps: tuple[Callable[[_Work], Iterator[Settled]], ...]
    steps = (_by_boxes, _by_states, _short_look, *_by_invariants(0), *_by_invariants(1), _long_look)
    for step in steps:
        if work.open:
            yield from step(work)
        if step is _by_boxes and work.open and Rung.HIDDEN in work.known:
            yield Imprecise(tuple(unbounded(work.known[Rung.HIDDEN]).values()))


@contextmanager
def _share(work: _Work, part: float) -> Iterator[None]:
    """Within it only that part of the time that is left may be used; more than that ends the block and nothing else."""
    whole = work.bounds
    try:
        work.bounds = work.session.bounds = share(whole, part)
        yield
    except LimitReached as limit:
        if limit.reason is not Reason.TIMEOUT:
            raise
        check_time(whole)
    finally:
        work.bounds = work.session.bounds = whole


def _by_invariants(effort: int) -> tuple[Callable[[_Work], Iterator[Settled]], ...]:
    return partial(_by_relations, effort=effort), partial(_by_joint_invariants, effort=effort)


def _by_boxes(work: _Work) -> Iterator[Settled]:
    with _share(work, SHARES[1]):
        yield from _boxes(work)


def _boxes(work: _Work) -> Iterator[Settled]:
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
    found: Joints | None = None
    with _share(work, SHARES[1]):
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
    with _share(work, SHARES[0]):
        yield from _look(work, SHORT)


def _long_look(work: _Work) -> Iterator[Settled]:
    return _look(work, LONG)


def _look(work: _Work, effort: Effort) -> Iterator[Settled]:
    for bad in list(work.open):
        run = find_run(work.threads, bad, work.bounds, effort)
        if run is not None:
            steps = len(run.turns)
            yield work.settle((bad,), run, f"a run of {steps} step{'' if steps == 1 else 's'}")


def _by_joint_invariants(work: _Work, effort: int) -> Iterator[Settled]:
    if prod(len(t.locations) for t in work.threads) > JOINT:
        return
    # The names of the whole are those of separate threads, also where there is only one.
    whole = product(work.threads) if len(work.threads) > 1 else apart(work.threads[0])
    for bads in _together_and_alone(work):
        answer: Annotation | NoSolution | GivenUp = GivenUp("its share of the time was over")
        with _share(work, SHARES[effort]):
            answer = solve_modular((whole,), list(_joint_wants(work, whole, bads)), work.bounds, JOINTLY[effort])
        if isinstance(answer, NoSolution | GivenUp):
            continue
        joint = tuple((tuple(q.split(SEPARATOR)), inv) for (_, q), inv in answer.items() if inv is not build.FALSE)
        yield work.settle(bads, Joint(work.threads, joint, bads, work.axioms), "relations between all threads")


def _together_and_alone(work: _Work) -> Iterator[tuple[Bad, ...]]:
    """What is open: all of it, and where that was not settled each by itself."""
    asked = tuple(work.open)
    if asked:
        yield asked
    if len(asked) > 1:
        yield from ((b,) for b in asked if b in work.open)


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


def _by_relations(work: _Work, effort: int) -> Iterator[Settled]:
    if len(work.threads) == 1:
        return
    for rung in (Rung.HIDDEN, Rung.LOCATIONS):
        for bads in _together_and_alone(work):
            with _share(work, SHARES[effort]):
                known = _generated(work, rung)
                answer = strengthened(known, list(_wants(work, known, bads)), {}, work.bounds, APART[effort])
                if isinstance(answer, Generated):
                    yield from _accept(work, answer, f"relations {_SEEN[rung]}")


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
