"""Random pairs of programs: sections under locks, taken apart on the concrete side and often one step on the abstract.

All values are in small ranges, so that every pair can be enumerated. About half of the pairs refine.
"""

from __future__ import annotations

from random import Random

from msgspec import Struct


class Part(Struct, frozen=True):
    """What a thread does, step by step and at once; `{0}` and `{1}` stand for the shared variables."""

    steps: tuple[str, ...]
    at_once: str


PARTS = (
    Part(("a := {0};", "{0} := (a + 1) % 3;"), "{0} := ({0} + 1) % 3;"),
    Part(("a := {0};", "{0} := {1};", "{1} := a;"), "{0} := {1}; {1} := {0};"),
    Part(("a := {0};", "if (a == 1) {{ {1} := 2; }}"), "if ({0} == 1) {{ {1} := 2; }}"),
    Part(("{0} := 1;", "{1} := 1;"), "{0} := 1; {1} := 1;"),
    Part(("{0} := 2;", "a := {0};", "{0} := 0;"), "{0} := 0;"),
)


def random_pair(rng: Random) -> tuple[str, str]:
    """The texts of an abstract and a concrete program. With shared names the default relation equates the variables."""
    own, theirs = ("x", "y"), rng.choice((("x", "y"), ("u", "v"), ("u", "v"), ("u", "v")))
    threads = [_thread(rng, f"T{n}", own, theirs) for n in (1, 2)]
    abstract = f"global {theirs[0]}, {theirs[1]} : 0..2 = 0; " + " ".join(first for first, _ in threads)
    concrete = "global m, s : 0..2 = 0; global x, y : 0..2 = 0; " + " ".join(second for _, second in threads)
    return abstract, concrete


def with_semaphore(text: str) -> str:
    """The program with a binary semaphore in place of the lock `m`."""
    declared = text.replace("global m, s : 0..2 = 0;", "global m : 0..1 = 1; global s : 0..2 = 0;")
    return declared.replace("unlock(m)", "release(m)").replace("lock(m)", "acquire(m)")


def with_attempts(text: str) -> str:
    """The program with a lock that is taken by attempts, which a flag tells the end of."""
    attempts = "got := false; while (!got) { got := cas(m, 0, 1); }"
    declared = text.replace("local a, b : 0..2 = 0;", "local a, b : 0..2 = 0; local got : bool = false;")
    return declared.replace("unlock(m);", "m := 0;").replace("lock(m);", attempts)


def with_owners(text: str) -> str:
    """The same, where the lock says who holds it."""
    first, second = with_attempts(text).split("thread T2")
    return f"{first}thread T2{second.replace('cas(m, 0, 1)', 'cas(m, 0, 2)')}"


def _thread(rng: Random, name: str, own: tuple[str, str], theirs: tuple[str, str]) -> tuple[str, str]:
    first, second = list[str](), list[str]()
    for _ in range(rng.randint(1, 2)):
        at_once, steps = _section(rng, own, theirs)
        first.append(at_once)
        second.append(steps)
    bodies = [" ".join(first), " ".join(second)]
    if rng.random() < 0.3:
        bodies = [f"while (true) {{ {body} }}" for body in bodies]
    one, other = (f"thread {name} {{ local a, b : 0..2 = 0; {body} }}" for body in bodies)
    return one, other


def _section(rng: Random, own: tuple[str, str], theirs: tuple[str, str]) -> tuple[str, str]:
    turned = rng.choice((1, -1))
    mine, other = own[::turned], theirs[::turned]
    shows = rng.random() < 0.5
    if shows:
        after = rng.random() < 0.5
        steps = [f"a := {mine[0]};", f"b := {mine[1]};", "@see(a, b) skip;"]
        at_once = f"@see({other[0]}, {other[1]}) skip;"
        if after:
            steps.append(f"{mine[0]} := 0;")
            at_once = f"@see({other[0]}, {other[1]}) {other[0]} := 0;"
    else:
        part = rng.choice(PARTS)
        steps = [s.format(*mine) for s in part.steps]
        at_once = "atomic { " + part.at_once.format(*other) + " }"
    if rng.random() < 0.2:
        steps.insert(0, "havoc b;")
    if not shows and rng.random() < 0.15:
        at_once = "skip;"
    return at_once, _guarded(rng, steps)


def _guarded(rng: Random, steps: list[str]) -> str:
    """The steps under a lock, under one by hand, in two sections, or without any."""
    body, half = " ".join(steps), len(steps) // 2
    match rng.choice(("lock", "lock", "lock", "lock", "by hand", "two", "none")):
        case "lock":
            return f"lock(m); {body} unlock(m);"
        case "by hand":
            return f"await s == 0 {{ s := 1; }} {body} s := 0;"
        case "two":
            return f"lock(m); {' '.join(steps[:half])} unlock(m); lock(m); {' '.join(steps[half:])} unlock(m);"
        case _:
            return body
