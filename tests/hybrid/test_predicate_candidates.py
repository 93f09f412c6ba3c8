"""Conjunctions at control points of what a program tests and claims."""

from __future__ import annotations

from collections import Counter

import pytest

from sa.certificates.run import Bad, Failing
from sa.engines.engine import Turn
from sa.engines.portfolio_of_claims import CANDIDATES
from sa.hybrid import exploring
from sa.hybrid.engine import by_equalities
from tests.hybrid.test_coordinates_against_the_oracle import judge
from tests.hybrid.test_engine import judged
from tests.language.texts import program_of

#: What is inside of the limit is read. The limit grows; how much there is to read may be nothing.
READ = """
    global limit : int = 0;
    thread Grow {{ while (true) {{ limit := limit + 1; }} }}
    thread Read {{
      local i, n, count, j : int = 0;
      while (true) {{
        havoc i; assume i >= 0; n := limit;
        count := if i <= n then n - i{more} else 0;
        j := 0;
        while (j < count) {{ assert 0 <= i + j && i + j < limit; j := j + 1; }}
      }}
    }}
"""
#: Who announces more than there is does so alone: then there is more than before.
ANNOUNCED = """
    global current, wanted, fetcher : int = 0;
    thread T[i : 1..2] {{
      local s, n, m : int = 0;
      while (true) {{
        havoc s;
        if (fetcher == 0) {{
          atomic {{ n := current; m := wanted; if (s > n && fetcher == 0) {{ wanted := {new}; fetcher := i; }} }}
          if (fetcher == i) {{ assert current < wanted; atomic {{ current := wanted; fetcher := 0; }} }}
        }}
      }}
    }}
"""


def verdict(text: str) -> str:
    threads = program_of(text).threads
    return judged(threads, Bad(Failing(), None), lambda _, *asked: by_equalities(exploring.CANDIDATES, *asked))


def test_what_a_loop_claims_holds_of_its_last_round_before_it_begins() -> None:
    """That needs `count <= 0 || i + count <= limit`, which no test says."""
    assert verdict(READ.format(more="")) == "proved"
    assert verdict(READ.format(more=" + 1")) == "open"


def test_what_is_claimed_is_a_candidate_where_other_threads_are_elsewhere() -> None:
    assert verdict(ANNOUNCED.format(new="s")) == "proved"
    assert verdict(ANNOUNCED.format(new="s - 1")) == "open"


def random_answers(first: int, number: int) -> Counter[str]:
    """How many claims of random programs were answered how; none that does not hold is proved."""
    counted, wrong = judge(range(first, first + number), (Turn(CANDIDATES, 1.0),))
    assert not wrong
    return counted


def test_what_is_proved_holds() -> None:
    counted = random_answers(0, 2)
    assert counted["PROVED"] and counted["UNKNOWN"]


@pytest.mark.fuzz
@pytest.mark.parametrize("first", [1_000, 2_000])
def test_what_is_proved_of_many_programs_holds(first: int) -> None:
    random_answers(first, 500)
