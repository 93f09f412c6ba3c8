"""The outcome of `sacheck prove` as JSON: the same tree as the terminal shows, and the whole plays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from sa.base.diagnostic import Diagnostic
from sa.base.verdict import Verdict
from sa.report.json import DiagnosticJson, OriginJson, UnknownJson, diagnostic_json, origin_json, unknown_json
from sa.report.outcome_json import ResultJson, result_json
from sa.report.prove import claim_of, domain, rule_of, unproved_below
from sa.report.run_json import RunJson, run_json
from sa.report.tried import TriedJson, tried_json
from sa.scripts.result import Counterexample, Leaf, Proof, StepResult


class ExampleValueJson(Struct, frozen=True):
    """The value of a variable before a step, and after it where it changes."""

    name: str
    before: str
    after: str | None


class ExampleJson(Struct, frozen=True):
    """Values for which a condition is false: what is broken, by which step, and what the functions are."""

    values: list[ExampleValueJson]
    functions: list[str]
    broken: OriginJson | None
    step: OriginJson | None


class LeafJson(Struct, frozen=True):
    """A side condition. `count` of the same name are told together; `others` are where else it fails."""

    name: str
    where: str
    verdict: Verdict
    why: str
    count: int
    others: list[str]
    example: ExampleJson | None
    seconds: float


class ProofStepJson(Struct, frozen=True):
    """A step of the script: its claim, the rule, the steps that it cites, and those of them that are not proved.

    `tried` are the engines that were asked where there is no answer.
    """

    name: str
    kind: str
    claim: str
    verdict: Verdict
    expected: Verdict | None
    rule: str
    cited: list[str]
    unproved: list[str]
    conditions: list[LeafJson]
    goals: list[ResultJson]
    run: RunJson | None
    unknown: UnknownJson | None
    seconds: float
    place: OriginJson
    tried: list[TriedJson]


class ProofJson(Struct, frozen=True, tag_field="format", tag="sacheck-proof/1"):
    """`sacheck prove`: the verdict and every step; `seconds` by phase."""

    verdict: Verdict
    status: int
    file: str
    expected: Verdict | None
    domain: str
    steps: list[ProofStepJson]
    warnings: list[DiagnosticJson]
    seconds: dict[str, float]


def proof_json(proof: Proof, warnings: Iterable[Diagnostic], seconds: Mapping[str, float], status: int) -> ProofJson:
    """The verdict and every step with its side conditions and with the goals that were decided directly."""
    return ProofJson(
        proof.verdict,
        status,
        proof.script.source.name,
        proof.script.expect,
        domain(proof),
        [_step(s, proof) for s in proof.steps],
        [diagnostic_json(d) for d in warnings],
        dict(seconds),
    )


def _step(result: StepResult, proof: Proof) -> ProofStepJson:
    step = result.step
    return ProofStepJson(
        step.name,
        step.kind,
        claim_of(result),
        result.verdict,
        step.expect,
        rule_of(result),
        list(step.cited),
        [name for name, _ in unproved_below(result, proof)],
        [_leaf(leaf) for leaf in result.leaves],
        [result_json(r) for r in result.results],
        None if result.run is None else run_json(result.run, None),
        unknown_json(result.unknown),
        result.seconds,
        origin_json(step.origin),
        [tried_json(t) for t in result.tried] if result.verdict is Verdict.UNKNOWN else [],
    )


def _leaf(leaf: Leaf) -> LeafJson:
    example = None if leaf.example is None else _example(leaf.example)
    others = list(leaf.others)
    return LeafJson(leaf.name, leaf.where, leaf.verdict, leaf.why, leaf.count, others, example, leaf.seconds)


def _example(example: Counterexample) -> ExampleJson:
    return ExampleJson(
        [ExampleValueJson(v.name, v.before, v.after) for v in example.values],
        list(example.functions),
        None if example.broken is None else origin_json(example.broken),
        None if example.step is None else origin_json(example.step),
    )
