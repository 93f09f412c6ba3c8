"""States of which Horn clauses show that they are possible, found by carrying clauses out at random.

Whatever solves the clauses holds of them, so a candidate that is false in one of them need not be asked about. Nothing
else is concluded: that no state of a predicate is found says nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from random import Random
from typing import TypeAlias

from msgspec import Struct, field

from sa.base.limits import spend
from sa.smt.horn import Clause
from sa.smt.session import Sat, Session
from sa.terms import build
from sa.terms.compile import Row, executable, guarded
from sa.terms.evaluate import Unevaluable, evaluate
from sa.terms.sort import BOOL, INT, Value, default_value
from sa.terms.term import Term, Var, sort_of

#: Models of the start, states of each predicate at most, and how often clauses are carried out in all.
STARTS, STATES, TRIES = 16, 80, 80_000

#: How often other values are tried of what a clause leaves open, and states that fit beside one of them.
OPEN, PARTNERS = 3, 2

#: Numbers that are tried besides those that a state has, and indices of elements for each state.
SMALL, INDICES = 4, 3

#: By predicate the values of its parameters in some states.
Examples: TypeAlias = Mapping[str, Sequence[Row]]


def examples(session: Session, parameters: Mapping[str, Sequence[Var]], clauses: Sequence[Clause]) -> Examples:
    """Some states of predicates; the session knows no axioms. Raises LimitReached."""
    s = _Search(Random(0), {name: {} for name in parameters})
    for clause in clauses:
        if clause.head is not None and not clause.body:
            for state in _starts(session, clause, s):
                s.add(clause.head.predicate, state)
    rules: dict[str, list[_Rule]] = {name: [] for name in parameters}
    steps = dict[tuple[tuple[Var, ...], Term, tuple[Term, ...]], _Step]()
    for clause in clauses:
        spend(session.bounds, 200)
        for number, atom in enumerate(clause.body if clause.head is not None else ()):
            rule = _rule(clause, number, steps)
            if rule is not None:
                rules[atom.predicate].append(rule)
    tries = 0
    while s.waiting and tries < TRIES:
        spend(session.bounds, 20)
        name, row = s.waiting.popleft()
        tries += len(rules[name])
        for rule in rules[name]:
            s.carry_out(rule, row)
    return {name: tuple(rows) for name, rows in s.found.items()}


def with_elements(
    found: Examples, of: Mapping[str, Sequence[Var]], over: Mapping[str, Sequence[Var]], meant: Mapping[Var, Term]
) -> Examples:
    """The same states of predicates that are over elements of arrays, which are meant by terms, and their indices."""
    random, told = Random(0), {name: dict[Row, None]() for name in over}
    for name, rows in found.items():
        own = frozenset(of[name])
        terms = [meant.get(v, v) for v in over[name]]
        indices = tuple(dict.fromkeys(v for t in terms for v in sorted(t.free - own, key=lambda v: v.key)))
        values_of = guarded(build.TRUE, terms, (*of[name], *indices))
        for row in rows:
            numbers = _numbers(row)
            for _ in range(INDICES if indices else 1):
                values = values_of((*row, *(random.choice(numbers) for _ in indices)))
                assert values is not None
                told[name][values] = None
    return {name: tuple(rows) for name, rows in told.items()}


def _numbers(values: Row) -> tuple[int, ...]:
    """Numbers to try: small ones, and those that are there."""
    return (*range(SMALL), *(x for x in values if isinstance(x, int) and not isinstance(x, bool)))


#: What becomes of values where a clause's constraint holds of them: those of the head's arguments.
_Step: TypeAlias = Callable[[Row], tuple[Value, ...] | None]


class _Partner(Struct, frozen=True, eq=False):
    """Another atom of a body: the values that its state must have at some positions, and positions of new ones."""

    predicate: str
    fixed: tuple[int, ...]
    values: _Step
    told: tuple[int, ...]


class _Rule(Struct, frozen=True, eq=False):
    """A clause from a state of one of its atoms on: the others, what is left open, and what becomes of it."""

    partners: tuple[_Partner, ...]
    open: tuple[Var, ...]
    step: _Step
    head: str


def _rule(
    clause: Clause, first: int, steps: dict[tuple[tuple[Var, ...], Term, tuple[Term, ...]], _Step]
) -> _Rule | None:
    """The clause from one of its atoms on; None where its terms have no values. `steps` are those that were made."""
    head = clause.head
    assert head is not None
    known, also = list[Var](), [clause.constraint]
    for place, term in enumerate(clause.body[first].arguments):
        new = isinstance(term, Var) and term not in known
        known.append(term if new and isinstance(term, Var) else build.variable(f"#value{place}", sort_of(term)))
        if not new:
            also.append(build.eq(known[-1], term))
    partners = list[_Partner]()
    for atom in (*clause.body[:first], *clause.body[first + 1 :]):
        before = frozenset(known)
        fixed = tuple(n for n, t in enumerate(atom.arguments) if t.free <= before)
        told = tuple(n for n in range(len(atom.arguments)) if n not in fixed)
        new_ones = [t for n in told if isinstance(t := atom.arguments[n], Var)]
        terms = [atom.arguments[n] for n in fixed]
        if len(frozenset(new_ones)) < len(told) or not executable(terms, known):
            return None
        partners.append(_Partner(atom.predicate, fixed, _values_of(terms, known), told))
        known += new_ones
    constraint = build.land(*also)
    left = dict.fromkeys(v for t in (constraint, *head.arguments) for v in sorted(t.free, key=lambda v: v.key))
    loose = tuple(v for v in left if v not in known)
    order = (*known, *loose)
    key = order, constraint, head.arguments
    if key not in steps:
        if not executable((constraint, *head.arguments), order):
            return None
        steps[key] = guarded(constraint, head.arguments, order)
    return _Rule(tuple(partners), loose, steps[key], head.predicate)


def _values_of(terms: Sequence[Term], known: Sequence[Var]) -> _Step:
    if len(terms) > 1 and all(isinstance(t, Var) for t in terms):
        return itemgetter(*(known.index(t) for t in terms if isinstance(t, Var)))
    return guarded(build.TRUE, terms, tuple(known))


class _Search(Struct, frozen=True, eq=False):
    """What was found of predicates, whose clauses were not carried out yet, and states by some of their values."""

    random: Random
    found: dict[str, dict[Row, None]]
    waiting: deque[tuple[str, Row]] = field(default_factory=deque)
    by_values: dict[tuple[str, tuple[int, ...]], dict[Row, list[Row]]] = field(default_factory=dict)

    def add(self, predicate: str, row: Row) -> None:
        """One more state, if it is new and there are not too many."""
        rows = self.found[predicate]
        if row in rows or len(rows) >= STATES:
            return
        rows[row] = None
        self.waiting.append((predicate, row))
        for (name, fixed), listed in self.by_values.items():
            if name == predicate:
                listed.setdefault(tuple(row[n] for n in fixed), []).append(row)

    def carry_out(self, rule: _Rule, row: Row) -> None:
        """Add what follows from a state by a clause."""
        for values in self._beside(rule.partners, row):
            for _ in range(OPEN if rule.open else 1):
                full = (*values, *(self.some(v, values) for v in rule.open))
                try:
                    after = rule.step(full)
                except (Unevaluable, ZeroDivisionError):
                    continue
                if after is not None:
                    self.add(rule.head, after)

    def _beside(self, partners: Sequence[_Partner], values: Row) -> Iterator[Row]:
        """The values with those of some states of other atoms that agree with them."""
        if not partners:
            yield values
            return
        here = partners[0]
        fitting = self._fitting(here, values)
        for row in self.random.sample(fitting, min(PARTNERS, len(fitting))):
            yield from self._beside(partners[1:], (*values, *(row[n] for n in here.told)))

    def _fitting(self, partner: _Partner, values: Row) -> Sequence[Row]:
        key = partner.predicate, partner.fixed
        if key not in self.by_values:
            listed = self.by_values[key] = {}
            for row in self.found[partner.predicate]:
                listed.setdefault(tuple(row[n] for n in partner.fixed), []).append(row)
        wanted = partner.values(values)
        assert wanted is not None
        return self.by_values[key].get(wanted, ())

    def some(self, var: Var, values: Row) -> Value:
        """A value for what a clause leaves open, often one that is there already."""
        if var.sort == BOOL:
            return self.random.random() < 0.5
        if var.sort != INT:
            return default_value(var.sort)
        return self.random.choice(_numbers(values))


def _starts(session: Session, clause: Clause, s: _Search) -> Iterator[Row]:
    """Some initial states, numbers small where they may be. Raises LimitReached."""
    head = clause.head
    assert head is not None
    numbers = [v for v in sorted(clause.constraint.free, key=lambda v: v.key) if v.sort == INT]
    mentioned = frozenset[Var]().union(*(t.free for t in head.arguments))
    for _ in range(STARTS):
        known: list[Term] = [clause.constraint]
        for var in numbers:
            wish = build.eq(var, build.integer(s.random.randrange(SMALL)))
            if isinstance(session.check((*known, wish)), Sat):
                known.append(wish)
        found = session.check(known)
        if not isinstance(found, Sat) or not found.trusted:
            return
        # What the start does not speak of may have any value.
        state = {v: s.some(v, ()) for v in sorted(mentioned, key=lambda v: v.key)} | dict(found.values)
        try:
            yield tuple(evaluate(t, state) for t in head.arguments)
        except Unevaluable:
            return
