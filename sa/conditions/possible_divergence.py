"""Where threads may wait or loop for ever: refinement says nothing about whether the concrete program still ends.

A thread may wait where some state of a location allows none of its steps, and loop where its locations have a cycle.
A cycle is left out if it plainly ends: each round of it increases one of the thread's own numbers, and passes a test
that this number is below what does not change (or decreases it, above that).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sa.automata.automaton import EXIT, FAIL, UNDEFINED, Automaton, Edge, Kind, edges_from, variables_of
from sa.automata.components import components, on_cycles
from sa.automata.program import Program
from sa.base.caveat import Caveat, lines_of
from sa.base.limits import LimitReached, Limits
from sa.base.source import Span
from sa.conditions.vacuity import RLIMIT
from sa.smt.session import Session
from sa.terms import build
from sa.terms.sort import INT
from sa.terms.term import Le, Term, Var


def termination(programs: Iterable[Program], bounds: Limits) -> tuple[Caveat, ...]:
    """That termination is not compared, where any of the programs may not end. The concrete one comes first."""
    sentence, places = "", dict[Span, None]()
    for program in programs:
        waits, loops = _endless(program, bounds)
        places |= dict.fromkeys((*waits, *loops))
        said = [f"{lines_of(found)} may {how} for ever" for found, how in ((waits, "wait"), (loops, "loop")) if found]
        sentence = sentence or " and ".join(said)
    if not sentence:
        return ()
    check = "ask again with `--preserve termination`, or show for each program that it ends"
    return (Caveat("termination", f"Termination is not compared: {sentence}.", check, tuple(places)),)


def _endless(program: Program, bounds: Limits) -> tuple[list[Span], list[Span]]:
    """Where threads of a program may wait, and where they may loop, in the order of the text."""
    threads = (*program.threads, *(f.thread for f in program.families))
    session = Session(bounds, tuple(a.formula for a in program.axioms), rlimit=RLIMIT)
    waits, loops, joins = set[Span](), set[Span](), dict[str, set[Span]]()
    for thread in threads:
        found = dict(_loops(thread))
        loops.update(found.values())
        for edges in _waits(session, thread):
            place = edges[0].origin.span
            # A busy wait has been told as the loop that it is.
            if place is not None and edges[0].source not in found:
                (joins.setdefault(thread.name, set()) if _is_join(thread, edges) else waits).add(place)
    # A thread that is joined ends unless something else keeps it; two that join each other do not.
    if len(joins) > 1:
        waits.update(*joins.values())
    return _in_order(waits - loops), _in_order(loops)


def _in_order(places: Iterable[Span]) -> list[Span]:
    return sorted(places, key=lambda s: (s.source.name, s.start))


def _waits(session: Session, thread: Automaton) -> Iterator[tuple[Edge, ...]]:
    """The edges of each location at which no step of the thread may be possible, and that is no end."""
    outgoing = edges_from(thread)
    for place in thread.locations:
        edges = outgoing[place.name]
        if not edges or (place.name == thread.initial and _is_join(thread, edges)):
            # A thread that was not created yet does not wait.
            continue
        enabled = build.lor(*(_known(e) for e in edges))
        try:
            if not session.implied(enabled, (place.inv,)):
                yield edges
        except LimitReached:
            yield edges


def _known(edge: Edge) -> Term:
    """The guard, as far as no choice is in it: some value of a choice is taken to fit."""
    chosen = {c.var for c in edge.choices}
    return build.land(*(c for c in build.conjuncts(edge.guard) if not c.free & chosen))


def _is_join(thread: Automaton, edges: Sequence[Edge]) -> bool:
    """Whether all steps wait for the state of a thread that others start."""
    internal = {v.var for v in thread.variables if v.internal}
    return all(e.guard.free & internal for e in edges)


def _loops(thread: Automaton) -> Iterator[tuple[str, Span]]:
    """The locations on cycles that do not plainly end, each with the place where its loop begins."""
    ways = [e for e in thread.edges if not _is_end(e)]
    # What nobody else writes.
    own = frozenset((*variables_of(thread, Kind.LOCAL), *variables_of(thread, Kind.PARAM)))
    numbers = [v for v in variables_of(thread, Kind.LOCAL) if v.sort == INT]
    for component in components((thread.initial,), _successors(ways)):
        inner = [e for e in ways if e.source in component and e.target in component]
        places = [e.origin.span for e in inner if e.origin.span is not None]
        # What is undefined may go on in any way after its end, which is no loop of the program.
        undefined = any(e.source == e.target in component and e not in ways for e in thread.edges)
        if places and not undefined and not any(_counts(inner, v, own, up) for v in numbers for up in (True, False)):
            first = min(places, key=lambda s: (s.source.name, s.start))
            yield from ((name, first) for name in component)


def _is_end(edge: Edge) -> bool:
    """Whether a step ends its thread, or stands for what may follow what is undefined."""
    if edge.label is None:
        return False
    action = edge.label.action
    return action in (EXIT, FAIL) or (action == UNDEFINED and edge.source == edge.target and not edge.updates)


def _successors(edges: Iterable[Edge]) -> Mapping[str, Sequence[str]]:
    found = dict[str, list[str]]()
    for edge in edges:
        found.setdefault(edge.source, []).append(edge.target)
    return found


def _counts(cycle: Sequence[Edge], var: Var, own: frozenset[Var], up: bool) -> bool:
    """Whether each round moves a number one way, and tests that it is not yet beyond a fixed one."""
    changed = {v for e in cycle for v, _ in e.updates}
    moving, testing = list[Edge](), list[Edge]()
    for edge in cycle:
        new = dict(edge.updates).get(var, var)
        if new is not var:
            if not _is_moved(new, var, up):
                return False
            moving.append(edge)
        if any(_is_below(c, var, own - changed, up) for c in build.conjuncts(edge.guard)):
            testing.append(edge)
    return all(_cut(cycle, edges) for edges in (moving, testing))


def _cut(cycle: Sequence[Edge], edges: Sequence[Edge]) -> bool:
    """Whether each round has one of the edges."""
    rest = [e for e in cycle if e not in edges]
    return not on_cycles((e.source for e in rest), _successors(rest))


def _is_moved(new: Term, var: Var, up: bool) -> bool:
    step = build.sub(new, var)
    return not step.free and (build.lt(build.ZERO, step) if up else build.lt(step, build.ZERO)) is build.TRUE


def _is_below(formula: Term, var: Var, fixed: frozenset[Var], up: bool) -> bool:
    """Whether a formula says that a number is not beyond what does not change."""
    if not isinstance(formula, Le):
        return False
    _, parts = build.linear_parts(formula.total)
    factor = parts.get(var, 0)
    return (factor > 0 if up else factor < 0) and all(p is var or p.free <= fixed for p in parts)
