"""The weakest environment of a pair of threads as a document: by location, as one rely, and what it keeps away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from sa.automata.automaton import Automaton, location_of
from sa.base.source import position
from sa.base.verdict import Verdict
from sa.report.document import Block, Document, Item, Line, Paragraph, Section, Tone, Words, because, verdict_words
from sa.report.refine import lost, seconds_section
from sa.terms import build
from sa.terms.printer import show
from sa.terms.substitute import primed
from sa.weakest.clauses import Clause
from sa.weakest.infer import Environment, Uniform, Weakest
from sa.weakest.needed import Needed

#: Of an environment with more clauses only so many are shown; the program has them all.
MOST = 12


def weakest_document(found: Weakest, text: str, seconds: float) -> Document:
    """The whole answer; `text` is the concrete program that declares the environment."""
    sections = list[Section]()
    if found.unknown is not None:
        sections.append((Paragraph(f"No environment was found because {because(found.unknown)}"),))
    if found.hopeless is not None and found.hopeless.play is not None:
        sections.extend(
            lost(found.hopeless.play, found.hopeless, "The abstract side cannot answer even without interference:")
        )
    if found.environment is not None:
        sections.extend(_environment(found, found.environment, text))
    sections.append(seconds_section({"find": seconds}))
    return Document(verdict_words(found.verdict), _headline(found), None, tuple(sections))


def _headline(found: Weakest) -> str:
    names = f"{found.thread.name} refines {found.abstract.name}"
    match found.verdict:
        case Verdict.PROVED:
            if found.environment is not None and found.environment.maximal:
                return f"{names} in the weakest environment below"
            return f"{names} in the environment below, perhaps not the weakest"
        case Verdict.REFUTED:
            return f"{names} in no environment"
        case Verdict.UNKNOWN:
            return names


def _environment(found: Weakest, environment: Environment, text: str) -> Iterator[Section]:
    sides = ((found.thread, environment.concrete, "concrete"), (found.abstract, environment.abstract, "abstract"))
    if not environment.concrete and not environment.abstract:
        yield (Paragraph("Others may do anything: `rely true;`"),)
        return
    blocks = [b for automaton, clauses, side in sides for b in _clauses(automaton, clauses, side)]
    yield (
        Paragraph("While the thread is at these locations, other threads may take any step that satisfies:"),
        *blocks,
    )
    if found.uniform is not None:
        yield tuple(_rely(found, found.uniform))
    for automaton, clauses, _ in sides:
        yield from _plays(automaton, clauses)
    yield (Paragraph("The concrete program with this environment:"),)
    yield tuple(Line((Words(line),), indent=4) for line in text.splitlines())


def _clauses(automaton: Automaton, clauses: Sequence[Needed], side: str) -> Iterator[Block]:
    for number, needed in enumerate(clauses[:MOST]):
        if number == 0 or clauses[number - 1].place != needed.place:
            yield Line((Words(f"{side} {place_text(automaton, needed.place)}", Tone.PLACE),), indent=4)
        yield Paragraph(_said(needed), indent=6)
    if len(clauses) > MOST:
        yield Line((Words(f"… and {len(clauses) - MOST} more", Tone.FAINT),), indent=4)


def place_text(automaton: Automaton, name: str) -> str:
    """A location by what stands there."""
    origin = location_of(automaton, name).origin
    if origin.span is None:
        return name
    line = position(origin.span.source, origin.span.start).line
    return f"{name}, line {line}, `{origin.text}`" if origin.text else f"{name}, line {line}"


def _said(needed: Needed) -> str:
    """A clause, and whether it is known to be needed."""
    match None if needed.without is None else needed.without.verdict:
        case Verdict.REFUTED:
            return clause_text(needed.clause)
        case None:
            return f"{clause_text(needed.clause)}   (possibly redundant)"
        case Verdict.UNKNOWN | Verdict.PROVED:
            return f"{clause_text(needed.clause)}   (possibly redundant)"
        case _ as verdict:
            assert_never(verdict)


def clause_text(clause: Clause) -> str:
    """A clause as it is written in a rely."""
    if clause.when:
        return f"{show(build.land(*clause.when))} ==> {show(clause.kept)}"
    same = (v for v in clause.kept.free if not v.primes and clause.kept is build.eq(primed(v), v))
    return next((f"unchanged {v.name}" for v in same), show(clause.kept))


def _rely(found: Weakest, uniform: Uniform) -> Iterator[Block]:
    yield Paragraph("One rely for the whole thread:")
    for automaton, clauses, side in (
        (found.thread, uniform.concrete, "concrete"),
        (found.abstract, uniform.abstract, "abstract"),
    ):
        mark = (Words(f"{side} {automaton.name}  ", Tone.PLACE),)
        for needed in clauses:
            yield Item(mark, f"rely {clause_text(needed.clause)};", indent=4)
        if not clauses:
            yield Item(mark, "rely true;", indent=4)


def _plays(automaton: Automaton, clauses: Sequence[Needed]) -> Iterator[Section]:
    """For each excluded class of steps what it would allow."""
    for needed in clauses:
        if needed.without is not None and needed.without.play is not None:
            head = f"Without `{clause_text(needed.clause)}` at {place_text(automaton, needed.place)}:"
            yield from lost(needed.without.play, needed.without, head)
