"""The outcome of `sacheck verify` as a document: verdict, claims, runs into violations, timings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from sa.automata.automaton import Fault
from sa.automata.program import one_of
from sa.base.verdict import Reason, Verdict
from sa.certificates.run import Run
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
from sa.report.help import what_may_help_claims
from sa.report.obstacles import obstacles_of
from sa.report.race import race_told
from sa.report.refine import seconds_section, unbounded
from sa.report.tried import tried_of_claims
from sa.report.violated import number_of, place_of, reason_of_run, violating
from sa.report.waiting import waiting

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

#: How a claim about a data race begins.
_NO_RACE = "no data race on "

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
    rows = [f for f in outcome.findings if why or not _left(f, outcome)]
    sections: list[Section] = [
        (Paragraph(f"Claim, {domain(outcome)}: {outcome.claim}"),),
        *said_beside(outcome.said),
        *empty,
        (_claims(rows, why),),
        *_evidence(outcome.findings, why),
    ]
    if not why:
        sections.extend(_not_decided(outcome))
    told = set[tuple[object, ...]]()
    for shown in runs(outcome):
        about = {_row(f) for f in shown.findings}
        # What is claimed of several threads alike is one row, and has one run.
        if not about <= told:
            sections.extend(_violated(shown, outcome, details))
            told |= about
    sections.extend(_ended(outcome.findings))
    sections.extend(_unknown([f for f in outcome.findings if not _left(f, outcome)]))
    if why or outcome.verdict is not Verdict.REFUTED:
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


def _left(finding: Finding, outcome: Verification) -> bool:
    """Whether a claim was left aside because another one was refuted: more work is all that it needs to be asked."""
    open_ = finding.unknown is not None and finding.unknown.reason is Reason.WORK
    return open_ and outcome.verdict is Verdict.REFUTED


def _not_decided(outcome: Verification) -> Iterator[Section]:
    """The claims that were left aside: how many, and at which lines."""
    left = [f for f in outcome.findings if _left(f, outcome)]
    if left:
        lines = sorted({n for f in left if (n := number_of(f.claim.origin)) is not None})
        where = ", ".join(str(n) for n in lines)
        places = f", at {'line' if len(lines) == 1 else 'lines'} {where}" if lines else ""
        count = f"{len(left)} {'claim' if len(left) == 1 else 'claims'}"
        yield (Paragraph(f"Not decided: {count}{places}. `--why` lists {'it' if len(left) == 1 else 'them'}"),)


def _claims(findings: Sequence[Finding], why: bool) -> Table:
    """A row each claim; what is claimed of several threads alike, with one answer, is one row."""
    rows = dict[tuple[object, ...], list[Finding]]()
    reasons = {f.unknown for f in findings if f.unknown is not None}
    for finding in findings:
        rows.setdefault((*_row(finding), finding.verdict, finding.unknown), []).append(finding)
    races = dict[tuple[object, ...], list[Finding]]()
    for key, found in rows.items():
        one = found[0]
        threads = tuple(f.claim.thread for f in found)
        is_race = one.claim.faults == (Fault.RACE,) and one.verdict is not Verdict.REFUTED
        races.setdefault((*key[1:], threads, one.how) if is_race else key, []).extend(found)
    return Table(_CLAIM_COLUMNS, tuple(_claim(found, len(reasons) > 1, why) for found in races.values()))


def _called(found: Sequence[Finding]) -> str:
    """What the claims of a row say: of races on several locations the locations, those of one object together.

    Objects of one allocation are told apart by numbers, which say nothing where the answer is the same.
    """
    said = list(dict.fromkeys(f.claim.what for f in found))
    if len(said) == 1:
        return said[0]
    objects = dict[str, dict[str, None]]()
    for what in said:
        name, dot, part = re.sub(r"#\d+", "", what.removeprefix(_NO_RACE)).partition(".")
        objects.setdefault(name, {})[dot + part] = None
    return _NO_RACE + ", ".join(f"{name}{', '.join(parts)}" for name, parts in objects.items())


def _evidence(findings: Sequence[Finding], why: bool) -> Iterator[Section]:
    """How the claims were proved, once for all of them; each row says it if `why` is asked."""
    proofs = Counter(f.how for f in findings if f.verdict is Verdict.PROVED and f.how)
    if why or not proofs:
        return
    parts = [how if len(proofs) == 1 else f"{how} ({count})" for how, count in proofs.most_common()]
    yield (Paragraph(f"Evidence: {'; '.join(parts)}", Tone.FAINT),)


def _row(finding: Finding) -> tuple[object, ...]:
    """What claims in one row have in common."""
    claim = finding.claim
    return (claim.what, claim.origin.span, claim.expect)


def _claim(found: Sequence[Finding], differ: bool, why: bool) -> Row:
    """What is claimed, where, of whom, the verdict, and how it was settled; why it was not where reasons `differ`."""
    finding = found[0]
    # Of what is violated by several threads the first run is shown.
    told = found[:1] if finding.verdict is Verdict.REFUTED else found
    how = "; ".join(dict.fromkeys(f.how for f in told)) if why else _length(finding)
    if differ and finding.unknown is not None:
        how = because(finding.unknown)
    cells = (
        Words(_called(found)),
        Words(place_of(finding.claim.origin), Tone.FAINT),
        Words(_threads([f.claim.thread for f in found]), Tone.FAINT),
        verdict_words(finding.verdict),
        Words(how, Tone.FAINT),
    )
    wrong = unexpected(finding.claim.expect, finding.verdict)
    return Row(cells, () if wrong is None else (Line((Words(wrong, Tone.BAD),), indent=4),))


def _length(finding: Finding) -> str:
    """How long the run is into what is violated."""
    if finding.run is None:
        return ""
    steps = len(finding.run.turns)
    return f"{steps} {'step' if steps == 1 else 'steps'}"


def _threads(names: Sequence[str | None]) -> str:
    """The threads of a row, not more than a few of them by name."""
    known = list(dict.fromkeys(n for n in names if n is not None))
    more = len(known) - _THREADS_NAMED
    return ", ".join(known) if more <= 1 else f"{', '.join(known[:_THREADS_NAMED])} and {more} more"


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
        # Who waits where stands above the run, and no line is to blame for it.
        waits = _waiting(finding)
        if finding.claim.origin.span is not None and not waits:
            blocks.append(Excerpt(finding.claim.origin.span, Tone.BAD, "", outcome.program.source))
        values = ", ".join(v for v in violating(finding, program) if v not in waits)
        if (race := race_told(finding, program)) is not None:
            blocks.append(Item((Words("= ", Tone.FAINT),), race, indent=4))
        elif values:
            blocks.append(Item((Words("= ", Tone.FAINT), Words("with ", Tone.STRONG)), values, indent=4))
        blocks.extend(Item((Words("= ", Tone.FAINT),), said, indent=4) for said in reasons_told(finding))
        yield tuple(blocks)


def _waiting(finding: Finding) -> tuple[str, ...]:
    """Who waits where at the end of a run into a deadlock."""
    run = finding.run
    if run is None or Fault.DEADLOCK not in finding.claim.faults:
        return ()
    return waiting(finding.claim.threads, run.turns[-1].after if run.turns else run.start)


def _left_open(outcome: Verification) -> Iterator[Section]:
    """What stands in the way of claims without an answer."""
    for finding, lines in obstacles_of(outcome):
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
