"""Functions alone that access a location atomically and plainly, by its name and through pointers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from tests.frontends.c.test_functions import ATOMICS, compared, verdict

NAMES = {
    "RLX": "__ATOMIC_RELAXED",
    "ACQ": "__ATOMIC_ACQUIRE",
    "REL": "__ATOMIC_RELEASE",
    "LOAD": "__atomic_load_n",
    "STORE": "__atomic_store_n",
    "ADD": "__atomic_fetch_add",
}


def written(body: str, declared: str = "unsigned x, g; unsigned f(unsigned a)") -> str:
    """A file whose function has the body; words for atomic functions and orders are short."""
    spelled = re.sub(r"\w+", lambda found: NAMES.get(found[0], found[0]), body)
    return f"{ATOMICS}atomic_int y; {declared} {{ {spelled} }}\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # What is plain may become atomic: whoever may access it plainly need not be seen to do so.
        ("return x;", "return LOAD(&x, RLX);", "PROVED"),
        ("x = a; return 0;", "STORE(&x, a, REL); return 0;", "PROVED"),
        ("x = x + 1; return 0;", "ADD(&x, 1, RLX); return 0;", "PROVED"),
        # What is atomic may not become plain: others may access it at any time.
        ("return LOAD(&x, RLX);", "return x;", "REFUTED"),
        ("STORE(&x, a, RLX); return 0;", "x = a; return 0;", "REFUTED"),
        ("ADD(&x, 1, RLX); return 0;", "x = x + 1; return 0;", "REFUTED"),
        # Where it is accessed plainly as well, and nothing is acquired in between, it was the function's all the time.
        ("STORE(&x, 1, RLX); x = a; return 0;", "x = a; return 0;", "PROVED"),
        ("unsigned r = LOAD(&x, RLX); return r + x;", "return x + x;", "PROVED"),
        ("unsigned r = LOAD(&x, RLX); LOAD(&y, ACQ); return r + x;", "LOAD(&y, ACQ); return x + x;", "REFUTED"),
        # What an acquire finds is what is there, if it may be read then.
        ("unsigned r = LOAD(&x, ACQ); return r + x;", "unsigned r = LOAD(&x, ACQ); return r + r;", "PROVED"),
        ("unsigned r = LOAD(&y, ACQ); return r + x;", "unsigned r = LOAD(&y, ACQ); return r + r;", "REFUTED"),
        ("unsigned r = ADD(&x, 1, ACQ); return x;", "unsigned r = ADD(&x, 1, ACQ); return r + 1;", "PROVED"),
        ("unsigned r = ADD(&x, 1, ACQ); return x;", "unsigned r = ADD(&x, 1, ACQ); return r;", "REFUTED"),
        # Who alone writes it may read it plainly, and is seen to write.
        ("unsigned r = x; STORE(&x, r + 1, RLX); return x;", "unsigned r = x; STORE(&x, r + 1, RLX); return r + 1;",
         "PROVED"),
        ("unsigned r = x; STORE(&x, 1, RLX); return r;", "unsigned r = x; x = 1; return r;", "REFUTED"),
        ("unsigned r = x; STORE(&x, 1, RLX); STORE(&x, 2, RLX); return r;",
         "unsigned r = x; STORE(&x, 2, RLX); return r;", "REFUTED"),
        ("unsigned r = x; g = 1; STORE(&x, 1, REL); return r;", "g = 1; unsigned r = x; STORE(&x, 1, REL); return r;",
         "PROVED"),
        ("unsigned r = x; g = 1; STORE(&x, 1, REL); return r;", "unsigned r = x; STORE(&x, 1, REL); g = 1; return r;",
         "REFUTED"),
        ("unsigned r = x; g = 1; STORE(&x, 1, REL); return r;", "unsigned r = x; g = 1; STORE(&x, 1, RLX); return r;",
         "REFUTED"),
    ],
)  # fmt: skip
def test_accesses_of_both_kinds_are_compared(before: str, after: str, expected: str, tmp_path: Path) -> None:
    assert verdict(written(before), written(after), tmp_path) == expected


@pytest.mark.parametrize(
    ("declared", "before", "after", "expected"),
    [
        ("_Atomic int", "x = a; return 0;", "x = a; return 0;", "REFUTED"),
        ("int", "x = a; return 0;", "__atomic_store_n(&x, a, 5); return 0;", "PROVED"),
    ],
)
def test_a_variable_may_be_declared_atomic_in_one_file(
    declared: str, before: str, after: str, expected: str, tmp_path: Path
) -> None:
    one, other = (written(t, f"{d} x; int f(int a)") for t, d in ((before, declared), (after, "int")))
    assert verdict(one, other, tmp_path) == expected
    assert verdict(other, other, tmp_path) == "PROVED"


POINTERS = "int x, z; int f(int *p, int a)"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("if (p == &x) return LOAD(&x, ACQ); return LOAD(p, ACQ);", "return LOAD(p, ACQ);", "PROVED"),
        ("if (p == &x) return LOAD(&x, ACQ); return LOAD(p, ACQ);", "return LOAD(&x, ACQ);", "REFUTED"),
        ("return LOAD(a ? &x : &z, ACQ);", "return a ? LOAD(&x, ACQ) : LOAD(&z, ACQ);", "PROVED"),
        ("return a ? LOAD(&x, ACQ) : LOAD(&z, ACQ);", "return *(a ? &x : &z);", "REFUTED"),
        ("x = 1; STORE(p, 2, RLX); return x;", "x = 1; STORE(p, 2, RLX); return p == &x ? 2 : 1;", "PROVED"),
        ("x = 1; STORE(p, 2, RLX); return x;", "x = 1; STORE(p, 2, RLX); return 1;", "REFUTED"),
        ("*p = 1; STORE(p, 2, RLX); return 0;", "*p = 2; return 0;", "PROVED"),
        ("STORE(p, 1, RLX); STORE(p, 2, RLX); return 0;", "*p = 2; return 0;", "REFUTED"),
    ],
)
def test_a_location_is_the_same_by_its_name_and_through_a_pointer(
    before: str, after: str, expected: str, tmp_path: Path
) -> None:
    assert verdict(written(before, POINTERS), written(after, POINTERS), tmp_path) == expected


def test_signedness_of_a_pointer_makes_no_other_location(tmp_path: Path) -> None:
    text = "unsigned x; int f(int *p) {{ if ((void *) p == &x) {} else __atomic_store_n(p, -1, 0); return 0; }}"
    by_name = text.format("__atomic_store_n(&x, 4294967295u, 0);")
    assert verdict(by_name, text.format("__atomic_store_n((int *) &x, -1, 0);"), tmp_path) == "PROVED"
    assert verdict(by_name, text.format("__atomic_store_n((int *) &x, 1, 0);"), tmp_path) == "REFUTED"


def test_nobody_points_to_a_private_variable(tmp_path: Path) -> None:
    text = "static int n; int f(int *p) {{ n = 1; __atomic_store_n(p, 2, 0); return {}; }}"
    assert verdict(text.format("n"), text.format("1"), tmp_path) == "PROVED"


def test_locks_may_be_meant_by_name_and_through_a_pointer(tmp_path: Path) -> None:
    text = "#include <pthread.h>\npthread_mutex_t m; int g; int f(pthread_mutex_t *p) {{ {} return 0; }}"
    both = "if (p == &m) pthread_mutex_{0}(&m); else pthread_mutex_{0}(p);"
    before = text.format(both.format("lock") + " g = 1; g = 2; " + both.format("unlock"))
    assert verdict(before, text.format("pthread_mutex_lock(p); g = 2; pthread_mutex_unlock(p);"), tmp_path) == "PROVED"
    assert (
        verdict(before, text.format("pthread_mutex_lock(p); g = 2; pthread_mutex_unlock(&m);"), tmp_path) == "REFUTED"
    )


@pytest.mark.parametrize(
    "text",
    [
        "int x; int f(void) { int r = *(volatile int *) &x; return r + x; }",
        "int x; int f(void) { __atomic_store_n((long *) &x, 1, 0); return x; }",
    ],
    ids=["volatile", "another type"],
)
def test_what_else_is_accessed_in_two_ways_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as wrong:
        verdict(text, text, tmp_path)
    assert all(d.code == "SA718" and d.hint for d in wrong.value.diagnostics)


def test_the_claim_names_what_is_accessed_in_both_ways(tmp_path: Path) -> None:
    for name in ("before.c", "after.c"):
        (tmp_path / name).write_text("int x, y, g; int f(void) { return x + __atomic_load_n(&x, 0) + g; }")
    assumed = compared(tmp_path / "before.c", tmp_path / "after.c").outcome.said.assumptions
    assert any("a variable other than `x` both atomically and plainly" in c.text for c in assumed)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("g = 1; int r = UPDATE; g = 2; return r;", "int r = UPDATE; g = 2; return r;", "PROVED"),
        ("g = 1; int r = UPDATE; g = 2; return r;", "g = 2; int r = UPDATE; return r;", "PROVED"),
        ("int r = UPDATE; g = 2; return r;", "g = 2; int r = UPDATE; return r;", "REFUTED"),
        ("g = 1; int r = UPDATE; return r;", "int r = UPDATE; return r;", "REFUTED"),
        ("g = 1; int r = UPDATE; r += LOAD(&y, ACQ); g = 2; return r;",
         "int r = UPDATE; r += LOAD(&y, ACQ); g = 2; return r;", "REFUTED"),
        ("g = 1; int r = UPDATE; r += g; g = 2; return r;", "int r = UPDATE; r += g; g = 2; return r;", "REFUTED"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("update", ["ADD(&y, 1, __ATOMIC_ACQ_REL)", "ADD(&y, 1, __ATOMIC_SEQ_CST)"])
def test_an_update_acquires_before_it_releases(
    before: str, after: str, expected: str, update: str, tmp_path: Path
) -> None:
    one, other = (written(t.replace("UPDATE", update), "int g; int f(void)") for t in (before, after))
    assert verdict(one, other, tmp_path) == expected
