"""Proofs by all states: what is complete is accepted, and what leaves something out is rejected or still true."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random
from typing import NoReturn

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Kind, Variable
from sa.base.limits import Limits
from sa.certificates.packed import HAS_NUMPY, WORD, Columns, columns
from sa.certificates.run import Bad, Failing
from sa.certificates.states import States
from sa.checker.enumeration import Endless, enumeration, extended
from sa.checker.ruling import Accepted, Rejected
from sa.checker.states import check_states
from sa.explicit.evidence import proof
from sa.explicit.search import Effort, search
from sa.explicit.system import system
from sa.terms import build
from sa.terms.term import Var
from tests.explicit.judging import PLAIN, REDUCED, question
from tests.invariants.judge import distance
from tests.language.texts import program_of

ANY = Bad(Failing(), None)
SMALL = """global x : 0..3 = 0; global l : bool = false;
thread T[i : 1..2] { local t : 0..3 = 0; await !l { l := true; } t := x; x := (t + 1) % 3; assert x < 3; l := false; }
invariant low : x <= 2;"""


def states_of(text: str, effort: Effort = REDUCED) -> States:
    """The proof by all states that a program keeps its assertions and its invariants."""
    program = program_of(text)
    bads = (ANY, *(Bad(None, i.formula) for i in program.invariants))
    found = search(system(program.threads, bads), effort, Limits())
    assert found.complete and not found.bad
    return proof(found, bads, ())


def ruling(states: States) -> object:
    """What the checker says, state by state; of many at once it says the same."""
    said = check_states(states, Limits())
    if not HAS_NUMPY:
        return said
    # As many words as the fields need, and one more.
    words = sum(f.width for f in states.fields) // WORD + 2
    many = replace(states, packed=columns(states.packed, words))
    assert isinstance(check_states(many, Limits()), type(said))
    return said


@pytest.mark.parametrize("effort", [PLAIN, REDUCED])
def test_all_states_are_accepted(effort: Effort) -> None:
    assert ruling(states_of(SMALL, effort)) == Accepted()


def test_no_state_may_be_left_out() -> None:
    states = states_of(SMALL)
    for state in states.packed:
        assert isinstance(ruling(replace(states, packed=frozenset(states.packed) - {state})), Rejected)


@pytest.mark.skipif(not HAS_NUMPY, reason="numpy is not installed")
def test_words_have_no_more_bits_than_fit() -> None:
    states = states_of(SMALL)
    for word in (-1, 1 << WORD):
        wrong = replace(states, packed=Columns((array("q", [*states.packed, word]),)))
        assert check_states(wrong, Limits()) == Rejected("well-formed states", "a word of a state has too many bits")


def test_a_state_in_which_something_is_bad_is_noticed() -> None:
    text = "global x : 0..3 = 0; thread A { x := 2; } invariant low : x <= 2;"
    states = states_of(text)
    assert ruling(states) == Accepted()
    program = program_of(text.replace("x <= 2;", "x <= 1;"))
    claim = Bad(None, program.invariants[0].formula)
    assert ruling(replace(states, never=(claim,))) == Rejected("claim", "it is false in one of the states")


def test_a_failing_step_is_noticed() -> None:
    states = states_of("global x : 0..3 = 0; thread A { x := 2; assert x == 2; }")
    wrong = program_of("global x : 0..3 = 0; thread A { x := 2; assert x == 1; }")
    assert isinstance(ruling(replace(states, threads=wrong.threads)), Rejected)


def test_variables_that_are_read_must_be_kept() -> None:
    states = states_of("global x : 0..3 = 0; thread A { local t : 0..3 = 0; t := x; x := t; assert x == 0; }")
    for thread, by_place in enumerate(states.kept):
        for place, kept in enumerate(by_place):
            for v in kept:
                less = (*by_place[:place], kept - {v}, *by_place[place + 1 :])
                changed = replace(states, kept=(*states.kept[:thread], less, *states.kept[thread + 1 :]))
                assert isinstance(ruling(changed), Rejected)
    assert isinstance(ruling(replace(states, fields=states.fields[:-1])), Rejected)


#: The first value of `t` is anything, and nobody asks for it: a claim does so behind the read.
WAITING = """global x : 0..1 = 0;
thread T { local t : int; t := x; W: skip; x := 1 - x; } thread U { x := 1 - x; x := 1 - x; }
invariant waits_for_small : at T.W ==> T.t <= 1;"""


def test_what_a_claim_says_of_a_place_matters_there_alone() -> None:
    states = states_of(WAITING)
    (first, *_), *_ = states.kept
    assert not first
    assert isinstance(ruling(states), Accepted)


def test_a_local_has_a_value_wherever_a_claim_speaks_of_it() -> None:
    """Else the claim would be about another value, which stands there for all."""
    text = WAITING.replace("t := x; W: skip;", "t := x; x := t; W: skip;")
    states = states_of(text)
    places = [q.name for q in states.threads[0].locations]
    less = tuple(frozenset[Var]() if q == "W" else k for q, k in zip(places, states.kept[0], strict=True))
    assert less != states.kept[0]
    assert any(less)
    said = check_states(replace(states, kept=(less, *states.kept[1:])), Limits())
    assert isinstance(said, Rejected)
    assert said.why == "the states do not determine whether a claim holds"


def test_what_goes_first_may_form_no_cycle_and_may_not_be_seen() -> None:
    states = states_of("global x : 0..1 = 0; thread A { while (true) { skip; } } thread B { x := 1; assert x == 1; }")
    everywhere = tuple(frozenset(range(len(t.locations))) for t in states.threads)
    fault = Rejected("well-formed states", "locations that go first form a cycle")
    assert ruling(replace(states, first=everywhere)) == fault
    seen = states_of("global x : 0..1 = 0; thread A { x := 1; } invariant i : x <= 1;")
    fault = Rejected("well-formed states", "a step that goes first changes what is asked about")
    assert ruling(replace(seen, first=(frozenset({0}),))) == fault


def test_values_without_end_are_noticed() -> None:
    states = states_of("global x : 0..3 = 0; thread A { havoc x; assert x <= 3; }")
    endless = program_of("global x : int = 0; thread A { havoc x; assert x <= 3; }")
    assert isinstance(ruling(replace(states, threads=endless.threads)), Rejected)


def mutants(states: States, rng: Random) -> Iterator[States]:
    """The proof with something changed."""
    packed = sorted(states.packed)
    gone = rng.choice(packed)
    yield replace(states, packed=frozenset(packed) - {gone})
    yield replace(states, packed=frozenset(packed) - {gone} | {gone ^ 1 << rng.randrange(12)})
    yield replace(states, packed=frozenset(p for p in packed if rng.random() < 0.9))
    thread = rng.randrange(len(states.threads))
    place = rng.randrange(len(states.threads[thread].locations))
    first = states.first[thread] ^ {place}
    yield replace(states, first=(*states.first[:thread], first, *states.first[thread + 1 :]))
    if states.fields:
        i = rng.randrange(len(states.fields))
        for change in ({"low": states.fields[i].low + 1}, {"width": max(states.fields[i].width - 1, 0)}):
            field = replace(states.fields[i], **change)
            yield replace(states, fields=(*states.fields[:i], field, *states.fields[i + 1 :]))
        yield replace(states, fields=(*states.fields[:i], *states.fields[i + 1 :]))


def corrupted(seeds: Iterable[int]) -> Counter[str]:
    """Proofs of random programs, corrupted, or said to be of what is false: accepted ones are true by enumeration."""
    counts = Counter[str]()
    for seed in seeds:
        threads, bads = question(seed)
        true = {bad for bad in bads if distance(threads, bad) is None}
        for bad in bads:
            found = search(system(threads, (bad,)), REDUCED, Limits())
            whole = search(system(threads, (Bad(None, None),)), PLAIN, Limits())
            proofs = [proof(s, (bad,), ()) for s in (found, whole)]
            for made in (p for first in proofs for p in (first, *mutants(first, Random(seed)))):
                accepted = ruling(made) == Accepted()
                assert not accepted or bad in true, seed
                counts["accepted" if accepted else "rejected"] += 1
    return counts


def test_corrupted_proofs_are_rejected_or_true() -> None:
    counts = corrupted(range(4))
    assert counts["accepted"] > 2
    assert counts["rejected"] > 40


@pytest.mark.skipif(not HAS_NUMPY, reason="numpy is not installed")
def test_corrupted_proofs_are_rejected_or_true_where_steps_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: object) -> NoReturn:
        raise NoColumns

    from sa.terms.columns import NoColumns

    monkeypatch.setattr("sa.checker.states_by_columns.over_columns", nothing)
    counts = corrupted(range(40, 43))
    assert counts["accepted"] > 2
    assert counts["rejected"] > 30


@pytest.mark.fuzz
def test_many_corrupted_proofs_are_rejected_or_true() -> None:
    corrupted(range(10_000, 11_000))


def test_a_choice_of_any_integer_matters_only_where_its_step_is_possible() -> None:
    known, chosen = build.variable("x"), build.variable("c")
    condition = build.land(build.eq(known, build.ONE), build.ne(chosen, build.ZERO))
    how = enumeration(condition, (known,), (Variable(chosen, Kind.LOCAL),))
    assert list(extended(how, (0,))) == []
    with pytest.raises(Endless):
        list(extended(how, (1,)))


def test_states_prove_what_a_step_that_is_never_possible_could_break() -> None:
    text = """global x : int = 0;
    thread T { if (x == 7) { local c : int; x := c; } x := 1 - x; assert x == 1; }"""
    made = states_of(text)
    assert check_states(made, Limits()) == Accepted()
