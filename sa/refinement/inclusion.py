"""Bounded inclusion: a concrete run on few values that no abstract run matches, among the threads as they are.

Runs are followed by the set of all abstract states that may match them (the subset construction), and looked at best
first: short ones with few changes of thread before a thread has to wait (iterative context bounding, Musuvathi and
Qadeer 2007). Of threads whose steps commute with all others' one goes first (`explicit.stubborn_sets`), and a run whose
state was reached with fewer abstract states to match it is not gone on with (antichains, De Wulf and others 2006). The
composition is not made: of its locations only those are looked at that runs come to. Few values are a guess, so what is
found is followed against all abstract states at last.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from random import Random

from msgspec import Struct, field

from sa.automata.automaton import Variable
from sa.automata.trace import Configuration, Move
from sa.base.budget import Budget, Event, Report
from sa.base.limits import Limits, check_memory, part_of, spend
from sa.certificates.goal import Goal, iota_of
from sa.certificates.play import Position
from sa.explicit.instantiate import at_random, interesting, picks
from sa.explicit.joint import Joint, joint
from sa.explicit.live_variables import kept
from sa.explicit.machine import Stride, machine
from sa.explicit.stubborn_sets import Standing, standings, stubborn
from sa.question.asked import GoalAsked, Lost
from sa.refinement.play_against_all import play_against_all
from sa.refinement.shorter_runs import shortened, track
from sa.refinement.sides import numbered
from sa.smt.session import Session
from sa.terms.evaluate import Unevaluable, evaluate
from sa.terms.term import IsZero, Le, Sum, Var, subterms
from sa.values.answers import following
from sa.values.followers import Followers, Front
from sa.values.monotone_bounds import one_way
from sa.values.opening import opening
from sa.values.search import terms_of

#: How many values are tried for numbers and ranges, and the part of the steps that is made with them.
POOLS = ((2, 1.0), (4, 0.5))

#: The part of the work for what tests compare chosen numbers with.
COMPARED = 0.4

#: How many abstract states match a run, and how many are looked at for one answer.
MATCHING, LOOKED_AT = 300, 500

#: What it costs that another thread moves although the one before could go on, in steps.
PREEMPTION = 3

#: How many initial states are begun with, and how many are looked at for them.
STARTS, DRAWN = 4, 40

#: An abstract state that is looked at is cheaper than a step.
LOOKS_PER_STEP = 10

#: Units of a node, and comparisons of two sets of abstract states that are one unit.
A_NODE, COMPARISONS = 80, 20

#: How many runs are told that seem to escape, and how many abstract states are listed for one of them.
TOLD, LISTED = 4, 1_000


def by_inclusion(steps: int, asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Lost]:
    """A play along a run on few values that no abstract run matches, by so many steps. Raises LimitReached."""
    goal, tried = asked.goal, ("included", asked.goal, steps)
    if not goal.closed or goal.choose_init or goal.axioms or tried in asked.shared.made:
        return
    dice, cuts = Random(budget.seed), budget.bounds.work.cuts
    for values, part, share in _pools(goal):
        report(Event("runs that nobody matches", {"values": len(values)}))
        with part_of(budget.bounds, share) as own:
            try:
                for play in _plays(goal, Session(own, (), budget.seed), values, int(part * steps), dice):
                    yield Lost(play)
                    return
            except Unevaluable:
                continue
    if budget.bounds.work.cuts == cuts:
        asked.shared.once(tried, lambda: True)


def _pools(goal: Goal) -> Iterator[tuple[tuple[int, ...], float, float]]:
    """The values that are tried, the part of the steps that is made with them, and the part of the work that is left:
    zero and what tests compare chosen numbers with, if that is more than small numbers, and these.
    """
    usual, asked = interesting(terms_of(goal)), (0, *compared(goal))
    (few, first), (more, second) = POOLS
    if not set(asked[: few + 1]) <= set(usual[:few]):
        yield asked[: few + 1], second, COMPARED
    yield usual[:few], first, 1.0
    yield usual[:more], second, 1.0


def compared(goal: Goal) -> tuple[int, ...]:
    """Numbers that tests compare chosen numbers with, and where inequalities change: no zero, and no ends of ranges."""
    edges = (*goal.concrete.edges, *goal.abstract.edges)
    known = {v.var: v for side in (goal.concrete, goal.abstract) for v in side.variables}
    chosen = {c.var: c for e in edges for c in e.choices}
    chosen |= {v: known[v] for e in edges for v, t in e.updates if t in chosen}
    found = dict[int, None]()
    for term in subterms(t for e in edges for t in (e.guard, *(t for _, t in e.updates))):
        match term:
            case IsZero(Sum(constant, ((Var() as var, factor),))) if var in chosen and constant % factor == 0:
                numbers: tuple[int, ...] = (-constant // factor,)
            case Le(Sum(constant, ((Var() as var, factor),))) if var in chosen:
                # A test is the negation of another one where the number is one more or less.
                numbers = (-constant // factor, -constant // factor + (1 if factor > 0 else -1))
            case _:
                continue
        found.update(dict.fromkeys(n for n in numbers if n != 0 and _is_inside(chosen[var], n)))
    return tuple(found)


def _is_inside(variable: Variable, number: int) -> bool:
    return all(end is None or (number - end) * sign > 0 for end, sign in ((variable.low, 1), (variable.high, -1)))


class _Node(Struct, frozen=True, eq=False):
    """A state with the abstract states that match a run to it, and the last step of that run."""

    state: int
    front: Front
    before: _Node | None
    stride: Stride | None


class _Search(Struct, eq=False):
    concrete: Joint
    standing: tuple[tuple[Standing, ...], ...]
    followers: Followers
    heap: list[tuple[int, int, _Node]] = field(default_factory=list)
    passed: dict[int, list[Front]] = field(default_factory=dict)
    made: int = 0

    def steps(self) -> int:
        """What was done so far, in steps."""
        return self.made + self.followers.following.looks // LOOKS_PER_STEP


def _plays(goal: Goal, session: Session, values: tuple[int, ...], steps: int, dice: Random) -> Iterator[Position]:
    """Plays along runs that nobody matches. Raises LimitReached and Unevaluable."""
    watched, pool = iota_of(goal).free, len(values)
    concrete = joint(goal.concrete, watched, values, pool)
    abstract = machine(goal.abstract, values, kept(goal.abstract, watched), pool)
    ends = following(goal, concrete, abstract, one_way(goal, session), LOOKED_AT, session.bounds)
    search = _Search(concrete, standings(concrete.threads, watched), Followers(ends, MATCHING))
    begun = dict[int, tuple[Configuration, Configuration, int]]()
    for first, second in _starts(goal, values, pool, dice):
        state, other = concrete.start(tuple(first.values.values())), numbered(abstract, second)
        if state not in begun and ends.keeps(state, other):
            begun[state] = first, second, other
            heappush(search.heap, (0, -len(begun), _Node(state, frozenset((other,)), None, None)))
    for node in _outrun(search, steps, session.bounds):
        start, strides = _run(node)
        first, second, other = begun[start]
        run = track(search.followers, start, other, strides)
        if run.escapes:
            short = shortened(concrete.steps, id, search.followers, run, session.bounds)
            play = play_against_all(goal, session, first, second, _moves(goal, concrete, first, short), LISTED)
            if play is not None:
                yield play


def _starts(
    goal: Goal, values: tuple[int, ...], few: int, dice: Random
) -> Iterator[tuple[Configuration, Configuration]]:
    """Some initial states of both sides that are related. Raises Unevaluable."""
    wanted, found = opening(goal), 0
    given, how = tuple(v.var for v in wanted.variables), picks(wanted.formula, (), wanted.variables, values, few)
    for _ in range(DRAWN):
        row = at_random(how, (), dice)
        if row is not None and found < STARTS:
            found += 1
            known = dict(zip(given, row, strict=True))
            first, second = (
                Configuration(side.initial, {v.var: known[v.var] for v in side.variables})
                for side in (goal.concrete, goal.abstract)
            )
            yield first, second


def _outrun(search: _Search, steps: int, bounds: Limits) -> Iterator[_Node]:
    """Ends of runs that nobody seems to match, best ones first. Raises LimitReached and Unevaluable."""
    told = 0
    while search.heap and search.steps() < steps and told < TOLD:
        cost, _, node = heappop(search.heap)
        # A state that is reached with many sets that do not contain each other takes longer each time.
        spend(bounds, len(search.passed.get(node.state, ())) // COMPARISONS)
        if not _is_new(search, node.state, node.front):
            continue
        spend(bounds, A_NODE)
        check_memory(bounds)
        for stride, price in _strides(search, node):
            search.made += 1
            after = search.followers.after(node.front, stride)
            if after is None:
                continue
            there = _Node(stride.after, after, node, stride)
            if not after:
                told += 1
                yield there
            else:
                heappush(search.heap, (cost + price, search.made, there))


def _is_new(search: _Search, state: int, front: Front) -> bool:
    """Whether a state was not reached yet with as few abstract states or fewer; it is noted."""
    known = search.passed.setdefault(state, [])
    if any(f <= front for f in known):
        return False
    known[:] = [f for f in known if not front <= f]
    known.append(front)
    return True


def _strides(search: _Search, node: _Node) -> Iterator[tuple[Stride, int]]:
    """The steps that are made from a state, with what they cost. Raises Unevaluable."""
    every = search.concrete.steps(node.state).strides
    mine = [[s for s in every if s.edge.thread == t.name] for t in search.concrete.threads]
    places = search.concrete.places[node.state]
    standing = [by_place[p] for by_place, p in zip(search.standing, places, strict=True)]
    moving = stubborn(standing, [bool(strides) for strides in mine])
    # Where nothing new comes of these, others would be put off for ever.
    if not any(s.after not in search.passed for n in moving for s in mine[n]):
        moving = frozenset(range(len(mine)))
    last = None if node.stride is None else node.stride.edge.thread
    could_go_on = any(s.edge.thread == last for s in every)
    for n in moving:
        price = 1 + (PREEMPTION if could_go_on and search.concrete.threads[n].name != last else 0)
        yield from ((s, price) for s in mine[n])


def _run(node: _Node) -> tuple[int, tuple[Stride, ...]]:
    """Where the run to a node begins, and its steps."""
    strides = list[Stride]()
    while node.before is not None and node.stride is not None:
        strides.append(node.stride)
        node = node.before
    return node.state, tuple(reversed(strides))


def _moves(goal: Goal, concrete: Joint, here: Configuration, strides: tuple[Stride, ...]) -> list[tuple[int, Move]]:
    """The steps of the threads as those of their composition, with the numbers of its edges. Raises Unevaluable."""
    numbers = dict[tuple[str, str], list[int]]()
    for number, edge in enumerate(goal.concrete.edges):
        numbers.setdefault((edge.source, edge.thread or goal.concrete.name), []).append(number)
    found = list[tuple[int, Move]]()
    for stride in strides:
        number = numbers[here.location, stride.edge.thread or ""][concrete.place(stride.edge)]
        edge = goal.concrete.edges[number]
        choices = dict(zip((c.var for c in edge.choices), stride.picked, strict=True))
        known = {**here.values, **choices}
        here = Configuration(edge.target, {**here.values, **{v: evaluate(t, known) for v, t in edge.updates}})
        found.append((number, Move(edge, choices, here)))
    return found
