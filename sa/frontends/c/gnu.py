"""Extensions of GNU C that say nothing about the meaning of a program, taken out of preprocessed text.

Lines keep their numbers, and what is taken out is replaced by blanks, so that columns keep theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_BLANK = re.compile(
    r"__extension__\b|__restrict(?:__)?\b|__inline(?:__)?\b|__signed__\b|_Noreturn\b|__builtin_va_list\b"
)
_GROUPS = re.compile(
    r"__attribute__?(?:__)?\s*\(|\b(?:__asm__|__asm|asm)\s*(?:(?:volatile|__volatile__|inline|goto)\s*)*\(|\b_Alignas\s*\("
)
#: Instructions that change nothing that a program can see, without blanks: they wait, or order what is around them.
_HARMLESS = frozenset(
    {"", "nop", "pause", "rep;nop", "rep;nop;", "rep;nop\\n", "yield", "isb", "mfence", "lfence", "sfence"}
)
#: Those of them that order accesses: where functions are compared alone, they are seen, as calls of such a word.
_ORDERING = frozenset({"mfence", "lfence", "sfence", "isb"})
BARRIERS = {name: f"__sacheck_{name}" for name in (*sorted(_ORDERING), "barrier")}
#: How the text of a statement begins that another one is part of. Behind a semicolon in `for` there may be nothing.
#: The call that stands for any other instruction.
_ASSEMBLER = "__sacheck_assembler()"
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
_WORDS = (
    (re.compile(r"\b__thread\b"), "_Thread_local"),
    (re.compile(r"\b__volatile__\b"), "volatile"),
    (re.compile(r"\b__const(?:__)?\b"), "const"),
    (re.compile(r"\b__builtin_offsetof\b"), "offsetof"),
    (
        re.compile(
            r"\b__builtin_((?:ll|l|imax)?abs|ffs(?:ll?)?|mem\w+|str\w+|abort|exit|[mc]alloc|free|printf|puts)\b"
        ),
        r"\1",
    ),
)
_KEPT = {"__builtin_va_list": "int", "__signed__": "signed"}


#: The tag by which `typeof(e)` goes through the parser: `enum TYPE_OF { … = sizeof(e) }` can stand where a type can.
TYPE_OF = "__sacheck_typeof"
_TYPE_OF = re.compile(r"\b(?:__)?typeof(?:__)?\s*\(")

#: The name between the ends of a range: `case A ... B` and `[A ... B] =` go through the parser as `A ? RANGE : B`.
RANGE = "__sacheck_to"

#: What stands for the middle of `a ?: b`, which is the value of `a`.
OMITTED = "__sacheck_same"
_OMITTED = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')|\?(\s*):""")
_RANGE = re.compile(
    r"""("(?:[^"\\\n]|\\.)*")|(?:\bcase\b(?:\([^();{}"']*\)|'(?:[^'\\\n]|\\.)+'|[^;:{}"'])*?|\[[^\[\];{}"']*?)(\.\.\.)|'(?:[^'\\\n]|\\.)+'"""
)


def without_extensions(text: str, alone: bool = False) -> str:
    """The text without attributes, `__extension__` and the like; alignments of members stay.

    Are functions of it compared `alone`, then assembly that orders accesses is a call of one of BARRIERS.
    """
    text = _BLANK.sub(lambda m: _KEPT.get(m.group(), "").ljust(len(m.group())), text)
    for pattern, word in _WORDS:
        text = pattern.sub(word, text)
    pieces, here = list[str](), 0
    while (found := _GROUPS.search(text, here)) is not None:
        end = _closed(text, found.end())
        pieces.append(text[here : found.start()])
        group = text[found.start() : end]
        blank = re.sub(r"[^\n]", " ", group)
        if group.startswith("_Alignas"):
            pieces.append(group)
        elif not _is_harmless(group) or _sets(group):
            pieces.append(_in_place(_ASSEMBLER, blank))
        elif alone and (call := _ordering(group, text[: found.start()])) is not None:
            pieces.append(_in_place(call, blank))
        else:
            pieces.append(blank)
        here = end
    pieces.append(text[here:])
    text = _RANGE.sub(lambda m: m.group().replace("...", f"? {RANGE} :") if m.group(2) else m.group(), "".join(pieces))
    text = _OMITTED.sub(lambda m: m.group(1) or f"? {OMITTED} {m.group(2)}:", text)
    return _typed(text)


def groups(text: str) -> Iterator[tuple[int, int]]:
    """Where attributes, assembly and alignments begin and end."""
    return ((m.start(), _closed(text, m.end())) for m in _GROUPS.finditer(text))


_ATTRIBUTE = re.compile(
    r"\b_*(nonnull|returns_nonnull|pure|const|malloc|alloc_size|alloc_align|assume_aligned|access)_*\b"
)
_PROMISE = re.compile(r"\b(?:__)?(restrict)(?:__)?\b|\[[^];{]*\b(static)\b")


def promised(text: str, with_headers: bool) -> tuple[str, ...]:
    """The words by which a text promises what nothing looks at: who breaks it is undefined.

    Most are attributes; `static` is one of the size of an array that a parameter points to. In a text `with_headers`
    what is declared `extern` is not the user's.
    """
    found = [(m.start(), m.group(1) or m.group(2)) for m in _PROMISE.finditer(text)]
    for group in _GROUPS.finditer(text) if "__attribute" in text else ():
        if group.group().startswith("__attribute"):
            words = _ATTRIBUTE.finditer(text, group.end(), _closed(text, group.end()))
            found += [(group.start(), m.group(1)) for m in words]
    if with_headers:
        found = [(at, w) for at, w in found if "extern" not in text[max(text.rfind(c, 0, at) for c in ";{}") + 1 : at]]
    return tuple(dict.fromkeys(word for _, word in found))


_NO_RETURN = re.compile(r"\b_*[Nn]oreturn_*\b")
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")


def without_return(text: str) -> frozenset[str]:
    """The functions that are declared never to return."""
    found = set[str]()
    for word in _NO_RETURN.finditer(text):
        start = max(text.rfind(mark, 0, word.start()) for mark in ";{}") + 1
        end = re.search(r"[;{]", text[word.end() :])
        declared = re.sub(r"^\s*#.*$", "", text[start : word.end() + (end.start() if end else 0)], flags=re.MULTILINE)
        while (group := _GROUPS.search(declared)) is not None:
            declared = declared[: group.start()] + declared[_closed(declared, group.end()) :]
        if (name := _CALLED.search(declared)) is not None:
            found.add(name.group(1))
    return frozenset(found)


def _is_harmless(group: str) -> bool:
    """Whether a group is no instruction, or one that changes nothing. A name alone is of a function or register."""
    if "asm" not in group.split("(", 1)[0]:
        return True
    plain, rest = _instructions(group)
    return plain in _HARMLESS or (":" not in rest and plain.isidentifier())


def assembler_name(group: str) -> str | None:
    """The name that a group gives to what is declared, for the assembler; None where it gives none."""
    plain, rest = _instructions(group)
    is_name = "asm" in group.split("(", 1)[0] and ":" not in rest and plain.isidentifier()
    return "".join(_LITERAL.findall(group)).strip() if is_name else None


_OPERAND = re.compile(r'(?:\[\w+\]\s*)?"([^"]*)"\s*\(')


def _sets(group: str) -> bool:
    """Whether assembly puts something into a variable other than what the same variable had: `"=r"(a) : "0"(a)`."""
    if "asm" not in group.split("(", 1)[0]:
        return False
    _, rest = _instructions(group)
    operands = [(m.group(1), "".join(rest[m.end() : _closed(rest, m.end())].split())) for m in _OPERAND.finditer(rest)]
    tied = {(int(how), given) for how, given in operands if how.isdigit()}
    return any(how.startswith("=") and (number, given) not in tied for number, (how, given) in enumerate(operands))


def _instructions(group: str) -> tuple[str, str]:
    """The instructions of inline assembly without blanks, and the text behind them: operands and what is changed."""
    template, here = "", 0
    while (found := _LITERAL.search(group, here)) is not None and ":" not in group[here : found.start()]:
        template, here = template + found.group(1), found.end()
    return "".join(template.split()).lower(), group[here:]


def _ordering(group: str, before: str) -> str | None:
    """The call for harmless assembly that orders accesses; what is no name there, but an instruction, is an error."""
    head = group.split("(", 1)[0]
    if "asm" not in head:
        return None
    plain, rest = _instructions(group)
    if plain in _ORDERING:
        return f"{BARRIERS[plain]}()"
    if plain not in _HARMLESS:
        return _ASSEMBLER if "volatile" in head or _is_statement(before) else None
    return f"{BARRIERS['barrier']}()" if '"memory"' in rest else None


def _is_statement(before: str) -> bool:
    """Whether what comes behind a text is a statement of its own, and belongs to no declaration."""
    begun = re.sub(r"^\s*#.*$", "", re.split(r"[;{}]", before)[-1], flags=re.MULTILINE).strip()
    return (
        begun == "" or begun.endswith(":") or re.match(r"\)|(?:if|else|while|for|do|case|default)\b", begun) is not None
    )


def _in_place(call: str, blank: str) -> str:
    """A call in place of assembly, on as many lines."""
    return call + "\n" * blank[: len(call)].count("\n") + blank[len(call) :]


def _typed(text: str) -> str:
    """The text with `typeof(e)` as an enumeration that is none."""
    while (found := _TYPE_OF.search(text)) is not None:
        end = _closed(text, found.end())
        inner = f"enum {TYPE_OF} {{ __type_of = sizeof({text[found.end() : end]} }}"
        text = text[: found.start()] + inner + text[end:]
    return text


def _closed(text: str, start: int) -> int:
    """The position behind the parenthesis that closes the one before `start`; strings are skipped."""
    depth, here = 1, start
    while depth and here < len(text):
        letter = text[here]
        if letter == '"':
            here += 1
            while here < len(text) and text[here] != '"':
                here += 2 if text[here] == "\\" else 1
        elif letter in "()":
            depth += 1 if letter == "(" else -1
        here += 1
    return here
