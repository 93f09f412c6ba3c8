"""Checks a proof by all pairs of states: ι holds, the start is among them, and each concrete step has an answer.

Initial coverage is asked of the solver, as for a `Relation`; everything else is evaluated. Real states agree with the
listed ones on what is kept at their locations, and steps depend on nothing else (`checker.stages`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain

from msgspec import Struct, field

from sa.base.limits import Limits, check_memory, spend
from sa.certificates.goal import Goal, iota_of, kappa_of
from sa.certificates.pairs import StatePairs
from sa.certificates.relation import Relation
from sa.checker.claim import claim
from sa.checker.enumeration import Endless, Row
from sa.checker.environments import declared
from sa.checker.obligation import discharge
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.scope import goal_fault, relation_fault
from sa.checker.side import Side, invariant
from sa.checker.solvers import Z3, Solvers
from sa.checker.stages import Action, Stage, State, Unknowable, initial_states, stage
from sa.checker.weak_simulation import coverage
from sa.terms.build import land
from sa.terms.compile import executable, predicate
from sa.terms.evaluate import Unevaluable
from sa.terms.term import Var

#: How many concrete states are looked at between two looks at the clock.
_BETWEEN_LOOKS = 256


class _Unanswered(Exception):
    """The evidence is rejected for this."""

    def __init__(self, ruling: Rejected) -> None:
        super().__init__(ruling.why)
        self.ruling = ruling


class _Listed(Struct, eq=False):
    """The evidence by numbers: `ends` are sets of abstract states, `partners` says which set a concrete state has.

    Abstract states on the way to an answer need not be listed; they get numbers behind the others. `answered` remembers
    what is known of answers by state, action and set of ends.
    """

    stages: tuple[Stage, Stage]
    numbers: dict[State, int]
    states: list[State]
    known: Mapping[State, int]
    ends: tuple[frozenset[int], ...]
    partners: tuple[int, ...]
    steps: dict[int, list[tuple[Action, int]]] = field(default_factory=dict)
    answered: set[tuple[int, Action, int]] = field(default_factory=set)


def check_pairs(goal: Goal, made: StatePairs, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether the pairs prove the goal. Raises LimitReached, and SolverDisagrees on an internal error."""
    fault = goal_fault(goal)
    if fault is not None:
        return Rejected("well-formed goal", fault)
    if not goal.closed or goal.choose_init:
        return Rejected("well-formed evidence", "pairs of states are evidence for closed goals only")
    opened = claim(goal, Relation((), (), (), made.openings))
    sides = opened.concrete, opened.abstract
    fault = relation_fault(*sides, Relation((), (), (), made.openings)) or _fault(sides, made)
    if fault is not None:
        return Rejected("well-formed evidence", fault)
    session = solvers.session(bounds, [a.formula for a in goal.axioms], seed)
    asked = chain(declared(opened), (coverage(opened),))
    failure = next((f for o in asked if (f := discharge(session, frozenset(), o)) is not None), None)
    if failure is not None:
        return failure
    try:
        listed = _listed(sides, made)
        _started(goal, sides, listed)
        _related(goal, made, listed, bounds)
        _answered(listed, bounds)
    except _Unanswered as wrong:
        return wrong.ruling
    except Endless as problem:
        return Rejected("enumeration", f"{problem} has infinitely many values")
    except (Unknowable, Unevaluable) as problem:
        return Rejected("well-formed evidence", str(problem))
    return Accepted()


def _fault(sides: tuple[Side, Side], made: StatePairs) -> str | None:
    for s, states in zip(sides, (made.concrete, made.abstract), strict=True):
        own = frozenset(v.var for v in s.automaton.variables)
        if len(states.kept) != len(s.automaton.locations) or any(not kept <= own for kept in states.kept):
            return f"{s.automaton.name}: what is kept is not told of each location"
        if any(not 0 <= place < len(states.kept) for place, _ in states.states):
            return f"{s.automaton.name}: a state is at no location"
        if any(len(row) != len(states.kept[place]) for place, row in states.states):
            return f"{s.automaton.name}: a state does not give the values of what is kept"
        if len(frozenset(states.states)) < len(states.states):
            return f"{s.automaton.name}: a state is listed twice"
    count = len(made.concrete.states) * len(made.abstract.states)
    return None if all(0 <= pair < count for pair in made.pairs) else "a pair is about states that are not listed"


def _listed(sides: tuple[Side, Side], made: StatePairs) -> _Listed:
    width, partners = len(made.abstract.states), dict[int, set[int]]()
    for pair in made.pairs:
        partners.setdefault(pair // width, set()).add(pair % width)
    sets = dict[frozenset[int], int]({frozenset(): 0})
    which = [
        sets.setdefault(frozenset(partners.get(number, ())), len(sets)) for number in range(len(made.concrete.states))
    ]
    return _Listed(
        (stage(sides[0], made.concrete), stage(sides[1], made.abstract)),
        {state: number for number, state in enumerate(made.abstract.states)},
        list(made.abstract.states),
        {state: number for number, state in enumerate(made.concrete.states)},
        tuple(sets),
        tuple(which),
    )


def _started(goal: Goal, sides: tuple[Side, Side], listed: _Listed) -> None:
    """Every pair of initial states that κ relates is listed."""
    started = land(
        kappa_of(goal),
        *(t for s in sides for t in (s.automaton.init, *invariant(s, s.automaton.initial))),
    )
    for concrete, abstract in initial_states(listed.stages, started):
        number = listed.known.get(concrete)
        if number is None or listed.numbers.get(abstract) not in listed.ends[listed.partners[number]]:
            raise _Unanswered(Rejected("start", "a pair of initial states is missing", _place(listed, concrete)))


def _related(goal: Goal, made: StatePairs, listed: _Listed, bounds: Limits) -> None:
    """ι holds of every pair."""
    iota, tests = iota_of(goal), dict[tuple[int, int], Callable[[Row], bool]]()
    # Few sets of variables are known at the many pairs of locations.
    made_of = dict[tuple[Var, ...], Callable[[Row], bool]]()
    for count, (state, which) in enumerate(zip(made.concrete.states, listed.partners, strict=True)):
        if count % _BETWEEN_LOOKS == 0:
            spend(bounds, 200)
        place, row = state
        for number in listed.ends[which]:
            there, other = made.abstract.states[number]
            test = tests.get((place, there))
            if test is None:
                scope = (*listed.stages[0].known[place], *listed.stages[1].known[there])
                if scope not in made_of:
                    if not executable((iota,), scope):
                        raise Unknowable("the states do not tell whether ι holds")
                    made_of[scope] = predicate(iota, scope)
                test = tests[place, there] = made_of[scope]
            if not test((*row, *other)):
                raise _Unanswered(Rejected("relation", "a pair breaks ι", _place(listed, state)))


def _answered(listed: _Listed, bounds: Limits) -> None:
    """Each concrete step from a pair has an answer that ends in a pair."""
    for count, (state, number) in enumerate(listed.known.items()):
        if count % _BETWEEN_LOOKS == 0:
            spend(bounds, 200)
            check_memory(bounds)
        here = listed.ends[listed.partners[number]]
        if not here:
            continue
        for action, after in listed.stages[0].steps(state):
            there = listed.known.get(after)
            wanted = 0 if there is None else listed.partners[there]
            for partner in here:
                if not _is_answered(listed, partner, action, wanted, bounds):
                    raise _Unanswered(Rejected("answer", "a step has no answer", _place(listed, state)))


def _is_answered(listed: _Listed, start: int, action: Action, wanted: int, bounds: Limits) -> bool:
    """Whether silent steps, with one that shows the action among them, lead to one of the ends wanted."""
    ends = listed.ends[wanted]
    if action is None and start in ends:
        return True
    key = start, action, wanted
    if key in listed.answered:
        return True
    stops = {(start, action is None): None}
    pending = list(stops)
    # The list grows while it is walked: breadth first, for most answers are short.
    for count, (number, shown) in enumerate(pending, 1):
        if count % _BETWEEN_LOOKS == 0:
            spend(bounds, 200)
            check_memory(bounds)
        if shown and number in ends:
            listed.answered.add(key)
            return True
        for seen, after in _steps(listed, number):
            stop = after, shown or seen is not None
            if (seen is None or (seen == action and not shown)) and stop not in stops:
                stops[stop] = None
                pending.append(stop)
    return False


def _steps(listed: _Listed, number: int) -> list[tuple[Action, int]]:
    found = listed.steps.get(number)
    if found is None:
        made = dict.fromkeys(listed.stages[1].steps(listed.states[number]))
        found = listed.steps[number] = [(action, _number(listed, after)) for action, after in made]
    return found


def _number(listed: _Listed, state: State) -> int:
    number = listed.numbers.setdefault(state, len(listed.states))
    if number == len(listed.states):
        listed.states.append(state)
    return number


def _place(listed: _Listed, state: State) -> str:
    return listed.stages[0].automaton.locations[state[0]].name
