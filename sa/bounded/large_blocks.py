"""Fewer points: steps that no other thread can notice are one with the step before them.

Between such steps a switch makes no difference. A point goes only where some step from it can always be taken:
otherwise the thread may stay there for ever, after a step that others see.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from sa.bounded.dag import Dag, Hop
from sa.terms.build import FALSE, TRUE, land, lnot, lor, variable
from sa.terms.name import staged
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


def fused(dag: Dag, private: Collection[Var]) -> Dag:
    """The thread without the points whose steps read and write only `private` variables."""
    out: dict[int, list[Hop]] = {p: [] for p in range(len(dag.places))}
    into: dict[int, list[Hop]] = {p: [] for p in out}
    for hop in dag.hops:
        out[hop.source].append(hop)
        into[hop.target].append(hop)
    fixed = {0, *(d.point for d in dag.dangers), *(p for p, _ in dag.cut)}
    for here in reversed(range(len(dag.places))):
        if here in fixed or not _goes(into[here], out[here], private):
            continue
        before, after = into.pop(here), out.pop(here)
        for second in after:
            into[second.target].remove(second)
        for first in before:
            out[first.source].remove(first)
            for second in after:
                made = after_another(first, second)
                if made.condition is not FALSE:
                    out[made.source].append(made)
                    into[made.target].append(made)
    return _renumbered(dag, out)


def _goes(before: list[Hop], after: list[Hop], private: Collection[Var]) -> bool:
    if not after or len(before) * len(after) > len(before) + len(after):
        return False
    for hop in after:
        chosen = {c.var for c in hop.choices}
        touched = hop.condition.free.union(hop.updates, *(t.free for t in hop.updates.values()))
        if hop.condition.free & chosen or not touched <= chosen.union(private):
            return False
    return _is_total([hop.condition for hop in after])


def _is_total(conditions: list[Term]) -> bool:
    """Whether one of the conditions surely holds."""
    return lor(*conditions) is TRUE or any(lnot(c) in conditions for c in conditions)


def after_another(first: Hop, second: Hop) -> Hop:
    """The two as one; choices of the second get other names."""
    names = {c.var: variable(staged(c.var.name, len(first.acts)), c.var.sort) for c in second.choices}
    scope: dict[Var, Term] = {**first.updates, **names}
    acts = tuple((act, {c: names[v] for c, v in own.items()}) for act, own in second.acts)
    choices = tuple(replace(c, var=names[c.var]) for c in second.choices)
    return Hop(
        first.source,
        second.target,
        land(first.condition, substitute(second.condition, scope)),
        {**first.updates, **{v: substitute(t, scope) for v, t in second.updates.items()}},
        (*first.choices, *choices),
        (*first.acts, *acts),
    )


def _renumbered(dag: Dag, out: Mapping[int, list[Hop]]) -> Dag:
    """The points that are left, with numbers one after the other."""
    number = {p: i for i, p in enumerate(sorted(out))}
    hops = (h for p in sorted(out) for h in out[p])
    return replace(
        dag,
        places=tuple(dag.places[p] for p in sorted(out)),
        hops=tuple(replace(h, source=number[h.source], target=number[h.target]) for h in hops),
        dangers=tuple(replace(d, point=number[d.point]) for d in dag.dangers),
        cut=tuple((number[p], condition) for p, condition in dag.cut),
    )
