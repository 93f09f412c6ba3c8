"""A side condition that does not hold, or is not known to: what it asks, what is broken, where, and values.

Everything stands as the user wrote it: formulas of the script and steps of the programs with marks under them,
variables by the aliases of the script, `x: 0 → 1` for what a step changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.report.document import TONE, Block, Excerpt, Item, Paragraph, Pieces, Tone, Words
from sa.scripts.result import Counterexample, Leaf

#: How far leaves stand from the margin, and what is said below their names.
LEAF = 6
BELOW = LEAF + 9

#: What a failure of a side condition means, by its name.
_MEANS = {
    "initial coverage": "this initial state has no related one on the abstract side",
    "initial coverage of the composition": "the pairs agree on no abstract initial state for this concrete one",
    "a middle initial state": "these initial states are related, and nothing between them is related to both",
    "ι of the chain": "the relations of the links do not imply this",
    "an environment step in the middle": "the middle environment cannot match this step of the outer ones in one step",
    "the abstract invariant and ι imply the concrete one": "in these related states only the abstract invariant holds",
    "the abstract invariant and θ imply the concrete one": "in these related states only the abstract invariant holds",
    "the environment is followed": "no step of the abstract environment matches this one of the concrete environment, "
    "into a related state and with the abstract invariant kept",
    "the parts imply the claim": "all parts hold here, and this does not",
    "an environment that keeps the claim keeps the parts": "the claim counts this step of the environment, "
    "and the parts break",
    "the claim's κ is that of the parts": "the claim relates these initial states, the parts do not",
    "the parts' ι is that of the claim": "the relations of the parts do not imply this",
    "non-interference": "a step of the first thread that keeps the claim about it can break that about the second",
    "compatible": "the other thread's environment does not allow this step",
    "inductive invariant": "this step leads to a state outside the invariants",
    "initial invariant": "this initial state is not in the invariant",
    "reflexive environment": "the environment does not allow a step that changes nothing here",
}


def failed_leaf(leaf: Leaf, script: Source) -> Iterator[Block]:
    """The whole story of a leaf that is not proved."""
    where = f", {leaf.where}" if leaf.where else ""
    yield headed(leaf.verdict, leaf.name + where)
    if leaf.others:
        places = "1 more place" if len(leaf.others) == 1 else f"{len(leaf.others)} more places"
        yield Paragraph(f"and at {places}: {'; '.join(leaf.others)}", Tone.FAINT, BELOW)
    if leaf.example is None:
        yield Paragraph(leaf.why, indent=BELOW)
        return
    yield Paragraph(_MEANS.get(leaf.name, ""), indent=BELOW)
    yield Paragraph(leaf.why, indent=BELOW)
    yield from _marks(leaf.example, script)
    yield from _values(leaf.example)


def headed(verdict: Verdict, name: str) -> Item:
    """What does not hold, behind its verdict."""
    return Item((Words(f"{verdict.value:<7}  ", TONE[verdict]),), name, Tone.STRONG, LEAF)


def _marks(example: Counterexample, script: Source) -> Iterator[Excerpt]:
    broken, step = example.broken, example.step
    home = script
    if broken is not None and broken.span is not None:
        yield Excerpt(broken.span, Tone.BAD, "false after it" if _moves(example) else "this is false", home, gutter=5)
        home = broken.span.source
    if step is not None and step.span is not None:
        yield Excerpt(step.span, Tone.PLACE, "by this step", home, gutter=5)


def _moves(example: Counterexample) -> bool:
    return any(v.after is not None for v in example.values)


def _values(example: Counterexample) -> Iterator[Block]:
    """What becomes of the state, below it what stays as it is, below that the functions."""
    moved = tuple(
        (Words(f"{v.name}: {v.before} → "), Words(v.after, Tone.STRONG)) for v in example.values if v.after is not None
    )
    still = tuple((Words(f"{v.name} = {v.before}"),) for v in example.values if v.after is None)
    yield Pieces(moved, BELOW)
    yield Pieces(still, BELOW)
    yield from (Paragraph(f"where {line}", Tone.OPEN, BELOW) for line in example.functions)
