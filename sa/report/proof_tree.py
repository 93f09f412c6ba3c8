"""The tree of a proof as HTML: under each step the steps that it rests on, and its side conditions."""

from __future__ import annotations

from sa.base.verdict import Verdict
from sa.report.document import TONE
from sa.report.html import text
from sa.report.prove import claim_of, rule_of
from sa.scripts.result import Leaf, Proof, StepResult


def tree_html(proof: Proof) -> str:
    """The steps that no other step cites, and below each what it cites; a step that is told already is named only."""
    steps = {result.step.name: result for result in proof.steps}
    cited = {name for result in proof.steps for name in result.step.cited}
    told = set[str]()
    roots = [result for result in proof.steps if result.step.name not in cited]
    return f'<ul class="tree">{"".join(_node(result, steps, told) for result in roots)}</ul>'


def _node(result: StepResult, steps: dict[str, StepResult], told: set[str]) -> str:
    name, rule = result.step.name, rule_of(result)
    head = f"{_verdict(result.verdict)} <b>{text(result.step.kind)} {text(name)}</b>"
    if name in told:
        return f'<li>{head} <span class="faint">above</span></li>'
    told.add(name)
    claim = f"<p><code>{text(claim_of(result))}</code></p>"
    by = f' <span class="faint">{text(rule)}</span>' if rule else ""
    below = "".join(_node(steps[n], steps, told) for n in dict.fromkeys(result.step.cited) if n in steps)
    found = "".join(f"<li>{_verdict(r.verdict)} relation of {text(r.goal.name)}</li>" for r in result.results)
    leaves = "".join(map(_leaf, result.leaves))
    inner = f"<ul>{below}{found}{leaves}</ul>" if below or found or leaves else ""
    return f'<li><details open class="step"><summary>{head}{by}</summary>{claim}{inner}</details></li>'


def _leaf(leaf: Leaf) -> str:
    many = f" ×{leaf.count}" if leaf.count > 1 else ""
    where = f' <span class="faint">{text(leaf.where)}</span>' if leaf.where else ""
    why = f" {text(leaf.why)}" if leaf.why and leaf.verdict is not Verdict.PROVED else ""
    return f"<li>{_verdict(leaf.verdict)} {text(leaf.name)}{many}{where}{why}</li>"


def _verdict(verdict: Verdict) -> str:
    sign = {Verdict.PROVED: "✓", Verdict.REFUTED: "✗", Verdict.UNKNOWN: "?"}[verdict]
    return f'<span class="{TONE[verdict].value}" title="{verdict.value}">{sign}</span>'
