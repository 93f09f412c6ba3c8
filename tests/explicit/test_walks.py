"""Random runs: deep ones of many threads, of which a search from the start sees the beginnings only."""

from __future__ import annotations

from sa.base.budget import unheard
from sa.base.limits import Limits
from sa.certificates.run import Bad, Ending, Failing
from sa.explicit.evidence import run_into
from sa.explicit.system import system
from sa.explicit.walks import walked
from sa.terms import build
from sa.terms.name import at_place
from sa.terms.sort import BOOL
from tests.language.texts import program_of

N = 12


def diners(last: str) -> str:
    """Threads around a table that take one lock, then the next one; what the last of them does is given."""
    forks = "\n".join(f"global f{i} : 0..1 = 0;" for i in range(N))
    body = """thread T{0} {{
      await {1} == 0 {{ {1} := 1; }}
      W: await {2} == 0 {{ {2} := 1; }}
      {2} := 0; {1} := 0;
    }}"""
    others = [body.format(i, f"f{i}", f"f{i + 1}") for i in range(N - 1)]
    return "\n".join([forks, *others, body.format(N - 1, *last.split())])


def all_wait() -> Bad:
    """The claim that not all threads wait for their second lock."""
    places = (build.variable(at_place(f"T{i}", "W"), BOOL) for i in range(N))
    return Bad(None, build.lnot(build.land(*places)))


def test_a_cycle_of_many_threads_that_wait_for_each_other_is_found() -> None:
    program = program_of(diners(f"f{N - 1} f0"))
    found = next(walked(system(program.threads, (all_wait(),)), 0, Limits(), unheard))
    run = run_into(found, 0)
    assert run is not None
    assert run.ending is Ending.VIOLATED
    assert all(here.location == "W" for here in run.turns[-1].after.threads.values())


def test_nothing_is_found_where_locks_have_an_order() -> None:
    program = program_of(diners(f"f0 f{N - 1}"))
    assert list(walked(system(program.threads, (all_wait(),)), 0, Limits(), unheard)) == []


def test_random_runs_find_failures_far_from_the_start_and_prove_nothing() -> None:
    far = "global x : int = 0; thread A { while (x < 900) { x := x + 1; } assert x != 900; } thread B { skip; }"
    found = next(walked(system(program_of(far).threads, (Bad(Failing(), None),)), 0, Limits(), unheard))
    assert not found.complete
    run = run_into(found, 0)
    assert run is not None
    assert run.ending is Ending.FAILED
