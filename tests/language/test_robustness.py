"""No text, however broken, ends in anything but an answer or coded errors; large ones end soon."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from sa.base.diagnostic import InputError
from sa.base.source import Source
from sa.language.codes import CATALOGUE
from sa.language.elaborate import elaborate
from sa.language.format import format_source
from sa.language.nesting import MAX_DEPTH
from sa.language.parser import parse
from sa.language.reading.keywords import keywords
from sa.language.tokens import lexemes
from sa.language.unparse import show_program
from tests.generators.programs import random_program
from tests.parts import for_each

SPECS = sorted((Path(__file__).parents[2] / "specs").rglob("*.sa"))
SYMBOLS = """( ) { } [ ] ; : , . .. := = == < <= && || ==> ! - + * / % ' @ :: -> x y T 0 1 7 "a" # /*""".split()  # noqa: SIM905


def survives(text: str) -> bool:
    """Read, elaborate, print and format a text; whether it was a program. Anything but InputError gets out."""
    source = Source("soup.sa", text)
    try:
        result = elaborate(parse(source), {})
        show_program(result.program)
        elaborate(parse(source), {}, split=True)
        format_source(source)
    except InputError as wrong:
        problems = wrong.diagnostics
    else:
        return True
    assert problems
    assert {d.code for d in problems} <= set(CATALOGUE)
    return False


@for_each("seed", range(150))
def test_a_soup_of_tokens_is_answered(seed: int) -> None:
    random = Random(seed)
    words = [*SYMBOLS, *sorted(keywords())]
    survives(" ".join(random.choices(words, k=random.randrange(1, 60))))


def mutated(text: str, random: Random) -> str:
    """A text with some tokens dropped, doubled, exchanged or replaced by others of its own."""
    words = [piece.text for piece in lexemes(Source("text.sa", text)) if not piece.kind.endswith("comment")]
    for _ in range(random.randrange(1, 4)):
        place, other = random.randrange(len(words)), random.randrange(len(words))
        match random.randrange(4):
            case 0:
                del words[place]
            case 1:
                words.insert(place, words[place])
            case 2:
                words[place], words[other] = words[other], words[place]
            case _:
                words[place] = words[other]
    return " ".join(words)


@for_each("seed", range(300))
def test_a_mutated_program_is_answered(seed: int) -> None:
    random = Random(seed)
    text = random.choice(SPECS).read_text(encoding="utf-8") if seed % 3 == 0 else random_program(seed)
    survives(mutated(text, random))


@for_each("seed", range(100))
def test_a_truncated_program_is_answered(seed: int) -> None:
    text = random_program(seed)
    survives(text[: Random(seed).randrange(len(text))])


DEEP = {
    "parentheses": "thread T { assume " + "(" * 5000 + "true" + ")" * 5000 + "; }",
    "negations": "thread T { assume " + "!" * 5000 + "true; }",
    "indices": "global f : int[2]; thread T { f[0] := " + "f[" * 5000 + "0" + "]" * 5000 + "; }",
    "conditionals": "global x : int; thread T { x := " + "if true then 1 else " * 5000 + "1; }",
    "blocks": "thread T { " + "while (true) { " * 5000 + "}" * 5000 + " }",
    "atomics": "thread T { " + "atomic { " * 5000 + "}" * 5000 + " }",
    "alternations": "global b : bool; thread T { assume " + "(b && (b || " * 2500 + "b" + "))" * 2500 + "; }",
    "open brackets": "thread T { x := " + "(" * 100_000,
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_deep_nesting_is_answered(text: str) -> None:
    survives(text)


NESTED = {
    "negations": "global x : int; thread T { x := " + "-" * (MAX_DEPTH - 5) + "1; }",
    "blocks": "global b : bool; thread T { " + "while (b) { " * 70 + "skip;" + "}" * 70 + " }",
    "conditionals": "global x : int; thread T { x := " + "if x > 0 then 1 else " * (MAX_DEPTH - 8) + "1; }",
    "atomic ifs": "global x : int; thread T { atomic { " + "if (x > 0) { " * 30 + "skip; " + "}" * 30 + " } }",
}


@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED.keys())
def test_nesting_up_to_the_cap_is_fine(text: str) -> None:
    assert survives(text)


def test_long_sums_conjunctions_and_chains_of_else_if_are_not_nesting() -> None:
    assert survives("global x : int; thread T { x := " + "x + " * 6_000 + "x; }")
    assert survives("global x : int; thread T { assume " + "x > 0 && " * 2_000 + "x > 1; }")
    for joined in ("x + y > {} && ", "x == {} || ", "x > {} ==> "):
        chain = "".join(joined.format(i) for i in range(2_000))
        assert survives(f"global x, y : int; thread T {{ assume {chain} x > 1; }}")
    assert survives("global x : int; thread T { " + "if (x == 1) { skip; } else " * 2_000 + "{ skip; } }")


def test_thousands_of_variables_are_read_soon() -> None:
    started = time.process_time()
    assert survives("global " + ", ".join(f"x{i}" for i in range(10_000)) + " : int; thread T { x0 := x9999; }")
    assert time.process_time() - started < 20


def large(lines: int) -> str:
    """A program of so many lines."""
    body = "".join(
        f"  x := x + {i} * y;\n  if (x < n && y == {i}) {{\n    t := (x + y) - 1;\n  }}\n  y := t;\n"
        for i in range(lines // 5)
    )
    return f"global x, y, n : int = 0;\nthread T {{\n  local t : int = 0;\n{body}}}\n"


@pytest.mark.parametrize("lines", [20_000, pytest.param(100_000, marks=pytest.mark.fuzz)])
@pytest.mark.parametrize("text_of", [large, "thread T {\n".__mul__, "x\n".__mul__], ids=["program", "open", "soup"])
def test_a_hundred_thousand_lines_are_read_or_rejected_in_a_minute(text_of: Callable[[int], str], lines: int) -> None:
    started = time.process_time()
    with suppress(InputError):
        elaborate(parse(Source("large.sa", text_of(lines))), {})
    assert time.process_time() - started < 60 * lines / 100_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1_500_000
