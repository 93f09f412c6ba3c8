"""Concrete threads that take abstract states along, so that runs without an abstract counterpart end in a bad state.

A *follower* is one abstract state that answers each concrete step as a strategy says: the first path of abstract
edges that can be taken and after which ι holds. Where there is none it is lost, for good. Where all followers are
lost the concrete run may have no counterpart. That it has none is not shown by that: other strategies may do better,
and whoever finds one that does adds a follower.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Label, Variable, location_of
from sa.automata.ranges import within
from sa.base.limits import Limits, Unsupported, spend
from sa.bounded.parts import Part, names_in, parts_of, thread_of
from sa.certificates.goal import Goal, iota_of, kappa_of
from sa.certificates.run import Bad
from sa.terms import build
from sa.terms.name import ABSTRACT, CONCRETE, Name, staged
from sa.terms.solve import solution
from sa.terms.sort import BOOL, INT, Sort, default_value
from sa.terms.substitute import called, substitute, unsided
from sa.terms.term import Term, Var, sort_of

#: Abstract edges in a path, paths looked at for one answer, and paths for all answers together.
LONGEST, LOOKS, MOST = 8, 100, 6_000

#: An edge of a thread, by their numbers.
Step: TypeAlias = tuple[int, int]

#: An action with the sorts of the values that it shows; None for a silent step.
_Shape: TypeAlias = tuple[str, tuple[Sort, ...]] | None


class Strategy(Struct, frozen=True):
    """How a follower answers: by the shortest path of the same thread, if `first` says nothing else.

    `first` is the path to try first by concrete edge and by the location of the thread's partner. Silent steps are
    answered by staying for as long as that does; by a path to an edge that writes the same, with `alike`; or, with
    `prompt`, by so many silent steps.
    """

    first: Mapping[tuple[Step, str], tuple[Step, ...]] = field(default_factory=dict)
    alike: bool = False
    prompt: int = 0


class Path(Struct, frozen=True, eq=False):
    """Abstract edges one after the other, as terms over the state before them and all choices.

    Where threads are is among the `values`. `at` is where the thread is that the path is of.
    """

    at: str
    edges: tuple[Step, ...]
    conditions: tuple[Term, ...]
    values: Mapping[Var, Term]
    shown: tuple[Term, ...] | None
    choices: tuple[Variable, ...]


class Followed(Struct, frozen=True, eq=False):
    """The threads with their followers, and that all of these are lost as what is bad.

    `concrete` and `abstract` are the threads of both sides by themselves; `first` are the variables of the first
    follower by those that they stand for.
    """

    concrete: tuple[Part, ...]
    abstract: tuple[Part, ...]
    threads: tuple[Automaton, ...]
    bad: Bad
    first: Mapping[Var, Var]


class _Follower(Struct, frozen=True, eq=False):
    """The name of whether a follower is not lost yet, and its names of abstract variables and locations."""

    alive: Var
    names: Mapping[Var, Var]
    strategy: Strategy


class _Work(Struct, eq=False):
    """`spots` are where the abstract threads are, as numbers of their locations, `places`."""

    goal: Goal
    bounds: Limits
    iota: Term
    abstract: tuple[Part, ...]
    spots: tuple[Var, ...]
    places: tuple[Mapping[str, int], ...]
    leaving: tuple[Mapping[str, list[int]], ...]
    concrete: frozenset[Var]
    known: dict[tuple[int, str, _Shape], tuple[Path, ...]] = field(default_factory=dict)
    made: int = 0


def followed(goal: Goal, strategies: Sequence[Strategy], bounds: Limits) -> Followed:
    """A closed goal's concrete threads with a follower for each strategy. Raises LimitReached."""
    work = _work(goal, bounds)
    concrete = parts_of(goal.concrete)
    if len(concrete) != len(work.abstract):
        raise Unsupported("threads without partners")
    followers = [_follower(work, number, strategy) for number, strategy in enumerate(strategies)]
    variables = tuple(v for one in followers for v in _variables(work, one))
    threads, shared = list[Automaton](), work.iota.free
    for i, part in enumerate(concrete):
        own = names_in(goal.concrete, part, shared)
        edges = tuple(_with_followers(work, (i, n), e, own, followers) for n, e in enumerate(part.edges))
        init = _initially(work, followers) if i == 0 else build.TRUE
        thread = thread_of(goal.concrete, part, init, edges, shared)
        threads.append(replace(thread, variables=(*thread.variables, *variables)))
    claim = build.lor(*(one.alive for one in followers))
    return Followed(concrete, work.abstract, tuple(threads), Bad(None, claim), followers[0].names)


def _work(goal: Goal, bounds: Limits) -> _Work:
    parts = parts_of(goal.abstract)
    spots = tuple(build.variable(Name("location", thread=p.name, side=ABSTRACT), INT) for p in parts)
    places = tuple({q.name: n for n, q in enumerate(p.places)} for p in parts)
    leaving: tuple[dict[str, list[int]], ...] = tuple({name: [] for name in here} for here in places)
    for part, here in zip(parts, leaving, strict=True):
        for n, edge in enumerate(part.edges):
            here[edge.source].append(n)
    concrete = frozenset(v.var for v in goal.concrete.variables)
    return _Work(goal, bounds, iota_of(goal), parts, spots, places, leaving, concrete)


def _follower(work: _Work, number: int, strategy: Strategy) -> _Follower:
    own = [v.var for v in work.goal.abstract.variables if v.kind is not Kind.PARAM]
    names = {v: called(v, staged(v.name, f"follower {number}")) for v in (*own, *work.spots)}
    alive = build.variable(Name("alive", side=ABSTRACT, stage=f"follower {number}"), BOOL)
    return _Follower(alive, names, strategy)


def _variables(work: _Work, one: _Follower) -> Iterator[Variable]:
    yield Variable(one.alive, Kind.GLOBAL)
    for spot, places in zip(work.spots, work.places, strict=True):
        yield Variable(one.names[spot], Kind.GLOBAL, 0, len(places) - 1)
    for v in work.goal.abstract.variables:
        if v.kind is not Kind.PARAM:
            yield replace(v, var=one.names[v.var], kind=Kind.GLOBAL)


def _initially(work: _Work, followers: Sequence[_Follower]) -> Term:
    """Both sides at the start, related; all followers begin in the same state."""
    goal, said = work.goal, list[Term]()
    inv = location_of(goal.abstract, goal.abstract.initial).inv
    begin = (
        build.eq(spot, build.integer(places[part.initial]))
        for spot, places, part in zip(work.spots, work.places, work.abstract, strict=True)
    )
    related = build.land(kappa_of(goal), work.iota, goal.abstract.init, inv, *begin)
    for one in followers:
        said += (substitute(related, one.names), one.alive)
        said += (build.eq(v, followers[0].names[w]) for w, v in one.names.items() if one is not followers[0])
    return build.land(goal.concrete.init, *said)


def _with_followers(
    work: _Work, step: Step, edge: Edge, own: Mapping[Var, Var], followers: Sequence[_Follower]
) -> Edge:
    """The edge over its thread's names, with what it does to each follower."""
    matters = edge.label is not None or not work.iota.free.isdisjoint(v for v, _ in edge.updates)
    more = list[tuple[Var, Term]]()
    for one in followers:
        if matters or one.strategy.prompt or (one.strategy.alike and edge.updates):
            more += _answered(work, step, edge, one, matters)
    label = edge.label and Label(edge.label.action, tuple(substitute(t, own) for t in edge.label.values))
    updates = (*((own.get(v, v), t) for v, t in edge.updates), *more)
    return replace(
        edge,
        label=label,
        guard=substitute(edge.guard, own),
        updates=tuple((v, substitute(t, own)) for v, t in updates),
    )


def _answered(work: _Work, step: Step, edge: Edge, one: _Follower, matters: bool) -> Iterator[tuple[Var, Term]]:
    """What becomes of a follower in a concrete step, over the state before it."""
    spot = one.names[work.spots[step[0]]]
    alive: Term = build.FALSE
    values: dict[Var, Term] = dict(one.names)
    for location, place in reversed(list(work.places[step[0]].items())):
        spend(work.bounds, 1000)
        here, then = build.eq(spot, build.integer(place)), dict[Var, Term](one.names)
        lives: Term = build.FALSE
        for path, condition, picked in reversed(_ways(work, step, location, edge, one.strategy, matters)):
            can = substitute(condition, one.names)
            lives = build.ite(can, build.TRUE, lives)
            for v in one.names:
                term = substitute(substitute(path.values.get(v, v), picked), one.names)
                if term is not then[v]:
                    then[v] = build.ite(can, term, then[v])
        alive = build.ite(here, lives, alive)
        for v in one.names:
            if then[v] is not values[v]:
                values[v] = build.ite(here, then[v], values[v])
    yield one.alive, build.land(one.alive, alive)
    yield from ((name, values[v]) for v, name in one.names.items() if values[v] is not name)


_Way: TypeAlias = tuple[Path, Term, Mapping[Var, Term]]


def _ways(work: _Work, step: Step, location: str, edge: Edge, strategy: Strategy, matters: bool) -> list[_Way]:
    """The paths from a location that may answer an edge, in the order in which they are tried."""
    first = strategy.first.get((step, location))
    paths = _paths(work, step[0], location, edge.label)
    if not matters:
        paths = tuple(p for p in paths if not p.edges or len(p.edges) <= strategy.prompt or _alike(work, p, edge) < 2)
    if first is not None and all(p.edges != first for p in paths):
        paths = (*paths, _path(work, location, first))
    ways = [way for path in paths if (way := _way(work, path, edge)) is not None]
    return sorted(ways, key=lambda way: _order(work, strategy, first, edge, way[0]))


def _order(
    work: _Work, strategy: Strategy, first: tuple[Step, ...] | None, edge: Edge, path: Path
) -> tuple[bool, int, int]:
    silent, size = edge.label is None, len(path.edges)
    likeness = _alike(work, path, edge) if strategy.alike and silent else 0
    return path.edges != first, likeness, abs(strategy.prompt - size) if silent else size


def _alike(work: _Work, path: Path, edge: Edge) -> int:
    """0 if the last edge of a path writes what the concrete one does, 1 if the same variables, 2 otherwise."""
    if not path.edges or not edge.updates:
        return 2
    thread, number = path.edges[-1]
    mine, theirs = _written(edge), _written(work.abstract[thread].edges[number])
    return 0 if mine == theirs else 1 if mine.keys() == theirs.keys() else 2


def _written(edge: Edge) -> dict[Var, Term]:
    plain: dict[Var, Term] = {v: unsided(v) for _, t in edge.updates for v in t.free}
    return {unsided(v): substitute(t, plain) for v, t in edge.updates}


def _way(work: _Work, path: Path, edge: Edge) -> _Way | None:
    """When a path answers an edge, and with which values for its choices; None if never."""
    conditions = list(path.conditions)
    if edge.label is not None:
        if path.shown is None or len(path.shown) != len(edge.label.values):
            return None
        conditions += (build.eq(t, x) for t, x in zip(path.shown, edge.label.values, strict=True))
    conditions += build.conjuncts(substitute(work.iota, {**dict(edge.updates), **path.values}))
    condition, picked = _picked(work, edge, conditions, path.choices)
    if condition is build.FALSE:
        return None
    work.made += 1
    if work.made > MOST:
        raise Unsupported("an abstract side with so many answers")
    return path, condition, picked


def _picked(
    work: _Work, edge: Edge, conditions: Sequence[Term], choices: Sequence[Variable]
) -> tuple[Term, dict[Var, Term]]:
    """The conditions with a value for each choice: what an equation says that it is, else one that may be meant."""
    open_ = {c.var: c for c in choices}
    picked, whole = dict[Var, Term](), build.land(*conditions)
    while open_:
        unknown = frozenset(open_)
        found = next((s for c in build.conjuncts(whole) if (s := solution(c, unknown)) is not None), None)
        var, term = found or (next(iter(open_)), _meant(work, edge, next(iter(open_.values()))))
        del open_[var]
        picked = {v: substitute(t, {var: term}) for v, t in picked.items()}
        picked[var] = term
        whole = substitute(whole, {var: term})
    return whole, picked


def _meant(work: _Work, edge: Edge, choice: Variable) -> Term:
    """What the concrete side makes of the variable of the same name, or a simple value."""
    name = choice.var.name
    for thread in (name.thread, None):
        there = called(choice.var, Name(name.base, name.position, thread, CONCRETE))
        if there in work.concrete:
            return dict(edge.updates).get(there, there)
    simple = default_value(choice.var.sort) if choice.low is None or choice.low <= 0 else choice.low
    return build.constant(simple, choice.var.sort)


def _paths(work: _Work, thread: int, location: str, label: Label | None) -> tuple[Path, ...]:
    """Short paths of a thread that show a label, or nothing; shortest ones first."""
    key = thread, location, _shape(label)
    if key not in work.known:
        work.known[key] = tuple(_explored(work, thread, location, key[2]))
    return work.known[key]


def _shape(label: Label | None) -> _Shape:
    return None if label is None else (label.action, tuple(sort_of(t) for t in label.values))


def _explored(work: _Work, thread: int, location: str, shape: _Shape) -> Iterator[Path]:
    pending = [(Path(location, (), (), {}, None, ()), location)]
    # The list grows while it is walked.
    for path, here in pending:
        if shape is None or path.shown is not None:
            yield path
        if len(path.edges) >= LONGEST or len(pending) > LOOKS:
            continue
        for number in work.leaving[thread][here]:
            edge = work.abstract[thread].edges[number]
            if edge.label is None or (path.shown is None and _shape(edge.label) == shape):
                longer = _extended(work, path, (thread, number))
                if build.FALSE not in longer.conditions:
                    pending.append((longer, edge.target))


def _path(work: _Work, location: str, edges: Sequence[Step]) -> Path:
    """The path along these edges, of any threads."""
    found = Path(location, (), (), {}, None, ())
    for step in edges:
        found = _extended(work, found, step)
    return found


def _extended(work: _Work, path: Path, step: Step) -> Path:
    part, places, spot = work.abstract[step[0]], work.places[step[0]], work.spots[step[0]]
    edge = part.edges[step[1]]
    names = {c.var: called(c.var, staged(c.var.name, f"step {len(path.edges)}")) for c in edge.choices}
    scope: dict[Var, Term] = {**path.values, **names}
    values = {**path.values, **{v: substitute(t, scope) for v, t in edge.updates}}
    inv = next(q.inv for q in part.places if q.name == edge.target)
    conditions = [substitute(edge.guard, scope), substitute(inv, values)]
    conditions += (within(c, names[c.var]) for c in edge.choices)
    if path.edges or edge.source != path.at:
        conditions.append(build.eq(path.values.get(spot, spot), build.integer(places[edge.source])))
    values[spot] = build.integer(places[edge.target])
    return Path(
        path.at,
        (*path.edges, step),
        build.conjoined((*path.conditions, *conditions)),
        values,
        path.shown if edge.label is None else tuple(substitute(t, scope) for t in edge.label.values),
        (*path.choices, *(replace(c, var=names[c.var]) for c in edge.choices)),
    )
