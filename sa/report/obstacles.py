"""What stands in the way of claims that are UNKNOWN: where they may fail, what is known there, who disturbs it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sa.automata.automaton import Origin
from sa.base.source import Span
from sa.base.verdict import Verdict
from sa.engines.verification import Finding, Verification
from sa.report.quoted import in_a_row, quoted
from sa.report.render_values import Told, name_of, told
from sa.terms import interval
from sa.terms.interval import Interval

#: So many claims, and so many steps that disturb one, are told.
_CLAIMS, _STEPS = 3, 4

#: Bounds beyond those of a word of 32 bits say nothing.
_WORD = 1 << 31


class Disturbing(Struct, frozen=True):
    """A statement, where it comes from, and the threads that may take it."""

    span: Span
    origin: Origin
    threads: tuple[str, ...]


class Obstacle(Struct, frozen=True):
    """What stands in the way of a claim: what variables are known to be where it may fail, which steps disturb it."""

    known: tuple[tuple[str, Interval], ...]
    steps: tuple[Disturbing, ...]


def obstacle(finding: Finding, how: Told) -> Obstacle | None:
    """What stands in the way of a claim, in the user's variables; None where nothing is known of that."""
    left = finding.left
    if left is None or finding.verdict is not Verdict.UNKNOWN:
        return None
    known = dict[str, Interval]()
    for var, values in left.known:
        name, (low, high) = name_of(var, left.thread, how), values
        plain = None if low is None or low <= -_WORD else low, None if high is None or high >= _WORD - 1 else high
        if name is not None and plain != interval.WHOLE:
            known.setdefault(name, plain)
    steps = dict[tuple[str, int], Disturbing]()
    for origin, thread in ((s.origin, s.thread) for s in left.disturbed):
        if origin.span is not None:
            place = origin.span.source.name, origin.span.start
            before = steps[place].threads if place in steps else ()
            steps[place] = Disturbing(origin.span, origin, tuple(dict.fromkeys((*before, thread))))
    return Obstacle(tuple(known.items()), tuple(steps.values())) if known or steps else None


def obstacles_of(outcome: Verification) -> Iterator[tuple[Finding, tuple[str, ...]]]:
    """The first claims without an answer of which something is known, each place once, with what is told of them."""
    how, seen = told(outcome.program, details=False), set[object]()
    for finding in outcome.findings:
        found = obstacle(finding, how)
        if found is not None and finding.claim.origin.span not in seen and len(seen) < _CLAIMS:
            seen.add(finding.claim.origin.span)
            yield finding, tuple(_lines(found, finding.left is not None and finding.left.origin is not None))


def _lines(found: Obstacle, at_a_step: bool) -> Iterator[str]:
    if found.known:
        yield f"known there: {', '.join(_within(name, values) for name, values in found.known)}"
    if found.steps:
        steps = _some([f"line {quoted(s.span)} of {_some(s.threads)}" for s in found.steps])
        yield f"may be changed there by {steps}" if at_a_step else f"may be made false by {steps}"


def _within(name: str, values: Interval) -> str:
    low, high = values
    if low == high:
        return f"{name} = {low}"
    if low is None:
        return f"{name} <= {high}"
    return f"{name} >= {low}" if high is None else f"{low} <= {name} <= {high}"


def _some(names: Sequence[str]) -> str:
    return in_a_row(names if len(names) <= _STEPS else [*names[:_STEPS], f"{len(names) - _STEPS} more"])
