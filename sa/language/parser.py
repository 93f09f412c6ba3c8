"""Text to surface syntax. Syntax errors are collected one for each declaration."""

from __future__ import annotations

import re
from functools import cache

from lark import Lark, Token, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from sa.base.diagnostic import Diagnostic, InputError, error
from sa.base.source import Source, Span
from sa.language.habits import habit
from sa.language.nesting import too_deep
from sa.language.reading.grammar import make_parser
from sa.language.reading.rules import builder, reading
from sa.language.syntax import Module
from sa.language.tokens import open_bracket

#: After so many syntax errors the rest of a file is not looked at.
MAX_SYNTAX_ERRORS = 10

# Words that start a declaration; at the start of a line they are taken as a new beginning after an error.
_FRESH_START = re.compile(
    r"^(?:import|const|param|global|ghost|enum|define|function|proc|axiom|init|thread|automaton|strong|invariant|terminates|progress|fair|leads|expect|refinement|lemma|theorem|cooperative|scheduler|event)\b",
    re.MULTILINE,
)

_READABLE = {
    "NAME": "a name",
    "LABEL": "`@`",
    "INTEGER": "a number",
    "STRING": "a string",
    "PRIMES": "`'`",
    "COMPARISON": "a comparison",
    "$END": "the end of the file",
}


def parse(source: Source) -> Module:
    """The surface syntax of a text. Raises InputError with every syntax error that was found."""
    parser = _parser()
    errors = list[Diagnostic]()
    text = source.text
    while len(errors) < MAX_SYNTAX_ERRORS:
        try:
            with reading(source):
                module: Module = parser.parse(text)  # type: ignore[assignment]  # Lark cannot say what its transformer makes
        except UnexpectedInput as failure:
            errors.append(_describe(source, parser, failure))
            offset = failure.pos_in_stream or 0
        except InputError as failure:
            errors.extend(failure.diagnostics)
            last = failure.diagnostics[-1].span
            offset = last.end if last else len(text)
        else:
            if not errors:
                errors.extend(too_deep(module))
            if errors:
                break
            return module
        again = _FRESH_START.search(source.text, offset + 1)
        if again is None:
            break
        # Blanks instead of what was read keep every offset as it is.
        text = " " * again.start() + source.text[again.start() :]
    raise InputError(tuple(errors))


#: Words with which statements begin, and nothing else.
_STATEMENTS = frozenset({"assume", "atomic", "await", "break", "continue", "havoc", "local", "return", "skip", "while"})


@cache
def _parser() -> Lark:
    return make_parser(builder())


def _describe(source: Source, parser: Lark, failure: UnexpectedInput) -> Diagnostic:
    position = min(failure.pos_in_stream or 0, len(source.text))
    if isinstance(failure, UnexpectedCharacters):
        return _unreadable(source, position)
    assert isinstance(failure, UnexpectedToken)
    token: Token = _no_declaration(failure) or failure.token
    before = source.text[: int(token.start_pos or 0)]
    comment = re.search(r"/\*?$", before + str(token))
    if comment and source.text.startswith("/*", comment.start()):
        return _unreadable(source, comment.start())
    expected = _expected(parser, failure)
    hint = f"expected {expected}" if expected else None
    last = before.rstrip()
    if "SEMICOLON" in failure.accepts and "\n" in before[len(last) :]:
        hint = "is a `;` missing at the end of the line before?"
    elif "SEMICOLON" in failure.accepts and (token == "}" or token in _STATEMENTS):
        hint = "is a `;` missing before it?"
    hint = habit(source.text, len(before), token, frozenset(failure.accepts)) or hint
    if token.type == "$END":
        return _unfinished(source, hint)
    span = Span(source, int(token.start_pos or 0), int(token.end_pos or 0))
    if "NAME" in failure.accepts and token.type not in ("NAME", "INTEGER") and re.fullmatch(r"[a-z_]+", token):
        other = f"choose another name, such as `{token}_1`" if hint == "expected a name" else hint
        return error("SA004", f"`{token}` is a reserved word and cannot be a name", span, other)
    return error("SA002", f"unexpected `{token}`", span, hint)


#: Names with which declarations begin.
_DECLARING = frozenset({"cooperative", "scheduler", "event"})


def _no_declaration(failure: UnexpectedToken) -> Token | None:
    """The name that a declaration begins with, where none begins with it: names further on say nothing."""
    read = failure.interactive_parser.parser_state.value_stack if failure.interactive_parser else []
    first = next((v for v in read if type(v) is Token), None)
    return first if first is not None and first.type == "NAME" and first not in _DECLARING else None


def _unreadable(source: Source, position: int) -> Diagnostic:
    text = source.text
    if text.startswith("/*", position):
        return error(
            "SA003", "this comment is never closed", Span(source, position, position + 2), "close it with `*/`"
        )
    if text[position : position + 1] == '"':
        return error("SA003", "this string is not closed on its line", Span(source, position, position + 1))
    character = text[position : position + 1]
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    span = Span(source, position, position + 1)
    hint = habit(text, position, character, frozenset())
    return error("SA001", f"the character `{shown}` has no meaning here", span, hint)


def _unfinished(source: Source, hint: str | None) -> Diagnostic:
    """The file ends too early: point to the brace that is still open, if there is one."""
    end = len(source.text)
    opening = open_bracket(source)
    if opening is None:
        return error("SA002", "the file ends in the middle of a declaration", Span(source, end, end), hint)
    return error("SA005", f"this `{source.text[opening]}` is never closed", Span(source, opening, opening + 1))


def _expected(parser: Lark, failure: UnexpectedToken) -> str:
    """What could stand here, in words; nothing where the list would be too long to help."""
    names = sorted({_readable(parser, name) for name in failure.accepts or failure.expected})
    if "a number" in names and "`(`" in names:
        operand = {"a name", "a number", "`(`", "`!`", "`-`", "`if`", "`forall`", "`exists`", "`at`", "`old`"}
        names = ["an expression", *(n for n in names if n not in operand | {"`true`", "`false`"})]
    if not names or len(names) > 8:
        return ""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]


def _readable(parser: Lark, name: str) -> str:
    if name in _READABLE:
        return _READABLE[name]
    pattern = next((t.pattern.value for t in parser.terminals if t.name == name), name)
    return f"`{pattern}`"
