"""Control points for questions: which variables are control, and what was found out about the same points before."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.base.budget import Budget, Event, Report
from sa.certificates.run import Bad
from sa.explicit.transition_system import Whole, whole
from sa.hybrid.control_variables import Reach, control
from sa.hybrid.points import Frame, Graph, explore, frame
from sa.hybrid.simplify_by_bounds import standing
from sa.hybrid.slicing import spoken_of
from sa.invariants.houdini import has_functions
from sa.invariants.inductive_claims import lemmas_key
from sa.question.asked import Asked
from sa.smt.session import Session
from sa.terms.term import Term


class Effort(Struct, frozen=True):
    """How many control points at most, those that matter and all; solver resources, none: equations are enough.

    With `candidates` conjunctions of what the program tests and claims are tried at each point. Of the finest control
    there may be `finest` points, if that is more: where it tells more, equations alone are enough more often.
    """

    points: int
    full: int
    rlimit: int | None
    candidates: bool = False
    finest: int = 0


#: Equalities alone cost little at each point, so there may be many. Few points are a look before other engines.
EQUALITIES = Effort(2_000, 40_000, None, finest=10_000)

CANDIDATES = replace(EQUALITIES, candidates=True)

#: What the solver of Horn clauses is asked about.
CLAUSES = Effort(3_000, 6_000, 10_000_000)


class Work(Struct, frozen=True):
    """A question about threads, what is known of them, and with what effort it is answered."""

    part: tuple[Automaton, ...]
    asked: Asked
    lemmas: tuple[Term, ...]
    session: Session
    report: Report
    effort: Effort


class Points(Struct, frozen=True, eq=False):
    """Control points that a question is about. All questions have the `same` ones for which it is equal."""

    frame: Frame
    graph: Graph
    same: Hashable


def work_of(part: tuple[Automaton, ...], asked: Asked, budget: Budget, report: Report, effort: Effort) -> Work:
    """The work on a question, with what earlier engines have shown."""
    known = (c for c in asked.shared.made.get(lemmas_key(asked), ()) if not has_functions(c))
    lemmas = spoken_of(tuple(known), part)
    return Work(part, asked, lemmas, Session(budget.bounds, seed=budget.seed), report, effort)


def wholes_of(part: tuple[Automaton, ...], bads: Sequence[Bad]) -> list[Whole] | None:
    """The threads as a whole with each claim; None where not all that they do is known."""
    made = {claim: whole(part, Bad(None, claim)) for claim in dict.fromkeys(b.claim for b in bads)}
    return None if any(w.partial for w in made.values()) else [made[b.claim] for b in bads]


def points_of(work: Work, bads: tuple[Bad, ...]) -> Points | None:
    """The points of the finest control of which there are few enough."""
    wholes = wholes_of(work.part, bads)
    if wholes is None:
        return None
    w = standing(wholes[0], work.lemmas)
    for reach in Reach:
        variables, starts = control(w, work.session, reach)
        f = frame(w, bads, [x.claim for x in wholes], variables, starts, work.session, work.lemmas)
        same = same_points(work, f, ())
        if is_hopeless(work, same, bads):
            return None
        finest = work.effort.finest if reach is next(iter(Reach)) else 0
        graph = reached(work, f, same, max(finest, work.effort.points))
        if graph is not None:
            return Points(f, graph, same)
    work.report(Event("too many control points", {"control points are not enough": work.effort.points}))
    return None


def same_points(work: Work, f: Frame, seen_as: Hashable) -> Hashable:
    """What questions have in common that differ in what is bad alone, in the coordinates that a point is `seen_as`."""
    names, variables = tuple(t.name for t in work.part), tuple((v.var, v.low, v.high) for v in f.control)
    return names, work.lemmas, variables, f.own, f.live, seen_as


def reached(work: Work, f: Frame, same: Hashable, most: int) -> Graph | None:
    """The points that matter; None if they are more than that. Neither is found out twice."""
    key, made = ("too many points", most, same), work.asked.shared.made
    if key in made:
        return None
    starts = tuple(tuple(s.items()) for s in f.starts)
    seen = ("points", f.whole.threads, f.bads, f.claims, starts, f.equations, same)
    graph = work.asked.shared.once(seen, lambda: explore(f, True, most, work.session.bounds))
    if graph is None:
        made[key] = True
        del made[seen]
    return graph if graph is None or len(graph.steps) <= most else None


def is_hopeless(work: Work, same: Hashable, bads: tuple[Bad, ...]) -> bool:
    """Whether equations at these points are known not to exclude any of these."""
    if work.effort.rlimit is not None or work.effort.candidates:
        return False
    fail: frozenset[Bad] = work.asked.shared.made.get(("equations fail", same), frozenset())
    return fail.issuperset(bads)


def equations_fail(work: Work, points: Points, bads: frozenset[Bad]) -> None:
    """Note of what is bad that equations do not exclude it, alone or with others."""
    key, made = ("equations fail", points.same), work.asked.shared.made
    made[key] = made.get(key, frozenset()) | bads
