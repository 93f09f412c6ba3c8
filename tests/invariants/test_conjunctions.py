"""Conjunctions of candidates that solve Horn clauses, and what spares them questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import pytest

from sa.base.limits import Limits
from sa.invariants.conjunctions import conjunctions
from sa.invariants.examples import examples
from sa.invariants.partition_by_flags import split
from sa.invariants.strength import stronger, strongest
from sa.smt.horn import Atom, Clause
from sa.smt.session import Session
from sa.terms import build
from sa.terms.sort import BOOL, INT
from sa.terms.substitute import substitute
from sa.terms.term import Function, Term, Var

X, Y, Z = (build.variable(name) for name in "xyz")
WON, FLAG = build.variable("won", BOOL), build.variable("flag")
ONE, TWO, ZERO = build.ONE, build.integer(2), build.ZERO


def _session() -> Session:
    return Session(Limits())


def _solved(parameters: Mapping[str, Sequence[Var]], clauses: Sequence[Clause], found: Mapping[str, Term]) -> bool:
    """Whether formulas solve the clauses: the definition, asked of the solver."""

    def said(atom: Atom) -> Term:
        return substitute(found[atom.predicate], dict(zip(parameters[atom.predicate], atom.arguments, strict=True)))

    return all(
        _session().implied(said(c.head), (c.constraint, *map(said, c.body))) for c in clauses if c.head is not None
    )


EVEN = (
    Clause((), build.eq(X, ZERO), Atom("p", (X,))),
    Clause((Atom("p", (X,)),), build.TRUE, Atom("p", (build.add(X, TWO),))),
)


def test_examples_are_states_that_clauses_derive() -> None:
    rows = examples(_session(), {"p": (X,)}, EVEN)["p"]
    assert (0,) in rows and (4,) in rows
    assert all(x % 2 == 0 and x >= 0 for (x,) in rows)


def test_examples_of_two_atoms_agree_on_what_both_speak_of() -> None:
    beside = Clause((Atom("p", (X,)), Atom("q", (X, Y))), build.TRUE, Atom("r", (X, Y)))
    begun = Clause((), build.land(build.le(ZERO, X), build.le(X, ONE), build.eq(Y, X)), Atom("q", (X, Y)))
    rows = examples(_session(), {"p": (X,), "q": (X, Y), "r": (X, Y)}, (*EVEN, begun, beside))["r"]
    assert rows == ((0, 0),)


def test_what_a_clause_leaves_open_has_values_that_its_constraint_allows() -> None:
    chosen = Clause((Atom("p", (X,)),), build.land(build.le(X, Z), build.le(Z, build.add(X, ONE))), Atom("q", (X, Z)))
    rows = examples(_session(), {"p": (X,), "q": (X, Z)}, (*EVEN, chosen))["q"]
    assert rows and all(x <= z <= x + 1 for x, z in rows)


def test_there_are_no_examples_where_a_function_decides() -> None:
    applied = build.call(Function("f", (INT,), INT), (X,))
    clause = Clause((Atom("p", (X,)),), build.eq(applied, ZERO), Atom("q", (X,)))
    assert examples(_session(), {"p": (X,), "q": (X,)}, (*EVEN, clause))["q"] == ()


#: A compare-and-swap: it has won and x is 1, or it has not and x is what it was.
SWAP = (
    Clause((), build.land(build.eq(X, ZERO), build.lnot(WON)), Atom("p", (X, WON))),
    Clause((Atom("p", (X, WON)),), build.land(build.lnot(WON), build.eq(X, ZERO)), Atom("p", (ONE, build.TRUE))),
    Clause((Atom("p", (X, WON)),), build.lnot(WON), Atom("p", (X, build.FALSE))),
)


def test_a_flag_splits_what_is_known() -> None:
    parameters, offered = {"p": (X, WON)}, {"p": (build.eq(X, ONE), build.eq(X, ZERO))}
    plain = conjunctions(_session(), parameters, SWAP, offered, Limits())
    assert plain["p"] is build.TRUE
    found = conjunctions(_session(), parameters, SWAP, offered, Limits(), flags=frozenset((WON,)))
    assert _solved(parameters, SWAP, found)
    assert _session().implied(build.implies(WON, build.eq(X, ONE)), (found["p"],))
    assert _session().implied(build.implies(build.lnot(WON), build.eq(X, ZERO)), (found["p"],))


def test_a_number_is_a_flag_only_where_all_of_its_values_are_known() -> None:
    known = (
        Clause((), build.land(build.eq(X, ZERO), build.eq(FLAG, ZERO)), Atom("p", (X, FLAG))),
        Clause((Atom("p", (X, FLAG)),), build.TRUE, Atom("p", (X, build.ite(build.eq(X, ONE), ONE, ZERO)))),
    )
    parameters, flags = {"p": (X, FLAG)}, frozenset((FLAG,))
    assert split(parameters, known, flags) is not None
    counting = Clause((Atom("p", (X, FLAG)),), build.TRUE, Atom("p", (X, build.add(FLAG, ONE))))
    assert split(parameters, (*known, counting), flags) is None
    anything = Clause((), build.eq(X, ZERO), Atom("p", (X, FLAG)))
    assert split(parameters, (*known, anything), flags) is None


def test_what_cannot_be_reached_with_a_flag_is_not_there() -> None:
    made = split({"p": (X, WON)}, SWAP[:1], frozenset((WON,)))
    assert made is not None and [values for _, values in made.variant_of.values()] == [{WON: build.FALSE}]


def test_formulas_that_follow_at_sight_are_told_by_those_that_imply_them() -> None:
    less, most, other, equal = build.lt(X, Y), build.le(X, Y), build.ne(X, Y), build.eq(X, Z)
    under = build.implies(WON, equal)
    (known,) = stronger([(less, most, other, equal, under)])
    assert strongest((less, most, other, equal, under), known) == (less, equal)
    assert strongest((most, other, under), known) == (most, other, under)
    for formula, some in known.items():
        assert all(_session().implied(formula, (s,)) for s in some)


@pytest.mark.parametrize("seed", range(40))
def test_random_clauses_are_solved_whatever_is_known_before(seed: int) -> None:
    """With and without examples the strongest conjunctions are the same; with flags they say at least as much."""
    random = Random(seed)
    names, variables = ("p", "q"), (X, Y, WON)
    parameters = dict.fromkeys(names, variables)
    numbers = (X, Y, ZERO, ONE, build.add(X, ONE), build.sub(Y, X))
    tests = (build.TRUE, WON, build.lnot(WON), build.le(X, Y), build.eq(X, ZERO), build.lt(Y, TWO))

    def head() -> Atom:
        won = random.choice((WON, build.TRUE, build.FALSE, build.le(X, Y)))
        return Atom(random.choice(names), (random.choice(numbers), random.choice(numbers), won))

    start = Clause((), build.land(build.eq(X, ZERO), build.eq(Y, ZERO)), Atom("p", variables))
    steps = (
        Clause((Atom(random.choice(names), variables),), build.land(*random.sample(tests, 2)), head()) for _ in range(5)
    )
    renamed = Atom(random.choice(names), (X, Z, WON))
    joined = Clause((Atom("p", variables), renamed), build.le(Z, Y), Atom("q", (X, Z, build.FALSE)))
    clauses = (start, *steps, joined)
    orders = (build.le(X, Y), build.le(Y, X), build.lt(X, Y), build.le(ZERO, X), build.eq(X, ZERO), build.eq(X, Y))
    offered = dict.fromkeys(names, (*orders, *(build.implies(WON, f) for f in orders), WON))
    nothing = dict.fromkeys(names, ())
    plain = conjunctions(_session(), parameters, clauses, offered, Limits(), nothing)
    found = conjunctions(_session(), parameters, clauses, offered, Limits())
    finer = conjunctions(_session(), parameters, clauses, offered, Limits(), flags=frozenset((WON,)))
    assert all(_solved(parameters, clauses, some) for some in (plain, found, finer))
    assert found == plain
    assert all(_session().implied(found[name], (finer[name],)) for name in names)
    for name, rows in examples(_session(), parameters, clauses).items():
        for row in rows:
            here = (build.eq(v, build.constant(x, v.sort)) for v, x in zip(variables, row, strict=True))
            assert _session().implied(finer[name], here)
