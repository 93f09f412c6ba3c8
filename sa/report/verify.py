"""The outcome of `sacheck verify` for a terminal: verdict, claims, runs into violations, timings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from rich.cells import cell_len
from rich.text import Text

from sa.base.source import position
from sa.certificates.crowd import bads_of_copies
from sa.certificates.run import Ending, Run
from sa.engines.verification import Finding, Verification
from sa.report.diagnostics import marked
from sa.report.explain import is_internal
from sa.report.run import run_lines
from sa.report.screen import BAD, FAINT, STRONG, Screen, fit, render, wrap
from sa.report.terminal import INDENT, STYLE, paragraph, show_seconds, unbounded
from sa.terms.sort import Value, show_value
from sa.terms.term import Var

_AT = "at "
_WIDEST_NAME = 40
_NARROWEST_HOW = 16
_NOTHING = "Nothing is claimed: the program has no invariant and no guarantee, and no step of it can fail."


class Shown(Struct, frozen=True):
    """A run and the claims that it violates."""

    run: Run
    findings: tuple[Finding, ...]


def show_verification(outcome: Verification, screen: Screen, quiet: bool = False) -> str:
    """The whole report; with `quiet` only the verdict's line."""
    return render(screen, _verification(outcome, screen.width, quiet))


def _verification(outcome: Verification, width: int, quiet: bool) -> Iterator[Text]:
    name = (outcome.program.source.name, STRONG)
    if outcome.verdict is None:
        yield Text.assemble(("NOTHING CLAIMED", STRONG), "  ", name)
    else:
        yield Text.assemble((outcome.verdict.value, STYLE[outcome.verdict]), "  ", name)
    if outcome.expected not in (None, outcome.verdict):
        assert outcome.expected is not None
        yield Text(f"the file expects {outcome.expected.value}", BAD)
    if quiet:
        return
    if outcome.verdict is None:
        yield from paragraph(_NOTHING, width)
    else:
        yield from paragraph(f"Claim, {domain(outcome)}: {outcome.claim}", width)
        yield Text()
        yield from _claims(outcome.findings, width)
    for shown in runs(outcome):
        yield from _violated(shown, outcome, width)
    yield from _unknown(outcome.findings, width)
    for note in outcome.notes:
        yield Text()
        yield from paragraph(f"Note: {note}", width)
    yield Text()
    yield Text(INDENT + show_seconds(outcome.seconds), FAINT)


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


def _claims(findings: Sequence[Finding], width: int) -> Iterator[Text]:
    """One line each claim: its name, the verdict, when it was known, where it stands, and how it was settled."""
    names = min(_WIDEST_NAME, max(cell_len(f.claim.name) for f in findings), max(20, width // 2))
    seconds = [f"{f.seconds:.2f} s" for f in findings]
    lines = [_line(f) for f in findings]
    for finding, spent, line in zip(findings, seconds, lines, strict=True):
        row = Text(INDENT).append_text(fit(Text(finding.claim.name), names))
        row.append("  ").append(f"{finding.verdict.value:<8}", STYLE[finding.verdict])
        row.append(f"  {spent:>{max(map(len, seconds))}}  {line:<{max(map(len, lines))}}  ", FAINT)
        indent, first = row.cell_len, True
        if width - indent < _NARROWEST_HOW:
            yield row
            indent, first = 2 * len(INDENT), False
        for text in wrap(finding.how, width - indent, FAINT):
            yield (row if first else Text(" " * indent)) + text
            first = False
        if first:
            yield row
        if finding.claim.expect not in (None, finding.verdict):
            assert finding.claim.expect is not None
            yield Text(2 * INDENT + f"the file expects {finding.claim.expect.value}", BAD)


def _line(finding: Finding) -> str:
    span = finding.claim.origin.span
    return "" if span is None else f"line {position(span.source, span.start).line}"


def _violated(shown: Shown, outcome: Verification, width: int) -> Iterator[Text]:
    names = ", ".join(f.claim.name for f in shown.findings)
    yield Text()
    yield from paragraph(f"{names}: violated at the end of this run:", width)
    yield Text()
    yield from run_lines(shown.run, outcome.program, width)
    for finding in shown.findings:
        yield Text()
        if finding.claim.origin.span is not None:
            yield from marked(finding.claim.origin.span, "^", BAD, "", 3, outcome.program.source, width)
        values = ", ".join(violating(finding))
        if values:
            first = True
            for text in wrap(values, width - 11):
                yield Text.assemble(
                    ("    = " if first else "      ", FAINT), ("with " if first else "     ", STRONG), text
                )
                first = False


def violating(finding: Finding) -> tuple[str, ...]:
    """Where the threads are and which values the variables have that a violated claim speaks of.

    Of a step that fails, these are the variables of the condition under which it does, in the state before it.
    """
    run = finding.run
    assert run is not None
    if run.ending is Ending.VIOLATED:
        last = run.turns[-1].after if run.turns else run.start
        families = finding.claim.families
        bads = (c for b in finding.claim.bads for c in bads_of_copies(b, families, finding.counts))
        free = frozenset(v for b in bads if b.claim is not None for v in b.claim.free)
        spoken = {v.name.thread for v in free if v.name.place is not None}
        threads = [t for t in last.threads if t in spoken]
        places = tuple(f"{t} at {last.threads[t].location}" for t in threads)
        return (*places, *_values(free, last.shared))
    before = run.turns[-2].after if len(run.turns) > 1 else run.start
    failed = run.turns[-1]
    return _values(failed.move.edge.guard.free, before.threads[failed.thread].values)


def _values(free: frozenset[Var], values: Mapping[Var, Value]) -> tuple[str, ...]:
    known = sorted((v for v in free if v in values and not is_internal(v)), key=lambda v: v.key)
    return tuple(f"{v.name} = {show_value(values[v], v.sort)}" for v in known)


def _unknown(findings: Sequence[Finding], width: int) -> Iterator[Text]:
    """Why there is no answer, once for all claims that have the same reason."""
    reasons = dict[str, list[str]]()
    for finding in findings:
        if finding.unknown is not None:
            detail = f": {finding.unknown.detail}" if finding.unknown.detail else ""
            reasons.setdefault(f"{finding.unknown.reason.value}{detail}", []).append(finding.claim.name)
    for reason, names in reasons.items():
        yield Text()
        yield from paragraph(f"{', '.join(names)}: unknown because {reason}", width)
