"""The weakest environments of `refine --weakest-rely` as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton, location_of
from sa.base.caveat import Said
from sa.base.diagnostic import Diagnostic
from sa.base.verdict import Unknown, Verdict
from sa.engines.outcome import Proposal
from sa.report.json import (
    CaveatJson,
    DiagnosticJson,
    OriginJson,
    UnknownJson,
    caveats_json,
    diagnostic_json,
    origin_json,
    unknown_json,
)
from sa.report.outcome_json import (
    PreservationJson,
    ProposalJson,
    ResultJson,
    preservation_json,
    proposal_json,
    result_json,
)
from sa.report.weakest import clause_text
from sa.weakest.infer import Weakest
from sa.weakest.needed import Needed


class ClauseJson(Struct, frozen=True):
    """A clause as a rely says it, at a location or, where that is null, at all of them; the answer without it."""

    clause: str
    location: str | None
    place: OriginJson | None
    without: ResultJson | None


class RelyJson(Struct, frozen=True):
    """The clauses of the two threads."""

    concrete: list[ClauseJson]
    abstract: list[ClauseJson]


class ProgramsJson(Struct, frozen=True):
    """The texts of two programs that declare an environment."""

    abstract: str
    concrete: str


class WeakestJson(Struct, frozen=True, omit_defaults=True):
    """What was found of a pair of threads; `result` is the proof in the environment, or a play that none prevents.

    `weakest` says that each step that the environment excludes leads from a state with an answer to one without.
    Where no environment helps, `proposal` is a relation that does, if a short search found one.
    `preservation` is there where `--preserve` asks for it.
    """

    concrete: str
    abstract: str
    verdict: Verdict
    weakest: bool
    environment: RelyJson | None
    rely: RelyJson | None
    programs: ProgramsJson | None
    result: ResultJson | None
    unknown: UnknownJson | None
    seconds: float
    proposal: ProposalJson | None = None
    assumptions: list[CaveatJson] = []
    preservation: PreservationJson | None = None


class WeakestRelyJson(Struct, frozen=True, tag_field="format", tag="sacheck-weakest-rely/1"):
    """`sacheck refine --weakest-rely`: the worst verdict and all pairs of threads."""

    verdict: Verdict
    status: int
    threads: list[WeakestJson]
    unknown: UnknownJson | None
    warnings: list[DiagnosticJson]


def weakest_json(
    found: Sequence[tuple[Weakest, str, str, float, Proposal | None, Said]],
    unknown: Unknown | None,
    noticed: Iterable[Diagnostic],
    verdict: Verdict,
    status: int,
) -> WeakestRelyJson:
    """All pairs of threads: what was found, the texts of both programs with it, seconds, a relation that helps,
    and what the answer assumes.
    """
    warnings = [diagnostic_json(d) for d in noticed]
    return WeakestRelyJson(verdict, status, [_pair(*each) for each in found], unknown_json(unknown), warnings)


def _pair(
    found: Weakest, abstract: str, concrete: str, seconds: float, proposal: Proposal | None, said: Said
) -> WeakestJson:
    environment, uniform = found.environment, found.uniform
    result = found.hopeless if environment is None else environment.result
    return WeakestJson(
        found.thread.name,
        found.abstract.name,
        found.verdict,
        environment is not None and environment.maximal,
        None
        if environment is None
        else RelyJson(_clauses(found.thread, environment.concrete), _clauses(found.abstract, environment.abstract)),
        None if uniform is None else RelyJson(_clauses(None, uniform.concrete), _clauses(None, uniform.abstract)),
        None if environment is None else ProgramsJson(abstract, concrete),
        None if result is None else result_json(result),
        unknown_json(found.unknown),
        seconds,
        proposal_json(proposal),
        caveats_json(said.assumptions),
        preservation_json(found.preserved, found.program),
    )


def _clauses(automaton: Automaton | None, clauses: Sequence[Needed]) -> list[ClauseJson]:
    return [
        ClauseJson(
            clause_text(n.clause),
            n.place or None,
            None if automaton is None else origin_json(location_of(automaton, n.place).origin),
            None if n.without is None else result_json(n.without),
        )
        for n in clauses
    ]
