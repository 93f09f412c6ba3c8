"""Horn clauses whose predicates are split by the values of flags: variables that only ever have few known values.

After a compare-and-swap a location stands for two: where it did what it was asked to, and where it did not. What holds
in only one of them is no conjunction of candidates, unless each of these knows of the flag.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.smt.horn import Atom, Clause
from sa.terms import build
from sa.terms.cases import branches
from sa.terms.compile import Row
from sa.terms.solve import solution
from sa.terms.sort import BOOL, Value
from sa.terms.substitute import substitute
from sa.terms.term import Bool, Int, Member, Term, Var

#: Values of one flag at most, and variants for each predicate on average.
VALUES, VARIANTS = 2, 4

#: The values of a predicate's flags, in the order of its parameters.
_Known: TypeAlias = tuple[tuple[Var, Term], ...]


class Split(Struct, frozen=True):
    """Predicates without flags, clauses about them, and what each is a variant of, with the flags' values."""

    parameters: Mapping[str, tuple[Var, ...]]
    clauses: tuple[Clause, ...]
    variant_of: Mapping[str, tuple[str, Mapping[Var, Term]]]

    def offered(self, offered: Mapping[str, Sequence[Term]]) -> dict[str, tuple[Term, ...]]:
        """Candidates for the variants, of candidates for the predicates."""
        return {
            name: tuple(f for f in dict.fromkeys(substitute(f, values) for f in offered[of]) if f.free)
            for name, (of, values) in self.variant_of.items()
        }

    def rows(self, parameters: Mapping[str, Sequence[Var]], rows: Mapping[str, Sequence[Row]]) -> dict[str, list[Row]]:
        """States of the variants, of states of the predicates."""
        found: dict[str, list[Row]] = {name: [] for name in self.variant_of}
        for name, (of, values) in self.variant_of.items():
            place = {v: n for n, v in enumerate(parameters[of])}
            kept = [place[v] for v in self.parameters[name]]
            told = [(place[v], _value_of(t)) for v, t in values.items()]
            found[name] += (tuple(row[n] for n in kept) for row in rows[of] if all(row[n] == x for n, x in told))
        return found

    def merged(self, parameters: Iterable[str], found: Mapping[str, Term]) -> dict[str, Term]:
        """What is known of predicates: what their variants have in common, and what each says of its flags' values."""
        variants: dict[str, list[_Variant]] = {name: [] for name in parameters}
        for name, (of, values) in self.variant_of.items():
            if found[name] is not build.FALSE:
                here = frozenset(build.eq(v, t) for v, t in values.items())
                variants[of].append((here, frozenset(build.conjuncts(found[name]))))
        return {name: _together(some) for name, some in variants.items()}


#: What the flags are, and what is known.
_Variant: TypeAlias = tuple[frozenset[Term], frozenset[Term]]


def _together(variants: Sequence[_Variant]) -> Term:
    if not variants:
        return build.FALSE
    common = frozenset.intersection(*(here | said for here, said in variants))
    parts = list(common)
    values = frozenset[Term]().union(*(here for here, _ in variants))
    # What one flag is tells most of what is not always so.
    under = {v: frozenset.intersection(*(said for here, said in variants if v in here)) for v in values}
    parts += (build.implies(v, f) for v in values - common for f in under[v] - common)
    for here, said in variants:
        rest = said.difference(common, *(under[v] for v in here))
        parts.append(build.implies(build.land(*here), build.land(*rest)))
    if len(variants) < prod(Counter(frozenset(f.free) for f in values).values()):
        parts.append(build.lor(*(build.land(*here) for here, _ in variants)))
    return build.land(*sorted(parts, key=lambda f: f.key))


def _value_of(term: Term) -> Value:
    match term:
        case Int(value) | Bool(value) | Member(_, value):
            return value
    raise AssertionError(f"{term!r} is no value")


def flags_of(threads: Iterable[Automaton]) -> frozenset[Var]:
    """The locals of threads and copies: their values may be told apart where they are few."""
    return frozenset(v for t in threads for v in variables_of(t, Kind.LOCAL))


def split(parameters: Mapping[str, Sequence[Var]], clauses: Sequence[Clause], flags: frozenset[Var]) -> Split | None:
    """The clauses with a head, about variants; None where nothing is gained, or there would be too many."""
    values = _values(parameters, clauses, flags)
    if not values:
        return None
    s = _Splitting(parameters, values, {name: {} for name in parameters})
    most = VARIANTS * len(parameters)
    while True:
        before = len(s.found)
        for number, clause in enumerate(clauses):
            s.expand(number, clause)
            if len(s.names) > most:
                return None
        if len(s.found) == before:
            break
    known = {s.names[of, told]: (of, dict(told)) for of, told in s.names}
    over = {n: tuple(v for v in parameters[of] if v not in told) for n, (of, told) in known.items()}
    return Split(over, tuple(s.found), known)


class _Splitting(Struct, frozen=True, eq=False):
    """Work on clauses: values that flags may have, the variants that are reached, and the clauses about them."""

    parameters: Mapping[str, Sequence[Var]]
    values: Mapping[Var, tuple[Term, ...]]
    reached: dict[str, dict[_Known, None]]
    names: dict[tuple[str, _Known], str] = field(default_factory=dict)
    done: set[tuple[int, tuple[_Known, ...]]] = field(default_factory=set)
    found: list[Clause] = field(default_factory=list)

    def expand(self, number: int, clause: Clause) -> None:
        """Add the clause for all variants of its body that are reached, and that it was not added for before."""
        assert clause.head is not None
        for chosen in tuple(product(*(tuple(self.reached[a.predicate]) for a in clause.body))):
            if (number, chosen) in self.done:
                continue
            self.done.add((number, chosen))
            told = self._told(clause.body, chosen)
            if told is None:
                continue
            mapping, also = told
            constraint = substitute(build.land(clause.constraint, *also), mapping)
            body = tuple(self._atom(a, known, mapping) for a, known in zip(clause.body, chosen, strict=True))
            head = replace(clause.head, arguments=tuple(substitute(t, mapping) for t in clause.head.arguments))
            for known, holds, where in self._heads(head, constraint):
                made = self._atom(head, known, where)
                self.found.append(replace(_where(Clause(body, holds, None), where), head=made))

    def _told(self, body: Sequence[Atom], chosen: Sequence[_Known]) -> tuple[dict[Var, Term], list[Term]] | None:
        """What these variants say of the clause's variables, and what else must hold; None where they do not fit."""
        mapping, also = dict[Var, Term](), list[Term]()
        for atom, known in zip(body, chosen, strict=True):
            values = dict(known)
            for var, term in zip(self.parameters[atom.predicate], atom.arguments, strict=True):
                value = values.get(var)
                if value is None:
                    continue
                if isinstance(term, Var) and mapping.setdefault(term, value) is not value:
                    return None
                if not isinstance(term, Var):
                    also.append(build.eq(term, value))
        return mapping, also

    def _heads(self, head: Atom, constraint: Term) -> Iterator[tuple[_Known, Term, dict[Var, Term]]]:
        """The variants that a head may be of, what holds then, and what that says of its variables."""
        cases: list[tuple[_Known, Term, dict[Var, Term]]] = [((), constraint, {})]
        for var, term in zip(self.parameters[head.predicate], head.arguments, strict=True):
            if var in self.values:
                cases = [more for case in cases for more in self._cases(case, var, term)]
        yield from (case for case in cases if case[1] is not build.FALSE)

    def _cases(
        self, case: tuple[_Known, Term, dict[Var, Term]], var: Var, term: Term
    ) -> Iterator[tuple[_Known, Term, dict[Var, Term]]]:
        known, constraint, where = case
        now = substitute(term, where)
        for value in self.values[var]:
            if isinstance(now, Var):
                own = {now: value}
                yield (*known, (var, value)), substitute(constraint, own), where | own
            else:
                yield (*known, (var, value)), build.land(constraint, build.eq(now, value)), where

    def _atom(self, atom: Atom, known: _Known, mapping: Mapping[Var, Term]) -> Atom:
        """The atom of a variant, which has its flags' values no more."""
        name = self.names.setdefault((atom.predicate, known), f"{atom.predicate} #{len(self.names)}")
        self.reached[atom.predicate][known] = None
        told = frozenset(v for v, _ in known)
        pairs = zip(self.parameters[atom.predicate], atom.arguments, strict=True)
        return Atom(name, tuple(substitute(t, mapping) for v, t in pairs if v not in told))


def _where(clause: Clause, mapping: Mapping[Var, Term]) -> Clause:
    body = tuple(replace(a, arguments=tuple(substitute(t, mapping) for t in a.arguments)) for a in clause.body)
    return Clause(body, substitute(clause.constraint, mapping), None)


def _values(
    parameters: Mapping[str, Sequence[Var]], clauses: Iterable[Clause], flags: frozenset[Var]
) -> dict[Var, tuple[Term, ...]]:
    """The values that flags ever have, where these are few and all known."""
    found: dict[Var, dict[Term, None] | None] = {
        v: dict.fromkeys((build.FALSE, build.TRUE)) if v.sort == BOOL else {} for v in flags
    }
    for clause in clauses:
        assert clause.head is not None
        for var, term in zip(parameters[clause.head.predicate], clause.head.arguments, strict=True):
            values = found.get(var)
            if values is None or var.sort == BOOL:
                continue
            for leaf in _leaves(clause, term, var):
                if isinstance(leaf, Int | Member):
                    values[leaf] = None
                else:
                    found[var] = None
    used = frozenset(v for listed in parameters.values() for v in listed)
    return {v: tuple(x) for v, x in found.items() if x is not None and 1 < len(x) <= VALUES and v in used}


def _leaves(clause: Clause, term: Term, var: Var) -> Iterator[Term]:
    """What a flag may be after a clause: nothing new where it stays as it is."""
    for leaf in branches(term):
        if not clause.body and isinstance(leaf, Var):
            said = (solution(f, frozenset((leaf,))) for f in build.conjuncts(clause.constraint))
            yield next((s[1] for s in said if s is not None), leaf)
        elif leaf is not var or not clause.body:
            yield leaf
