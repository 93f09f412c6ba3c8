"""Horn clauses solved by equations between numbers: the strongest affine ones that the clauses leave (Karr, Affine
Relationships Among Variables of a Program, Acta Informatica 6, 1976).

Predicates begin as impossible. What a clause says of its head is an affine space; a predicate keeps what holds in all
of them. What comes out is a proposal, as with other candidates.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from sa.base.limits import Limits, spend
from sa.domains.affine import EVERYTHING, Space, assign, forget, formulas, grown, meet, rows_of
from sa.smt.horn import Atom, Clause
from sa.terms import build
from sa.terms.cases import condition_in, decided
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var, sort_of

#: Conditions of a clause that are decided: a compare-and-swap has one.
CASES = 2


def affine_equations(
    parameters: Mapping[str, Sequence[Var]], clauses: Sequence[Clause], bounds: Limits
) -> dict[str, tuple[Term, ...]]:
    """Equations over the parameters of each predicate that the clauses with a head leave. Raises LimitReached."""
    found = dict[str, Space | None].fromkeys(parameters)
    steps = [case for c in clauses if c.head is not None for case in _cases(c, c.head)]
    readers: dict[str, list[int]] = {name: [] for name in parameters}
    for number, clause in enumerate(steps):
        for atom in clause.body:
            readers[atom.predicate].append(number)
    waiting = deque(n for n, c in enumerate(steps) if not c.body)
    while waiting:
        spend(bounds, 400)
        clause = steps[waiting.popleft()]
        head = clause.head
        assert head is not None
        after = _after(parameters, found, clause, head)
        if after is None:
            continue
        before = found[head.predicate]
        now = after if before is None else grown(before, after)
        if now != before:
            found[head.predicate] = now
            waiting.extend(n for n in dict.fromkeys(readers[head.predicate]) if n not in waiting)
    return {name: () if space is None else tuple(formulas(space)) for name, space in found.items()}


def _cases(clause: Clause, head: Atom, most: int = CASES) -> Iterator[Clause]:
    """The clause for each outcome of what its head's numbers depend on, of so many conditions at most."""
    numbers = (t for t in head.arguments if sort_of(t) == INT)
    condition = next((c for t in numbers if (c := condition_in(t)) is not None), None) if most > 0 else None
    if condition is None:
        yield clause
        return
    for truth, said in ((True, condition), (False, build.lnot(condition))):
        decides = (decided(t, condition, truth) if sort_of(t) == INT else t for t in head.arguments)
        case = replace(head, arguments=tuple(decides))
        yield from _cases(Clause(clause.body, build.land(clause.constraint, said), case), case, most - 1)


def _after(
    parameters: Mapping[str, Sequence[Var]], found: Mapping[str, Space | None], clause: Clause, head: Atom
) -> Space | None:
    """What a clause says of its head's parameters; None if its body is impossible."""
    rows = [*rows_of(clause.constraint)]
    for atom in clause.body:
        space = found[atom.predicate]
        if space is None:
            return None
        names: dict[Var, Term] = dict(zip(parameters[atom.predicate], atom.arguments, strict=True))
        rows += (row for said in formulas(space) for row in rows_of(substitute(said, names)))
    here = meet(EVERYTHING, rows)
    own = parameters[head.predicate]
    changes = {v: t for v, t in zip(own, head.arguments, strict=True) if v is not t}
    after = None if here is None else assign(here, changes)
    if after is None:
        return None
    others = {v for said in formulas(after) for v in said.free} - set(own)
    return forget(after, others)
