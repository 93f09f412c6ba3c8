"""The outcome of `sacheck refine` for a terminal: verdict, goals, evidence, timings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rich.cells import cell_len
from rich.text import Text

from sa.automata.automaton import Automaton
from sa.base.verdict import Unknown, Verdict
from sa.certificates.goal import Goal
from sa.certificates.play import Play
from sa.engines.outcome import Outcome, Result, Statistics
from sa.report.screen import BAD, FAINT, GOOD, OPEN, STRONG, Screen, render, wrap
from sa.terms.build import conjuncts, eq
from sa.terms.printer import show
from sa.terms.sort import INT
from sa.terms.substitute import primed
from sa.terms.term import Term

#: How verdicts look, and how far the text below the first line stands from the margin.
STYLE = {Verdict.PROVED: GOOD, Verdict.REFUTED: BAD, Verdict.UNKNOWN: OPEN}
INDENT = "  "


def show_outcome(outcome: Outcome, screen: Screen, quiet: bool = False) -> str:
    """The whole report; with `quiet` only the verdict's line."""
    return render(screen, _outcome(outcome, screen.width, quiet))


def show_stopped(unknown: Unknown, name: str, screen: Screen, quiet: bool = False) -> str:
    """A question that was stopped before there was an outcome; with `quiet` only the verdict's line."""
    detail = f": {unknown.detail}" if unknown.detail else ""
    head = Text.assemble((Verdict.UNKNOWN.value, OPEN), "  ", (name, STRONG))
    why = [] if quiet else paragraph(f"No answer because {unknown.reason.value}{detail}", screen.width)
    return render(screen, [head, *why])


def _outcome(outcome: Outcome, width: int, quiet: bool) -> Iterator[Text]:
    yield Text.assemble((outcome.verdict.value, STYLE[outcome.verdict]), "  ", (outcome.name, STRONG))
    if outcome.expected not in (None, outcome.verdict):
        assert outcome.expected is not None
        yield Text(f"the file expects {outcome.expected.value}", BAD)
    if quiet:
        return
    domains = {domain(r.goal) for r in outcome.results}
    over = f", {domains.pop()}" if len(domains) == 1 else ""
    yield from paragraph(f"Claim{over}: {outcome.claim}", width)
    yield Text()
    yield from _goals(outcome.results, width)
    for result in outcome.results:
        yield from _evidence(result, width)
    yield from _inferred(outcome, width)
    for note in outcome.notes:
        yield Text()
        yield from paragraph(f"Note: {note}", width)
    yield Text()
    yield Text(INDENT + show_seconds(outcome.seconds), FAINT)


def _goals(results: tuple[Result, ...], width: int) -> Iterator[Text]:
    """One aligned line each goal: its name, what it ranges over if they differ, the verdict, as much work as fits."""
    names = max((cell_len(r.goal.name) for r in results), default=0)
    differ = len({domain(r.goal) for r in results}) > 1
    domains = [f"  {domain(r.goal)}" if differ else "" for r in results]
    widest = max(map(cell_len, domains), default=0)
    work = _aligned([_work(r.statistics) for r in results], width - names - widest - 12)
    for result, claim, figures in zip(results, domains, work, strict=True):
        name = result.goal.name + " " * (names - cell_len(result.goal.name))
        verdict = (f"{result.verdict.value:<8}", STYLE[result.verdict])
        yield Text.assemble(INDENT, name, claim + " " * (widest - cell_len(claim)), "  ", verdict, figures)


def domain(goal: Goal) -> str:
    """What the answer to a goal ranges over."""
    anywhere = any(unbounded(automaton) for automaton in (goal.concrete, goal.abstract))
    return "over ℤ" if anywhere else "over the declared ranges"


def unbounded(automaton: Automaton) -> bool:
    """Whether some variable ranges over all integers."""
    return any(v.var.sort == INT and (v.low is None or v.high is None) for v in automaton.variables)


def _work(statistics: Statistics) -> list[tuple[str, str]]:
    """Each figure as a number and its unit, the most useful first."""
    seconds = (f"{sum(statistics.seconds.values()):.2f}", "s")
    counts = ((statistics.pairs, "pair"), (statistics.lemmas, "lemma"), (statistics.solver_calls, "solver call"))
    return [seconds, *((str(n), word if n == 1 else word + "s") for n, word in counts)]


def _aligned(rows: list[list[tuple[str, str]]], width: int) -> list[Text]:
    """The rows with numbers under numbers and units under units, as many columns as fit."""
    lines = [""] * len(rows)
    for column in zip(*rows, strict=True):
        number, unit = (max(map(len, cells)) for cells in zip(*column, strict=True))
        longer = [f"{line}  {n:>{number}} {u:<{unit}}" for line, (n, u) in zip(lines, column, strict=True)]
        if max(len(line.rstrip()) for line in longer) > width:
            break
        lines = longer
    return [Text(line.rstrip(), FAINT) for line in lines]


def _evidence(result: Result, width: int) -> Iterator[Text]:
    if result.unknown is not None:
        detail = f": {result.unknown.detail}" if result.unknown.detail else ""
        yield Text()
        yield from paragraph(f"{result.goal.name}: unknown because {result.unknown.reason.value}{detail}", width)
    if result.play is not None:
        yield from lost(result.play, result, f"{result.goal.name} fails. A play that the abstract side loses:", width)
    for note in result.notes:
        yield from paragraph(f"Note: {note}", width)


def lost(play: Play, result: Result, head: str, width: int) -> Iterator[Text]:
    """A goal's play below a line that says what it is, and whether the behaviour escapes."""
    from sa.report.play import show_play

    yield Text()
    yield from paragraph(head, width)
    yield Text()
    yield from show_play(play, result.goal, width)
    yield from _escape(result.escapes, width)


def _inferred(outcome: Outcome, width: int) -> Iterator[Text]:
    """What the threads' environments were found to be, those of one thread under each other."""
    if not outcome.inferred:
        return
    yield Text()
    yield from paragraph("Environments inferred from the other threads:", width)
    names = max(cell_len(i.thread) for i in outcome.inferred)
    for inferred in outcome.inferred:
        same = inferred.concrete is inferred.abstract
        sides = {"both": inferred.concrete} if same else {"concrete": inferred.concrete, "abstract": inferred.abstract}
        for side, relation in sides.items():
            head = f"{inferred.thread if side != 'abstract' else '':<{names}}  {side:<8}  "
            lines = wrap(relation_text(relation), width - 2 * len(INDENT) - len(head))
            for number, line in enumerate(lines):
                yield Text(2 * INDENT + (head if number == 0 else " " * len(head))) + line


def relation_text(relation: Term) -> str:
    """An environment relation as a rely is written: what does not change first."""
    parts = conjuncts(relation)
    still = [c for c in parts if _is_unchanged(c)]
    names = [next(v.name for v in c.free if not v.primes) for c in still]
    words = [f"unchanged {', '.join(names)}"] if names else []
    return "; ".join([*words, *(show(c) for c in parts if c not in still)]) or "anything"


def _is_unchanged(formula: Term) -> bool:
    return any(formula is eq(primed(v), v) for v in formula.free if not v.primes)


def _escape(escapes: bool | None, width: int) -> Iterable[Text]:
    if escapes:
        text = "And this behaviour escapes: no abstract run matches it."
        return (Text(), *(Text(INDENT) + line for line in wrap(text, width - len(INDENT), BAD)))
    if escapes is False:
        text = "An abstract run with the same visible actions exists, but no answer is right whatever comes next."
        return (Text(), *paragraph(text, width))
    return ()


def paragraph(text: str, width: int) -> Iterator[Text]:
    """Indented prose."""
    yield from (Text(INDENT) + line for line in wrap(text, width - len(INDENT)))


def show_seconds(seconds: Mapping[str, float]) -> str:
    """Time in total and by phase."""
    phases = ", ".join(f"{phase} {spent:.2f}" for phase, spent in seconds.items())
    return f"{sum(seconds.values()):.2f} s ({phases})" if phases else ""
