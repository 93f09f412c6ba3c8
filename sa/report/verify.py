"""The outcome of `sacheck verify` as a document: verdict, claims, runs into violations, timings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from posixpath import basename

from msgspec import Struct

from sa.automata.automaton import Fault, Origin
from sa.automata.program import Program, one_of
from sa.base.source import position
from sa.base.verdict import Verdict
from sa.certificates.families import bads_of_copies
from sa.certificates.run import Ending, Run
from sa.engines.verification import Finding, Verification
from sa.report.document import (
    Block,
    Column,
    Document,
    Excerpt,
    Fit,
    Item,
    Line,
    Paragraph,
    Row,
    RunTrace,
    Section,
    Table,
    Tone,
    Words,
    because,
    said_beside,
    unexpected,
    verdict_words,
    without_runs,
)
from sa.report.ends import reasons_told
from sa.report.explain import is_internal
from sa.report.help import what_may_help_claims
from sa.report.obstacles import left_open
from sa.report.race import race_told
from sa.report.refine import seconds_section, unbounded
from sa.report.render_values import told, values_told, whole_of
from sa.report.run import fault_text
from sa.report.tried import tried_of_claims
from sa.report.waiting import waiting
from sa.terms.sort import Value
from sa.terms.term import Var

_NOTHING = "Nothing is claimed: the program has no invariant and no guarantee, and no step of it can fail."

#: The columns of steps of a proof: name, verdict, seconds, place, and how it was settled; claims have a thread as well.
STEP_COLUMNS = (Column(Fit.NAME), Column(least=8), Column(right=True), Column(), Column(Fit.REST))
_CLAIM_COLUMNS = (
    Column(Fit.NAME),
    Column(),
    Column(Fit.NAME, most=24),
    Column(least=8),
    Column(Fit.REST),
)

#: What goes wrong because of values, which the first line then has.
_OF_VALUES = frozenset({Fault.RANGE, Fault.INDEX, Fault.DIVISION, Fault.OVERFLOW})

#: So many threads with the same claim are named.
_THREADS_NAMED = 3


class Shown(Struct, frozen=True):
    """A run and the claims that it violates."""

    run: Run
    findings: tuple[Finding, ...]


def verification_document(outcome: Verification, why: bool = True, details: bool = False) -> Document:
    """The whole answer about a program's claims; what was tried of those without an answer only if `why` is wanted, and
    what the translation made up only with `details`.
    """
    name = outcome.program.source.name
    wrong = unexpected(outcome.expected, outcome.verdict)
    seconds = seconds_section(outcome.seconds)
    if outcome.verdict is None:
        return Document(Words("NOTHING CLAIMED", Tone.STRONG), name, wrong, ((Paragraph(_NOTHING),), seconds))
    empty = without_runs(outcome.verdict, outcome.warnings)
    sections: list[Section] = [
        (Paragraph(f"Claim, {domain(outcome)}: {outcome.claim}"),),
        *said_beside(outcome.said),
        *empty,
        (_claims(outcome.findings),),
    ]
    told = set[tuple[object, ...]]()
    for shown in runs(outcome):
        about = {_row(f) for f in shown.findings}
        # What is claimed of several threads alike is one row, and has one run.
        if not about <= told:
            sections.extend(_violated(shown, outcome, details))
            told |= about
    sections.extend(_ended(outcome.findings))
    sections.extend(_unknown(outcome.findings))
    sections.extend(_left_open(outcome))
    if why:
        sections.extend(tried_of_claims(outcome))
    if (help_ := what_may_help_claims(outcome, why)) is not None:
        sections.append((Paragraph(help_),))
    sections.extend((Paragraph(f"Note: {note}"),) for note in notes_of(outcome))
    return Document(verdict_words(outcome.verdict), name, wrong, (*sections, seconds))


def notes_of(outcome: Verification) -> Iterator[str]:
    """What is noted beside the answer."""
    yield from outcome.notes
    if outcome.beside is not None:
        program = outcome.beside.program
        told = (race_told(f, program) for f in outcome.beside.findings if f.verdict is Verdict.REFUTED)
        if (race := next((t for t in told if t is not None), None)) is not None:
            yield f"{race}. C leaves such a program undefined; ask with `--races`"


def domain(outcome: Verification) -> str:
    """What the answers range over."""
    automata = (*outcome.program.threads, *(f.thread for f in outcome.program.families))
    return "over ℤ" if any(unbounded(t) for t in automata) else "over the declared ranges"


def runs(outcome: Verification) -> tuple[Shown, ...]:
    """The runs into violations, each once, in the order of the claims."""
    found = list[Shown]()
    for finding in outcome.findings:
        if finding.run is not None:
            same = next((i for i, s in enumerate(found) if s.run == finding.run), None)
            if same is None:
                found.append(Shown(finding.run, (finding,)))
            else:
                found[same] = Shown(finding.run, (*found[same].findings, finding))
    return tuple(found)


def _claims(findings: Sequence[Finding]) -> Table:
    """A row each claim; what is claimed of several threads alike, with one answer, is one row."""
    rows = dict[tuple[object, ...], list[Finding]]()
    reasons = {f.unknown for f in findings if f.unknown is not None}
    for finding in findings:
        rows.setdefault((*_row(finding), finding.verdict, finding.unknown), []).append(finding)
    return Table(_CLAIM_COLUMNS, tuple(_claim(found, len(reasons) > 1) for found in rows.values()))


def _row(finding: Finding) -> tuple[object, ...]:
    """What claims in one row have in common."""
    claim = finding.claim
    return (claim.what, claim.origin.span, claim.expect)


def _claim(found: Sequence[Finding], why: bool) -> Row:
    """What is claimed, where, of whom, the verdict, and how it was settled or `why` it was not."""
    finding = found[0]
    # Of what is violated by several threads the first run is shown.
    told = found[:1] if finding.verdict is Verdict.REFUTED else found
    how = "; ".join(dict.fromkeys(f.how for f in told))
    if why and finding.unknown is not None:
        how = because(finding.unknown)
    cells = (
        Words(finding.claim.what),
        Words(place_of(finding.claim.origin), Tone.FAINT),
        Words(_threads([f.claim.thread for f in found]), Tone.FAINT),
        verdict_words(finding.verdict),
        Words(how, Tone.FAINT),
    )
    wrong = unexpected(finding.claim.expect, finding.verdict)
    return Row(cells, () if wrong is None else (Line((Words(wrong, Tone.BAD),), indent=4),))


def _threads(names: Sequence[str | None]) -> str:
    """The threads of a row, not more than a few of them by name."""
    known = list(dict.fromkeys(n for n in names if n is not None))
    more = len(known) - _THREADS_NAMED
    return ", ".join(known) if more <= 1 else f"{', '.join(known[:_THREADS_NAMED])} and {more} more"


def place_of(origin: Origin) -> str:
    """Where something stands: `lock.c:12`."""
    span = origin.span
    return "" if span is None else f"{basename(span.source.name)}:{position(span.source, span.start).line}"


def line_of(origin: Origin) -> str:
    """Where something stands in its file."""
    span = origin.span
    return "" if span is None else f"line {position(span.source, span.start).line}"


def _violated(shown: Shown, outcome: Verification, details: bool) -> Iterator[Section]:
    names = ", ".join(f.claim.name for f in shown.findings)
    goes_on = any(f.ended is not None for f in shown.findings)
    program = one_of(outcome.program, shown.findings[0].claim.beside)
    reasons = dict.fromkeys(reason_of_run(f, program) for f in shown.findings)
    head = Paragraph(f"{names}: violated {'by' if goes_on else 'at the end of'} this run:")
    yield (head, *(Paragraph(f"{reason}.", Tone.BAD) for reason in reasons))
    yield (RunTrace(shown.run, program, details),)
    for finding in shown.findings:
        blocks = list[Block]()
        if finding.claim.origin.span is not None:
            blocks.append(Excerpt(finding.claim.origin.span, Tone.BAD, "", outcome.program.source))
        values = ", ".join(violating(finding, program))
        if (race := race_told(finding, program)) is not None:
            blocks.append(Item((Words("= ", Tone.FAINT),), race, indent=4))
        elif values:
            blocks.append(Item((Words("= ", Tone.FAINT), Words("with ", Tone.STRONG)), values, indent=4))
        blocks.extend(Item((Words("= ", Tone.FAINT),), said, indent=4) for said in reasons_told(finding))
        yield tuple(blocks)


def reason_of_run(finding: Finding, program: Program) -> str:
    """What goes wrong at the end of a run, in one sentence."""
    run = finding.run
    assert run is not None
    if finding.ended is not None:
        return _goes_on(run, run.cycle) if run.cycle is not None else _stuck(finding, run)
    if (race := race_told(finding, program)) is not None:
        return race
    values = ", ".join(violating(finding, program))
    shown = f" with {values}" if values else ""
    last = run.turns[-1] if run.turns else None
    if Fault.DEADLOCK in finding.claim.faults:
        first, *others = waiting(finding.claim.threads, (last.after if last else run.start)) or ("no thread",)
        return f"Deadlock: {', '.join((first, *(w.replace(' waits at ', ' at ', 1) for w in others)))}"
    if last is None:
        return f"{finding.claim.what} is false at the start{shown}"
    where = f"{last.thread} at {place_of(last.move.edge.origin)}"
    failure = last.move.edge.failure
    if run.ending is Ending.VIOLATED or failure is None:
        return f"{finding.claim.what} is false after the step of {where}{shown}"
    statement = " ".join(failure.what.split()).removesuffix(";")
    if failure.fault is Fault.ASSERTION:
        return f"{where}: `{statement}` is false{shown}"
    return f"{where}: {fault_text(failure)} in `{statement}`{shown if failure.fault in _OF_VALUES else ''}"


def _stuck(finding: Finding, run: Run) -> str:
    """Where the threads wait in a run that cannot go on."""
    waits = waiting(finding.claim.threads, run.turns[-1].after if run.turns else run.start)
    return ": ".join(["No thread can take a step", *([", ".join(waits)] if waits else [])])


def _goes_on(run: Run, cycle: int) -> str:
    """What a run repeats for ever: the threads, and their lines."""
    lines = dict[str, set[int]]()
    for turn in run.turns[cycle:]:
        span = turn.move.edge.origin.span
        lines.setdefault(turn.thread, set()).update([] if span is None else [position(span.source, span.start).line])
    if not all(lines.values()):
        return f"{' and '.join(lines)} can go on for ever"
    first, *others = (f"{_lines(found)}" for found in lines.values())
    names = list(lines)
    told = [f"{names[0]} can repeat {first}", *(f"{n} {at}" for n, at in zip(names[1:], others, strict=True))]
    return f"{' and '.join(told)} for ever"


def _lines(found: set[int]) -> str:
    first, last = min(found), max(found)
    return f"line {first}" if first == last else f"lines {first} to {last}"


def violating(finding: Finding, program: Program) -> tuple[str, ...]:
    """Where the threads are and which values the variables have that a violated claim speaks of.

    Of a step that fails, these are the variables of the condition under which it does, in the state before it. Of a
    data race it is told what races.
    """
    run = finding.run
    assert run is not None
    if finding.ended is not None:
        return ()
    if (race := race_told(finding, program)) is not None:
        return (race,)
    if run.ending is Ending.VIOLATED:
        last = run.turns[-1].after if run.turns else run.start
        families = finding.claim.families
        bads = (c for b in finding.claim.bads for c in bads_of_copies(b, families, finding.counts))
        free = frozenset(v for b in bads if b.claim is not None for v in b.claim.free)
        spoken = {v.name.thread for v in free if v.name.place is not None}
        threads = [t for t in last.threads if t in spoken]
        places = tuple(f"{t} at {last.threads[t].location}" for t in threads)
        if Fault.DEADLOCK in finding.claim.faults:
            places = waiting(finding.claim.threads, last)
        return (*places, *_values(free, last.shared, None, program))
    before = run.turns[-2].after if len(run.turns) > 1 else run.start
    failed = run.turns[-1]
    return _values(failed.move.edge.guard.free, before.threads[failed.thread].values, failed.thread, program)


def _values(free: frozenset[Var], values: Mapping[Var, Value], thread: str | None, program: Program) -> tuple[str, ...]:
    how = told(program)
    # A part of a sequence is told as the whole.
    wholes = {w for v in free if (w := whole_of(v, thread, how)) is not None}
    parts = {v for w in wholes for v in (*w.elements, w.length)}
    known = sorted((v for v in free | parts if v in values and not is_internal(v)), key=lambda v: v.key)
    return tuple(f"{name} = {value}" for name, value in values_told({v: values[v] for v in known}, thread, how))


def _left_open(outcome: Verification) -> Iterator[Section]:
    """What stands in the way of claims without an answer."""
    for finding, lines in left_open(outcome):
        head = Line(
            (Words("Not shown: "), Words(finding.claim.what), Words(f"  {place_of(finding.claim.origin)}", Tone.FAINT))
        )
        yield (head, *(Line((Words(line),), indent=2) for line in lines))


def _ended(findings: Sequence[Finding]) -> Iterator[Section]:
    """Why what is claimed of infinite runs is so."""
    for finding in findings:
        if finding.verdict is Verdict.PROVED and (told := reasons_told(finding)):
            yield (Paragraph(f"{finding.claim.name}: {'; '.join(told)}."),)


def _unknown(findings: Sequence[Finding]) -> Iterator[Section]:
    """Why there is no answer, where it is the same for all claims without one; otherwise the rows say it."""
    reasons = dict.fromkeys(because(f.unknown) for f in findings if f.unknown is not None)
    if len(reasons) == 1:
        yield (Paragraph(f"UNKNOWN because {next(iter(reasons))}"),)
