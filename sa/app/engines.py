"""The techniques as a list for people and programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from sa.base.verdict import Verdict
from sa.engines.endings import ROWS
from sa.engines.engine import ClaimEngine, GoalEngine, answers
from sa.engines.portfolio_of_claims import CLAIMS
from sa.engines.portfolio_of_families import CROWDS
from sa.engines.portfolio_of_goals import engines_of_goals
from sa.engines.technique import RANKING, Row, Technique


class Listed(Struct, frozen=True):
    """A technique, the verdicts that its evidence can be for, and the names of its engines as they are asked."""

    technique: Technique
    answers: tuple[Verdict, ...]
    engines: tuple[str, ...]


def listed(command: Literal["verify", "refine"]) -> tuple[Listed, ...]:
    """The techniques of a command, in the order in which they are asked first."""
    match command:
        case "verify":
            return _listed((*_answering(t.engine for t in (*CLAIMS, *CROWDS)), *_of_infinite_runs()))
        case "refine":
            return _listed(_answering(engines_of_goals()))


#: An engine, and the verdicts that its evidence can be for.
_Answering: TypeAlias = tuple[Row, tuple[Verdict, ...]]


def _answering(engines: Iterable[ClaimEngine | GoalEngine]) -> Iterator[_Answering]:
    return ((engine, answers(engine)) for engine in engines)


def _of_infinite_runs() -> Iterator[_Answering]:
    """Ranks prove; states that are visited may be repeated, too."""
    for row in ROWS.values():
        yield row, (Verdict.PROVED,) if row.technique is RANKING else (Verdict.PROVED, Verdict.REFUTED)


def _listed(engines: Iterable[_Answering]) -> tuple[Listed, ...]:
    found = dict[str, list[_Answering]]()
    for engine, verdicts in engines:
        found.setdefault(engine.technique.name, []).append((engine, verdicts))
    return tuple(
        Listed(
            same[0][0].technique,
            tuple(v for v in Verdict if any(v in verdicts for _, verdicts in same)),
            tuple(dict.fromkeys(one.name for one, _ in same)),
        )
        for same in found.values()
    )


def parameters_of(listed: Listed) -> dict[str, dict[str, str]]:
    """The parameters that some engine of a technique has, with the values and what they say."""
    return {
        name: {value: about for value, about in values.items() if f"{name}={value}" in _values(listed)}
        for name, values in listed.technique.parameters.items()
        if any(f"{name}={value}" in _values(listed) for value in values)
    }


def _values(listed: Listed) -> frozenset[str]:
    return frozenset(value for name in listed.engines for value in name.partition(":")[2].split(","))
