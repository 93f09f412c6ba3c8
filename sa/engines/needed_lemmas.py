"""The lemmas that a relation needs: what is left is a weak simulation by itself, and short enough to be read.

A search says everything of a pair of locations that it came to know. Backwards from the conditions of Definition 6, as
the checker makes them, only those lemmas are kept which some condition needs: at first only ι and the invariants have
to hold after each answer, then also the lemmas that were kept (Ghassabani, Gacek and Whalen, "Efficient generation of
inductive validity cores for safety properties", FSE 2016). A condition that fails without more has a counterexample; of
the lemmas that exclude it the shortest is kept. Nothing here is believed: the checker looks at what is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from typing import TypeAlias

from msgspec.structs import replace

from sa.base.budget import Budget
from sa.base.limits import LimitReached, allot, apart, check_limits, spend
from sa.certificates.goal import Goal
from sa.certificates.relation import PairRelation, Relation
from sa.checker.claim import Claim, claim
from sa.checker.environments import at_pair
from sa.checker.obligation import Obligation, solved
from sa.checker.scope import goal_fault, relation_fault
from sa.checker.side import invariant, state_variables
from sa.checker.weak_simulation import at_step
from sa.engines.shorter_lemmas import length, shortened
from sa.smt.session import Sat, Session, Unsat
from sa.terms.build import TRUE, eq, forall, land, lnot
from sa.terms.evaluate import State, Unevaluable, holds
from sa.terms.name import off_side
from sa.terms.solve import extended
from sa.terms.sort import default_value
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Units for one relation. Who reads a larger one reads what the search has said.
UNITS = 400_000

#: The units that a condition takes besides its questions.
CONDITION = 200

_Pair: TypeAlias = tuple[str, str]
#: The conditions at a pair: those of a concrete edge, by its number, or of what environments do.
_Place: TypeAlias = tuple[_Pair, int | None]


class _Unclear(Exception):
    """A condition was not shown from all lemmas either."""


def with_needed_lemmas(goal: Goal, relation: Relation, budget: Budget) -> Relation:
    """The relation with the lemmas that it needs, in few words; itself, as far as that does not come out.

    Raises LimitReached where the whole run is over.
    """
    if goal_fault(goal) is not None:
        return relation
    made = claim(goal, relation)
    if relation_fault(made.concrete, made.abstract, relation) is not None:
        return relation
    bounds = allot(apart(budget.bounds), UNITS)
    session = Session(bounds, [a.formula for a in goal.axioms], budget.seed)
    lemmas: Mapping[_Pair, Sequence[Term]] = made.lemmas
    made = replace(made, lemmas=_with_namesakes(made))
    with suppress(_Unclear, LimitReached):
        lemmas = _kept(made, session)
        lemmas = {pair: shortened(session, _always(made, pair), said) for pair, said in lemmas.items()}
        # Said in other words, some are not needed any more.
        lemmas = _kept(replace(made, lemmas=lemmas), session)
    check_limits(budget.bounds)
    return replace(relation, pairs=tuple(PairRelation(*pair, tuple(said)) for pair, said in lemmas.items()))


def _kept(made: Claim, session: Session) -> Mapping[_Pair, Sequence[Term]]:
    """The needed lemmas of each pair, to a fixed point. Raises _Unclear and LimitReached."""
    kept: dict[_Pair, list[Term]] = {pair: [] for pair in made.lemmas}
    asked, into = replace(made, lemmas=kept), _leading_into(made)
    waiting: dict[_Place, None] = dict.fromkeys(place for pair in made.lemmas for place in _places(made, pair))
    while waiting:
        place, _ = waiting.popitem()
        spend(session.bounds, CONDITION)
        pair = place[0]
        before = len(kept[pair])
        for condition in _conditions(asked, place):
            kept[pair] += _wanted(made, session, pair, kept[pair], condition)
        if len(kept[pair]) > before:
            waiting.update(dict.fromkeys((*into[pair], (pair, None))))
    return kept


def _always(made: Claim, pair: _Pair) -> tuple[Term, ...]:
    """What is known at a pair without lemmas."""
    return (*made.iota, *invariant(made.concrete, pair[0]), *invariant(made.abstract, pair[1]))


def _with_namesakes(made: Claim) -> Mapping[_Pair, tuple[Term, ...]]:
    """Which variables of the same name the lemmas make equal, perhaps by way of others, and the lemmas."""
    theirs = {off_side(v.name): v for v in state_variables(made.abstract)}
    both = [(v, w) for v in state_variables(made.concrete) if (w := theirs.get(off_side(v.name))) is not None]
    found = dict[_Pair, tuple[Term, ...]]()
    for pair, lemmas in made.lemmas.items():
        names = extended({}, (*_always(made, pair), *lemmas))
        equal = (eq(v, w) for v, w in both if v.sort == w.sort and substitute(v, names) is substitute(w, names))
        found[pair] = tuple(dict.fromkeys((*(e for e in equal if e is not TRUE), *lemmas)))
    return found


def _places(made: Claim, pair: _Pair) -> Iterator[_Place]:
    yield pair, None
    for number, _ in made.concrete.outgoing[pair[0]]:
        yield pair, number


def _leading_into(made: Claim) -> Mapping[_Pair, Sequence[_Place]]:
    """The conditions that the lemmas of a pair are part of: of the steps with an answer that ends there."""
    found: dict[_Pair, list[_Place]] = {pair: [] for pair in made.lemmas}
    for (concrete, abstract, number), paths in made.answers.items():
        end = made.goal.concrete.edges[number].target
        for path in paths:
            last = made.goal.abstract.edges[path.edges[-1]].target if path.edges else abstract
            if (end, last) in found:
                found[end, last].append(((concrete, abstract), number))
    return found


def _conditions(asked: Claim, place: _Place) -> Iterable[Obligation]:
    (concrete, abstract), number = place
    if number is None:
        return at_pair(asked, concrete, abstract)
    return (at_step(asked, concrete, abstract, number),)


def _wanted(made: Claim, session: Session, pair: _Pair, kept: Sequence[Term], condition: Obligation) -> Sequence[Term]:
    """The lemmas of a pair that a condition needs besides those that are kept. Raises _Unclear and LimitReached."""
    base = (*_always(made, pair), *kept)
    given, cases = _question(condition, frozenset(base))
    others = [lemma for lemma in made.lemmas[pair] if lemma not in kept]
    found: Sequence[Term] | None = None
    # Cases without quantifiers are asked about first, as by the checker: fewer of them say more.
    for size in sorted({count for count, _ in cases}) or (0,):
        refuted = [case for count, case in cases if count <= size]
        found = _excluding(session, (*base, *given, *refuted), others)
        if found is not None:
            return found
    raise _Unclear


def _question(condition: Obligation, known: Set[Term]) -> tuple[Sequence[Term], Sequence[tuple[int, Term]]]:
    """What a condition assumes, and of each case how many choices it leaves open and that it does not hold."""
    nexts = frozenset(v for h in condition.hypotheses for v in h.free if v.primes)
    names, given = solved(condition.hypotheses, nexts)
    cases = list[tuple[int, Term]]()
    for case in condition.cases:
        _, body = solved([substitute(f, names) for f in case.body], frozenset(case.choices))
        rest = [f for f in body if f not in known and f not in given]
        free = frozenset[Var]().union(*(f.free for f in rest))
        left = tuple(c for c in case.choices if c in free)
        cases.append((len(left), forall(left, lnot(land(*rest)))))
    return given, cases


def _excluding(session: Session, formulas: Sequence[Term], lemmas: Sequence[Term]) -> Sequence[Term] | None:
    """Lemmas that contradict the formulas, none of which can be left out; None where they are not known to."""
    used, waiting = list[Term](), sorted(lemmas, key=length)
    with session.assuming(formulas):
        while not isinstance(reply := session.check(used), Unsat):
            values = reply.values if isinstance(reply, Sat) else None
            excludes = None if values is None else next((m for m in waiting if _is_false(m, values)), None)
            if excludes is None:
                return None
            used.append(excludes)
            waiting.remove(excludes)
        # The last one was needed when it came.
        for lemma in sorted(used[:-1], key=length, reverse=True):
            fewer = [m for m in used if m is not lemma]
            if isinstance(session.check(fewer), Unsat):
                used = fewer
    return used


def _is_false(lemma: Term, values: State) -> bool:
    complete = {v: values.get(v, default_value(v.sort)) for v in lemma.free}
    try:
        return not holds(lemma, complete)
    except Unevaluable:
        return False
