"""Initial coverage of compositions: each joint concrete initial state has a joint abstract one (THEORY section 6).

With copies of families (THEORY section 12) the abstract shared variables and the locals of the threads are chosen
first, without a look at any copy; then there are locals for each copy by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from msgspec.structs import replace

from sa.automata.automaton import Kind, variables_of
from sa.certificates.family_composition import CrowdComposition
from sa.certificates.goal import Goal, kappa_of
from sa.certificates.relation import Relation
from sa.certificates.threads import Composition
from sa.checker.obligation import Case, Obligation
from sa.checker.side import renamed, side
from sa.terms.build import conjoined
from sa.terms.name import in_goal
from sa.terms.substitute import called, substitute
from sa.terms.term import Term, Var


def named(goal: Goal) -> dict[Var, Term]:
    """The locals of both sides of a goal, and how they are called in the compositions."""
    found = dict[Var, Term]()
    for automaton in (goal.concrete, goal.abstract):
        for v in variables_of(automaton, Kind.LOCAL):
            found[v] = called(v, in_goal(v.name, automaton.name, goal.name))
    return found


def coverage(made: Composition) -> Obligation:
    """Every initial state of the concrete composition has one of the abstract composition that all κ relate to it."""
    hypotheses = tuple(f for goal in made.goals for f in _start(goal))
    wanted = tuple(f for goal in made.goals for f in _wanted(goal))
    unknown = (*_shared_unknown(made.goals), *(v for goal in made.goals for v in _own_unknown(goal)))
    clauses = tuple(replace(f, term=substitute(f.term, named(goal))) for goal in made.goals for f in goal.kappa)
    cases = tuple(_cases(made.goals, made.relations, wanted, unknown))
    return Obligation("initial coverage of the composition", "", hypotheses, cases, clauses)


def coverage_with_copies(made: CrowdComposition) -> Iterator[Obligation]:
    """The same where some of the pairs stand for any number of copies.

    First: an initial state of the concrete threads has abstract shared variables and locals of the abstract threads
    that are as the threads' pairs want them, and as each copy wants what it does not have for itself. Then: whatever
    they are, a concrete copy that can start there has an abstract one.
    """
    identities = dict(made.copies)
    copies = [(goal, identity) for place, goal in enumerate(made.goals) if (identity := identities.get(place))]
    threads = [goal for place, goal in enumerate(made.goals) if place not in identities]
    begun = tuple(f for goal in threads for f in _start(goal)) if threads else _common(copies)
    shared = tuple(f for goal, identity in copies for f in _without_copy(goal, identity, _wanted(goal)))
    wanted = (*(f for goal in threads for f in _wanted(goal)), *shared)
    unknown = (*_shared_unknown(made.goals), *(v for goal in threads for v in _own_unknown(goal)))
    hidden = frozenset(v for goal, identity in copies for v in _own(goal, identity))
    name = "initial coverage of the composition"
    yield Obligation(name, "", begun, tuple(_cases(made.goals, made.relations, wanted, unknown, hidden)))
    for place, goal in enumerate(made.goals):
        if place in identities:
            own = tuple(_own_unknown(goal))
            cases = tuple(_cases((goal,), (made.relations[place],), _wanted(goal), own))
            yield Obligation(name, goal.name, (*begun, *wanted, *_start(goal)), cases)


def _start(goal: Goal) -> tuple[Term, ...]:
    """What holds of a concrete thread at the start, named as in the composition."""
    s = side(goal.concrete)
    return renamed((goal.concrete.init, s.locations[goal.concrete.initial].inv), named(goal))


def _wanted(goal: Goal) -> tuple[Term, ...]:
    """What is wanted of the abstract thread at the start."""
    s = side(goal.abstract)
    return renamed((goal.abstract.init, s.locations[goal.abstract.initial].inv, kappa_of(goal)), named(goal))


def _common(copies: Sequence[tuple[Goal, Var]]) -> tuple[Term, ...]:
    """What holds at the start whichever copies there are, where there is nobody else."""
    said = [frozenset(_without_copy(g, identity, _start(g))) for g, identity in copies]
    return tuple(c for c in _start(copies[0][0]) if all(c in s for s in said))


def _without_copy(goal: Goal, identity: Var, formulas: tuple[Term, ...]) -> tuple[Term, ...]:
    """The conjuncts that speak of nothing that a copy has for itself."""
    own = _own(goal, identity)
    return tuple(c for c in conjoined(formulas) if c.free.isdisjoint(own))


def _own(goal: Goal, identity: Var) -> frozenset[Term]:
    return frozenset((identity, *named(goal).values()))


def _shared_unknown(goals: Sequence[Goal]) -> tuple[Var, ...]:
    return tuple(dict.fromkeys(v for goal in goals for v in variables_of(goal.abstract, Kind.GLOBAL)))


def _own_unknown(goal: Goal) -> Iterator[Var]:
    names = named(goal)
    return (t for v in variables_of(goal.abstract, Kind.LOCAL) if isinstance(t := names[v], Var))


def _cases(
    goals: Sequence[Goal],
    relations: Sequence[Relation],
    wanted: tuple[Term, ...],
    unknown: tuple[Var, ...],
    hidden: frozenset[Term] = frozenset(),
) -> Iterator[Case]:
    """What the pairs' relations choose initially, put together, as far as it says nothing hidden; then anything."""
    for chosen in product(*(r.openings for r in relations)):
        given = dict[Var, Term]()
        for goal, opening in zip(goals, chosen, strict=True):
            given = {**_opening(opening, named(goal)), **given}
        given = {v: t for v, t in given.items() if v in unknown and t.free.isdisjoint(hidden)}
        yield Case(tuple(v for v in unknown if v not in given), renamed(wanted, given))
    yield Case(unknown, wanted)


def _opening(opening: Iterable[tuple[Var, Term]], names: Mapping[Var, Term]) -> dict[Var, Term]:
    found = dict[Var, Term]()
    for var, term in opening:
        name = names.get(var, var)
        assert isinstance(name, Var)
        found[name] = substitute(term, names)
    return found
