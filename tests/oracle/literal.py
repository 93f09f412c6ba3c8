"""Definition 6 spelled out with no regard for cost: a second opinion on the oracle, for tiny goals only.

Shares nothing with `game.py`: all valuations by product, every formula by `sa.terms.evaluate`, relations as
sets of pairs of states closed by repeated composition, and θ by dropping from all pairs until nothing changes.
"""

from __future__ import annotations

from itertools import product

from sa.automata.automaton import Automaton, Kind, Variable
from sa.certificates.goal import Goal, iota_of, kappa_of
from sa.terms.evaluate import evaluate, holds
from sa.terms.sort import Value, finite_values
from sa.terms.substitute import primed
from sa.terms.term import Var

State = tuple[str, tuple[Value, ...]]
Relation = set[tuple[State, State]]


def values_of(v: Variable) -> list[Value]:
    every = finite_values(v.var.sort)
    if every is not None:
        return list(every)
    assert v.low is not None and v.high is not None
    return list(range(v.low, v.high + 1))


def valuation(a: Automaton, s: State) -> dict[Var, Value]:
    return dict(zip((v.var for v in a.variables), s[1], strict=True))


def states(a: Automaton) -> list[State]:
    rows = list(product(*(values_of(v) for v in a.variables)))
    return [(q.name, row) for q in a.locations for row in rows if holds(q.inv, valuation(a, (q.name, row)))]


def component(a: Automaton) -> set[tuple[State, object, State]]:
    """Steps as triples; what is seen of a silent step is None."""
    every = set(states(a))
    steps: set[tuple[State, object, State]] = set()
    for s in every:
        for e in a.edges:
            for picked in product(*(values_of(c) for c in e.choices)):
                here = {**valuation(a, s), **dict(zip((c.var for c in e.choices), picked, strict=True))}
                if e.source == s[0] and holds(e.guard, here):
                    updates = dict(e.updates)
                    after = (e.target, tuple(evaluate(updates.get(v.var, v.var), here) for v in a.variables))
                    seen = (e.label.action, *(evaluate(t, here) for t in e.label.values)) if e.label else None
                    if after in every:
                        steps.add((s, seen, after))
    return steps


def environment(a: Automaton) -> Relation:
    every = states(a)
    env = {q.name: q.env for q in a.locations}
    fixed = [i for i, v in enumerate(a.variables) if v.kind is not Kind.GLOBAL]
    found = set()
    for s, t in product(every, every):
        if s[0] == t[0] and all(s[1][i] == t[1][i] for i in fixed):
            both = {**valuation(a, s), **{primed(v): x for v, x in valuation(a, t).items()}}
            relation = env[s[0]]
            assert relation is not None
            if holds(relation, both):
                found.add((s, t))
    return found


def closed(relation: Relation, every: list[State]) -> dict[State, set[State]]:
    """The reflexive transitive closure."""
    star = {s: {s} for s in every}
    changed = True
    while changed:
        changed = False
        for s in every:
            more = {t for middle in star[s] for m, t in relation if m == middle} - star[s]
            star[s] |= more
            changed = changed or bool(more)
    return star


def simulated(goal: Goal) -> bool:
    """The verdict of Definition 6, with initial coverage and, for open goals, matched environments."""
    a1, a2 = goal.concrete, goal.abstract
    all1, all2 = states(a1), states(a2)
    steps1, steps2 = component(a1), component(a2)
    env1, env2 = environment(a1), closed(environment(a2), all2)
    silent = closed({(s, t) for s, seen, t in steps2 if seen is None}, all2)

    def both(s1: State, s2: State) -> dict[Var, Value]:
        return {**valuation(a1, s1), **valuation(a2, s2)}

    def params(a: Automaton, s: State) -> list[Value]:
        return [x for v, x in zip(a.variables, s[1], strict=True) if v.kind is Kind.PARAM]

    def answers(s2: State, seen: object) -> set[State]:
        if seen is None:
            return silent[s2]
        return {e for m in silent[s2] for f, label, t in steps2 if f == m and label == seen for e in silent[t]}

    iota = {p for p in product(all1, all2) if params(a1, p[0]) == params(a2, p[1]) and holds(iota_of(goal), both(*p))}
    theta = set(iota)

    def good(s1: State, s2: State) -> bool:
        moves = [t for s, t in env1 if s == s1]
        environment_move = all((t1, t2) in theta for t1 in moves for t2 in env2[s2] if (t1, t2) in iota)
        match = goal.closed or all(any((t1, t2) in theta for t2 in env2[s2]) for t1 in moves)
        reply = all(any((t1, t2) in theta for t2 in answers(s2, seen)) for s, seen, t1 in steps1 if s == s1)
        return environment_move and match and reply

    changed = True
    while changed:
        kept = {p for p in theta if good(*p)}
        changed, theta = kept != theta, kept
    for s1 in all1:
        if s1[0] != a1.initial or not holds(a1.init, valuation(a1, s1)):
            continue
        related = [
            (s1, s2) in theta
            for s2 in all2
            if s2[0] == a2.initial
            and holds(a2.init, valuation(a2, s2))
            and params(a1, s1) == params(a2, s2)
            and holds(kappa_of(goal), both(s1, s2))
        ]
        if not related or not (any(related) if goal.choose_init else all(related)):
            return False
    return True
