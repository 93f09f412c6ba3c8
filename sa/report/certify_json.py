"""What became of a certificate, as JSON."""

from __future__ import annotations

from typing import Literal, assert_never

from msgspec import UNSET, Struct, UnsetType

from sa.base.verdict import Verdict
from sa.checker.judgement import Judgement, worst
from sa.checker.ruling import Accepted, Rejected, Ruling, Undecided


class RulingJson(Struct, frozen=True):
    """A ruling; where it is not `accepted`, the obligation, its place, and why it does not hold."""

    ruling: Literal["accepted", "rejected", "not settled"]
    obligation: str | UnsetType = UNSET
    where: str | UnsetType = UNSET
    why: str | UnsetType = UNSET


class JudgedJson(Struct, frozen=True):
    """A verdict of the certificate and what became of its evidence; null where it needs none."""

    name: str
    verdict: Verdict
    ruling: RulingJson | None


class OpenJson(Struct, frozen=True):
    """An obligation that the second solver leaves open."""

    obligation: str
    where: str
    why: str


class JudgementJson(Struct, frozen=True, tag_field="format", tag="sacheck-judgement/1"):
    """`sacheck certify`: the worst ruling, what the certificate is of, and every verdict in it."""

    ruling: RulingJson
    status: int
    command: str
    files: list[str]
    split: bool
    whole: bool
    tool: str
    sources: dict[str, str]
    judged: list[JudgedJson]
    obligations: int
    open: list[OpenJson]
    seconds: float


def judgement_json(made: Judgement, status: int) -> JudgementJson:
    """The whole report."""
    document = made.document
    return JudgementJson(
        _ruling(worst(made)),
        status,
        document.command,
        list(document.files),
        document.split,
        document.whole,
        document.tool,
        dict(document.sources),
        [JudgedJson(j.name, j.verdict, None if j.ruling is None else _ruling(j.ruling)) for j in made.judged],
        made.obligations,
        [OpenJson(p.name, p.where, why) for p, why in made.open_questions],
        made.seconds,
    )


def _ruling(ruling: Ruling) -> RulingJson:
    match ruling:
        case Accepted():
            return RulingJson("accepted")
        case Rejected():
            return RulingJson("rejected", ruling.obligation, ruling.where, ruling.why)
        case Undecided():
            return RulingJson("not settled", ruling.obligation, ruling.where, ruling.why)
        case _:
            assert_never(ruling)
