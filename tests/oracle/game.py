"""The weak simulation game (paper, Definition 6; THEORY sections 3 and 7) decided by enumeration.

θ is the greatest set of pairs of states that satisfy `ι`, `Inv1`, `Inv2` and from which

- (2.a) every environment step of the concrete side together with every finite sequence of environment
  steps of the abstract side, after which `ι` holds, leads to θ;
- (2.b, 2.c) every component step of the concrete side has an answer `τ* σ τ*`, or `τ*` to a silent
  step, of the abstract side that leads to θ;
- (section 7, open goals only) every environment step of the concrete side is matched by some finite
  sequence of environment steps of the abstract side that leads to θ.

The claim is that θ contains every pair of initial states that κ relates, and that κ relates some abstract
initial state to each concrete one; with `choose_init`, that each concrete initial state has one that κ
relates to it and θ contains. Initial states satisfy the invariant of the initial location.

Only pairs are looked at that moves and answers reach from related initial pairs. This loses nothing: the
conditions on a pair speak of its own moves and answers alone, so the greatest fixed point among
such pairs is the greatest fixed point of all pairs, confined to them. Axioms are not supported.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from msgspec import Struct

from sa.certificates.goal import Goal, iota_of, kappa_of, matches_environments
from sa.terms.evaluate import Unevaluable
from tests.oracle.explicit import (
    Action,
    Explicit,
    State,
    component_steps,
    environment_closure,
    environment_steps,
    explicit,
    initial_states,
    interned,
    silent_closure,
)
from tests.oracle.formula import Row, predicate

Pair = tuple[State, State]


class Ending(Enum):
    """What decided the claim."""

    SIMULATED = "the initial pairs are in θ"
    UNCOVERED = "a concrete initial state has no abstract one that κ relates to it"
    BROKEN_AT_START = "an initial pair that κ relates violates ι"
    LOST = "an initial pair that κ relates is not in θ"


class Decision(Struct, frozen=True):
    """The answer. `rank` gives the round in which a pair left θ, from 1; `pairs` counts those looked at.

    `opening` are the initial pairs that κ relates; `culprit` is a concrete initial state that has no cover
    or only lost pairs, None where the claim holds.
    """

    simulated: bool
    ending: Ending
    theta: frozenset[Pair]
    rank: dict[Pair, int]
    pairs: int
    opening: tuple[Pair, ...]
    culprit: State | None


class Needs(Struct, frozen=True):
    """What keeps a pair in θ: all of `every` are in θ, and of each set in `some` one is."""

    every: frozenset[Pair]
    some: tuple[frozenset[Pair], ...]


class Board(Struct, frozen=True, eq=False):
    """The two sides ready for enumeration, with what was computed before."""

    goal: Goal
    concrete: Explicit
    abstract: Explicit
    iota: Callable[[Row], bool]
    kappa: Callable[[Row], bool]
    answers: dict[tuple[State, Action], frozenset[State]]
    related: dict[tuple[State, frozenset[State]], frozenset[Pair]]


def board(goal: Goal) -> Board:
    """The goal ready for enumeration. Raises Unbounded, and Unevaluable where functions are involved."""
    if goal.axioms:
        raise Unevaluable("axioms")
    concrete, abstract = explicit(goal.concrete), explicit(goal.abstract)
    # A parameter of both sides stands twice in this row, with one value: pairs agree on parameters.
    both = (*concrete.order, *abstract.order)
    iota, kappa = predicate(iota_of(goal), both), predicate(kappa_of(goal), both)
    return Board(goal, concrete, abstract, iota, kappa, {}, {})


def decide(goal: Goal) -> Decision:
    """Whether the concrete side is simulated. Raises Unbounded and Unevaluable."""
    b = board(goal)
    opening = openings(b)
    roots = [(s1, s2) for s1, partners in opening.items() for s2 in partners]
    needs = game_graph(b, [pair for pair in roots if is_related(b, pair)])
    rank = removal_rounds(needs)
    theta = frozenset(pair for pair in needs if pair not in rank)
    ending, culprit = _ending(b, opening, theta)
    return Decision(ending is Ending.SIMULATED, ending, theta, rank, len(needs), tuple(roots), culprit)


def decided_at_start(decision: Decision) -> bool:
    """Whether nothing had to be played: the start alone decided, or no pair ever left θ."""
    match decision.ending:
        case Ending.SIMULATED:
            return not decision.rank
        case Ending.UNCOVERED | Ending.BROKEN_AT_START:
            return True
        case Ending.LOST:
            return any(decision.rank.get(pair) == 1 for pair in decision.opening)


def _ending(b: Board, opening: dict[State, list[State]], theta: frozenset[Pair]) -> tuple[Ending, State | None]:
    for s1, partners in opening.items():
        if not partners:
            return Ending.UNCOVERED, s1
    for s1, partners in opening.items():
        kept = [(s1, s2) in theta for s2 in partners]
        if not (any(kept) if b.goal.choose_init else all(kept)):
            broken = [s2 for s2 in partners if not is_related(b, (s1, s2))]
            at_start = len(broken) == len(partners) if b.goal.choose_init else bool(broken)
            return Ending.BROKEN_AT_START if at_start else Ending.LOST, s1
    return Ending.SIMULATED, None


def openings(b: Board) -> dict[State, list[State]]:
    """For each concrete initial state the abstract ones that κ relates to it; they agree on parameters."""
    common = [
        (i, b.abstract.order.index(v))
        for i, v in enumerate(b.concrete.order[: b.concrete.params])
        if v in b.abstract.order
    ]
    candidates = initial_states(b.abstract)
    return {
        s1: [s2 for s2 in candidates if all(s1.row[i] == s2.row[j] for i, j in common) and b.kappa(s1.row + s2.row)]
        for s1 in initial_states(b.concrete)
    }


def is_related(b: Board, pair: Pair) -> bool:
    """Whether a pair satisfies ι."""
    return b.iota(pair[0].row + pair[1].row)


def game_graph(b: Board, roots: list[Pair]) -> dict[Pair, Needs]:
    """What each pair needs, for the pairs that are reached from `roots` and satisfy ι."""
    graph: dict[Pair, Needs] = {}
    pending = list(roots)
    while pending:
        pair = pending.pop()
        if pair not in graph:
            graph[pair] = needs_of(b, pair)
            pending.extend(graph[pair].every)
            pending.extend(other for answers in graph[pair].some for other in answers)
    return graph


def needs_of(b: Board, pair: Pair) -> Needs:
    """The conditions 2.a, 2.b, 2.c and the matching of environments for one pair."""
    s1, s2 = pair
    drifted = environment_closure(b.abstract, s2)
    environment_paths = [_related(b, after, drifted) for after in environment_steps(b.concrete, s1)]
    replies = [_related(b, step.after, answers_to(b, s2, step.action)) for step in component_steps(b.concrete, s1)]
    matched = environment_paths if matches_environments(b.goal) else ()
    return Needs(frozenset().union(*environment_paths), tuple(dict.fromkeys([*replies, *matched])))


def _related(b: Board, s1: State, candidates: frozenset[State]) -> frozenset[Pair]:
    found = b.related.get((s1, candidates))
    if found is None:
        pairs = ((s1, s2) for s2 in candidates)
        found = b.related[s1, candidates] = frozenset(pair for pair in pairs if is_related(b, pair))
    return found


def answers_to(b: Board, s2: State, action: Action) -> frozenset[State]:
    """The ends of the abstract paths `τ* σ τ*`, or `τ*` where the action is silent."""
    found = b.answers.get((s2, action))
    if found is None:
        before = silent_closure(b.abstract, [s2])
        if action is None:
            found = before
        else:
            steps = [step for s in before for step in component_steps(b.abstract, s)]
            found = silent_closure(b.abstract, [step.after for step in steps if step.action == action])
        found = b.answers[s2, action] = interned(b.abstract, found)
    return found


def removal_rounds(graph: dict[Pair, Needs]) -> dict[Pair, int]:
    """The round in which each pair leaves, when each round drops all pairs whose needs the rest does not meet.

    A pair that stays for ever has no entry. A round looks again only at pairs that need one just dropped.
    """
    needed_by: dict[Pair, list[Pair]] = {pair: [] for pair in graph}
    for pair, needs in graph.items():
        for other in needs.every.union(*needs.some):
            needed_by[other].append(pair)
    rank: dict[Pair, int] = {}
    suspects: set[Pair] = set(graph)
    number = 0
    while suspects:
        number += 1
        dropped = [p for p in suspects if p not in rank and not _met(graph[p], rank)]
        rank.update(dict.fromkeys(dropped, number))
        suspects = {p for d in dropped for p in needed_by[d]}
    return rank


def _met(needs: Needs, gone: dict[Pair, int]) -> bool:
    return gone.keys().isdisjoint(needs.every) and all(any(p not in gone for p in answers) for answers in needs.some)
