"""Functions of the library, of which LLVM knows what they do, and which count as functions that may do anything.

What is proved for any function that is called is so of these. What is refuted need not be, since the one that is called
may do less than the play has it do: a play is no answer then.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from sa.frontends.llvm import syntax as s

_LIBRARY = re.compile(
    r"(str|mem|wcs|wmem|stp)\w*|(vec_)?([mc]|re|pv|v|aligned_)alloc(f|array)?|(vec_)?free|posix_memalign"
    r"|[adfinsv]{0,3}printf\w*|small_[fs]?printf|[fsv]{0,2}scanf\w*|f?(put|get)[cs]\w*|(put|get)w?char\w*|ffs\w*|l*abs"
    r"|is(digit|ascii)|to(ascii|upper|lower)|ato(i|l|ll|f)|_Z\w+|f(open|close|read|write|seek|tell|flush|error|eof)\w*"
    r"|b(cmp|copy|zero)|exit|abort|_exit|qsort|(set|long)jmp|__\w+|[fl]?stat(v?fs)?(64)?|f(dopen|getpos|setpos|ork|ileno)"
    r"|f(un)?lockfile|ftrylockfile|f(un|re)?(scanf|open)64|access|l?ch(mod|own)|(open|read|close)dir|exec[lv]p?e?|getenv"
    r"|get(itimer|login_r|pwnam|timeofday)|[hn]to[hn][ls]|mk(dir|time)|modf|open(64)?|p(close|open|error|read|write)|read"
    r"|readlink|realpath|re(move|name|wind)|rmdir|set(v?buf|itimer)|times|tmpfile(64)?|uname|un(getc|link|setenv)|utimes?"
    r"|write|system|ctermid|clearerr|reallocf"
)

#: Functions that come back twice, or make another process, and those of C++ and of compilers.
_STRANGE = re.compile(r"\w*(set|long)jmp|fork|exec\w+|_Z(?!nwm$|nam$)\w+|__(?!errno_location$)\w+")

#: Functions that allocate memory.
_ALLOCATING = re.compile(r"([mc]|aligned_|re)alloc|_Zn[wa]m")

#: Functions that free what they are given, or do so by a function that they call.
_FREEING = re.compile(r"(vec_)?(free|realloc(f|array)?)|fclose|pclose|closedir|qsort")

#: What may be said of them beside what is modelled: it is so, or the call is undefined by what the library says.
_FACTS = frozenset({
    "memory", "readnone", "readonly", "writeonly", "argmemonly", "inaccessiblememonly", "inaccessiblemem_or_argmemonly",
    "willreturn", "nosync", "noalias", "allocsize", "allockind", "allocptr", "allocalign", "returned", "captures",
    "nocapture", "nofree",
})  # fmt: skip

#: Functions whose results their arguments alone decide, those that read memory besides and write none, and those that
#: return their first argument. Of names that merely look like one of the library nothing is believed.
_PURE = re.compile(r"l*abs|ffs(l|ll)?|is(digit|ascii)|toascii|[hn]to[hn][ls]")
_READING = re.compile(
    r"str(n?len|n?cmp|r?chr|chrnul|str|c?spn|pbrk|n?casecmp|coll)|mem(cmp|r?chr|mem)|bcmp|wcslen|ato(i|l|ll|f)"
)
_RETURNING = re.compile(r"(mem(cpy|move|set)|str(n?cpy|n?cat))(_chk)?")
_EXACT = re.compile(
    r"strn?dup|stp(n?cpy)|strto(k|k_r|l|ul|ll|ull|d|f|ld)|strxfrm|mem(pcpy|ccpy)|memset_pattern(4|8|16)"
    r"|((vec_)?([mc]|re)alloc)|[pv]alloc|aligned_alloc|reallocf|reallocarray|(vec_)?free|posix_memalign|_Zn[wa]m"
    r"|v?[fs]?n?printf|v?[fs]?scanf|f?put[cs]|putchar|putw?char_unlocked|f?get[cs]|getchar|put(c|char)_unlocked"
    r"|f(open|dopen|close|read|write|seek|tell|flush|error|eof|getpos|setpos|ileno)(o|64|_unlocked)?|b(copy|zero)|exit"
    r"|abort|qsort|[fl]?stat(v?fs)?(64)?|f(un)?lockfile|ftrylockfile|tmpfile(64)?|access|l?ch(mod|own)|(open|read|close)dir"
    r"|getenv|get(itimer|login_r|pwnam|timeofday)|mk(dir|time)|modf[fl]?|open(64)?|p(close|open|error|read|write)|read"
    r"|readlink|realpath|re(move|name|wind)|rmdir|set(v?buf|itimer)|times|uname|un(getc|link|setenv)|utimes?|write"
    r"|system|ctermid|clearerr|__errno_location"
)


def is_library(name: str) -> bool:
    """Whether a function is one of the library."""
    return _LIBRARY.fullmatch(name) is not None


def is_opaque(name: str, follows: bool) -> bool:
    """Whether calls of a function of the library are accepted; what parameters point to may be accessed (`follows`)."""
    return is_library(name) and not _STRANGE.fullmatch(name) and not (follows and _FREEING.fullmatch(name))


def is_fact(name: str, word: str, of_argument: bool = False) -> bool:
    """Whether a word says of a function of the library, or of its arguments, what is so."""
    kind = word.partition("(")[0]
    if word in ("memory(none)", "readnone"):
        return _PURE.fullmatch(name) is not None
    if (word == "readonly" and not of_argument) or (kind == "memory" and "write" not in word):
        return any(p.fullmatch(name) is not None for p in (_PURE, _READING))
    if word == "returned":
        return _RETURNING.fullmatch(name) is not None
    known = any(p.fullmatch(name) is not None for p in (_PURE, _READING, _RETURNING, _EXACT))
    return known and kind in _FACTS


def declared_alike(modules: Sequence[s.Module]) -> list[s.Module]:
    """The modules with the same said of the results of functions of the library: in all of them, or in none.

    What is allocated has an address that is neither poison nor `undef`.
    """
    known = {name for module in modules for name in module.declared if is_library(name)}
    doubted = {
        n for m in modules for n in known & m.declared.keys() if "noundef" not in m.declared[n].result_attributes
    }
    return [
        replace(m, declared={n: _alike(d, n in doubted) if n in known else d for n, d in m.declared.items()})
        for m in modules
    ]


def _alike(signature: s.Signature, is_doubted: bool) -> s.Signature:
    if _ALLOCATING.fullmatch(signature.name):
        return replace(signature, result_attributes=(*signature.result_attributes, "noundef"))
    if not is_doubted:
        return signature
    words, said = (tuple(w for w in x if w != "noundef") for x in (signature.words, signature.result_attributes))
    return replace(signature, words=words, result_attributes=said)
