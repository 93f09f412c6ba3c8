"""`sacheck batch`: what became of each unit, as a line of JSON; all of them as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum

from msgspec import DecodeError, Struct
from msgspec.json import decode, encode
from msgspec.structs import replace

from sa.base.diagnostic import Diagnostic
from sa.base.verdict import EXIT_INPUT, EXIT_INTERNAL, EXIT_STATUS, Reason, Verdict, worst_status
from sa.report.facts import Facts, errors_of, facts_of, read_document
from sa.report.json import diagnostics_json
from sa.report.screen import BAD, FAINT, GOOD, OPEN, Screen, render
from sa.report.text import Text


class Kind(Enum):
    """What became of a unit."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    UNDECIDED = "undecided"
    NOT_ACCEPTED = "not accepted"
    NO_ANSWER = "no answer"


class Asked(Struct, frozen=True):
    """A unit: its key and name, the file that it is about, the command that asks it."""

    key: str
    name: str
    subject: str
    command: tuple[str, ...]


class UnitJson(Struct, frozen=True, tag_field="format", tag="sacheck-unit/1"):
    """A unit of a batch: its key and name, its command, what became of it and why, the seconds, and all facts."""

    key: str
    name: str
    command: tuple[str, ...]
    kind: Kind
    why: str
    seconds: float
    facts: Facts


class BatchJson(Struct, frozen=True, tag_field="format", tag="sacheck-batch/1"):
    """`sacheck batch`: how many units there are of each kind, and of each reason; and those that are incorrect."""

    status: int
    units: int
    kinds: dict[str, int]
    why: dict[str, dict[str, int]]
    incorrect: list[str]
    seconds: float


_STYLE = {
    Kind.CORRECT: GOOD,
    Kind.INCORRECT: BAD,
    Kind.UNDECIDED: OPEN,
    Kind.NOT_ACCEPTED: FAINT,
    Kind.NO_ANSWER: BAD,
}

_STATUS = {
    Kind.CORRECT: 0,
    Kind.INCORRECT: EXIT_STATUS[Verdict.REFUTED],
    Kind.UNDECIDED: EXIT_STATUS[Verdict.UNKNOWN],
    Kind.NOT_ACCEPTED: EXIT_STATUS[Verdict.UNKNOWN],
    Kind.NO_ANSWER: EXIT_INTERNAL,
}


#: Why there is no answer where that is no matter of the unit.
_ENDED = (Reason.INTERRUPTED.value, Reason.CRASHED.value)


def unit_json(asked: Asked, out: str, err: str, seconds: float, files: Mapping[str, str]) -> UnitJson:
    """What became of a unit whose command wrote `out`. `files` are the user's names of the files that it read."""
    document = read_document(out)
    if document is None:
        last = (err.strip().splitlines() or ["it ended without an answer"])[-1]
        facts = Facts(asked.subject, None, None, EXIT_INTERNAL, (), stopped=last)
        return _unit(asked, Kind.NO_ANSWER, last, seconds, facts)
    facts = _renamed(replace(facts_of(document, asked.subject), subject=asked.subject), files)
    return _unit(asked, *_kind(facts), seconds, facts)


def not_accepted(subject: str, diagnostics: Iterable[Diagnostic]) -> UnitJson:
    """What is to be said of files that give no units."""
    asked = Asked("", subject, subject, ())
    facts = facts_of(diagnostics_json(diagnostics, EXIT_INPUT), subject)
    return _unit(asked, *_kind(facts), 0.0, facts)


def _unit(asked: Asked, kind: Kind, why: str, seconds: float, facts: Facts) -> UnitJson:
    return UnitJson(asked.key, asked.name, asked.command, kind, why, seconds, facts)


def _kind(facts: Facts) -> tuple[Kind, str]:
    """What a command's document amounts to, and why."""
    errors = errors_of(facts)
    if facts.status == EXIT_INTERNAL:
        return Kind.NO_ANSWER, facts.stopped
    if facts.verdict is None and errors:
        return Kind.NOT_ACCEPTED, f"{errors[0].code} {errors[0].message}"
    match facts.verdict:
        case Verdict.PROVED:
            return Kind.CORRECT, ""
        case Verdict.REFUTED:
            return Kind.INCORRECT, next((p.text for p in facts.parts if p.verdict is Verdict.REFUTED), "")
        case Verdict.UNKNOWN:
            open_parts = (p.text for p in facts.parts if p.verdict is Verdict.UNKNOWN)
            return Kind.UNDECIDED, facts.stopped or next(open_parts, "")
        case None:
            return Kind.NOT_ACCEPTED, "nothing is claimed"


def _renamed(facts: Facts, files: Mapping[str, str]) -> Facts:
    """The facts with the user's names of files."""
    if all(name == own for name, own in files.items()):
        return facts
    text = encode(facts).decode()
    for name, own in files.items():
        text = text.replace(f'"file":{encode(name).decode()}', f'"file":{encode(own).decode()}')
    return decode(text, type=Facts)


def line_of(unit: UnitJson) -> str:
    """A line of the file of results."""
    return encode(unit).decode() + "\n"


def read_lines(text: str) -> Iterator[UnitJson]:
    """The units that a file of results has. What is no whole line of it, as after a kill, is left out."""
    for line in text.splitlines(keepends=True):
        if line.endswith("\n"):
            try:
                yield decode(line, type=UnitJson)
            except DecodeError:
                continue


def show_unit(unit: UnitJson, screen: Screen) -> str:
    """A line for a unit, and why it is not correct."""
    head = Text.assemble((f"{unit.kind.value:<13}", _STYLE[unit.kind]), (f"{unit.seconds:6.2f} s  ", FAINT), unit.name)
    why = [Text.assemble("             ", (_short(unit.why, screen.width - 14), FAINT))] if unit.why else []
    return render(screen, [head, *why])


def show_progress(done: int, all_: int, found: Mapping[Kind, int]) -> str:
    """A line that takes the place of the one before."""
    told = ", ".join(f"{found[kind]} {kind.value}" for kind in Kind if found.get(kind))
    return f"\r\x1b[K{done}/{all_}  {told}"


def show_table(units: Sequence[UnitJson], seconds: float, screen: Screen) -> str:
    """How many units there are of each kind, and why those that have no answer have none, the most frequent first."""
    counts = Counter(unit.kind for unit in units)
    lines = list[Text]()
    for kind in Kind:
        if counts[kind] or kind in (Kind.CORRECT, Kind.INCORRECT):
            lines.append(Text.assemble((f"{counts[kind]:>7} {kind.value}", _STYLE[kind] if counts[kind] else "")))
        if kind not in (Kind.CORRECT, Kind.INCORRECT):
            reasons = Counter(reason(u) for u in units if u.kind is kind)
            for text, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
                lines.append(Text.assemble((f"{count:>15}  {_short(text, screen.width - 17)}", FAINT)))
    lines.append(Text.assemble((f"{len(units):>7} in all  ({seconds:.1f} s)", FAINT)))
    return render(screen, lines)


def reason(unit: UnitJson) -> str:
    """Why a unit has no answer, in words that units have in common: without names."""
    if unit.kind is not Kind.UNDECIDED:
        return unit.why
    reasons = (r.name.lower() for r in Reason)
    return next((word for word in unit.why.split(": ") if word in reasons), unit.why)


def _short(text: str, width: int) -> str:
    line = text.partition("\n")[0]
    return line if len(line) <= width else line[: max(1, width - 1)] + "…"


def batch_json(units: Sequence[UnitJson], seconds: float) -> BatchJson:
    """All units in numbers."""
    kinds, why = Counter(u.kind.value for u in units), dict[str, Counter[str]]()
    for unit in units:
        if unit.kind not in (Kind.CORRECT, Kind.INCORRECT):
            why.setdefault(unit.kind.value, Counter())[reason(unit)] += 1
    incorrect = [u.name for u in units if u.kind is Kind.INCORRECT]
    told = {kind: dict(found) for kind, found in why.items()}
    return BatchJson(batch_status(units), len(units), dict(kinds), told, incorrect, seconds)


def batch_status(units: Iterable[UnitJson]) -> int:
    """0 where all units are correct, else the worst: 4 a bug, 1 incorrect, 3 undecided or not accepted."""
    return worst_status([_STATUS[unit.kind] for unit in units])


def is_final(unit: UnitJson) -> bool:
    """Whether a unit need not be asked again: a process that was ended from outside, or a bug, is no answer."""
    return unit.kind is not Kind.NO_ANSWER and not unit.why.startswith(_ENDED)
