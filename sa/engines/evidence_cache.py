"""Evidence that was found before: a goal with the same meaning gets it again, if the checker still accepts it.

What is kept is the evidence, written as in certificates, never a verdict or a report; it is read against the goal that
is asked about now, so that it can only be about that one. A goal's key is made of what it means: places in texts and
remarks are no part of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from sa import __version__
from sa.base.budget import Budget, Shared
from sa.base.limits import LimitReached
from sa.base.verdict import Unknown
from sa.certificates.goal import Goal
from sa.certificates.identity import key_of
from sa.certificates.pairs import Simulation, StatePairs
from sa.certificates.play import Play
from sa.certificates.relation import Relation
from sa.checker.check import Accepted, check
from sa.engines.goals import decisions
from sa.engines.options import Options
from sa.engines.portfolio_of_goals import Depth, portfolio
from sa.question.asked import Decision
from sa.smt.version import solver_version

#: Changes with what is kept and with the key.
_FORMAT = "sacheck evidence 1"


#: The strategy of a decision that was found before.
RECALLED = "cached"


def decided(goal: Goal, options: Options, depth: Depth = Depth.FULL, shared: Shared | None = None) -> Decision:
    """The first evidence about a goal, from earlier runs or found now; it is kept."""
    decision = next(found(goal, options, depth, shared))
    if not isinstance(decision.evidence, Unknown) and decision.strategy != RECALLED:
        remember(goal, decision.evidence, options)
    return decision


def found(goal: Goal, options: Options, depth: Depth = Depth.FULL, shared: Shared | None = None) -> Iterator[Decision]:
    """Evidence about a goal, piece by piece, and at the end why there is no more.

    First what was found in earlier runs, if the checker accepts it. Engines go on from what is `shared`.
    """
    try:
        evidence = None if options.cache is None else _recalled(options.cache.read(_key(goal, options)), goal, options)
    except LimitReached as limit:
        yield Decision(Unknown(limit.reason, "while cached evidence was being checked"))
        return
    if evidence is not None:
        yield Decision(evidence, strategy=RECALLED)
    turns = portfolio(depth, options.engines)
    budget = Budget(options.limits, options.seed)
    for decision in decisions(goal, budget, turns, options.reports, shared, options.diary):
        if isinstance(decision.evidence, Relation):
            # What was found before is short already.
            from sa.engines.needed_lemmas import with_needed_lemmas

            yield replace(decision, evidence=with_needed_lemmas(goal, decision.evidence, budget))
        else:
            yield decision


def remember(goal: Goal, evidence: Simulation | Play, options: Options) -> None:
    """Keep evidence for later runs."""
    if options.cache is not None:
        options.cache.write(_key(goal, options), _written(evidence, goal))


def _key(goal: Goal, options: Options) -> str:
    return key_of_evidence(goal, options.seed)


def key_of_evidence(goal: Goal, seed: int) -> str:
    """The key under which the evidence for a goal is kept."""
    return key_of(goal, _FORMAT, __version__, solver_version(), seed)


def _written(evidence: Simulation | Play, goal: Goal) -> str:
    import json

    from sa.certificates.pairs_json import simulation_json
    from sa.certificates.play_json import play_json

    if isinstance(evidence, Relation | StatePairs):
        return json.dumps(simulation_json(evidence, goal))
    return json.dumps({"play": play_json(evidence, goal)})


def _recalled(text: str | None, goal: Goal, options: Options) -> Simulation | Play | None:
    """The evidence in a text; None where there is none that the checker accepts of this goal."""
    if text is None:
        return None
    # What reads evidence is loaded where there is some.
    import json

    from sa.certificates.pairs_json import read_simulation
    from sa.certificates.play_json import read_play
    from sa.certificates.shape import Entry, Malformed

    try:
        kind, what = Entry(json.loads(text), "the cache").only()
        evidence = read_simulation(kind, what, goal) or read_play(what, goal)
    except (Malformed, ValueError, RecursionError):
        return None
    return evidence if isinstance(check(goal, evidence, options.limits), Accepted) else None
