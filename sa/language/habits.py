"""Hints for what users of other languages write first: what stands where a text cannot be read any further."""

from __future__ import annotations

import re
from collections.abc import Mapping

#: Words and signs of other languages, and what is written here.
_INSTEAD: Mapping[str, str] = {
    "=": "`:=` assigns, `==` compares",
    "&": "`&&` is conjunction; there are no operations on bits",
    "|": "`||` is disjunction; there are no operations on bits",
    "^": "there are no operations on bits",
    "?": "`if c then a else b` chooses a value",
    "and": "`&&` is conjunction",
    "or": "`||` is disjunction",
    "not": "`!` is negation",
    "mod": "`%` is the remainder",
    "div": "`/` divides by a constant",
    "elif": "write `else if (…) { … }`",
    "then": "`if (…) { … } else { … }` is a statement, `if … then … else …` an expression",
    "var": "write `global x : int = 0;` or, in a thread, `local x : int = 0;`",
    "let": "write `local x : int = 0;`",
    "def": "write `proc f(x : int) : int { … }`",
    "void": "write `proc f(x : int) { … }`",
    "process": "write `thread T { … }`",
    "proctype": "write `thread T { … }`",
}

_TYPES = frozenset({"int", "bool", "uint", "unsigned", "long", "char"})


def habit(text: str, position: int, token: str, accepted: frozenset[str]) -> str | None:
    """A hint for the token at an offset of a text, None where none fits. `accepted` are the terminals that could stand
    there.
    """
    before, behind = text[:position].rstrip(), text[position:]
    previous = re.search(r"(\w+|\W)$", before)
    last = previous[1] if previous else ""
    if behind.startswith(("++", "--")):
        return f"write `{last} {token}= 1;`"
    if behind.startswith(("<<", ">>")) or (behind.startswith(("<", ">")) and last == token):
        return "there are no operations on bits: multiply or divide by a power of 2"
    if behind.startswith("<-"):
        return "`:=` assigns"
    if token in _TYPES:
        return _type_first(last, behind)
    if token == "(" and last == "for":
        return "write `for i in 0..9 { … }`"
    if token == "(" and re.search(r"\bthread\s+\w+$", before):
        return "a thread has no parameters: `thread T { … }`, or `thread T[i : 1..3] { … }` for a family"
    if token == ";" and last == "}":
        return "no `;` after `}`"
    if token == ";" and (label := re.search(r"@\s*\w+\s*(\([^;{}]*\))?$", before)):
        return f"a label stands before a statement: `{label[0]} skip;` does nothing else"
    if token == "if" and "NAME" in accepted:
        return "put it into parentheses: `(if c then a else b)`"
    if "LPAR" in accepted and len(accepted) == 1 and last in ("if", "while"):
        return f"the condition is in parentheses: `{last} (…) {{ … }}`"
    if "LBRACE" in accepted and last == ")":
        return "the statements are in braces: `{ … }`"
    if token == "==" and "SEMICOLON" not in accepted:
        return "`:=` assigns; to check a condition, `assert` it"
    if accepted == {"COLON"} and re.search(r"\binvariant\s+\w+$", before):
        return "an invariant has a name: `invariant name : …;`"
    return _INSTEAD.get(token) or (_INSTEAD["not"] if last == "not" else None)


def _type_first(last: str, behind: str) -> str:
    named = re.match(r"\w+\s+(\w+)", behind)
    name = named[1] if named else "x"
    word = last if last in ("local", "global", "param", "const") else "local" if last in ("{", ";") else "global"
    return f"the type follows the name: `{word} {name} : int`"
