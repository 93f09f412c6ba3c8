"""Theorem 2, corrected: refinements of whole programs are chained.

Let A1 ⪯ A2 with κ1, ι1 and A2 ⪯ A3 with κ2, ι2, all three closed. Then A1 ⪯ A3 with κ and ι where

- κ of initial states has a middle one: κ ⇒ ∃v2. Init2 ∧ κ1 ∧ κ2 (the paper leaves out Init2, and then it is wrong);
- ι follows: ι1 ∧ ι2 ⇒ ι;
- every initial state of A1 has one of A3 with κ.

*Why.* θ = {(s1, s3) | ∃s2. (s1, s2) ∈ θ1, (s2, s3) ∈ θ2} contains what κ relates, keeps ι, and answers: a step of A1
has an answer of A2, each of whose steps has an answer of A3; the labels agree since silent steps have silent
answers. Nobody's environment moves.
"""

from __future__ import annotations

from collections.abc import Iterator

from sa.automata.automaton import Automaton, Kind
from sa.automata.program import Formula
from sa.automata.rename import on_side
from sa.checker.obligation import Case, Obligation
from sa.checker.threads import apart
from sa.proofs.facts import Refinement, Side, all_of
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


def middle(formulas: tuple[Formula, ...], side: str) -> Term:
    """Formulas of a refinement with one side, `abs` or `conc`, called `mid`."""
    term, head = all_of(formulas), f"{side}."
    names: dict[Var, Term] = {
        v: build.variable(f"mid.{v.name.removeprefix(head)}", v.sort, v.primes)
        for v in term.free
        if v.name.startswith(head)
    }
    return substitute(term, names)


def initially(side: Side, name: str) -> tuple[Term, ...]:
    """That all threads of a side are at their beginning, over `name.x` and `name.T.x`."""
    found = list[Term]()
    for annotated in side.threads:
        thread = on_side(apart(annotated.automaton), name)
        found += [thread.init, next(q.inv for q in thread.locations if q.name == thread.initial)]
    return build.conjuncts(build.land(*found))


def variables(side: Side, name: str) -> tuple[Var, ...]:
    """The variables of a side that are not parameters, over the same names."""
    found = dict[Var, None]()
    for annotated in side.threads:
        thread: Automaton = on_side(apart(annotated.automaton), name)
        found.update(dict.fromkeys(v.var for v in thread.variables if v.kind is not Kind.PARAM))
    return tuple(found)


def obligations(
    first: Refinement, second: Refinement, kappa: tuple[Formula, ...], iota: tuple[Formula, ...]
) -> Iterator[Obligation]:
    """The side conditions of the chained claim; the middle sides are one and the same."""
    start = (*initially(first.left, "conc"), *initially(second.right, "abs"))
    between = (*initially(first.right, "mid"), middle(first.kappa, "abs"), middle(second.kappa, "conc"))
    unknown = variables(first.right, "mid")
    known = build.conjuncts(build.land(*start, all_of(kappa)))
    yield Obligation("a middle initial state", "", known, (Case(unknown, build.conjuncts(build.land(*between))),))
    both = build.conjuncts(build.land(middle(first.iota, "abs"), middle(second.iota, "conc")))
    yield Obligation("ι of the chain", "", both, (Case((), build.conjuncts(all_of(iota))),))
    wanted = build.conjuncts(build.land(*initially(second.right, "abs"), all_of(kappa)))
    unknown = variables(second.right, "abs")
    yield Obligation("initial coverage", "", initially(first.left, "conc"), (Case(unknown, wanted),))
