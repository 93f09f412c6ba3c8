"""Text that came from files and file names, made safe to show: no character in it is a command to the terminal."""

from __future__ import annotations

import re

# Control characters but for the newline, what is invisible or turns the direction of writing, separators of
# lines that are none to us, halves of characters (bytes of file names that are not UTF-8).
_OBEYED = (
    "\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
)
_ANY = re.compile(f"[{_OBEYED}]")
_COLOURS_OR_ANY = re.compile(f"(\x1b\\[[0-9;]*m)|[{_OBEYED}]")


def printable(text: str) -> str:
    """The text with a replacement character for each that a terminal would obey; newlines stay."""
    return _ANY.sub("\ufffd", text)


def printable_but_colours(text: str) -> str:
    """The same for a text that is already rendered: the colours in it stay too."""
    return _COLOURS_OR_ANY.sub(lambda found: found[1] or "\ufffd", text)


def escaped_json(text: str) -> str:
    """A JSON document with the same characters written as escapes."""
    return _ANY.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
