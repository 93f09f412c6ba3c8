"""Runs that go on for ever where most of the states on the way are never looked at."""

from __future__ import annotations

import pytest

from sa.automata.program import Ends
from sa.base.budget import Budget
from sa.base.limits import limits
from sa.base.source import Source
from sa.certificates.ends import Lasso, Ranked
from sa.engines.endings import WAYS, by_few_states, decided
from sa.engines.portfolio_of_claims import CLAIMS
from sa.language.elaborate.program import program

#: Two threads choose bounds, so that there are many states before a loop begins.
CHOOSING = """
global t : int = 0;
thread T[i : 1..2] {{
  local lo, hi, k : int = 0;
  havoc hi;
  if (hi > 100) {{ hi := 100; }}
  while (lo < hi) {{
    choose {{ lo := lo + 2; }} or {{ {0} }}
    k := lo;
    while (k > 0) {{ t := t + k; k := k - 3; }}
  }}
}}
terminates;
"""
#: The second number begins anew in each round, which may be from more than the first one is lowered by.
ANEW = """
thread T {{
  local x, y : int;
  while (x > 0 && y > 0) {{
    choose {{ {0} havoc y; if (y < 5) {{ y := 10; }} }} or {{ y := y - 1; }}
  }}
}}
terminates;
"""


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [(CHOOSING, "hi := hi - 1;", "lo := lo + 0;"), (ANEW, "x := x - 1;", "if (y == 3) { x := x - 1; }")],
)
def test_a_cycle_is_found_behind_many_choices(text: str, right: str, wrong: str) -> None:
    for body, expected in ((right, Ranked), (wrong, Lasso)):
        made = program(Source("far.sa", text.format(body)))
        (ends,) = (c for c in made.ends if isinstance(c, Ends))
        found = decided(made.threads, made.axioms, ends, Budget(limits(60.0, None), 0), CLAIMS)
        assert isinstance(found.evidence, expected), body


#: One thread counts until it is told to stop, and the other one waits for it.
TOLD = """
global stop : bool = false;
global beats, at_end : int = 0;
thread Beats {{ while (!stop) {{ beats := beats + 1; }} at_end := 1; }}
thread Main {{ local i : int = 0; while (i < 3) {{ i := i + 1; }} {0} await at_end == 1; }}
fair;
terminates;
"""


@pytest.mark.parametrize(
    ("told", "expected"), [("stop := true;", Ranked), ("if (beats > 2) { stop := true; }", Lasso), ("", Lasso)]
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_cycle_in_which_others_wait_is_found_where_numbers_grow(told: str, expected: type, wrapped: bool) -> None:
    text = TOLD.format(told)
    text = text.replace("beats + 1;", "(beats + 129) % 256 - 128;") if wrapped else text
    made = program(Source("told.sa", text))
    (ends,) = made.ends
    found = decided(made.threads, made.axioms, ends, Budget(limits(60.0, None), 0), CLAIMS, ways=WAYS[:3])
    assert isinstance(found.evidence, expected)


#: What one thread does for the other one only while a number is small.
SMALL = """
global turn : 0..1 = 0; global served : int = 0;
thread Ping {{ while (true) {{ await turn == 0; turn := 1; }} }}
thread Pong {{ while (true) {{ await turn == 1; Got: served := served + 1; {0} }} }}
fair;
leads at Pong.Got ~> turn == 0;
"""


@pytest.mark.parametrize(("answer", "lasts"), [("turn := 0;", False), ("if (served < 3) { turn := 0; }", True)])
def test_a_claim_that_is_fulfilled_at_first_is_refuted_by_a_later_cycle(answer: str, lasts: bool) -> None:
    made = program(Source("small.sa", SMALL.format(answer)))
    (ends,) = made.ends
    budget = Budget(limits(60.0, None), 0)
    found = decided(made.threads, made.axioms, ends, budget, CLAIMS, ways=(by_few_states,))
    assert isinstance(found.evidence, Lasso) == lasts
