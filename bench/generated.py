"""Generated threads of any length and transformed copies of them, correct or wrong by construction.

A thread is a row of pieces, each of a few statements over a fixed set of variables: `g0..g2` shared and
protected by the rely, `h0..h2` shared and free, `l0..l5` local. Three kinds of pieces are transformed in
the copy: independent local statements change places, a constant is folded, a local computation is hoisted
out of its loop. The pieces come in shuffled rounds, so every kind is spread evenly over the program.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

PROTECTED = ("g0", "g1", "g2")
FREE = ("h0", "h1", "h2")
LOCALS = ("l0", "l1", "l2", "l3", "l4", "l5")


@dataclass(frozen=True, slots=True)
class Piece:
    """Some statements of the source and what the target has in their place. `size` counts the source's."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    size: int


def same(*lines: str, size: int) -> Piece:
    """A piece that is not transformed."""
    return Piece(lines, lines, size)


def shared_write(rng: random.Random) -> Piece:
    """A shared variable is written from itself or from a local."""
    place = rng.choice(PROTECTED + FREE)
    return same(f"{place} := {rng.choice((place, *LOCALS))} + {rng.randint(2, 9)};", size=1)


def shared_read(rng: random.Random) -> Piece:
    """A local is written from a shared variable."""
    return same(f"{rng.choice(LOCALS)} := {rng.choice(PROTECTED + FREE)} - {rng.randint(1, 9)};", size=1)


def visible(rng: random.Random) -> Piece:
    """A visible action that shows a local."""
    return same(f"@show({rng.choice(LOCALS)}) skip;", size=1)


def reordered(rng: random.Random) -> Piece:
    """Two local assignments of which neither reads what the other writes; the target exchanges them."""
    one, two, *others = rng.sample(LOCALS, 4)
    first, second = f"{one} := {others[0]} + {rng.randint(1, 9)};", f"{two} := {two} - {others[1]};"
    return Piece((first, second), (second, first), 2)


def folded(rng: random.Random) -> Piece:
    """A constant that is added to another one; the target has the sum."""
    one, two = rng.sample(LOCALS, 2)
    low, more = rng.randint(1, 9), rng.randint(1, 9)
    return Piece((f"{one} := {low};", f"{two} := {one} + {more};"), (f"{one} := {low};", f"{two} := {low + more};"), 2)


def hoisted(rng: random.Random) -> Piece:
    """A counted loop that computes the same local value in every round; the target computes it once before."""
    fixed, sum_ = rng.sample(LOCALS, 2)
    place, start = rng.choice(FREE), f"t := {fixed} + {rng.randint(1, 9)};"
    body = (f"  {sum_} := {sum_} + t;", f"  {place} := {place} + t;", "  c := c + 1;", "}")
    head = f"while (c < {rng.randint(2, 4)}) {{"
    return Piece(("c := 0;", head, "  " + start, *body), ("c := 0;", start, head, *body), 6)


def branch(rng: random.Random) -> Piece:
    """A branch on a shared variable, with local assignments that the target exchanges in one arm."""
    inner, place = reordered(rng), rng.choice(FREE)
    test, other = rng.sample(LOCALS, 2)

    def arms(lines: tuple[str, ...]) -> tuple[str, ...]:
        indented = tuple("  " + line for line in lines)
        return (f"if ({test} > {place}) {{", *indented, "} else {", f"  {place} := {other} + 2;", "}")

    return Piece(arms(inner.source), arms(inner.target), 2 + inner.size)


def shared_loop(rng: random.Random) -> Piece:
    """A loop up to a bound that others may move."""
    count, place = rng.choice(LOCALS), rng.choice(PROTECTED)
    return same(
        f"while ({count} < {rng.choice(FREE)}) {{",
        f"  {count} := {count} + 1;",
        f"  {place} := {place} + 1;",
        "}",
        size=3,
    )


ROUND: tuple[Callable[[random.Random], Piece], ...] = (
    shared_write,
    shared_write,
    shared_read,
    shared_read,
    reordered,
    folded,
    hoisted,
    branch,
    shared_loop,
    visible,
)


def pieces_of(statements: int, rng: random.Random) -> list[Piece]:
    """Pieces with exactly `statements` statements together."""
    pieces: list[Piece] = []
    left = statements
    while left > 0:
        for make in rng.sample(ROUND, len(ROUND)):
            piece = make(rng)
            if piece.size <= left:
                pieces.append(piece)
                left -= piece.size
    return pieces


def wrong(rng: random.Random) -> Piece:
    """A shared variable grows by one too much in the target, between two actions that show it."""
    place, step = rng.choice(PROTECTED), rng.randint(2, 9)

    def lines(amount: int) -> tuple[str, ...]:
        return (f"@before({place}) skip;", f"{place} := {place} + {amount};", f"@after({place}) skip;")

    return Piece(lines(step), lines(step + 1), 3)


def module(title: str, lines: list[str], verdict: str | None) -> str:
    """The text of a file with one open thread."""
    return "\n".join(
        (
            f"// {title}",
            "",
            f"global {', '.join(PROTECTED + FREE)} : int;",
            "",
            "thread Main {",
            f"  rely unchanged {', '.join(PROTECTED)};",
            f"  local {', '.join(LOCALS)} : int = 0;",
            "  local c, t : int = 0;",
            *("  " + line for line in lines),
            "}",
            *(("", f"expect {verdict};") if verdict else ()),
            "",
        )
    )


def pair_of(pieces: list[Piece], title: str, verdict: str) -> tuple[str, str]:
    """The texts of source and target."""
    source = [line for piece in pieces for line in piece.source]
    target = [line for piece in pieces for line in piece.target]
    return module(f"{title}: source.", source, None), module(f"{title}: target.", target, verdict)


def generated_pair(n: int, seed: int) -> tuple[str, str]:
    """A thread of `n` statements and a correct transformation of it, as texts: abstract, concrete."""
    return pair_of(pieces_of(n, random.Random(seed)), f"{n} generated statements, seed {seed}", "proved")


def broken_pair(n: int, seed: int) -> tuple[str, str]:
    """As `generated_pair`, with one wrong constant in the middle of the target: abstract, concrete."""
    rng = random.Random(seed)
    pieces = pieces_of(n - 3, rng)
    pieces.insert(len(pieces) // 2, wrong(rng))
    return pair_of(pieces, f"{n} generated statements, seed {seed}, one wrong constant", "refuted")
