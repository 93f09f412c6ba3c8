"""What became of a certificate, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from rich.text import Text

from sa.checker.judgement import Judged, Judgement, worst
from sa.checker.ruling import Accepted, Rejected, Ruling, Undecided
from sa.report.screen import BAD, FAINT, GOOD, OPEN, STRONG, Screen, render, wrap
from sa.report.terminal import INDENT, STYLE


def show_judgement(made: Judgement, name: str, screen: Screen, quiet: bool = False) -> str:
    """The whole report; with `quiet` only its first line."""
    return render(screen, _judgement(made, name, screen.width, quiet))


def _judgement(made: Judgement, name: str, width: int, quiet: bool) -> Iterator[Text]:
    ruling = worst(made)
    word, style = _word(ruling)
    yield Text.assemble((word, style), "  ", (name, STRONG))
    if quiet:
        return
    document = made.document
    options = "".join(f", --{o}" for o, on in (("split", document.split), ("whole", document.whole)) if on)
    yield Text(f"{INDENT}{document.command} {' '.join(document.files)}{options}, by sacheck {document.tool}", FAINT)
    if made.fault is not None:
        yield from _why(made.fault, width)
        return
    for judged in made.judged:
        yield from _judged(judged, width)
    if not made.judged:
        yield Text(f"{INDENT}nothing is claimed", FAINT)
    yield Text()
    counted = f"{made.obligations} obligation{'' if made.obligations == 1 else 's'}"
    yield Text(f"{counted}, {made.seconds:.2f} s", FAINT)
    for posed, why in made.open_questions:
        place = f" at {posed.where}" if posed.where else ""
        yield from wrap(f"the second solver leaves open: {posed.name}{place} ({why})", width, OPEN)


def _word(ruling: Ruling) -> tuple[str, str]:
    match ruling:
        case Accepted():
            return "ACCEPTED", GOOD
        case Rejected():
            return "REJECTED", BAD
        case Undecided():
            return "NOT SETTLED", OPEN
        case _:
            assert_never(ruling)


def _judged(judged: Judged, width: int) -> Iterator[Text]:
    verdict = (judged.verdict.value, STYLE[judged.verdict])
    if judged.ruling is None:
        yield Text.assemble(INDENT, verdict, f"  {judged.name}", ("  without evidence", FAINT))
        return
    word, style = _word(judged.ruling)
    yield Text.assemble(INDENT, verdict, f"  {judged.name}  ", (word.lower(), style))
    if not isinstance(judged.ruling, Accepted):
        yield from _why(judged.ruling, width)


def _why(ruling: Ruling, width: int) -> Iterator[Text]:
    if isinstance(ruling, Accepted):
        return
    where = f", at {ruling.where}" if ruling.where else ""
    for line in wrap(f"{ruling.obligation}{where}: {ruling.why}", width - 2 * len(INDENT)):
        yield Text.assemble(INDENT * 2, line)
