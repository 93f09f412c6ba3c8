"""Locks that nothing relates: ghosts stand where waiting ends, and whose turn it is says that a lock is free."""

from __future__ import annotations

import pytest

from sa.base.limits import limits
from sa.engines.met_pairs import Proving, Work, proved_in, texts_of
from sa.engines.options import Options
from sa.engines.outcome import Found
from sa.engines.portfolio_of_goals import Depth
from sa.invariants.efforts import Effort
from sa.question.families import crowds
from sa.refinement.auxiliary_variables import mirrors
from sa.refinement.ghost_strategies import Ways
from sa.terms.printer import show
from tests.endtoend.asking import read

#: A lock of which nothing is seen, and one where who waits draws a ticket.
ATOMIC = """
global held : bool = false;
thread C[i : *] { while (true) { await !held { held := true; } @in(i) skip; @out(i) skip; held := false; } }
"""
TICKETS = """
global next, serving : int = 0;
thread C[i : *] { local t : int = 0;
  while (true) { t := fetch_add(next, 1); while (serving != t) { skip; } @in(i) skip; @out(i) skip;
    serving := serving + 1; } }
"""
READ_FIRST = TICKETS.replace("local t : int", "local t, s : int").replace(
    "while (serving != t) { skip; }", "s := serving; while (s != t) { s := serving; }"
)
AT_MOST = TICKETS.replace("serving != t", "serving < t")
#: Who waits does so for the one before, and goes on with the node of that.
NODES = """
global busy : bool[*] = everywhere(false); global tail : int = 0;
thread C[i : *] { local m : int = i; local p : int = 0;
  while (true) { busy[m] := true; p := exchange(tail, m); while (busy[p]) { skip; } @in(i) skip; @out(i) skip;
    busy[m] := false; m := p; } }
"""


def test_each_abstract_step_without_an_action_is_carried_by_one_between_the_same_actions() -> None:
    asked = crowds(*read(ATOMIC, TICKETS))
    ((wait, leave), *_) = ([place for place, _ in way.ghosts[0].steps] for way in mirrors(asked, texts_of(asked)))
    edges = asked.concrete.families[0].thread.edges
    assert show(edges[wait[1]].guard) == "serving == t"
    assert [show(value) for _, value in edges[leave[1]].updates] == ["serving + 1"]


def _with_needs(abstract: str, concrete: str) -> Found | None:
    asked = Work(crowds(*read(abstract, concrete)))
    proving = Proving(closures=True, depth=Depth.GLANCE, met=Effort.NEEDS, mirrored=Ways.ALL)
    return proved_in(asked, proving, Options(limits(60.0, None)), limits(60.0, None))


@pytest.mark.parametrize(
    "concrete", [TICKETS, AT_MOST, READ_FIRST, NODES], ids=["ticket", "order", "read first", "nodes"]
)
def test_whose_turn_it_is_says_that_an_abstract_lock_is_free(concrete: str) -> None:
    found = _with_needs(ATOMIC, concrete)
    assert found is not None and found.composition is not None


def test_what_is_wrong_with_turns_is_no_proof() -> None:
    early = TICKETS.replace("@out(i) skip;\n    serving := serving + 1;", "serving := serving + 1; @out(i) skip;")
    twice = TICKETS.replace("fetch_add(next, 1)", "next; next := t + 1")
    own_again = NODES.replace("m := p; }", "}")
    for wrong in (twice, early, own_again):
        assert wrong not in (TICKETS, NODES)
        found = _with_needs(ATOMIC, wrong)
        assert found is None or found.composition is None
