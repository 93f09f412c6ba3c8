"""One layout for `.sa` texts. Only blanks and line ends change: tokens and comments stay as they are.

A block that was written on one line stays there if it fits; line breaks inside of a statement stay,
indented; one blank line stays where there were any. So formatting twice changes nothing more.
"""

from __future__ import annotations

from msgspec import Struct, field

from sa.base.source import Source
from sa.language.parser import parse
from sa.language.reading.keywords import keywords
from sa.language.tokens import Lexeme, lexemes

#: Blocks on one line may not make it longer.
WIDTH = 100

_INDENT, _CONTINUED = "  ", "    "
_CALLS = frozenset({"cas", "fetch_add", "exchange", "lock", "unlock"})
_TIGHT_BEFORE = frozenset({";", ",", ")", "]", ".", ".."})
_TIGHT_AFTER = frozenset({"(", "[", ".", "@", "!", ".."})
_VALUES = frozenset({")", "]", "true", "false"})


class Piece(Struct, frozen=True):
    """A token or comment. `breaks` are the line ends in front of it; `names` is the colon behind a statement's
    name; `called` is a word that a parenthesis may follow at once; `bracket` is a brace around values or an angle of a
    type, which are set like parentheses.
    """

    lexeme: Lexeme
    breaks: int
    unary: bool
    names: bool
    called: bool
    bracket: bool


class Layout(Struct):
    """The text so far. `fresh` says that the next piece starts a statement; `flat` where a one-line block ends."""

    lines: list[str] = field(default_factory=list)
    line: str = ""
    depth: int = 0
    fresh: bool = True
    flat: int = -1


def format_source(source: Source) -> str:
    """The text in the one layout. Raises InputError if it has syntax errors."""
    parse(source)
    pieces = _pieces(source)
    closing = _closing(pieces)
    layout = Layout()
    for position in range(len(pieces)):
        _place(position, pieces, closing, layout)
    _end_line(layout)
    return "".join(line + "\n" for line in layout.lines)


def _pieces(source: Source) -> list[Piece]:
    text = source.text
    result = list[Piece]()
    end, words, reserved, opened = 0, list[str](), keywords(), list[bool]()
    angle = False
    for lexeme in lexemes(source):
        breaks = text.count("\n", end, lexeme.start)
        end = lexeme.start + len(lexeme.text)
        before = words[-1] if words else ""
        unary = lexeme.text == "-" and not _is_value(before, reserved)
        named = lexeme.text == ":" and len(words) > 1 and words[-2] in ("{", ";", "}")
        called = lexeme.kind == "word" and (lexeme.text not in reserved or lexeme.text in _CALLS)
        bracket = False
        match lexeme.text:
            case "{":
                bracket = before in ("=", ":=", ",")
                opened.append(bracket)
            case "}":
                bracket = opened.pop() if opened else False
            case "<":
                bracket = angle = words == [":", "seq"]
            case ">":
                bracket, angle = angle, False
        result.append(Piece(lexeme, breaks, unary, named, called, bracket))
        if not _is_comment(lexeme):
            words.append(lexeme.text)
            del words[:-2]
    return result


def _is_value(text: str, reserved: frozenset[str]) -> bool:
    """Whether a minus behind this token subtracts."""
    word = text[:1].isalnum() or text[:1] == "_"
    return text in _VALUES or text[:1] == "'" or (word and text not in reserved)


def _is_comment(lexeme: Lexeme) -> bool:
    return lexeme.kind in ("line_comment", "block_comment")


def _closing(pieces: list[Piece]) -> dict[int, int]:
    """For each opening brace whose block was written on one line, where it closes."""
    result, opened = dict[int, int](), list[int]()
    for position, piece in enumerate(pieces):
        if _is_brace(piece, "{"):
            opened.append(position)
        elif _is_brace(piece, "}") and opened:
            start = opened.pop()
            inside = pieces[start + 1 : position + 1]
            if len(inside) < WIDTH and all(_fits_a_line(p) for p in inside):
                result[start] = position
    return result


def _is_brace(piece: Piece, text: str) -> bool:
    """Whether this is a brace of a block."""
    return piece.lexeme.text == text and not piece.bracket


def _fits_a_line(piece: Piece) -> bool:
    return not piece.breaks and piece.lexeme.kind != "line_comment" and "\n" not in piece.lexeme.text


def _place(position: int, pieces: list[Piece], closing: dict[int, int], layout: Layout) -> None:
    piece = pieces[position]
    text = piece.lexeme.text
    if position <= layout.flat:
        layout.line += _gap(pieces[position - 1], piece) + text
        if position == layout.flat:
            layout.flat = -1
            layout.fresh = True
        return
    if _is_comment(piece.lexeme):
        _comment(position, pieces, layout)
        return
    if _is_brace(piece, "}"):
        layout.depth -= 1
    joins = layout.fresh and text in ("else", "or") and layout.line.endswith("}")
    if layout.fresh and not joins:
        _start_line(piece, position, pieces, layout)
    elif piece.breaks and not joins and (piece.bracket or text not in ("{", "}")):
        _end_line(layout)
        layout.line = _INDENT * layout.depth + _CONTINUED
    elif layout.line.strip():
        layout.line += _gap(pieces[position - 1], piece)
    layout.line += text
    layout.fresh = text == ";" or _is_brace(piece, "}") or _is_brace(piece, "{")
    if _is_brace(piece, "{"):
        _open(position, pieces, closing, layout)


def _open(position: int, pieces: list[Piece], closing: dict[int, int], layout: Layout) -> None:
    """Behind an opening brace: the block on the same line if it was and fits, otherwise indented."""
    end = closing.get(position)
    if end is not None:
        inside = range(position + 1, end + 1)
        size = sum(len(_gap(pieces[i - 1], pieces[i])) + len(pieces[i].lexeme.text) for i in inside)
        if len(layout.line) + size <= WIDTH:
            layout.flat = end
            return
    layout.depth += 1


def _start_line(piece: Piece, position: int, pieces: list[Piece], layout: Layout) -> None:
    _end_line(layout)
    after_opening = position > 0 and pieces[position - 1].lexeme.text == "{"
    if piece.breaks > 1 and layout.lines and not after_opening and piece.lexeme.text != "}":
        layout.lines.append("")
    layout.line = _INDENT * layout.depth


def _comment(position: int, pieces: list[Piece], layout: Layout) -> None:
    piece = pieces[position]
    text = "\n".join(line.rstrip() for line in piece.lexeme.text.split("\n"))
    if position > 0 and not piece.breaks:
        layout.line += ("  " if piece.lexeme.kind == "line_comment" else " ") + text
    else:
        extra = "" if layout.fresh else _CONTINUED
        _start_line(piece, position, pieces, layout)
        layout.line += extra + text
    following = pieces[position + 1] if position + 1 < len(pieces) else None
    ends = piece.lexeme.kind == "line_comment" or following is None or following.breaks > 0
    if ends and not layout.fresh:
        _end_line(layout)
        layout.line = _INDENT * layout.depth + _CONTINUED


def _end_line(layout: Layout) -> None:
    if layout.line.strip():
        layout.lines.append(layout.line.rstrip())
    layout.line = ""


def _gap(before: Piece, after: Piece) -> str:
    """The blank between two tokens of a line."""
    left, right = before.lexeme, after.lexeme
    if left.text == "{" and right.text == "}":
        return ""
    if _is_comment(left) or _is_comment(right):
        return " "
    tight = right.text in _TIGHT_BEFORE or right.text[0] == "'" or left.text in _TIGHT_AFTER
    inside = (before.bracket and left.text in "{<") or (after.bracket and right.text in "}>")
    if tight or inside or before.unary or after.names or (after.bracket and right.text == "<"):
        return ""
    if right.text == "(":
        return "" if before.called else " "
    if right.text == "[":
        return "" if left.text not in ("+", "-", "*", "/", "%", ":") else " "
    return " "
