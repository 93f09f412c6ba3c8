"""The weakest environment of a pair of threads for a terminal: by location, as one rely, and what it keeps away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from sa.automata.automaton import Automaton, location_of
from sa.base.source import position
from sa.base.verdict import Verdict
from sa.report.screen import FAINT, PLACE, STRONG, Screen, render, wrap
from sa.report.terminal import INDENT, STYLE, lost, paragraph
from sa.terms import build
from sa.terms.printer import show
from sa.terms.substitute import primed
from sa.weakest.clauses import Clause
from sa.weakest.infer import Weakest
from sa.weakest.needed import Needed

#: Of an environment with more clauses only so many are shown; the programs have them all.
MOST = 12


def show_weakest(found: Weakest, text: str, seconds: float, screen: Screen, quiet: bool = False) -> str:
    """The whole report, `text` being the concrete program that declares the environment; `quiet`: the first line."""
    return render(screen, _weakest(found, text, seconds, screen.width, quiet))


def clause_text(clause: Clause) -> str:
    """A clause as it is written in a rely."""
    if clause.when:
        return f"{show(build.land(*clause.when))} ==> {show(clause.kept)}"
    same = (v for v in clause.kept.free if not v.primes and clause.kept is build.eq(primed(v), v))
    return next((f"unchanged {v.name}" for v in same), show(clause.kept))


def place_text(automaton: Automaton, name: str) -> str:
    """A location by what stands there."""
    origin = location_of(automaton, name).origin
    if origin.span is None:
        return name
    line = position(origin.span.source, origin.span.start).line
    return f"{name}, line {line}, `{origin.text}`" if origin.text else f"{name}, line {line}"


def _weakest(found: Weakest, text: str, seconds: float, width: int, quiet: bool) -> Iterator[Text]:
    yield Text.assemble((found.verdict.value, STYLE[found.verdict]), "  ", (headline(found), STRONG))
    if quiet:
        return
    if found.unknown is not None:
        detail = f": {found.unknown.detail}" if found.unknown.detail else ""
        yield from paragraph(f"No environment was found because {found.unknown.reason.value}{detail}", width)
    if found.hopeless is not None and found.hopeless.play is not None:
        yield from lost(
            found.hopeless.play, found.hopeless, "The abstract side loses although nobody interferes:", width
        )
    if found.environment is not None:
        yield from _environment(found, text, width)
    yield Text()
    yield Text(f"{INDENT}{seconds:.2f} s", FAINT)


def headline(found: Weakest) -> str:
    """What was found, in a line."""
    names = f"{found.thread.name} refines {found.abstract.name}"
    match found.verdict:
        case Verdict.PROVED:
            sort = (
                "in the weakest environment below"
                if found.environment and found.environment.maximal
                else ("in the environment below, which need not be the weakest")
            )
            return f"{names} {sort}"
        case Verdict.REFUTED:
            return f"{names} in no environment"
        case Verdict.UNKNOWN:
            return names


def _environment(found: Weakest, text: str, width: int) -> Iterator[Text]:
    environment = found.environment
    assert environment is not None
    sides = ((found.thread, environment.concrete, "concrete"), (found.abstract, environment.abstract, "abstract"))
    if not environment.concrete and not environment.abstract:
        yield from paragraph("Others may do anything: `rely true;`", width)
        return
    yield from paragraph("Others may do anything that keeps to this, where the thread is at:", width)
    for automaton, clauses, side in sides:
        yield from _clauses(automaton, clauses, side, width)
    yield from _rely(found, width)
    for automaton, clauses, _ in sides:
        yield from _plays(automaton, clauses, width)
    yield Text()
    yield from paragraph("The concrete program with this environment:", width)
    yield Text()
    yield from (Text(2 * INDENT + line) for line in text.splitlines())


def _clauses(automaton: Automaton, clauses: Sequence[Needed], side: str, width: int) -> Iterator[Text]:
    for number, needed in enumerate(clauses[:MOST]):
        if number == 0 or clauses[number - 1].place != needed.place:
            yield Text.assemble(2 * INDENT, (f"{side} {place_text(automaton, needed.place)}", PLACE))
        yield from (Text(3 * INDENT) + line for line in wrap(_said(needed), width - 3 * len(INDENT)))
    if len(clauses) > MOST:
        yield Text(f"{2 * INDENT}… and {len(clauses) - MOST} more", FAINT)


def _said(needed: Needed) -> str:
    match None if needed.without is None else needed.without.verdict:
        case Verdict.REFUTED:
            remark = ""
        case None:
            remark = "   (whether it is needed was not asked)"
        case _:
            remark = "   (whether it is needed is unknown)"
    return clause_text(needed.clause) + remark


def _rely(found: Weakest, width: int) -> Iterator[Text]:
    if found.uniform is None:
        return
    yield Text()
    yield from paragraph("One rely for all of the thread:", width)
    sides = ((found.thread, found.uniform.concrete, "concrete"), (found.abstract, found.uniform.abstract, "abstract"))
    for automaton, clauses, side in sides:
        said = [f"rely {_said(n)};" for n in clauses] or ["rely true;"]
        yield Text.assemble(2 * INDENT, (f"{side} {automaton.name}", PLACE))
        yield from (Text(3 * INDENT + line) for line in said)


def _plays(automaton: Automaton, clauses: Sequence[Needed], width: int) -> Iterator[Text]:
    """For each excluded class of steps what it would allow."""
    for needed in clauses:
        if needed.without is not None and needed.without.play is not None:
            head = f"Without `{clause_text(needed.clause)}` at {place_text(automaton, needed.place)}:"
            yield from lost(needed.without.play, needed.without, head, width)
