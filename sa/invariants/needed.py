"""What of a solution of Horn clauses is needed: the conjuncts that exclude what is bad, and those that these rest on.

Candidates are many, and most of those that hold are of no use. Evidence with few of them is soon checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from sa.base.limits import Limits
from sa.smt.horn import Atom, Clause
from sa.smt.switches import Switches, Used
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Term, Var

#: Solver resources for each question.
SOON = 1_000_000


class _Search(Struct):
    """What is needed so far, by predicate, and clauses with conjuncts of their heads that are to be shown."""

    needed: dict[str, dict[Term, None]]
    waiting: list[tuple[int, Term]]
    asked: dict[int, _Asked] = field(default_factory=dict)


class _Asked(Struct, frozen=True):
    """A solver that knows what is said of the body of a clause, and which conjunct each of its switches is."""

    switches: Switches
    said: Mapping[int, tuple[str, Term]]
    terms: Mapping[int, Term]


def needed(
    parameters: Mapping[str, Sequence[Var]], found: Mapping[str, Term], clauses: Sequence[Clause], bounds: Limits
) -> Mapping[str, Term]:
    """The part of a solution that is one by itself, as far as a solver says soon what that is. Raises LimitReached."""
    into: dict[str, list[int]] = {name: [] for name in found}
    for number, clause in enumerate(clauses):
        if clause.head is not None:
            into[clause.head.predicate].append(number)
    s = _Search({name: {} for name in found}, [(n, build.FALSE) for n, c in enumerate(clauses) if c.head is None])
    while s.waiting:
        number, goal = s.waiting.pop()
        for name, formula in _used(s, parameters, found, number, clauses[number], goal, bounds):
            if formula not in s.needed[name]:
                s.needed[name][formula] = None
                s.waiting += [(n, formula) for n in into[name]]
    return {name: build.FALSE if found[name] is build.FALSE else build.land(*s.needed[name]) for name in found}


def _used(
    s: _Search,
    parameters: Mapping[str, Sequence[Var]],
    found: Mapping[str, Term],
    number: int,
    clause: Clause,
    goal: Term,
    bounds: Limits,
) -> list[tuple[str, Term]]:
    """The conjuncts of the body that the goal follows from; all of them where the solver gives up."""
    if any(found[atom.predicate] is build.FALSE for atom in clause.body):
        return []
    if number not in s.asked:
        s.asked[number] = _asked(parameters, found, clause, bounds)
    asked = s.asked[number]
    after = goal if clause.head is None else substitute(goal, _arguments(parameters, clause.head))
    # What is said of other variables mostly costs a solver time and nothing else.
    for on in (_related(asked, clause.constraint, after), list(asked.said)):
        answer = asked.switches.check(on, (build.lnot(after),)) if on is not None else None
        if isinstance(answer, Used):
            return [asked.said[n] for n in sorted(answer.hypotheses)]
    return list(asked.said.values())


def _related(asked: _Asked, constraint: Term, goal: Term) -> list[int] | None:
    """What is said of the variables of the goal and those that equations relate to them; None where it has none."""
    about = goal.free
    equations = [c.free for c in build.conjuncts(constraint) if isinstance(c, IsZero)]
    growing = True
    while growing:
        more = about.union(*(free for free in equations if not free.isdisjoint(about)))
        growing, about = more != about, more
    return [n for n, term in asked.terms.items() if term.free <= about] if about else None


def _asked(
    parameters: Mapping[str, Sequence[Var]], found: Mapping[str, Term], clause: Clause, bounds: Limits
) -> _Asked:
    switches, said = Switches(bounds, 0, SOON, (clause.constraint,), ()), _said(parameters, found, clause)
    said = _said(parameters, found, clause)
    listed = [(switches.add(term), conjunct, term) for conjunct, term in said]
    return _Asked(switches, {n: conjunct for n, conjunct, _ in listed}, {n: term for n, _, term in listed})


def _said(
    parameters: Mapping[str, Sequence[Var]], found: Mapping[str, Term], clause: Clause
) -> Iterator[tuple[tuple[str, Term], Term]]:
    for atom in clause.body:
        changed = _arguments(parameters, atom)
        for formula in build.conjuncts(found[atom.predicate]):
            yield (atom.predicate, formula), substitute(formula, changed)


def _arguments(parameters: Mapping[str, Sequence[Var]], atom: Atom) -> dict[Var, Term]:
    return dict(zip(parameters[atom.predicate], atom.arguments, strict=True))
