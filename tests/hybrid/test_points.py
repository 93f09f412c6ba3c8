"""Control points of cooperative programs: a place of each thread at a request, and the scheduler's state."""

from __future__ import annotations

import pytest

from sa.automata.rename import apart
from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.certificates.run import Bad, Failing
from sa.hybrid.exploring import EQUALITIES, points_of, work_of
from sa.question.asked import Asked
from sa.transform.reduce import reduction
from sa.transform.turns import turns
from tests.language.texts import program_of

#: A token that relays hand on in one instant after the other. FairThreads' events are for an instant.
RING = """
const N = {}; scheduler fairthreads; event go[N + 1]; global token : int;
thread Master {{ local sent : int = 0; while (true) {{
  havoc token; sent := token; notify go[1]; wait go[0]; assert token == sent + N; yield; }} }}
thread Relay[i : 1..N] {{ while (true) {{ wait go[i]; token := token + 1; notify go[(i + 1) % (N + 1)]; yield; }} }}
"""


@pytest.mark.parametrize(("relays", "points", "steps"), [(3, 43, 88), (4, 90, 223), (5, 185, 542)])
def test_a_ring_has_a_point_for_each_way_to_wait(relays: int, points: int, steps: int) -> None:
    """So many as there are without anything but the threads' places at requests, who waits, and what is notified."""
    threads = program_of(RING.format(relays)).threads
    bad = Bad(Failing(), None)
    assert turns(tuple(map(apart, threads))) is not None
    made = reduction(threads, (bad,), (), Limits())
    bads = tuple(made.bads_of(bad))
    asked = Asked(made.composed, bads, ())
    found = points_of(work_of(made.composed, asked, Budget(Limits()), unheard, EQUALITIES), bads)
    assert found is not None
    assert len(found.graph.steps) == points
    assert sum(map(len, found.graph.steps.values())) == steps
