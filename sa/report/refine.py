"""The outcome of `sacheck refine` as a document: verdict, goals, evidence, timings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import assert_never

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Variable
from sa.automata.program import Program
from sa.base.verdict import Unknown, Verdict
from sa.certificates.goal import Goal
from sa.certificates.interpreted import goal_of, plain_play
from sa.certificates.play import (
    BrokenAtStart,
    Chosen,
    Interpreted,
    Loss,
    PlainPlay,
    Play,
    Position,
    Uncovered,
)
from sa.certificates.preservation import Kept
from sa.engines.outcome import Outcome, Preservation, Proposal, Result, Statistics
from sa.report.document import (
    Block,
    Column,
    Document,
    Fit,
    Line,
    Paragraph,
    PlayTrace,
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
from sa.report.explain import formula_told, wording, written
from sa.report.formulas import Whole, legible, measuring, wholes_of
from sa.report.reason import reason_of_play
from sa.report.story import broken_in, story
from sa.terms.build import conjuncts, eq
from sa.terms.meaning import in_words
from sa.terms.name import Name, whole
from sa.terms.printer import plain_name, show
from sa.terms.sort import INT, ArraySort
from sa.terms.substitute import primed, unsided
from sa.terms.term import Term, Var

#: How many formulas a sentence names.
FORMULAS = 4


def refinement_document(outcome: Outcome, why: bool = True, details: bool = False) -> Document:
    """The whole answer to a question; what was tried where there is none only if `why` is wanted, and what the
    translation made up only with `details`.
    """
    domains = {domain(r.goal) for r in outcome.results}
    over = f", {domains.pop()}" if len(domains) == 1 else ""
    empty = without_runs(outcome.verdict, outcome.warnings)
    claim = Paragraph(f"Claim{over}: {outcome.claim}")
    sections: list[Section] = [(claim,), *said_beside(outcome.said), *empty, (_goals(outcome),)]
    if outcome.preservation is not None and outcome.concrete is not None:
        sections.extend(preservation_sections(outcome.preservation, outcome.concrete))
    for result in outcome.results:
        sections.extend(_evidence(result, outcome.escape is not None, outcome.proposal is not None, details))
        sections[-1] = (*sections[-1], *(Paragraph(f"Note: {note}") for note in result.notes))
    if outcome.verdict is Verdict.UNKNOWN:
        sections.extend(_open(outcome, why))
    if outcome.escape is not None and outcome.escape.play is not None:
        head = "The abstract program does not have this visible behaviour, whatever is related:"
        sections.extend(lost(outcome.escape.play, outcome.escape, head, details=details))
    if outcome.proposal is not None:
        sections.extend(proposed(outcome.proposal, outcome.verdict is Verdict.PROVED))
    if outcome.inferred:
        sections.append(tuple(_inferred(outcome)))
    sections.extend((Paragraph(f"Note: {note}"),) for note in outcome.notes)
    sections.append(seconds_section(outcome.seconds))
    wrong = unexpected(outcome.expected, outcome.verdict)
    return Document(verdict_words(outcome.verdict), outcome.name, wrong, tuple(sections))


def preservation_sections(found: Preservation, concrete: Program) -> Iterator[Section]:
    """What became of what is to be preserved, with the run of the concrete program that shows that it is not."""
    what = found.kept.value
    if found.run is None:
        said = found.how if found.unknown is None else f"unknown because {because(found.unknown)}"
        yield (Paragraph(f"{what} is preserved: {said}" if found.unknown is None else f"{what}: {said}"),)
        return
    head = {
        Kept.TERMINATION: "The concrete program can go on for ever as follows; each abstract run that shows the same "
        "actions ends, or shows another one:",
        Kept.PROGRESS: "The concrete program can get stuck as follows, and no abstract run with the same visible "
        "actions is stuck or at its end:",
    }
    yield (Paragraph(f"{what} is not preserved. {head[found.kept]}"),)
    yield (RunTrace(found.run, concrete),)


def _open(outcome: Outcome, why: bool) -> Iterator[Section]:
    """What was tried, and what may help."""
    # Neither is loaded where there is an answer.
    from sa.report.help import what_may_help
    from sa.report.tried import tried_of_goals

    if why:
        yield from tried_of_goals(outcome)
    advice = what_may_help(outcome, why)
    if advice is not None:
        yield (Paragraph(advice),)


def stopped_document(unknown: Unknown, name: str) -> Document:
    """A question that was stopped before there was an outcome."""
    from sa.report.help import with_limits

    sections: list[Section] = [(Paragraph(f"No answer because {because(unknown)}"),)]
    sections.extend((Paragraph(f"What may help: {way}"),) for way in with_limits([unknown]))
    return Document(verdict_words(Verdict.UNKNOWN), name, None, tuple(sections))


def _goals(outcome: Outcome) -> Table:
    """A row each goal: its name, what it ranges over if they differ, the verdict, as much work as fits.

    One more row is about what is preserved: the rows of the goals are about visible actions alone then.
    """
    results, preserved = outcome.results, outcome.preservation
    differ = len({domain(r.goal) for r in results}) > 1
    over = (Column(),) if differ else ()
    figures = (Column(Fit.IF_IT_FITS, right=True), Column(Fit.IF_IT_FITS, gap=1)) * len(_FIGURES)
    rows = tuple(
        Row(
            (
                Words(r.goal.name if preserved is None else f"{r.goal.name}: visible actions"),
                *((Words(domain(r.goal)),) if differ else ()),
                verdict_words(r.verdict),
                *(Words(text, Tone.FAINT) for text in _work(r.statistics)),
            )
        )
        for r in results
    )
    if preserved is not None:
        spent = (f"{outcome.seconds.get('preserve', 0.0):.2f}", "s", *[""] * (len(figures) - 2))
        verdict = verdict_words(preserved.verdict)
        faint = (Words(text, Tone.FAINT) for text in spent)
        rows += (Row((Words(preserved.kept.value), *(Words("") for _ in over), verdict, *faint)),)
    return Table((Column(), *over, Column(least=8), *figures), rows)


def domain(goal: Goal) -> str:
    """What the answer to a goal ranges over."""
    anywhere = any(unbounded(automaton) for automaton in (goal.concrete, goal.abstract))
    return "over ℤ" if anywhere else "over the declared ranges"


def unbounded(automaton: Automaton) -> bool:
    """Whether some variable ranges over all integers, as its values or its indices."""
    return any(
        isinstance(v.var.sort, ArraySort) or (v.var.sort == INT and (v.low is None or v.high is None))
        for v in automaton.variables
    )


_FIGURES = ("seconds", "pairs", "lemmas", "solver calls")


def _work(statistics: Statistics) -> Iterator[str]:
    """Each figure as a number and its unit, the most useful first."""
    yield from (f"{sum(statistics.seconds.values()):.2f}", "s")
    for number, unit in (
        (statistics.pairs, "pair"),
        (statistics.lemmas, "lemma"),
        (statistics.solver_calls, "solver call"),
    ):
        yield from (str(number), unit if number == 1 else unit + "s")


def _evidence(result: Result, escapes: bool, follows: bool, details: bool) -> Iterator[Section]:
    """A goal without a proof; what `escapes`, `follows` and `details` mean is said in `lost`."""
    if result.unknown is not None:
        yield (Paragraph(f"{result.goal.name}: unknown because {because(result.unknown)}"),)
    if result.play is not None:
        head = f"{result.goal.name} fails. A play that the abstract side cannot answer:"
        yield from lost(result.play, result, head, escapes, follows, details)


def lost(
    play: Play, result: Result, head: str, escapes: bool = False, follows: bool = False, details: bool = True
) -> Iterator[Section]:
    """A goal's play below a line that says what it is, and whether the behaviour escapes.

    `escapes` says that another play, in which one does, comes next; `follows` that another relation, with which the
    answer is PROVED, does. With `details` the play has variables that the translation made up.
    """
    plain, goal = plain_play(play), goal_of(play, result.goal)
    yield (Paragraph(head), Paragraph(f"{_sentence(reason_of_play(plain, goal))}.", Tone.BAD))
    if isinstance(play, Interpreted):
        yield (Paragraph(f"In this play, {'; '.join(in_words(play.meaning))}."),)
    yield (PlayTrace(story(plain, goal, details), goal, details),)
    match result.loss:
        case None if follows:
            yield (Paragraph("Not simulated step by step with this relation; no visible difference is known."),)
        case None if result.goal.closed:
            start = "" if isinstance(plain, Uncovered) else "Not simulated step by step. "
            yield (Paragraph(f"{start}Whether some abstract run has these visible actions is not known."),)
        case None:
            pass
        case Loss.BEHAVIOUR:
            yield (Paragraph("No abstract run has these visible actions.", Tone.BAD),)
        case Loss.RELATION if escapes:
            yield (Paragraph("In this play only the relation fails; the next one shows a visible difference."),)
        case Loss.RELATION:
            text = "Only the relation fails: an abstract run with the same visible actions exists, but none "
            yield (Paragraph(text + _kept(plain, goal, details)),)
        case Loss.FORESIGHT:
            text = "Not simulated step by step: an abstract run with the same visible actions exists, but no "
            text += "answer is right for every continuation."
            yield (Paragraph(text),)
        case _ as never:
            assert_never(never)


def _sentence(text: str) -> str:
    """With a capital letter where the first word is no name."""
    first = text.partition(" ")[0]
    return text[0].upper() + text[1:] if first in ("after", "no", "the") else text


def _kept(play: PlainPlay, goal: Goal, details: bool) -> str:
    """What no abstract run does, if only the relation fails."""
    match play:
        case Uncovered():
            return "starts in a state that is related to this one."
        case BrokenAtStart():
            return "that starts in these states keeps the relation."
        case Position() | Chosen():
            words, formulas = wording(goal, details), [f.term for f in broken_in(play)]
            names = [] if details else list(dict.fromkeys(written(f, words) or "" for f in formulas))
            if names and all(names):
                return f"writes {', '.join(f'`{n}`' for n in names[:FORMULAS])}."
            broken = list(dict.fromkeys(formula_told(f, words) for f in formulas))
            more = f" and {len(broken) - FORMULAS} more" if len(broken) > FORMULAS else ""
            return f"keeps {', '.join(broken[:FORMULAS])}{more} to the end." if broken else "keeps the relation."
        case _:
            assert_never(play)


def proposed(proposal: Proposal, used: bool) -> Iterator[Section]:
    """The block of an inferred relation, and what the claim then means."""
    head = "The relation was inferred. This block says it:" if used else "With this block the answer is PROVED:"
    yield (Paragraph(head),)
    yield tuple(Line((Words(line, Tone.PLACE),)) for line in proposal.block.splitlines())
    holds = "holds" if len(proposal.given_up) == 1 else "hold"
    lost = f" It no longer says that {' and '.join(proposal.given_up)} always {holds}." if proposal.given_up else ""
    yield (Paragraph(f"The claim is then: {proposal.claim}.{lost}"),)


def _inferred(outcome: Outcome) -> Iterable[Block]:
    """What the threads' environments were found to be, those of one thread under each other."""
    yield Paragraph("Environments inferred from the other threads:")
    rows = list[Row]()
    own = {unsided(v.var): v for r in outcome.results for v in (*r.goal.concrete.variables, *r.goal.abstract.variables)}
    variables = [replace(v, var=var) for var, v in own.items()]
    for inferred in outcome.inferred:
        same = inferred.concrete is inferred.abstract
        sides = {"both": inferred.concrete} if same else {"concrete": inferred.concrete, "abstract": inferred.abstract}
        for side, relation in sides.items():
            name = inferred.thread if side != "abstract" else ""
            rows.append(Row((Words(name), Words(side), Words(relation_text(relation, variables)))))
    yield Table((Column(), Column(least=8), Column(Fit.REST)), tuple(rows), indent=4)


def relation_text(relation: Term, variables: Sequence[Variable]) -> str:
    """An environment relation as a rely is written: what does not change first, arrays and sequences as wholes."""
    wholes, parts = wholes_of(variables), conjuncts(relation)
    still = [c for c in parts if _is_unchanged(c)]
    kept = [next(v for v in c.free if not v.primes) for c in still]
    groups = dict[Name, set[Var]]()
    for variable in variables:
        groups.setdefault(_group(variable.var, wholes), set()).add(variable.var)
    named = {v: _group(v, wholes) for v in kept}
    name = measuring(plain_name, wholes)
    names = dict.fromkeys(g if groups.get(g, {v}) <= named.keys() else name(v) for v, g in named.items())
    words = [f"unchanged {', '.join(names)}"] if names else []
    return legible("; ".join([*words, *(show(c, name) for c in parts if c not in still)])) or "anything"


def _group(var: Var, wholes: Mapping[Var, Whole]) -> Name:
    """The array or the sequence that a variable is part of, or the variable itself."""
    return wholes[var].var.name if var in wholes else whole(var.name)


def _is_unchanged(formula: Term) -> bool:
    return any(formula is eq(primed(v), v) for v in formula.free if not v.primes)


def seconds_section(seconds: Mapping[str, float]) -> Section:
    """Time in total and by phase."""
    phases = ", ".join(f"{phase} {spent:.2f}" for phase, spent in seconds.items())
    return (Line((Words(f"{sum(seconds.values()):.2f} s ({phases})" if phases else "", Tone.FAINT),)),)
