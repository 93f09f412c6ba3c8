"""Whether accepted evidence is true, by enumeration: the oracle's word against the checker's, over finite ranges."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TypeAlias

from msgspec.structs import replace

from sa.automata.automaton import FAIL, Automaton, Kind, variables_of
from sa.certificates.goal import Goal
from sa.certificates.play import Play
from sa.certificates.relation import Relation
from sa.certificates.run import Bad, Run, Snapshot
from sa.certificates.states import States
from sa.certificates.threads import Annotated, Joint, Keeps
from sa.terms.build import eq, land, variable
from sa.terms.evaluate import holds
from sa.terms.sort import BOOL, INT, Value
from sa.terms.substitute import local_of, primed
from sa.terms.term import Var
from tests.checker.relations import is_simulation
from tests.oracle.compatibility import composition, own_locals
from tests.oracle.explicit import all_states, configuration, explicit, reachable
from tests.oracle.game import Pair, board
from tests.oracle.replay import judge

Places: TypeAlias = tuple[str, ...]


def states_of(goal: Goal, relation: Relation) -> frozenset[Pair]:
    """All pairs of states that the relation contains."""
    b = board(goal)
    lemmas = {(p.concrete, p.abstract): land(*p.lemmas) for p in relation.pairs}
    iota = land(*(f.term for f in goal.iota))
    found = set[Pair]()
    for s1, s2 in product(all_states(b.concrete), all_states(b.abstract)):
        lemma = lemmas.get((s1.location, s2.location))
        if lemma is not None:
            values = {**configuration(b.concrete, s1).values, **configuration(b.abstract, s2).values}
            if all(values[v] == x for v, x in configuration(b.concrete, s1).values.items()) and holds(
                land(iota, lemma), values
            ):
                found.add((s1, s2))
    return frozenset(found)


def relation_is_true(goal: Goal, relation: Relation) -> bool:
    """Whether the relation is a weak simulation that covers the start."""
    return is_simulation(goal, states_of(goal, relation))


def play_is_true(goal: Goal, play: Play) -> bool:
    """Whether the play refutes the goal."""
    return judge(goal, play).fault is None


def keeps_is_true(made: Keeps) -> bool:
    """Whether the annotations hold in every reachable state of the threads, and what is bad does not happen."""
    plain = [written(t) for t in made.threads]
    said = [{q.name: q.inv for q in own_locals(t.automaton).locations} for t in made.threads]
    return all(
        all(holds(inv[q], values) for inv, q in zip(said, places, strict=True))
        for places, values in reachable_states(plain)
    ) and not any(happens(plain, n.bad) for n in made.never)


def joint_is_true(made: Joint) -> bool:
    """The same of joint invariants; where there is none nothing is reachable."""
    known = dict(made.invariants)
    return all(
        places in known and holds(known[places], values) for places, values in reachable_states(made.threads)
    ) and not any(happens(made.threads, bad) for bad in made.never)


def states_is_true(made: States) -> bool:
    """Whether what is bad does not happen. What the states leave out does not matter, so they are not compared."""
    return not any(happens(made.threads, bad) for bad in made.never)


def run_is_true(threads: Sequence[Automaton], bads: Sequence[Bad], run: Run) -> bool:
    """Whether the run goes through reachable states, and something of this sort can happen at all."""
    states = {(p, frozenset(v.items())) for p, v in reachable_states(threads)}
    shots = [run.start, *(t.after for t in run.turns)]
    return all(_state(threads, s) in states for s in shots) and any(happens(threads, b) for b in bads)


def _state(threads: Sequence[Automaton], shot: Snapshot) -> tuple[Places, frozenset[tuple[Var, Value]]]:
    values = dict(shot.shared)
    for thread in threads:
        there = shot.threads[thread.name].values
        values |= {local_of(v, thread.name): there[v] for v in variables_of(thread, Kind.LOCAL)}
    return tuple(shot.threads[t.name].location for t in threads), frozenset(values.items())


def written(made: Annotated) -> Automaton:
    """The thread with its ghosts, whose ranges do not matter, and without what is said of it."""
    own = frozenset(v.var for v in made.thread.variables)
    wide = (v if v.var in own or v.var.sort != INT else replace(v, low=-1, high=40) for v in made.automaton.variables)
    return replace(made.automaton, variables=tuple(wide), locations=made.thread.locations)


def reachable_states(threads: Sequence[Automaton]) -> list[tuple[Places, dict[Var, Value]]]:
    """All states of the closed program."""
    whole = composition([own_locals(t) for t in threads])
    still = land(*(eq(primed(v), v) for v in variables_of(whole, Kind.GLOBAL)))
    closed = replace(whole, locations=tuple(replace(q, env=still) for q in whole.locations))
    x = explicit(closed)
    found = (configuration(x, s) for s in reachable(x))
    return [(tuple(c.location.split("|")), dict(c.values)) for c in found]


def happens(threads: Sequence[Automaton], bad: Bad) -> bool:
    """Whether something bad happens in some reachable state."""
    return any(_is_bad(threads, bad, places, values) for places, values in reachable_states(threads))


def _is_bad(threads: Sequence[Automaton], bad: Bad, places: Places, values: dict[Var, Value]) -> bool:
    if bad.claim is not None:
        at = {
            variable(f"at {t.name}.{q.name}", BOOL): q.name == p
            for t, p in zip(threads, places, strict=True)
            for q in t.locations
        }
        if not holds(bad.claim, {**values, **at}):
            return True
    if bad.failing is None:
        return False
    for thread, place in zip(threads, places, strict=True):
        for own, edge in zip(thread.edges, own_locals(thread).edges, strict=True):
            is_asked = own.label is not None and own.label.action == FAIL and own.source == place
            is_asked = is_asked and bad.failing.thread in (None, thread.name) and bad.failing.edge in (None, own)
            if is_asked and not edge.choices and holds(edge.guard, values):
                return True
    return False
