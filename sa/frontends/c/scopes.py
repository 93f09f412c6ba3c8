"""Where the variables of blocks end (C11 6.2.4p5): on each way out, also by `goto`, `break` and `return`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from sa.frontends.c.body import EXIT, RETURNED, Block, Body, fresh
from sa.frontends.flow.graph import Node, Op, Step, Storage
from sa.frontends.flow.lives import Dead


@contextmanager
def block(body: Body) -> Iterator[None]:
    """Note what is translated in here as a block."""
    first, before = len(body.steps), len(body.objects)
    yield
    body.blocks.append(Block(first, len(body.steps), tuple(list(body.objects)[before:])))


def end_with_blocks(body: Body, first: bool) -> None:
    """Have the objects of each block end where a step leads out of it, in place.

    Inner blocks come first, and what has ended there has no other end. The last two are the function's body and what
    has the parameters, too: with those of the `first` function the process ends, and so it does where that one returns
    from an inner block (C11 5.1.2.2.3p1).
    """
    over = {RETURNED}
    # A jump past declarations goes on to its label by a way of its own, which is written behind all blocks.
    meant = {start: target for start, _, target, _ in body.entries}
    inserted = dict[int, list[Op]]()
    for here in body.blocks[: -2 if first else None]:
        ends = [n for n in here.names if n not in over and body.objects[n].storage is Storage.AUTO]
        over.update(ends)
        inside = {s.source for s in body.steps[here.first : here.last]}
        for position in range(here.first, here.last) if ends else ():
            target = body.steps[position].target
            if meant.get(target, target) not in inside and not (first and target == EXIT):
                inserted.setdefault(position, []).extend(Dead(name) for name in ends)
    for position, ops in inserted.items():
        body.steps[position] = _followed(body, body.steps[position], ops)


def _followed(body: Body, step: Step, ops: list[Op]) -> Step:
    """The step, followed by operations on its way."""
    after = here = fresh(body)
    for number, op in enumerate(ops, 1):
        target: Node = step.target if number == len(ops) else fresh(body)
        body.steps.append(Step(here, op, target, step.origin))
        here = target
    return replace(step, target=after)
