"""What was tried where there is no answer: which engines were asked, for how long, and how far each came."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sa.base.verdict import Reason
from sa.engines.outcome import Outcome
from sa.engines.tried import Tried
from sa.engines.verification import Verification, tried_about
from sa.report.document import Column, Fit, Paragraph, Row, Section, Table, Tone, Words
from sa.scripts.result import StepResult

#: Why an engine ended early, in few words.
_ENDED = {
    Reason.TIMEOUT: "out of time",
    Reason.MEMORY: "out of memory",
    Reason.INTERRUPTED: "interrupted",
    Reason.CRASHED: "died",
    Reason.UNSUPPORTED: "not supported",
}


class TriedJson(Struct, frozen=True):
    """An engine that was asked: the seconds and the units of work that it took, why it ended early if it did, and how
    far it came as it said last.

    Of `refine` and `prove`: about which `goal`, and why it was stuck where it knew; else these are empty.
    """

    engine: str
    seconds: float
    units: int
    ended: str | None
    phase: str | None
    counts: dict[str, int]
    goal: str
    stuck: str


def tried_json(tried: Tried) -> TriedJson:
    """The same for programs."""
    ended = None if tried.ended is None else tried.ended.name.lower()
    phase, counts = (None, {}) if tried.last is None else (tried.last.phase, dict(tried.last.counts))
    return TriedJson(tried.engine, tried.seconds, tried.units, ended, phase, counts, tried.goal, tried.stuck)


def tried_of_claims(outcome: Verification) -> Iterator[Section]:
    """What was tried of the claims that are open; those with the same history are told together."""
    told = list[tuple[tuple[Tried, ...], list[str]]]()
    for finding in outcome.findings:
        if finding.unknown is not None and (tried := tried_about(outcome, finding.claim)):
            names = next((names for known, names in told if known == tried), None)
            if names is None:
                told.append((tried, [finding.claim.name]))
            else:
                names.append(finding.claim.name)
    for tried, names in told:
        yield _section(", ".join(names) if len(told) > 1 else "", tried)


def tried_of_goals(outcome: Outcome) -> Iterator[Section]:
    """What was tried of the pairs of threads, and of the whole programs."""
    yield from _by_goal(outcome.tried)


def tried_of_step(result: StepResult) -> Iterator[Section]:
    """What was tried of the goals of a step of a proof."""
    yield from _by_goal(result.tried)


def _by_goal(tried: Sequence[Tried]) -> Iterator[Section]:
    for goal in dict.fromkeys(t.goal for t in tried):
        turns = [t for t in tried if t.goal == goal]
        # Evidence that was not accepted is not the last thing to be tried.
        if not turns[-1].found:
            yield _section(goal, turns)


def _section(about: str, tried: Sequence[Tried]) -> Section:
    """A row each engine: its name, the time of all its turns, and how far it came."""
    rows = tuple(
        Row((Words(t.engine), Words(f"{t.seconds:.1f} s", Tone.FAINT), Words(_far(t), Tone.FAINT))) for t in tried
    )
    head = f"What was tried of {about}:" if about else "What was tried:"
    return (Paragraph(head), Table((Column(), Column(right=True), Column(Fit.REST)), rows, indent=4))


def _far(tried: Tried) -> str:
    """How far an engine came, and how it ended."""
    counts = () if tried.last is None else tried.last.counts.items()
    parts = [", ".join(f"{number:,} {what}" for what, number in counts)]
    if tried.ended is not None:
        parts.append(_ENDED.get(tried.ended, tried.ended.value))
    parts.append(tried.stuck)
    return "; ".join(part for part in parts if part) or "no answer"
