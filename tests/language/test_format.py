"""The formatter changes nothing but the layout, and that only once."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from sa.base.diagnostic import InputError
from sa.base.source import Source
from sa.language.format import WIDTH, format_source
from sa.language.parser import parse
from sa.language.tokens import lexemes
from tests.generators.programs import random_program
from tests.parts import for_each

ROOT = Path(__file__).parents[2]
SPECS = sorted((ROOT / "specs").rglob("*.sa"))


def formatted(text: str) -> str:
    return format_source(Source("text.sa", text))


def pieces(text: str) -> list[str]:
    """Tokens and comments, without blanks inside."""
    return [re.sub(r"\s+", " ", piece.text) for piece in lexemes(Source("text.sa", text))]


def check(text: str) -> None:
    once = formatted(text)
    assert formatted(once) == once
    assert parse(Source("a", once)) == parse(Source("b", text))
    assert pieces(once) == pieces(text)


@for_each("path", SPECS)
def test_specs_keep_their_meaning_and_stay_as_they_are_the_second_time(path: Path) -> None:
    check(path.read_text(encoding="utf-8"))


def scattered(text: str, random: Random) -> str:
    """The same tokens with other blanks, line ends and comments between them."""
    blanks = [
        " ",
        "  ",
        "\n",
        "\n\n\n",
        "\t",
        " // remark\n",
        "/* remark */",
        "\n/* two\n  lines */\n",
        "\n  // own line\n",
    ]
    weights = [30, 5, 10, 3, 2, 3, 3, 1, 3]
    words = pieces(text)
    return "".join(word + random.choices(blanks, weights)[0] for word in words)


@for_each("seed", range(60))
def test_any_layout_of_a_program_is_formatted_once_and_for_all(seed: int) -> None:
    check(scattered(random_program(seed), Random(seed)))


def test_blanks_stand_where_one_expects_them() -> None:
    text = "global x:int[2]=-1;thread T[i:1..3]{CS:@p(x,-1)x[0]:=(x[1]+1)*-2;if(*){x[0]:=x[1]-1;}else{skip;}}"
    assert formatted(text) == (
        "global x : int[2] = -1;\n"
        "thread T[i : 1..3] {\n"
        "  CS: @p(x, -1) x[0] := (x[1] + 1) * -2;\n"
        "  if (*) { x[0] := x[1] - 1; } else { skip; }\n"
        "}\n"
    )


def test_a_block_stays_on_its_line_if_it_fits() -> None:
    short = "thread T { skip; }\n"
    long = f"thread T {{ {'skip; ' * (WIDTH // 6)}}}\n"
    assert formatted(short) == short
    assert max(len(line) for line in formatted(long).splitlines()) <= WIDTH


def test_one_blank_line_stays_and_line_breaks_inside_of_a_statement_are_indented() -> None:
    assert formatted("const A = 1;\n\n\n\nconst B = A\n+ 1;") == "const A = 1;\n\nconst B = A\n    + 1;\n"


def test_a_text_with_syntax_errors_is_not_touched() -> None:
    with pytest.raises(InputError):
        formatted("thread T { x := ; }")


def test_braces_around_values_and_angles_of_types_are_set_like_parentheses() -> None:
    text = "global a:int[2]={ 1 ,2 };\nglobal q:seq < 0..9,4 > ={ };\nthread T { a := { 2,1 }; if (seq<q) { skip; } }\n"
    assert format_source(Source("a.sa", text)) == (
        "global a : int[2] = {1, 2};\nglobal q : seq<0..9, 4> = {};\nthread T { a := {2, 1}; if (seq < q) { skip; } }\n"
    )
