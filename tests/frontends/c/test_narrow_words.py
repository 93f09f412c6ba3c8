"""Words that steps take apart into bits range over the bits that may be set, and over no fewer."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from sa.automata.program import Program
from sa.base.verdict import Verdict
from tests.frontends.c.programs import program, verdict

THREADS = """
static atomic_uint word, other;
static void *one(void *unused) {{ {0} return unused; }}
static void *two(void *unused) {{ {1} return unused; }}
int main(void) {{
    pthread_t s, t;
    pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);
    pthread_join(s, 0); pthread_join(t, 0);
    assert({2});
}}
"""


def range_of(made: Program, name: str) -> tuple[int | None, int | None]:
    found = next(v for v in made.variables if v.var.name == name)
    return found.low, found.high


@pytest.mark.parametrize(
    ("step", "most"),
    [
        ("for (int i = 0; i < 4; i++) if (!(word & 1u << i)) word |= 1u << i;", 15),
        ("for (int i = 0; i < 4; i++) other = word ^ 1u << i, word = other;", 15),
        ("for (int i = 0; i < 4; i++) word ^= ~0u << i;", 2**32 - 1),
        ("for (int i = 0; i < 4; i++) { word = word << 1; word ^= 1u << i; }", 2**32 - 1),
    ],
)
def test_a_word_ranges_over_the_bits_that_are_set(tmp_path: Path, step: str, most: int) -> None:
    made = program(tmp_path, THREADS.format(step, step, "word <= 4294967295u"))
    assert range_of(made, "word") == (0, most)


#: A step of a thread: an operator, the word it is about, and a number. `<` loads a word, `>` stores what was loaded.
Step = tuple[str, int, int]


def statement(maker: random.Random) -> tuple[str, list[Step]]:
    """A statement about two words, and its steps."""
    names, place = ("word", "other"), maker.randrange(2)
    number = maker.choice((maker.randrange(8), 200, 1 << maker.randrange(12)))
    if maker.randrange(4) == 0:
        return f"{names[place]} = {names[1 - place]};", [("<", 1 - place, 0), (">", place, 0)]
    op = maker.choice("|&^=")
    return f"{names[place]} {op.strip('=')}= {number}u;", [(op, place, number)]


def ends(one: list[Step], two: list[Step]) -> set[int]:
    """The values of the first word after all runs of two threads."""
    found = set[int]()

    def go(left: tuple[list[Step], list[Step]], words: tuple[int, int], loaded: tuple[int, int]) -> None:
        if not any(left):
            found.add(words[0])
        for thread in (0, 1):
            if left[thread]:
                op, place, number = left[thread][0]
                values, held = list(words), list(loaded)
                word = words[place]
                if op == "<":
                    held[thread] = word
                else:
                    values[place] = {"|": word | number, "&": word & number, "^": word ^ number, "=": number}.get(
                        op, held[thread]
                    )
                rest = (left[0][1:], left[1]) if thread == 0 else (left[0], left[1][1:])
                go(rest, (values[0], values[1]), (held[0], held[1]))

    go((one, two), (0, 0), (0, 0))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_what_words_become_is_as_all_runs_have_it(tmp_path: Path, seed: int) -> None:
    maker = random.Random(seed)
    made = [[statement(maker) for _ in range(3)] for _ in range(2)]
    texts = [" ".join(text for text, _ in thread) for thread in made]
    values = sorted(ends(*([s for _, steps in thread for s in steps] for thread in made)))
    claim = " || ".join(f"word == {v}u" for v in values)
    assert verdict(tmp_path, THREADS.format(*texts, claim)) is Verdict.PROVED
    left_out = " && ".join(f"word != {v}u" for v in values[-1:])
    assert verdict(tmp_path, THREADS.format(*texts, left_out)) is Verdict.REFUTED
