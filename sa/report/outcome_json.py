"""The outcome of `sacheck refine` as JSON: the same as the terminal shows, and all of the play."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton, location_of
from sa.automata.program import Program
from sa.base.diagnostic import Diagnostic
from sa.base.source import position
from sa.base.verdict import Unknown, Verdict
from sa.certificates.interpreted import plain_play
from sa.certificates.play import Loss
from sa.certificates.relation import Relation
from sa.engines.outcome import Outcome, Preservation, Proposal, Result
from sa.report.json import CaveatJson, DiagnosticJson, UnknownJson, caveats_json, diagnostic_json, unknown_json
from sa.report.play_json import PlayJson, play_json
from sa.report.refine import domain
from sa.report.run_json import RunJson, run_json
from sa.report.story import broken_in
from sa.report.tried import TriedJson, tried_json
from sa.terms.printer import show


class StatisticsJson(Struct, frozen=True):
    """The work that a goal took; `seconds` by phase."""

    seconds: dict[str, float]
    pairs: int
    lemmas: int
    solver_calls: int
    strategy: str


class RelatedJson(Struct, frozen=True):
    """A pair of locations that a proof relates, each with its name and line, and what holds whenever both are there."""

    concrete: str
    concrete_line: int | None
    abstract: str
    abstract_line: int | None
    lemmas: list[str]


class ResultJson(Struct, frozen=True):
    """The answer to one goal. `escapes`: no abstract run at all has the same visible actions; null: not known.

    `fails` says what of the claim a play of a closed goal shows to fail: that behaviour, or only the relation (abstract
    runs have these actions, but none keeps it), or foresight (some keep it, but no answer is right whatever comes).
    `broken` are the formulas of the relation that answers in the play break. `relation` is the proof, where it is one
    by formulas; `always` holds at every pair of it.
    """

    name: str
    concrete: str
    abstract: str
    verdict: Verdict
    domain: str
    closed: bool
    statistics: StatisticsJson
    unknown: UnknownJson | None
    play: PlayJson | None
    escapes: bool | None
    fails: Loss | None
    broken: list[str]
    notes: list[str]
    always: list[str]
    relation: list[RelatedJson]


class EnvironmentJson(Struct, frozen=True):
    """The environments that were inferred for a thread."""

    thread: str
    concrete: str
    abstract: str


class ProposalJson(Struct, frozen=True):
    """A refinement block with which the answer is PROVED; its claim, and what it does not claim any more."""

    block: str
    claim: str
    given_up: list[str]


class PreservationJson(Struct, frozen=True):
    """What became of what is to be preserved beside visible actions, with a concrete run that shows that it is not."""

    kept: str
    verdict: Verdict
    how: str
    run: RunJson | None
    unknown: UnknownJson | None


class RefinementJson(Struct, frozen=True, omit_defaults=True):
    """The answer to one question. `composed`: the answers to its goals were put together by the parallel rules.

    `proposal` is a relation with which it would be PROVED, or with which it is, if that was inferred. `escape` shows a
    visible behaviour that escapes whatever is related. `copies` are how many of each family of any number a play has.
    `tried` are the rows of the portfolio that were asked, `units` the work that was done. `assumptions` are what it
    takes for granted, `not_checked` what it says nothing about. `preservation` is there where
    `--preserve` asks for it.
    """

    name: str
    verdict: Verdict
    expected: Verdict | None
    claim: str
    goals: list[ResultJson]
    composed: bool
    environments: list[EnvironmentJson]
    notes: list[str]
    warnings: list[DiagnosticJson]
    seconds: dict[str, float]
    proposal: ProposalJson | None
    escape: ResultJson | None
    copies: list[int]
    tried: list[TriedJson]
    units: int
    assumptions: list[CaveatJson]
    not_checked: list[CaveatJson]
    preservation: PreservationJson | None = None


class OutcomeJson(Struct, frozen=True, tag_field="format", tag="sacheck-outcome/1"):
    """`sacheck refine`: the worst verdict and all answers; `unknown` says why there are no more of them."""

    verdict: Verdict
    status: int
    outcomes: list[RefinementJson]
    unknown: UnknownJson | None
    warnings: list[DiagnosticJson]


def outcomes_json(
    outcomes: Sequence[Outcome], unknown: Unknown | None, noticed: Iterable[Diagnostic], status: int
) -> OutcomeJson:
    """The answers of one `refine`; `noticed` is about the files."""
    verdicts = [o.verdict for o in outcomes] + ([Verdict.UNKNOWN] if unknown else [])
    worst = next((v for v in (Verdict.REFUTED, Verdict.UNKNOWN) if v in verdicts), Verdict.PROVED)
    warnings = [diagnostic_json(d) for d in noticed]
    return OutcomeJson(worst, status, [_outcome(o) for o in outcomes], unknown_json(unknown), warnings)


def _outcome(outcome: Outcome) -> RefinementJson:
    return RefinementJson(
        outcome.name,
        outcome.verdict,
        outcome.expected,
        outcome.claim,
        [result_json(r) for r in outcome.results],
        outcome.composition is not None,
        [EnvironmentJson(i.thread, show(i.concrete), show(i.abstract)) for i in outcome.inferred],
        list(outcome.notes),
        [diagnostic_json(d) for d in outcome.warnings],
        dict(outcome.seconds),
        proposal_json(outcome.proposal),
        None if outcome.escape is None else result_json(outcome.escape),
        list(outcome.copies),
        [tried_json(t) for t in outcome.tried],
        outcome.units,
        caveats_json(outcome.said.assumptions),
        caveats_json(outcome.said.not_checked),
        preservation_json(outcome.preservation, outcome.concrete),
    )


def proposal_json(proposal: Proposal | None) -> ProposalJson | None:
    """The block of a relation that was inferred."""
    return None if proposal is None else ProposalJson(proposal.block, proposal.claim, list(proposal.given_up))


def preservation_json(found: Preservation | None, concrete: Program | None) -> PreservationJson | None:
    """What became of what is to be preserved, if that was asked."""
    if found is None:
        return None
    run = None if found.run is None else run_json(found.run, concrete)
    return PreservationJson(found.kept.value, found.verdict, found.how, run, unknown_json(found.unknown))


def result_json(result: Result) -> ResultJson:
    """The answer to one goal."""
    work = result.statistics
    return ResultJson(
        result.goal.name,
        result.goal.concrete.name,
        result.goal.abstract.name,
        result.verdict,
        domain(result.goal),
        result.goal.closed,
        StatisticsJson(dict(work.seconds), work.pairs, work.lemmas, work.solver_calls, work.strategy),
        unknown_json(result.unknown),
        play_json(result.play, result.goal) if result.play else None,
        None if result.loss is None else result.loss is Loss.BEHAVIOUR,
        result.loss,
        [show(f.term) for f in broken_in(plain_play(result.play))] if result.play else [],
        list(result.notes),
        [show(f.term) for f in result.goal.iota],
        list(_related(result)),
    )


def _related(result: Result) -> Iterator[RelatedJson]:
    if isinstance(result.relation, Relation):
        for pair in result.relation.pairs:
            lines = _line(result.goal.concrete, pair.concrete), _line(result.goal.abstract, pair.abstract)
            yield RelatedJson(pair.concrete, lines[0], pair.abstract, lines[1], [show(m) for m in pair.lemmas])


def _line(automaton: Automaton, location: str) -> int | None:
    span = location_of(automaton, location).origin.span
    return None if span is None else position(span.source, span.start).line
