"""Hints for what users of other languages write first: what stands where a text cannot be read any further."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sa.language.idioms import idiom

#: Words and signs of other languages, and what is written here.
_INSTEAD: Mapping[str, str] = {
    "=": "`:=` assigns, `==` compares",
    "#": "a comment begins with `//`",
    "&": "`&&` is conjunction; there are no operations on bits",
    "|": "`||` is disjunction; there are no operations on bits",
    "^": "there are no operations on bits",
    "and": "`&&` is conjunction",
    "or": "`||` is disjunction",
    "not": "`!` is negation",
    "mod": "`%` is the remainder",
    "div": "`/` divides by a constant",
    "elif": "write `else if (…) { … }`",
    "then": "`if (…) { … } else { … }` is a statement, `if … then … else …` an expression",
    "var": "write `global x : int = 0;` or, in a thread, `local x : int = 0;`",
    "let": "write `local x : int = 0;`",
    "do": "write `while (true) { …; if (!(…)) { break; } }`",
    "switch": "write `if (…) { … } else if (…) { … } else { … }`",
    "case": "write `if (…) { … } else if (…) { … } else { … }`",
    "wait": "`await c;` waits until `c` holds",
    "def": "write `proc f(x : int) : int { … }`",
    "void": "write `proc f(x : int) { … }`",
    "process": "write `thread T { … }`",
    **dict.fromkeys(("proctype", "active"), "write `thread T { … }`, or `thread T[i : 1..3] { … }` for several"),
    "mtype": "write `enum Name { first, second }`",
    **dict.fromkeys(("struct", "record", "typedef"), "there are no structures: declare a variable for each member"),
    **dict.fromkeys(
        ("ltl", "property", "liveness", "eventually", "always"),
        "`invariant name : e;` claims that `e` always holds, `leads P ~> Q;` that `Q` follows `P`",
    ),
    "fairness": "write `fair;`: a thread that can always take a step takes one",
    **dict.fromkeys(("terminating", "termination"), "write `terminates;`"),
}

_TYPES = frozenset({"int", "bool", "uint", "unsigned", "long", "char"})


#: Calls that other languages have, and types, and what is written here.
CALLS: Mapping[str, str] = {
    **dict.fromkeys(
        ("print", "printf", "println", "puts", "output"), "an action that others can see is a label: `@print(x) skip;`"
    ),
    **dict.fromkeys(("yield", "sched_yield", "sleep", "delay"), "other threads may step between any two statements"),
    **dict.fromkeys(
        ("fence", "barrier_wait", "memory_barrier"), "steps are sequentially consistent: nothing is needed"
    ),
    **dict.fromkeys(
        ("random", "nondet", "rand", "any", "choice", "oneof"), "`havoc x;` gives `x` any value of its type"
    ),
    **dict.fromkeys(("free", "malloc", "new", "alloc"), "there is no memory to allocate: declare variables and arrays"),
    **dict.fromkeys(("mutex_lock", "acquire_lock", "spin_lock", "pthread_mutex_lock"), "write `lock(l);`"),
    **dict.fromkeys(("mutex_unlock", "release_lock", "spin_unlock", "pthread_mutex_unlock"), "write `unlock(l);`"),
    **dict.fromkeys(("CAS", "compare_and_swap", "compare_exchange"), "write `r := cas(x, expected, new);`"),
    **dict.fromkeys(("fetch_and_add", "faa", "FAA", "atomic_fetch_add"), "write `r := fetch_add(x, k);`"),
    **dict.fromkeys(("test_and_set", "TAS", "swap", "xchg", "atomic_exchange"), "write `r := exchange(x, 1);`"),
    **dict.fromkeys(("max", "min"), "define it: `define max(a, b) = if a > b then a else b;`"),
    "abs": "define it: `define abs(a) = if a < 0 then -a else a;`",
    **dict.fromkeys(("spawn", "fork", "create"), "`start T;` lets the thread `T` begin"),
    "not": "`!` is negation",
    "append": "`push(q, e);` adds an element at the end of a sequence",
    "enqueue": "`push(q, e);` adds an element at the end of a sequence",
    "dequeue": "`x := pop(q);` takes the first element of a sequence",
    **dict.fromkeys(
        ("receive", "pop", "pop_last"), "it changes the sequence, so it is a step of its own: `x := …(q);`"
    ),
}
TYPES: Mapping[str, str] = {
    **dict.fromkeys(("mutex", "Mutex", "lock", "Lock", "spinlock"), "a lock is an int: `global m : int = 0;`"),
    **dict.fromkeys(("semaphore", "sem", "Semaphore"), "a semaphore is an int: `global s : int = 1;`"),
    **dict.fromkeys(("float", "double", "real"), "numbers are integers"),
    **dict.fromkeys(
        ("uint", "unsigned", "nat", "long", "short", "byte", "char", "integer", "Int"),
        "`int` has no bounds; a range is written `0..255`",
    ),
    **dict.fromkeys(("boolean", "Bool"), "write `bool`"),
    **dict.fromkeys(("queue", "list", "chan", "channel"), "a sequence or a channel is `seq<int, 4>`"),
}
#: What stands behind a dot in other languages.
MEMBERS: Mapping[str, str] = {
    **dict.fromkeys(
        ("push", "pop", "push_back", "pop_front", "enqueue", "dequeue", "append", "add"),
        "write `push(q, e);`, and `x := pop(q);`",
    ),
    **dict.fromkeys(
        ("len", "length", "size", "Length", "Count"),
        "the length of a sequence is `len(q)`; an array has the size that is declared",
    ),
    **dict.fromkeys(
        ("acquire", "wait", "signal", "release"),
        "write `acquire(s);` and `release(s);`, or `wait(c, l);` and `signal(c);`",
    ),
    "pc": "`CS: x := 1;` names the place before a statement; `at T.CS` in an invariant says that `T` is there",
}
VALUES: Mapping[str, str] = {
    "pc": MEMBERS["pc"],
    "True": "write `true`",
    "False": "write `false`",
    **dict.fromkeys(("NULL", "null", "nil", "None"), "there are no pointers: use a number or an enumeration"),
}


def habit(text: str, position: int, token: str, accepted: frozenset[str]) -> str | None:
    """A hint for the token at an offset of a text, None where none fits. `accepted` are the terminals that could stand
    there.
    """
    before, behind = text[:position].rstrip(), text[position:]
    if hint := idiom(before, behind):
        return hint
    previous = re.search(r"(\w+|\W)$", before)
    last = previous[1] if previous else ""
    if token in _TYPES:
        return _type_first(last, behind, "bool" if token == "bool" else "int")
    return (
        _of_signs(before, behind, last, token) or _of_place(before, last, token, accepted) or _of_words(before, token)
    )


def _of_signs(before: str, behind: str, last: str, token: str) -> str | None:
    """Signs of other languages."""
    if token == ".." and (range_ := re.search(r":\s*\(\s*(-?\w+)$", before)):
        end = re.match(r"\.\.\s*(-?\w+)\s*\)\s*(\[\w+\])?", behind)
        written = f"{range_[1]}..{end[1]}{end[2] or ''}" if end else f"{range_[1]}..3"
        return f"a range has no parentheses: `{written}`"
    if behind.startswith(("++", "--")):
        named = re.match(r"..\s*([A-Za-z_][\w.]*)", behind)
        name = last if re.fullmatch(r"[A-Za-z_]\w*", last) else named[1] if named else "x"
        return f"write `{name} {token}= 1;`"
    if behind.startswith(("<<", ">>")) or (behind.startswith(("<", ">")) and last == token):
        return "there are no operations on bits: multiply or divide by a power of 2"
    if behind.startswith("[]"):
        return "an invariant always holds: leave out the `[]`"
    if behind.startswith("<>"):
        return "nothing is claimed of what happens at last; unequal is `!=`"
    if behind.startswith(("\\/", "\\land", "\\lor")) or (behind.startswith("\\") and before.endswith("/")):
        return "`&&` is conjunction, `||` is disjunction"
    if behind.startswith(("\\A", "\\E", "\\in")):
        return "write `forall i : 1..3 :: e`, or `exists i : 1..3 :: e`"
    if token == "'" and re.search(r"[;{}]\s*\w+$", before):
        return f"`{last} := …;` assigns; primes are for relies, guarantees and environments"
    if token == "::":
        return "write `choose { … } or { … }`, `if (…) { … } else { … }`, or `while (…) { … }`"
    if channel := re.match(r"([!?])\s*(\w+)", behind):
        what = f"send({last}, {channel[2]})" if channel[1] == "!" else f"{channel[2]} := receive({last})"
        return f"`{what};` is for channels, and `if c then a else b` chooses a value"
    if behind.startswith("<-"):
        return "`:=` assigns"
    if behind.startswith(("=>", "->")):
        return "`==>` is implication"
    if token == "." and last.isdigit():
        return "numbers are integers"
    if re.search(r"\bseq\s*<[^;<>]*>=$", before):
        return "put a blank between `>` and `=`"
    if token == ">" and re.search(r"\bset\s*<\s*\w+$", before):
        return "there are no sets: `bool[4]` says of each number from 0 to 3 whether it is in the set"
    if token == ">" and re.search(r"\bseq\s*<\s*\w+$", before):
        return "a sequence has a greatest length: `seq<int, 4>`"
    if token == "[" and re.search(r"\bseq\s*<[^;<>]*>$", before):
        return "there are no arrays of sequences: declare a sequence for each index, and choose by `if`"
    return None


def _of_place(before: str, last: str, token: str, accepted: frozenset[str]) -> str | None:
    """What is missing or too much where the token stands."""
    if token == "@":
        return "a label has a name: `@print(x) skip;`"
    if token == "(" and last == "for":
        return "write `for i in 0..9 { … }`"
    if token == "{" and re.search(r"\bfor\s+\w+\s+in\s+range\s*\([^{};]*\)$", before):
        return "write `for i in 0..9 { … }`, with the first and the last value"
    if token == "(" and re.search(r"\bthread\s+\w+$", before):
        return "a thread has no parameters: `thread T { … }`, or `thread T[i : 1..3] { … }` for a family"
    if token == "[" and re.search(r"\b(?:global|local)\s+\w+$", before):
        return f"the size follows the type: `{last} : int[3]`"
    if token == "}" and before.count("{") == before.count("}"):
        return "no `{` is open here: this `}` is one too many"
    if token == "unchanged" and re.fullmatch(r"[A-Za-z_]\w*", last):
        return f"the variables follow the word: `unchanged {last}`"
    if token == ";" and last == "}":
        return "no `;` after `}`"
    if token in ("cas", "fetch_add", "exchange"):
        return f"a step of its own: `r := {token}(…);`, or alone the condition of `if` or `while`"
    if token in ("&&", "||") and re.search(r"\b(cas|fetch_add|exchange)\s*\([^;{}]*\)$", before):
        return "an operation stands alone in a condition: write `r := …;` before, and test `r`"
    if token == "lock" and last == ":":
        return "a lock is an int: `global l : int = 0;`"
    if token == ";" and (label := re.search(r"@\s*\w+\s*(\([^;{}]*\))?$", before)):
        return f"a label stands before a statement: `{label[0]} skip;` does nothing else"
    if token == "if" and "NAME" in accepted:
        return "put it into parentheses: `(if c then a else b)`"
    if "LPAR" in accepted and len(accepted) == 1 and last in ("if", "while"):
        return f"the condition is in parentheses: `{last} (…) {{ … }}`"
    if token == "{" and last == "do":
        return _INSTEAD["do"]
    if "LBRACE" in accepted and last == ")":
        return "the statements are in braces: `{ … }`"
    if token == "{" and re.search(r"\belif\s*\([^(){};]*\)$", before):
        return _INSTEAD["elif"]
    if token == "{" and re.search(r"\b(?:switch|case)\s*\([^(){};]*\)$", before):
        return _INSTEAD["switch"]
    if token == "==" and "SEMICOLON" not in accepted:
        return "`:=` assigns; to check a condition, `assert` it"
    if accepted == {"COLON"} and re.search(r"\binvariant\s+\w+$", before):
        return "an invariant has a name: `invariant name : …;`"
    return None


def _of_words(before: str, token: str) -> str | None:
    """Words of other languages; where one is read as a name, the text cannot be read behind it."""
    if token in _INSTEAD:
        return _INSTEAD[token]
    if token in TYPES:
        return f"{TYPES[token]}; the type follows the name"
    behind = re.search(r"\b(?:(var|let)\s+\w+|(?:wait\s+)?until|not)$", before)
    if behind is None:
        return None
    return _INSTEAD[behind[1] or ("not" if behind[0] == "not" else "wait")]


def _type_first(last: str, behind: str, kind: str) -> str:
    """`int x = 0;` as it is written here."""
    if last == "[":
        return "the size of an array is a number: `int[4]` has the indices 0 to 3"
    named = re.match(r"\w+\s+(\w+)(\s*=\s*\w+)?", behind)
    name, value = (named[1], named[2] or "") if named else ("x", "")
    word = last if last in ("local", "global", "param", "const") else "local" if last in ("{", ";") else "global"
    written = f"{word} {name} : {kind}" + (f" = {value.strip(' =')}" if value else "")
    return f"the type follows the name: `{written};`"
