"""Random programs whose numbers grow for ever while what matters of them are remainders and differences."""

from __future__ import annotations

from random import Random

HEADER = "global h, t, x : int = 0;\nglobal c : int = 0;\nglobal s : int[3] = 0;\n"


def growing_program(rng: Random) -> str:
    """Two or three threads that take tickets, fill rings and chase each other, with claims about where they are."""
    count = rng.choice((2, 2, 3))
    size, room = rng.choice((2, 3)), rng.randint(1, 3)
    bodies = "".join(_thread(rng, f"T{i}", size, room, 4 if count == 2 else 2) for i in range(count))
    return HEADER + bodies + _claims(rng, size, room)


def _thread(rng: Random, name: str, size: int, room: int, longest: int) -> str:
    body = " ".join(_statement(rng, size, room) for _ in range(rng.randint(2, longest)))
    return f"thread {name} {{ local m, k : int = 0; while (true) {{ {body} }} }}\n"


def _statement(rng: Random, size: int, room: int) -> str:
    one, two = rng.sample("htx", 2)
    plain = (
        f"{one} := {one} + 1;",
        f"await {one} < {two} {{ {one} := {one} + 1; }}",
        f"await {one} - {two} < {room} {{ {one} := {one} + 1; }}",
        f"await {two} < {one}; assert s[{two} % 3] >= 0; {two} := {two} + 1;",
        f"m := fetch_add({one}, 1); await {two} == m; c := c + 1; assert c <= {room}; c := c - 1; {two} := {two} + 1;",
        f"m := {one}; if (m % {size} == {two} % {size}) {{ {one} := m + {size}; }}",
        f"k := {one} % {size}; assert k <= {rng.randint(size - 2, size)};",
        f"atomic {{ if ({one} == {two}) {{ {one} := {one} + {rng.randint(1, 2)}; }} else {{ {two} := {one}; }} }}",
        f"s[{one} % 3] := {two} % {size}; {one} := {one} + 1;",
        f"{one} := {two} - {rng.randint(-1, 1)};",
        f"if ({one} - {two} >= {room}) {{ {two} := {one}; }}",
        f"k := (k + 1) % {size}; {one} := {one} + {size};",
    )
    return rng.choice(plain)


def _claims(rng: Random, size: int, room: int) -> str:
    one, two = rng.sample("htx", 2)
    said = (
        f"{one} - {two} <= {room}",
        f"{one} <= {two}",
        f"({one} - {two}) % {size} == 0",
        f"{one} % {size} == {rng.randrange(size)} ==> {two} >= {one} - {room}",
        f"c <= {room}",
        f"s[0] < {size}",
        f"s[{rng.randrange(3)}] <= s[{rng.randrange(3)}]",
        f"{one} % {size} == 0",
    )
    chosen = rng.sample(said, 2)
    return "".join(f"invariant i{n} : {claim};\n" for n, claim in enumerate(chosen))
