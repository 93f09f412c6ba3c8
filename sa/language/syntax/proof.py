"""Steps of proof scripts as they are written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from sa.base.source import Span
from sa.base.verdict import Verdict
from sa.language.syntax.clause import Clauses, ThreadName
from sa.language.syntax.expression import Expression, Identifier


@dataclass(frozen=True, slots=True)
class Side:
    """`conc.T1 || conc.T2`."""

    threads: tuple[ThreadName, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RefinesClaim:
    """`left refines right`."""

    left: Side
    right: Side
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PreservesClaim:
    """`side preserves e`, or `side preserves strong e`."""

    side: Side
    strong: bool
    formula: Expression
    span: Span = field(compare=False, repr=False)


ClaimDeclaration: TypeAlias = RefinesClaim | PreservesClaim


@dataclass(frozen=True, slots=True)
class By:
    """`by parallel(t1, t2)`."""

    rule: Identifier
    cited: tuple[Identifier, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class StepDeclaration:
    """`lemma name : claim clauses by rule(cited);`, a `theorem` alike."""

    theorem: bool
    name: Identifier
    claim: ClaimDeclaration
    clauses: Clauses
    by: By | None
    expect: Verdict | None
    span: Span = field(compare=False, repr=False)
