"""What a state of a program looks like in a few words: where threads are, small variables, how tests come out.

Which words occur together in states that were seen is kept by word as a set of states, a number with a bit for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Variable
from sa.automata.ranges import count_of
from sa.explicit.transition_system import Whole
from sa.invariants.derived import derived
from sa.invariants.houdini import atoms_of
from sa.terms import build
from sa.terms.compile import Row, executable, predicate
from sa.terms.evaluate import Unevaluable
from sa.terms.name import at_place
from sa.terms.solve import solution
from sa.terms.sort import BOOL, INT, EnumSort, Value
from sa.terms.term import Int, IsZero, Ite, Le, Same, Term, Var

#: Values of a variable whose values are words, and tests that are looked at.
VALUES, TESTS = 24, 60

#: A feature's number and a value.
Word: TypeAlias = tuple[int, Value]


class Feature(Struct, frozen=True, eq=False):
    """Something that has one of a few values in each state. `says` writes that it has a value.

    `small` is the variable whose value it is; None where it is no variable's.
    """

    of: frozenset[Var]
    value: Callable[[Row], Value]
    says: Callable[[Value], Term]
    small: Var | None = None


class Seen(Struct):
    """The states that were seen. `with_word` has those with a word, by feature and value."""

    features: tuple[Feature, ...]
    count: int = 0
    with_word: list[dict[Value, int]] = field(default_factory=list)

    def look(self, rows: Sequence[Row]) -> None:
        """See some states."""
        self.with_word = self.with_word or [{} for _ in self.features]
        for feature, known in zip(self.features, self.with_word, strict=True):
            by_value = dict[Value, bytearray]()
            for number, row in enumerate(rows):
                value = _value(feature, row)
                if value not in by_value:
                    by_value[value] = bytearray(b"0" * len(rows))
                by_value[value][-1 - number] = 0x31
            for value, bits in by_value.items():
                known[value] = known.get(value, 0) | int(bits, 2) << self.count
        self.count += len(rows)

    def words(self, row: Row) -> tuple[Value, ...]:
        """The value of each feature in a state."""
        return tuple(_value(f, row) for f in self.features)

    def together(self, words: Sequence[Word]) -> int:
        """The states with all of these words."""
        found = (1 << self.count) - 1
        for feature, value in words:
            found &= self.with_word[feature].get(value, 0)
        return found

    def among(self, states: int, feature: int) -> frozenset[Value]:
        """The values that a feature has among some states."""
        return frozenset(x for x, others in self.with_word[feature].items() if states & others)


def _value(feature: Feature, row: Row) -> Value:
    try:
        return feature.value(row)
    except Unevaluable:
        return False


def features_of(w: Whole, claims: Sequence[Term], more: bool = False) -> tuple[Feature, ...]:
    """The places of threads, small variables, and tests of others in guards and claims, over `at T.q` and variables;
    with `more`, tests that are derived from these, too.
    """
    found = [*_places(w)]
    small = _small(w)
    found += (_variable(w, v) for v in small)
    told = frozenset(small)
    tests = list(islice(_tests(w, claims, told), TESTS))
    found += (_test(w, t) for t in (*tests, *(islice(derived(w, tests), TESTS) if more else ())))
    return tuple(found)


def _places(w: Whole) -> Iterator[Feature]:
    for index, thread in enumerate(w.threads):
        names = [build.variable(at_place(thread.name, q.name), BOOL) for q in thread.locations]

        def says(value: Value, names: Sequence[Var] = names) -> Term:
            assert isinstance(value, int)
            return names[value]

        yield Feature(frozenset(names), _entry(index), says)


def _entry(index: int) -> Callable[[Row], Value]:
    return lambda row: row[index]


def _small(w: Whole) -> list[Var]:
    """The variables with few values: by their sort or range, or since nothing else is ever assigned to them."""
    declared = {v.var: v for v in w.variables}
    begun = {c.free: c for c in build.conjuncts(w.init) if isinstance(c, IsZero) and len(c.free) == 1}
    values = dict[Var, frozenset[Term]]()
    for var in declared:
        if var.sort == INT and count_of(declared[var]) is None and frozenset((var,)) in begun:
            values[var] = frozenset(t for c in (begun[frozenset((var,))],) if (t := _solved(c, var)) is not None)
    values = {v: x for v, x in values.items() if x}
    assigned = [(v, t) for thread in w.arcs for here in thread for a in here for v, t in a.updates.items()]
    growing = True
    while growing:
        growing = False
        for var, term in assigned:
            if var in values:
                more = _few(term, values)
                if more is None or len(values[var] | more) > VALUES:
                    del values[var]
                    growing = True
                elif not more <= values[var]:
                    values[var] |= more
                    growing = True
    return [v for v in declared if v in values or _declared_small(declared[v])]


def _solved(equation: Term, var: Var) -> Term | None:
    found = solution(equation, frozenset((var,)))
    return found[1] if found is not None and isinstance(found[1], Int) else None


def _few(term: Term, values: Mapping[Var, frozenset[Term]]) -> frozenset[Term] | None:
    """The values that a term may have, where these are few."""
    if isinstance(term, Int):
        return frozenset((term,))
    if isinstance(term, Var):
        return values.get(term)
    if isinstance(term, Ite):
        one, two = _few(term.positive, values), _few(term.negative, values)
        return None if one is None or two is None else one | two
    return None


def _declared_small(variable: Variable) -> bool:
    if variable.var.sort == BOOL or isinstance(variable.var.sort, EnumSort):
        return True
    count = count_of(variable) if variable.var.sort == INT else None
    return count is not None and count <= VALUES


def _variable(w: Whole, var: Var) -> Feature:
    def says(value: Value) -> Term:
        return build.eq(var, build.constant(value, var.sort)) if var.sort != BOOL else var if value else build.lnot(var)

    return Feature(frozenset((var,)), _entry(w.order.index(var)), says, var)


def _tests(w: Whole, claims: Sequence[Term], told: frozenset[Var]) -> Iterator[Term]:
    """Tests that the values of small variables do not decide; of a test and its opposite one."""
    guards = (a.guard for t in w.arcs for here in t for a in here)
    seen = set[Term]()
    for formula in dict.fromkeys((*claims, *guards)):
        for test in atoms_of(formula):
            fine = test.free and not test.free <= told and executable((test,), w.order)
            if fine and isinstance(test, IsZero | Le | Same) and test not in seen and build.lnot(test) not in seen:
                seen.add(test)
                yield test


def _test(w: Whole, test: Term) -> Feature:
    def says(value: Value) -> Term:
        return test if value else build.lnot(test)

    return Feature(test.free, predicate(test, w.order), says)


def values_as_row(w: Whole, values: Mapping[Var, Value]) -> Row:
    """A state of the solver, with `at T.q` for where threads are, as a row."""
    places = (
        next(i for i, q in enumerate(t.locations) if values[build.variable(at_place(t.name, q.name), BOOL)])
        for t in w.threads
    )
    return (*places, *(values[v] for v in w.order[len(w.threads) :]))
