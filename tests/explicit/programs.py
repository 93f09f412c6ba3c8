"""Random small programs whose threads partly keep out of each other's way, so that there is something to reduce."""

from __future__ import annotations

from random import Random

HEADER = """global x, y, z : 0..2 = 0;
global b : bool = false;
global c : 0..2;
"""


def random_program(rng: Random) -> str:
    """Threads over a few shared variables; most of their steps touch locals or few of these."""
    count = rng.choice((2, 2, 3))
    return HEADER + "".join(_thread(rng, f"T{i}", 4 if count == 2 else 3) for i in range(count)) + _claims(rng, count)


def _thread(rng: Random, name: str, size: int) -> str:
    shared = rng.sample("xyz", rng.choice((1, 1, 2)))
    body = " ".join(_statement(rng, shared, size - 1) for _ in range(rng.randint(2, size)))
    return f"thread {name} {{ local t : 0..2 = {rng.randint(0, 2)}; local u : 0..1; {body} End: skip; }}\n"


def _statement(rng: Random, shared: list[str], depth: int) -> str:
    v = rng.choice(shared)
    plain = (
        f"{v} := ({v} + 1) % 3;",
        f"t := {v};",
        f"{v} := t;",
        "t := (t + 1) % 3;",
        "t := u + 1;",
        "havoc u;",
        "b := true;",
        f"await {v} == t;",
        "await b;",
        "assume t != 1;",
        f"assert {v} <= t || b;",
        "assert t + u < 3;",
        f"atomic {{ t := {v}; {v} := (t + u) % 3; }}",
        "t := c;",
    )
    if depth > 0 and rng.random() < 0.3:
        inner = _statement(rng, shared, depth - 1)
        return rng.choice(
            (
                f"while (t < 2) {{ {inner} t := t + 1; }}",
                f"while (*) {{ {inner} }}",
                f"if (u == 0) {{ {inner} }} else {{ skip; }}",
                f"choose {{ {inner} }} or {{ u := 0; }}",
                "while (true) { skip; }",
            )
        )
    return rng.choice(plain)


def _claims(rng: Random, threads: int) -> str:
    parts = [f"x != {rng.randint(0, 2)}", f"y != {rng.randint(0, 2)}", f"z + y < {rng.randint(2, 4)}", "!b"]
    parts += [f"!(at T{rng.randrange(threads)}.End)" for _ in range(2)]
    said = " || ".join(rng.sample(parts, rng.randint(1, 3)))
    return f"invariant said : {said};\n"
