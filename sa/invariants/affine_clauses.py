"""Horn clauses solved by equations between numbers: the strongest affine ones that the clauses leave (Karr, Affine
Relationships Among Variables of a Program, Acta Informatica 6, 1976).

Predicates begin as impossible. What a clause says of its head is an affine space; a predicate keeps what holds in all
of them. What comes out is a proposal, as with other candidates.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from sa.base.limits import Limits, check_time
from sa.domains.affine import EVERYTHING, Space, assign, forget, formulas, grown, meet, rows_of
from sa.smt.horn import Atom, Clause
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


def affine_equations(
    parameters: Mapping[str, Sequence[Var]], clauses: Sequence[Clause], bounds: Limits
) -> dict[str, tuple[Term, ...]]:
    """Equations over the parameters of each predicate that the clauses with a head leave. Raises LimitReached."""
    found = dict[str, Space | None].fromkeys(parameters)
    steps = [c for c in clauses if c.head is not None]
    readers: dict[str, list[int]] = {name: [] for name in parameters}
    for number, clause in enumerate(steps):
        for atom in clause.body:
            readers[atom.predicate].append(number)
    waiting = deque(n for n, c in enumerate(steps) if not c.body)
    while waiting:
        check_time(bounds)
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
