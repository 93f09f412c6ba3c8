"""`--engine` for claims about infinite runs: which engines are asked, and what is said where none is."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sa.base.diagnostic import InputError
from sa.base.limits import Limits
from sa.base.verdict import Reason, Verdict
from sa.engines.portfolio_of_families import named, named_for_infinite_runs
from sa.engines.verify import Options, Verification, verify
from tests.language.texts import program_of

COUNTS = "thread T { local i : int; while (i > 0) { i := i - 1; } }"
GOES_ON = "global x : 0..1; thread T { while (true) { x := 1 - x; } }"


def answer(text: str, *names: str) -> Verification:
    portfolio, ways = named(names), named_for_infinite_runs(names)
    return verify(program_of(f"{text} terminates;"), Options(Limits(), portfolio=portfolio, ways=ways))


@pytest.mark.parametrize(
    ("text", "name", "verdict"),
    [
        (COUNTS, "ranking", Verdict.PROVED),
        (COUNTS, "ranking:scope=joint", Verdict.PROVED),
        (COUNTS, "explicit-state", Verdict.UNKNOWN),
        (GOES_ON, "explicit-state", Verdict.REFUTED),
        (GOES_ON, "ranking", Verdict.UNKNOWN),
    ],
)
def test_only_the_engines_that_are_named_are_asked(text: str, name: str, verdict: Verdict) -> None:
    found = answer(text, name)
    (finding,) = found.findings
    assert finding.verdict is verdict
    assert {one.engine.partition(":")[0] for one in found.tried} <= {name.partition(":")[0]}
    assert verdict is Verdict.UNKNOWN or finding.engine.startswith(name.partition(":")[0])


def test_where_none_of_those_named_answers_that_is_the_reason() -> None:
    (finding,) = answer(COUNTS, "houdini", "bmc").findings
    assert finding.unknown is not None and finding.unknown.reason is Reason.UNSUPPORTED
    assert "`ranking`" in finding.unknown.detail


def test_ranks_ask_of_states_the_engines_that_are_named_beside_them() -> None:
    waits = "fair; global f : 0..1; thread T { await f == 1; } thread U { f := 1; }"
    names = {one.engine for one in answer(waits, "ranking", "houdini").tried}
    assert names and all(name.startswith("ranking") for name in names)
    assert named(("ranking",)) == ()
    assert [turn.engine.name for turn in named(("ranking", "ice"))] == ["ice"]


def test_claims_about_states_are_not_for_ranks() -> None:
    portfolio, ways = named(("ranking",)), named_for_infinite_runs(("ranking",))
    program = replace(program_of(f"{GOES_ON} invariant small: x >= 0;"), ends=())
    (finding, *_) = verify(program, Options(Limits(), portfolio=portfolio, ways=ways)).findings
    assert finding.verdict is Verdict.UNKNOWN
    assert finding.unknown is not None and finding.unknown.reason is Reason.UNSUPPORTED


def test_a_name_that_is_almost_there_is_suggested() -> None:
    with pytest.raises(InputError) as caught:
        named(("rankin",))
    assert caught.value.diagnostics[0].hint == "did you mean `ranking`?"
