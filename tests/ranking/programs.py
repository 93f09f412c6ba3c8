"""Small random programs with finitely many states, as texts, and what they may claim of their infinite runs."""

from __future__ import annotations

from random import Random

_TESTS = ("x < 2", "x == 0", "y > 0", "b", "!b", "x != y", "y == x + 1", "i < 2", "i == x", "x + y <= 3", "m == 0")
_STEPS = (
    "x := 0;",
    "x := y;",
    "y := 1;",
    "b := !b;",
    "b := true;",
    "b := false;",
    "skip;",
    "havoc b;",
    "i := 0;",
    "havoc i;",
    "atomic { if (x < 3) { x := x + 1; } }",
    "atomic { if (y > 0) { y := y - 1; } }",
    "atomic { if (i < 3) { i := i + 1; } }",
    "atomic { assume i > 0; i := i - 1; }",
    "await x > 0 { x := x - 1; }",
    "lock(m);",
    "unlock(m);",
)
_CLAIMS = ("x == 2", "b", "!b", "y == 0", "at A.L", "at B.L", "A.i == 2", "x == y", "m == 0", "true")


def statement(dice: Random, depth: int) -> str:
    """A statement with at most so many levels of blocks."""
    kind = dice.random()
    if depth and kind < 0.3:
        return f"while ({dice.choice((*_TESTS, '*', 'true'))}) {{ {_block(dice, depth - 1)} }}"
    if depth and kind < 0.4:
        test = dice.choice((*_TESTS, "*"))
        return f"if ({test}) {{ {_block(dice, depth - 1)} }} else {{ {_block(dice, depth - 1)} }}"
    if depth and kind < 0.5:
        return f"choose {{ {_block(dice, depth - 1)} }} or {{ {_block(dice, depth - 1)} }}"
    if kind < 0.62:
        return f"await {dice.choice(_TESTS)};"
    return dice.choice(_STEPS)


def _block(dice: Random, depth: int) -> str:
    return " ".join(statement(dice, depth) for _ in range(dice.randint(1, 3)))


def program(seed: int) -> str:
    """A program of one to three threads."""
    dice = Random(seed)
    names = "ABC"[: dice.choice((1, 2, 2, 2, 3))]
    claims = ["terminates;", "progress;"]
    usable = [c for c in _CLAIMS if not c.startswith("at B") or "B" in names]
    claims += [f"leads {dice.choice(usable)} ~> {dice.choice(usable)};" for _ in range(2)]
    if dice.random() < 0.5:
        claims.append("fair;")
    lines = ["global x, y : 0..3 = 0;", "global b : bool = false;", f"global m : 0..{len(names)} = 0;"]
    for name in names:
        own = "terminates; " if dice.random() < 0.4 else ""
        lines.append(f"thread {name} {{ {own}local i : 0..3 = {dice.choice((0, 2))}; {_block(dice, 2)} L: skip; }}")
    return "\n".join((*lines, *claims))
