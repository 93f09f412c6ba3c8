"""Obligations about the threads of a program together: annotations are true, and threads are compatible (Definition 2).

That an annotated thread is the written one is looked at first: ghosts are set to values and never read, everything
else is as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Variable
from sa.automata.rename import renamed as rename
from sa.certificates.threads import Annotated
from sa.checker.obligation import Case, Obligation
from sa.checker.scope import automaton_faults
from sa.checker.side import Side, environment, invariant, renamed, side, within
from sa.terms.build import FALSE, conjoined, conjuncts, land
from sa.terms.sort import Sort
from sa.terms.substitute import local_of, primed
from sa.terms.term import Bool, Int, IsZero, Member, Not, Same, Sum, Term, Var


def annotation_fault(made: Annotated) -> str | None:
    """What keeps the automaton from being the thread with ghosts, invariants and environments added."""
    thread, automaton = made.thread, made.automaton
    ghosts = frozenset(v.var for v in automaton.variables) - frozenset(v.var for v in thread.variables)
    if frozenset(v.var for v in thread.variables) - frozenset(v.var for v in automaton.variables):
        return f"{thread.name}: a variable is missing"
    if any(v.var in ghosts and (not v.ghost or v.kind is not Kind.GLOBAL) for v in automaton.variables):
        return f"{thread.name}: a variable was added that is not a shared ghost"
    if (thread.name, thread.initial) != (automaton.name, automaton.initial):
        return f"{thread.name}: the initial location differs"
    if [q.name for q in thread.locations] != [q.name for q in automaton.locations]:
        return f"{thread.name}: the locations differ"
    if not _covers(automaton.init, thread.init) or not _settled(_added(made), ghosts):
        return f"{thread.name}: Init differs"
    if len(thread.edges) != len(automaton.edges):
        return f"{thread.name}: the edges differ"
    if any(_without(e, ghosts) != w for e, w in zip(automaton.edges, thread.edges, strict=True)):
        return f"{thread.name}: an edge is not the written one, or its ghosts are not set to plain values"
    return next(automaton_faults(automaton, frozenset(v.var.name for v in automaton.variables)), None)


def _covers(formula: Term, other: Term) -> bool:
    return frozenset(conjuncts(other)) <= frozenset(conjuncts(formula))


def ghosts_fault(threads: Sequence[Annotated]) -> str | None:
    """What keeps the ghosts of threads from being variables that all of these share, and that begin with one value."""
    taken = {v.var.name for t in threads for v in t.thread.variables}
    kinds, starts = dict[str, Sort](), dict[Var, Term]()
    for made in threads:
        written = frozenset(v.var for v in made.thread.variables)
        for ghost in (v.var for v in made.automaton.variables if v.var not in written):
            # A name with a dot could be that of another thread's local.
            if (
                not ghost.name.isidentifier()
                or ghost.name in taken
                or kinds.setdefault(ghost.name, ghost.sort) != ghost.sort
            ):
                return f"{made.thread.name}: the ghost {ghost.name} has a name that is used for something else"
        for formula in _added(made):
            for ghost in formula.free:
                if starts.setdefault(ghost, formula) is not formula:
                    return f"{made.thread.name}: the ghost {ghost.name} has two initial values"
    return None


def _added(made: Annotated) -> list[Term]:
    return [c for c in conjuncts(made.automaton.init) if c not in conjuncts(made.thread.init)]


def _settled(added: Sequence[Term], ghosts: frozenset[Var]) -> bool:
    """Each of the formulas gives another ghost a value, so that they can all be true whatever else is."""
    given = [_given(formula) for formula in added]
    return len(set(given)) == len(given) and all(var in ghosts for var in given)


def _given(formula: Term) -> Term | None:
    """The variable that a formula gives a plain value and nothing else."""
    match formula:
        case Var() | Not(Var()):
            return next(iter(formula.free))
        case IsZero(Var() as var):
            return var
        case IsZero(Sum(_, ((Var() as var, 1),))):
            return var
        case Same(Var() as var, Member()) | Same(Member(), Var() as var):
            return var
        case _:
            return None


def _without(edge: Edge, ghosts: frozenset[Var]) -> Edge | None:
    """The edge without its ghosts; None if they are set to more than a value."""
    kept = tuple((v, t) for v, t in edge.updates if v not in ghosts)
    if any(not isinstance(t, Int | Bool | Member) for v, t in edge.updates if v in ghosts):
        return None
    return replace(edge, updates=kept)


def together(threads: Sequence[Annotated]) -> Iterator[Obligation]:
    """Every invariant holds initially, after the thread's own steps, and after the others', which `Env` allows."""
    sides = [side(apart(t.automaton)) for t in threads]
    # A thread may say of shared variables how all of them begin.
    start = land(*(s.automaton.init for s in sides))
    for s in sides:
        yield from own_steps(s, start)
        for other in sides:
            if other is not s:
                yield from steps_of_others(s, other)


def apart(automaton: Automaton) -> Automaton:
    """The automaton with its locals and choices named after it, so that no two threads share a name."""

    def name(variable: Variable) -> Var:
        return variable.var if variable.kind is not Kind.LOCAL else local_of(variable.var, automaton.name)

    return rename(automaton, name)


def own_steps(s: Side, start: Term) -> Iterator[Obligation]:
    """A thread's invariants hold initially and after its own steps, and its environment may do nothing."""
    automaton = s.automaton
    initial = invariant(s, automaton.initial)
    yield Obligation("initial invariant", automaton.name, conjuncts(start), (Case((), initial),))
    for edge in automaton.edges:
        where = f"{automaton.name}, {edge.source} -> {edge.target}"
        landed = renamed(invariant(s, edge.target), dict(edge.updates))
        yield Obligation("inductive invariant", where, _taken(s, edge), (Case((), landed),), edge=edge)
    for name in s.locations:
        still: dict[Var, Term] = {primed(v): v for v in s.globals}
        where = f"{automaton.name}, {name}"
        allowed = renamed(environment(s, name), still)
        yield Obligation("reflexive environment", where, invariant(s, name), (Case((), allowed),))


def _taken(s: Side, edge: Edge) -> tuple[Term, ...]:
    return conjoined((*invariant(s, edge.source), edge.guard, *(within(c) for c in edge.choices)))


def steps_of_others(
    actor: Side, observer: Side, met: Mapping[tuple[str, str], tuple[Term, ...]] | None = None
) -> Iterator[Obligation]:
    """Each step of the actor is one that the observer's environment allows, and keeps its invariants.

    `met` says what is known while the observer is at the first of two locations and the actor at the second.
    """
    for edge in actor.automaton.edges:
        after = {v: t for v, t in edge.updates if v in actor.globals}
        if not after:
            continue
        taken = (*_taken(actor, edge), *renamed(invariant(actor, edge.target), dict(edge.updates)))
        following: dict[Var, Term] = {primed(v): after.get(v, v) for v in actor.globals}
        step = f"{actor.automaton.name}, {edge.source} -> {edge.target}"
        for name in observer.locations:
            known = () if met is None else met.get((name, edge.source), ())
            if FALSE in known:
                continue
            here = invariant(observer, name)
            allowed = renamed(environment(observer, name), following)
            kept = tuple(c for c in renamed(here, dict(after)) if c not in here)
            where = f"{step}, seen by {observer.automaton.name} at {name}"
            yield Obligation("compatible", where, (*taken, *here, *known), (Case((), (*allowed, *kept)),), edge=edge)
