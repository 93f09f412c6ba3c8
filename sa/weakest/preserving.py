"""An environment in which a pair of threads also preserves termination.

Where the weakest environment of the refinement does, it is the answer: none that allows more is one. Otherwise others
may change less: first nothing that is shared, which is the least that an environment can allow, and then each variable
as far as there are ranks (THEORY section 15, in environments).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from sa.automata.automaton import Kind, variables_of
from sa.automata.program import Program, Refinement
from sa.base.limits import LimitReached, allot
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.preservation import Kept
from sa.checker.surroundings import with_surroundings
from sa.engines.following import HOW, followed, followed_in_rounds, parted
from sa.engines.options import Options
from sa.engines.outcome import Preservation, Result
from sa.engines.preserving import preserved
from sa.engines.preserving_threads import not_preserved
from sa.question.goals import goals
from sa.terms.build import eq, le, lnot
from sa.terms.sort import BOOL, INT
from sa.terms.substitute import primed
from sa.weakest.asking import UNITS, Asking, answer_in, asked, everywhere, goal_in, in_one_place, programs_in
from sa.weakest.clauses import Clause
from sa.weakest.infer import Environment, Uniform, Weakest, weakest_of
from sa.weakest.needed import Declared, Needed, needed

#: More clauses, at all locations together, are not looked through one by one.
MOST = 16

#: Units for a run that shows that a clause is needed.
RUNS = 5_000_000

_LOST = Unknown(Reason.BOUND, "no ranks were found with which termination is preserved")


def preserving(abstract: Program, concrete: Program, block: Refinement | None, options: Options) -> Iterator[Weakest]:
    """The environment of each pair of threads. Raises InputError, and QuestionsDiffer on an internal error."""
    for pair, asking in asked(abstract, concrete, block, options):
        found = weakest_of(pair, asking)
        try:
            yield found if found.environment is None else _preserving(asking, found, found.environment)
        except LimitReached as limit:
            yield replace(_nothing(found), unknown=Unknown(limit.reason, "before an environment was found"))


def _nothing(found: Weakest) -> Weakest:
    return Weakest(found.thread, found.abstract, None, None, None, None)


def _preserving(asking: Asking, found: Weakest, environment: Environment) -> Weakest:
    """The same environment, or one in which others may do less. Raises LimitReached."""
    uniform = found.uniform
    found = replace(found, preserved=Preservation(Kept.TERMINATION, Verdict.PROVED, HOW[Kept.TERMINATION]))
    if _keeps(asking, environment.result):
        return found if uniform is None or _keeps(asking, uniform.result) else replace(found, uniform=None)
    if uniform is not None and _keeps(asking, uniform.result):
        return replace(found, environment=_by_location(asking, uniform))
    said = environment if uniform is None else uniform
    here, there = (in_one_place(n.clause for n in side) for side in (said.concrete, said.abstract))
    still = tuple(Clause((), eq(primed(v), v)) for v in variables_of(asking.concrete.threads[0], Kind.GLOBAL))
    least = {"": tuple(dict.fromkeys((*still, *here[""])))}
    ask = _asker(asking)
    result = ask(*everywhere(asking, least, there))
    if result.verdict is not Verdict.PROVED:
        return _without_any(asking, found)
    more, _, proof = needed(least, lambda fewer: ask(*everywhere(asking, fewer, there)))
    more, why, last = _weaker(more, lambda fewer: ask(*everywhere(asking, fewer, there)))
    stays = tuple(Needed("", c, None) for c in there[""])
    made = Uniform(why, stays, last or proof or result)
    return replace(found, environment=_by_location(asking, made), uniform=made)


def _asker(asking: Asking) -> Callable[[Declared, Declared], Result]:
    """Who answers PROVED only where termination is preserved, too."""

    def ask(here: Declared, there: Declared) -> Result:
        result = answer_in(asking, here, there)
        if result.verdict is not Verdict.PROVED or _keeps(asking, result):
            return result
        lost = _lost(asking, result)
        if lost is None:
            return replace(result, verdict=Verdict.UNKNOWN, unknown=_LOST)
        return replace(result, verdict=Verdict.REFUTED, relation=None, preservation=lost)

    return ask


def _keeps(asking: Asking, result: Result) -> bool:
    """Whether termination is preserved in the environment of a goal that is proved. Raises LimitReached."""
    bounds, seed = allot(asking.options.limits, UNITS), asking.options.seed
    try:
        return (
            followed(result.goal, Kept.TERMINATION, result.relation, bounds, seed) is not None
            or followed_in_rounds(result.goal, result.relation, bounds, seed) is not None
        )
    except LimitReached as limit:
        if limit.reason is not Reason.WORK:
            raise
        return False


def _lost(asking: Asking, result: Result) -> Preservation | None:
    """A run that shows that termination is not preserved in the environment of a goal. Raises LimitReached."""
    goal = with_surroundings(result.goal)
    try:
        against = None if goal is None else parted(goal, allot(asking.options.limits, RUNS), asking.options.seed)
    except LimitReached as limit:
        if limit.reason is not Reason.WORK:
            raise
        return None
    (own,) = asking.concrete.threads
    return None if goal is None or against is None else not_preserved(own, goal, against)


def _weaker(said: Declared, ask: Callable[[Declared], Result]) -> tuple[Declared, tuple[Needed, ...], Result | None]:
    """What is left if numbers that must not change may become larger, or smaller, and why each clause is needed."""
    kept, proof = said, None
    for clause in said[""]:
        for weaker in _directions(clause):
            other = {"": tuple(weaker if c is clause else c for c in kept[""])}
            try:
                result = ask(other)
            except LimitReached:
                continue
            if result.verdict is Verdict.PROVED:
                kept, proof = other, result
                break
    left, why, last = needed(kept, ask)
    return left, why, last or proof


def _directions(clause: Clause) -> Iterator[Clause]:
    """That a number becomes no larger, or no smaller; that what is false stays false, or what is true stays true."""
    for v in (v for v in clause.kept.free if not v.primes and clause.kept is eq(primed(v), v)):
        after = primed(v)
        if v.sort == INT:
            yield from (Clause(clause.when, f) for f in (le(after, v), le(v, after)))
        elif v.sort == BOOL:
            yield from (Clause((*clause.when, f), g) for f, g in ((lnot(v), lnot(after)), (v, after)))


def _by_location(asking: Asking, uniform: Uniform) -> Environment:
    """The clauses of one rely at those locations that need them; at all of them where there are many."""
    said = [in_one_place(n.clause for n in side) for side in (uniform.concrete, uniform.abstract)]
    here, there = everywhere(asking, said[0], said[1])
    why, result = tuple(Needed(q, c, None) for q, clauses in here.items() for c in clauses), uniform.result
    if len(why) <= MOST:
        ask = _asker(asking)
        here, why, proof = needed(here, lambda fewer: ask(fewer, there))
        result = proof or result
    stays = tuple(Needed(q, c, None) for q, clauses in there.items() for c in clauses)
    return Environment(why, stays, programs_in(asking, here, there), result, False, len(why) <= MOST)


def _without_any(asking: Asking, found: Weakest) -> Weakest:
    """Where nobody interferes: a run that goes on for ever while abstract ones end, which no environment prevents."""
    (goal,) = goals(asking.abstract, asking.concrete, asking.block, whole=True)
    said = preserved(asking.concrete, goal, Kept.TERMINATION, asking.options)
    # An abstract variable that nothing determines might be changed while the concrete ones stay.
    if said.verdict is Verdict.REFUTED and with_surroundings(goal_in(asking, {}, {})) is not None:
        return replace(_nothing(found), preserved=said, program=asking.concrete)
    return replace(_nothing(found), unknown=_LOST)
