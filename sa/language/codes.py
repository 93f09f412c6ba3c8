"""The catalogue of codes: what every error and warning means, at length. `sacheck explain CODE` prints it.

SA0xx reading, SA1xx names, SA2xx types, SA3xx well-formedness, SA4xx refinements and goals,
SA5xx vacuity, SA6xx proof scripts, SA7xx C and LLVM IR, SA9xx use of the commands. They stand in `codes.txt`, each with
its title on a line; below it, indented, the explanation, and behind bars an example.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files

from msgspec import Struct


class Explanation(Struct, frozen=True):
    """What a code means: a title, a paragraph with the way out, and a text that has the mistake.

    An example of several files has a comment with its name before each of them.
    """

    title: str
    text: str
    example: str = ""


def _entries() -> Iterator[tuple[str, Explanation]]:
    catalogue = (files("sa.language") / "codes.txt").read_text(encoding="utf-8")
    for code, title, text, example in re.findall(
        r"^(SA\d+) (.*)\n((?:    [^|].*\n)+)((?:    \|.*\n)*)", catalogue, re.MULTILINE
    ):
        lines = (line[6:] for line in example.splitlines())
        yield code, Explanation(title, " ".join(text.split()), "\n".join(lines))


CATALOGUE: Mapping[str, Explanation] = dict(_entries())


def explanation(code: str) -> Explanation | None:
    """What is known of a code, upper or lower case."""
    return CATALOGUE.get(code.upper())
