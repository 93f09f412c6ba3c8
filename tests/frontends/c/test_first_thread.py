"""How many threads a loop creates or joins is known from variables that only the first thread writes."""

from __future__ import annotations

from pathlib import Path

from sa.base.diagnostic import InputError
from sa.base.verdict import Verdict
from tests.frontends.c.programs import program, verdict
from tests.parts import for_each

CREATED = """
static int half = 1, count; int *known; atomic_int done; pthread_t t[4]; static void sized(void);
void *worker(void *a) { BESIDE atomic_fetch_add(&done, 1); return 0; }
static void sized(void) { count = half + 1; }
int main(void) {
    BEFORE sized();
    for (int i = 0; i < count; i++) pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < count; i++) pthread_join(t[i], 0);
    assert(done == 2);
}
"""


def made(before: str = "", beside: str = "") -> str:
    return CREATED.replace("BEFORE", before).replace("BESIDE", beside)


def test_as_many_threads_are_created_as_a_variable_of_the_first_thread_says(tmp_path: Path) -> None:
    assert verdict(tmp_path, made()) is Verdict.PROVED
    assert verdict(tmp_path, made("half = 2;")) is Verdict.REFUTED


def is_any_number(tmp_path: Path, text: str) -> bool:
    try:
        program(tmp_path, text)
    except InputError as refused:
        return "any number" in str(refused)
    return False


@for_each("beside", ("count = 3;", "sized();", "half = 2;"))
def test_what_another_thread_writes_too_is_not_known(beside: str, tmp_path: Path) -> None:
    assert not is_any_number(tmp_path, made())
    assert is_any_number(tmp_path, made(beside=beside))


def test_what_is_written_through_a_pointer_is_not_known(tmp_path: Path) -> None:
    assert is_any_number(tmp_path, made("known = &half; *known = 2;"))


@for_each("declared", ("int *known = &half;", "int *const known = &half;", "struct { int *p; } s = {&half};"))
def test_what_a_pointer_points_to_from_the_beginning_is_not_known(declared: str, tmp_path: Path) -> None:
    written = "*s.p = 2;" if "struct" in declared else "*known = 2;"
    assert is_any_number(tmp_path, made(written).replace("int *known;", declared))


def test_an_address_that_is_stored_where_it_leads_to_is_taken(tmp_path: Path) -> None:
    text = made("s.me = &s; s.me->n = 2;").replace("int *known;", "struct t { struct t *me; int n; } s = {0, 1};")
    assert is_any_number(tmp_path, text.replace("i < count", "i < s.n"))
