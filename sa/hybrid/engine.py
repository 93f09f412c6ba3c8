"""The hybrid engine: explicit control, symbolic data (the design's control points with one Horn predicate each)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.base.budget import Budget, Event, Report
from sa.base.limits import part_of
from sa.certificates.run import Bad
from sa.certificates.threads import Joint, Lemmas
from sa.hybrid.array_cells import INDICES, of_elements
from sa.hybrid.change_of_variables import Coordinates, coordinates, without_guesses
from sa.hybrid.control_variables import Reach, control
from sa.hybrid.evidence import Joints, joints, run
from sa.hybrid.exploring import (
    Effort,
    Points,
    Work,
    equations_fail,
    is_hopeless,
    points_of,
    reached,
    same_points,
    wholes_of,
    work_of,
)
from sa.hybrid.karr import differences, equalities, possible
from sa.hybrid.large_blocks import Fused, fused, restored
from sa.hybrid.points import Frame, Graph, Point, explore, first_own, frame
from sa.hybrid.predicate_candidates import Conjunctions, by_candidates
from sa.hybrid.simplify_by_bounds import standing
from sa.hybrid.slicing import about_all, is_small, jointly_about_all, mattering
from sa.hybrid.solve import Held, Way, horn, solve
from sa.question.asked import Asked, Excluded, Refuted
from sa.smt.horn import GivenUp
from sa.terms import build
from sa.terms.sort import ArraySort
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Decides a question about the threads that matter, with some effort.
Deciding: TypeAlias = Callable[[tuple[Automaton, ...], Asked, Budget, Report, Effort], Iterator[Excluded | Refuted]]


#: Solver resources for each question about a conjunction: what follows from simple formulas follows soon.
SOON = 500_000

#: The part of the resources that the solver has before conjunctions are tried.
BRIEF = 8

#: The part of the work that one of several questions may have, and the question about all at once.
ONE, ALL = 0.6, 0.7


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
        part = ONE if len(left) < len(asked.bads) else ALL if len(asked.bads) > 1 else 1.0
        with part_of(budget.bounds, part) as bounds:
            question = replace(asked, bads=left)
            threads = parts[left[0]] if is_small(parts[left[0]]) else asked.threads
            for found in (decide or decided)(threads, question, replace(budget, bounds=bounds), report, effort):
                settled.update(found.bads)
                yield found


def by_equalities(effort: Effort, asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What equations and differences between data settle, at many points. Raises LimitReached."""
    return _excluded(by_control(effort, asked, budget, report))


def by_coordinates(effort: Effort, asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """The same with remainders and differences as variables of their own. Raises LimitReached."""
    return _excluded(by_control(effort, asked, budget, report, _in_coordinates))


def _excluded(found: Iterable[Excluded | Refuted]) -> Iterator[Excluded]:
    return (f for f in found if isinstance(f, Excluded))


def decided(
    part: tuple[Automaton, ...],
    asked: Asked,
    budget: Budget,
    report: Report,
    effort: Effort,
) -> Iterator[Excluded | Refuted]:
    """What becomes of all that is asked, where these threads are those that matter."""
    work, waiting = work_of(part, asked, budget, report, effort), [asked.bads]
    while waiting:
        bads = waiting.pop()
        here = points_of(work, bads)
        if here is None:
            continue
        f, less = here.frame, fused(here.graph)
        answer, how = _answer(work, here, less)
        match answer:
            case Held():
                invariants = _invariants(work, f, less, answer)
                if invariants is not None:
                    yield Excluded(bads, _proof(work, bads, invariants), how)
            case _Some(some):
                waiting += [_without(bads, some), some]
            case Conjunctions(held, remaining) if not remaining:
                invariants = _invariants(work, f, less, held)
                if invariants is not None:
                    yield Excluded(bads, _proof(work, bads, invariants), how)
            case Conjunctions(_, remaining):
                waiting += [told] if (told := _without(bads, tuple(remaining))) else []
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


def _answer(work: Work, points: Points, less: Fused) -> tuple[Held | Conjunctions | Way | GivenUp | _Some, str]:
    """Whether the fused points exclude what is bad, and by what. Raises LimitReached."""
    work.report(
        Event("control points", {"points": len(less.graph.steps) + len(less.gone), "fused": len(less.graph.steps)})
    )
    f = points.frame
    found = work.asked.shared.once(("equations", points.same, f.bads), lambda: _equations(work, f, less.graph))
    if not found.reached:
        return Held(found.said), found.how
    equations_fail(work, points, found.reached)
    if len(found.reached) < len(f.bads) and not work.effort.candidates:
        return _Some(_without(f.bads, tuple(found.reached))), ""
    if work.effort.candidates:
        said = _candidates(work, f, found)
        return (
            GivenUp("not asked") if said is None or said.left.issuperset(f.bads) else said
        ), "candidates at control points"
    if work.effort.rlimit is None:
        return GivenUp("not asked"), ""
    answer = _solved(work, f, found)
    return _beside(found, answer) if isinstance(answer, Held) else answer, "control points"


def _beside(found: _Equations, held: Held) -> Held:
    """What holds, with the differences: whoever found it saw no steps that these exclude, so they are part of it."""
    return Held({p: build.land(said, found.known.get(p, build.TRUE)) for p, said in held.points.items()})


class _Equations(Struct, frozen=True, eq=False):
    """What equations and differences say at points, the graph without steps that they exclude, what bad is left.

    What is `known` is said of the points of the graph as it was before.
    """

    said: Mapping[Point, Term]
    reached: frozenset[Bad]
    how: str
    graph: Graph
    known: Mapping[Point, Term]


def _equations(work: Work, f: Frame, graph: Graph) -> _Equations:
    equal = equalities(f, graph, work.lemmas, work.session.bounds)
    left_over = possible(f, graph, equal, work.lemmas, work.session)
    first = _Equations(equal, left_over, "equalities at control points", graph, {})
    if not left_over:
        return first
    left, known = differences(f, graph, work.lemmas, work.session.bounds)
    if not known:
        return replace(first, graph=left)
    # Fewer steps leave more equal.
    equal = equalities(f, left, work.lemmas, work.session.bounds)
    known = {p: build.land(said, known[p]) for p, said in equal.items()}
    left_over = possible(f, left, known, work.lemmas, work.session)
    return _Equations(known, left_over, "differences at control points", left, known)


def _invariants(work: Work, f: Frame, less: Fused, held: Held, back: Mapping[Var, Term] = {}) -> Joints | None:
    """What holds at all points of all threads; None where there are too many."""
    said = restored(less, held.points)
    if all(first_own(f, p) is None for p in said):
        # Nobody is by himself anywhere, so the points that matter are all.
        full: Graph | None = Graph((), dict.fromkeys(said, ()))
    else:
        full = explore(f, False, work.effort.full, work.session.bounds)
    return None if full is None else joints(f, full, said, work.lemmas, back, work.session.bounds)


def _proof(work: Work, bads: tuple[Bad, ...], invariants: Joints) -> Joint | Lemmas:
    proof = Joint(work.part, invariants, bads, work.asked.axioms)
    return proof if work.part == work.asked.threads else about_all(work.asked.threads, proof)


def _in_coordinates(
    part: tuple[Automaton, ...],
    asked: Asked,
    budget: Budget,
    report: Report,
    effort: Effort,
) -> Iterator[Excluded]:
    """What is excluded where other variables are control, for all that is asked together."""
    wholes = wholes_of(part, asked.bads)
    if wholes is None:
        return
    work = work_of(part, asked, budget, report, effort)
    open_: tuple[Bad, ...] = asked.bads
    for made in coordinates(standing(wholes[0], work.lemmas), [w.claim for w in wholes]):
        there = replace(work, lemmas=tuple(substitute(c, made.there) for c in work.lemmas))
        waiting = [open_]
        while waiting:
            bads = waiting.pop()
            found = _held_there(there, made, bads)
            if isinstance(found, _Some):
                waiting += [_without(bads, found.bads), found.bads]
            elif found is not None:
                yield Excluded(bads, _proof(work, bads, found), "remainders and differences at control points")
                open_ = _without(open_, bads)
        if not open_:
            return


def _held_there(there: Work, made: Coordinates, bads: tuple[Bad, ...]) -> Joints | _Some | None:
    """What holds everywhere, in other coordinates, so that all of these are excluded."""
    points = next((x for reach in (Reach.ALL, Reach.DECLARED) if (x := _explored(there, made, bads, reach))), None)
    if points is None or is_hopeless(there, points.same, bads):
        return None
    less = fused(points.graph)
    answer, _ = _answer(there, points, less)
    if isinstance(answer, _Some):
        return answer
    return _invariants(there, points.frame, less, answer, made.back) if isinstance(answer, Held) else None


def _explored(work: Work, made: Coordinates, bads: Sequence[Bad], reach: Reach) -> Points | None:
    """The points where coordinates are control; None where none of them is, or the points are too many."""
    variables, starts = control(made.whole, work.session, reach)
    if made.stands_for.keys().isdisjoint(variables):
        return None
    free = without_guesses(made, variables)
    said = dict(zip(work.asked.bads, made.claims, strict=True))
    claims = [said[b] for b in bads]
    f = frame(free, bads, claims, variables, starts, work.session, work.lemmas, made.stands_for)
    f = replace(f, limits=made.limits)
    same = same_points(work, f, (tuple(made.back.items()), tuple(made.limits.items())))
    graph = reached(work, f, same, work.effort.points)
    return None if graph is None else Points(f, graph, same)


def by_elements(effort: Effort, asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What is excluded by what holds of every element of arrays. Raises LimitReached."""
    if any(isinstance(v.var.sort, ArraySort) for t in asked.threads for v in t.variables):
        yield from _excluded(by_control(effort, asked, budget, report, _of_elements))


def _of_elements(
    part: tuple[Automaton, ...], asked: Asked, budget: Budget, report: Report, effort: Effort
) -> Iterator[Excluded]:
    """What is excluded of all that is asked together."""
    work = work_of(part, asked, budget, report, effort)
    known = _known_at_points(work)
    if known is None:
        return
    f, less, equal = known
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


def _known_at_points(work: Work) -> tuple[Frame, Fused, Mapping[Point, Term]] | None:
    """The points at which all that is asked is decided, and the equations there; None where they are too many."""
    points = points_of(work, work.asked.bads)
    if points is None:
        return None
    f, less = points.frame, fused(points.graph)
    return f, less, equalities(f, less.graph, work.lemmas, work.session.bounds)


def _candidates(work: Work, f: Frame, found: _Equations) -> Conjunctions | None:
    """What conjunctions say beside equations; None where there are too many points. Raises LimitReached."""
    stated, session = horn(f, found.graph, work.lemmas, True), work.session
    said = by_candidates(stated, found.said, session.again(SOON), session.bounds)
    return None if said is None else replace(said, held=_beside(found, said.held))


def _solved(work: Work, f: Frame, found: _Equations) -> Held | Way | GivenUp:
    """What Spacer says, or conjunctions where it gives up soon: these are found soon where equations carry the proof.
    Where nothing but control changes they are first: all there is to say is how tests came out. Raises LimitReached.
    """
    made, rlimit = horn(f, found.graph, work.lemmas), work.effort.rlimit or 0
    session = work.session
    changing = any(step.updates for steps in found.graph.steps.values() for step in steps)
    soon = solve(made, session.bounds, rlimit // BRIEF) if changing else GivenUp("not asked")
    if not isinstance(soon, GivenUp):
        return soon
    said = _candidates(work, f, found)
    return solve(made, session.bounds, rlimit) if said is None or said.left else said.held
