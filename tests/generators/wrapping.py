"""Random programs whose numbers wrap around after the last one of their range, with claims about their differences."""

from __future__ import annotations

from random import Random

#: The last value: the next one is 0. It is the least one that counts as large.
LAST = 16


def wrapping_program(rng: Random) -> str:
    """Two threads that count around, wait for each other and fill a ring of two places."""
    header = f"global h, t : 0..{LAST} = 0;\nglobal s : 0..{LAST}[2] = 0;\nglobal c : 0..3 = 0;\n"
    return header + "".join(_thread(rng, name) for name in "AB") + _claims(rng)


def more(variable: str, by: int = 1) -> str:
    """The variable and some, around its range."""
    return f"(if {variable} <= {LAST - by} then {variable} + {by} else {variable} + {by} - {LAST + 1})"


def apart(one: str, two: str) -> str:
    """How far the first is ahead of the second."""
    return f"(if {two} <= {one} then {one} - {two} else {one} - {two} + {LAST + 1})"


def _thread(rng: Random, name: str) -> str:
    body = " ".join(_statement(rng) for _ in range(rng.randint(2, 3)))
    return f"thread {name} {{ local m : 0..{LAST} = 0; while (true) {{ {body} }} }}\n"


def _statement(rng: Random) -> str:
    one, two = rng.sample("ht", 2)
    by, room = rng.choice((1, 1, 1, 2)), rng.randint(1, 3)
    plain = (
        f"{one} := {more(one, by)};",
        f"await {apart(one, two)} < {room} {{ {one} := {more(one, by)}; }}",
        f"await {one} != {two} {{ {two} := {more(two)}; }}",
        f"m := {one};",
        f"m := {more('m')};",
        f"await m == {two}; {one} := {more(one)};",
        f"s[{one} % 2] := m; m := {more('m')};",
        f"await {one} != {two}; assert s[{two} % 2] == m;",
        f"if ({one} == m) {{ {one} := {more('m', by)}; }}",
        f"if ({one} < {two}) {{ {one} := {two}; }}",
        f"assert {apart(one, two)} <= {room};",
        f"c := {one} % 3;",
    )
    return rng.choice(plain)


def _claims(rng: Random) -> str:
    one, two = rng.sample("ht", 2)
    said = (
        f"{apart(one, two)} <= {rng.randint(1, 3)}",
        f"{one} == {two}",
        f"{one} % 2 == {two} % 2",
        f"{one} <= {two} + 1",
        f"{apart(one, two)} != {rng.randint(2, 4)}",
        "c <= 2",
    )
    return "".join(f"invariant i{n} : {claim};\n" for n, claim in enumerate(rng.sample(said, 2)))
