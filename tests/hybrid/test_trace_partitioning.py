"""How tests come out as control: copies that may be out of date.

Random programs are asked in `test_coordinates_against_the_oracle`.
"""

from __future__ import annotations

from sa.base.budget import Budget, unheard
from sa.base.limits import limits
from sa.certificates.run import Bad, Failing
from sa.hybrid.engine import by_tests
from sa.hybrid.exploring import TESTS
from sa.question.asked import Asked
from tests.hybrid.test_engine import judged
from tests.language.texts import program_of

COPIES = """
    global now, x, y : int = 0;
    thread W {{ while (true) {{ now := now + 1; x := now; y := {written}; now := now + 1; }} }}
    thread R {{
      local old, a, b, again : int = 0;
      while (true) {{
        old := now;
        if (old % 2 == 0) {{ a := x; b := y; again := now; if (old == again) {{ assert a == b; }} }}
      }}
    }}
"""
WRITERS = """
    global now, x, y : int = 0;
    thread W[i : 1..2] {
      local old, v : int = 0;
      while (true) {
        await now % 2 == 0 { old := now; now := now + 1; }
        havoc v;
        x := v; y := v;
        now := old + 2;
      }
    }
    thread R {
      local old, a, b : int = 0;
      while (true) {
        old := now;
        if (old % 2 == 0) { a := x; b := y; if (old == now) { assert a == b; } }
      }
    }
"""


def verdict(text: str) -> str:
    return judged(program_of(text).threads, Bad(Failing(), None), lambda _, *asked: by_tests(TESTS[1], *asked))


def test_what_was_read_belongs_together_where_the_number_is_the_same() -> None:
    assert verdict(COPIES.format(written="now")) == "proved"
    assert verdict(COPIES.format(written="now + 1")) == "open"


def test_the_answer_says_that_tests_were_control() -> None:
    asked = Asked(program_of(COPIES.format(written="now")).threads, (Bad(Failing(), None),), ())
    hows = [found.how for found in by_tests(TESTS[1], asked, Budget(limits(60.0, None)), unheard)]
    assert hows == ["control points that tell how tests come out"]


def test_so_it_does_where_two_write_in_turn() -> None:
    assert verdict(WRITERS) == "proved"


def test_few_points_are_enough_for_one_writer_and_one_reader() -> None:
    asked = Asked(program_of(COPIES.format(written="now")).threads, (Bad(Failing(), None),), ())
    assert list(by_tests(TESTS[0], asked, Budget(limits(60.0, None)), unheard))
