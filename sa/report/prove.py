"""The outcome of `sacheck prove` for a terminal: a tree of steps, their side conditions below them.

What holds takes a line, what does not is told in full: the side condition, where, a counterexample, the source line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace
from rich.cells import cell_len
from rich.text import Text

from sa.automata.proof import Preserves, Rule
from sa.base.source import position, span_text
from sa.base.verdict import Reason, Verdict
from sa.engines.outcome import Result
from sa.report.diagnostics import marked
from sa.report.prove_leaf import LEAF, failed_leaf, headed
from sa.report.run import run_lines
from sa.report.screen import BAD, FAINT, OPEN, STRONG, Screen, fit, render, wrap
from sa.report.terminal import INDENT, STYLE, lost, paragraph, show_seconds, unbounded
from sa.scripts.result import Proof, StepResult

#: What rules are called behind the number that the paper gives them.
_RULES = {
    "Theorem 1": "parallel invariants",
    "Theorem 2": "chain of closed refinements",
    "Theorem 3": "chain of open refinements",
    "Theorem 4": "parallel refinement",
    "Theorem 5": "preservation",
    "Theorems 4 and 2": "chains in parallel",
}
_WIDEST_NAME = 40
_NARROWEST_RULE = 16
_LIMITS = {Reason.TIMEOUT, Reason.MEMORY, Reason.INTERRUPTED}
_NOT_THE_CLAIM = "a refuted side condition says that the rule does not show the claim, not that the claim is false"


def show_proof(proof: Proof, seconds: Mapping[str, float], screen: Screen, quiet: bool = False) -> str:
    """The whole report; with `quiet` only the verdict's line."""
    return render(screen, _proof(proof, seconds, screen.width, quiet))


def _proof(proof: Proof, seconds: Mapping[str, float], width: int, quiet: bool) -> Iterator[Text]:
    yield Text.assemble((proof.verdict.value, STYLE[proof.verdict]), "  ", (proof.script.source.name, STRONG))
    if proof.script.expect not in (None, proof.verdict):
        assert proof.script.expect is not None
        yield Text(f"the file expects {proof.script.expect.value}", BAD)
    if quiet:
        return
    counts = Counter(s.verdict for s in proof.steps)
    known = ", ".join(f"{counts[v]} {v.value.lower()}" for v in Verdict if counts[v])
    steps = "1 step" if len(proof.steps) == 1 else f"{len(proof.steps)} steps"
    yield from paragraph(f"{steps}, {domain(proof)}: {known}", width)
    for row, result in zip(_rows(proof.steps, width), proof.steps, strict=True):
        yield Text()
        yield from row
        yield from _step(result, proof, width)
    for step in proof.steps:
        for goal in step.results:
            if goal.play is not None:
                yield from lost(goal.play, goal, f"{_label(step)}: a play that the abstract side loses:", width)
        if step.run is not None and isinstance(step.step.claim, Preserves):
            yield Text()
            yield from paragraph(f"{_label(step)}: violated at the end of this run:", width)
            yield Text()
            program = proof.script.programs[step.step.claim.side[0][0]]
            alone = tuple(t for t in program.threads if t.name in step.run.start.threads)
            yield from run_lines(step.run, replace(program, threads=alone), width)
    if any(_only_a_condition(s) for s in proof.steps):
        yield Text()
        yield from paragraph(f"Note: {_NOT_THE_CLAIM}", width)
    yield Text()
    yield Text(INDENT + show_seconds(seconds), FAINT)


def domain(proof: Proof) -> str:
    """What the answers range over."""
    threads = (t for p in proof.script.programs.values() for t in p.threads)
    return "over ℤ" if any(unbounded(t) for t in threads) else "over the declared ranges"


def rule_of(result: StepResult) -> str:
    """The rule that was applied, or that was asked for where none was; with steps that nobody cited but `auto`."""
    if result.rule:
        found = f" of {', '.join(result.step.cited)}" if result.step.rule is Rule.AUTO and result.step.cited else ""
        return f"{result.rule}, {_RULES[result.rule]}{found}" if result.rule in _RULES else result.rule
    return "" if result.step.rule is None else f"by {result.step.rule.value}"


def claim_of(result: StepResult) -> str:
    """The claim with its rule as it is written, on one line."""
    stated = result.step.stated
    return "" if stated is None else " ".join(span_text(stated).split()).rstrip(";")


def unproved_below(result: StepResult, proof: Proof) -> tuple[tuple[str, Verdict], ...]:
    """The cited steps that are not proved, with what became of them."""
    verdicts = {s.step.name: s.verdict for s in proof.steps}
    return tuple((n, verdicts[n]) for n in dict.fromkeys(result.step.cited) if verdicts[n] is not Verdict.PROVED)


def _only_a_condition(result: StepResult) -> bool:
    refuted = result.run is not None or any(r.verdict is Verdict.REFUTED for r in result.results)
    return result.verdict is Verdict.REFUTED and not refuted


def _rows(steps: Sequence[StepResult], width: int) -> Iterator[list[Text]]:
    """For each step its name, the verdict, the time, where it stands, and by which rule."""
    labels = [_label(s) for s in steps]
    names = min(_WIDEST_NAME, max(map(cell_len, labels)), max(20, width // 2))
    seconds = [f"{s.seconds:.2f} s" for s in steps]
    lines = [_line(s) for s in steps]
    for result, label, spent, line in zip(steps, labels, seconds, lines, strict=True):
        row = Text(INDENT).append_text(fit(Text(label, STRONG), names))
        row.append("  ").append(f"{result.verdict.value:<8}", STYLE[result.verdict])
        row.append(f"  {spent:>{max(map(len, seconds))}}  {line:<{max(map(len, lines))}}  ", FAINT)
        indent = row.cell_len
        if width - indent < _NARROWEST_RULE:
            yield [row, *(Text(2 * INDENT) + t for t in wrap(rule_of(result), width - 2 * len(INDENT)))]
            continue
        first, *rest = wrap(rule_of(result), width - indent) or [Text()]
        yield [row + first, *(Text(" " * indent) + t for t in rest)]


def _label(result: StepResult) -> str:
    return f"{result.step.kind} {result.step.name}"


def _line(result: StepResult) -> str:
    span = result.step.origin.span
    return "" if span is None else f"line {position(span.source, span.start).line}"


def _step(result: StepResult, proof: Proof, width: int) -> Iterator[Text]:
    if result.step.expect not in (None, result.verdict):
        assert result.step.expect is not None
        yield Text(2 * INDENT + f"the script expects {result.step.expect.value}", BAD)
    yield from _claim(result, proof, width)
    yield from _held(result, width)
    for goal in result.results:
        if goal.verdict is not Verdict.PROVED:
            name = "there is no relation" if goal.verdict is Verdict.REFUTED else "no relation was found"
            yield from _failed(goal.verdict, name, _no_relation(goal), width)
        for note in goal.notes:
            yield from (Text(LEAF) + t for t in wrap(f"Note: {note}", width - len(LEAF)))
    for leaf in result.leaves:
        if leaf.verdict is not Verdict.PROVED:
            yield from failed_leaf(leaf, proof.script.source, width)
    below = unproved_below(result, proof)
    if below:
        names = ", ".join(f"{name} ({verdict.value})" for name, verdict in below)
        yield from (Text(LEAF) + t for t in wrap(f"rests on what is not proved: {names}", width - len(LEAF), OPEN))
    yield from (Text(LEAF) + t for t in wrap(_why(result, bool(below)), width - len(LEAF)))


def _claim(result: StepResult, proof: Proof, width: int) -> Iterator[Text]:
    """The claim on a line; of a step that fails the line of the file, with the step marked."""
    heading = result.step.heading
    stopped = result.unknown is not None and result.unknown.reason in _LIMITS
    if result.verdict is Verdict.PROVED or stopped or heading is None:
        claim = Text(2 * INDENT + claim_of(result))
        claim.truncate(width, overflow="ellipsis")
        yield claim
    else:
        yield from marked(heading, "^", STYLE[result.verdict], "", 5, proof.script.source, width)


def _held(result: StepResult, width: int) -> Iterator[Text]:
    """A line for each side condition that holds, those of one name together, and each relation that was found."""
    rows = [(_relation(r), 1, sum(r.statistics.seconds.values())) for r in result.results if r.relation is not None]
    rows += [(leaf.name, leaf.count, leaf.seconds) for leaf in result.leaves if leaf.verdict is Verdict.PROVED]
    if not rows:
        return
    counts = [f"  {count}×" if count > 1 else "" for _, count, _ in rows]
    widest = max(map(len, counts))
    names = min(max(cell_len(name) for name, _, _ in rows), width - len(LEAF) - widest - 9)
    for (name, _, seconds), count in zip(rows, counts, strict=True):
        spent = f"{seconds:.2f} s" if seconds >= 0.005 else "<0.01 s"
        yield Text(LEAF).append_text(fit(Text(name), names)).append(f"{count:>{widest}}  {spent:>7}", FAINT)


def _relation(result: Result) -> str:
    """What shows a goal that was decided directly."""
    pairs, lemmas = result.statistics.pairs, result.statistics.lemmas
    found = f"{pairs} pair{'' if pairs == 1 else 's'}, {lemmas} lemma{'' if lemmas == 1 else 's'}"
    return f"relation accepted by the checker ({found})"


def _no_relation(result: Result) -> str:
    unknown, play = result.unknown, "" if result.play is None else "the play is below"
    if unknown is None:
        return play
    detail = f": {unknown.detail}" if unknown.detail else ""
    return f"{unknown.reason.value}{detail}" + (f"; {play}" if play else "")


def _failed(verdict: Verdict, name: str, why: str, width: int) -> Iterator[Text]:
    """A goal that does not hold, or is not known to, and what is known about it."""
    yield from headed(verdict.value, name, STYLE[verdict], width)
    indent = LEAF + " " * 9
    yield from (Text(indent) + t for t in wrap(why, width - len(indent)))


def _why(result: StepResult, told: bool) -> str:
    """Why the step has no answer of its own; `told` if it is said already that it rests on what is not proved."""
    unknown = result.unknown
    if unknown is None or (told and unknown.reason is Reason.BOUND):
        return ""
    if unknown.reason is Reason.UNSUPPORTED:
        return f"the rule does not apply: {unknown.detail}"
    return f"unknown because {unknown.reason.value}" + (f": {unknown.detail}" if unknown.detail else "")
