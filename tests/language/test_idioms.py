"""What users of TLA+, Promela, Dafny, Boogie and C write first gets a hint that says how it is written here."""

from __future__ import annotations

import re
from time import process_time

import pytest

from sa.language.idioms import _IDIOMS
from tests.language.texts import problems_of

G = "global x, y : int = 0; global b : bool; global a : int[4] = 0; global q : seq<int, 2> = {}; global l : int = 0; "

#: A text, and a part of the hint. In front of those with threads stand the declarations of G.
EXAMPLES = [
    ("thread P { assert 0 <= x < 3; }", "0 <= x && x < 3"),
    ("thread P { assert forall i :: 0 <= i && i < 4 ==> a[i] == 0; }", "forall i : 0..9"),
    ("thread P { assert (forall i in 0..3 :: a[i] == 0); }", "forall i : 0..9"),
    ("thread P { assert forall (i : int) :: a[i] == 0; }", "forall i : 0..9"),
    ("global a : (0..3)[2]; thread P { skip; }", "`0..3[2]`"),
    ("thread P { assert (\\A i \\in 0..3 : a[i] == 0); }", "forall i"),
    ("invariant Inv == x >= 0; thread P { skip; }", "invariant name : e;"),
    ("invariant forall i : 0..3 :: a[i] == 0; thread P { skip; }", "invariant name : e;"),
    ("rely x' >= x; thread P { skip; }", "in a thread"),
    ("thread P { skip; } guarantee unchanged x;", "in a thread"),
    ("thread P { skip; } refinement { relate x; }", "refinement r"),
    ("invariant i : x \\in 0..3; thread P { skip; }", "0 <= x && x <= 3"),
    ("invariant i : x in 0..3; thread P { skip; }", "0 <= x && x <= 3"),
    ("thread P[self \\in 1..3] { skip; }", "thread T[i : 1..3]"),
    ("thread P[3] { skip; }", "thread T[i : 1..3]"),
    ("thread P { with (i \\in 1..3) { x := i; } }", "havoc"),
    ("thread P { call Q(); }", "Q();"),
    ("thread P { async call Q(); }", "start Q;"),
    ("thread P { run Q(); }", "start Q;"),
    ("thread P { goto L; L: skip; }", "no jumps"),
    ("thread P { either { x := 1; } or { x := 2; } }", "choose"),
    ("thread P { while (x < 3) invariant x <= 3; { x := x + 1; } }", "outside of the threads"),
    ("#define N 3", "const N = 3;"),
    ("#include <stdio.h>", ".c"),
    ("global m : [int]int;", "int[*]"),
    ("global m : array<int>;", "int[4]"),
    ("global m : map<int, int>;", "int[*]"),
    ("global z : int := 0;", "with `=`"),
    ("global z : int = 0, w : int = 1;", "global x, y"),
    ("const unique N : int;", "param N"),
    ("const N : int;", "param N"),
    ("param N : int = 3;", "const N = 3;"),
    ("thread P { atomic { x == 1; x := 2; } }", "assume"),
    ("init { x := 1; } thread P { skip; }", "init e;"),
    ("thread P { x := b ? 1 : 2; }", "if c then a else b"),
    ("thread P { repeat { x := 0; } until (x > 0); }", "break"),
    ("thread P { lock(&l); }", "without `&`"),
    ("thread P { mutex_lock(l); }", "lock(l);"),
    ("thread P { l.lock(); }", "lock(l);"),
    ("thread P { q.push(1); }", "push(q, e);"),
    ("thread P { x := q.len; }", "len(q)"),
    ("thread P { x := |q|; }", "len(q)"),
    ("thread P { x := x ** 2; }", "no powers"),
    ("thread P { x := 0x10; }", "0 to 9"),
    ("thread P { x := 'a'; }", "no characters"),
    ("thread P { a := [1, 2, 3, 4]; }", "{1, 2, 3}"),
    ("thread P { if (x > 0) then { x := 1; } }", "is a statement"),
    ("thread P { when x > 0 { x := 1; } }", "await"),
    ("thread P { x := random(3); }", "havoc"),
    ("thread P { x := *; }", "havoc"),
    ("thread P { x :| x > 0; }", "havoc"),
    ("thread P { havoc(x); }", "havoc x;"),
    ("thread P { x := 1, y := 2; }", "x, y := 1, 2;"),
    ("thread P { (x, y) := (1, 2); }", "without parentheses"),
    ("thread P { x := y := 1; }", "at a time"),
    ("thread P { return x; }", "with a label"),
    ('thread P { assert x == 1, "text"; }', "no message"),
    ("thread P { print x; }", "@print(x)"),
    ("thread P { local i; i := 1; }", "local x : int;"),
    ("thread P { local i := 1; }", "local x : int = 0;"),
    ("thread P { for i = 0 to 3 { x := i; } }", "0..9"),
    ("thread P { for i in 0..<3 { x := i; } }", "0..9"),
    ("thread P { for i in a { x := i; } }", "0..9"),
    ("thread P { cs: x := 1; } invariant i : P@cs;", "at T.CS"),
    ("thread P { cs: x := 1; } invariant i : pc[P] == cs;", "at T.CS"),
    ("thread P { x := 1; } assert x == 1;", "invariant name"),
    ("thread P { x := 1; } ensures x == 1;", "guarantee"),
    ("thread P { requires x > 0; skip; }", "guarantee"),
    ("proc f() { x := 1; } thread P { f; }", "f();"),
    ("thread P { unchanged x; }", "stays as it is"),
    ("thread P { await lock(l); }", "is a statement"),
    ("thread P { wait until x > 0; }", "`await c;`"),
    ("thread P { assume x > 0 && assume y > 0; }", "once"),
    ("thread P { local t : int = 0; t := 1; } invariant i : t <= 1;", "P.t"),
    ("function f(n : int) : int { return n; }", "proc f"),
    ("function f(n) = n + 1;", "define f(n)"),
    ("macro f(n) = n + 1;", "define f(n)"),
    ("shared z : int = 0;", "global x"),
    ("method f(n : int) { }", "proc f"),
    ("VARIABLES u, v", "global x"),
    ("type Color = R | G;", "enum"),
    ("global z : int[0..3] = 0;", "a size"),
    ("global z : [0..3] = 0;", "without brackets"),
    ("global z : 0...3 = 0;", "two dots"),
    ("global z : {0, 1} = 0;", "enum"),
    ("global z : int in 0..3;", "a range is a type"),
    ("global z : enum { A, B };", "enum Color"),
    ("enum Color = { A, B };", "enum Color {"),
    ("enum Color { A; B }", "commas"),
    ("global f : int -> bool;", "int[*]"),
    ("global p : *int;", "no pointers"),
    ('global s : int = "a";', "no texts"),
    ("main { skip; }", "thread T"),
    ("thread { skip; }", "has a name"),
    ("thread P begin skip; end", "in braces"),
    ("thread P { guarantee x' >= x skip; }", "`;` missing"),
    ("thread P { rely unchanged(x); skip; }", "unchanged x, y"),
    ("thread P { rely UNCHANGED x; skip; }", "unchanged x, y"),
    ("thread P { x := if b then 1; }", "in both cases"),
    ("thread P { x := if (b) 1 else 2; }", "if c then a else b"),
    ("thread P { x := max(x, y); }", "define max"),
    ("thread P { b := CAS(x, 0, 1); }", "cas("),
    ("thread P { x := test_and_set(l); }", "exchange"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "part"), EXAMPLES)
def test_what_other_languages_write_is_answered_with_how_it_is_written_here(text: str, part: str) -> None:
    problems = problems_of(G + text if "thread" in text else text)
    assert any(part in (problem.hint or "") for problem in problems[:2]), problems[:2]


def test_every_pattern_has_an_example() -> None:
    told = {p.hint for text, _ in EXAMPLES for p in problems_of(G + text if "thread" in text else text)}
    assert {hint for _, hint in _IDIOMS} <= told


def test_patterns_end_on_any_text() -> None:
    """No pattern takes long on text that almost fits."""
    begun = process_time()
    for pattern, _ in _IDIOMS:
        for text in ("forall " + "x " * 200, "x := " + "a, " * 150, "(" * 400, "a" * 400, ": int = " + "0 " * 190):
            re.search(pattern.replace("~", "\0"), f"{text[-400:]}\0{text[:80]}")
    assert process_time() - begun < 5.0
