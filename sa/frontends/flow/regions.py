"""How deep in atomic regions each node of a thread is."""

from __future__ import annotations

from collections.abc import Mapping

from sa.base.diagnostic import InputError, error
from sa.frontends.flow.graph import Begin, End, Node, Step
from sa.frontends.flow.threads import Thread


def depths_of(thread: Thread, steps: Mapping[Node, list[Step]]) -> dict[Node, int]:
    """How deep in atomic regions each node is."""
    depths = {thread.graph.entry: 0}
    pending = [thread.graph.entry]
    while pending:
        here = pending.pop()
        for step in steps.get(here, ()):
            depth = depths[here] + (1 if isinstance(step.op, Begin) else -1 if isinstance(step.op, End) else 0)
            if depth < 0 or depths.get(step.target, depth) != depth:
                if step.target == thread.graph.exit:
                    continue
                message = "atomic regions do not nest here: one ends that did not begin, or is jumped into"
                raise InputError((error("SA722", message, step.origin.span),))
            if step.target not in depths:
                depths[step.target] = depth
                pending.append(step.target)
    return depths


def inside_program_regions(thread: Thread, steps: Mapping[Node, list[Step]]) -> frozenset[Node]:
    """The nodes in atomic regions of the program."""
    depths, begun = depths_of(thread, steps), {thread.graph.entry: 0}
    pending = [thread.graph.entry]
    while pending:
        here = pending.pop()
        for step in steps.get(here, ()):
            # How deep in regions the outermost one of the program begins, 0 where there is none.
            depth, outermost = depths[here], begun[here]
            if isinstance(step.op, Begin) and step.op.program and not outermost:
                outermost = depth + 1
            if isinstance(step.op, End) and depth == outermost:
                outermost = 0
            if step.target not in begun:
                begun[step.target] = outermost
                pending.append(step.target)
    return frozenset(node for node, outermost in begun.items() if outermost)
