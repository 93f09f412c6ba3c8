"""Obligations as values, and their discharge: by the normal form of terms where possible, else by the solver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import groupby

from msgspec import Struct

from sa.automata.automaton import Edge
from sa.automata.program import Formula
from sa.base.meter import Part, timed
from sa.checker.ruling import Failure, Rejected, Undecided
from sa.checker.solvers import witnessed
from sa.smt.session import Sat, Unsat
from sa.smt.solver import Solver
from sa.terms.build import FALSE, TRUE, conjoined, forall, land, linear, linear_parts, lnot, scale
from sa.terms.sort import Value, show_value
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Mod, Not, Or, Same, Term, Var, subterms


class Case(Struct, frozen=True):
    """`∃ choices. body`, the body as its conjuncts."""

    choices: tuple[Var, ...]
    body: tuple[Term, ...]


class Obligation(Struct, frozen=True):
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


class _Open(Struct, frozen=True):
    """A case that the normal form did not settle: what is left of it, itself, and terms for some of its choices."""

    left: Case
    case: Case
    given: Mapping[Var, Term]


def discharge(session: Solver, assumed: Set[Term], obligation: Obligation) -> Failure | None:
    """None where the obligation holds; `assumed` are the formulas that the session assumes now.

    Raises LimitReached and SolverDisagrees.
    """
    with timed(Part.OBLIGATION, obligation.name):
        return _discharged(session, assumed, obligation)


def _discharged(session: Solver, assumed: Set[Term], obligation: Obligation) -> Failure | None:
    nexts = frozenset(v for h in obligation.hypotheses for v in h.free if v.primes)
    names, hypotheses = solved(obligation.hypotheses, nexts)
    if FALSE in hypotheses or FALSE in assumed:
        return _confirmed(session, obligation, ())
    known = assumed | frozenset(hypotheses)
    open_cases: list[_Open] = []
    failure: Failure | None = None
    for _, group in groupby(obligation.cases, lambda case: len(case.choices)):
        for case in group:
            found = _simplified(case, names, known)
            if not found.left.body:
                return _confirmed(session, obligation, (found,))
            if FALSE not in found.left.body:
                open_cases.append(found)
        if open_cases:
            failure = _ask(session, obligation, hypotheses, open_cases)
            if failure is None:
                return None
    return failure or _ask(session, obligation, hypotheses, ())


def _simplified(case: Case, names: Mapping[Var, Term], known: Set[Term]) -> _Open:
    said = [substitute(f, names) for f in case.body] if names else case.body
    given, body = solved(said, frozenset(case.choices))
    rest = tuple(f for f in body if not _is_known(f, known))
    free = frozenset[Var]().union(*(f.free for f in rest))
    return _Open(Case(tuple(c for c in case.choices if c in free), rest), case, given)


def _confirmed(session: Solver, obligation: Obligation, cases: Iterable[_Open]) -> Failure | None:
    """What a witness has against an obligation that holds because of these cases."""

    def whole() -> Iterator[Term]:
        yield from obligation.hypotheses
        for found in cases:
            body = [substitute(f, found.given) for f in found.case.body]
            left = tuple(c for c in found.case.choices if c not in found.given)
            yield forall(left, lnot(land(*body)))

    return witnessed(session, obligation.name, obligation.where, whole)


def _ask(session: Solver, obligation: Obligation, hypotheses: Sequence[Term], cases: Sequence[_Open]) -> Failure | None:
    """Ask first with the cases that need no quantifier: fewer cases are a stronger conclusion."""
    failure: Failure | None = None
    if len(cases) == 1 and _follows_piecewise(session, hypotheses, cases[0].left):
        return _confirmed(session, obligation, cases)
    for size in sorted({len(c.left.choices) for c in cases} or {0}):
        chosen = [c for c in cases if len(c.left.choices) <= size]
        refuted = (forall(c.left.choices, lnot(land(*c.left.body))) for c in chosen)
        match session.check((*hypotheses, *refuted)):
            case Unsat():
                return _confirmed(session, obligation, chosen)
            case Sat(values):
                failure = Rejected(obligation.name, example(values), obligation.where)
            case undecided:
                failure = Undecided(obligation.name, undecided.why, obligation.where)
    return failure


def _follows_piecewise(session: Solver, hypotheses: Sequence[Term], case: Case) -> bool:
    """Whether each conjunct follows by itself from hypotheses about its own variables, and what these are equal to.

    Where remainders are spoken of, those of others cost a solver much; with fewer hypotheses more is shown.
    """
    if case.choices or len(case.body) < 2 or not any(isinstance(t, Mod) for t in subterms(case.body)):
        return False
    for formula in case.body:
        about = _equal_to(formula.free, hypotheses)
        known = (h for h in hypotheses if h.free <= about)
        if not isinstance(session.check((*known, lnot(formula))), Unsat):
            return False
    return True


def _equal_to(variables: Set[Var], hypotheses: Sequence[Term]) -> Set[Var]:
    """The variables, and those that equations relate to them."""
    equations = [h.free for h in hypotheses if isinstance(h, IsZero | Same)]
    found, growing = frozenset(variables), True
    while growing:
        more = found.union(*(free for free in equations if not free.isdisjoint(found)))
        growing, found = more != found, more
    return found


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
    rest = list(conjoined(formulas))
    names: dict[Var, Term] = {}
    if not unknowns:
        return names, rest
    pending = set(unknowns)
    while found := _next_definitions(rest, pending):
        pending -= found.keys()
        names = {v: substitute(t, found) for v, t in names.items()} | found
        rest = list(conjoined(substitute(f, found) for f in rest))
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
