"""Runs of C programs speak of C: names, enumerators, characters, objects that pointers point to, owners of locks."""

from __future__ import annotations

import pytest

from sa.app.verify import VerifyRequest, verify
from sa.base.limits import limits
from sa.engines.verify import Options
from sa.report.run import show_run
from sa.report.screen import Screen
from tests.frontends.c.programs import HEADERS

PROGRAM = """
enum color { RED, GREEN = 5 };
struct node { char letter; enum color color; struct node *next; } one, two = {'b', RED, 0}, *top = &one;
struct entry { unsigned key; int value; } table[100];
pthread_mutex_t m;
static void put(int where, int what) { table[where].value = what; }
void *work(void *arg) {
  pthread_mutex_lock(&m);
  one.letter = 'a';
  one.color = GREEN;
  top = &two;
  put(7, 3);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_mutex_lock(&m);
  assert(top == &one || one.color != GREEN || one.letter != 'a' || table[7].value != 3);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
}
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("runs") / "prog.c"
    path.write_text(HEADERS + PROGRAM)
    outcome = verify(VerifyRequest(str(path), False, Options(limits(20.0, None)))).outcome
    run = next(f.run for f in outcome.findings if f.run is not None)
    return show_run(run, outcome.program, Screen(160, False))


@pytest.mark.parametrize(
    "words",
    [
        "one.letter: 0 → 'a'",
        "one.color: RED → GREEN",
        "top: &one → &two",
        "table[7].value: 0 → 3",
        "m: free → held by main",
        "table[…].value = 0",
        "void *work(void *arg) {",
    ],
)
def test_a_run_is_told_in_c(words: str, printed: str) -> None:
    assert words in printed
