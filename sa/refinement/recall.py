"""Evidence that was found before: a goal with the same meaning gets it again, if the checker still accepts it.

What is kept is the evidence, written as in certificates, never a verdict or a report; it is read against the goal that
is asked about now, so that it can only be about that one. A goal's key is made of what it means: places in texts and
remarks are no part of it.
"""

from __future__ import annotations

import json

from sa import __version__
from sa.base.limits import LimitReached
from sa.base.verdict import Unknown
from sa.certificates.goal import Goal
from sa.certificates.identity import key_of
from sa.certificates.play import Play
from sa.certificates.play_json import play_json, read_play
from sa.certificates.relation import Relation
from sa.certificates.relation_json import read_relation, relation_json
from sa.certificates.shape import Entry, Malformed
from sa.checker.check import Accepted, check
from sa.refinement.decide import Decision, decide
from sa.refinement.options import Options
from sa.smt.version import solver_version

#: Changes with what is kept and with the key.
_FORMAT = "sacheck evidence 1"


def decided(goal: Goal, options: Options, briefly: bool = False) -> Decision:
    """`decide`, or the evidence that was found before, accepted by the checker."""
    if options.cache is None:
        return decide(goal, options.limits, options.seed, briefly)
    key = key_of_evidence(goal, options.seed)
    try:
        evidence = _recalled(options.cache.read(key), goal, options)
    except LimitReached as limit:
        return Decision(Unknown(limit.reason, "while evidence that was found before was being checked"), 0, 0, 0, "")
    if evidence is not None:
        return Decision(evidence, 0, 0, 0, "found before")
    decision = decide(goal, options.limits, options.seed, briefly)
    if not isinstance(decision.evidence, Unknown):
        options.cache.write(key, _written(decision.evidence, goal))
    return decision


def key_of_evidence(goal: Goal, seed: int) -> str:
    """The key under which the evidence for a goal is kept."""
    return key_of(goal, _FORMAT, __version__, solver_version(), seed)


def _written(evidence: Relation | Play, goal: Goal) -> str:
    kept = (
        {"relation": relation_json(evidence)} if isinstance(evidence, Relation) else {"play": play_json(evidence, goal)}
    )
    return json.dumps(kept)


def _recalled(text: str | None, goal: Goal, options: Options) -> Relation | Play | None:
    """The evidence in a text; None where there is none that the checker accepts of this goal."""
    if text is None:
        return None
    try:
        kind, what = Entry(json.loads(text), "the cache").only()
        evidence = read_relation(what, goal) if kind == "relation" else read_play(what, goal)
    except (Malformed, ValueError, RecursionError):
        return None
    return evidence if isinstance(check(goal, evidence, options.limits), Accepted) else None
