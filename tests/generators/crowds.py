"""Random programs with families of any number of threads, over few values, and the same with so many copies.

The text with so many copies is an ordinary program: its families have bounds, and a claim about any copies is the
conjunction of what it says of each. So who judges it need not know what families of any number are.
"""

from __future__ import annotations

from itertools import product
from random import Random

from msgspec import Struct
from msgspec.structs import replace

#: What a claim about two copies of a family says where their identities are `i` and `j`.
_PAIRS = ("!(at T[{i}].A && at T[{j}].A)", "!(at T[{i}].A && at T[{j}].B)", "at T[{i}].A && at T[{j}].A ==> x == {v}")
_ONES = ("at T[{i}].A ==> x == {v}", "at T[{i}].A ==> b", "at T[{i}].B ==> o == {i}", "o == {i} ==> !at T[{i}].A")
#: The same with locals of the copies.
_OWN = ("T[{i}].r <= {v}", "at T[{i}].A ==> T[{i}].r == {v}", "T[{i}].r >= x", "at T[{i}].B ==> T[{i}].r <= {v}")
_OWN_PAIRS = ("T[{i}].r + T[{j}].r <= {v}", "at T[{i}].A ==> T[{j}].r <= {v}", "T[{i}].r == T[{j}].r")
_PLAIN = ("x <= {v}", "x != {v}", "b ==> x == {v}", "!b || o == 0", "x == 0 || o != 0 || b")


class Sketch(Struct, frozen=True):
    """A program with one family `T`: `claim` is what an invariant says of `spoken` different copies."""

    shared: str
    family: str
    other: str
    claim: str
    spoken: int

    def text(self) -> str:
        """The program with any number of copies."""
        names = "ij"[: self.spoken]
        bound = f"forall {', '.join(names)} : T :: " if names else ""
        guard = "i != j ==> " if self.spoken == 2 else ""
        said = self.claim.format(i="i", j="j")
        family = self.family.replace("BOUNDS", "*")
        return f"{self.shared}\n{self.other.replace('MORE', '*')}\n{family}\ninvariant v : {bound}{guard}({said});\n"

    def with_copies(self, count: int) -> str:
        """The ordinary program with so many copies."""
        family = self.family.replace("BOUNDS", f"1..{count}") if count else "thread Nobody { skip; }"
        shared = _with_short_arrays(self.shared)
        chosen = [p for p in product(range(1, count + 1), repeat=self.spoken) if len(set(p)) == len(p)]
        parts = [f"({self.claim.format(**dict(zip('ij', p, strict=False)))})" for p in chosen] or ["true"]
        other = self.other.replace("MORE", f"{count + 1}..{2 * count}") if count or "MORE" not in self.other else ""
        return f"{shared}\n{other}\n{family}\ninvariant v : {' && '.join(parts)};\n"


def _with_short_arrays(text: str) -> str:
    """Arrays of as many elements as few copies need."""
    return text.replace("int[*] = store(everywhere(0), 1, 1)", "int[7] = {0, 1, 0, 0, 0, 0, 0}").replace("[*]", "[7]")


def random_sketch(seed: int) -> Sketch:
    """A program of a few steps; `o` holds an identity or 0, `x` a small number, `b` a truth value."""
    rng = Random(seed)
    shared = f"global x : int = {rng.randint(0, 1)};\nglobal b : bool = {rng.choice(('true', 'false'))};\n"
    shared += "global o : int = 0;"
    body = _body(rng, rng.randint(1, 4), own=True)
    family = f"thread T[i : BOUNDS] {{ local r : int = 0; {body} A: skip; {_step(rng, True)} B: skip; }}"
    other = f"thread U {{ {_body(rng, rng.randint(1, 2), own=False)} }}" if rng.random() < 0.5 else ""
    spoken = rng.choice((0, 1, 2, 2))
    claim = rng.choice((_PLAIN, _ONES, _PAIRS)[spoken]).replace("{v}", str(rng.randint(0, 2)))
    return Sketch(shared, family, other, claim, spoken)


def sketch_about_locals(seed: int) -> Sketch:
    """A random program with a claim that names locals of copies."""
    rng, spoken = Random(f"locals {seed}"), 1 + seed % 2
    claim = rng.choice((_OWN, _OWN_PAIRS)[spoken - 1]).replace("{v}", str(rng.randint(0, 2)))
    return replace(random_sketch(seed), claim=claim, spoken=spoken)


def _body(rng: Random, length: int, own: bool) -> str:
    steps = " ".join(_step(rng, own) for _ in range(length))
    return f"while (*) {{ {steps} }}" if rng.random() < 0.3 else steps


def _step(rng: Random, own: bool) -> str:
    mine, v = ("i" if own else "0"), rng.randint(0, 2)
    steps = [
        f"x := {v};",
        f"await x == {v} {{ x := {rng.randint(0, 2)}; }}",
        "await x < 2 { x := x + 1; }",
        f"await b {{ b := false; x := {v}; }}",
        "await !b { b := true; }",
        "b := !b;",
        "b := false;",
        f"await o == 0 {{ o := {mine}; }}",
        f"await o == {mine} {{ o := 0; }}",
        f"assert o == {mine} || b;",
        f"assert x != {v};",
        f"if (x == {v}) {{ b := true; }}",
        f"await o != {mine} {{ x := {v}; }}",
        "o := 0;",
    ]
    steps += ["r := x;", "x := r;", "assert r <= x || b;", "await r == x;"] if own else []
    return rng.choice(steps)


#: What a claim says where copies are counted: of none, of one, and of two of them.
_NUMBERS = ("n >= 0", "n <= {v}", "m == 0 || n == 0", "n + m <= 2", "b ==> n == {v}")
_INSIDE = ("at T[{i}].A ==> n >= 1", "at T[{i}].A ==> m <= {v}", "at T[{i}].B ==> n > m", "at T[{i}].A ==> !b")
_MEETING = ("!(at T[{i}].A && at T[{j}].A)", "!(at T[{i}].A && at T[{j}].B)", "at T[{i}].A && at T[{j}].A ==> n >= 2")


def counting_sketch(seed: int) -> Sketch:
    """A program whose copies add to numbers and take away from them: who is inside, and how much is left."""
    rng = Random(seed)
    shared = f"global n : int = {rng.choice((0, 0, 1, 2))};\nglobal m : int = 0;\nglobal b : bool = false;"
    enter, leave = rng.choice(_PAIRED)
    if rng.random() < 0.3:
        leave = rng.choice([away for _, away in _PAIRED])
    inner = f"A: {_counting_step(rng)} {_counting_step(rng) if rng.random() < 0.6 else ''}"
    body = f"{enter} {inner} {leave} B: skip;"
    if rng.random() < 0.4:
        body = f"while (*) {{ {body} }}"
    other = rng.choice(_OTHERS)
    spoken = rng.choice((0, 1, 2))
    claim = rng.choice((_NUMBERS, _INSIDE, _MEETING)[spoken]).replace("{v}", str(rng.randint(0, 2)))
    family = f"thread T[i : BOUNDS] {{ local ok : bool = false; local r : int = 0; {body} }}"
    return Sketch(shared, family, other, claim, spoken)


#: Ways in and ways out.
_PAIRED = (
    ("n := n + 1;", "n := n - 1;"),
    ("await !b { n := n + 1; }", "n := n - 1;"),
    ("await n > 0 { n := n - 1; }", "n := n + 1;"),
    ("await m == 0 { n := n + 1; }", "await n > 0 { n := n - 1; }"),
    ("m := m + 1; await n > 0 { n := n - 1; m := m - 1; }", "n := n + 1;"),
    ("n := n + 1; m := m + 1;", "m := m - 1; n := n - 1;"),
    ("ok := cas(n, 0, 1); if (ok) { m := m + 1; } assume ok;", "m := m - 1; n := n - 1;"),
    ("r := n; ok := cas(n, r, r + 1); assume ok;", "n := n - 1; ok := false;"),
    ("await !b { b := true; } n := n + 1;", "b := false; n := n - 1;"),
)

_OTHERS = (
    "",
    "thread U { await n == 0 { b := true; } skip; b := false; }",
    "thread U { b := true; await n == 0; m := m + 1; }",
    "thread U { while (*) { await n <= 0 && !b { b := true; } b := false; } }",
)


def _counting_step(rng: Random) -> str:
    v = rng.randint(0, 2)
    return rng.choice(
        (
            "skip;",
            "skip;",
            "assert n > 0;",
            "assert !b;",
            f"assert n <= {v};",
            "if (n > 1) { m := m + 1; m := m - 1; }",
            "atomic { n := n - 1; r := r + 1; } n := n + 1;",
            "if (n == 0) { b := true; }",
            "ok := n > 0; if (!ok) { b := true; }",
        )
    )


#: What a claim says of an array with an element for each copy: of any, of one copy's, of two copies'.
_ELEMENTS = (
    ("a[0] <= {v}", "a[1] == 0 || x != {v}"),
    ("at T[{i}].A ==> a[{i}] == {v}", "a[{i}] <= {v}", "at T[{i}].B ==> a[{i}] == T[{i}].r"),
    ("!(at T[{i}].A && at T[{j}].A)", "a[{i}] != {v} || a[{j}] != {v}", "at T[{i}].A ==> !at T[{j}].B"),
)


def sketch_with_elements(seed: int) -> Sketch:
    """A program whose copies have an element of an array each; ordinary programs have a short array instead."""
    rng = Random(f"elements {seed}")
    first = rng.choice(("0", "store(everywhere(0), 1, 1)"))
    shared = f"global a : int[*] = {first};\nglobal x : 0..2 = 0;"
    enter, leave = rng.choice(_OWN_ELEMENTS)
    inner = f"A: {_element_step(rng)} {_element_step(rng) if rng.random() < 0.5 else ''}"
    body = f"{_element_step(rng) if rng.random() < 0.3 else ''} {enter} {inner} {leave} B: skip;"
    if rng.random() < 0.5:
        body = f"while (*) {{ {body} }}"
    spoken = rng.choice((0, 1, 2, 2))
    claim = rng.choice(_ELEMENTS[spoken]).replace("{v}", str(rng.randint(0, 2)))
    return Sketch(shared, f"thread T[i : BOUNDS] {{ local r : 0..2 = 0; {body} }}", "", claim, spoken)


_OWN_ELEMENTS = (
    ("a[i] := 1;", "a[i] := 0;"),
    ("await a[i] == 1;", "atomic { a[i] := 0; a[i + 1] := 1; }"),
    ("await a[i] == 1;", "a[i + 1] := 1; a[i] := 0;"),
    ("await a[x] == 0 { a[x] := i; }", "a[x] := 0;"),
    ("await a[0] == 0 { a[0] := i; }", "await a[0] == i { a[0] := 0; }"),
    ("r := x; await a[r] == 0 { a[r] := 1; }", "a[r] := 0;"),
)


def _element_step(rng: Random) -> str:
    v = rng.randint(0, 2)
    return rng.choice(
        (
            "skip;",
            f"a[i] := {v};",
            "r := a[i];",
            "a[i] := r;",
            f"a[i + 1] := {v};",
            f"x := {v};",
            f"assert a[i] != {v};",
            "assert a[i] == r;",
            "assert a[x] != 0;",
            f"if (a[i] == {v}) {{ r := {v}; }}",
        )
    )


#: Ways to take a lock and to give it back: by whom, of which kind, for how many, and as an own value says.
_LOCKS = (
    ("await l == 0 { l := i; }", "l := 0;"),
    ("await l == 0 { l := K; }", "l := 0;"),
    ("while (c != 0) { c := exchange(l, 1); }", "c := 1; l := 0;"),
    ("ok := cas(l, 0, 1); assume ok;", "ok := false; l := 0;"),
    ("await l == 0 && n == 0 { l := i; }", "l := 0;"),
    ("await l == 0 { n := n + 1; }", "n := n - 1;"),
    ("await l == 0 && n < K { n := n + 1; c := 2; }", "atomic { n := n - 1; c := 1; }"),
    (
        "choose { await l == 0 && n == 0 { l := 1; c := 2; } } or { await l == 0 { n := n + 1; c := 0; } }",
        "if (c == 2) { c := 1; l := 0; } else { n := n - 1; c := 1; }",
    ),
    ("await l == 0 { l := 1; } n := n + 1; l := 0;", "await l == 0 { l := 1; } n := n - 1; l := 0;"),
    ("n := n + 1; if (n > K) { n := n - 1; assume false; }", "n := n - 1;"),
)
_PROTECTED = (
    "!(at T[{i}].A && at T[{j}].A)",
    "at T[{i}].A && T[{i}].c == 2 ==> !at T[{j}].A",
    "T[{i}].ok ==> !T[{j}].ok",
    "at T[{i}].A ==> T[{j}].c <= {v}",
)
_KEPT = ("at T[{i}].A ==> p == q", "T[{i}].c == 2 ==> n <= {v}", "at T[{i}].A ==> n <= K", "T[{i}].ok ==> l != 0")
_NOTED = ("p == q || l != 0", "n <= K", "n >= 0", "l == 0 || n == 0", "p <= K", "l == 0 ==> p == q")


def locking_sketch(seed: int) -> Sketch:
    """A program with a parameter whose copies, and often those of a second family, share what a lock protects."""
    rng = Random(f"locks {seed}")
    enter, leave = rng.choice(_LOCKS)
    if rng.random() < 0.25:
        leave = rng.choice(_LOCKS)[1]
    shared = "param K : 1..2;\nglobal l, n : int = 0;\nglobal p, q : int = " + rng.choice(("0;", "K;"))
    inner = " ".join(_locked_step(rng) for _ in range(rng.randint(1, 2)))
    body = f"{enter} A: {inner} {leave}"
    if rng.random() < 0.6:
        body = f"while (*) {{ {body} }}"
    own = "local c : int = 1; local ok : bool = false;"
    other = ""
    if rng.random() < 0.5:
        enter, leave = rng.choice(_LOCKS)
        other = f"thread S[i : MORE] {{ {own} {enter} B: {_locked_step(rng)} {leave} }}"
    spoken = rng.choice((0, 1, 2, 2))
    claim = rng.choice((_NOTED, _KEPT, _PROTECTED)[spoken]).replace("{v}", str(rng.randint(0, 2)))
    return Sketch(shared, f"thread T[i : BOUNDS] {{ {own} {body} }}", other, claim, spoken)


def _locked_step(rng: Random) -> str:
    return rng.choice(
        (
            "p := p + 1; q := q + 1;",
            "p := K; q := p;",
            "atomic { p := q; q := K; }",
            "assert p == q;",
            "assert l != 0;",
            "assert n <= K;",
            "assert c != 2 || n == 0;",
            "assert n > 0;",
            "if (c == 2) { p := 1 - p; q := p; }",
            "assert c != 2 || p == q;",
            "if (ok) { p := 0; q := 0; }",
            "skip;",
        )
    )


#: Ways to take a lock and to give it back that reductions know, and some that protect nothing.
_KEYS = (
    ("await l == 0 { l := i; }", "l := 0;"),
    ("await l == 0 { l := 1; }", "l := 0;"),
    ("await l == 0 { l := i; }", "await l == i { l := 0; }"),
    ("lock(l);", "unlock(l);"),
    ("await l < 2 { l := l + 1; }", "l := l - 1;"),
    ("await l == 0 || l == i { l := i; }", "l := 0;"),
    ("skip;", "l := 0;"),
)

#: What is done inside of sections, in several steps.
_INSIDE_OF_SECTIONS = (
    "r := x; x := (r + 1) % 3;",
    "r := x; x := y; y := r;",
    "x := 1; y := 1;",
    "x := 2; r := x; x := 0;",
    "r := y; if (r == 1) { x := 2; }",
    "r := x; assert r == x;",
    "y := x; assert x == y;",
    "await y == 0 { y := 1; } y := 0;",
    "r := x; skip; y := r;",
)
_SETTLED = (
    ("x == y", "x <= {v}", "l != 0 || x == y", "y != {v}"),
    ("at T[{i}].A ==> x == y", "at T[{i}].A ==> T[{i}].r == {v}", "at T[{i}].B ==> T[{i}].r == x"),
    ("!(at T[{i}].B && at T[{j}].B)", "at T[{i}].A && at T[{j}].A ==> x == {v}"),
)


def sketch_of_sections(seed: int) -> Sketch:
    """A program whose copies work in several steps on what a lock may protect, and claim something behind that."""
    rng = Random(f"sections {seed}")
    shared = f"global l : int = 0;\nglobal x, y : 0..2 = {rng.randint(0, 1)};"
    enter, leave = rng.choice(_KEYS)
    # Who holds what `lock` has taken depends on the numbers of threads, which are others in ordinary programs.
    named = enter == "lock(l);"
    if rng.random() < 0.2 and not named:
        leave = rng.choice([key for key in _KEYS if key[0] != "lock(l);"])[1]
    spoken = rng.choice((0, 1, 2))
    body = f"{enter} {_section(rng)} {'B: skip;' if spoken else ''} {_section(rng)} {leave} A: skip;"
    if rng.random() < 0.5:
        body = f"while (*) {{ {body} }}"
    other = ""
    if rng.random() < 0.3:
        enter, leave = ("lock(l);", "unlock(l);") if named else rng.choice((_KEYS[1], _KEYS[4]))
        other = f"thread U {{ local r : 0..2 = 0; {enter} {_section(rng)} {leave} }}"
    claim = rng.choice(_SETTLED[spoken]).replace("{v}", str(rng.randint(0, 2)))
    return Sketch(shared, f"thread T[i : BOUNDS] {{ local r : 0..2 = 0; {body} }}", other, claim, spoken)


def _section(rng: Random) -> str:
    return rng.choice(_INSIDE_OF_SECTIONS)
