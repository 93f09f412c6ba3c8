"""What answers say of data races, asked for or not."""

from __future__ import annotations

from pathlib import Path

from sa.app.verify import VerifyRequest, verify
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.verification import Verification
from sa.engines.verify import Options
from sa.frontends.reading import Reading
from sa.report.race import race_told
from sa.report.verify import notes_of

RACES = Reading(only="no-data-race")


def answered(folder: Path, text: str, reading: Reading) -> Verification:
    """The answer about a program."""
    path = folder / "p.c"
    path.write_text("#include <pthread.h>\n#include <assert.h>\n#include <stdatomic.h>\n" + text)
    return verify(VerifyRequest(str(path), False, Options(limits(20.0, None)), reading)).outcome


NOTED = """int x; atomic_int flag;
void *w(void *a) {{
  x = 1;
  atomic_store_explicit(&flag, 1, memory_order_{order});
  return 0; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, w, 0); int y = 0;
  if (atomic_load_explicit(&flag, memory_order_acquire))
    y = x;
  assert(y < 2); return 0; }}
"""
RACE = "data race on `x`: written by w in line 6, read by main in line 11, in no order"


def test_a_race_names_both_accesses(tmp_path: Path) -> None:
    found = answered(tmp_path, NOTED.format(order="relaxed"), RACES)
    assert RACE in {race_told(f, found.program) for f in found.findings}


def test_a_race_that_nobody_asked_for_is_noted_and_changes_no_verdict(tmp_path: Path) -> None:
    for order, notes in (
        ("relaxed", [f"{RACE}. C leaves such a program undefined; ask with `--races`"]),
        ("release", []),
    ):
        found = answered(tmp_path, NOTED.format(order=order), Reading())
        assert (found.verdict, list(notes_of(found))) == (Verdict.PROVED, notes)


FAMILY = """int x, t[4]; atomic_uint next; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *w(void *a) {{
  {}
  return 0; }}
int main(int n, char **v) {{
  for (int i = 0; i < n; i++) {{ pthread_t t; pthread_create(&t, 0, w, 0); }}
  return 0; }}
"""


def test_a_race_of_any_number_of_threads_is_noted(tmp_path: Path) -> None:
    element = "unsigned i = atomic_fetch_add(&next, 1) % 4;"
    for body, places in (
        ("x = 1;", 2),
        ("t[1] = 1;", 2),
        (f"{element} t[i & 1] = 1;", 2),
        ("pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);", 0),
    ):
        notes = [n for n in notes_of(answered(tmp_path, FAMILY.format(body), Reading())) if "data race" in n]
        assert [n.count("in line 6") for n in notes] == ([places] if places else []), body
