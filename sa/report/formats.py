"""All JSON documents that commands write with `--json`, and their schemas as docs/schemas publishes them."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

from msgspec import Struct
from msgspec.json import decode, encode, schema

from sa.report.automaton_json import AutomataJson
from sa.report.batch import BatchJson, UnitJson
from sa.report.certify_json import JudgementJson
from sa.report.explanation import EnginesJson, ExplanationJson
from sa.report.json import DiagnosticsJson, StoppedJson
from sa.report.outcome_json import OutcomeJson
from sa.report.prove_json import ProofJson
from sa.report.run_json import RunJson
from sa.report.suite import SuiteJson
from sa.report.verify_json import VerificationJson
from sa.report.weakest_json import WeakestRelyJson

#: The documents by what stands before the slash of their field `format`.
FORMATS: dict[str, type[Struct]] = {
    "sacheck-outcome": OutcomeJson,
    "sacheck-weakest-rely": WeakestRelyJson,
    "sacheck-verification": VerificationJson,
    "sacheck-proof": ProofJson,
    "sacheck-judgement": JudgementJson,
    "sacheck-automata": AutomataJson,
    "sacheck-run": RunJson,
    "sacheck-suite": SuiteJson,
    "sacheck-batch": BatchJson,
    "sacheck-unit": UnitJson,
    "sacheck-engines": EnginesJson,
    "sacheck-explanation": ExplanationJson,
    "sacheck-diagnostics": DiagnosticsJson,
    "sacheck-stopped": StoppedJson,
}


def schemas() -> dict[str, dict[str, Any]]:
    """JSON Schema (2020-12) of each document, by its name."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    # As they are in a file: defaults that are tuples are lists there.
    return {name: {**dialect, **_flush_left(decode(encode(schema(kind))))} for name, kind in FORMATS.items()}


def _flush_left(value: Any) -> Any:
    """A schema whose descriptions are not indented, which versions of msgspec treat differently."""
    match value:
        case dict():
            told = {k: cleandoc(v) if k == "description" and isinstance(v, str) else v for k, v in value.items()}
            return {k: _flush_left(v) for k, v in told.items()}
        case list():
            return [_flush_left(v) for v in value]
        case _:
            return value
