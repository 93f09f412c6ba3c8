"""The outcome of `sacheck prove` as a document: a tree of steps, their side conditions below them.

What holds takes a line, what does not is told in full: the side condition, where, a counterexample, the source line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from sa.automata.proof import Preserves, Rule
from sa.base.source import span_text
from sa.base.verdict import Reason, Verdict
from sa.engines.outcome import Result
from sa.report import document
from sa.report.help import what_may_help_steps
from sa.report.prove_leaf import BELOW, LEAF, failed_leaf, headed
from sa.report.refine import lost, seconds_section, unbounded
from sa.report.tried import tried_of_step
from sa.report.verify import STEP_COLUMNS
from sa.report.violated import line_of
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
_LIMITS = {Reason.TIMEOUT, Reason.MEMORY, Reason.INTERRUPTED}
_NOT_THE_CLAIM = "a refuted side condition says that the rule does not show the claim, not that the claim is false"


def proof_document(proof: Proof, seconds: Mapping[str, float], why: bool = True) -> document.Document:
    """The whole answer to a script; what was tried of steps without an answer only if `why` is wanted."""
    counts = Counter(s.verdict for s in proof.steps)
    known = ", ".join(f"{counts[v]} {v.value.lower()}" for v in Verdict if counts[v])
    steps = "1 step" if len(proof.steps) == 1 else f"{len(proof.steps)} steps"
    table = document.Table(STEP_COLUMNS, tuple(_row(s, proof) for s in proof.steps), apart=True)
    sections: list[document.Section] = [(document.Paragraph(f"{steps}, {domain(proof)}: {known}"), table)]
    for step in proof.steps:
        sections.extend(_evidence(step, proof))
    sections.extend(_unknown(proof, why))
    if any(_only_a_condition(s) for s in proof.steps):
        sections.append((document.Paragraph(f"Note: {_NOT_THE_CLAIM}"),))
    sections.append(seconds_section(seconds))
    wrong = document.unexpected(proof.script.expect, proof.verdict)
    return document.Document(document.verdict_words(proof.verdict), proof.script.source.name, wrong, tuple(sections))


def _evidence(result: StepResult, proof: Proof) -> Iterator[document.Section]:
    """Plays and runs that refute a step."""
    for goal in result.results:
        if goal.play is not None:
            yield from lost(goal.play, goal, f"{_label(result)}: a play that the abstract side cannot answer:")
    if result.run is not None and isinstance(result.step.claim, Preserves):
        yield (document.Paragraph(f"{_label(result)}: violated at the end of this run:"),)
        program = proof.script.programs[result.step.claim.side[0][0]]
        alone = tuple(t for t in program.threads if t.name in result.run.start.threads)
        yield (document.RunTrace(result.run, replace(program, threads=alone)),)


def _unknown(proof: Proof, why: bool) -> Iterator[document.Section]:
    """What was tried of steps without an answer, and what may help."""
    open_ = [s for s in proof.steps if s.verdict is Verdict.UNKNOWN]
    for step in open_ if why else ():
        yield from tried_of_step(step)
    if (advice := what_may_help_steps(open_, why)) is not None:
        yield (document.Paragraph(advice),)


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


def _row(result: StepResult, proof: Proof) -> document.Row:
    """Of a step its name, the verdict, the time, where it stands, and by which rule; below it what was found."""
    cells = (
        document.Words(_label(result), document.Tone.STRONG),
        document.verdict_words(result.verdict),
        document.Words(f"{result.seconds:.2f} s", document.Tone.FAINT),
        document.Words(line_of(result.step.origin), document.Tone.FAINT),
        document.Words(rule_of(result)),
    )
    return document.Row(cells, tuple(_step(result, proof)))


def _label(result: StepResult) -> str:
    return f"{result.step.kind} {result.step.name}"


def _step(result: StepResult, proof: Proof) -> Iterator[document.Block]:
    wrong = document.unexpected(result.step.expect, result.verdict, "the script")
    if wrong is not None:
        yield document.Line((document.Words(wrong, document.Tone.BAD),), indent=4)
    yield _claim(result, proof)
    yield from _held(result)
    for goal in result.results:
        if goal.verdict is not Verdict.PROVED:
            name = "there is no relation" if goal.verdict is Verdict.REFUTED else "no relation was found"
            yield headed(goal.verdict, name)
            yield document.Paragraph(_no_relation(goal), indent=BELOW)
        yield from (document.Paragraph(f"Note: {note}", indent=LEAF) for note in goal.notes)
    for leaf in result.leaves:
        if leaf.verdict is not Verdict.PROVED:
            yield from failed_leaf(leaf, proof.script.source)
    below = unproved_below(result, proof)
    if below:
        names = ", ".join(f"{name} ({verdict.value})" for name, verdict in below)
        yield document.Paragraph(f"depends on steps that are not proved: {names}", document.Tone.OPEN, LEAF)
    yield document.Paragraph(_why(result, bool(below)), indent=LEAF)


def _claim(result: StepResult, proof: Proof) -> document.Block:
    """The claim on a line; of a step that fails the line of the file, with the step marked."""
    heading = result.step.heading
    stopped = result.unknown is not None and result.unknown.reason in _LIMITS
    if result.verdict is Verdict.PROVED or stopped or heading is None:
        return document.Line((document.Words(claim_of(result)),), indent=4, cut=True)
    return document.Excerpt(heading, document.TONE[result.verdict], "", proof.script.source, gutter=5)


def _held(result: StepResult) -> Iterator[document.Block]:
    """A row for each side condition that holds, those of one name together, and each relation that was found."""
    rows = [(_relation(r), 1, sum(r.statistics.seconds.values())) for r in result.results if r.relation is not None]
    rows += [(leaf.name, leaf.count, leaf.seconds) for leaf in result.leaves if leaf.verdict is Verdict.PROVED]
    several = any(count > 1 for _, count, _ in rows)
    held = list[document.Row]()
    for name, count, seconds in rows:
        spent = f"{seconds:.2f} s" if seconds >= 0.005 else "<0.01 s"
        counted = (document.Words(f"{count}×" if count > 1 else "", document.Tone.FAINT),) if several else ()
        held.append(document.Row((document.Words(name), *counted, document.Words(spent, document.Tone.FAINT))))
    counts = (document.Column(right=True),) if several else ()
    yield document.Table(
        (document.Column(document.Fit.SHRINK), *counts, document.Column(right=True, least=7)), tuple(held), indent=LEAF
    )


def _relation(result: Result) -> str:
    """What shows a goal that was decided directly."""
    pairs, lemmas = result.statistics.pairs, result.statistics.lemmas
    counts = ((pairs, "pair"), (lemmas, "lemma"))
    found = ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts if n)
    return f"relation accepted by the checker ({found})"


def _no_relation(result: Result) -> str:
    unknown, play = result.unknown, "" if result.play is None else "the play is below"
    return "; ".join(part for part in (document.because(unknown) if unknown else "", play) if part)


def _why(result: StepResult, told: bool) -> str:
    """Why the step has no answer of its own; `told` if it is said already that it rests on what is not proved."""
    unknown = result.unknown
    if unknown is None or (told and unknown.reason is Reason.BOUND):
        return ""
    if unknown.reason is Reason.UNSUPPORTED:
        return f"the rule does not apply: {unknown.detail}"
    return f"unknown because {document.because(unknown)}"
