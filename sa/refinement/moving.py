"""A goal in environments as a closed one: an environment's move is a step with an action of its own.

The action shows the concrete shared variables after the move, which say by ι what the abstract ones are then.
Duplicator may make silent steps before and after it, so he can do more than in the goal, and what Spoiler wins here he
wins there (THEORY section 3). Moves that only one side can make are not asked about here: Spoiler makes none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Label, Location, Origin, Variable, variables_of
from sa.automata.ranges import count_of
from sa.certificates.goal import Goal, iota_of
from sa.certificates.play import EnvironmentMove, Exhausted, Play, Position, Region, Reply, Step
from sa.conditions.environment import closed
from sa.terms import build
from sa.terms.solve import solution
from sa.terms.substitute import primed, substitute, unsided
from sa.terms.term import Term, Var

#: The action of an environment's move: no program has one with a blank.
MOVES = "others move"


class Opened(Exception):
    """A play of the closed goal that is not told as one of the goal."""


class _Both(Struct, frozen=True):
    """What is known of moves of both environments: the abstract shared variables as terms over the concrete ones."""

    goal: Goal
    related: Mapping[Var, Term]


def closed_goal(goal: Goal) -> Goal | None:
    """The goal with moves of environments as steps; None where ι does not tell what others do on the abstract side."""
    shared, theirs = (frozenset(variables_of(a, Kind.GLOBAL)) for a in (goal.concrete, goal.abstract))
    rigid = frozenset(variables_of(goal.concrete, Kind.PARAM))
    found = dict[Var, Term]()
    for formula in build.conjuncts(iota_of(goal)):
        solved = solution(formula, theirs - found.keys())
        if solved is not None and solved[1].free <= shared | rigid:
            found[solved[0]] = solved[1]
    own = frozenset(variables_of(goal.abstract, Kind.LOCAL))
    if found.keys() != theirs or any(not own.isdisjoint(_env(q).free) for q in goal.abstract.locations):
        return None
    both = _Both(goal, found)
    concrete, abstract = _with_moves(goal.concrete, _made(both)), _with_moves(goal.abstract, _answered(both))
    return replace(goal, concrete=concrete, abstract=abstract, closed=True, added_identity=False, matched=False)


def _with_moves(automaton: Automaton, moves: Iterable[Edge]) -> Automaton:
    return replace(closed(automaton), edges=(*automaton.edges, *moves))


def _env(place: Location) -> Term:
    assert place.env is not None
    return place.env


def _made(both: _Both) -> Iterator[Edge]:
    """Moves of the concrete environment that the abstract one can make at all of its locations."""
    automaton, abstract = both.goal.concrete, both.goal.abstract
    shared = [v for v in automaton.variables if v.kind is Kind.GLOBAL]
    later: dict[Var, Term] = {primed(v.var): _later(v.var) for v in shared}
    after: dict[Var, Term] = {v.var: _later(v.var) for v in shared}
    theirs: dict[Var, Term] = {**both.related}
    theirs |= {primed(v): substitute(t, after) for v, t in both.related.items()}
    also = build.land(*dict.fromkeys(substitute(_env(q), theirs) for q in abstract.locations))
    kept = [v for v in automaton.variables if v.kind is not Kind.GLOBAL]
    for place in automaton.locations:
        allowed = build.land(substitute(_env(place), later), also, substitute(place.inv, after))
        told = _told(allowed, [v.var for v in shared], frozenset(v.var for v in (*shared, *kept)))
        chosen = tuple(replace(v, var=_later(v.var), kind=Kind.LOCAL) for v in shared if _later(v.var) not in told)
        values = tuple(told.get(_later(v.var), _later(v.var)) for v in shared)
        guard = substitute(allowed, told)
        updates = tuple((v.var, t) for v, t in zip(shared, values, strict=True) if t is not v.var)
        if updates and guard is not build.FALSE:
            yield Edge(place.name, place.name, Label(MOVES, values), guard, updates, chosen, Origin(None))


def _later(var: Var) -> Var:
    """A choice for a shared variable after a move: its name is no name of a program."""
    return build.variable(f"{unsided(var).name} later", var.sort)


def _told(allowed: Term, shared: Sequence[Var], known: frozenset[Var]) -> Mapping[Var, Term]:
    """What variables are after each move that is allowed, as terms over what is known before it."""
    found, later = dict[Var, Term](), frozenset(map(_later, shared))
    for formula in build.conjuncts(allowed):
        solved = solution(formula, (later - found.keys()) & formula.free)
        if solved is not None and solved[1].free <= known:
            found[solved[0]] = solved[1]
    return found


def _answered(both: _Both) -> Iterator[Edge]:
    """The abstract environment's moves: the action tells what the concrete shared variables are."""
    shared = [v for v in both.goal.concrete.variables if v.kind is Kind.GLOBAL]
    after: dict[Var, Term] = {v.var: _later(v.var) for v in shared}
    values = {v: substitute(t, after) for v, t in both.related.items()}
    later: dict[Var, Term] = {primed(v): t for v, t in values.items()}
    chosen = tuple(Variable(_later(v.var), Kind.LOCAL, v.low, v.high) for v in shared)
    label = Label(MOVES, tuple(c.var for c in chosen))
    for place in both.goal.abstract.locations:
        allowed = build.land(substitute(_env(place), later), substitute(place.inv, values))
        yield Edge(place.name, place.name, label, allowed, tuple(values.items()), chosen, Origin(None))


def opened(play: Play, goal: Goal) -> Position:
    """A play of the closed goal as one of `goal`. Raises Opened where it cannot be told so."""
    if not isinstance(play, Position):
        raise Opened("it ends at the start")
    return _position(play, goal)


def _position(here: Position, goal: Goal) -> Position:
    step = here.move
    if not isinstance(step, Step):
        raise Opened("it has moves of environments already")
    if _is_move(step.move.edge):
        reply = next((r for r in step.replies if [_is_move(m.edge) for m in r.moves] == [True]), None)
        if reply is None or not isinstance(reply.then, Position):
            raise Opened("the environments' move has no answer")
        last = reply.moves[0].after
        still = here.concrete.values == step.move.after.values or here.abstract.values == last.values
        identity = goal.added_identity and still
        move = EnvironmentMove(step.move.after, (last,), identity, _position(reply.then, goal))
        return replace(here, move=move)
    if any(_moves(region, goal) for region in step.others):
        raise Opened("environments move in a region")
    replies = tuple(_reply(r, goal) for r in step.replies)
    refusals = tuple(r for r in step.refusals if not _is_move(r.edge))
    exhausted = step.exhausted if _has_many_answers(goal.abstract) or step.others else Exhausted.ENUMERATED
    return replace(here, move=replace(step, replies=replies, refusals=refusals, exhausted=exhausted))


def _has_many_answers(abstract: Automaton) -> bool:
    """Whether some choice has no range, but for those of environments' moves."""
    return any(count_of(c) is None for e in abstract.edges for c in e.choices)


def _reply(reply: Reply, goal: Goal) -> Reply:
    return replace(reply, then=_position(reply.then, goal)) if isinstance(reply.then, Position) else reply


def _is_move(edge: Edge) -> bool:
    return edge.label is not None and edge.label.action == MOVES


def _moves(region: Region, goal: Goal) -> bool:
    return region.edge >= len(goal.concrete.edges) or any(_moves(r, goal) for r in region.then)
