"""Judges state by state whether a closed program preserves that runs end, or that nobody is stuck (THEORY 15).

Everything is evaluated. The evidence for it lists pairs of a concrete state and a set of abstract ones; each step of
each pair is looked at. The evidence against it is a run, and all abstract runs that show the same are followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Automaton, Edge, edges_from
from sa.automata.components import on_cycles
from sa.automata.trace import Configuration
from sa.base.limits import Limits, check_memory, spend
from sa.certificates.goal import Goal
from sa.certificates.preservation import Kept, Matched, Unmatched
from sa.checker.enumeration import Endless, Enumeration, Row, enumeration, extended
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.run import check_steps
from sa.checker.scope import goal_fault
from sa.checker.side import within
from sa.terms.build import land
from sa.terms.compile import guarded, predicate
from sa.terms.evaluate import Unevaluable
from sa.terms.sort import Value
from sa.terms.term import Term, Var, sort_of

#: More states than these, of one side, are too many.
MOST = 60_000

#: A location and the values of all variables.
State: TypeAlias = tuple[str, Row]
#: What is seen of a step: the action, the sorts and values it shows; None for a silent one.
Action: TypeAlias = tuple[str, tuple[str, ...], Row] | None


class _Wrong(Exception):
    """The evidence is rejected for this."""

    def __init__(self, obligation: str, why: str) -> None:
        super().__init__(why)
        self.ruling = Rejected(obligation, why)


class _Edge(Struct, frozen=True, eq=False):
    """An edge made ready: from a row with choices to what is written and what is shown."""

    target: str
    choices: Enumeration | None
    values: Callable[[Row], Row | None]
    written: tuple[int, ...]
    label: tuple[str, tuple[str, ...]] | None


class _Side(Struct, eq=False):
    """One side of a goal, and the steps from its states as they are asked for."""

    order: tuple[Var, ...]
    legal: Mapping[str, Callable[[Row], bool]]
    leaving: Mapping[str, tuple[_Edge, ...]]
    bounds: Limits
    known: dict[State, tuple[tuple[Action, State], ...]] = field(default_factory=dict)

    def steps(self, state: State) -> tuple[tuple[Action, State], ...]:
        """What is seen of each step, and where it leads. Raises Endless and LimitReached."""
        found = self.known.get(state)
        if found is None:
            made = (s for edge in self.leaving[state[0]] for s in _along(edge, state[1]))
            found = self.known[state] = tuple(dict.fromkeys(s for s in made if self.legal[s[1][0]](s[1][1])))
            if len(self.known) % 1_000 == 0:
                spend(self.bounds, 5_000)
                check_memory(self.bounds)
            if len(self.known) > MOST:
                raise _Wrong("states", "they are too many")
        return found

    def silent(self, state: State) -> list[State]:
        """Where silent steps lead."""
        return [after for action, after in self.steps(state) if action is None]

    def closed(self, states: Set[State], inside: Set[State] | None = None) -> frozenset[State]:
        """The states and what silent steps lead to, among some if these are given."""
        found, frontier = set(states), list(states)
        while frontier:
            for after in self.silent(frontier.pop()):
                if after not in found and (inside is None or after in inside):
                    found.add(after)
                    frontier.append(after)
        return frozenset(found)

    def showing(self, states: Set[State], action: Action) -> frozenset[State]:
        """What a step that is seen so leads to."""
        return frozenset(after for s in states for seen, after in self.steps(s) if seen == action)

    def state(self, there: Configuration) -> State:
        """Raises _Wrong where it is no state of this side."""
        if there.location not in self.legal or there.values.keys() != set(self.order):
            raise _Wrong("well-formed states", f"{there.location} with its values is no state")
        return there.location, tuple(there.values[v] for v in self.order)


def check_matched(goal: Goal, kept: Kept, made: Matched, bounds: Limits) -> Ruling:
    """Whether the states show that it is preserved. Raises LimitReached."""
    return _judged(goal, lambda: _matched(goal, kept, made, bounds))


def check_unmatched(goal: Goal, kept: Kept, made: Unmatched, bounds: Limits) -> Ruling:
    """Whether the run shows that it is not preserved. Raises LimitReached."""
    return _judged(goal, lambda: _unmatched(goal, kept, made, bounds))


def _judged(goal: Goal, judge: Callable[[], None]) -> Ruling:
    fault = goal_fault(goal) if goal.closed else "it is not closed"
    if fault is not None:
        return Rejected("well-formed goal", fault)
    try:
        judge()
    except _Wrong as wrong:
        return wrong.ruling
    except Endless as problem:
        return Rejected("enumeration", f"{problem} has infinitely many values")
    except Unevaluable as problem:
        return Rejected("evaluation", f"{problem} has no value")
    return Accepted()


# ---------------------------------------------------------------- each concrete run is matched


class _Listed(Struct, frozen=True, eq=False):
    """The evidence as states: the nodes by their concrete state, and the endless abstract states."""

    concrete: _Side
    abstract: _Side
    known: frozenset[State]
    nodes: Mapping[State, tuple[tuple[frozenset[State], int], ...]]
    endless: frozenset[State]


def _matched(goal: Goal, kept: Kept, made: Matched, bounds: Limits) -> None:
    listed = _listed(goal, made, bounds)
    concrete, abstract = listed.concrete, listed.abstract
    for start, beside in _related(goal, concrete, abstract):
        _follow(listed, start, abstract.closed(beside, listed.known), None)
    for state in listed.endless:
        if listed.endless.isdisjoint(abstract.silent(state)):
            raise _Wrong("endless states", f"no silent step leads from {state[0]} to another one")
    outgoing = edges_from(goal.concrete)
    for state, nodes in listed.nodes.items():
        for beside, rank in nodes:
            spend(bounds, 5)
            goes_on = not beside.isdisjoint(listed.endless)
            if goes_on and goal.loops_end:
                continue
            steps = concrete.steps(state)
            stuck = kept is Kept.PROGRESS and not steps and _is_unfinished(goal, outgoing[state[0]])
            if stuck and all(map(abstract.steps, beside)):
                raise _Wrong("standstill", f"nobody can step at {state[0]}, and no abstract state beside it is still")
            ranked = kept is Kept.TERMINATION and not goes_on
            silent = abstract.closed(beside, listed.known)
            for action, after in steps:
                if action is None:
                    _follow(listed, after, silent, rank if ranked else None)
                else:
                    shown = abstract.showing(silent, action) & listed.known
                    _follow(listed, after, abstract.closed(shown, listed.known), None)


def _follow(listed: _Listed, state: State, beside: Set[State], rank: int | None) -> None:
    """Where a step leads must be listed with abstract states among these, and with a lower rank than this one."""
    if not any(b <= beside and (rank is None or 0 <= r < rank) for b, r in listed.nodes.get(state, ())):
        raise _Wrong("step", f"what follows at {state[0]} is not listed, or its rank is not lower")


def _listed(goal: Goal, made: Matched, bounds: Limits) -> _Listed:
    concrete, abstract = (_side(a, bounds) for a in (goal.concrete, goal.abstract))
    below, above = [concrete.state(c) for c in made.concrete], [abstract.state(c) for c in made.abstract]
    nodes = dict[State, list[tuple[frozenset[State], int]]]()
    sets = [frozenset(above[i] for i in s) for s in made.sets]
    for node in made.nodes:
        nodes.setdefault(below[node.concrete], []).append((sets[node.beside], node.rank))
    tupled = {state: tuple(those) for state, those in nodes.items()}
    return _Listed(concrete, abstract, frozenset(above), tupled, frozenset(above[i] for i in made.endless))


# ---------------------------------------------------------------- a run that nobody matches


def _unmatched(goal: Goal, kept: Kept, made: Unmatched, bounds: Limits) -> None:
    ruling = check_steps((goal.concrete,), made.run)
    if isinstance(ruling, Rejected):
        raise _Wrong(ruling.obligation, ruling.why)
    concrete, abstract = (_side(a, bounds) for a in (goal.concrete, goal.abstract))
    reached = (made.run.start, *(t.after for t in made.run.turns))
    visited = [concrete.state(there.threads[goal.concrete.name]) for there in reached]
    beside = next((b for start, b in _related(goal, concrete, abstract) if start == visited[0]), None)
    if beside is None:
        raise _Wrong("initial states", "the run does not begin with one")
    beside = abstract.closed(beside)
    for turn in made.run.turns:
        if goal.loops_end and _goes_on(abstract, beside):
            raise _Wrong("undefined", "an abstract run may go on for ever before")
        if (label := turn.move.edge.label) is not None:
            action = label.action, tuple(sort_of(t).name for t in label.values), tuple(turn.shown)
            beside = abstract.closed(abstract.showing(beside, action))
    if (goal.loops_end or kept is Kept.TERMINATION) and _goes_on(abstract, beside):
        raise _Wrong("matched", "an abstract run goes on for ever, too")
    cycle = made.run.cycle
    match kept:
        case Kept.TERMINATION:
            round_ = made.run.turns if cycle is None else made.run.turns[cycle:]
            silent = all(t.move.edge.label is None for t in round_)
            if cycle is None or not round_ or not silent or visited[cycle] != visited[-1]:
                raise _Wrong("cycle", "it is not one of silent steps")
        case Kept.PROGRESS:
            left = edges_from(goal.concrete)[visited[-1][0]]
            if concrete.steps(visited[-1]) or not _is_unfinished(goal, left) or cycle is not None:
                raise _Wrong("standstill", "somebody can step, or all threads are at their ends")
            if not all(map(abstract.steps, beside)):
                raise _Wrong("matched", "an abstract run is still, too")


def _is_unfinished(goal: Goal, edges: Iterable[Edge]) -> bool:
    """Whether a thread that is to come to an end has edges here."""
    return any(edge.thread not in goal.serving for edge in edges)


def _goes_on(abstract: _Side, closed: Set[State]) -> bool:
    """Whether a run from one of these goes on for ever silently; silent steps do not leave them."""
    return bool(on_cycles(closed, {s: abstract.silent(s) for s in closed}))


# ---------------------------------------------------------------- the states of one side


def _related(goal: Goal, concrete: _Side, abstract: _Side) -> Iterator[tuple[State, frozenset[State]]]:
    """Each concrete start with the abstract ones that are related to it. Raises Endless."""
    own = tuple(v for v in goal.abstract.variables if v.var not in concrete.order)
    known = (*concrete.order, *(v.var for v in own))
    place = next(q for q in goal.abstract.locations if q.name == goal.abstract.initial)
    wanted = land(goal.abstract.init, place.inv, *map(within, goal.abstract.variables), *_related_terms(goal))
    how = enumeration(wanted, concrete.order, own)
    picked = [known.index(v) for v in abstract.order]
    for start in _starts(goal.concrete):
        rows = ((*start[1], *more) for more in extended(how, start[1]))
        yield start, frozenset((place.name, tuple(row[i] for i in picked)) for row in rows)


def _related_terms(goal: Goal) -> Iterator[Term]:
    yield from (f.term for f in (*goal.kappa, *goal.iota))


def _starts(automaton: Automaton) -> Iterator[State]:
    place = next(q for q in automaton.locations if q.name == automaton.initial)
    formula = land(automaton.init, place.inv, *map(within, automaton.variables))
    for count, row in enumerate(extended(enumeration(formula, (), automaton.variables), ())):
        if count > MOST:
            raise _Wrong("states", "they are too many")
        yield place.name, row


def _side(automaton: Automaton, bounds: Limits) -> _Side:
    order = tuple(v.var for v in automaton.variables)
    legal = {q.name: predicate(land(q.inv, *map(within, automaton.variables)), order) for q in automaton.locations}
    leaving: dict[str, list[_Edge]] = {q.name: [] for q in automaton.locations}
    for number, edge in enumerate(automaton.edges):
        leaving[edge.source].append(_ready(automaton, order, number))
    return _Side(order, legal, {name: tuple(edges) for name, edges in leaving.items()}, bounds)


def _ready(automaton: Automaton, order: tuple[Var, ...], number: int) -> _Edge:
    edge = automaton.edges[number]
    condition = land(edge.guard, *map(within, edge.choices))
    shown = edge.label.values if edge.label is not None else ()
    terms = (*(t for _, t in edge.updates), *shown)
    return _Edge(
        edge.target,
        enumeration(condition, order, edge.choices) if edge.choices else None,
        guarded(condition, terms, (*order, *(c.var for c in edge.choices))),
        tuple(order.index(v) for v, _ in edge.updates),
        None if edge.label is None else (edge.label.action, tuple(sort_of(t).name for t in shown)),
    )


def _along(edge: _Edge, row: Row) -> Iterator[tuple[Action, State]]:
    for chosen in ((),) if edge.choices is None else extended(edge.choices, row):
        values = edge.values((*row, *chosen))
        if values is not None:
            after = list[Value](row)
            for place, value in zip(edge.written, values, strict=False):
                after[place] = value
            shown = values[len(edge.written) :]
            action = None if edge.label is None else (*edge.label, tuple(shown))
            yield action, (edge.target, tuple(after))
