"""Functions alone whose parameters are pointers: to the same, to variables of the file, to nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.frontends.c.caveats import PARAMETERS
from tests.frontends.c.test_functions import ATOMICS, compared, verdict

THREADS = "#include <pthread.h>\n"
PAIR = "struct s { int a, b; }; "


@pytest.mark.parametrize(
    ("declared", "one", "other", "expected"),
    [
        ("int f(int *p)", "*p = 1; *p = 2; return *p;", "*p = 2; return 2;", "PROVED"),
        ("int f(int *p, int *q)", "*p = 1; *q = 2; return *p;", "*p = 1; *q = 2; return 1;", "REFUTED"),
        ("int f(int *p, unsigned *q)", "*p = 1; *q = 2; return *p;", "*p = 1; *q = 2; return 1;", "REFUTED"),
        ("int f(int *p, long *q)", "*p = 1; *q = 2; return *p;", "*p = 1; *q = 2; return 1;", "PROVED"),
        ("int f(int *p, int *q)", "*p = 1; *q = 2; return *p;", "*p = 1; *q = 2; return p == q ? 2 : 1;", "PROVED"),
        ("int g; int f(int *p)", "g = 1; *p = 2; return g;", "g = 1; *p = 2; return 1;", "REFUTED"),
        (PAIR + "int f(struct s *x, struct s *y)", "x->a = 1; y->a = 2; return x->a;", "x->a = 1; y->a = 2; return 1;",
         "REFUTED"),
        (PAIR + "int f(struct s *x, struct s *y)", "x->a = 1; y->b = 2; return x->a;", "x->a = 1; y->b = 2; return 1;",
         "PROVED"),
        (PAIR + "int f(int *y, struct s *x)", "x->b = 1; *y = 2; return x->b;", "x->b = 1; *y = 2; return 1;",
         "REFUTED"),
        ("struct s { int a; }; int f(int *y, struct s *x)", "x->a = 1; *y = 2; return x->a;",
         "x->a = 1; *y = 2; return 1;", "REFUTED"),
        ("struct s { int a; }; int f(struct s *x, int *y)", "x->a = 1; *y = 2; return x->a;",
         "x->a = 1; *y = 2; return 1;", "REFUTED"),
    ],
)  # fmt: skip
def test_pointers_may_point_to_the_same(declared: str, one: str, other: str, expected: str, tmp_path: Path) -> None:
    assert verdict(f"{declared} {{ {one} }}", f"{declared} {{ {other} }}", tmp_path) == expected


def test_what_was_not_followed_may_be_nothing(tmp_path: Path) -> None:
    text = "int f(int *p, int n) {{ {} }}"
    late = text.format("return p && n ? *p : 0;")
    assert verdict(late, text.format("int t = *p; return p && n ? t : 0;"), tmp_path) == "REFUTED"
    assert verdict(late, text.format("int t = 0; if (p) t = *p; return p && n ? t : 0;"), tmp_path) == "REFUTED"
    followed = text.format("int r = *p; return p ? r : 5;")
    assert verdict(followed, text.format("return *p;"), tmp_path) == "PROVED"


def test_atomic_accesses_through_pointers_show_where_they_are(tmp_path: Path) -> None:
    text = ATOMICS + "int g; int f(atomic_int *a, atomic_int *b, int i) {{ {} return 0; }}"
    release = "atomic_store_explicit(a, 1, memory_order_release);"
    assert verdict(text.format(f"g = 1; g = i; {release}"), text.format(f"g = i; {release}"), tmp_path) == "PROVED"
    assert verdict(text.format(f"g = i; {release}"), text.format(f"{release} g = i;"), tmp_path) == "REFUTED"
    both = "atomic_store({}, 1); atomic_store({}, 1);"
    assert verdict(text.format(both.format("a", "b")), text.format(both.format("b", "a")), tmp_path) == "REFUTED"
    assert verdict(text.format("a[i] = 1;"), text.format("*(a + i) = 1;"), tmp_path) == "PROVED"
    assert verdict(text.format("a[i] = 1;"), text.format("a[i + 1] = 1;"), tmp_path) == "REFUTED"
    assert verdict(text.format("*a = 1; if (!a) g = 1;"), text.format("*a = 1;"), tmp_path) == "PROVED"


def test_volatile_accesses_through_pointers_are_kept(tmp_path: Path) -> None:
    text = "int f(volatile int *r) {{ {} return 0; }}"
    assert verdict(text.format("*r = 1; *r = 2;"), text.format("*r = 2;"), tmp_path) == "REFUTED"
    assert verdict(text.format("*r = 1; *r = 2;"), text.format("*r = 1; *r = 1 + 1;"), tmp_path) == "PROVED"


def test_a_lock_in_a_structure_guards_what_is_beside_it(tmp_path: Path) -> None:
    text = THREADS + "struct c {{ pthread_mutex_t m; int n; }}; void f(struct c *c) {{ {} }}"
    lock, unlock = "pthread_mutex_lock(&c->m);", "pthread_mutex_unlock(&c->m);"
    before = text.format(f"{lock} c->n++; c->n++; {unlock}")
    assert verdict(before, text.format(f"{lock} c->n += 2; {unlock}"), tmp_path) == "PROVED"
    assert verdict(before, text.format(f"int r = c->n; {lock} c->n = r + 2; {unlock}"), tmp_path) == "REFUTED"


def test_addresses_are_the_same_in_both_files(tmp_path: Path) -> None:
    one, other = "int g, h; int f(void *p) { return p == &%s; }", "int h, g; int f(void *p) { return p == &%s; }"
    assert verdict(one % "g", other % "g", tmp_path) == "PROVED"
    assert verdict(one % "g", other % "h", tmp_path) == "REFUTED"
    one, other = (t.replace("int f(void *p) { return p ==", "int *f(void) { return") for t in (one, other))
    assert verdict(one % "g", other % "g", tmp_path) == "PROVED"
    assert verdict(one % "g", other % "h", tmp_path) == "REFUTED"


def test_which_object_is_meant_may_be_asked_but_not_where_it_is(tmp_path: Path) -> None:
    text = "int g; int f(int *p) {{ int l = 0; *p = 1; return {}; }}"
    assert verdict(text.format("p == &l"), text.format("0"), tmp_path) == "PROVED"
    assert verdict(text.format("p == &g"), text.format("g == 1"), tmp_path) == "REFUTED"
    for depends in ("p < &g", "p - &g > 0", "(long) p == 4096", "p == &g + 1", "((long) p & 3) != 0"):
        with pytest.raises(InputError):
            verdict(text.format(depends), text.format("0"), tmp_path)


def test_pointers_from_outside_do_not_point_to_private_variables(tmp_path: Path) -> None:
    text = "static int n; {} int f(int *p) {{ n = 1; *p = 2; return {}; }}"
    assert verdict(text.format("", "n"), text.format("", "1"), tmp_path) == "PROVED"
    for given in ("int *where(void) { return &n; }", 'void where(void) { __asm__ volatile("" : : "r"(&n)); }'):
        assert verdict(text.format(given, "n"), text.format(given, "1"), tmp_path) == "REFUTED"


@pytest.mark.parametrize(
    ("declared", "first"),
    [
        ("int g; int other(void) { static int g; return ++g; }", "g"),
        ("typedef int A[2]; static A g; int *leak(void) { return g; }", "g[1]"),
        ("typedef struct { int a[2]; } S; static S g; int *leak(void) { return g.a; }", "g.a[1]"),
    ],
)
def test_what_another_name_or_type_hides_is_pointed_to(declared: str, first: str, tmp_path: Path) -> None:
    text = f"{declared} int f(int *p) {{ *p = 1; {first} = 2; return RESULT; }}"
    assert verdict(text.replace("RESULT", "*p"), text.replace("RESULT", "1"), tmp_path) == "REFUTED"


def test_a_type_that_stands_for_numbers_hides_nothing(tmp_path: Path) -> None:
    text = "typedef int N; typedef N M; static M n; int f(int *p) {{ n = 1; *p = 2; return {}; }}"
    assert verdict(text.format("n"), text.format("1"), tmp_path) == "PROVED"


@pytest.mark.parametrize(
    "text",
    [
        "int f(long *c, int *p) {{ *p = 1; return {}; }}|(void *) c == (void *) p",
        "int f(long *c, int *p) {{ *p = 1; int *q = (int *) c; return {}; }}|q == p",
        "int g; int f(long *c, int *p) {{ *p = 1; return {}; }}|(void *) c == (void *) &g",
    ],
)
def test_pointers_to_other_types_are_not_compared(text: str, tmp_path: Path) -> None:
    """Where a pointer leads that nobody follows is not known (C11 6.3.2.3): it may be to an object of any type."""
    function, comparison = text.split("|")
    with pytest.raises(InputError):
        verdict(function.format(comparison), function.format("0"), tmp_path)


@pytest.mark.parametrize(
    "function",
    [
        "int g[2][2]; int f(void) {{ int *end = &g[0][2]; return {}; }}",
        "struct s {{ int a[2]; int b; }} g; int f(void) {{ int *end = &g.a[2]; return {}; }}",
    ],
)
def test_the_end_of_an_array_in_another_object_has_an_address(function: str, tmp_path: Path) -> None:
    assert verdict(function.format("1"), function.format("7"), tmp_path) == "REFUTED"


def test_promises_of_pointers_are_refused(tmp_path: Path) -> None:
    text = "int f(int *restrict p, int *restrict q) {{ *p = 1; *q = 2; return {}; }}"
    with pytest.raises(InputError):
        verdict(text.format("*p"), text.format("1"), tmp_path)


def test_what_is_atomic_may_be_accessed_in_two_ways(tmp_path: Path) -> None:
    for one, other in (("x = 1;", "atomic_int *p = &x; *p = 1;"), ("if (a == &x) x = 1; else *a = 1;", "*a = 1;")):
        text = ATOMICS + "atomic_int x; int f(atomic_int *a) {{ {} return 0; }}"
        assert verdict(text.format(one), text.format(other), tmp_path) == "PROVED"


def test_structures_without_a_tag_are_the_same_in_both_files(tmp_path: Path) -> None:
    text = "typedef struct {{ int lo, hi; }} range; int f(const range *r, int x) {{ return {}; }}"
    assert (
        verdict(text.format("r->lo <= x && x <= r->hi"), text.format("!(x < r->lo || r->hi < x)"), tmp_path) == "PROVED"
    )


def test_who_gets_an_address_may_change_what_is_there(tmp_path: Path) -> None:
    text = "void use(int *); int f(int *p) {{ *p = 1; use(p); return {}; }}"
    assert verdict(text.format("*p"), text.format("1"), tmp_path) == "REFUTED"
    assert verdict(text.format("*p"), text.format("*p"), tmp_path) == "PROVED"


def test_structures_of_the_two_files_are_compared(tmp_path: Path) -> None:
    text = "struct s { int %s; }; int f(struct s *p) { p->a = 1; return p->b; }"
    assert verdict(text % "a, b", text % "a, b", tmp_path) == "PROVED"
    with pytest.raises(InputError) as wrong:
        verdict(text % "a, b", text % "b, a", tmp_path)
    assert wrong.value.diagnostics[0].code == "SA405"


def test_the_claim_says_what_structures_are_taken_to_be(tmp_path: Path) -> None:
    paths = tmp_path / "before.c", tmp_path / "after.c"
    for path in paths:
        path.write_text(PAIR + "int f(struct s *p) { return p->a; }")
    assert PARAMETERS in compared(*paths).outcome.said.assumptions


@pytest.mark.parametrize(
    "text",
    [
        "int f(int *p) { return p[1]; }",
        "int f(int *p, int n) { return p[n]; }",
        "int f(int *p, int *q) { *q = 1; return p + 1 == q; }",
        "int f(int *p) { int s = 0; for (int i = 0; i < 2; i++) s += *p++; return s; }",
        PAIR + "int f(struct s *p) { return p[1].a; }",
        PAIR + "int f(struct s *p) { return (p + 1)->a; }",
        PAIR + "int f(struct s *p, struct s *q) { q->a = 1; return p + 1 == q; }",
        PAIR + "int f(struct s *p) { int *q = &p->a; return q[1]; }",
        "int f(char *p) { return *p; }",
        "int f(int **p) { return **p; }",
        "struct n { int v; struct n *next; }; int f(struct n *p) { return p->next->v; }",
        "union u { int i; unsigned char c[4]; }; int f(union u *p) { return p->i; }",
        "static const int k = 1; int f(const int *p) { return *p + (p == &k); }",
    ],
)
def test_what_pointers_lead_to_and_is_not_known_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as wrong:
        verdict(text, text, tmp_path)
    assert all(d.code in {"SA712", "SA718"} and d.hint for d in wrong.value.diagnostics)


LATE = "atomic_int x, y; int g; int outside(void); "
SLOW = pytest.mark.slow
RELAXED = "atomic_load_explicit(&x, memory_order_relaxed)"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("int r = LOAD; return 7 / b + r;", "int q = 7 / b; int r = LOAD; return q + r;", "PROVED"),
        pytest.param(
            "int r = LOAD; if (a) return a / b + r; return r;",
            "int q = 0; if (a) q = a / b; int r = LOAD; return q + r;",
            "PROVED",
            # 15 s of processor time; the case above shows the rule.
            marks=pytest.mark.fuzz,
        ),
        ("while (LOAD) ; return a / b;", "int q = a / b; while (LOAD) ; return q;", "REFUTED"),
        pytest.param("int r = LOAD; return a / r;", "int q = 1 / 0; return LOAD;", "REFUTED", marks=SLOW),
        ("int r = outside(); return a / b + r;", "int q = a / b; int r = outside(); return q + r;", "REFUTED"),
        pytest.param(
            "int r = atomic_load(&x); return a / b + r;",
            "int q = a / b; int r = atomic_load(&x); return q + r;",
            "REFUTED",
            marks=SLOW,
        ),
        (
            "int r = LOAD; if (r) return a / b; return 0;",
            "int q = a / b; int r = LOAD; if (r) return q; return 0;",
            "REFUTED",
        ),
        ("int r = LOAD; *p = 7; return r;", "*p = 7; int r = LOAD; return r;", "PROVED"),
        pytest.param(
            "int r = LOAD; if (r) *p = 7; return r;", "*p = 7; int r = LOAD; return r;", "REFUTED", marks=SLOW
        ),
        pytest.param(
            "int r = LOAD; *p = 7; *q = 8; return r;", "*p = 7; int r = LOAD; *q = 8; return r;", "PROVED", marks=SLOW
        ),
        ("int r = LOAD; *p = 7; *q = 8; return r;", "*q = 8; int r = LOAD; *p = 7; return r;", "REFUTED"),
        pytest.param(
            "int r = LOAD; *p = 7; return r;", "*q = 7; int r = LOAD; *p = 7; return r;", "REFUTED", marks=SLOW
        ),
        ("int r = LOAD; *p = 7; g = 1; return r;", "g = 1; int r = LOAD; *p = 7; return r;", "REFUTED"),
    ],
)
def test_what_happens_in_any_case_may_happen_before_a_relaxed_load(
    before: str, after: str, expected: str, tmp_path: Path
) -> None:
    given = "int *p, int *q" if "*p" in before else "int a, int b"
    one, other = (f"{ATOMICS}{LATE}int f({given}) {{ {t.replace('LOAD', RELAXED)} }}" for t in (before, after))
    assert verdict(one, other, tmp_path) == expected


@pytest.mark.parametrize(
    ("declared", "place", "expected"),
    [
        ("static int a[3];", "a[1]", "PROVED"),
        ("static int a[3]; int *get(void) { return a; }", "a[1]", "REFUTED"),
        pytest.param("static int a[2][2];", "a[1][0]", "PROVED", marks=SLOW),
        # 8 s of processor time; the array above shows the rule.
        pytest.param(
            "static int a[2][2]; int *get(void) { return a[1]; }", "a[1][0]", "REFUTED", marks=pytest.mark.fuzz
        ),
        ("static struct { int n, v[2]; } s;", "s.n", "PROVED"),
        ("static struct { int n, v[2]; } s; int *get(void) { return s.v; }", "s.n", "REFUTED"),
        pytest.param("struct t { int n, *q; }; static struct t s;", "s.n", "REFUTED", marks=SLOW),
        pytest.param(
            "struct t { int n; }; static struct t s; struct t *get(void) { return &s; }",
            "s.n",
            "REFUTED",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "typedef int A[3]; static A a; int *get(void) { int *z = a; return z; }",
            "a[1]",
            "REFUTED",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_nobody_points_to_static_objects_of_which_only_numbers_are_mentioned(
    declared: str, place: str, expected: str, tmp_path: Path
) -> None:
    one, other = (f"{declared} int f(int *p) {{ {place} = 1; *p = 2; return {value}; }}" for value in (place, "1"))
    assert verdict(one, other, tmp_path) == expected
