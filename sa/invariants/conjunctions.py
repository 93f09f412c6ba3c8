"""Horn clauses solved by conjunctions of given candidates: the strongest ones that the clauses leave (Houdini).

Predicates begin as impossible. A clause whose body is possible makes its head possible: then the head has all
candidates that hold after the clause, and loses those that fail after another one. What is left is a proposal for the
checker.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from sa.base.limits import Limits, spend
from sa.invariants.examples import Examples, examples
from sa.invariants.houdini import Sight, has_functions, surviving
from sa.invariants.partition_by_flags import split
from sa.invariants.strength import stronger, strongest
from sa.smt.horn import Atom, Clause
from sa.smt.session import Sat, Session
from sa.terms import build
from sa.terms.compile import Row, executable, guarded
from sa.terms.compile import predicate as compiled_test
from sa.terms.sort import Value, default_value
from sa.terms.substitute import substitute, substitution
from sa.terms.term import Term, Var

#: By predicate what is claimed of its parameters; None where it is impossible.
Claimed: TypeAlias = Mapping[str, tuple[Term, ...] | None]

#: Values of arguments by those of variables.
_Arguments: TypeAlias = Callable[[Row], tuple[Value, ...] | None]


def conjunctions(
    session: Session,
    parameters: Mapping[str, Sequence[Var]],
    clauses: Sequence[Clause],
    offered: Mapping[str, Sequence[Term]],
    bounds: Limits,
    seen: Examples | None = None,
    flags: frozenset[Var] = frozenset(),
) -> dict[str, Term]:
    """Predicates over their parameters that satisfy all clauses that have a head. Raises LimitReached.

    Some states that clauses show to be possible may be known already; they are looked for otherwise. Predicates are
    conjunctions for each choice of values of the `flags`, if these are few.
    """
    steps = [c for c in clauses if c.head is not None]
    rows = examples(session.bare(), parameters, steps) if seen is None else seen
    variants = split(parameters, steps, flags)
    if variants is None:
        return _conjunctions(session, parameters, steps, offered, bounds, rows)
    of_variants = variants.offered(offered), bounds, variants.rows(parameters, rows)
    found = _conjunctions(session, variants.parameters, variants.clauses, *of_variants)
    return variants.merged(parameters, found)


def _conjunctions(
    session: Session,
    parameters: Mapping[str, Sequence[Var]],
    steps: Sequence[Clause],
    offered: Mapping[str, Sequence[Term]],
    bounds: Limits,
    rows: Examples,
) -> dict[str, Term]:
    bare = session.bare()
    values = _Values()
    kept = {name: values.true_in(offered[name], known, rows[name]) for name, known in parameters.items()}
    groups = dict.fromkeys(map(tuple, offered.values()))
    weaker = dict(zip(groups, stronger(groups), strict=True))
    by_sight = {name: weaker[tuple(some)] for name, some in offered.items()}
    firm = {name: None if some is None else strongest(some, by_sight[name]) for name, some in kept.items()}
    said_of = list(map(tuple, _substitutions(parameters, (c.body for c in steps))))
    heads = [head for (head,) in _substitutions(parameters, ((c.head,) for c in steps if c.head is not None))]
    readers: dict[str, list[int]] = {name: [] for name in parameters}
    for number, clause in enumerate(steps):
        for atom in clause.body:
            readers[atom.predicate].append(number)
    waiting = deque(range(len(steps)))
    queued = set(waiting)
    while waiting:
        spend(bounds, 250)
        number = waiting.popleft()
        queued.discard(number)
        head = steps[number].head
        assert head is not None
        known = _known(said_of[number], firm, steps[number])
        if known is None:
            continue
        told = (map(said, kept[a.predicate] or ()) for a, said in zip(steps[number].body, said_of[number], strict=True))
        sight = Sight(frozenset(chain(*told)), by_sight[head.predicate])
        before = kept[head.predicate]
        candidates = tuple(offered[head.predicate]) if before is None else before
        falling = values.falling(candidates, parameters[head.predicate], head.arguments)
        left = surviving(session, bare, known, candidates, heads[number], falling, sight)
        if left != before:
            kept[head.predicate], firm[head.predicate] = left, strongest(left, sight.stronger)
            waiting.extend(n for n in dict.fromkeys(readers[head.predicate]) if n not in queued)
            queued.update(readers[head.predicate])
    return {name: build.FALSE if said is None else build.land(*said) for name, said in firm.items()}


class _Values(Struct, frozen=True, eq=False):
    """Formulas and arguments of heads as functions of values, each made once."""

    formulas: dict[tuple[Term, Sequence[Var]], Callable[[Row], bool]] = field(default_factory=dict)
    arguments: dict[tuple[Term, ...], tuple[tuple[Var, ...], _Arguments]] = field(default_factory=dict)

    def true_in(self, offered: Sequence[Term], own: Sequence[Var], rows: Sequence[Row]) -> tuple[Term, ...] | None:
        """The candidates that are true in all states that are known to be possible; None where there are none."""
        if not rows:
            return None
        return tuple(f for f in offered if all(map(self._test(f, own), rows)))

    def falling(
        self, candidates: Sequence[Term], own: Sequence[Var], arguments: tuple[Term, ...]
    ) -> Callable[[Sat], Set[Term]] | None:
        """What tells the candidates that are false where a head has these arguments; None where they have no values."""
        if any(map(has_functions, arguments)):
            return None
        return lambda answer: self._false(candidates, own, arguments, answer)

    def _false(
        self, candidates: Sequence[Term], own: Sequence[Var], arguments: tuple[Term, ...], answer: Sat
    ) -> Set[Term]:
        if arguments not in self.arguments:
            order = tuple(frozenset[Var]().union(*(t.free for t in arguments)))
            self.arguments[arguments] = order, guarded(build.TRUE, arguments, order)
        order, values_of = self.arguments[arguments]
        # What the question does not mention may have any value.
        row = values_of([answer.values.get(v, default_value(v.sort)) for v in order])
        assert row is not None
        return {f for f in candidates if not self._test(f, own)(row)}

    def _test(self, formula: Term, own: Sequence[Var]) -> Callable[[Row], bool]:
        """Whether a formula may hold: of some, these values do not tell."""
        key = formula, own
        found = self.formulas.get(key)
        if found is None:
            told = executable((formula,), own)
            found = self.formulas[key] = compiled_test(formula, own) if told else lambda row: True
        return found


def _substitutions(
    parameters: Mapping[str, Sequence[Var]], listed: Iterable[Sequence[Atom]]
) -> Iterator[list[Callable[[Term], Term]]]:
    """What takes formulas over the parameters of atoms to their arguments; those that do the same are the same."""
    made = dict[frozenset[tuple[Var, Term]], Callable[[Term], Term]]()
    for atoms in listed:
        changed = [_changed(parameters, atom) for atom in atoms]
        yield [made.setdefault(frozenset(c.items()), substitution(c)) for c in changed]


def impossible(
    session: Session, parameters: Mapping[str, Sequence[Var]], found: Mapping[str, Term], clause: Clause
) -> bool:
    """Whether the body of a clause certainly is, as far as is known of its predicates. Raises LimitReached."""
    said_of = tuple(substitution(_changed(parameters, a)) for a in clause.body)
    known = _known(said_of, {name: build.conjuncts(said) for name, said in found.items()}, clause)
    return known is None or session.implied(build.FALSE, known)


def under(
    parameters: Mapping[str, Sequence[Var]], found: Mapping[str, Term], clauses: Iterable[Clause]
) -> Iterator[Clause]:
    """The clauses where what was found of predicates is known of their bodies; without those that are impossible."""
    for clause in clauses:
        said = [
            f
            for atom in clause.body
            if atom.predicate in found
            for f in (substitute(found[atom.predicate], _changed(parameters, atom)),)
        ]
        constraint = build.land(clause.constraint, *said)
        if constraint is not build.FALSE:
            yield replace(clause, constraint=constraint)


def _known(said_of: Sequence[Callable[[Term], Term]], kept: Claimed, clause: Clause) -> tuple[Term, ...] | None:
    """The body of a clause and its constraint; None where the body is impossible.

    `said_of` takes what is said of a predicate's parameters to what it says of the arguments of each atom.
    """
    found = [clause.constraint]
    for atom, said in zip(clause.body, said_of, strict=True):
        formulas = kept[atom.predicate]
        if formulas is None:
            return None
        found += map(said, formulas)
    known = build.conjoined(found)
    return None if build.FALSE in known else known


def _changed(parameters: Mapping[str, Sequence[Var]], atom: Atom) -> dict[Var, Term]:
    """The arguments that are not the parameters themselves: most are, and substitution looks at what changes only."""
    return {v: t for v, t in zip(parameters[atom.predicate], atom.arguments, strict=True) if v is not t}
