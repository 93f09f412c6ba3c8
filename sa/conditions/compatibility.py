"""Compatibility (Definition 2): every step of a thread is one that the others' environments allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from sa.automata.automaton import Automaton, Edge, Kind, Location, variables_of
from sa.automata.rename import apart
from sa.smt.session import Answer, Session, Unsat
from sa.terms import build
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


class Incompatible(Struct, frozen=True):
    """A step of `actor` at which `observer`, at `location`, is in an environment that does not allow it.

    `answer` is the solver's: a state in which it happens, or that it could not tell.
    """

    actor: Automaton
    edge: Edge
    observer: Automaton
    location: Location
    answer: Answer


def incompatibilities(
    session: Session, threads: tuple[Automaton, ...], actors: int | None = None
) -> Iterator[Incompatible]:
    """All failures of compatibility between threads whose environments are given, pair by pair.

    `actors` is how many threads are looked at as those that act, the first ones; all if not given.
    """
    separate = tuple(apart(t) for t in threads)
    same = {build.eq(primed(v), v): v for t in separate for v in variables_of(t, Kind.GLOBAL)}
    disjuncts = dict[Term, tuple[tuple[Term, frozenset[Var]], ...]]()
    for env in (q.env for t in separate for q in t.locations):
        if env is not None and env not in disjuncts:
            disjuncts[env] = _disjuncts(env, same)
    for actor in separate[:actors]:
        steps = tuple(_steps(actor))
        for observer in separate:
            if actor is not observer:
                yield from _between(session, steps, actor, observer, disjuncts)


class _Step(Struct, frozen=True):
    """An edge, where it can be taken, what it makes of the shared variables, and of their primes in relations.

    `allowed` remembers relations as conditions on the state before the step, `plain` whether environments plainly allow
    it, `keeps` whether it plainly keeps invariants, `concerned` what invariants say of what it writes.
    """

    edge: Edge
    taken: Term
    written: Mapping[Var, Term]
    following: Mapping[Var, Term]
    allowed: dict[Term, Term] = field(default_factory=dict)
    plain: dict[Term, bool] = field(default_factory=dict)
    keeps: dict[Term, bool] = field(default_factory=dict)
    concerned: dict[Term, Term] = field(default_factory=dict)


def _steps(actor: Automaton) -> Iterator[_Step]:
    shared = variables_of(actor, Kind.GLOBAL)
    invariants = {q.name: q.inv for q in actor.locations}
    concerned = dict[frozenset[Var], dict[Term, Term]]()
    for edge in actor.edges:
        after = dict(edge.updates)
        taken = build.land(invariants[edge.source], edge.guard, substitute(invariants[edge.target], after))
        written = {v: after[v] for v in shared if v in after}
        following = {primed(v): after.get(v, v) for v in shared}
        yield _Step(edge, taken, written, following, concerned=concerned.setdefault(frozenset(written), {}))


def _disjuncts(env: Term, same: Mapping[Term, Var]) -> tuple[tuple[Term, frozenset[Var]], ...]:
    """The cases of an environment, each with variables that it does not change: `same` has what says so.

    That is left out of the case.
    """
    split = ((case, [part for part in build.conjuncts(case) if part in same]) for case in build.disjuncts(env))
    return tuple(
        (build.land(*(c for c in build.conjuncts(case) if c not in same)), frozenset(same[part] for part in still))
        for case, still in split
    )


def _between(
    session: Session,
    steps: Sequence[_Step],
    actor: Automaton,
    observer: Automaton,
    disjuncts: Mapping[Term, Sequence[tuple[Term, frozenset[Var]]]],
) -> Iterator[Incompatible]:
    settled: dict[tuple[Term, ...], Answer] = {}
    for step in steps:
        for location in observer.locations:
            if location.env is None or _plainly(session, step, location, disjuncts[location.env]):
                continue
            kept = substitute(location.inv, step.written)
            question = (step.taken, location.inv, build.lnot(build.land(_allowed(step, location.env), kept)))
            if question not in settled:
                settled[question] = session.check(q for q in question if q is not build.TRUE)
            answer = settled[question]
            if not isinstance(answer, Unsat):
                yield Incompatible(actor, step.edge, observer, location, answer)


def _plainly(
    session: Session, step: _Step, location: Location, disjuncts: Sequence[tuple[Term, frozenset[Var]]]
) -> bool:
    """Whether cases for what is written allow the step wherever it can be taken, and the invariant stays true.

    The answers are the same for many locations of many threads.
    """
    assert location.env is not None
    if location.inv not in step.concerned:
        about = (c for c in build.conjuncts(location.inv) if not c.free.isdisjoint(step.written))
        step.concerned[location.inv] = build.land(*about)
    concerned = step.concerned[location.inv]
    if location.env not in step.plain:
        fitting = [(case, same) for case, same in disjuncts if same.isdisjoint(step.written)]
        most = max((len(same) for _, same in fitting), default=0)
        cases = build.lor(*(case for case, same in fitting if len(same) == most))
        step.plain[location.env] = session.implied(_allowed(step, cases), (step.taken,))
    if concerned not in step.keeps:
        kept = substitute(concerned, step.written)
        step.keeps[concerned] = kept is build.TRUE or session.implied(kept, (step.taken, concerned))
    return step.plain[location.env] and step.keeps[concerned]


def _allowed(step: _Step, relation: Term) -> Term:
    if relation not in step.allowed:
        step.allowed[relation] = substitute(relation, step.following)
    return step.allowed[relation]
