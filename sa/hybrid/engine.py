"""The hybrid engine: explicit control, symbolic data (the design's control points with one Horn predicate each)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.base.budget import Budget, Event, Report
from sa.base.limits import part_of
from sa.certificates.run import Bad
from sa.certificates.threads import Joint, Lemmas
from sa.explicit.whole import Whole, whole
from sa.hybrid.alternatives import alternatives
from sa.hybrid.candidates import by_candidates
from sa.hybrid.cells import INDICES, of_elements
from sa.hybrid.control import Reach, control
from sa.hybrid.coordinates import Coordinates, coordinates, without_guesses
from sa.hybrid.equalities import differences, equalities, possible
from sa.hybrid.evidence import Joints, joints, run
from sa.hybrid.fuse import Fused, fused, restored
from sa.hybrid.points import Frame, Graph, Point, explore, explored, frame
from sa.hybrid.slices import about_all, is_small, jointly_about_all, mattering, spoken_of
from sa.hybrid.solve import Held, Way, horn, solve
from sa.hybrid.standing import standing
from sa.hybrid.taken import guessed, limited, with_few
from sa.hybrid.tested import with_tests
from sa.invariants.direct import lemmas_key
from sa.invariants.houdini import has_functions
from sa.question.asked import Asked, Excluded, Refuted
from sa.smt.horn import GivenUp
from sa.smt.session import Session
from sa.terms import build
from sa.terms.sort import ArraySort
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Decides a question about the threads that matter, with some effort.
Deciding: TypeAlias = Callable[[tuple[Automaton, ...], Asked, Budget, Report, "Effort"], Iterator[Excluded | Refuted]]


#: What of a whole may be control, and in how many ways; none where there is nothing to look at.
LayingOut: TypeAlias = Callable[[Whole], tuple[Whole, Sequence[Reach]]]


#: Other coordinates in which a question about a whole may be answered, by its claims and what is bad.
Guesses: TypeAlias = Callable[[Whole, Sequence[Term], Sequence[Bad]], Iterator[Coordinates]]


class Effort(Struct, frozen=True):
    """How many control points at most, those that matter and all; solver resources, none: equations are enough.

    With `alternatives` a point may have several sets of equations.
    """

    points: int
    full: int
    rlimit: int | None
    alternatives: bool = False


#: Equalities alone cost little at each point, so there may be many. Few points are a look before other engines.
EQUALITIES = (Effort(2_000, 40_000, None), Effort(20_000, 40_000, None))
ALTERNATIVES = (replace(EQUALITIES[0], alternatives=True), replace(EQUALITIES[1], alternatives=True))

#: With little effort and with much.
EFFORTS = (Effort(3_000, 6_000, 10_000_000), Effort(40_000, 80_000, 200_000_000))

#: Solver resources for each question about a conjunction: what follows from simple formulas follows soon.
SOON = 500_000

#: The part of the resources that the solver has before conjunctions are tried.
BRIEF = 8

#: The part of the time that one of several questions may have.
ONE = 0.4


def _as_it_is(w: Whole) -> tuple[Whole, Sequence[Reach]]:
    return w, tuple(Reach)


def by_control(
    effort: Effort, asked: Asked, budget: Budget, report: Report, decide: Deciding | None = None
) -> Iterator[Excluded | Refuted]:
    """What becomes of all claims together, then of each that is still open by itself. Raises LimitReached.

    Of each it is the threads that matter to it.
    """
    settled = set[Bad]()
    parts = {b: mattering(asked.threads, b) for b in asked.bads}
    together = [tuple(b for b in asked.bads if parts[b] == part) for part in dict.fromkeys(parts.values())]
    for bads in dict.fromkeys((*together, *((b,) for b in asked.bads))):
        left = tuple(b for b in bads if b not in settled)
        if not left or (len(bads) == 1 and len(left) < len(bads)):
            continue
        with part_of(budget.bounds, ONE if len(asked.bads) > 1 else 1.0) as bounds:
            question = replace(asked, bads=left)
            part = parts[left[0]] if is_small(parts[left[0]]) else asked.threads
            for found in (decide or decided)(part, question, replace(budget, bounds=bounds), report, effort):
                settled.update(found.bads)
                yield found


def by_equalities(effort: Effort, asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What equations and differences between data settle, at many points. Raises LimitReached."""
    return (found for found in by_control(effort, asked, budget, report) if isinstance(found, Excluded))


def by_coordinates(effort: Effort, asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """The same with remainders and differences as variables of their own. Raises LimitReached."""
    found = by_control(effort, asked, budget, report, _in_coordinates)
    return (f for f in found if isinstance(f, Excluded))


def by_counters(effort: Effort, asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded | Refuted]:
    """The same where numbers that take few values are control, though nobody has declared so. Raises LimitReached."""
    return by_control(effort, asked, budget, report, partial(decided, points=_counted))


def by_counting(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """The same with equations and differences alone. Raises LimitReached."""
    return (found for found in by_counters(EQUALITIES[0], asked, budget, report) if isinstance(found, Excluded))


class _Work(Struct, frozen=True):
    """A question about threads, what is known of them, and with what effort it is answered."""

    part: tuple[Automaton, ...]
    asked: Asked
    lemmas: tuple[Term, ...]
    session: Session
    report: Report
    effort: Effort


#: The points at which some of what is bad is looked for; none where they are too many.
Exploring: TypeAlias = Callable[[_Work, tuple[Bad, ...]], tuple[Frame | None, Graph | None]]


def _work(part: tuple[Automaton, ...], asked: Asked, budget: Budget, report: Report, effort: Effort) -> _Work:
    known = (c for c in asked.shared.made.get(lemmas_key(asked), ()) if not has_functions(c))
    lemmas = spoken_of(tuple(known), part)
    return _Work(part, asked, lemmas, Session(budget.bounds, seed=budget.seed), report, effort)


def decided(
    part: tuple[Automaton, ...],
    asked: Asked,
    budget: Budget,
    report: Report,
    effort: Effort,
    points: Exploring | None = None,
) -> Iterator[Excluded | Refuted]:
    """What becomes of all that is asked, where these threads are those that matter."""
    work, waiting = _work(part, asked, budget, report, effort), [asked.bads]
    while waiting:
        bads = waiting.pop()
        f, graph = (points or _graph)(work, bads)
        if f is None or graph is None:
            continue
        less = fused(graph)
        answer, how = _answer(work, f, less)
        match answer:
            case Held():
                invariants = _invariants(work, f, less, answer)
                if invariants is not None:
                    yield Excluded(bads, _proof(work, bads, invariants), how)
            case _Some(some):
                waiting += [_without(bads, some), some]
            case Way(steps):
                found, bad = run(f, answer, work.session, asked.threads), steps[-1].bad
                if found is not None and bad is not None:
                    count = len(found.turns)
                    yield Refuted(bad, found, f"a run of {count} step{'' if count == 1 else 's'}")
                    waiting += [left] if (left := _without(bads, (bad,))) else []
            case GivenUp():
                pass
            case _:
                assert_never(answer)


def _without(bads: Sequence[Bad], others: Sequence[Bad]) -> tuple[Bad, ...]:
    return tuple(b for b in bads if b not in others)


class _Some(Struct, frozen=True):
    """What equations seem to exclude by themselves, although not all that is asked together."""

    bads: tuple[Bad, ...]


def _answer(work: _Work, f: Frame, less: Fused) -> tuple[Held | Way | GivenUp | _Some, str]:
    """Whether the fused points exclude what is bad, and by what. Raises LimitReached."""
    work.report(
        Event("control points", {"points": len(less.graph.steps) + len(less.gone), "fused": len(less.graph.steps)})
    )
    bounds, graph = work.session.bounds, less.graph
    equal = equalities(f, graph, work.lemmas, bounds)
    reached = possible(f, graph, equal, work.lemmas, work.session)
    if not reached:
        return Held(equal), "equalities at control points"
    left, known = differences(f, graph, work.lemmas, bounds)
    if known:
        # Fewer steps leave more equal.
        equal = equalities(f, left, work.lemmas, bounds)
        known = {p: build.land(said, known[p]) for p, said in equal.items()}
        reached = possible(f, left, known, work.lemmas, work.session)
        if not reached:
            return Held(known), "differences at control points"
    if len(reached) < len(f.bads):
        return _Some(tuple(b for b in f.bads if b not in reached)), ""
    if work.effort.alternatives:
        held = alternatives(f, left, work.lemmas, known, work.session)
        return held or GivenUp("not asked"), "alternatives at control points"
    if work.effort.rlimit is None:
        return GivenUp("not asked"), ""
    return _solved(work, f, left, known or equal), "control points"


def _invariants(work: _Work, f: Frame, less: Fused, held: Held, back: Mapping[Var, Term] = {}) -> Joints | None:
    """What holds at all points of all threads; None where there are too many."""
    full = explore(f, False, work.effort.full, work.session.bounds)
    if full is None:
        return None
    return joints(f, full, restored(less, held.points), work.lemmas, back, work.session.bounds)


def _proof(work: _Work, bads: tuple[Bad, ...], invariants: Joints) -> Joint | Lemmas:
    proof = Joint(work.part, invariants, bads, work.asked.axioms)
    return proof if work.part == work.asked.threads else about_all(work.asked.threads, proof)


def by_tests(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What equations and differences settle where it is control how tests come out. Raises LimitReached."""
    decide = partial(_in_coordinates, guesses=_by_tests, how="control points that tell how tests come out")
    found = by_control(replace(EFFORTS[0], rlimit=None, alternatives=True), asked, budget, report, decide)
    return (f for f in found if isinstance(f, Excluded))


def _by_tests(w: Whole, claims: Sequence[Term], bads: Sequence[Bad]) -> Iterator[Coordinates]:
    return with_tests(w, claims, bads)


def _by_coordinates(w: Whole, claims: Sequence[Term], _: Sequence[Bad]) -> Iterator[Coordinates]:
    return coordinates(w, claims)


def _in_coordinates(
    part: tuple[Automaton, ...],
    asked: Asked,
    budget: Budget,
    report: Report,
    effort: Effort,
    guesses: Guesses = _by_coordinates,
    how: str = "remainders and differences at control points",
) -> Iterator[Excluded]:
    """What is excluded where other variables are control, for all that is asked together."""
    wholes = [whole(part, Bad(None, bad.claim)) for bad in asked.bads]
    if any(w.partial for w in wholes):
        return
    work = _work(part, asked, budget, report, effort)
    open_: tuple[Bad, ...] = asked.bads
    for made in guesses(standing(wholes[0], work.lemmas), [w.claim for w in wholes], asked.bads):
        there = replace(work, lemmas=(*(substitute(c, made.there) for c in work.lemmas), *made.known))
        waiting = [open_]
        while waiting:
            bads = waiting.pop()
            found = _held_there(there, made, bads)
            if isinstance(found, _Some):
                waiting += [_without(bads, found.bads), found.bads]
            elif found is not None:
                yield Excluded(bads, _proof(work, bads, found), how)
                open_ = _without(open_, bads)
        if not open_:
            return


def _held_there(there: _Work, made: Coordinates, bads: tuple[Bad, ...]) -> Joints | _Some | None:
    """What holds everywhere, in other coordinates, so that all of these are excluded."""
    looks = (_explored(there, made, bads, reach) for reach in (Reach.ALL, Reach.DECLARED))
    f, graph = next((x for x in looks if x is not None), (None, None))
    if f is None or graph is None:
        return None
    less = fused(graph)
    answer, _ = _answer(there, f, less)
    if isinstance(answer, _Some):
        return answer
    return _invariants(there, f, less, answer, made.back) if isinstance(answer, Held) else None


def _explored(work: _Work, made: Coordinates, bads: Sequence[Bad], reach: Reach) -> tuple[Frame, Graph] | None:
    """The points where coordinates are control; None where none of them is, or the points are too many."""
    variables, starts = control(made.whole, work.session, reach)
    if made.stands_for.keys().isdisjoint(variables):
        return None
    free = without_guesses(made, variables)
    said = dict(zip(work.asked.bads, made.claims, strict=True))
    claims = [said[b] for b in bads]
    f = frame(free, bads, claims, variables, starts, work.session, work.lemmas, made.stands_for)
    f = replace(f, limits=made.limits)
    graph = _reached(work, f, (tuple(made.back.items()), tuple(made.limits.items())))
    return None if graph is None else (f, graph)


def by_elements(effort: Effort, asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What is excluded by what holds of every element of arrays. Raises LimitReached."""
    if any(isinstance(v.var.sort, ArraySort) for t in asked.threads for v in t.variables):
        found = by_control(effort, asked, budget, report, _of_elements)
        yield from (f for f in found if isinstance(f, Excluded))


def _of_elements(
    part: tuple[Automaton, ...], asked: Asked, budget: Budget, report: Report, effort: Effort
) -> Iterator[Excluded]:
    """What is excluded of all that is asked together."""
    work = _work(part, asked, budget, report, effort)
    f, graph = _graph(work, asked.bads)
    if f is None or graph is None:
        return
    less = fused(graph)
    equal = equalities(f, less.graph, work.lemmas, budget.bounds)
    made, stated = (horn(f, less.graph, work.lemmas, whole) for whole in (False, True))
    found = of_elements(made, stated, equal, work.session, effort.rlimit or 0)
    invariants = _invariants(work, f, less, found) if found is not None else None
    if invariants is not None:
        spoken = frozenset[Var]().union(*(said.free for _, said in invariants))
        indices = tuple(k for k in INDICES if k in spoken)
        part_of_proof = Joint(part, invariants, asked.bads, asked.axioms, indices=indices)
        proof = jointly_about_all(asked.threads, part_of_proof)
        if proof is not None:
            yield Excluded(asked.bads, proof, "every element of arrays")


def _solved(work: _Work, f: Frame, graph: Graph, equal: Mapping[Point, Term]) -> Held | Way | GivenUp:
    """What Spacer says, or conjunctions where it gives up soon: these are found soon where equations carry the proof.
    Where nothing but control changes they are first: all there is to say is how tests came out. Raises LimitReached.
    """
    made, rlimit = horn(f, graph, work.lemmas), work.effort.rlimit or 0
    session = work.session
    changing = any(step.updates for steps in graph.steps.values() for step in steps)
    soon = solve(made, session.bounds, rlimit // BRIEF) if changing else GivenUp("not asked")
    if not isinstance(soon, GivenUp):
        return soon
    stated = horn(f, graph, work.lemmas, True)
    return by_candidates(stated, equal, session.again(SOON), session.bounds) or solve(made, session.bounds, rlimit)


def _graph(work: _Work, bads: tuple[Bad, ...], lay_out: LayingOut = _as_it_is) -> tuple[Frame | None, Graph | None]:
    """The points of the finest control of which there are few enough."""
    wholes = [whole(work.part, Bad(None, bad.claim)) for bad in bads]
    if any(w.partial for w in wholes):
        return None, None
    w, reaches = lay_out(standing(wholes[0], work.lemmas))
    for reach in reaches:
        variables, starts = control(w, work.session, reach)
        f = frame(w, bads, [x.claim for x in wholes], variables, starts, work.session, work.lemmas)
        graph = _reached(work, f, ())
        if graph is not None:
            return f, graph
    if reaches:
        work.report(Event("too many control points", {"control points are not enough": work.effort.points}))
    return None, None


def _counted(work: _Work, bads: tuple[Bad, ...]) -> tuple[Frame | None, Graph | None]:
    """The points where numbers that count within limits are control; those that go beyond are left out one by one."""
    wholes = [whole(work.part, Bad(None, bad.claim)) for bad in bads]
    if any(w.partial for w in wholes):
        return None, None
    w = with_few(standing(wholes[0], work.lemmas))
    beyond: set[Var] = work.asked.shared.made.setdefault((_counted, tuple(t.name for t in work.part)), set())
    while limits := {v: x for v, x in guessed(w).items() if v not in beyond}:
        variables, starts = control(limited(w, limits), work.session, Reach.ALL)
        limits = {v: x for v, x in limits.items() if v in variables}
        free = limited(w, limits)
        f = frame(free, bads, [x.claim for x in wholes], variables, starts, work.session, work.lemmas)
        found = explored(replace(f, limits=limits), True, work.effort.points, work.session.bounds) if limits else None
        if isinstance(found, Graph):
            return replace(f, limits=limits), found
        if found is None:
            break
        beyond.add(found)
    return _graph(work, bads, _counting)


def _reached(work: _Work, f: Frame, seen_as: Hashable) -> Graph | None:
    """The points that matter, in the coordinates that it is `seen_as`; None if they are too many.

    Questions that differ in what is bad alone have the same points, so these are not tried again.
    """
    names, variables = tuple(t.name for t in work.part), tuple(v.var for v in f.control)
    same = (_reached, work.effort.points, names, work.lemmas, variables, f.own, f.live, seen_as)
    if same in work.asked.shared.made:
        return None
    graph = explore(f, True, work.effort.points, work.session.bounds)
    if graph is None:
        work.asked.shared.made[same] = "too many points"
    return graph


def _counting(w: Whole) -> tuple[Whole, Sequence[Reach]]:
    """With numbers that take few values, if there are any beside those that are declared so."""
    counted = with_few(w)
    return counted, () if counted is w else (Reach.NAMED, Reach.ALL)
