"""The weakest environment of a pair of threads as a document: by location, as one rely, and what it keeps away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import assert_never

from msgspec.structs import replace

from sa.automata.automaton import Automaton, location_of
from sa.automata.program import Program
from sa.base.caveat import Said
from sa.base.source import position
from sa.base.verdict import Verdict
from sa.engines.outcome import Proposal
from sa.report.document import (
    Block,
    Document,
    Item,
    Line,
    Paragraph,
    Section,
    Tone,
    Words,
    because,
    said_beside,
    verdict_words,
)
from sa.report.refine import lost, preservation_sections, proposed, seconds_section
from sa.terms import build
from sa.terms.printer import show
from sa.terms.sort import BOOL, INT
from sa.terms.substitute import called, primed, substitute
from sa.terms.term import Term, Var
from sa.weakest.clauses import Clause
from sa.weakest.infer import Environment, Uniform, Weakest
from sa.weakest.needed import Needed

#: Said where no environment and no relation helps.
NO_RELATION = (
    Paragraph(
        "No rely helps: what has to change is the relation, or the program. A short search found no relation between "
        "the variables with which this step has an answer."
    ),
)

NOTHING_SAID = Said()

#: So many clauses by location are shown where details are not asked for.
MOST = 5
#: So much of a statement is shown.
_WIDEST = 40


def weakest_document(
    found: Weakest,
    text: str,
    seconds: float,
    proposal: Proposal | None = None,
    details: bool = False,
    said: Said = NOTHING_SAID,
) -> Document:
    """The answer in about ten lines; with `details` all clauses, what goes wrong without each of them, and the program.

    `text` is the concrete program that declares the environment; a `proposal` is a relation that helps where none does.
    What the answer assumes is `said`.
    """
    sections = list(said_beside(said))
    if found.unknown is not None:
        sections.append((Paragraph(f"No environment was found because {because(found.unknown)}"),))
    if found.hopeless is not None and found.hopeless.play is not None:
        head = "The abstract side cannot answer even without interference:"
        sections.extend(lost(found.hopeless.play, found.hopeless, head))
        sections.extend(proposed(proposal, used=False) if proposal is not None else (NO_RELATION,))
    if found.preserved is not None and found.preserved.run is not None and found.program is not None:
        sections.extend(preservation_sections(found.preserved, found.program))
    if found.environment is not None:
        sections.extend(_environment(found, found.environment, details))
        if details:
            sections.extend(_details(found, found.environment, text))
    sections.append(seconds_section({"find": seconds}))
    return Document(verdict_words(found.verdict), _headline(found), None, tuple(sections))


def _headline(found: Weakest) -> str:
    names = f"{found.thread.name} refines {found.abstract.name}"
    if found.preserved is not None:
        names += " and preserves termination"
    match found.verdict:
        case Verdict.PROVED:
            if found.environment is not None and found.environment.maximal:
                return f"{names} in the weakest environment below"
            return f"{names} in the environment below, perhaps not the weakest"
        case Verdict.REFUTED:
            return f"{names} in no environment"
        case Verdict.UNKNOWN:
            return names


def _environment(found: Weakest, environment: Environment, details: bool) -> Iterator[Section]:
    if not environment.concrete and not environment.abstract:
        yield (Paragraph("Others may do anything: `rely true;`"),)
        return
    if found.uniform is not None:
        yield tuple(_rely(found, found.uniform))
    if found.uniform is None or environment.maximal or environment.finer:
        yield tuple(_by_location(found, environment, details))
    if not details:
        yield (Paragraph("`--why` shows what goes wrong without each clause, and the program with this environment."),)


def _by_location(found: Weakest, environment: Environment, details: bool) -> Iterator[Block]:
    yield Paragraph("While the thread is at these locations, other threads may take any step that satisfies:")
    left = None if details else MOST
    for automaton, clauses, side in (
        (found.thread, environment.concrete, "concrete"),
        (found.abstract, environment.abstract, "abstract"),
    ):
        shown = clauses if left is None else clauses[:left]
        yield from _clauses(automaton, shown, side)
        left = None if left is None else left - len(shown)
        if len(shown) < len(clauses):
            more = f"… and {len(clauses) - len(shown)} more of the {side} thread"
            yield Line((Words(more, Tone.FAINT),), indent=4)


def _clauses(automaton: Automaton, clauses: Sequence[Needed], side: str) -> Iterator[Block]:
    """A line for each location, or more where there are several clauses."""
    places = dict[str, list[Needed]]()
    for needed in clauses:
        places.setdefault(needed.place, []).append(needed)
    for place, those in places.items():
        mark = (Words(f"{side} {place_text(automaton, place)}  ", Tone.PLACE),)
        yield Item(mark, "; ".join(_said(needed, automaton) for needed in those), indent=4)


def _details(found: Weakest, environment: Environment, text: str) -> Iterator[Section]:
    """What goes wrong without each clause, and the program with the environment."""
    program = environment.programs[1]
    for automaton, clauses in ((found.thread, environment.concrete), (found.abstract, environment.abstract)):
        yield from _plays(clauses, automaton, program)
    if found.uniform is not None and not environment.maximal:
        yield from _plays((*found.uniform.concrete, *found.uniform.abstract), None, program)
    yield (Paragraph("The concrete program with this environment:"),)
    yield tuple(Line((Words(line),), indent=4) for line in text.splitlines())


def place_text(automaton: Automaton, name: str) -> str:
    """A location by what stands there."""
    origin = location_of(automaton, name).origin
    if origin.span is None:
        return name
    line = position(origin.span.source, origin.span.start).line
    return f"line {line}, `{_begun(origin.text)}`" if origin.text else f"line {line}"


def _begun(statement: str) -> str:
    """A statement as far as it is needed to find it."""
    return statement if len(statement) <= _WIDEST else f"{statement[:_WIDEST]}…"


def _said(needed: Needed, automaton: Automaton) -> str:
    """A clause, and whether it is known to be needed."""
    match None if needed.without is None else needed.without.verdict:
        case Verdict.REFUTED:
            return clause_text(_with_shown_names(needed.clause, automaton))
        case None | Verdict.UNKNOWN | Verdict.PROVED:
            return f"{clause_text(_with_shown_names(needed.clause, automaton))}   (possibly redundant)"
        case _ as verdict:
            assert_never(verdict)


def _with_shown_names(clause: Clause, automaton: Automaton) -> Clause:
    """The clause with variables by the names that a program in another language has for them."""
    names = dict[Var, Term]()
    told = Counter(v.shown.name for v in automaton.variables if v.shown is not None)
    for v in automaton.variables:
        # What has words for its values, such as a lock, is compared with a number here.
        if v.shown is not None and not v.shown.values and told[v.shown.name] == 1:
            named = called(v.var, v.shown.name)
            names |= {v.var: named, primed(v.var): primed(named)}
    return Clause(tuple(substitute(w, names) for w in clause.when), substitute(clause.kept, names))


def clause_text(clause: Clause) -> str:
    """A clause as it is written in a rely."""
    same = (v for v in clause.kept.free if not v.primes and clause.kept is build.eq(primed(v), v))
    kept = next((f"unchanged {v.name}" for v in same), show(clause.kept))
    return f"{show(build.land(*clause.when))} ==> {kept}" if clause.when else kept


def _rely(found: Weakest, uniform: Uniform) -> Iterator[Block]:
    yield Paragraph("One rely for the whole thread is enough:")
    both = bool(uniform.abstract)
    for automaton, clauses, side in (
        (found.thread, uniform.concrete, "concrete"),
        (found.abstract, uniform.abstract, "abstract"),
    ):
        mark = (Words(f"{side} {automaton.name}  ", Tone.PLACE),) if both else ()
        for needed in clauses:
            clause = _with_shown_names(needed.clause, automaton)
            words = _in_words(clause)
            said = f"   ({words})" if words else ""
            yield Item(mark, f"rely {clause_text(clause)};{said}", indent=4)
        if not clauses and both:
            yield Item(mark, "rely true;", indent=4)


def _plays(clauses: Sequence[Needed], automaton: Automaton | None, program: Program) -> Iterator[Section]:
    """For each excluded class of steps what it would allow; without an automaton the clauses stand for all places."""
    for needed in clauses:
        where = "" if automaton is None else f" at {place_text(automaton, needed.place)}"
        head = f"Without `{clause_text(needed.clause)}`{where}:"
        without = needed.without
        if without is not None and without.play is not None:
            yield from lost(without.play, without, head)
        elif without is not None and without.preservation is not None:
            yield (Paragraph(head),)
            shown = replace(program, threads=without.preservation.threads, open=True)
            yield from preservation_sections(without.preservation, shown)


def _in_words(clause: Clause) -> str:
    """What others may not do, for those clauses that say it of one variable; else nothing."""
    for v in (v for v in clause.kept.free if not v.primes):
        after = primed(v)
        if not clause.when and clause.kept is build.eq(after, v):
            return f"others do not change {v.name}"
        if not clause.when and v.sort == INT and clause.kept in (build.le(after, v), build.le(v, after)):
            return f"others do not {'raise' if clause.kept is build.le(after, v) else 'lower'} {v.name}"
    for v in (v for w in clause.when for v in w.free if v.sort == BOOL):
        for before, kept, value in ((build.lnot(v), build.lnot(primed(v)), "true"), (v, primed(v), "false")):
            if clause.when == (before,) and clause.kept is kept:
                return f"others do not make {v.name} {value}"
    return ""
