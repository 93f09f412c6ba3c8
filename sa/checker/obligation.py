"""Obligations as values, and their discharge: by the normal form of terms where possible, else by the solver."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

from sa.automata.automaton import Edge
from sa.automata.program import Formula
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
    """Hypotheses, together with what is assumed around them, imply that one of the cases holds.

    Cases come in order of preference and are made only when those before them did not do. For messages only:
    `clauses` are what the conclusion is made of, as it is written somewhere, and `edge` is the step that it is about.
    """

    name: str
    where: str
    hypotheses: tuple[Term, ...]
    cases: Iterable[Case]
    clauses: tuple[Formula, ...] = ()
    edge: Edge | None = None


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
    failure: Failure | None = None
    for _, group in groupby(obligation.cases, lambda case: len(case.choices)):
        for case in group:
            left = _simplified(case, names, known)
            if not left.body:
                return None
            if FALSE not in left.body:
                open_cases.append(left)
        if open_cases:
            failure = _ask(session, obligation, hypotheses, open_cases)
            if failure is None:
                return None
    return failure or _ask(session, obligation, hypotheses, ())


def _simplified(case: Case, names: Mapping[Var, Term], known: Set[Term]) -> Case:
    _, body = solved([substitute(f, names) for f in case.body], frozenset(case.choices))
    rest = tuple(f for f in body if not _is_known(f, known))
    free = frozenset[Var]().union(*(f.free for f in rest))
    return Case(tuple(c for c in case.choices if c in free), rest)


def _ask(session: Session, obligation: Obligation, hypotheses: Iterable[Term], cases: Sequence[Case]) -> Failure | None:
    """Ask first with the cases that need no quantifier: fewer cases are a stronger conclusion."""
    failure: Failure | None = None
    for size in sorted({len(c.choices) for c in cases} or {0}):
        chosen = [c for c in cases if len(c.choices) <= size]
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
    while found := _next_definitions(rest, pending):
        pending -= found.keys()
        names = {v: substitute(t, found) for v, t in names.items()} | found
        rest = list(conjuncts(land(*(substitute(f, found) for f in rest))))
    return names, rest


def _next_definitions(formulas: Iterable[Term], unknowns: Set[Var]) -> dict[Var, Term]:
    """Definitions that may be used all at once: none mentions an unknown, or there is only one."""
    found: dict[Var, Term] = {}
    spare: dict[Var, Term] = {}
    for formula in formulas:
        if formula.free.isdisjoint(unknowns):
            continue
        for var, value in _definitions(formula, unknowns):
            if var not in found and value.free.isdisjoint(unknowns):
                found[var] = value
                break
            spare = spare or {var: value}
    return found or spare


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
