"""Random programs of two or three threads whose sections are guarded by a word that counts who is inside, as texts.

A word is 1 while somebody holds a lock, the number of readers or -1 while one writes, or what a semaphore has left.
Sections may forget to enter or to leave it. All values are in small ranges, so that every program can be enumerated.
"""

from __future__ import annotations

from random import Random

#: How a section is entered and left, with the word's first value.
ENTRIES = {
    "lock": ("await w == 0 {{ w := 1; }}", "w := 0;", 0),
    "exchange": ("t := 1; while (t != 0) {{ atomic {{ t := w; w := 1; }} }}", "w := 0;", 0),
    "reader": ("await w >= 0 && w < 3 {{ w := w + 1; }}", "w := w - 1;", 0),
    "writer": ("await w == 0 {{ w := -1; }}", "w := 0;", 0),
    "semaphore": ("await w > 0 {{ w := w - 1; }}", "w := w + 1;", 1),
}
#: Kinds of sections that guard one program together.
TOGETHER = (("lock",), ("exchange", "lock"), ("reader", "writer"), ("reader", "writer"), ("semaphore",))


def random_program(rng: Random) -> str:
    """The text of a program."""
    kinds = rng.choice(TOGETHER)
    begun = ENTRIES[kinds[0]][2] + (kinds == ("semaphore",) and rng.random() < 0.2)
    threads = (_thread(rng, f"T{n}", rng.choice(kinds)) for n in range(rng.choice((2, 2, 3))))
    return "\n".join((f"global w : -1..3 = {begun};", "global x : 0..2 = 0;", *threads)) + "\n"


def _thread(rng: Random, name: str, kind: str) -> str:
    enter, leave, _ = ENTRIES[kind]
    inside = rng.choice(("a := x; x := (a + 1) % 3; assert x == (a + 1) % 3; x := 0;", "a := x; assert a == x;"))
    section = f"{enter.format()} {inside} {leave if rng.random() < 0.9 else ''}"
    if rng.random() < 0.1:
        section = inside
    if rng.random() < 0.5:
        section = f"i := 0; while (i < 2) {{ {section} i := i + 1; }}"
    return f"thread {name} {{ local a, i : 0..2 = 0; local t : 0..1 = 0; {section} }}"
