"""The goal as the engine sees it: ι's equations solved for abstract variables, so that Ψ speaks of few variables.

THEORY section 4, point 1. A *reduced* formula mentions concrete variables, parameters and those abstract
variables that ι does not determine; `reduce` makes one. A state of a pair is a valuation of these variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind, Location, mover, variables_of
from sa.certificates.goal import Goal
from sa.game.loop_acceleration import Cycle, cycles_of
from sa.terms import build
from sa.terms.evaluate import State, evaluate
from sa.terms.solve import solution
from sa.terms.sort import Value
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: A pair of locations, concrete and abstract.
Pair: TypeAlias = tuple[str, str]


class Side(Struct, frozen=True):
    """An automaton by location: its edges with their numbers, its locations, its globals and locals.

    `movers` says of each edge by its number which of several threads moves.
    """

    automaton: Automaton
    edges: Mapping[str, tuple[tuple[int, Edge], ...]]
    locations: Mapping[str, Location]
    order: Mapping[str, int]
    globals: tuple[Var, ...]
    locals: tuple[Var, ...]
    movers: tuple[int | None, ...]


class Board(Struct, frozen=True):
    """A goal laid out.

    `links` are ι's equations `abstract variable == term`, solved; `residual` is the rest of ι, reduced.
    `cycles` are those of the abstract side that any number of turns can be made of, by their first location.
    """

    goal: Goal
    concrete: Side
    abstract: Side
    links: Mapping[Var, Term]
    residual: tuple[Term, ...]
    variables: tuple[Var, ...]
    cycles: Mapping[str, tuple[Cycle, ...]]


def lay_out(goal: Goal) -> Board:
    """The board of a goal."""
    abstract = _side(goal.abstract)
    own = frozenset((*abstract.globals, *abstract.locals))
    links = dict[Var, Term]()
    residual = list[Term]()
    for formula in goal.iota:
        for part in build.conjuncts(substitute(formula.term, links)):
            for conjunct in build.conjuncts(substitute(part, links)):
                solved = solution(conjunct, own)
                if solved is None:
                    residual.append(conjunct)
                else:
                    var, term = solved
                    links = {v: substitute(t, {var: term}) for v, t in links.items()}
                    links[var] = term
    rest = build.land(*(substitute(r, links) for r in residual))
    concrete = _side(goal.concrete)
    params = {v: None for a in (goal.concrete, goal.abstract) for v in variables_of(a, Kind.PARAM)}
    free = (*params, *concrete.globals, *concrete.locals, *abstract.globals, *abstract.locals)
    return Board(
        goal,
        concrete,
        abstract,
        links,
        build.conjuncts(rest),
        tuple(v for v in free if v not in links),
        cycles_of(goal.abstract),
    )


def _side(automaton: Automaton) -> Side:
    edges: dict[str, list[tuple[int, Edge]]] = {location.name: [] for location in automaton.locations}
    for number, edge in enumerate(automaton.edges):
        edges[edge.source].append((number, edge))
    places = {location.name: location for location in automaton.locations}
    return Side(
        automaton,
        {name: tuple(listed) for name, listed in edges.items()},
        places,
        {location.name: number for number, location in enumerate(automaton.locations)},
        variables_of(automaton, Kind.GLOBAL),
        variables_of(automaton, Kind.LOCAL),
        tuple(mover(places[e.source], places[e.target]) for e in automaton.edges),
    )


def reduce(board: Board, formula: Term) -> Term:
    """The formula with determined abstract variables replaced."""
    return substitute(formula, board.links)


def reduce_primed(board: Board, formula: Term) -> Term:
    """As `reduce`, for a relation: primed determined variables too. Locals never change under it."""
    changing = frozenset((*board.concrete.globals, *board.abstract.globals))
    links: dict[Var, Term] = dict(board.links)
    for var, term in board.links.items():
        links[primed(var)] = after_drift(term, changing)
    return substitute(formula, links)


def after_drift(formula: Term, changing: Iterable[Var]) -> Term:
    """The formula about the state after an environment step: globals primed, locals as they are."""
    return substitute(formula, {v: primed(v) for v in changing})


def base(board: Board, pair: Pair) -> tuple[Term, ...]:
    """What every related state of a pair satisfies besides its lemmas: ι's rest and both invariants, reduced."""
    first, second = board.concrete.locations[pair[0]].inv, board.abstract.locations[pair[1]].inv
    return build.conjoined((*board.residual, reduce(board, first), reduce(board, second)))


def initial_condition(board: Board) -> tuple[Term, ...]:
    """κ, both initial conditions and the invariants of the initial locations, as they stand (not reduced)."""
    goal = board.goal
    first, second = goal.concrete, goal.abstract
    return build.conjuncts(
        build.land(
            *(f.term for f in goal.kappa),
            first.init,
            board.concrete.locations[first.initial].inv,
            second.init,
            board.abstract.locations[second.initial].inv,
        )
    )


def full_state(board: Board, state: State) -> dict[Var, Value]:
    """A state of a pair with the determined abstract variables filled in."""
    return {**state, **{v: evaluate(t, state) for v, t in board.links.items()}}
