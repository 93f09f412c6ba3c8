"""Obligations about environments: closures, Definition 6, condition 2.a, and matching (THEORY sections 3 and 7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sa.certificates.goal import matches_environments
from sa.checker.claim import Claim
from sa.checker.obligation import Case, Obligation, solved
from sa.checker.side import Side, environment, identity, invariant, renamed
from sa.terms.build import conjuncts, land, lor, variable
from sa.terms.name import off_side
from sa.terms.substitute import primed
from sa.terms.term import Term, Var

#: Steps of the abstract environment that may together match one of the concrete environment.
MATCHING_STEPS = 3


def declared(made: Claim) -> Iterator[Obligation]:
    """The environments are reflexive, as a goal promises, and of a closed goal they change nothing."""
    for s in (made.concrete, made.abstract):
        still: dict[Var, Term] = {primed(v): v for v in s.globals}
        # What is the same at two locations is one obligation.
        at = {(invariant(s, name), environment(s, name)): name for name in s.locations}
        for (here, env), name in at.items():
            where = f"{s.automaton.name}, {name}"
            yield Obligation("reflexive environment", where, here, (Case((), renamed(env, still)),))
            if made.goal.closed:
                after = renamed(here, s.after)
                yield Obligation("closed", where, (*here, *env, *after), (Case((), identity(s)),))


def closures(s: Side, name: str, closure: Term) -> Iterator[Obligation]:
    """A closure contains the environment and is reflexive and transitive, between states that satisfy `Inv`."""
    still: dict[Var, Term] = {primed(v): v for v in s.globals}
    later: dict[Var, Term] = {primed(v): primed(primed(v)) for v in s.globals}
    here, relation = invariant(s, name), conjuncts(closure)
    then = renamed(here, s.after)
    within = (*here, *environment(s, name), *then)
    yield Obligation("closure contains the environment", name, within, (Case((), relation),))
    yield Obligation("closure is reflexive", name, here, (Case((), renamed(relation, still)),))
    twice = (*relation, *renamed(relation, {**s.after, **later}), *here, *then, *renamed(then, later))
    yield Obligation("closure is transitive", name, twice, (Case((), renamed(relation, later)),))


def at_pair(made: Claim, concrete: str, abstract: str) -> Iterator[Obligation]:
    """Ψ is kept by one concrete and any number of abstract environment steps; the former can be matched."""
    c, a = made.concrete, made.abstract
    if made.goal.closed and (environment(c, concrete), conjuncts(made.closure[abstract])) == made.still:
        # Nobody but the threads changes anything, so the state is the same. There is nothing to match either.
        return
    both: Mapping[Var, Term] = {**c.after, **a.after}
    where = f"({concrete}, {abstract})"
    kept = renamed(made.lemmas[concrete, abstract], both)
    yield Obligation("environment", where, moved_together(made, concrete, abstract), (Case((), kept),))
    moved, iota = _moved(made, concrete), renamed(made.iota, both)
    if matches_environments(made.goal):
        yield Obligation("matching of environments", where, moved, _matches(made, abstract, iota))


def _moved(made: Claim, concrete: str) -> tuple[Term, ...]:
    """A step of the concrete environment."""
    c = made.concrete
    return (*environment(c, concrete), *renamed(invariant(c, concrete), c.after))


def moved_together(made: Claim, concrete: str, abstract: str) -> tuple[Term, ...]:
    """A step of the concrete environment and any number of those of the abstract one, which keep ι together."""
    a = made.abstract
    drifted = (*conjuncts(made.closure[abstract]), *renamed(invariant(a, abstract), a.after))
    iota = renamed(made.iota, {**made.concrete.after, **a.after})
    return (*_moved(made, concrete), *drifted, *iota)


def _matches(made: Claim, abstract: str, iota: tuple[Term, ...]) -> Iterator[Case]:
    """Ways to reach related states by few steps of the abstract environment, the likely ones without quantifiers."""
    a = made.abstract
    inv, nexts = invariant(a, abstract), tuple(primed(v) for v in a.globals)
    step = (lor(land(*identity(a)), land(*environment(a, abstract))), *renamed(inv, a.after))
    still: dict[Var, Term] = {primed(v): v for v in a.globals}
    for guess in ({}, solved(iota, frozenset(nexts))[0], _namesakes(made)):
        names = {**still, **{v: t for v, t in guess.items() if t.free.isdisjoint(nexts)}}
        yield Case((), renamed((*step, *iota), names))
    for count in range(1, MATCHING_STEPS + 1):
        yield _path(a, step, iota, count)


def _namesakes(made: Claim) -> dict[Var, Term]:
    """Each abstract global takes the value of the concrete one that has its name."""
    concrete = {_plain(v): v for v in made.concrete.globals}
    found = {v: concrete.get(_plain(v)) for v in made.abstract.globals}
    return {primed(v): primed(w) for v, w in found.items() if w is not None and w.sort == v.sort}


def _plain(v: Var) -> str:
    return off_side(v.name)


def _path(a: Side, step: tuple[Term, ...], iota: tuple[Term, ...], count: int) -> Case:
    """Some states between, with two primes and more, each a step from the one before; the last one has one prime."""
    body: list[Term] = list(iota)
    binders: list[Var] = [primed(v) for v in a.globals]
    before: dict[Var, Term] = {}
    for number in range(1, count):
        between: dict[Var, Term] = {v: variable(v.name, v.sort, number + 1) for v in a.globals}
        binders += [v for v in between.values() if isinstance(v, Var)]
        body += renamed(step, {**before, **{primed(v): t for v, t in between.items()}})
        before = between
    return Case(tuple(binders), (*body, *renamed(step, before)))
