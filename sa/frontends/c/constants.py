"""Literals and constant expressions."""

from __future__ import annotations

import re

from pycparser import c_ast

from sa.frontends.c.types import CHAR, INT, UINT, ULONG, Int
from sa.frontends.c.types import LONG as LONG_TYPE
from sa.frontends.c.values import Unsupported

_ESCAPES = {
    "n": 10,
    "t": 9,
    "0": 0,
    "r": 13,
    "\\": 92,
    "'": 39,
    '"': 34,
    "a": 7,
    "b": 8,
    "f": 12,
    "v": 11,
    "?": 63,
    "e": 27,
}


def literal(node: c_ast.Constant) -> tuple[int, Int]:
    """The value and type of an integer or character literal (C11 6.4.4.1). Raises Unsupported."""
    if "'" in node.value:
        inside = characters(node.value[node.value.index("'") + 1 : -1])
        if len(inside) != 1:
            raise Unsupported("SA710", f"`{node.value}` is not accepted", "write one character")
        return inside[0], INT
    if "int" not in node.type:
        raise Unsupported("SA710", f"`{node.value}` is not accepted", "only integers are")
    digits = node.value.lower()
    suffix = digits[len(digits.rstrip("ul")) :]
    digits = digits.removesuffix(suffix)
    decimal = not digits.startswith("0") or digits == "0"
    if digits.startswith("0x"):
        value = int(digits, 16)
    elif digits.startswith("0b"):
        value = int(digits, 2)
    else:
        value = int(digits, 10 if decimal else 8)
    kinds = [INT, UINT, LONG_TYPE, ULONG]
    if "u" in suffix:
        kinds = [UINT, ULONG]
    elif decimal:
        kinds = [INT, LONG_TYPE]
    if "l" in suffix:
        kinds = [k for k in kinds if k.bits == 64]
    for kind in kinds:
        if value < 2 ** (kind.bits - kind.signed):
            return value, kind
    raise Unsupported("SA710", f"`{node.value}` is too large")


def letters_of(node: c_ast.Constant) -> list[int]:
    """The values of the characters of a string literal, of all its parts, without the 0 at the end."""
    parts = _PART.findall(node.value)
    return [c for part in parts if part for c in characters(part)]


#: What is between the quotes of a part of a string literal: a backslash takes the next character with it.
_PART = re.compile(r'"((?:[^"\\]|\\.)*)"')


def characters(text: str) -> list[int]:
    """The values of the characters of a literal without its quotes."""
    result, here = list[int](), 0
    while here < len(text):
        if text[here] != "\\":
            result += [b if b < 128 else b - 256 for b in text[here].encode()]
            here += 1
            continue
        letter = text[here + 1]
        if letter == "x":
            end = here + 2
            while end < len(text) and text[end] in "0123456789abcdefABCDEF":
                end += 1
            result.append(_signed(int(text[here + 2 : end], 16)))
        elif letter in "01234567":
            end = here + 1
            while end < len(text) and end < here + 4 and text[end] in "01234567":
                end += 1
            result.append(_signed(int(text[here + 1 : end], 8)))
        else:
            end = here + 2
            result.append(_ESCAPES.get(letter, ord(letter)))
        here = end
    return result or [0]


def _signed(value: int) -> int:
    value %= 256
    return value if value < 2 ** (CHAR.bits - 1) else value - 256
