"""Terms as SMT-LIB text: what is written is read back as the same term, and other solvers understand it."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from msgspec.structs import replace

from sa.base.limits import Limits
from sa.smt.cvc5_session import Cvc5Session, is_installed
from sa.smt.script import NotWritable, script
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.build import call, constant, eq, forall, integer, ite, le, lnot, lor, variable
from sa.terms.read_smtlib import DEEPEST, Names, Unreadable, read_smtlib
from sa.terms.smtlib import smtlib
from sa.terms.sort import BOOL, INT, EnumSort
from sa.terms.substitute import primed
from sa.terms.term import Function, Term
from tests.generators.terms import COLOUR, random_formula, random_integer

COLOR = EnumSort("Color", ("Red", "Green"))
GCD = Function("gcd", (INT, INT), INT)
x, y, flag = variable("conc.x"), variable("abs.T[1].y"), variable("flag", BOOL)
light = variable("light", COLOR)
NAMES = Names({v.name: v for v in (x, y, flag, light)}, {"gcd": GCD}, {"Color": COLOR, "Colour": COLOUR})
needs_cvc5 = pytest.mark.skipif(not is_installed(), reason="cvc5 is not installed")


def names_for(term: Term) -> Names:
    return Names({v.name: v for v in term.free}, NAMES.functions, NAMES.sorts)


@pytest.mark.parametrize(
    "term",
    [
        eq(primed(x), build.add(y, integer(-3))),
        le(build.mul(x, y), build.scale(-2, x)),
        eq(build.mod(x, 3), build.div(y, 4)),
        eq(light, constant(1, COLOR)),
        ite(eq(light, constant(0, COLOR)), x, y),
        eq(call(GCD, (x, y)), integer(10**30)),
        lnot(lor(flag, lnot(primed(flag)))),
        build.TRUE,
        variable("at T.CS", BOOL),
        variable("n?1"),
        variable("choice@3"),
        variable("a|b\\c%d"),
        variable("mod"),
        variable("Int"),
        variable("_"),
    ],
    ids=smtlib,
)
def test_terms_are_read_back(term: Term) -> None:
    assert read_smtlib(smtlib(term), names_for(term)) is term


def test_random_terms_are_read_back() -> None:
    rng = Random(5)
    for _ in range(1_500):
        for term in (random_formula(rng, 4), random_integer(rng, 4)):
            assert read_smtlib(smtlib(term), names_for(term)) is term


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(",
        ")",
        "conc.x conc.x",
        "(<= conc.x)",
        "(<= conc.x flag)",
        "(and conc.x)",
        "(= conc.x light)",
        "(= light |Color::Blue|)",
        "(div conc.x 0)",
        "(div conc.x conc.x)",
        "(gcd conc.x)",
        "(gcd conc.x flag)",
        "unknown",
        "(conc.x)",
        "((+ conc.x 1))",
        "(forall ((z Int)) (<= z 0))",
        "mod",
        "conc.x ; and more",
        '"text"',
        "9" * 5_000,
        f"(* {' '.join(['9' * 999] * 2)})",
        f"(* conc.x {' '.join(['9' * 999] * 20)})",
        f"(* {'(+ conc.x |abs.T[1].y| 1) ' * 60})",
        "(not " * (DEEPEST + 1) + "flag" + ")" * (DEEPEST + 1),
        "(" * 100_000,
    ],
    ids=lambda text: text[:20],
)
def test_other_texts_are_no_terms(text: str) -> None:
    with pytest.raises(Unreadable):
        read_smtlib(text, NAMES)


def test_quantifiers_are_read_where_they_may_be() -> None:
    quantified = replace(NAMES, quantified=True)
    z = variable("z")
    assert read_smtlib("(forall ((z Int)) (<= z 0))", quantified) is forall((z,), le(z, integer(0)))
    wrong = ("conc.x", "gcd", "|z'|", "||", "3")
    for text in (
        *(f"(forall (({name} Int)) (<= 0 0))" for name in wrong),
        "(forall () (<= 0 0))",
        "(forall ((z Bool)) z)",
        "(forall ((z Int)) z)",
        "(forall ((z Int) (z Int)) (<= z 0))",
        "(forall ((z Int)) (forall ((y Int)) (<= z y)))",
    ):
        with pytest.raises(Unreadable):
            read_smtlib(text, quantified)


@needs_cvc5
def test_solvers_agree_on_random_scripts() -> None:
    rng, answers = Random(7), set[bool]()
    for _ in range(50):
        formulas = [random_formula(rng, 3, linear=True) for _ in range(2)]
        mine, other = Session(Limits()).check(formulas), Cvc5Session(Limits()).check(formulas)
        if isinstance(mine, Sat | Unsat) and isinstance(other, Sat | Unsat):
            assert type(mine) is type(other), formulas
            answers.add(isinstance(mine, Sat))
    assert answers == {True, False}


@needs_cvc5
def test_axioms_enumerations_and_hostile_names_are_understood() -> None:
    a, b = variable("a"), variable("b")
    axiom = forall((a, b), lor(le(a, b), eq(call(GCD, (a, b)), call(GCD, (build.sub(a, b), b)))))
    hostile = [variable(n) for n in ("mod", "abs", "set", "assert", "at T.x", "a|b", "pi")]
    false = [
        le(integer(1), *hostile[:1]),
        *(eq(v, w) for v, w in pairwise(hostile)),
        lnot(eq(call(GCD, (integer(5), hostile[0])), call(GCD, (build.sub(integer(5), hostile[0]), hostile[-1])))),
        le(hostile[-1], integer(4)),
        eq(light, constant(0, COLOR)),
    ]
    session = Cvc5Session(Limits(), (axiom,))
    assert isinstance(session.check(false), Unsat)
    with session.assuming(false[:-1]):
        assert isinstance(session.check(false[-1:]), Unsat)
    assert isinstance(Cvc5Session(Limits()).check([*false[:2], *false[-2:]]), Sat)


def test_two_things_of_one_name_make_no_script() -> None:
    with pytest.raises(NotWritable):
        script([eq(variable("gcd"), call(GCD, (x, y)))])
