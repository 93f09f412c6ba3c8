"""Claims about a closed program: by invariants of its threads, by joint ones, or refuted by a run.

Each function answers for itself, as far as it can, what is asked; their order is that of
`engines.portfolio_of_claims`. Nothing is believed yet: the checker looks at all evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product as combinations
from math import prod

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.rename import apart
from sa.base.budget import Budget, Event, Report
from sa.base.limits import part_of
from sa.certificates.run import Bad
from sa.certificates.threads import Annotated, Joint, Keeps
from sa.conditions.composition import product
from sa.conditions.never import at_places, excluded, failing_edges, mentioned, taking
from sa.generation.generate import Generated, generate, invariants, strengthened, unbounded
from sa.generation.modular import Annotation, Kept, solve_modular
from sa.generation.visibility import Level
from sa.invariants.violation import Effort, find_run
from sa.question.asked import Asked, Excluded, Note, Refuted
from sa.smt.horn import GivenUp, NoSolution
from sa.smt.session import Session
from sa.terms import build

#: Joint locations up to which all of them are looked at.
JOINT = 3_000

#: Joint locations up to which boxes may tell them apart.
FEW = 200

#: Solver resources for relational invariants of joint locations and of threads, with little effort and with much.
JOINTLY, APART = (5_000_000, 60_000_000), (3_000_000, 30_000_000)

#: Solver resources for each question whether invariants exclude something: what follows from them follows soon.
SOON = 500_000

#: The part of an engine's time that one of its questions may have.
ONE = 0.4

#: A short look for a run and a long one; here concrete states are other engines' business.
SHORT, LONG = Effort(60_000, 8, 2_000_000), Effort()

#: What an invariant of a thread speaks of on each level, in words.
_SEEN = {
    Level.HIDDEN: "over shared variables",
    Level.LOCATIONS: "with locations",
    Level.LOCALS: "with locations and locals",
}


def by_boxes(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded | Note]:
    """What boxes exclude, with the threads' locations too where those are few. Raises LimitReached."""
    few = len(asked.threads) > 1 and prod(len(t.locations) for t in asked.threads) <= FEW
    open_ = asked.bads
    for level in (Level.HIDDEN, Level.LOCATIONS):
        if level is Level.HIDDEN or few:
            report(Event(f"boxes {_SEEN[level]}"))
            for found in _accepted(asked, budget, _generated(asked, budget, level), open_, f"boxes {_SEEN[level]}"):
                open_ = _without(open_, found)
                yield found
        if not open_:
            return
    yield from (Note(words) for words in unbounded(_generated(asked, budget, Level.HIDDEN)).values())


def _without(bads: tuple[Bad, ...], found: Excluded) -> tuple[Bad, ...]:
    return tuple(b for b in bads if b not in found.bads)


def _session(asked: Asked, budget: Budget) -> Session:
    return Session(budget.bounds, tuple(a.formula for a in asked.axioms), budget.seed, SOON)


def _generated(asked: Asked, budget: Budget, level: Level) -> Generated:
    return asked.shared.once((asked.threads, level), lambda: generate(asked.threads, level, budget.bounds))


def _accepted(asked: Asked, budget: Budget, known: Generated, bads: Sequence[Bad], how: str) -> Iterator[Excluded]:
    """What the invariants exclude."""
    made, session = invariants(known), _session(asked, budget)
    separate = tuple(apart(t) for t in made)
    found = [n for bad in bads if (n := excluded(session, asked.threads, separate, bad)) is not None]
    if found:
        annotated = tuple(Annotated(t, a) for t, a in zip(asked.threads, made, strict=True))
        yield Excluded(tuple(n.bad for n in found), Keeps(annotated, tuple(found), asked.axioms), how)


def long_runs(asked: Asked, budget: Budget, report: Report) -> Iterator[Refuted]:
    """A look for runs by formulas, step by step. Raises LimitReached."""
    for bad in asked.bads:
        run = find_run(asked.threads, bad, budget.bounds, replace(LONG, states=0), report)
        if run is not None:
            steps = len(run.turns)
            yield Refuted(bad, run, f"a run of {steps} step{'' if steps == 1 else 's'}")


def too_many(threads: Sequence[Automaton], most: int, report: Report) -> bool:
    """Whether there are more joint locations than an engine looks at; if so that is reported."""
    number = prod(len(t.locations) for t in threads)
    if number > most:
        report(Event("nothing is tried", {"joint locations are too many": number}))
    return number > most


def by_joint_relations(effort: int, asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """Relational invariants of joint locations, with little effort (0) or much (1). Raises LimitReached."""
    if too_many(asked.threads, JOINT, report):
        return
    # The names of the whole are those of separate threads, also where there is only one.
    whole = product(asked.threads) if len(asked.threads) > 1 else apart(asked.threads[0])
    for number, bads in enumerate(_together_and_alone(asked)):
        report(Event("joint invariants", {"questions": number}))
        answer: Annotation | NoSolution | GivenUp = GivenUp("its share of the time was used up")
        with part_of(budget.bounds, ONE) as bounds:
            answer = solve_modular((whole,), list(_joint_wants(asked.threads, whole, bads)), bounds, JOINTLY[effort])
        if isinstance(answer, NoSolution | GivenUp):
            continue
        parts = {q.name: q.parts or (q.name,) for q in whole.locations}
        joint = tuple((parts[q], inv) for (_, q), inv in answer.items() if inv is not build.FALSE)
        yield Excluded(bads, Joint(asked.threads, joint, bads, asked.axioms), "relations between all threads")
        if len(bads) == len(asked.bads):
            return


def _together_and_alone(asked: Asked) -> Iterator[tuple[Bad, ...]]:
    """All that is asked, and then each by itself: what cannot be shown of one does not keep others unproved."""
    yield asked.bads
    if len(asked.bads) > 1:
        yield from ((b,) for b in asked.bads)


def _joint_wants(threads: Sequence[Automaton], whole: Automaton, bads: Sequence[Bad]) -> Iterator[Kept]:
    separate = tuple(apart(t) for t in threads)
    for place in whole.locations:
        here = dict(zip((t.name for t in separate), place.parts or (place.name,), strict=True))
        for bad in bads:
            for original, thread in zip(threads, separate, strict=True):
                asked = set(failing_edges(original, bad.failing))
                for edge, own in zip(original.edges, thread.edges, strict=True):
                    if edge in asked and edge.source == here[thread.name]:
                        yield Kept(((whole.name, place.name),), build.lnot(taking(own)))
            if bad.claim is not None and (claim := at_places(bad.claim, here)) is not build.TRUE:
                yield Kept(((whole.name, place.name),), claim)


def by_relations(effort: int, asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """Relational invariants of each thread, over shared variables and then with locations. Raises LimitReached.

    The effort is little (0) or much (1).
    """
    if len(asked.threads) == 1:
        return
    settled = set[Bad]()
    for level in (Level.HIDDEN, Level.LOCATIONS):
        for bads in _together_and_alone(asked):
            open_ = tuple(b for b in bads if b not in settled)
            if not open_:
                continue
            report(Event(f"relations {_SEEN[level]}", {"settled": len(settled)}))
            with part_of(budget.bounds, ONE) as bounds:
                own = replace(budget, bounds=bounds)
                known = _generated(asked, own, level)
                answer = strengthened(known, list(_wants(asked.threads, known, open_)), {}, bounds, APART[effort])
                if isinstance(answer, Generated):
                    for found in _accepted(asked, own, answer, open_, f"relations {_SEEN[level]}"):
                        settled.update(found.bads)
                        yield found


def _wants(threads: Sequence[Automaton], known: Generated, bads: Sequence[Bad]) -> Iterator[Kept]:
    separate = {t.name: apart(t) for t in known.exposure.threads}
    for bad in bads:
        for original in threads:
            asked = set(failing_edges(original, bad.failing))
            for edge, own in zip(original.edges, separate[original.name].edges, strict=True):
                if edge in asked:
                    yield Kept(((original.name, own.source),), build.lnot(taking(own)))
        if bad.claim is not None:
            names = mentioned(bad.claim) or (min(threads, key=lambda t: len(t.locations)).name,)
            if prod(len(separate[n].locations) for n in names) > JOINT:
                # Too many to ask about; what is not asked for is not accepted unless it holds.
                continue
            for places in combinations(*([(n, q.name) for q in separate[n].locations] for n in names)):
                claim = at_places(bad.claim, dict(places))
                if claim is not build.TRUE:
                    yield Kept(tuple(places), claim)
