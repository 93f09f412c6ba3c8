"""What loops add up is a sum over a range, whatever the order: proved where sums are the same, and only there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from random import Random

import pytest
from msgspec.structs import replace

from sa.base.budget import Budget, unheard
from sa.base.limits import Limits, limits
from sa.certificates.shape import Entry
from sa.certificates.sums import Summation
from sa.certificates.threads import Joint
from sa.certificates.threads_json import joint_json, read_joint
from sa.checker.never import check_joint
from sa.checker.ruling import Accepted, Rejected
from sa.invariants.joint_conjunctions import by_sums
from sa.question.asked import Asked, Excluded
from sa.question.claims import claims_of
from sa.terms.build import ONE, add, call, integer, variable
from sa.terms.sort import BOOL, INT
from sa.terms.term import Function
from tests.language.texts import program_of

TWO = """
    param n : int; init n >= {least}; function g(int) : int; global s, t : int = 0;
    thread A {{ local i : int = 0; while (i < n) {{ s := s + {first}; i := i + 1; }} }}
    thread B {{ local j, y : int = 0; {second} }}
    invariant same : at A.exit && at B.exit ==> {claim};
"""

UP = "while (j < n) {{ t := t + {}; j := j + 1; }}"
DOWN = "j := n - 1; while (j >= 0) {{ t := t + {}; j := j - 1; }}"

CASES = {
    "the same function": (TWO.format(least=-5, first="g(i)", second=UP.format("g(j)"), claim="s == t"), True),
    "another function": (TWO.format(least=-5, first="g(i)", second=UP.format("g(j + 1)"), claim="s == t"), False),
    "downwards": (TWO.format(least=0, first="g(i)", second=DOWN.format("g(j)"), claim="s == t"), True),
    "downwards, where it matters how it began": (
        TWO.format(
            least=-5, first="g(i)", second="j := n; while (j >= 0) { t := t + g(j); j := j - 1; }", claim="s == t"
        ),
        False,
    ),
    "with other signs": (TWO.format(least=0, first="g(i)", second=UP.format("-g(j)"), claim="s + t == 0"), True),
    "into one number": (
        TWO.format(least=0, first="g(i)", second="while (j < n) { s := s - g(j); j := j + 1; }", claim="s == 0"),
        True,
    ),
    "one further on": (
        TWO.format(
            least=0, first="g(i)", second="j := 1; while (j <= n) { t := t + g(j - 1); j := j + 1; }", claim="s == t"
        ),
        True,
    ),
    "what was read before": (
        TWO.format(
            least=0, first="g(i)", second="while (j < n) { y := g(j); t := t + y; j := j + 1; }", claim="s == t"
        ),
        True,
    ),
    "under a condition": (
        TWO.format(
            least=0,
            first="(if g(i) > 0 then 1 else 0)",
            second="while (j < n) { if (g(j) > 0) { t := t + 1; } j := j + 1; }",
            claim="s == t",
        ),
        True,
    ),
    "an index that is changed before it is used": (
        TWO.format(
            least=0, first="g(i)", second="j := n; while (j > 0) { j := j - 1; t := t + g(j); }", claim="s == t"
        ),
        True,
    ),
    "squares": (TWO.format(least=0, first="i * i", second=UP.format("j * j"), claim="s == t"), True),
    "squares and one more": (TWO.format(least=0, first="i * i", second=UP.format("j * j + 1"), claim="s == t"), False),
}


def answers(text: str) -> Iterator[tuple[Asked, Excluded]]:
    program = program_of(text)
    bads = tuple(b for c in claims_of(program) for b in c.bads)
    asked = Asked(program.threads, bads, program.axioms)
    yield from ((asked, found) for found in by_sums(asked, Budget(limits(30.0, None)), unheard))


#: Cases that take seconds each are part of the long comparisons, but for one that holds and one that does not.
USUAL = ("the same function", "squares and one more")


@pytest.mark.parametrize(
    ("text", "holds"),
    [pytest.param(*c, id=n, marks=[] if n in USUAL else pytest.mark.fuzz) for n, c in CASES.items()],
)
def test_sums_are_the_same_whatever_the_order(text: str, holds: bool) -> None:
    found = list(answers(text))
    assert bool(found) == holds
    for _, answer in found:
        assert isinstance(answer.evidence, Joint)
        assert check_joint(answer.evidence, Limits()) == Accepted()


@cache
def proof() -> Joint:
    """A proof with one sum."""
    ((_, answer),) = answers(CASES["the same function"][0])
    assert isinstance(answer.evidence, Joint)
    return answer.evidence


def test_a_proof_with_sums_is_read_as_it_was_written() -> None:
    made = proof()
    numbered = {(0, n): bad for n, bad in enumerate(made.never)}
    assert read_joint(Entry(joint_json(made, numbered)), made.threads, numbered, made.axioms) == made


K, P, B = variable("k"), variable("p"), variable("b", BOOL)
G = Function("g", (INT,), INT)
F = Function("f", (INT,), INT)


@pytest.mark.parametrize(
    "false",
    [
        Summation(G, (K,), ONE),
        Summation(F, (K,), add(call(F, (K,)), ONE)),
        Summation(F, (K,), call(Function("h", (INT,), INT), (K,))),
        Summation(F, (K,), P),
        Summation(F, (K, K), K),
        Summation(Function("f", (BOOL,), INT), (B,), ONE),
        Summation(Function("f", (INT,), BOOL), (K,), ONE),
        Summation(F, (), ONE),
    ],
    ids=[
        "a function of the program",
        "by itself",
        "by an unknown function",
        "by a variable of the program",
        "variables twice",
        "not over integers",
        "no number",
        "over nothing",
    ],
)
def test_what_is_no_definition_is_rejected(false: Summation) -> None:
    made = proof()
    ruling = check_joint(replace(made, sums=(*made.sums, false)), Limits())
    assert isinstance(ruling, Rejected) and ruling.obligation == "well-formed threads"


def test_two_definitions_of_one_function_are_rejected() -> None:
    made = proof()
    other = replace(made.sums[0], term=integer(7))
    assert isinstance(check_joint(replace(made, sums=(*made.sums, other)), Limits()), Rejected)


def test_another_sum_is_no_proof() -> None:
    made = proof()
    assert isinstance(check_joint(replace(made, sums=(replace(made.sums[0], term=integer(7)),)), Limits()), Rejected)


def random_question(seed: int) -> tuple[str, bool]:
    """Two loops that add up polynomials, and whether the sums agree for all that the judge tries."""
    rng = Random(seed)

    def term(k: int, form: tuple[int, int, int], shift: int) -> int:
        return form[0] + form[1] * (k + shift) + form[2] * (k + shift) ** 2

    one = (rng.randint(-1, 1), rng.randint(-1, 2), rng.randint(0, 1))
    two = one if rng.random() < 0.7 else (rng.randint(-1, 1), rng.randint(-1, 2), rng.randint(0, 1))
    shift, down, off = rng.choice((0, 0, 1)), rng.random() < 0.5, rng.choice((0, 0, 0, 1))

    def said(k: str, form: tuple[int, int, int]) -> str:
        return f"({form[0]} + {form[1]} * {k} + {form[2]} * {k} * {k})"

    index = f"(j - {shift})"
    second = (
        f"j := n - 1 + {shift + off}; while (j >= {shift}) {{ t := t + {said(index, two)}; j := j - 1; }}"
        if down
        else f"j := {shift}; while (j < n + {shift + off}) {{ t := t + {said(index, two)}; j := j + 1; }}"
    )
    text = TWO.format(least=0, first=said("i", one), second=second, claim="s == t")
    same = all(
        sum(term(k, one, 0) for k in range(n)) == sum(term(k, two, 0) for k in range(n + off)) for n in range(12)
    )
    return text, same


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.fuzz) for n in (0, 2, 3))])
def test_random_sums_agree_where_they_are_proved(seed: int) -> None:
    compared([seed])


@pytest.mark.fuzz
def test_many_random_sums_agree_where_they_are_proved() -> None:
    assert compared(range(100, 400)) > 50


def compared(seeds: Iterable[int]) -> int:
    """The number of proofs."""
    proved = 0
    for seed in seeds:
        text, same = random_question(seed)
        found = list(answers(text))
        assert same or not found, seed
        proved += bool(found)
    return proved
