"""The weakest environment of a pair of threads: found, accepted by the checker, and each part of it needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.program import Program, Refinement
from sa.base.limits import LimitReached, allot
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.engines.options import Options
from sa.engines.outcome import Preservation, Result
from sa.engines.portfolio_of_goals import Depth
from sa.engines.results import answered, result_of
from sa.game.board import lay_out
from sa.question.asked import Decision
from sa.question.goals import Pairing, goals
from sa.terms import build
from sa.terms.substitute import primed, substitute, unsided
from sa.terms.term import Term, Var
from sa.weakest.asking import (
    Asking,
    answer_in,
    asked,
    everywhere,
    goal_in,
    in_one_place,
    programs_in,
)
from sa.weakest.clauses import Clause, clauses, formula
from sa.weakest.needed import Declared, Needed, needed
from sa.weakest.owned import relies
from sa.weakest.region import PART, REACHED, WHOLE, Hopeless, Region, regions, waits
from sa.weakest.steps import abstract_way, concrete_way, excluded

#: Units for the question whether it is right whatever others do: where it is, that is found soon or by way of a region.
FIRST = 1_000_000

#: Units for all questions about relies that people write, and, where one of them is enough, for a finer environment.
OWNED, FINER = 3_000_000, 1_000_000

#: An environment with more clauses is not looked through for what nothing needs; a rely has no more than `FEW`.
SHORT, FEW = 12, 4


class Environment(Struct, frozen=True):
    """What was found: clauses by location of either side, why they are needed, and the two programs that declare them.

    `result` is the proof in this environment. It is a weakest one if it is `maximal`. Locations differ where it is
    `finer` than one rely.
    """

    concrete: tuple[Needed, ...]
    abstract: tuple[Needed, ...]
    programs: tuple[Program, Program]
    result: Result
    maximal: bool
    finer: bool = False


class Uniform(Struct, frozen=True):
    """One rely for each of the two threads, the same at all of its locations, and the proof with it.

    Its clauses stand for all locations; their place is empty.
    """

    concrete: tuple[Needed, ...]
    abstract: tuple[Needed, ...]
    result: Result


class Weakest(Struct, frozen=True):
    """The answer about one pair of threads: an environment, or a play that no environment prevents, or why neither.

    Where termination is to be `preserved`, it is in the environment, or a run of the `program` shows that none helps.
    """

    thread: Automaton
    abstract: Automaton
    environment: Environment | None
    uniform: Uniform | None
    hopeless: Result | None
    unknown: Unknown | None
    preserved: Preservation | None = None
    program: Program | None = None

    @property
    def verdict(self) -> Verdict:
        """PROVED with an environment, REFUTED where none helps."""
        if self.environment is not None:
            return Verdict.PROVED
        lost = self.preserved is not None and self.preserved.verdict is Verdict.REFUTED
        return Verdict.REFUTED if self.hopeless is not None or lost else Verdict.UNKNOWN


class _Found(Struct, frozen=True):
    """An environment that keeps to a region, by location of either side, and its proof."""

    concrete: Declared
    abstract: Declared
    result: Result
    exact: bool


def weakest(abstract: Program, concrete: Program, block: Refinement | None, options: Options) -> Iterator[Weakest]:
    """The weakest environment of each pair of threads. Raises InputError, and QuestionsDiffer on an internal error."""
    for pair, asking in asked(abstract, concrete, block, options):
        yield weakest_of(pair, asking)


def weakest_of(pair: Pairing, asking: Asking) -> Weakest:
    """The weakest environment of a pair of threads. Raises InputError, and QuestionsDiffer on an internal error."""
    nothing = Weakest(pair.concrete, pair.abstract, None, None, None, None)
    try:
        goal = goal_in(asking, {}, {})
        if (result := _whatever(asking, goal)) is not None:
            programs = programs_in(asking, {}, {})
            return replace(
                nothing, environment=Environment((), (), programs, result, True), uniform=Uniform((), (), result)
            )
        owned = _owned(asking, goal)
        if owned is not None:
            return _at_least(nothing, asking, goal, owned)
        return _finest(nothing, asking, goal)
    except LimitReached as limit:
        return replace(nothing, unknown=Unknown(limit.reason, "before an environment was found"))


def _at_least(nothing: Weakest, asking: Asking, goal: Goal, owned: Uniform) -> Weakest:
    """The answer with a rely that is known to be enough, and with the weakest environment if that is soon found."""
    bounds = allot(asking.options.limits, FINER)
    try:
        found = _finest(nothing, replace(asking, options=replace(asking.options, limits=bounds)), goal)
    except LimitReached as limit:
        if limit.reason is not Reason.WORK:
            raise
        found = nothing
    environment = found.environment
    if environment is None or not environment.maximal:
        environment = _spread(asking, owned)
    return replace(nothing, environment=environment, uniform=owned)


def _finest(nothing: Weakest, asking: Asking, goal: Goal) -> Weakest:
    """The answer by way of the region in which the abstract side can answer. Raises LimitReached."""
    for waiting in (True, False) if waits(goal) else (False,):
        found = _environments(asking, goal, waiting)
        if found:
            return _with(nothing, asking, found)
    return _without_any(nothing, asking)


def _owned(asking: Asking, goal: Goal) -> Uniform | None:
    """The first of the relies that people write which is enough, without what nothing needs."""
    (concrete,) = asking.concrete.threads
    board = lay_out(goal)
    bounds = allot(asking.options.limits, OWNED)
    quick = replace(asking, options=replace(asking.options, limits=bounds))

    def ask(here: Declared, there: Declared) -> Result:
        return answer_in(quick, *everywhere(asking, here, there), Depth.RELY)

    # Abstract variables that the relation does not determine are for nobody else to write.
    free = (unsided(v) for v in board.abstract.globals if v not in board.links)
    there: Declared = {"": tuple(Clause((), build.eq(primed(v), v)) for v in free)}
    for rely in relies(concrete):
        result = ask({"": rely}, there)
        if result.verdict is Verdict.PROVED:
            return _without_idle(ask, {"": rely}, there, result)
    return None


def _spread(asking: Asking, uniform: Uniform) -> Environment:
    """One rely as the environment of each location, where it may be more than is needed."""
    said = tuple(in_one_place(n.clause for n in side) for side in (uniform.concrete, uniform.abstract))
    sides = everywhere(asking, said[0], said[1])
    first, second = (tuple(Needed(q, c, None) for q, found in side.items() for c in found) for side in sides)
    return Environment(first, second, programs_in(asking, *sides), uniform.result, False)


def _whatever(asking: Asking, goal: Goal) -> Result | None:
    """The proof that it is right whatever others do, if there is a short one. Raises LimitReached."""
    result = answered(goal, replace(asking.options, limits=allot(asking.options.limits, FIRST)), Depth.GLANCE)
    return result if result.verdict is Verdict.PROVED else None


def _environments(asking: Asking, goal: Goal, waiting: bool) -> list[_Found]:
    """Environments that keep to a region, the best one first; one that is exact and short is enough."""
    first = next((r for r in regions(goal, WHOLE, waiting, asking.options) if not isinstance(r, Unknown)), None)
    if isinstance(first, Hopeless) and first.exact:
        return []
    whole = _environment(asking, first) if isinstance(first, Region) else None
    if whole is not None and _is_short(whole):
        return [whole]
    parts = regions(goal, (*PART, *REACHED), waiting, asking.options)
    second = next((r for r in parts if isinstance(r, Region)), None)
    part = None if second is None else _environment(asking, second)
    every = [e for e in (whole, part) if e is not None]
    if whole is not None and not whole.exact:
        every.reverse()
    return every


def _with(nothing: Weakest, asking: Asking, found: Sequence[_Found]) -> Weakest:
    """The answer with the first environment, and one rely made of any of them.

    Many clauses say little to a reader, and of most of them it stays unknown whether they are needed. Then, and of a
    part of the region, the clauses of the rely are taken, by location.
    """
    every = [(_together(f.concrete), _together(f.abstract)) for f in found]
    if found[0].exact and _is_short(found[0]):
        environment = _reduced(asking, found[0])
        own = tuple(in_one_place(n.clause for n in side) for side in (environment.concrete, environment.abstract))
        return replace(nothing, environment=environment, uniform=_uniform(asking, [(own[0], own[1]), *every]))
    uniform = _uniform(asking, every)
    if uniform is None:
        return replace(nothing, environment=_reduced(asking, found[0]))
    said = tuple(in_one_place(n.clause for n in side) for side in (uniform.concrete, uniform.abstract))
    spread = _Found(*everywhere(asking, said[0], said[1]), uniform.result, False)
    return replace(nothing, environment=_reduced(asking, spread, whole=True), uniform=uniform)


def _is_short(found: _Found) -> bool:
    return sum(map(len, found.concrete.values())) + sum(map(len, found.abstract.values())) <= SHORT


def _without_any(nothing: Weakest, asking: Asking) -> Weakest:
    """Where no region was found: a play without any interference, which no environment prevents."""
    closed = goals(asking.abstract, asking.concrete, asking.block, whole=True)[0]
    result = answered(closed, asking.options)
    if result.verdict is Verdict.REFUTED:
        return replace(nothing, hopeless=result)
    why = "the states from which the abstract side can answer without interference were not found"
    return replace(nothing, unknown=Unknown(Reason.BOUND, why))


def _environment(asking: Asking, found: Region) -> _Found | None:
    """The environment that keeps to a region, if the checker accepts the pair in it. Raises LimitReached."""
    ways = concrete_way(found), abstract_way(found)
    steps = tuple(excluded(found, way, side) for side, way in enumerate(ways))
    here, there = (
        {q: clauses(found.session, s, way) for q, s in left.items()} for left, way in zip(steps, ways, strict=True)
    )
    result = _accepted(asking, goal_in(asking, _plain(here), _plain(there)), found, there)
    if result.verdict is not Verdict.PROVED:
        return None
    exact = found.exact and all(s.exact for left in steps for s in left.values())
    return _Found(_plain(here), _plain(there), result, exact)


def _reduced(asking: Asking, found: _Found, whole: bool = False) -> Environment:
    """The environment without clauses that nothing needs; of a long one nothing is left out, unless it is asked for."""
    here, there = found.concrete, found.abstract
    if not whole and not _is_short(found):
        first, second = (tuple(Needed(q, c, None) for q, s in said.items() for c in s) for said in (here, there))
        return Environment(first, second, programs_in(asking, here, there), found.result, found.exact)
    here, why, proof = needed(here, lambda fewer: answer_in(asking, fewer, there))
    there, why_too, other = needed(there, lambda fewer: answer_in(asking, here, fewer))
    # There is none that allows more than one without clauses.
    maximal = found.exact or not (why or why_too)
    return Environment(why, why_too, programs_in(asking, here, there), other or proof or found.result, maximal)


def _accepted(asking: Asking, goal: Goal, found: Region, there: Mapping[str, tuple[Clause, ...]]) -> Result:
    """The goal in the environment, by the region's own relation."""
    closures = tuple((q, build.land(*map(formula, there.get(q, ())))) for q, _ in found.relation.closure)
    evidence: Relation = replace(found.relation, closure=closures)
    result = result_of(goal, Decision(evidence, strategy="region"), 0.0, asking.options)
    return result if result.verdict is Verdict.PROVED else answered(goal, asking.options)


def _uniform(asking: Asking, found: Sequence[tuple[Declared, Declared]]) -> Uniform | None:
    """One rely for all locations of a thread: the first short one that the pair is proved with. Stops at limits."""

    def ask(concrete: Declared, abstract: Declared) -> Result:
        return answer_in(asking, *everywhere(asking, concrete, abstract))

    try:
        for here, there in _candidates(found):
            result = ask(here, there)
            if result.verdict is Verdict.PROVED:
                break
        else:
            return None
    except LimitReached:
        return None
    return _without_idle(ask, here, there, result)


def _without_idle(
    ask: Callable[[Declared, Declared], Result], here: Declared, there: Declared, result: Result
) -> Uniform:
    """One rely for each side without the clauses that nothing needs, and the proof with what is left."""
    first, why, proof = needed(here, lambda fewer: ask(fewer, there))
    _, why_too, other = needed(there, lambda fewer: ask(first, fewer))
    return Uniform(why, why_too, other or proof or result)


def _candidates(found: Sequence[tuple[Declared, Declared]]) -> Iterator[tuple[Declared, Declared]]:
    """All clauses of an environment together, if they are few, and that nothing changes which they say anything of."""
    for here, there in found:
        if len(here[""]) + len(there[""]) <= FEW:
            yield here, there
    for here, there in found:
        yield _still(here), _still(there)


def _together(said: Declared) -> Declared:
    return in_one_place(c for clauses_there in said.values() for c in clauses_there)


def _still(said: Declared) -> Declared:
    moved = sorted({v for c in said[""] for v in formula(c).free if v.primes}, key=lambda v: v.key)
    before = [build.variable(v.name, v.sort) for v in moved]
    return {"": tuple(Clause((), build.eq(after, v)) for after, v in zip(moved, before, strict=True))}


def _plain(said: Mapping[str, tuple[Clause, ...]]) -> dict[str, tuple[Clause, ...]]:
    return {q: tuple(_unsided(c) for c in found) for q, found in said.items()}


def _unsided(clause: Clause) -> Clause:
    return Clause(tuple(map(_own, clause.when)), _own(clause.kept))


def _own(term: Term) -> Term:
    """The formula with its variables as their own side names them."""
    names: dict[Var, Term] = {v: unsided(v) for v in term.free if v.name.side is not None}
    return substitute(term, names)
