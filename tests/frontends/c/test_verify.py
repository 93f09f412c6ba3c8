"""`verify` on programs of C."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.verify import VerifyRequest, verify
from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.verify import Options
from sa.frontends.reading import Reading
from tests.frontends.c.programs import program, threads, verdict

PETERSON = (Path(__file__).parent / "peterson.c").read_text()
LOCKED = "pthread_mutex_lock(&m);\nx++;\npthread_mutex_unlock(&m);"
SHARED = "int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"


def test_petersons_lock_excludes(tmp_path: Path) -> None:
    assert verdict(tmp_path, PETERSON) is Verdict.PROVED


def test_petersons_lock_without_waiting_does_not(tmp_path: Path) -> None:
    assert verdict(tmp_path, PETERSON.replace("flag1 && turn == 1", "0")) is Verdict.REFUTED


def test_a_counter_with_a_lock_loses_nothing(tmp_path: Path) -> None:
    assert verdict(tmp_path, threads(LOCKED, LOCKED, shared=SHARED, end="assert(x == 2);")) is Verdict.PROVED


def test_a_counter_without_a_lock_loses_updates(tmp_path: Path) -> None:
    assert verdict(tmp_path, threads("x++;", "x++;", shared="int x;", end="assert(x == 2);")) is Verdict.REFUTED


def test_an_atomic_counter_loses_nothing(tmp_path: Path) -> None:
    assert verdict(tmp_path, threads("x++;", "x++;", shared="atomic_int x;", end="assert(x == 2);")) is Verdict.PROVED


def test_a_lock_that_somebody_else_holds_cannot_be_released(tmp_path: Path) -> None:
    assert verdict(tmp_path, threads("pthread_mutex_unlock(&m);", shared=SHARED)) is Verdict.REFUTED


def test_any_number_of_threads_are_proved_for_all_numbers(tmp_path: Path) -> None:
    text = f"{SHARED}\nvoid *f(void *a) {{ {LOCKED.replace('x++;', 'x = 1; assert(x == 1); x = 0;')} return 0; }}\n"
    text += "int main(void) { pthread_t t; while (1) pthread_create(&t, 0, f, 0); }"
    assert verdict(tmp_path, text) is Verdict.PROVED
    assert verdict(tmp_path, text.replace("pthread_mutex_lock(&m);", "if (0)")) is Verdict.REFUTED


RACY = threads("x = 1;", "x = 2;", shared="int x;")


def test_a_race_is_a_violation_where_races_are_asked_for(tmp_path: Path) -> None:
    races = Reading(only="no-data-race")
    assert verdict(tmp_path, RACY, reading=races) is Verdict.REFUTED
    assert verdict(tmp_path, RACY.replace("int x", "atomic_int x"), reading=races) is Verdict.PROVED
    assert verdict(tmp_path, threads(LOCKED, LOCKED, shared=SHARED), reading=races) is Verdict.PROVED


CROSSED = threads(
    "pthread_mutex_lock(&m); pthread_mutex_lock(&n);",
    "pthread_mutex_lock(&n); pthread_mutex_lock(&m);",
    shared="pthread_mutex_t m, n;",
)


def test_locks_in_different_orders_are_a_deadlock(tmp_path: Path) -> None:
    wanted = Reading(only="no-deadlock")
    release = "pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);"
    ordered = "pthread_mutex_lock(&m); pthread_mutex_lock(&n);" + release
    assert verdict(tmp_path, CROSSED, reading=wanted) is Verdict.REFUTED
    shared = "pthread_mutex_t m, n;"
    assert verdict(tmp_path, threads(ordered, ordered, shared=shared), reading=wanted) is Verdict.PROVED


OVERFLOWING = (
    "extern int __VERIFIER_nondet_int(void);\nint main(void) { int a = __VERIFIER_nondet_int(); return a + 1; }"
)


def test_overflow_is_a_claim_where_it_is_asked_for(tmp_path: Path) -> None:
    checked = Reading(overflow="check")
    assert verdict(tmp_path, OVERFLOWING) is Verdict.PROVED
    assert verdict(tmp_path, OVERFLOWING, reading=checked) is Verdict.REFUTED
    assert verdict(tmp_path, OVERFLOWING.replace("a + 1", "a > 0 ? a - 1 : 0"), reading=checked) is Verdict.PROVED


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("int y = x + 1; assert(y > x); assert(y <= INT_MAX);", Verdict.PROVED),
        ("assert(x + 1 > x && x - 1 >= INT_MIN && -x <= INT_MAX);", Verdict.PROVED),
        ("x += x; assert(x <= INT_MAX); x++; assert(x != INT_MIN); x <<= 1; assert(x >= INT_MIN);", Verdict.PROVED),
        ("int y = x * x; assert(y <= INT_MAX);", Verdict.PROVED),
        ("assert(x < 10 || x + 1 > 11);", Verdict.REFUTED),
        ("assert(x != INT_MAX); x = x + 1;", Verdict.REFUTED),
    ],
)
def test_a_run_ends_where_arithmetic_overflows(tmp_path: Path, step: str, expected: Verdict) -> None:
    """No refutation rests on a number that its type does not have, as the claim says."""
    text = f"#include <limits.h>\nint any(void);\nint main(void) {{ int x = any(); {step} return 0; }}"
    assert verdict(tmp_path, text) is expected


def test_who_ends_in_an_overflow_has_made_nobody_wait(tmp_path: Path) -> None:
    """Such a run is none, whatever others do meanwhile."""
    text = """
    #include <limits.h>
    #include <pthread.h>
    pthread_mutex_t m;
    int x = INT_MAX;
    void *other(void *p) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }
    int main(void) {
        pthread_t t;
        pthread_create(&t, 0, other, 0);
        pthread_mutex_lock(&m); x = x + 1; pthread_mutex_unlock(&m);
        return 0;
    }
    """
    assert verdict(tmp_path, text, reading=Reading(deadlock=True)) is Verdict.PROVED


LIST = """
#include <stdlib.h>
struct node { int value; struct node *next; };
struct node *head;
int main(void) {
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i;
        n->next = head;
        head = n;
    }
    assert(head->next->next->value == 0);
    return 0;
}
"""


def test_what_goes_beyond_the_heap_is_neither_proved_nor_refuted(tmp_path: Path) -> None:
    assert verdict(tmp_path, LIST, reading=Reading(heap=3)) is Verdict.PROVED
    assert verdict(tmp_path, LIST, reading=Reading(heap=2)) is Verdict.UNKNOWN
    assert verdict(tmp_path, LIST.replace("value == 0", "value == 7"), reading=Reading(heap=3)) is Verdict.REFUTED


def test_a_compound_literal_is_an_object(tmp_path: Path) -> None:
    text = "struct s { int a, b; } s;\nint main(void) { s = (struct s){.b = 4}; assert(s.a + s.b == 4); return 0; }"
    assert verdict(tmp_path, text) is Verdict.PROVED
    assert verdict(tmp_path, text.replace(".b = 4", ".b = 5")) is Verdict.REFUTED


def test_the_first_thread_moves_alone_only_until_it_creates_another_one(tmp_path: Path) -> None:
    text = "int x;\nvoid *f(void *a) { assert(x == 5); return 0; }\nint main(void) { pthread_t t; "
    create, write = "pthread_create(&t, 0, f, 0);", "x = 5;"
    assert verdict(tmp_path, f"{text} {create} {write} return 0; }}") is Verdict.REFUTED
    assert verdict(tmp_path, f"{text} {write} {create} return 0; }}") is not Verdict.REFUTED


def test_preprocessed_text_needs_no_compiler(tmp_path: Path) -> None:
    path = tmp_path / "prog.i"
    text = "typedef double unused;\nint x;\nvoid __assert_fail(const char *, const char *, unsigned, const char *);\n"
    check = '({ if (x == %d) ; else __assert_fail("x", "prog.c", 4, "main"); });'
    path.write_text(f'# 1 "prog.c"\n{text}int main(void) {{ x = 1; {check % 2} return 0; }}\n')
    request = VerifyRequest(str(path), False, Options(limits(20.0, None)))
    assert verify(request).outcome.verdict is Verdict.REFUTED


ENDS = "struct s { int n; int a[2]; } v = {0, {1, 2}}; int sum(int *i, int *end)"
SUMMED = "{ int s = 0; for (; i != end; i++) s += *i; return s; }"


def test_the_end_of_a_member_has_an_address(tmp_path: Path) -> None:
    """`&a[n]` is `a + n` (C11 6.5.3.2)."""
    text = f"{ENDS} {SUMMED} int main(void) {{ assert(sum(v.a, &v.a[2]) == EXPECTED); }}"
    assert verdict(tmp_path, text.replace("EXPECTED", "3")) is Verdict.PROVED
    assert verdict(tmp_path, text.replace("EXPECTED", "4")) is Verdict.REFUTED
    assert verdict(tmp_path, text.replace("[2]) == EXPECTED", "[3]) == 3")) is Verdict.REFUTED
    assert verdict(tmp_path, f"{ENDS}; int main(void) {{ return *&v.a[2]; }}") is Verdict.REFUTED


def test_an_index_that_is_computed_may_be_the_end_where_that_is_not_known(tmp_path: Path) -> None:
    text = f"{ENDS}; int n = 2; int main(void) {{ int *p = &v.a[n]; n++; assert(p); }}"
    assert verdict(tmp_path, text) is Verdict.UNKNOWN
    assert verdict(tmp_path, text.replace("n = 2", "n = 1")) is Verdict.PROVED
    assert verdict(tmp_path, text.replace("n = 2", "n = 3")) is Verdict.REFUTED


def test_a_division_by_what_changes_is_decided_by_all_states(tmp_path: Path) -> None:
    step = "while (b) { int r = a % b; a = b; b = r; } g += a;"
    text = threads(
        f"int a = 12, b = 18; {step}", "int a = 9, b = 6; " + step, shared="atomic_int g;", end="assert(g == {});"
    )
    assert verdict(tmp_path, text.replace("{});", "9);")) is Verdict.PROVED
    assert verdict(tmp_path, text.replace("{});", "8);")) is Verdict.REFUTED


def test_a_recursion_in_many_places_is_followed_as_deep_as_there_is_room(tmp_path: Path) -> None:
    """Its calls at the greatest depth are hundreds of thousands: that there are too many is seen early."""
    text = "int f(int m, int n) { return m == 0 ? n + 1 : n == 0 ? f(m - 1, 1) : f(m - 1, f(m, n - 1)); }"
    main = "int main(void) { assert(f(1, 1) == %d); return 0; }"
    assert verdict(tmp_path, text + main % 3, seconds=10) is Verdict.PROVED
    assert verdict(tmp_path, text + main % 4, seconds=10) is Verdict.REFUTED


BITS = """int main(void) { unsigned x = 0xF1; int y = -2147483647 - 1;
assert(__builtin_popcount(x) == 5 && __builtin_parity(x) == 1 && __builtin_ctz(8) == 3 && __builtin_clz(1) == 31);
assert(__builtin_clzl(1) == 63 && __builtin_popcountll(-1) == 64 && __builtin_bswap32(0x01020304) == 0x04030201);
assert(ffs(y) == 32 && ffs(0) == 0 && __builtin_abs(-1) == 1 && llabs(-1) == 1 && __builtin_strlen("ab") == 2);
assert(strspn("aab", "a") == 2 && *strpbrk("abc", "cb") == 98 && strcasecmp("aB", "Ab") == 0 && isxdigit('f'));
return 0; }"""
BITS_HEADERS = "#include <string.h>\n#include <strings.h>\n#include <stdlib.h>\n#include <ctype.h>\n"


def test_functions_that_the_compiler_knows_have_their_values(tmp_path: Path) -> None:
    assert verdict(tmp_path, BITS_HEADERS + BITS) is Verdict.PROVED
    assert verdict(tmp_path, BITS_HEADERS + BITS.replace("== 5", "== 6")) is Verdict.REFUTED


def test_what_a_builtin_function_does_is_not_guessed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not known"):
        verdict(tmp_path, "int main(void) { return __builtin_object_size(0, 0) != 3; }")


ARITHMETIC = """#include <assert.h>
#include <stdckdint.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int calls;
int next(void) { return calls++; }
int main(void) {
    unsigned char c, text[4] = {7, 200, 0, 7};
    int r, x = __VERIFIER_nondet_int();
    long l;
    unsigned u;
"""


@pytest.mark.parametrize(
    "claim",
    [
        "__builtin_add_overflow(200, 100, &c) && c == 44",
        "!__builtin_add_overflow(200, 55, &c) && c == 255",
        "__builtin_mul_overflow(65536, 65536, &r) && r == 0",
        "__builtin_sub_overflow(0u, 1, &u) && u == 4294967295u",
        "!__builtin_sub_overflow(0u, 1, &r) && r == -1",
        "__builtin_uadd_overflow(-1, 1, &u) && u == 0",
        "!ckd_mul(&l, 1L << 31, 1L << 31) && l == 1L << 62",
        "ckd_mul(&l, 1L << 32, 1L << 31) && l == -9223372036854775807L - 1",
        "__builtin_sadd_overflow(x, 1, &r) ? x == 2147483647 : r > x",
        "(next() ?: 7) == 7 && (next() ?: 7) == 1 && calls == 2",
        "(x ?: 5) != 0",
        "memchr(text, 200, 4) == text + 1 && memchr(text, 263, 4) == text && !memchr(text, 0, 2)",
    ],
)
def test_extensions_of_gnu_have_their_values(claim: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, f"{ARITHMETIC} assert({claim}); return 0; }}") is Verdict.PROVED
    assert verdict(tmp_path, f"{ARITHMETIC} assert(!({claim})); return 0; }}") is Verdict.REFUTED


ORDERED = """
struct account { int sum; pthread_mutex_t m; };
struct account a[2] = { { 5, PTHREAD_MUTEX_INITIALIZER }, { 5, PTHREAD_MUTEX_INITIALIZER } };
void move(struct account *f, struct account *g, int n) {
  struct account *low = f < g ? f : g, *high = f < g ? g : f;
  pthread_mutex_lock(&low->m); pthread_mutex_lock(&high->m);
  f->sum -= n; g->sum += n;
  pthread_mutex_unlock(&high->m); pthread_mutex_unlock(&low->m);
}
"""


def test_two_locks_are_told_apart_where_their_addresses_are_compared(tmp_path: Path) -> None:
    forth, back = "move(&a[0], &a[1], 1);", "move(&a[1], &a[0], 2);"
    end = "assert(a[0].sum + a[1].sum == 10 && a[0].sum == 6);"
    text = threads(forth, back, shared=ORDERED, end=end)
    assert verdict(tmp_path, text) is Verdict.PROVED
    assert verdict(tmp_path, text.replace("== 6", "== 5")) is Verdict.REFUTED
    # Each lock is known, so that what both guard is one step.
    assert all(len(t.locations) <= 6 for t in program(tmp_path, text).threads if t.name != "main")
