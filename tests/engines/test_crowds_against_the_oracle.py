"""Random programs with families of any number of threads: what is proved holds with 0 to 4 copies, by enumeration.

The judge enumerates ordinary programs with so many copies. What is refuted has a run there as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import pytest

from sa.automata.automaton import Automaton
from sa.base.limits import Limits, allot
from sa.base.verdict import Verdict
from sa.checker.claims import Claimed, claimed
from sa.engines.engine import Turn
from sa.engines.portfolio_of_claims import CLAIMS, Portfolio
from sa.engines.portfolio_of_families import BOUNDED, COUNTS, ENVIRONMENT, REDUCTION
from sa.engines.verification import Finding
from sa.engines.verify import Options, verify
from tests.generators.crowds import (
    Sketch,
    counting_sketch,
    locking_sketch,
    random_sketch,
    sketch_about_locals,
    sketch_of_sections,
    sketch_with_elements,
)
from tests.invariants.judge import distance
from tests.language.texts import program_of
from tests.oracle.explicit import restrict

#: Units of work for one program. What is not decided by then is UNKNOWN, as it should be.
WORK = 3_000_000


#: Values that the programs do not leave.
RANGE = (-5, 9)

#: The engine that counts before the others, and short runs.
COUNTING: Portfolio = (Turn(COUNTS, 0.7), Turn(BOUNDED, 1.0))

#: The engine for which all copies are one thread.
TOGETHER: Portfolio = (Turn(ENVIRONMENT, 1.0),)

#: The engine that looks at blocks of steps.
REDUCED: Portfolio = (Turn(REDUCTION, 1.0),)

Place = tuple[str, int]


def places(claims: Sequence[Claimed]) -> Iterator[tuple[Place, Claimed]]:
    """Claims with whose they are, a copy's with its family's name, and their numbers among these."""
    seen = Counter[str]()
    for claim in claims:
        owner = claim.what.partition(":")[0]
        yield (owner.partition("[")[0], seen[owner]), claim
        seen[owner] += 1


def violated(sketch: Sketch, place: Place, copies: int) -> bool:
    """Whether a claim about the program is false with so many copies of each family."""
    program = program_of(sketch.with_copies(copies))
    meant = (claim for there, claim in places(claimed(program)) if there == place)
    return any(distance(_confined(claim.threads), bad) is not None for claim in meant for bad in claim.bads)


def _confined(threads: tuple[Automaton, ...]) -> tuple[Automaton, ...]:
    """The threads with ranges for the oracle, which no step leaves."""
    return tuple(restrict(t, *RANGE) for t in threads)


def judge(
    seeds: Iterable[int], most: int, sketched: Callable[[int], Sketch] = random_sketch, portfolio: Portfolio = CLAIMS
) -> tuple[Counter[str], list[tuple[int, str]]]:
    """How many claims were answered how, and what was wrong; with `most` copies at most."""
    counted, wrong = Counter[str](), list[tuple[int, str]]()
    for seed in seeds:
        sketch = sketched(seed)
        program = program_of(sketch.text())
        outcome = verify(program, Options(allot(Limits(), WORK), portfolio=portfolio))
        for (place, claim), finding in zip(places(claimed(program)), outcome.findings, strict=True):
            counted[finding.verdict.value] += 1
            if _is_wrong(sketch, place, finding, most):
                wrong.append((seed, claim.what))
    return counted, wrong


def _is_wrong(sketch: Sketch, place: Place, finding: Finding, most: int) -> bool:
    match finding.verdict:
        case Verdict.PROVED:
            return any(violated(sketch, place, n) for n in range(most + 1))
        case Verdict.REFUTED:
            return not violated(sketch, place, max(finding.counts, default=0))
        case _:
            return False


def test_what_is_proved_holds_with_up_to_three_copies() -> None:
    counted, wrong = judge(range(6), 3)
    assert not wrong
    assert counted["PROVED"] and counted["REFUTED"]


@pytest.mark.fuzz
@pytest.mark.parametrize("first", [1_000, 2_000])
def test_what_is_proved_holds_with_up_to_four_copies(first: int) -> None:
    assert not judge(range(first, first + 300), 4)[1]


def test_what_is_proved_where_copies_are_counted_holds_with_up_to_three_copies() -> None:
    counted, wrong = judge((0, 1, 2), 3, counting_sketch, COUNTING)
    assert not wrong
    assert counted["PROVED"] and counted["REFUTED"]


@pytest.mark.fuzz
@pytest.mark.parametrize("first", [1_000, 2_000])
def test_what_is_proved_where_copies_are_counted_holds_with_up_to_four_copies(first: int) -> None:
    assert not judge(range(first, first + 50), 4, counting_sketch, COUNTING)[1]


def test_what_is_proved_of_locals_holds_with_up_to_three_copies() -> None:
    counted, wrong = judge(range(10, 15), 3, sketch_about_locals)
    assert not wrong
    assert counted["PROVED"] and counted["REFUTED"]


@pytest.mark.fuzz
def test_what_is_proved_of_locals_holds_with_up_to_four_copies() -> None:
    assert not judge(range(1_000, 1_300), 4, sketch_about_locals)[1]


def test_what_is_proved_where_copies_have_elements_holds_with_up_to_three_copies() -> None:
    counted, wrong = judge(range(3), 3, sketch_with_elements, COUNTING)
    assert not wrong
    assert counted["PROVED"] and counted["REFUTED"]


@pytest.mark.fuzz
def test_what_is_proved_where_copies_have_elements_holds_with_up_to_four_copies() -> None:
    assert not judge(range(1_000, 1_300), 4, sketch_with_elements)[1]


def test_what_is_proved_of_locks_and_parameters_holds_with_up_to_two_copies() -> None:
    counted, wrong = judge((2, 4, 7, 14, 20), 2, locking_sketch)
    assert not wrong
    assert counted["PROVED"] and counted["REFUTED"]


@pytest.mark.fuzz
@pytest.mark.parametrize("first", [1_000, 2_000])
def test_what_is_proved_of_locks_and_parameters_holds_with_more_copies(first: int) -> None:
    assert not judge(range(first, first + 100), 3, locking_sketch)[1]


@pytest.mark.parametrize("sketched", [random_sketch, sketch_about_locals])
def test_what_all_copies_keep_holds_with_up_to_three_copies(sketched: Callable[[int], Sketch]) -> None:
    counted, wrong = judge(range(20), 3, sketched, TOGETHER)
    assert not wrong
    assert counted["PROVED"]


@pytest.mark.fuzz
@pytest.mark.parametrize("sketched", [random_sketch, sketch_about_locals, locking_sketch, counting_sketch])
def test_what_all_copies_keep_holds_with_more_copies(sketched: Callable[[int], Sketch]) -> None:
    assert not judge(range(1_000, 1_200), 3, sketched, TOGETHER)[1]


@pytest.mark.parametrize("right", [True, False])
def test_a_token_is_at_one_place_of_a_ring_of_any_size(right: bool) -> None:
    text = f"""
        param N : int; init N >= 2;
        global has : bool[*] = store(everywhere(false), 1, true);
        thread T[i : *] {{ while (true) {{
          await has[i]; CS: skip;
          atomic {{ has[i] := {"false" if right else "i != 1"}; has[if i == N then 1 else i + 1] := true; }}
        }} }}
        invariant mutex : forall i, j : T :: i != j ==> !(at T[i].CS && at T[j].CS);
    """
    outcome = verify(program_of(text), Options(allot(Limits(), 10 * WORK), portfolio=COUNTING))
    assert [f.verdict for f in outcome.findings] == [Verdict.PROVED if right else Verdict.REFUTED]


def test_claims_of_two_copies_are_no_candidates_where_there_is_one() -> None:
    text = """
        global owner, sharers : int = 0;
        thread C[id : *] { local sh : bool = false; while (true) {
          choose { atomic { assume !sh && owner == 0; sh := true; sharers := sharers + 1; } }
          or { atomic { assume sh; sh := false; sharers := sharers - 1; } }
          or { atomic { assume !sh && owner == 0 && sharers == 0; owner := id; } EX: assert sharers == 0; owner := 0; }
        } }
        invariant alone : forall i, j : C :: at C[i].EX ==> !C[j].sh;
    """
    outcome = verify(program_of(text), Options(allot(Limits(), 10 * WORK), portfolio=COUNTING))
    assert {f.verdict for f in outcome.findings} == {Verdict.PROVED}


@pytest.mark.parametrize("right", [True, False])
def test_a_lock_that_is_taken_by_an_exchange_counts_who_is_inside(right: bool) -> None:
    text = (
        "global l, p, q : int = 0; thread T[*] { local r : int = 1; while (true) {"
        f" r := 1; while ({'r != 0' if right else 'r > 1'}) {{ r := exchange(l, 1); }}"
        " p := p + 1; q := q + 1; assert p == q; l := 0; } }"
    )
    outcome = verify(program_of(text), Options(allot(Limits(), 7 * WORK), portfolio=COUNTING))
    assert [f.verdict for f in outcome.findings] == [Verdict.PROVED if right else Verdict.REFUTED]


#: A monitor that lets so many guests in, who count themselves in steps of their own.
GUESTS = """
    global m, inside : int = 0; global left : int = 2;
    thread Guest[i : *] {{ local t : int = 0;
      await m == 0 && left > 0 {{ left := left - 1; }}
      {lock} t := inside; inside := t + 1; {free}
      assert inside <= 2;
      await m == 0 {{ m := i; }} t := inside; inside := t - 1; left := left + 1; m := 0;
    }}
"""


@pytest.mark.parametrize(
    ("lock", "free", "verdict"),
    [("await m == 0 { m := i; }", "m := 0;", Verdict.PROVED), ("skip;", "skip;", Verdict.UNKNOWN)],
)
def test_sections_of_any_number_of_copies_are_looked_at_as_single_steps(lock: str, free: str, verdict: Verdict) -> None:
    program = program_of(GUESTS.format(lock=lock, free=free))
    work = 3 * WORK if verdict is Verdict.PROVED else 300_000
    outcome = verify(program, Options(allot(Limits(), work), portfolio=REDUCED))
    assert [f.verdict for f in outcome.findings] == [verdict]


def test_what_is_proved_of_sections_holds_with_up_to_two_copies() -> None:
    counted, wrong = judge((22, 35), 2, sketch_of_sections, REDUCED)
    assert not wrong
    assert counted["PROVED"]


@pytest.mark.fuzz
@pytest.mark.parametrize("sketched", [sketch_of_sections, random_sketch, sketch_about_locals, counting_sketch])
def test_what_is_proved_of_blocks_holds_with_up_to_three_copies(sketched: Callable[[int], Sketch]) -> None:
    counted, wrong = judge(range(1_000, 1_150), 3, sketched, REDUCED)
    assert not wrong
    assert counted["PROVED"]
