"""What the documents of commands say, part by part, as reports for other tools need it: claims, goals, steps, errors.

Made of the documents that `--json` writes (`formats.py`), so that it can be made of those of another process too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, assert_never

from msgspec import DecodeError, Struct
from msgspec.json import decode

from sa.base.diagnostic import Severity
from sa.base.verdict import Verdict
from sa.report.json import DiagnosticJson, DiagnosticsJson, SpanJson, StoppedJson, UnknownJson
from sa.report.outcome_json import OutcomeJson, RefinementJson, ResultJson
from sa.report.play_json import PlayJson
from sa.report.prove_json import ProofJson, ProofStepJson
from sa.report.run_json import RunJson
from sa.report.verify_json import FindingJson, VerificationJson

#: The documents with a verdict, and those that commands write instead.
DocumentJson: TypeAlias = OutcomeJson | VerificationJson | ProofJson | DiagnosticsJson | StoppedJson


class Visit(Struct, frozen=True):
    """A step of a run or of a play: where it is, and whose it is; of a run, by its number, which `thread` takes it."""

    span: SpanJson
    text: str
    thread: str = ""
    number: int = 0


class Part(Struct, frozen=True):
    """A claim, a goal or a step of a proof: its verdict, what was expected, why it is so, where it stands.

    `path` are the steps of a run or of a play that shows it.
    """

    kind: str
    name: str
    verdict: Verdict
    expected: Verdict | None
    seconds: float
    text: str
    span: SpanJson | None
    path: tuple[Visit, ...] = ()

    @property
    def met(self) -> bool:
        """Whether it is as it should be: as expected, or proved where nothing is expected."""
        return self.verdict is (self.expected or Verdict.PROVED)


class Facts(Struct, frozen=True):
    """A verdict about a subject, None where there is none, and its parts. `stopped` says why there are no more.

    `caveats` are what it assumes and does not check.
    """

    subject: str
    verdict: Verdict | None
    expected: Verdict | None
    status: int
    parts: tuple[Part, ...]
    diagnostics: tuple[DiagnosticJson, ...] = ()
    stopped: str = ""
    caveats: tuple[str, ...] = ()


def read_document(text: str) -> DocumentJson | None:
    """The document that a command wrote; None where it wrote none of these."""
    try:
        document: DocumentJson = decode(text, type=DocumentJson)
    except DecodeError:
        return None
    return document


def facts_of(document: DocumentJson, subject: str) -> Facts:
    """What a document says. `subject` names what was asked about, where the document does not."""
    match document:
        case VerificationJson():
            parts = tuple(_claim(c, document) for c in document.claims)
            noted, caveats = tuple(document.warnings), _caveats(document)
            return Facts(
                document.file, document.verdict, document.expected, document.status, parts, noted, caveats=caveats
            )
        case OutcomeJson():
            parts = tuple(map(_refinement, document.outcomes))
            stopped = "" if document.unknown is None else _because(document.unknown)
            noted = tuple(document.warnings)
            caveats = tuple(dict.fromkeys(c for o in document.outcomes for c in _caveats(o)))
            return Facts(subject, document.verdict, None, document.status, parts, noted, stopped, caveats)
        case ProofJson():
            parts = tuple(map(_step, document.steps))
            return Facts(
                document.file, document.verdict, document.expected, document.status, parts, tuple(document.warnings)
            )
        case DiagnosticsJson():
            return Facts(subject, None, None, document.status, (), tuple(document.diagnostics))
        case StoppedJson():
            bug, why = document.internal_error, document.unknown
            stopped = f"internal error: {bug}" if isinstance(bug, str) else ""
            if isinstance(why, UnknownJson):
                stopped = _because(why)
            return Facts(subject, document.verdict, None, document.status, (), (), stopped)
        case _:
            assert_never(document)


def _caveats(document: VerificationJson | RefinementJson) -> tuple[str, ...]:
    return tuple(c.text for c in (*document.assumptions, *document.not_checked))


def as_expected(facts: Facts) -> bool | None:
    """Whether every expectation is met; None where there is none.

    Parts without an expectation should be proved, unless there is one for the whole.
    """
    if facts.expected is None and all(p.expected is None for p in facts.parts):
        return None
    whole = facts.expected in (None, facts.verdict)
    return whole and all(p.met for p in facts.parts if p.expected is not None or facts.expected is None)


def errors_of(facts: Facts) -> tuple[DiagnosticJson, ...]:
    """The diagnostics that are errors."""
    return tuple(d for d in facts.diagnostics if d.severity is Severity.ERROR)


def _because(unknown: UnknownJson | None) -> str:
    if unknown is None:
        return ""
    return f"{unknown.reason}: {unknown.detail}" if unknown.detail else unknown.reason


def _claim(claim: FindingJson, document: VerificationJson) -> Part:
    path = () if claim.run is None else tuple(_run(document.runs[claim.run]))
    shown = ", ".join(claim.values)
    text = _because(claim.unknown) if claim.unknown else f"violated with {shown}" if shown else claim.how
    return Part("claim", claim.name, claim.verdict, claim.expected, claim.seconds, text, claim.place.span, path)


def _run(run: RunJson) -> Iterator[Visit]:
    for number, turn in enumerate(run.steps, 1):
        if turn.place.span is not None:
            yield Visit(turn.place.span, f"{turn.thread}: {turn.place.text}", turn.thread, number)


def _refinement(outcome: RefinementJson) -> Part:
    """A question; the goals that have no proof say why."""
    open_goals = [goal for goal in outcome.goals if goal.verdict is not Verdict.PROVED]
    text = "; ".join(f"{goal.name}: {_reason(goal)}" for goal in open_goals)
    paths = (tuple(_play(goal.play)) for goal in open_goals if goal.play is not None)
    path = next((p for p in paths if p), ())
    span = path[-1].span if path else None
    seconds = sum(outcome.seconds.values())
    return Part("refinement", outcome.name, outcome.verdict, outcome.expected, seconds, text, span, path)


def _reason(goal: ResultJson) -> str:
    if goal.play is not None:
        return f"{goal.play.ending.text} ({'; '.join(w.text for w in goal.play.ending.reasons)})"
    return _because(goal.unknown)


def _play(play: PlayJson) -> Iterator[Visit]:
    for number, told in enumerate(play.steps, 1):
        answers = "; ".join(e.place.text if e.place else "environment" for e in told.abstract) or "stays"
        place = told.concrete.place
        if place is not None and place.span is not None:
            mover = "" if told.concrete.thread is None else f"{told.concrete.thread}: "
            answer = answers if told.answered else "no answer"
            yield Visit(place.span, f"{number}. {mover}{place.text} (abstract: {answer})")


def _step(step: ProofStepJson) -> Part:
    failed = [leaf for leaf in step.conditions if leaf.verdict is not Verdict.PROVED]
    reasons = [f"{leaf.name}: {leaf.why}" if leaf.why else leaf.name for leaf in failed]
    reasons += [f"{goal.name}: {_reason(goal)}" for goal in step.goals if goal.verdict is not Verdict.PROVED]
    if step.unknown is not None:
        reasons.append(_because(step.unknown))
    plays = (tuple(_play(goal.play)) for goal in step.goals if goal.play is not None)
    path = tuple(_run(step.run)) if step.run is not None else next(plays, ())
    text = "; ".join(reasons)
    return Part(step.kind, step.name, step.verdict, step.expected, step.seconds, text, step.place.span, path)
