"""Texts that nobody would write: mutated specs and programs, soups of tokens, bytes.

The same seed gives the same text. Most texts are nearly right, since what is rejected at the first token tells little.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

from msgspec import Struct

from sa.base.source import Source
from sa.language.reading.keywords import keywords
from sa.language.tokens import lexemes
from tests.generators.programs import random_program

SPECS = Path(__file__).parents[2] / "specs"
FILES = tuple(sorted(p.relative_to(SPECS) for p in SPECS.rglob("*.sa")))
SCRIPTS = tuple(p for p in FILES if re.search(r"^(lemma|theorem) ", (SPECS / p).read_text(), re.MULTILINE))

SYMBOLS = "( ) { } [ ] ; : , . .. := = == < <= && || ==> <==> ! - + * / % ' @ :: -> x y T 0 1 7 # /*".split()  # noqa: SIM905
WORDS = (*SYMBOLS, '"a"', *sorted(keywords()))
NUMBERS = ("0", "1", "-1", "2", "150", str(2**31), str(2**63), str(2**64), str(2**64 + 1), "9" * 999, "9" * 1001)
#: Characters that terminals obey, that look like others, that are no text.
STRANGE = ("\x00", "\x07", "\x1b[2J", "\x1b]0;t\x07", "\r", "\x85", "\u2028", "\u202e", "\ufeff", "\U0001f600", "é")


class Input(Struct, frozen=True):
    """The bytes of a file, and the spec in whose place it stands, None where there is none."""

    data: bytes
    place: Path | None = None


def random_input(random: Random) -> Input:
    """An input of one of the kinds below."""
    kind = random.choices(tuple(KINDS), tuple(KINDS.values()))[0]
    return kind(random)


def _pieces(text: str) -> list[str]:
    return [piece.text for piece in lexemes(Source("text.sa", text)) if not piece.kind.endswith("comment")]


def _spec(random: Random) -> tuple[Path, str]:
    place = random.choice(FILES)
    return place, (SPECS / place).read_text(encoding="utf-8")


def _any_text(random: Random) -> tuple[Path | None, str]:
    """A spec or a random program, small ones preferred."""
    if random.random() < 0.35:
        return None, random_program(random.randrange(10_000), random.choice((1, 1, 2)))
    if SCRIPTS and random.random() < 0.15:
        place = random.choice(SCRIPTS)
        return place, (SPECS / place).read_text(encoding="utf-8")
    return min((_spec(random) for _ in range(3)), key=lambda found: len(found[1]))


def _tokens_mutated(random: Random) -> Input:
    """Some tokens dropped, doubled, exchanged or replaced."""
    place, text = _any_text(random)
    words = _pieces(text)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        here, other = random.randrange(len(words)), random.randrange(len(words))
        match random.randrange(6):
            case 0:
                del words[here]
            case 1:
                words.insert(here, words[other])
            case 2:
                words[here], words[other] = words[other], words[here]
            case 3:
                words[here] = random.choice(WORDS)
            case _:
                words[here] = words[other]
        if not words:
            break
    return Input(" ".join(words).encode(), place)


def _renamed(random: Random) -> Input:
    """Names replaced by other names of the text: it stays a text, with another meaning or none."""
    place, text = _any_text(random)
    words = _pieces(text)
    names = [i for i, w in enumerate(words) if w.isidentifier() and w not in keywords()]
    for i in random.sample(names, min(len(names), random.choice((1, 1, 2, 3)))):
        words[i] = words[random.choice(names)]
    return Input(" ".join(words).encode(), place)


def _operators_exchanged(random: Random) -> Input:
    """Operators replaced by operators that stand where they stand."""
    place, text = _any_text(random)
    groups = (("==", "!=", "<", "<=", ">", ">="), ("+", "-", "*", "/", "%"), ("&&", "||", "==>", "<==>"))
    words = _pieces(text)
    found = [(i, group) for i, w in enumerate(words) for group in groups if w in group]
    for i, group in random.sample(found, min(len(found), random.choice((1, 1, 2, 4)))):
        words[i] = random.choice(group)
    return Input(" ".join(words).encode(), place)


def _numbers_exchanged(random: Random) -> Input:
    """Numbers replaced by others, large ones too."""
    place, text = _any_text(random)
    numbers = [m.span() for m in re.finditer(r"\b\d+\b", text)]
    for start, end in sorted(random.sample(numbers, min(len(numbers), random.choice((1, 1, 3)))), reverse=True):
        text = text[:start] + random.choice((*NUMBERS, str(random.randrange(20)))) + text[end:]
    return Input(text.encode(), place)


def _chunk(random: Random, words: list[str]) -> tuple[int, int]:
    """A range of tokens that ends with a semicolon or a closed brace and is balanced, or any range."""
    start = random.randrange(len(words))
    depth = 0
    for end in range(start, min(len(words), start + 80)):
        depth += (words[end] in "({[") - (words[end] in ")}]")
        if depth < 0:
            break
        if depth == 0 and words[end] in (";", "}"):
            return start, end + 1
    return start, min(len(words), start + random.randrange(1, 8))


def _spliced(random: Random) -> Input:
    """A statement or declaration of one text in the place of one of another."""
    place, text = _any_text(random)
    words, others = _pieces(text), _pieces(_any_text(random)[1])
    for _ in range(random.choice((1, 1, 2))):
        if not words:
            break
        (a, b), (c, d) = _chunk(random, words), _chunk(random, others)
        words[a : b if random.random() < 0.5 else a] = others[c:d]
    return Input(" ".join(words).encode(), place)


def _truncated(random: Random) -> Input:
    place, text = _any_text(random)
    start = random.randrange(len(text)) if random.random() < 0.3 else 0
    return Input(text[start : random.randrange(len(text) + 1)].encode(), place)


def _strange_characters(random: Random) -> Input:
    """What terminals obey, what is invisible, what is no text, anywhere."""
    place, text = _any_text(random)
    for _ in range(random.choice((1, 2, 5))):
        here = random.randrange(len(text) + 1)
        text = text[:here] + random.choice(STRANGE) + text[here:]
    data = text.encode()
    if random.random() < 0.2:
        here = random.randrange(len(data))
        data = data[:here] + random.randbytes(random.randrange(1, 4)) + data[here + 1 :]
    return Input(data, place)


def _soup(random: Random) -> Input:
    return Input(" ".join(random.choices(WORDS, k=random.randrange(60))).encode())


def _bytes(random: Random) -> Input:
    return Input(random.randbytes(random.randrange(200)))


def _nested(random: Random) -> Input:
    """One construct inside of itself, close to the cap and far beyond it."""
    before, inside, after = random.choice(
        (
            ("(", "x", ")"),
            ("-", "x", ""),
            ("!", "x == 1", ""),
            ("if x > 0 then ", "x", " else 0"),
            ("x * (x + ", "1", ")"),
            ("(x == 1 && (x == 2 || ", "x == 3", "))"),
        )
    )
    depth = random.choice((10, 70, 140, 149, 151, 300, 2000))
    expression = before * depth + inside + after * depth
    statement = random.choice(("x := {};", "assume {};", "assert {};", "if ({}) {{ skip; }}", "await {};"))
    text = f"global x : int = 0;\nthread T {{ {statement.format(expression)} }}\n"
    return Input(text.encode())


#: The kinds with their weights.
KINDS: dict[Callable[[Random], Input], int] = {
    _tokens_mutated: 30,
    _renamed: 12,
    _operators_exchanged: 10,
    _numbers_exchanged: 8,
    _spliced: 15,
    _truncated: 8,
    _strange_characters: 8,
    _soup: 5,
    _bytes: 2,
    _nested: 2,
}
