"""Whether a side condition is really false: evaluated for plain values, with functions that satisfy all axioms.

Only what is quantified, in the condition or in the axioms, is put to a solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from sa.automata.program import Axiom
from sa.checker.obligation import Case, Obligation, discharge
from sa.checker.resources import Resources
from sa.checker.ruling import Accepted, Rejected, Ruling, Undecided
from sa.smt.session import Sat
from sa.terms import build
from sa.terms.evaluate import Unevaluable, holds
from sa.terms.meaning import Meaning, interpreted
from sa.terms.sort import Value
from sa.terms.substitute import substitute
from sa.terms.term import Var


def meant(obligation: Obligation, meaning: Meaning | None) -> Obligation:
    """The obligation with functions replaced by what they mean."""
    cases = tuple(obligation.cases)
    if meaning is None:
        return replace(obligation, cases=cases)
    made = tuple(Case(c.choices, tuple(interpreted(b, meaning) for b in c.body)) for c in cases)
    return replace(
        obligation,
        hypotheses=tuple(interpreted(h, meaning) for h in obligation.hypotheses),
        cases=made,
        clauses=tuple(replace(f, term=interpreted(f.term, meaning)) for f in obligation.clauses),
    )


def variables_of(obligation: Obligation) -> tuple[Var, ...]:
    """What an obligation depends on, in the order of names."""
    found = {v for h in obligation.hypotheses for v in h.free}
    for case in obligation.cases:
        found |= {v for b in case.body for v in b.free} - frozenset(case.choices)
    return tuple(sorted(found, key=lambda v: v.key))


def check_failure(
    obligation: Obligation,
    values: Mapping[Var, Value],
    meaning: Meaning | None,
    axioms: Sequence[Axiom],
    resources: Resources,
) -> Ruling:
    """Whether an obligation, as it is meant, fails for the values. Raises LimitReached."""
    name, where = obligation.name, obligation.where
    try:
        if not all(holds(h, values) for h in obligation.hypotheses):
            return Rejected(name, "these are not values of its variables", where)
        if any(all(holds(b, values) for b in case.body) for case in obligation.cases if not case.choices):
            return Rejected(name, "it holds for these values", where)
    except Unevaluable:
        return Rejected(name, "it cannot be evaluated for these values", where)
    plain = resources.solvers.session(resources.bounds, (), resources.seed)
    for question in (*_impossible(obligation, values), *_true(meaning, axioms)):
        failure = discharge(plain, frozenset(), question)
        if failure is not None:
            return failure
    return _possible(axioms, resources) if meaning is None else Accepted()


def _impossible(obligation: Obligation, values: Mapping[Var, Value]) -> Iterator[Obligation]:
    """No choice makes a case hold."""
    for case in obligation.cases:
        if case.choices:
            known = {v: build.constant(x, v.sort) for v, x in values.items() if v not in case.choices}
            body = build.conjoined(substitute(b, known) for b in case.body)
            yield Obligation(f"no way to satisfy: {obligation.name}", obligation.where, body, ())


def _true(meaning: Meaning | None, axioms: Iterable[Axiom]) -> Iterator[Obligation]:
    if meaning is not None:
        for axiom in axioms:
            yield Obligation("axiom", "", (), (Case((), (interpreted(axiom.formula, meaning),)),))


def _possible(axioms: Sequence[Axiom], resources: Resources) -> Ruling:
    """Values refute nothing if no functions satisfy the axioms."""
    if not axioms:
        return Accepted()
    answer = resources.solvers.make(resources.bounds, [a.formula for a in axioms], resources.seed).check(())
    return Accepted() if isinstance(answer, Sat) else Undecided("axioms", "it is not known that they can be true")
