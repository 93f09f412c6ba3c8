"""The weakest environments of `refine --weakest-rely` as JSON with stable keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sa.automata.automaton import Automaton, location_of
from sa.base.diagnostic import Diagnostic
from sa.base.verdict import Unknown, Verdict
from sa.report.json import Json, diagnostic_json, origin_json, result_json, unknown_json
from sa.report.weakest import clause_text
from sa.weakest.infer import Weakest
from sa.weakest.needed import Needed

FORMAT = "sacheck-weakest-rely/1"


def weakest_json(
    found: Sequence[tuple[Weakest, str, str, float]],
    unknown: Unknown | None,
    noticed: Iterable[Diagnostic],
    verdict: Verdict,
    status: int,
) -> Json:
    """All pairs of threads: what was found, the texts of both programs with it, seconds."""
    return {
        "format": FORMAT,
        "verdict": verdict.value,
        "status": status,
        "threads": [_pair(*each) for each in found],
        "unknown": unknown_json(unknown),
        "warnings": [diagnostic_json(d) for d in noticed],
    }


def _pair(found: Weakest, abstract: str, concrete: str, seconds: float) -> Json:
    environment, uniform = found.environment, found.uniform
    return {
        "concrete": found.thread.name,
        "abstract": found.abstract.name,
        "verdict": found.verdict.value,
        "weakest": environment is not None and environment.maximal,
        "environment": None
        if environment is None
        else {
            "concrete": [_needed(found.thread, n) for n in environment.concrete],
            "abstract": [_needed(found.abstract, n) for n in environment.abstract],
            "programs": {"abstract": abstract, "concrete": concrete},
        },
        "rely": None
        if uniform is None
        else {
            "concrete": [_needed(None, n) for n in uniform.concrete],
            "abstract": [_needed(None, n) for n in uniform.abstract],
        },
        "without_interference": None if found.hopeless is None else result_json(found.hopeless),
        "unknown": unknown_json(found.unknown),
        "seconds": seconds,
    }


def _needed(automaton: Automaton | None, needed: Needed) -> Json:
    place = None if automaton is None else origin_json(location_of(automaton, needed.place).origin)
    return {
        "location": needed.place or None,
        "place": place,
        "clause": clause_text(needed.clause),
        "without": None if needed.without is None else result_json(needed.without),
    }
