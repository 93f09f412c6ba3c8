"""A side condition that does not hold, or is not known to: what it asks, what is broken, where, and values.

Everything stands as the user wrote it: formulas of the script and steps of the programs with marks under them,
variables by the aliases of the script, `x: 0 → 1` for what a step changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from sa.base.source import Source
from sa.report.diagnostics import marked
from sa.report.screen import BAD, FAINT, OPEN, PLACE, STRONG, pack, wrap
from sa.report.terminal import INDENT, STYLE
from sa.scripts.result import Counterexample, Leaf

LEAF = 3 * INDENT
_INDENT = LEAF + " " * 9
_GUTTER = 5

#: What a failure of a side condition means, by its name.
_MEANS = {
    "initial coverage": "this initial state has no related one on the abstract side",
    "initial coverage of the composition": "the pairs agree on no abstract initial state for this concrete one",
    "a middle initial state": "these initial states are related, and nothing between them is related to both",
    "ι of the chain": "what the links keep does not imply this",
    "an environment step in the middle": "the outer environments can do this, the middle one cannot follow in one step",
    "the abstract invariant and ι imply the concrete one": "in these related states only the abstract invariant holds",
    "the abstract invariant and θ imply the concrete one": "in these related states only the abstract invariant holds",
    "the environment is followed": "no step of the abstract environment follows this one of the concrete environment, "
    "into a related state and with the abstract invariant kept",
    "the parts imply the claim": "all parts hold here, and this does not",
    "an environment that keeps the claim keeps the parts": "the claim counts this step of the environment, "
    "and the parts break",
    "the claim's κ is that of the parts": "the claim relates these initial states, the parts do not",
    "the parts' ι is that of the claim": "the parts keep less than this",
    "compatible": "the other thread's environment does not allow this step",
    "inductive invariant": "this step leads out of the invariants",
    "initial invariant": "this initial state is not in the invariant",
    "reflexive environment": "the environment cannot do nothing here",
}


def failed_leaf(leaf: Leaf, script: Source, width: int) -> Iterator[Text]:
    """The whole story of a leaf that is not proved."""
    where = f", {leaf.where}" if leaf.where else ""
    yield from headed(leaf.verdict.value, leaf.name + where, STYLE[leaf.verdict], width)
    if leaf.others:
        places = "1 more place" if len(leaf.others) == 1 else f"{len(leaf.others)} more places"
        yield from _prose(f"and at {places}: {'; '.join(leaf.others)}", width, FAINT)
    if leaf.example is None:
        yield from _prose(leaf.why, width)
        return
    yield from _prose(_meaning(leaf), width)
    yield from _prose(leaf.why, width)
    yield from _marks(leaf.example, script, width)
    yield from (Text(_INDENT) + line for line in values(leaf.example, width - len(_INDENT)))


def _meaning(leaf: Leaf) -> str:
    first, both, second = leaf.where.partition(" and ")
    if leaf.name == "non-interference" and both:
        return f"a step of {first} that keeps what is claimed of {first} can break this of {second}"
    return _MEANS.get(leaf.name, "")


def headed(verdict: str, name: str, style: str, width: int) -> Iterator[Text]:
    """What does not hold, behind its verdict."""
    first, *rest = wrap(name, width - len(_INDENT), STRONG)
    yield Text.assemble(LEAF, (f"{verdict:<7}", style), "  ", first)
    yield from (Text(_INDENT) + t for t in rest)


def _prose(text: str, width: int, style: str = "") -> Iterator[Text]:
    if text:
        yield from (Text(_INDENT) + line for line in wrap(text, width - len(_INDENT), style))


def _marks(example: Counterexample, script: Source, width: int) -> Iterator[Text]:
    above: Source | None = script
    for origin, style, words in ((example.broken, BAD, "this is false"), (example.step, PLACE, "by this step")):
        if origin is not None and origin.span is not None:
            shown = words if origin is example.step else "this is false" if not _moves(example) else "false after it"
            yield from marked(origin.span, "^", style, shown, _GUTTER, above, width)
            above = origin.span.source


def _moves(example: Counterexample) -> bool:
    return any(v.after is not None for v in example.values)


def values(example: Counterexample, width: int) -> Iterator[Text]:
    """The state, below it what becomes of it, below that the functions."""
    still = [Text(f"{v.name} = {v.before}") for v in example.values if v.after is None]
    moved = [
        Text.assemble(f"{v.name}: {v.before} → ", (v.after, STRONG)) for v in example.values if v.after is not None
    ]
    yield from pack(moved, width)
    yield from pack(still, width)
    for line in example.functions:
        yield from wrap(f"where {line}", width, OPEN)
