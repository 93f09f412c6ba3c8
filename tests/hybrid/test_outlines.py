"""Weakest preconditions along a thread's own steps, as facts that hold under a condition."""

from __future__ import annotations

import pytest

from sa.certificates.run import Bad, Failing
from sa.hybrid import exploring
from sa.hybrid.engine import by_equalities
from tests.hybrid.test_engine import judged
from tests.language.texts import program_of

#: A writer makes the version odd while it writes two words that belong together; who has read checks it again.
LOCK = """
    global version, left, right : int = 0;
    thread Writer {{
      local v : int = 0;
      while (true) {{ havoc v; version := version + 1; {write} }}
    }}
    thread Reader {{
      local before, after, l, r : int = 0;
      while (true) {{ before := version; {read} after := version; if ({fine}) {{ assert l + r == 0; }} }}
    }}
"""
WRITE = "left := v; right := -v; version := version + 1;"
READ = "l := left; r := right;"
FINE = "before == after && before % 2 == 0"


def verdict(write: str = WRITE, read: str = READ, fine: str = FINE) -> str:
    threads = program_of(LOCK.format(write=write, read=read, fine=fine)).threads
    return judged(threads, Bad(Failing(), None), lambda _, *asked: by_equalities(exploring.CANDIDATES, *asked))


def test_what_is_read_between_two_equal_even_versions_belongs_together() -> None:
    assert verdict() == "proved"
    assert verdict(read="r := right; l := left;") == "proved"
    assert verdict(fine="after == before && (after + 1) % 2 != 0") == "proved"


@pytest.mark.parametrize(
    "broken",
    [
        {"fine": "before == after"},
        {"fine": "before % 2 == 0"},
        {"write": "left := v; version := version + 1; right := -v;"},
        {"read": "l := left; before := version; r := right;"},
    ],
)
def test_without_a_test_or_in_another_order_nothing_is_shown(broken: dict[str, str]) -> None:
    assert verdict(**broken) == "open"
