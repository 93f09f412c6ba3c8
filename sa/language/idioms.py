"""What users of other languages write, as patterns of the text around the place where it cannot be read any further.

In a pattern `~` stands for that place. The first pattern that fits gives the hint.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_RANGE = "say between what: `0 <= x && x <= 3`"
_FORALL = "a quantifier is over a type: `forall i : 0..9 :: …`"
_LOOP = "write `for i in 0..9 { … }`, with the first and the last value"
_FAMILY = "a family of threads is `thread T[i : 1..3] { … }`, any number of copies `thread T[i : *] { … }`"
_PLACE = "`CS: x := 1;` names the place before a statement; `at T.CS` in an invariant says that `T` is there"
_ONCE = "declare one after the other: `global x : int = 0; global y : int = 1;`, or `global x, y : int = 0;`"
_ANY = "`havoc x;` gives `x` any value of its type, and `assume e;` behind it in `atomic` says which"

#: A pattern of the text around the place, and the hint.
_IDIOMS: Sequence[tuple[str, str]] = (
    (r":\s*(?:array|map|dict)\s*<[^;]*~", "an array is `int[4]`, or `int[*]` with an element for every integer"),
    # Quantifiers and membership.
    (r"\b(?:forall|exists)\s+[\w\s,]+~\s*(?:::|\bin\b|\\in\b|\||;|\.)", _FORALL),
    (r"\b(?:forall|exists)\s*~\s*\(", _FORALL),
    (r"\bthread\s+\w+\s*\[\s*\w*\s*~\s*(?:\\in\b|in\b|\d|=|\.\.)", _FAMILY),
    (r"\bfor\s+\w+\s*~\s*(?::?=|\\in\b|:|from\b)", _LOOP),
    (r"\bfor\s+\w+\s+in\s[^{};]*~\s*(?:\{|do\b|<|to\b)", _LOOP),
    (r"\bwith\s*\(?\s*\w+\s*~\s*\\in\b", _ANY),
    (r"\b(?:global|local)\s+\w+\s*:\s*int\s*~\s*in\b", "a range is a type: `global x : 0..3 = 0;`"),
    (r"\w\s*~\s*(?:\\in\b|\bin\b)", _RANGE),
    (r"(?<!seq)(?<!set)(?:<=|>=|[<>]|==|!=)\s*[\w.\[\]+*%()\s-]+~\s*(?:[<>]=?|[=!]=)",
     "comparisons are joined: `0 <= x && x < 3`"),
    # Invariants and what else is claimed.
    (r"\binvariant\s*(?:\w+\s*~\s*==?|~\s*(?:forall|exists|at|if|true)\b)",
     "an invariant has a name: `invariant name : e;`"),
    (r"(?:^|[;}])\s*~\s*(?:rely|guarantee|env)\b", "it stands in a thread: `thread T { rely x' >= x; … }`"),
    (r"\brefinement\s*~\s*\{", "a refinement has a name: `refinement r { … }`"),
    (r"\bwhile\s*\([^{}]*\)\s*~\s*(?:invariant|inv|decreases)\b",
     "loops need no invariants of their own; what always holds stands outside of the threads: `invariant name : e;`"),
    (r"~\s*(?:requires|ensures|modifies|decreases|reads)\b",
     "a program claims `assert e;` in a thread, `invariant name : e;` outside, and `guarantee` of steps"),
    (r"\b(?:requires|ensures|modifies|decreases|reads)\b[^;{}]*~",
     "a program claims `assert e;` in a thread, `invariant name : e;` outside, and `guarantee` of steps"),
    (r"\}\s*~\s*assert\b", "`assert` is a statement of a thread; `invariant name : e;` claims that `e` always holds"),
    (r"\bassert\b[^;]*~\s*,", "an `assert` has no message"),
    (r"\binvariant\b[^;]*\w\s*~\s*@", _PLACE),
    # Declarations.
    (r"\b(?:global|local)\s+\w+\s*~\s*:=", "the type follows the name: `local x : int = 0;`"),
    (r"\b(?:global|local)\s+[\w,\s]+:[^;={]*~\s*:=", "a declaration gives its value with `=`: `global x : int = 0;`"),
    (r"\b(?:global|local)\s+\w+\s*:[^;{]*=[^;{]*~\s*,", _ONCE),
    (r"\blocal\s+\w+\s*~\s*;", "the type follows the name: `local x : int;`"),
    (r"\bconst\s+(?:unique\s+)?\w+\s*:[^;=]*~\s*;", "`param N : int;` has any value, the same on both sides"),
    (r"\bconst\s+unique\s*~", "`param N : int;` has any value, the same on both sides"),
    (r"\bparam\s+[\w,\s]+:[^;=]*~\s*=", "a parameter has any value: `const N = 3;` has one, `init N == 3;` says more"),
    (r":\s*~\s*\[\s*(?:int|bool)\s*\]", "an array is `int[4]`, or `int[*]` with an element for every integer"),
    (r":\s*~\s*\[[^;\]]*\.\.", "a range is `0..3`, without brackets"),
    (r"\[[^\];]*~\s*\.\.", "an array has a size, `int[4]`, with the indices 0 to 3"),
    (r"\.\.\s*~\s*\.", "a range is written with two dots: `0..3`"),
    (r":\s*~\s*\{", "`enum Color { Red, Green }` declares values by their names, `0..1` is a range"),
    (r":\s*~\s*enum\b", "declare it before: `enum Color { Red, Green } global light : Color = Red;`"),
    (r"\benum\s+\w+\s*~\s*=", "write `enum Color { Red, Green }`"),
    (r"\benum\s+\w+\s*\{[^}]*~\s*;", "the names are separated by commas"),
    (r":\s*\w+\s*~\s*->", "an array `int[*]` gives a value for every integer; `function f(int) : int;` is not changed"),
    (r":\s*~\s*\*", "there are no pointers: use a number or an enumeration"),
    (r"=\s*~\s*\"", "there are no texts: use an enumeration"),
    (r"\bfunction\s+\w+\s*\([^)]*\)\s*(?::\s*\w+\s*)?~\s*\{",
     "a function is an expression, `function f(n : int) : int = n + 1;`; `proc f(n : int) : int { … }` has statements"),
    (r"\bfunction\s+\w+\s*\([^)]*\)\s*~\s*=",
     "a function has types, `function f(n : int) : int = …;`; `define f(n) = …;` has none"),
    (r"~\s*macro\b", "write `define f(n) = n + 1;`"),
    (r"~\s*(?:shared|volatile|atomic_int|_Atomic|static|extern)\b", "write `global x : int = 0;`"),
    (r"~\s*(?:type|datatype)\b", "`enum Color { Red, Green }` declares values by their names"),
    (r"~\s*(?:method|procedure|predicate|lemma)\b",
     "write `proc f(x : int) : int { … }`, or `define f(x) = …;` for a formula"),
    (r"~\s*(?:VARIABLES?|CONSTANTS?|EXTENDS|MODULE|ASSUME|THEOREM)\b",
     "variables are declared, `global x : int = 0;`, and threads have statements: `thread T { x := x + 1; }`"),
    (r"~\s*(?:main|threads|task|fn|fun|func|class)\b", "write `thread T { … }`"),
    (r"\bthread\s*~\s*\{", "a thread has a name: `thread T { … }`"),
    (r"\bthread\s+\w+\s*~\s*(?::|begin\b|do\b)", "the statements of a thread are in braces: `thread T { … }`"),
    (r"\binit\s*~\s*\{", "`init e;` says where a program begins; what it does first is a statement of a thread"),
    # Preprocessing and C.
    (r"~\s*#\s*define\b", "write `const N = 3;`, or `define f(n) = n + 1;`"),
    (r"~\s*#\s*include\b", "C is read from files whose names end in `.c`; other files are read with `import`"),
    (r"(\w+)\s*~\s*\?[^:;]*:", "write `if c then a else b`"),
    (r"[(,]\s*~\s*&\s*\w", "the variable itself is given, without `&`"),
    (r"(?<![\w.])0\s*~\s*[xXbBoO]\w", "numbers are written with the digits 0 to 9"),
    (r":=\s*~\s*'", "there are no characters: use a number or an enumeration"),
    (r"\*\s*~\s*\*", "there are no powers: multiply"),
    (r":=\s*~\s*\*\s*;", _ANY),
    (r"\w\s*~?:~?\s*\|", _ANY),
    (r":=\s*~\s*\[", "the values of an array are in braces: `{1, 2, 3}`"),
    (r"[:=(]\s*~\s*\|", "the length of a sequence is `len(q)`"),
    # Statements.
    (r"[;{]\s*(?!end\b|yield\b)[A-Za-z_]\w*\s*~\s*;", "a call has parentheses: `f();`"),
    (r"[;{]\s*~\s*unchanged\b", "what a step does not write stays as it is; `unchanged` is for relies and guarantees"),
    (r"(?:\bawait|\bassume|\bassert|&&|\|\||!|\()\s*~\s*(?:un)?lock\b",
     "`lock(l);` is a statement, which waits for the lock"),
    (r"(?:&&|\|\|)\s*~\s*(?:assume|await|assert)\b", "the word stands once: `assume a && b;`"),
    (r"\bif\s*\([^{};]*\)\s*~\s*then\b", "`if (…) { … } else { … }` is a statement"),
    (r":=\s*if\s*\([^;]*\)\s*~\s*\w", "write `if c then a else b`"),
    (r":=\s*if\b[^;]*\bthen\b[^;]*~\s*;", "an expression has a value in both cases: `if c then a else b`"),
    (r"\b(?:call|run|async)\s+(?:call\s+)?\w*\s*(?:\(\s*)?~",
     "`Q();` calls a procedure, `start Q;` lets a thread begin, `join Q;` waits for its end"),
    (r"~\s*(?:goto|jump)\b", "there are no jumps but `break`, `continue` and `return`: write a loop"),
    (r"\beither\s*~\s*\{", "write `choose { … } or { … }`"),
    (r"\brepeat\s*~\s*\{", "write `while (true) { …; if (…) { break; } }`"),
    (r"~\s*(?:print|printf|echo)\b", "an action that others can see is a label: `@print(x) skip;`"),
    (r"\bhavoc\s*~\s*\(", "write `havoc x;`"),
    (r"\bunchanged\s*~\s*\(", "write `unchanged x, y`"),
    (r"\bUNCHANGED\s*~", "write `unchanged x, y`"),
    (r"[;{]\s*\(?\s*~\s*\(", "places are written without parentheses: `x, y := 1, 2;`"),
    (r"\w\s*:=\s*\w+\s*~\s*:=", "one assignment at a time: `x, y := 1, 1;`"),
    (r":=\s*[^;,]+,\s*\w+\s*~\s*:=",
     "several at once are written `x, y := 1, 2;`, one after the other `x := 1; y := 2;`"),
    (r"\bwait\s+(?:until|while)\b[^;{}]*~", "`await c;` waits until `c` holds"),
    (r"[;{]\s*~\s*when\b", "`await c { … }` waits until `c` holds and does what follows in one step"),
    (r"[;{]\s*[\w.\[\]]+\s*~\s*==", "`:=` assigns; `assume e;` waits until `e` holds, `assert e;` claims that it does"),
    (r"[;{]\s*\w+\.~\s*lock\b", "write `lock(l);`"),
)  # fmt: skip


def idiom(before: str, behind: str) -> str | None:
    """The hint for a place in a text, which is between `before` and `behind`; None where no pattern fits."""
    text = f"{before[-400:]}\0{behind[:80]}"
    for pattern, hint in _IDIOMS:
        if re.search(pattern.replace("~", "\0"), text):
            return hint
    return None
