"""What became of a certificate, as a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from sa.checker.judgement import Judged, Judgement, worst
from sa.checker.ruling import Accepted, Rejected, Ruling, Undecided
from sa.report.document import Block, Document, Line, Paragraph, Tone, Words, verdict_words


def judgement_document(made: Judgement, name: str) -> Document:
    """The worst ruling, what the certificate is of, and every verdict in it."""
    document = made.document
    options = "".join(f", --{o}" for o, on in (("split", document.split), ("whole", document.whole)) if on)
    options += "".join(f", --{word}" for word in document.reading if word in ("races", "deadlock", "open", "fair"))
    about = f"{document.command} {' '.join(document.files)}{options}, by sacheck {document.tool}"
    head = Line((Words(about, Tone.FAINT),))
    verdict = _ruling_words(worst(made))
    if made.fault is not None:
        return Document(verdict, name, None, ((head, *_why(made.fault)),))
    judged = tuple(block for j in made.judged for block in _judged(j))
    nothing = Line((Words("nothing is claimed", Tone.FAINT),))
    return Document(verdict, name, None, ((head, *(judged or (nothing,))), tuple(_work(made))))


def _work(made: Judgement) -> Iterator[Block]:
    counted = f"{made.obligations} obligation{'' if made.obligations == 1 else 's'}"
    yield Line((Words(f"{counted}, {made.seconds:.2f} s", Tone.FAINT),), indent=0)
    for posed, why in made.open_questions:
        place = f" at {posed.where}" if posed.where else ""
        yield Paragraph(f"the second solver leaves open: {posed.name}{place} ({why})", Tone.OPEN, 0)


def _ruling_words(ruling: Ruling) -> Words:
    match ruling:
        case Accepted():
            return Words("ACCEPTED", Tone.GOOD)
        case Rejected():
            return Words("REJECTED", Tone.BAD)
        case Undecided():
            return Words("NOT SETTLED", Tone.OPEN)
        case _:
            assert_never(ruling)


def _judged(judged: Judged) -> Iterator[Block]:
    verdict = verdict_words(judged.verdict)
    if judged.ruling is None:
        yield Line((verdict, Words(f"  {judged.name}"), Words("  without evidence", Tone.FAINT)))
        return
    word = _ruling_words(judged.ruling)
    yield Line((verdict, Words(f"  {judged.name}  "), Words(word.text.lower(), word.tone)))
    yield from _why(judged.ruling)


def _why(ruling: Ruling) -> Iterator[Block]:
    if not isinstance(ruling, Accepted):
        where = f", at {ruling.where}" if ruling.where else ""
        yield Paragraph(f"{ruling.obligation}{where}: {ruling.why}", indent=4)
