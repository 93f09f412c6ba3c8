"""Candidates for invariants, and which of them a step keeps: what Houdini is made of.

Candidates are what the program itself compares: atoms of guards and of the initial condition, of the invariant that is
wanted, and orders between few variables. Unlike Spacer this also works where functions occur.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import lru_cache
from itertools import combinations

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge
from sa.automata.ranges import within
from sa.invariants.strength import Stronger, strongest
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.evaluate import Unevaluable, holds
from sa.terms.sort import BOOL, INT, Value, default_value
from sa.terms.term import Call, Forall, IsZero, Le, Same, Select, Term, Var, children, sort_of, subterms

#: So many candidates at most, and orders between so many variables.
CANDIDATES, ORDERED = 120, 6


def taking(edge: Edge) -> tuple[Term, ...]:
    """That an edge is taken, in the state before it."""
    return (edge.guard, *(within(c) for c in edge.choices))


def candidates(automaton: Automaton, wanted: Mapping[str, Term]) -> tuple[Term, ...]:
    """Formulas over the automaton's variables that may hold somewhere, the likeliest first."""
    own = frozenset(v.var for v in automaton.variables)
    found = dict[Term, None]()
    for formula in dict.fromkeys(wanted.values()):
        found.update(dict.fromkeys(build.conjuncts(formula)))
    for formula in (automaton.init, *dict.fromkeys(wanted.values()), *dict.fromkeys(e.guard for e in automaton.edges)):
        # Of formulas with functions only those that are wanted: each is a long question.
        found.update(dict.fromkeys(a for a in atoms_of(formula) if a.free and a.free <= own and not has_functions(a)))
    numbers = [v for v in (v.var for v in automaton.variables) if v.sort == INT]
    if len(numbers) <= ORDERED:
        for one, two in combinations(numbers, 2):
            found.update(dict.fromkeys((build.le(one, two), build.le(two, one))))
    found.update(dict.fromkeys(build.le(build.ZERO, v) for v in numbers))
    return tuple(c for c in found if c not in (build.TRUE, build.FALSE))[:CANDIDATES]


def atoms_of(formula: Term) -> Iterator[Term]:
    """Comparisons and Boolean variables in a formula, each also negated; an equation also as two inequations."""
    waiting, seen = [formula], set[Term]()
    while waiting:
        here = waiting.pop(0)
        if here in seen:
            continue
        seen.add(here)
        if isinstance(here, Le | IsZero | Same) or (isinstance(here, Var | Select) and sort_of(here) == BOOL):
            yield here
            yield build.lnot(here)
            if isinstance(here, IsZero):
                yield build.at_most_zero(here.total)
                yield build.at_most_zero(build.scale(-1, here.total))
        else:
            waiting.extend(children(here))


class Sight(Struct, frozen=True):
    """What need not be asked: formulas that are known and are not assumed, since others imply them, and which do so."""

    known: frozenset[Term] = frozenset()
    stronger: Stronger = {}


NOTHING = Sight()


def surviving(
    session: Session,
    bare: Session,
    known: Iterable[Term],
    formulas: tuple[Term, ...],
    after: Callable[[Term], Term],
    falling: Callable[[Sat], Set[Term]] | None = None,
    sight: Sight = NOTHING,
) -> tuple[Term, ...]:
    """The formulas that hold after a step; `after` says a formula of the state before it.

    `falling` may tell which formulas are false after the step from a state, more quickly than their goals do.

    Formulas without functions may use only that part of what is known, and no axioms: there the solver decides. What
    reads arrays may also use what is known of all their elements.
    """
    goals = {f: after(f) for f in formulas}
    hypotheses = build.conjoined(known)
    assumed = frozenset(hypotheses)
    left = {f for f in formulas if (goal := goals[f]) in assumed or goal in sight.known or goal is build.TRUE}
    plain = [f for f in formulas if f not in left and not has_functions(goals[f])]
    with bare.assuming(h for h in hypotheses if not has_functions(h)):
        left.update(holding(bare, {f: goals[f] for f in plain}, falling, sight.stronger))
    of_all = any(isinstance(h, Forall) for h in hypotheses)
    others = (f for f in formulas if f not in left and (has_functions(goals[f]) or (of_all and _reads(goals[f]))))
    left.update([f for f in others if session.implied(goals[f], hypotheses)])
    return tuple(f for f in formulas if f in left)


def holding(
    session: Session,
    goals: Mapping[Term, Term],
    falling: Callable[[Sat], Set[Term]] | None = None,
    stronger: Stronger | None = None,
) -> Mapping[Term, Term]:
    """The formulas whose goals hold under what the session assumes: whatever counterexamples leave of them."""
    while goals:
        asked = (goals[f] for f in strongest(goals, stronger)) if stronger else goals.values()
        answer = session.check((build.lnot(build.land(*asked)),))
        if isinstance(answer, Unsat):
            break
        fallen: Set[Term] = frozenset()
        if isinstance(answer, Sat):
            fallen = _false(goals, answer) if falling is None else falling(answer) & goals.keys()
        fallen = fallen or {f for f, goal in goals.items() if not session.implied(goal, ())}
        if not fallen:
            break
        goals = {f: goal for f, goal in goals.items() if f not in fallen}
    return goals


def _false(goals: Mapping[Term, Term], answer: Sat) -> set[Term]:
    """The formulas whose goals are certainly false in the answer."""
    # Variables that the question does not mention, as where goals contradict each other, may have any value.
    mentioned = frozenset[Var]().union(*(goal.free for goal in goals.values()))
    values = {**{v: default_value(v.sort) for v in mentioned}, **answer.values}
    return {f for f, goal in goals.items() if _is_false(goal, values)}


def _is_false(goal: Term, values: Mapping[Var, Value]) -> bool:
    try:
        return not holds(goal, values)
    except Unevaluable:
        return False


@lru_cache(maxsize=1 << 16)
def _reads(formula: Term) -> bool:
    return any(isinstance(t, Select) for t in subterms((formula,)))


@lru_cache(maxsize=1 << 16)
def has_functions(term: Term) -> bool:
    """Whether a term has functions or quantifiers in it."""
    return any(isinstance(t, Forall | Call) for t in subterms((term,)))
