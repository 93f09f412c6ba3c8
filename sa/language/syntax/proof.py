"""Steps of proof scripts as they are written."""

from __future__ import annotations

from typing import TypeAlias

from sa.base.source import Span
from sa.base.verdict import Verdict
from sa.language.syntax.clause import Clauses, ThreadName
from sa.language.syntax.expression import Expression, Identifier
from sa.language.syntax.node import Node


class Side(Node, frozen=True):
    """`conc.T1 || conc.T2`."""

    threads: tuple[ThreadName, ...]
    span: Span


class RefinesClaim(Node, frozen=True):
    """`left refines right`."""

    left: Side
    right: Side
    span: Span


class PreservesClaim(Node, frozen=True):
    """`side preserves e`, or `side preserves strong e`."""

    side: Side
    strong: bool
    formula: Expression
    span: Span


ClaimDeclaration: TypeAlias = RefinesClaim | PreservesClaim


class By(Node, frozen=True):
    """`by parallel(t1, t2)`."""

    rule: Identifier
    cited: tuple[Identifier, ...]
    span: Span


class StepDeclaration(Node, frozen=True):
    """`lemma name : claim clauses by rule(cited);`, a `theorem` alike."""

    theorem: bool
    name: Identifier
    claim: ClaimDeclaration
    clauses: Clauses
    by: By | None
    expect: Verdict | None
    span: Span
