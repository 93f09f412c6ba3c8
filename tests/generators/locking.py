"""Random programs of two or three threads with locks, loops, waits, races, assertions and invariants, as texts.

All values are in small ranges, so that every program can be enumerated.
"""

from __future__ import annotations

from random import Random

#: Shared numbers, and locks: the last one is taken and given back by hand, and its value does not say by whom.
SHARED, LOCKS = ("x", "y"), ("m", "n", "s")


def random_program(rng: Random) -> str:
    """The text of a program."""
    count = rng.choice((2, 2, 2, 3))
    threads = [_thread(rng, f"T{n}", 4 if count == 2 else 2) for n in range(1, count + 1)]
    lines = [
        "global m, n, s : 0..3 = 0;",
        f"global x, y : 0..2 = {rng.randint(0, 1)};",
        *threads,
    ]
    if rng.random() < 0.6:
        lines.append(f"invariant it : {_claim(rng, count)};")
    return "\n".join(lines) + "\n"


def _claim(rng: Random, count: int) -> str:
    parts = [_test(rng, SHARED)]
    for n in range(1, count + 1):
        if rng.random() < 0.6:
            parts.append(f"at T{n}.{rng.choice(('exit', 'exit', 'here'))}")
    rng.shuffle(parts)
    return f"!({' && '.join(parts)})"


def _thread(rng: Random, name: str, size: int) -> str:
    body = [_statement(rng, size) for _ in range(rng.randint(1, size))]
    body.insert(rng.randint(0, len(body)), "here: skip;")
    text = " ".join(body)
    if rng.random() < 0.25:
        # It never ends, although it has an end.
        text = f"while (y < 3) {{ {text} }}"
    return f"thread {name} {{ local a, b : 0..2 = 0; {text} }}"


def _statement(rng: Random, size: int) -> str:
    """A statement; `size` bounds how deep it may be."""
    kind = rng.choice(("write", "read", "write", "assert", "section", "section", "section", "branch", "loop", "wait"))
    inner = size - 1
    if kind in ("section", "branch", "loop") and inner <= 0:
        kind = "write"
    match kind:
        case "write":
            return f"{rng.choice(SHARED)} := {_value(rng)};"
        case "read":
            return f"{rng.choice(('a', 'b'))} := {_value(rng)};"
        case "assert":
            return f"assert !({_test(rng, (*SHARED, 'a'))} && {_test(rng, (*SHARED, 'b'))});"
        case "wait":
            if rng.random() < 0.4:
                return f"havoc {rng.choice(('a', 'b'))};"
            return f"await {_test(rng, (*SHARED, 'a'))};"
        case "section":
            lock = rng.choice(LOCKS)
            body = _block(rng, inner)
            if lock == "s":
                return f"await s == 0 {{ s := 1; }} {body} s := 0;"
            return f"lock({lock}); {body} unlock({lock});"
        case "branch":
            if rng.random() < 0.3:
                return f"choose {{ {_block(rng, inner)} }} or {{ {_block(rng, inner)} }}"
            return f"if ({_test(rng, (*SHARED, 'a'))}) {{ {_block(rng, inner)} }}"
        case _:
            return f"while ({_test(rng, ('a', 'x'))}) {{ {_block(rng, inner)} a := (a + 1) % 3; }}"


def _block(rng: Random, size: int) -> str:
    return " ".join(_statement(rng, size) for _ in range(rng.randint(1, 2)))


def _test(rng: Random, names: tuple[str, ...]) -> str:
    return f"{rng.choice(names)} {rng.choice(('==', '!=', '<'))} {rng.randint(0, 2)}"


def _value(rng: Random) -> str:
    first = rng.choice((*SHARED, "a", "b"))
    return rng.choice((f"({first} + 1) % 3", f"{first}", f"{rng.randint(0, 2)}", f"({first} + {rng.choice('ab')}) % 3"))
