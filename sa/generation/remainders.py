"""Remainders of counters as variables of their own while boxes look for invariants.

A sequence lock counts by one, and readers ask whether the number is even. Boxes cannot say that of the number. So the
remainder of a number by a small constant, where some step asks for it, becomes a variable with few values that every
step keeps up to date. What boxes find is said of the number itself again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Variable
from sa.automata.ranges import count_of
from sa.terms import build
from sa.terms.name import staged
from sa.terms.remainders import Remainder, remainder_of, replaced
from sa.terms.solve import solution
from sa.terms.sort import INT
from sa.terms.term import Int, Mod, Term, Var, subterms

#: Remainders by constants up to this one, and of so many numbers; numbers with fewer values are told apart anyway.
DIVISOR, NUMBERS = 8, 6


def with_remainders(threads: tuple[Automaton, ...]) -> tuple[tuple[Automaton, ...], Mapping[Var, Term]]:
    """The `apart` threads with the remainders that they ask for as variables, and what each of these is.

    The threads are as they were where they ask for none, or for too many.
    """
    declared = {v.var: v for t in threads for v in t.variables}
    found = _asked(threads, declared)
    if not found or len(found) > NUMBERS:
        return threads, {}
    names = {(v, n): build.variable(staged(v.name, f"%{n}"), INT) for v, n in found}
    made = tuple(_with(t, names) for t in threads)
    return made, {name: build.mod(v, n) for (v, n), name in names.items()}


def _asked(threads: Sequence[Automaton], declared: Mapping[Var, Variable]) -> tuple[Remainder, ...]:
    """Remainders that steps ask for, and those of the numbers that these come from."""
    waiting = [r for t in threads for term in _formulas(t) for r in _remainders(term, declared)]
    found = dict.fromkeys(waiting)
    values = [(v, term) for t in threads for e in t.edges for v, term in e.updates]
    while waiting and len(found) <= NUMBERS:
        var, divisor = waiting.pop()
        for target, value in values:
            if target is var:
                new = [r for r in _remainders(build.mod(value, divisor), declared) if r not in found]
                found.update(dict.fromkeys(new))
                waiting += new
    return tuple(found)


def _formulas(thread: Automaton) -> Iterator[Term]:
    yield thread.init
    yield from (q.inv for q in thread.locations)
    for edge in thread.edges:
        yield edge.guard
        yield from (value for _, value in edge.updates if value.free)


def _remainders(term: Term, declared: Mapping[Var, Variable]) -> Iterator[Remainder]:
    for part in subterms((term,)):
        if isinstance(part, Mod) and part.divisor <= DIVISOR:
            numbers = build.linear_parts(part.dividend)[1]
            if all(v in declared for v in numbers):
                yield from ((v, part.divisor) for v in numbers if isinstance(v, Var) and count_of(declared[v]) is None)


def _with(thread: Automaton, names: Mapping[Remainder, Var]) -> Automaton:
    declared = {v.var: v for v in thread.variables}
    own = {r: name for r, name in names.items() if r[0] in declared}
    memo = dict[Term, Term]()
    added = [replace(declared[v], var=name, low=0, high=n - 1, sequence=False) for (v, n), name in own.items()]
    begun = build.land(thread.init, *(_first(thread.init, v, n, name) for (v, n), name in own.items()))

    def edge(e: Edge) -> Edge:
        updates = dict(e.updates)
        later = (
            (name, replaced(remainder_of(updates[v], n), own, memo)) for (v, n), name in own.items() if v in updates
        )
        said = ((v, replaced(value, own, memo)) for v, value in e.updates)
        return replace(e, guard=replaced(e.guard, own, memo), updates=(*said, *later))

    return replace(
        thread,
        variables=(*thread.variables, *added),
        init=replaced(begun, own, memo),
        locations=tuple(replace(q, inv=replaced(q.inv, own, memo)) for q in thread.locations),
        edges=tuple(edge(e) for e in thread.edges),
    )


def _first(init: Term, var: Var, divisor: int, name: Var) -> Term:
    """The remainder at the start, where the number has a value there."""
    for formula in build.conjuncts(init):
        said = solution(formula, frozenset((var,)))
        if said is not None and isinstance(said[1], Int):
            return build.eq(name, build.mod(said[1], divisor))
    return build.TRUE
