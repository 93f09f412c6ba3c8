"""Plays against blocks as plays against the threads as they are written (THEORY section 17).

Who loses with blocks as steps loses as written, for the answers to the steps of a block are an answer to the block. A
concrete run of the play is made step by step, and followed by all abstract states that may match it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from sa.automata.automaton import Automaton, Edge, edges_from
from sa.automata.trace import Configuration, Move
from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.certificates.play import Position
from sa.plays.escape import runs_of
from sa.refinement.play_against_all import play_against_all
from sa.smt.session import Session
from sa.terms.evaluate import Unevaluable, evaluate
from sa.transform.blocks import Composition, Part

#: How many runs of a play are followed.
RUNS = 8


def play_of_steps(
    goal: Goal, reduced: Goal, threads: Sequence[Automaton], made: Sequence[Composition], play: Position, bounds: Limits
) -> Position | None:
    """A play against the goal along a run of one against the goal of blocks, if it is one. Raises LimitReached.

    `threads` are the concrete threads in the order of both compositions, `made` their blocks.
    """
    session = Session(bounds, tuple(a.formula for a in goal.axioms))
    start = Configuration(goal.concrete.initial, play.concrete.values)
    for run in islice(runs_of(play), RUNS):
        try:
            moves = tuple(_steps(goal.concrete, reduced.concrete, threads, made, start, run))
            found = play_against_all(goal, session, start, play.abstract, moves)
        except Unevaluable:
            continue
        if found is not None:
            return found
    return None


def _steps(
    whole: Automaton,
    composed: Automaton,
    threads: Sequence[Automaton],
    made: Sequence[Composition],
    start: Configuration,
    run: Sequence[Move],
) -> Iterator[tuple[int, Move]]:
    """The run step by step: the numbers of its edges in the composition, and its moves. Raises Unevaluable."""
    names = [t.name for t in threads]
    numbers = _numbers(whole)
    here = start
    for block in run:
        thread = names.index(block.edge.thread or "")
        picked = [block.choices[c.var] for c in block.edge.choices]
        for part in _parts(composed, made[thread], thread, block.edge):
            place = _local(threads[thread], part)
            number = numbers[here.location, names[thread]][place]
            edge = whole.edges[number]
            choices = {c.var: picked.pop(0) for c in edge.choices}
            known = {**here.values, **choices}
            here = Configuration(edge.target, {**here.values, **{v: evaluate(t, known) for v, t in edge.updates}})
            yield number, Move(edge, choices, here)


def _numbers(whole: Automaton) -> dict[tuple[str, str], list[int]]:
    """The numbers of a composition's edges by joint location and thread, in the order of the thread's own edges."""
    found = dict[tuple[str, str], list[int]]()
    for number, edge in enumerate(whole.edges):
        found.setdefault((edge.source, edge.thread or ""), []).append(number)
    return found


def _parts(composed: Automaton, made: Composition, thread: int, edge: Edge) -> tuple[Part, ...]:
    """The steps of a block: it is the thread's edge with the same place among those that leave the joint location."""
    leaving = [e for e in composed.edges if (e.source, e.thread) == (edge.source, edge.thread)]
    own = next(q.parts[thread] for q in composed.locations if q.name == edge.source)
    place = next(k for k, e in enumerate(leaving) if e == edge)
    blocks = [p for e, p in zip(made.thread.edges, made.parts, strict=True) if e.source == own]
    return blocks[place]


def _local(thread: Automaton, part: Part) -> int:
    """The place of a written step among those that leave its location."""
    return next(k for k, e in enumerate(edges_from(thread)[part.edge.source]) if e is part.edge or e == part.edge)
