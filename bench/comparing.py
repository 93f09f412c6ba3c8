"""Two frozen tables side by side: what was turned round, lost or won, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from msgspec import Struct

from bench.answering import Answer

_DECIDED = ("PROVED", "REFUTED")

#: Processor time below which a ratio says nothing, and what is slower by so much is named.
_NOISE, _SLOWER = 0.5, 2.0


class Comparison(Struct, frozen=True):
    """What there is to read, and whether the later table is worse."""

    text: str
    worse: bool


def compared(before: Mapping[str, Answer], now: Mapping[str, Answer]) -> Comparison:
    """The questions that both tables have."""
    both = [(before[name], now[name]) for name in now if name in before]
    turned, lost, won = (tuple(dict.fromkeys(f(both))) for f in (_turned, _lost, _won))
    decided = [(a, b) for a, b in both if a.verdict in _DECIDED and a.verdict == b.verdict]
    ratios = [math.log(max(b.seconds, 0.01) / max(a.seconds, 0.01)) for a, b in decided]
    mean = math.exp(sum(ratios) / len(ratios)) if ratios else 1.0
    others = sum(a.settled != b.settled for a, b in decided)
    slower = sorted(
        ((b.seconds / max(a.seconds, _NOISE), a, b) for a, b in decided if b.seconds > _NOISE),
        key=lambda entry: -entry[0],
    )
    lines = [
        f"{len(both)} questions in both tables: {len(turned)} turned round, {len(lost)} lost, {len(won)} won",
        f"{len(decided)} decided alike, in x{mean:.2f} of the processor time (geometric mean); "
        f"{sum(a.seconds for a, _ in decided):.0f} s before, {sum(b.seconds for _, b in decided):.0f} s now; "
        f"{others} by other techniques",
        *(f"TURNED ROUND  {what}" for what in turned),
        *(f"lost          {what}" for what in lost),
        *(f"won           {what}" for what in won),
        *(f"x{by:<6.1f} {a.seconds:8.2f} -> {b.seconds:8.2f} s  {a.name}" for by, a, b in slower if by > _SLOWER),
    ]
    return Comparison("\n".join(lines), bool(turned or lost))


def _turned(both: list[tuple[Answer, Answer]]) -> Iterator[str]:
    for a, b in both:
        for what, x, y in _verdicts(a, b):
            if x in _DECIDED and y in _DECIDED and x != y:
                yield f"{what}: {x} -> {y}"


def _lost(both: list[tuple[Answer, Answer]]) -> Iterator[str]:
    for a, b in both:
        for what, x, y in _verdicts(a, b):
            if x in _DECIDED and y not in _DECIDED and b.verdict not in ("REFUTED",):
                yield f"{what}: {x} -> {y or 'nothing'}, {a.seconds:.1f} -> {b.seconds:.1f} s"


def _won(both: list[tuple[Answer, Answer]]) -> Iterator[str]:
    for a, b in both:
        if a.verdict not in _DECIDED and b.verdict in _DECIDED:
            yield f"{a.name}: {b.verdict} in {b.seconds:.1f} s"


def _verdicts(a: Answer, b: Answer) -> Iterator[tuple[str, str, str]]:
    """The verdict of the whole, and of each claim or goal, in both tables."""
    yield a.name, a.verdict, b.verdict
    later = {s.name: s.verdict for s in b.settled}
    for earlier in a.settled:
        if earlier.name in later or a.verdict not in _DECIDED:
            yield f"{a.name}: {earlier.name}", earlier.verdict, later.get(earlier.name, "")
