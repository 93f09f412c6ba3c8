"""Silent steps of one thread that are joined with those before them, where nobody can tell.

Once it is known at a location what may be accessed there, a read is no choice any more, and what follows is determined.
A simulation of the joined step is one of its parts: an answer may be given at the first part, since what follows is
known by then, and what was written in between was written at the end.
"""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, edges_from
from sa.automata.components import postorder
from sa.frontends.flow.simplify import simplified
from sa.terms import build
from sa.terms.substitute import substitute

#: At most so many steps take the place of those that are joined at one location.
_MOST_STEPS = 4


def fused(automaton: Automaton) -> Automaton:
    """The automaton without locations that only silent steps without choices leave, and only silent ones enter.

    A location that closes a cycle stays, so that a loop begins where the program text has it.
    """
    leaving = {q: list(edges) for q, edges in edges_from(automaton).items()}
    entering: dict[str, list[Edge]] = {q: [] for q in leaving}
    for edge in automaton.edges:
        entering[edge.target].append(edge)
    order, heads = postorder(automaton.initial, {q: [e.target for e in edges] for q, edges in leaving.items()})
    gone = set[str]()
    for here in order:
        before, after = entering[here], leaving[here]
        if here == automaton.initial or here in heads or not before or not after:
            continue
        if len(before) * len(after) > _MOST_STEPS or not all(map(_is_silent, before)):
            continue
        if not all(_is_silent(e) and not e.choices and e.target != here for e in after):
            continue
        gone.add(here)
        for first in before:
            leaving[first.source].remove(first)
        for second in after:
            entering[second.target].remove(second)
        for both in (_joined(first, second) for first in before for second in after):
            if both.guard is not build.FALSE:
                leaving[both.source].append(both)
                entering[both.target].append(both)
    locations = tuple(q for q in automaton.locations if q.name not in gone)
    return replace(automaton, locations=locations, edges=tuple(e for q in locations for e in leaving[q.name]))


def _is_silent(edge: Edge) -> bool:
    return edge.label is None and edge.failure is None


def _joined(first: Edge, second: Edge) -> Edge:
    done = dict(first.updates)
    guard = simplified(build.land(first.guard, substitute(second.guard, done)))
    later = {v: simplified(substitute(t, done)) for v, t in second.updates}
    updates = tuple((v, t) for v, t in {**done, **later}.items() if v is not t)
    return replace(first, target=second.target, guard=guard, updates=updates)
