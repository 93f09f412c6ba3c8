"""The closure of what an environment does: exact where it ends, and given up early where it grows for ever."""

from __future__ import annotations

import pytest

from sa.base.limits import Limits
from sa.environments.closure import close
from sa.smt.session import Session
from sa.terms import build
from sa.terms.substitute import primed
from sa.terms.term import Term

x, n = build.variable("x"), build.variable("n")
after = primed(x)


def test_a_closure_that_ends_is_exact() -> None:
    step = build.lor(
        *(build.land(build.eq(x, build.integer(i)), build.eq(after, build.integer(i + 1))) for i in (0, 1))
    )
    closure = close(Session(Limits()), step, (x,), build.TRUE)
    assert closure.exact
    two = build.land(build.eq(x, build.integer(0)), build.eq(after, build.integer(2)))
    assert Session(Limits()).implied(closure.relation, (two,))


@pytest.mark.parametrize("by", [build.integer(1), n], ids=["a number", "a parameter"])
def test_a_closure_that_grows_for_ever_is_given_up_early(by: Term) -> None:
    """`x' == x + 1`, `x' == x + 2`, …: some of them are tried, and then `x' >= x` is taken."""
    session = Session(Limits())
    step = build.eq(after, build.add(x, by))
    closure = close(session, step, (x,), build.le(build.integer(0), n))
    assert not closure.exact
    assert session.implied(closure.relation, (step, build.le(build.integer(0), n)))
    assert session.calls < 30
