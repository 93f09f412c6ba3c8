"""`sacheck test`: what became of the questions in files, as lines, as JSON."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.base.verdict import EXIT_INPUT, EXIT_INTERNAL, EXIT_STATUS, Verdict, worst_status
from sa.report.facts import Facts, as_expected, errors_of, facts_of, read_document
from sa.report.json import SpanJson
from sa.report.screen import BAD, FAINT, GOOD, OPEN, Screen, render, wrap
from sa.report.text import Text

#: What a question is that has no verdict.
_STYLE = {Verdict.PROVED: GOOD, Verdict.REFUTED: BAD, Verdict.UNKNOWN: OPEN}


class CaseJson(Struct, frozen=True):
    """A question: command, options and files, the verdict, what was expected, whether that is so, and if not, why."""

    command: str
    options: list[str]
    files: list[str]
    verdict: Verdict | None
    expected: Verdict | None
    met: bool
    status: int
    why: list[str]
    seconds: float


class SuiteJson(Struct, frozen=True, tag_field="format", tag="sacheck-suite/1"):
    """`sacheck test`: all questions, and the files that expect nothing."""

    status: int
    cases: list[CaseJson]
    without: list[str]
    seconds: float


class Tested(Struct, frozen=True):
    """A question by the words of its command and its files, what its process left, and what went wrong."""

    command: tuple[str, ...]
    files: tuple[str, ...]
    facts: Facts
    seconds: float
    met: bool
    why: tuple[str, ...]


def tested(
    command: tuple[str, ...],
    files: tuple[str, ...],
    expected: Verdict | None,
    out: str,
    err: str,
    status: int,
    seconds: float,
) -> Tested:
    """What became of a question whose command wrote `out`; `expected` is what only a comment says."""
    subject = files[-1]
    document = read_document(out)
    if document is None:
        last = err.strip().splitlines()[-1:] or [f"it ended with status {status}"]
        facts = Facts(subject, None, expected, EXIT_INTERNAL, (), stopped=last[0])
        return Tested(command, files, facts, seconds, False, tuple(last))
    facts = facts_of(document, subject)
    if expected is not None:
        # Where no step of a program in C can fail, there is nothing to be proved.
        nothing = facts.verdict is None and not errors_of(facts) and not facts.stopped
        verdict = Verdict.PROVED if nothing else facts.verdict
        facts = replace(facts, verdict=verdict, expected=expected)
        met = verdict is expected
    else:
        met = as_expected(facts) is True
    return Tested(command, files, facts, seconds, met, () if met else _why(facts))


def _why(facts: Facts) -> tuple[str, ...]:
    """Why a question is not as expected."""
    told = [f"{_place(d.span)}{d.code}: {d.message}" for d in errors_of(facts)]
    if facts.stopped:
        told.append(facts.stopped)
    if facts.expected not in (None, facts.verdict):
        told.append(f"the file expects {facts.expected.value}")
    for part in facts.parts:
        wanted = part.expected or (Verdict.PROVED if facts.expected is None else None)
        if wanted not in (None, part.verdict):
            reason = f": {part.text}" if part.text else ""
            told.append(f"{part.name} is {part.verdict.value}, expected {wanted.value}{reason}")
    return tuple(told) or ("nothing is claimed",)


def _place(span: SpanJson | None) -> str:
    return "" if span is None else f"{span.file}:{span.line}:{span.column}: "


def show_case(case: Tested, screen: Screen) -> str:
    """A line for a question, and below it why it is not as expected."""
    verdict = case.facts.verdict
    mark = Text("ok    ", GOOD) if case.met else Text("FAIL  ", BAD)
    word = verdict.value if verdict else "ERROR" if case.facts.status in (EXIT_INPUT, EXIT_INTERNAL) else "nothing"
    style = _STYLE[verdict] if verdict else BAD
    head = Text.assemble(mark, (f"{word:<8}", style), (f"  {case.seconds:6.2f} s  ", FAINT), subject(case))
    why = [Text("      ") + line for reason in case.why for line in wrap(reason, screen.width - 6)]
    # One line, so that it can be pasted.
    more = [] if case.met else [Text.assemble("      ", (f"more: {command_of(case)}", FAINT))]
    return render(screen, [head, *why, *more])


def command_of(case: Tested) -> str:
    """The command that shows the answer at length."""
    return shlex.join(("sacheck", *case.command, *case.files))


def subject(case: Tested) -> str:
    """A question in a few words: `verify a.sa`, `refine abs.sa conc.sa`."""
    first, *others = case.files
    if not others:
        return " ".join((*case.command, first))
    folder = os.path.dirname(first)
    near = [os.path.basename(o) if os.path.dirname(o) == folder else o for o in others]
    return " ".join((*case.command, first, *near))


def show_counts(cases: Sequence[Tested], without: int, seconds: float, screen: Screen) -> str:
    """The last line: how many questions were answered as expected, how many were not, what was not asked."""
    wrong = sum(not c.met for c in cases)
    parts = [(f"{len(cases) - wrong} as expected", GOOD if not wrong else "")]
    if wrong:
        parts.append((f"{wrong} not as expected", BAD))
    if without:
        parts.append((f"{_files(without)} without an expectation", FAINT))
    text = Text(", ").join(Text(words, style) for words, style in parts)
    return render(screen, [text + Text(f"  ({seconds:.1f} s)", FAINT)])


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def suite_status(cases: Sequence[Tested]) -> int:
    """0 where all is as expected, else the worst: 4 a bug, 2 wrong input, 1 another verdict, 3 no verdict."""
    return worst_status([_status(c) for c in cases])


def _status(case: Tested) -> int:
    if case.met:
        return 0
    if case.facts.status in (EXIT_INPUT, EXIT_INTERNAL):
        return case.facts.status
    unknown = EXIT_STATUS[Verdict.UNKNOWN]
    return unknown if case.facts.verdict is Verdict.UNKNOWN else EXIT_STATUS[Verdict.REFUTED]


def suite_json(cases: Sequence[Tested], without: Sequence[str], seconds: float) -> SuiteJson:
    """All questions with what became of them."""
    return SuiteJson(suite_status(cases), [_case(c) for c in cases], list(without), seconds)


def _case(case: Tested) -> CaseJson:
    facts = case.facts
    expected = facts.expected or next((p.expected for p in facts.parts if p.expected), None)
    why = list(case.why)
    command, *options = case.command
    return CaseJson(
        command, options, list(case.files), facts.verdict, expected, case.met, _status(case), why, case.seconds
    )
