"""Arrays of more elements than can each be a variable: they are arrays in the terms."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.show import as_text
from sa.base.verdict import Verdict
from sa.frontends.reading import Reading
from tests.frontends.c.programs import threads, verdict
from tests.frontends.c.sequential import COMPILER, run

SEQUENTIAL = """
struct pair { int x, y; };
struct ring { int slots[100]; int in, out; } ring;
struct pair pairs[80];
int flat[1000], square[20][70];
static const unsigned char letters[70] = {[3] = 7, [69] = 255};
void add(struct ring *r, int v) { r->slots[r->in] = v; r->in = (r->in + 1) % 100; }
int take(struct ring *r) { int v = r->slots[r->out]; r->out = (r->out + 1) % 100; return v; }
int main(void) {
  int local[90] = {1, 2, [80] = 5}, *p = &flat[10], i = 7, k = 1;
  struct pair *q = pairs + 79;
  p += 3; *p = 4; p[1] = 5; q->y = 6; (q - 1)->x = 9;
  for (i = 0; i < 3; i++) add(&ring, i * i);
  square[i][2 * i + k] = 8; flat[999] = letters[3];
"""
RIGHT = (
    "flat[13] == 4 && flat[14] == 5 && flat[15] == 0",
    "pairs[79].y == 6 && pairs[78].x == 9 && pairs[78].y == 0 && pairs[79].x == 0",
    "take(&ring) == 0 && take(&ring) == 1 && take(&ring) == 4 && ring.in == 3",
    "square[3][7] == 8 && square[3][8] == 0 && square[7][3] == 0",
    "local[0] == 1 && local[1] == 2 && local[2] == 0 && local[80] == 5",
    "flat[999] == 7 && letters[69] == 255 && letters[68] == 0",
    "&flat[20] - p == 7 && q == &pairs[79]",
)


def test_elements_have_their_values(tmp_path: Path) -> None:
    claims = "".join(f"assert({claim});\n" for claim in RIGHT)
    assert verdict(tmp_path, f"{SEQUENTIAL}{claims} }}") == Verdict.PROVED


@pytest.mark.parametrize("claim", RIGHT)
def test_elements_have_no_other_values(claim: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, f"{SEQUENTIAL}assert(!({claim})); }}") == Verdict.REFUTED


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("99", Verdict.PROVED),
        ("100", Verdict.REFUTED),
        ("(unsigned char)n % 100", Verdict.PROVED),
        ("n", Verdict.REFUTED),
    ],
)
def test_an_index_outside_goes_wrong(index: str, expected: Verdict, tmp_path: Path) -> None:
    begin = "extern int __VERIFIER_nondet_int(void); int a[100]; int main(void) { int n = __VERIFIER_nondet_int();"
    assert verdict(tmp_path, f"{begin} a[{index}] = 1; }}") == expected


def test_a_constant_that_is_added_to_an_unknown_index_counts(tmp_path: Path) -> None:
    text = """extern int __VERIFIER_nondet_int(void);
    int a[10];
    int main(void) {
      int k = 1, i = __VERIFIER_nondet_int();
      if (i >= 0 && i < 3) { a[2 * i + k] = 5; assert(a[0] == 0); }
    }"""
    assert verdict(tmp_path, text) == Verdict.PROVED


@pytest.mark.parametrize(("other", "expected"), [("8", Verdict.PROVED), ("7", Verdict.REFUTED), ("n", Verdict.REFUTED)])
def test_threads_race_where_they_access_the_same_element(other: str, expected: Verdict, tmp_path: Path) -> None:
    shared = "extern unsigned char __VERIFIER_nondet_uchar(void); int a[100];"
    bodies = "a[7] = 1;", f"int n = __VERIFIER_nondet_uchar(); if (n < 100) a[{other}] = 2;"
    text = threads(*bodies, shared=shared, end="assert(a[7] < 3);")
    assert verdict(tmp_path, text, reading=Reading(races=True)) == expected


def test_what_an_array_of_a_function_has_at_first_is_in_the_range_of_its_type(tmp_path: Path) -> None:
    text = "extern void use(int); int main(void) { unsigned char a[100]; int i = 5; assert(a[i] < %d); }"
    assert verdict(tmp_path, text % 256) == Verdict.PROVED
    assert verdict(tmp_path, text % 255) == Verdict.REFUTED


@pytest.mark.parametrize(("second", "expected"), [("3", Verdict.PROVED), ("4", Verdict.REFUTED)])
def test_locks_of_an_array_are_told_apart(second: str, expected: Verdict, tmp_path: Path) -> None:
    def body(n: str) -> str:
        return f"pthread_mutex_lock(&m[{n}]); int y = x; x = y + 1; pthread_mutex_unlock(&m[{n}]);"

    text = threads(body("3"), body(second), shared="pthread_mutex_t m[100]; int x;", end="assert(x == 2);")
    assert verdict(tmp_path, text) == expected


def test_large_arrays_are_printed_as_arrays_without_bounds(tmp_path: Path) -> None:
    path, printed = tmp_path / "a.c", tmp_path / "a.sa"
    path.write_text("int a[100]; int main(void) { a[5] = 1; while (a[4]); }")
    text = as_text(str(path), False)
    assert " a : int[*];" in text
    printed.write_text(text)
    assert as_text(str(printed), False) == text


@pytest.mark.skipif(COMPILER is None, reason="gcc is not installed")
@pytest.mark.parametrize(
    ("count", "seed"),
    [(6, 0), pytest.param(25, 1, marks=pytest.mark.fuzz), pytest.param(5_000, 2, marks=pytest.mark.fuzz)],
)
def test_random_functions_end_the_same_when_arrays_stay_whole(count: int, seed: int) -> None:
    tally, wrong = run(count, seed, 1)
    assert wrong == []
    assert tally["agrees"] > count * 0.7
