"""Obligations as values, and their discharge: by the normal form of terms where possible, else by the solver."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from sa.checker.ruling import Failure, Rejected, Undecided
from sa.smt.session import Sat, Session, Unsat
from sa.terms.build import FALSE, TRUE, conjuncts, forall, land, linear, linear_parts, lnot, scale
from sa.terms.sort import Value, show_value
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Not, Or, Same, Term, Var


@dataclass(frozen=True, slots=True)
class Case:
    """`∃ choices. body`, the body as its conjuncts."""

    choices: tuple[Var, ...]
    body: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Obligation:
    """Hypotheses, together with what is assumed around them, imply that one of the cases holds."""

    name: str
    where: str
    hypotheses: tuple[Term, ...]
    cases: tuple[Case, ...]


def discharge(session: Session, assumed: Set[Term], obligation: Obligation) -> Failure | None:
    """None where the obligation holds; `assumed` are the formulas that the session assumes now.

    Raises LimitReached and SolverDisagrees.
    """
    nexts = frozenset(v for h in obligation.hypotheses for v in h.free if v.primes)
    names, hypotheses = solved(obligation.hypotheses, nexts)
    if FALSE in hypotheses or FALSE in assumed:
        return None
    known = assumed | frozenset(hypotheses)
    open_cases: list[Case] = []
    for case in obligation.cases:
        _, body = solved([substitute(f, names) for f in case.body], frozenset(case.choices))
        rest = tuple(f for f in body if not _is_known(f, known))
        if not rest:
            return None
        if FALSE not in rest:
            free = frozenset[Var]().union(*(f.free for f in rest))
            open_cases.append(Case(tuple(c for c in case.choices if c in free), rest))
    return _ask(session, obligation, hypotheses, open_cases)


def _ask(session: Session, obligation: Obligation, hypotheses: Iterable[Term], cases: Sequence[Case]) -> Failure | None:
    """Ask first with the cases that need no quantifier: fewer cases are a stronger conclusion."""
    failure: Failure | None = None
    for size in sorted({0, *(len(c.choices) for c in cases)}):
        chosen = [c for c in cases if len(c.choices) <= size]
        if size == 0 and not chosen and cases:
            continue
        refuted = (forall(c.choices, lnot(land(*c.body))) for c in chosen)
        match session.check((*hypotheses, *refuted)):
            case Unsat():
                return None
            case Sat(values):
                failure = Rejected(obligation.name, example(values), obligation.where)
            case undecided:
                failure = Undecided(obligation.name, undecided.why, obligation.where)
    return failure


def _is_known(formula: Term, known: Set[Term]) -> bool:
    return formula in known or (isinstance(formula, Or) and any(d in known for d in formula.args))


def example(values: Mapping[Var, Value]) -> str:
    """A model in words."""
    shown = (f"{v.key} = {show_value(x, v.sort)}" for v, x in sorted(values.items(), key=lambda p: p[0].key))
    return "it fails for " + (", ".join(shown) or "every state")


def solved(formulas: Iterable[Term], unknowns: Set[Var]) -> tuple[dict[Var, Term], list[Term]]:
    """The conjuncts of the formulas without the unknowns that some conjunct defines, and the definitions.

    `∃ unknowns` of the formulas and of the result are equivalent, and the formulas imply the definitions.
    """
    rest = list(conjuncts(land(*formulas)))
    names: dict[Var, Term] = {}
    pending = set(unknowns)
    while True:
        found = next((d for f in rest if not f.free.isdisjoint(pending) for d in _definitions(f, pending)), None)
        if found is None:
            return names, rest
        var, value = found
        pending.discard(var)
        one = {var: value}
        names = {v: substitute(t, one) for v, t in names.items()}
        names[var] = value
        rest = list(conjuncts(land(*(substitute(f, one) for f in rest))))


def _definitions(formula: Term, unknowns: Set[Var]) -> Iterable[tuple[Var, Term]]:
    match formula:
        case IsZero(total):
            const, parts = linear_parts(total)
            for var, coefficient in parts.items():
                if isinstance(var, Var) and var in unknowns and abs(coefficient) == 1:
                    others = linear(const, {p: c for p, c in parts.items() if p is not var})
                    if var not in others.free:
                        yield var, scale(-coefficient, others)
        case Same(left, right):
            if isinstance(left, Var) and left in unknowns and left not in right.free:
                yield left, right
            elif isinstance(right, Var) and right in unknowns and right not in left.free:
                yield right, left
        case Not(Var() as var) if var in unknowns:
            yield var, FALSE
        case Var() if formula in unknowns:
            yield formula, TRUE
