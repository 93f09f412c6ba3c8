"""Theorem 2, corrected: refinements of whole programs are chained, any number of them.

Let A1 ⪯ A2 with κ1, ι1 and A2 ⪯ A3 with κ2, ι2, all three closed. Then A1 ⪯ A3 with κ and ι where

- κ of initial states has a middle one: κ ⇒ ∃v2. Init2 ∧ κ1 ∧ κ2 (the paper leaves out Init2, and then it is wrong);
- ι follows: ι1 ∧ ι2 ⇒ ι;
- every initial state of A1 has one of A3 with κ.

*Why.* θ = {(s1, s3) | ∃s2. (s1, s2) ∈ θ1, (s2, s3) ∈ θ2} contains what κ relates, keeps ι, and answers: a step of A1
has an answer of A2, each of whose steps has an answer of A3; the labels agree since silent steps have silent
answers. Nobody's environment moves.

More links are the same with more in the middle: the strongest ι of the first two is ∃v2. ι1 ∧ ι2, the weakest κ
∃v2. Init2 ∧ κ1 ∧ κ2, and with these the next link is chained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from sa.automata.program import Formula
from sa.checker.obligation import Case, Obligation
from sa.rules.facts import Refinement, all_of
from sa.rules.states import in_range, initially, variables
from sa.terms import build
from sa.terms.substitute import sided, substitute, unsided
from sa.terms.term import Term, Var


def inside(number: int, last: int) -> str:
    """What variables of the ends of links are called: `conc`, `abs`, and `mid1`, `mid2`, … between them."""
    return "conc" if number == 0 else "abs" if number == last else f"mid{number}"


def linked(formula: Formula, number: int, last: int) -> Formula:
    """A formula of link number `number`, counted from 0, over the names of the chain."""
    heads = {"conc": inside(number, last), "abs": inside(number + 1, last)}
    names: dict[Var, Term] = {}
    for v in formula.term.free:
        if v.name.side in heads:
            names[v] = sided(unsided(v), heads[v.name.side])
    return replace(formula, term=substitute(formula.term, names))


def obligations(
    links: Sequence[Refinement], kappa: tuple[Formula, ...], iota: tuple[Formula, ...]
) -> Iterator[Obligation]:
    """The side conditions of the chained claim; what a link ends with the next one begins with."""
    last = len(links)
    below, above = initially(links[0].left, "conc"), initially(links[-1].right, "abs")
    kappas = tuple(linked(f, i, last) for i, link in enumerate(links) for f in link.kappa)
    middles = [(link.right, inside(i + 1, last)) for i, link in enumerate(links[:-1])]
    between = [t for side, name in middles for t in initially(side, name)]
    unknown = tuple(v for side, name in middles for v in variables(side, name))
    known = build.conjoined((*below, *above, all_of(kappa)))
    found = Case(unknown, build.conjoined((*between, all_of(kappas))))
    yield Obligation("a middle initial state", "", known, (found,), kappas)
    together = build.land(*(linked(f, i, last).term for i, link in enumerate(links) for f in link.iota))
    states = (*in_range(links[0].left, "conc"), *in_range(links[-1].right, "abs"))
    states += tuple(t for side, name in middles for t in in_range(side, name))
    kept = Case((), build.conjuncts(all_of(iota)))
    yield Obligation("ι of the chain", "", build.conjoined((together, *states)), (kept,), iota)
    wanted = Case(variables(links[-1].right, "abs"), build.conjoined((*above, all_of(kappa))))
    yield Obligation("initial coverage", "", below, (wanted,), kappa)
