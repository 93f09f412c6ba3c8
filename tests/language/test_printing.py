"""A printed term is read back as the same term."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from sa.base.diagnostic import Diagnostic
from sa.base.source import Source
from sa.language import syntax
from sa.language.elaborate.context import Context, Mode
from sa.language.elaborate.declarations import collect
from sa.language.elaborate.expressions import translate
from sa.language.parser import parse
from sa.terms import build
from sa.terms.printer import show
from sa.terms.sort import BOOL, INT, EnumSort
from sa.terms.term import Function, Term, Var

COLOR = EnumSort("Color", ("Red", "Green", "Blue"))
DECLARATIONS = (
    "enum Color { Red, Green, Blue } global x, y : int; global p, q : bool; global c, d : Color; "
    "global f : int[2]; function g(int, bool) : int; function h(Color) : bool; "
)
G = Function("g", (INT, BOOL), INT)
H = Function("h", (COLOR,), BOOL)
ANYTHING = Mode("a test", primes=True, quantifiers=True)


def bound(term: Term) -> Var:
    """A name to bind around a term, longer than those bound inside of it: names do not shadow each other."""
    return build.variable("i" * (1 + max((len(word) for word in re.findall(r"i+", show(term))), default=0)))


integers = st.deferred(
    lambda: st.one_of(
        st.integers(-20, 20).map(build.integer),
        st.sampled_from([build.variable(n, primes=k) for n in ("x", "y", "f[0]", "f[1]") for k in (0, 1)]),
        st.tuples(integers, integers).map(lambda t: build.add(*t)),
        st.tuples(st.integers(-3, 3), integers).map(lambda t: build.scale(*t)),
        st.tuples(integers, integers).map(lambda t: build.mul(*t)),
        st.tuples(integers, st.integers(2, 5)).map(lambda t: build.div(*t)),
        st.tuples(integers, st.integers(2, 5)).map(lambda t: build.mod(*t)),
        st.tuples(booleans, integers, integers).map(lambda t: build.ite(*t)),
        st.tuples(integers, booleans).map(lambda t: build.call(G, t)),
    )
)
colors = st.deferred(
    lambda: st.one_of(
        st.integers(0, 2).map(lambda i: build.constant(i, COLOR)),
        st.sampled_from([build.variable(n, COLOR) for n in ("c", "d")]),
        st.tuples(booleans, colors, colors).map(lambda t: build.ite(*t)),
    )
)
booleans = st.deferred(
    lambda: st.one_of(
        st.booleans().map(build.boolean),
        st.sampled_from([build.variable(n, BOOL, k) for n in ("p", "q") for k in (0, 1)]),
        st.tuples(integers, integers).map(lambda t: build.le(*t)),
        st.tuples(integers, integers).map(lambda t: build.eq(*t)),
        st.tuples(colors, colors).map(lambda t: build.eq(*t)),
        st.tuples(booleans, booleans).map(lambda t: build.eq(*t)),
        booleans.map(build.lnot),
        st.tuples(booleans, booleans).map(lambda t: build.land(*t)),
        st.tuples(booleans, booleans, booleans).map(lambda t: build.lor(*t)),
        colors.map(lambda t: build.call(H, (t,))),
        integers.map(lambda t: build.forall((bound(t),), build.le(bound(t), t))),
    )
)


def read_back(text: str) -> tuple[Term | None, list[Diagnostic]]:
    """The term of a text over the declarations above."""
    module = parse(Source("test.sa", DECLARATIONS + f"init {text};"))
    problems = list[Diagnostic]()
    declared = collect(syntax.Module(module.source, module.declarations[:-1]), {}, problems)
    formula = module.declarations[-1]
    assert isinstance(formula, syntax.Init)
    context = Context(declared.context.scope, ANYTHING, problems, declared.context.ranges)
    return translate(formula.formula, context), [p for p in problems if p.code != "SA210"]


@given(st.one_of(integers, booleans, colors))
def test_what_is_printed_is_read_back_as_the_same_term(term: Term) -> None:
    found, problems = read_back(show(term))
    assert problems == []
    assert found is term, show(term)
