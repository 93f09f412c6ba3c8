"""Random pairs of functions: where nothing is asked of others, programs beside any writer look alike."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import sa
from sa.base.verdict import Verdict
from sa.certificates.play import Loss

HEAD = """#include <pthread.h>
#include <stdatomic.h>
extern void print(int);
extern int __VERIFIER_nondet_int(void);
atomic_int x, y;
"""
MAIN = """
void *other(void *p) {
  for (int i = 0; i < 2; i++) {
    if (__VERIFIER_nondet_int()) x = __VERIFIER_nondet_int() ? 0 : 1; else y = __VERIFIER_nondet_int() ? 0 : 2;
  }
  return 0;
}
int main(void) {
  pthread_t t;
  x = __VERIFIER_nondet_int() ? 0 : 1;
  pthread_create(&t, 0, other, 0);
  f();
  pthread_join(t, 0);
  return 0;
}
"""


def statements(dice: Random) -> list[str]:
    """Reads, writes, tests and visible actions: mostly reads, which others disturb, and a visible one at the end."""
    found = list[str]()
    for _ in range(dice.randint(2, 4)):
        own, shared, number = dice.choice("ab"), dice.choice("xy"), dice.randint(0, 2)
        shown = dice.choice(("a", "b", "a - b", "1"))
        read = f"{own} = {shared};"
        others = (f"{shared} = {number};", f"print({shown});", f"if ({shared}) {own} = {number};")
        found.append(dice.choice((read, read, read, *others)))
    return [*found, f"print({dice.choice(('a', 'a + b', 'a - b'))});"]


def changed(dice: Random, before: list[str]) -> list[str]:
    """The statements with two of them in another order, one twice, not at all, or with the other variables."""
    after, place = list(before), dice.randrange(len(before) - 1)
    match dice.randrange(4):
        case 0:
            after[place], after[place + 1] = after[place + 1], after[place]
        case 1:
            after.insert(place, after[place])
        case 2:
            del after[place]
        case _:
            after[place] = after[place].translate(str.maketrans("axy", "byx"))
    return after


def written(folder: Path, before: list[str], after: list[str], tail: str) -> tuple[Path, Path]:
    paths = folder / "before.c", folder / "after.c"
    for path, body in zip(paths, (before, after), strict=True):
        path.write_text(f"{HEAD}void f(void) {{ int a = 0, b = 0; {' '.join(body)} }}\n{tail}")
    return paths


@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(3))
def test_where_others_may_do_anything_they_make_no_difference(block: int, tmp_path: Path) -> None:
    compared = 0
    for seed in range(40 * block, 40 * block + 40):
        dice = Random(seed)
        before = statements(dice)
        after = changed(dice, before)
        found = sa.weakest_rely(*written(tmp_path, before, after, ""), function="f", timeout=10)
        if found.verdict is Verdict.PROVED and not any(
            thread[kind][side]
            for thread in found.json()["threads"]
            for kind in ("rely", "environment")
            for side in ("concrete", "abstract")
            if thread[kind]
        ):
            whole = sa.refine(*written(tmp_path, before, after, MAIN), timeout=15)
            compared += 1
            goals = whole.json()["outcomes"][0]["goals"]
            assert all(g["fails"] != Loss.BEHAVIOUR.value for g in goals), (seed, before, after)
    assert compared > 5
