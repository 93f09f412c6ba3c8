"""A run is accepted when it starts initially, every step is one thread's own, and its end is what is called bad."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.trace import Configuration, Move
from sa.certificates.run import Bad, Ending, Failing, Run, Snapshot, Turn
from sa.checker.ruling import Accepted
from sa.checker.run import check_run
from sa.terms.build import FALSE, TRUE, variable
from sa.terms.sort import BOOL, Value
from sa.terms.term import Var
from tests.bounded.finding import run_into
from tests.invariants.judge import random_question
from tests.language.texts import program_of

X = variable("x")
ANY = Bad(Failing(), None)
PROGRAM = program_of("""global x : 0..9 = 0;
    thread A { local m : int = 1; x := x + m; }
    thread B { local m : int = 5; havoc x; assert x != 3; }
    invariant small : x < 3;""")
A, B = PROGRAM.threads
SMALL = Bad(None, PROGRAM.invariants[0].formula)


def state(x: int, a: str = "q0", b: str = "q0", m: int = 1) -> Snapshot:
    own = variable("m")
    places = {"A": Configuration(a, {X: x, own: m}), "B": Configuration(b, {X: x, own: 5})}
    return Snapshot({X: x}, places)


def turn(thread: str, number: int, after: Snapshot, *choices: Value) -> Turn:
    """A step along the thread's edge of this number."""
    edge = (A if thread == "A" else B).edges[number]
    chosen = {c.var: value for c, value in zip(edge.choices, choices, strict=True)}
    return Turn(thread, Move(edge, chosen, after.threads[thread]), (), after)


HAVOC = turn("B", 0, state(3, b="q1"), 3)
(FAILS,) = (i for i, e in enumerate(B.edges) if e.target == "fail")
FAIL = turn("B", FAILS, state(3, b="fail"))
FAILED = Run(state(0), (HAVOC, FAIL), Ending.FAILED)
VIOLATED = Run(state(0), (HAVOC,), Ending.VIOLATED)


def failed(run: Run, bad: Bad = ANY, threads: tuple[Automaton, ...] = (A, B)) -> str:
    """What is wrong with the run, nothing where it is accepted."""
    ruling = check_run(threads, bad, run)
    return "" if isinstance(ruling, Accepted) else ruling.obligation


def test_a_run_into_a_failure_and_one_into_a_false_claim_are_accepted() -> None:
    assert failed(FAILED) == ""
    assert failed(FAILED, Bad(Failing("B", B.edges[FAILS]), None)) == ""
    assert failed(VIOLATED, SMALL) == ""
    assert failed(Run(state(0), (), Ending.VIOLATED), Bad(None, variable("at A.q0", BOOL))) == "end"
    assert failed(Run(state(0), (), Ending.VIOLATED), Bad(None, variable("at A.exit", BOOL))) == ""


def test_the_end_must_be_what_is_asked_for() -> None:
    assert failed(FAILED, SMALL) == failed(VIOLATED, ANY) == "end"
    assert failed(FAILED, Bad(Failing("A"), None)) == failed(FAILED, Bad(Failing("B", B.edges[0]), None)) == "end"
    assert failed(VIOLATED, Bad(Failing(), TRUE)) == "end"
    assert failed(replace(FAILED, turns=(HAVOC,))) == failed(Run(state(0), (), Ending.FAILED)) == "end"
    for ending in (Ending.FINISHED, Ending.BLOCKED, Ending.UNDECIDED, Ending.STOPPED):
        assert failed(replace(FAILED, ending=ending), Bad(Failing(), FALSE)) == "end"


def test_the_start_must_be_initial_for_every_thread() -> None:
    for start in (
        state(1),
        state(0, a="q1"),
        state(0, m=2),
        replace(state(0), shared={X: 1}),
        replace(state(0), shared={}),
    ):
        assert failed(replace(VIOLATED, start=start), SMALL) == "initial state"
    assert failed(replace(VIOLATED, start=replace(state(0), threads={})), SMALL) == "initial state"


def test_a_step_is_one_thread_s_own_and_leaves_the_others_where_they_are() -> None:
    for wrong in (
        turn("B", 0, state(3, b="q1"), 4),
        turn("B", 0, state(3, b="q1", a="exit"), 3),
        turn("B", 0, state(3, b="q1", m=2), 3),
        turn("B", 0, state(10, b="q1"), 10),
        replace(HAVOC, thread="A"),
        replace(HAVOC, thread="C"),
        replace(HAVOC, shown=(1,)),
        replace(HAVOC, after=state(4, b="q1")),
        replace(HAVOC, move=replace(HAVOC.move, choices={})),
        FAIL,
    ):
        assert failed(replace(VIOLATED, turns=(wrong,)), SMALL) == "step"


def test_a_step_keeps_the_invariants_of_all_threads() -> None:
    bounded = replace(A, locations=tuple(replace(q, inv=PROGRAM.invariants[0].formula) for q in A.locations))
    assert failed(VIOLATED, SMALL, (bounded, B)) == "step"


def test_a_program_in_which_a_name_means_two_things_is_not_looked_at() -> None:
    assert failed(FAILED, ANY, (A, A)) == "well-formed program"
    local = replace(B, variables=tuple(replace(v, low=0, high=5) for v in B.variables))
    assert failed(FAILED, ANY, (A, local)) == "well-formed program"


def test_what_has_no_value_is_not_accepted() -> None:
    assert failed(VIOLATED, Bad(None, variable("unknown", BOOL))) == "evaluation"


def changed(rng: Random, run: Run) -> Iterator[tuple[str, Run]]:
    """The shortest run that was found, spoilt in one place; each kind once if it can be."""
    turns, place = list(run.turns), rng.randrange(len(run.turns))
    here = turns[place]
    yield "wrong end", replace(run, ending=Ending.STOPPED)
    yield "dropped step", replace(run, turns=tuple(turns[:place] + turns[place + 1 :]))
    others = [name for name in here.after.threads if name != here.thread]
    yield "swapped thread", _with(run, place, replace(here, thread=rng.choice(others)))
    after = _with_value(rng, here.after, [*here.after.shared], None)
    move = replace(here.move, after=after.threads[here.thread])
    yield "changed shared value", _with(run, place, replace(here, after=after, move=move))
    locals_ = [v for v in here.after.threads[others[0]].values if v not in here.after.shared]
    if locals_:
        yield (
            "changed local of another",
            _with(run, place, replace(here, after=_with_value(rng, here.after, locals_, others[0]))),
        )
    if here.move.edge.choices:
        choices = {v: _other(rng, v, x) for v, x in here.move.choices.items()}
        yield "changed choice", _with(run, place, replace(here, move=replace(here.move, choices=choices)))


def _with(run: Run, place: int, turn: Turn) -> Run:
    return replace(run, turns=(*run.turns[:place], turn, *run.turns[place + 1 :]))


def _with_value(rng: Random, there: Snapshot, variables: list[Var], thread: str | None) -> Snapshot:
    """The state with one value changed: everywhere, or of one thread."""
    var = rng.choice(variables)
    shared = {v: _other(rng, v, x) if v is var and thread is None else x for v, x in there.shared.items()}
    threads = {}
    for name, c in there.threads.items():
        values = {**c.values, **shared}
        if name == thread:
            values[var] = _other(rng, var, values[var])
        threads[name] = replace(c, values=values)
    return Snapshot(shared, threads)


def _other(rng: Random, var: Var, value: Value) -> Value:
    return not value if var.sort == BOOL else int(value) + rng.choice((-1, 1))


def _spoil(seeds: Iterable[int]) -> tuple[Counter[str], list[tuple[int, str]]]:
    """How many runs of each kind were judged, and which spoilt ones were accepted."""
    tally, missed = Counter[str](), list[tuple[int, str]]()
    for seed in seeds:
        threads, bad = random_question(seed)
        run = run_into(threads, bad)
        if run is None:
            continue
        assert check_run(threads, bad, run) == Accepted(), seed
        tally["found"] += 1
        if run.turns:
            for kind, spoilt in changed(Random(seed), run):
                tally[kind] += 1
                if check_run(threads, bad, spoilt) == Accepted():
                    missed.append((seed, kind))
    return tally, missed


def test_found_runs_are_accepted_and_spoilt_ones_rejected() -> None:
    tally, missed = _spoil(range(80))
    assert not missed
    assert tally["found"] > 20
    assert min(tally[k] for k in ("wrong end", "dropped step", "swapped thread", "changed shared value")) > 15


@pytest.mark.fuzz
def test_many_found_runs_are_accepted_and_spoilt_ones_rejected() -> None:
    tally, missed = _spoil(range(1_000, 1_800))
    assert not missed
    assert sum(tally.values()) - tally["found"] > 1_000
