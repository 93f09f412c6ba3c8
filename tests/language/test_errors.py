"""Every mistake has a code and a place: the smallest example of each."""

from __future__ import annotations

import pytest

from sa.language.codes import CATALOGUE
from sa.language.reading.expressions import MAX_DIGITS
from tests.language.texts import complaints, problems_of

T = "thread T { skip; }"
G = "global x, y : int = 0; global b : bool; param A : int; "

#: Code, text, and the part of the text that the message points to.
EXAMPLES = [
    ("SA001", "thread T { x # 1; }", "#"),
    ("SA002", "thread T { x := ; }", ";"),
    ("SA002", "thread T { x = 1; }", "="),
    ("SA002", "refinement r { silent end; }", "end"),
    ("SA002", "refinement r { preserve order; }", "order"),
    ("SA011", "refinement r { preserve progress; preserve termination; }", "preserve termination;"),
    ("SA327", "thread T { yield; }", "yield;"),
    ("SA328", "cooperative; thread T { wait e; }", "e"),
    ("SA329", "scheduler s { on yield { suspend; } } scheduler s; thread T { yield; }", "s"),
    ("SA003", "thread T { } /* and so on", "/*"),
    ("SA003", 'import "x.sa as x;', '"'),
    ("SA004", "global edge : int;", "edge"),
    ("SA005", "thread T { while (true) { skip;", "{"),
    ("SA006", "expect true_;", "true_"),
    ("SA007", f"const N = {'1' * (MAX_DIGITS + 1)}; " + T, "1" * (MAX_DIGITS + 1)),
    ("SA008", "global x : 3;", "3"),
    ("SA009", G + "thread T { x, y := fetch_add(x, 1); }", "x, y"),
    ("SA011", "expect proved; expect refuted; " + T, "expect refuted;"),
    ("SA011", 'refinement r { abstract "a"; abstract "b"; }', 'abstract "b";'),
    ("SA012", f"const N = {'-' * 200}1; " + T, "-" * 51 + "1"),
    ("SA017", "", ""),
    ("SA017", "global x : int;", ""),
    ("SA017", 'refinement r { abstract "a.sa"; }', 'refinement r { abstract "a.sa"; }'),
    ("SA101", "thread T { x := 1; }", "x"),
    ("SA101", G + "thread T { x := z; }", "z"),
    ("SA101", G + "thread T { x := f(y); }", "f(y)"),
    ("SA102", "global x, x : int; " + T, "x"),
    ("SA102", G + "thread T { local x : int; }", "x"),
    ("SA102", G + T + T, "T"),
    ("SA102", G + "thread T { CS: skip; CS: skip; }", "CS"),
    ("SA102", "automaton P { location a initial; location a; }", "a"),
    ("SA102", "automaton P { global x : int; location a initial; } "
     + "automaton Q { global x : bool; location a initial; }", "x"),
    ("SA102", G + T + "invariant i : b; invariant i : b;", "i"),
    ("SA103", "const N = 1; thread T { N := 2; }", "N"),
    ("SA103", "enum C { R } global x : C; thread T { x := C; }", "C"),
    ("SA103", G + "thread T { x := y(1); }", "y(1)"),
    ("SA104", T + "invariant i : at T.CS;", "at T.CS"),
    ("SA105", "param x?1 : 0..3; " + T, "x?1"),
    ("SA105", G + "thread T { local a?1 : int; }", "a?1"),
    ("SA105", "automaton A { global x?2 : int; location a initial; }", "x?2"),
    ("SA106", "define d = d + 1; " + T, "d"),
    ("SA106", "define d(p) = e(p); define e(p) = d(p); " + T, "d(p)"),
    ("SA106", "function f(n : int) : int = f(n - 1); " + T, "f(n - 1)"),
    ("SA107", "global x : colour; " + T, "colour"),
    ("SA108", 'import "x.sa" as x; ' + T, 'import "x.sa" as x;'),
    ("SA201", G + "thread T { x := b; }", "b"),
    ("SA201", G + "thread T { assume x; }", "x"),
    ("SA201", G + "thread T { if (x + b > 1) { } }", "b"),
    ("SA201", G + "thread T { lock(b); }", "b"),
    ("SA201", "const N : 0..3 = 4; " + T, "4"),
    ("SA201", "function f(n : int) : bool = n; " + T, "n"),
    ("SA202", G + "thread T { assume x == b; }", "x == b"),
    ("SA202", "enum C { R } enum D { S } thread T { assume R == S; }", "R == S"),
    ("SA202", G + "thread T { x := if b then 1 else b; }", "if b then 1 else b"),
    ("SA203", G + "thread T { x, y := 1; }", "x, y := 1;"),
    ("SA203", "define d(p) = p; thread T { assume d(1, 2) == 1; }", "d(1, 2)"),
    ("SA204", G + "global z : 0..x; " + T, "x"),
    ("SA205", G + "thread T { x := x % 0; }", "0"),
    ("SA206", "global x : 3..2; " + T, "3..2"),
    ("SA206", "thread T[i : 2..1] { skip; }", "[i : 2..1]"),
    ("SA207", f"global x : 0..{2**65}; " + T, f"0..{2**65}"),
    ("SA207", "global x : int[1001]; " + T, "1001"),
    ("SA207", "thread T[i : 1..2000] { skip; }", "[i : 1..2000]"),
    ("SA208", "global f : int[2]; thread T { f[0] := f; }", "f"),
    ("SA208", G + "thread T { x := y[0]; }", "y[0]"),
    ("SA209", "const N = " + " * ".join(["99999999999999999999999999999999"] * 40) + "; " + T, None),
    ("SA210", G + "thread T { atomic { x := x * y; } }", "x * y"),
    ("SA211", "global " + ", ".join(f"x{i}" for i in range(40)) + " : int; "
     + "define s = " + " + ".join(f"x{i}" for i in range(40)) + "; thread T { x0 := s * s; }", None),
    ("SA212", G + "thread T { atomic { " + "if (x > 0) { x := x + 1; } " * 160 + "} }", None),
    ("SA301", G + "thread T { A := 1; }", "A"),
    ("SA302", "ghost global g : int; global x : int; thread T { x := g; }", "g"),
    ("SA302", "ghost global g : int; thread T { lock(g); }", "g"),
    ("SA302", "ghost global g : int; thread T { unlock(g); }", "g"),
    ("SA302", "ghost global g : int; thread T { if (cas(g, 0, 1)) { skip; } }", "g"),
    ("SA302", "ghost global g : int; global x : int; thread T { x := exchange(g, 1); }", "g"),
    ("SA302", "ghost global g : int[2]; global x : int; thread T { x := fetch_add(g[1], 1); }", "g[1]"),
    ("SA302", "ghost global q : seq<int, 2>; global x : int; thread T { x := pop(q); }", "pop(q)"),
    ("SA302", "ghost global q : seq<int, 2>; thread T { send(q, 1); }", None),
    ("SA303", G + "thread T { x := x'; }", "x'"),
    ("SA303", G + "thread T { rely A' == A; skip; }", "A'"),
    ("SA303", G + "thread T { rely x' == old(x); skip; }", "x'"),
    ("SA303", G + "thread T { rely x'' == x; skip; }", "x''"),
    ("SA303", G + "thread T { rely x == old(x'); skip; }", "old(x')"),
    ("SA304", G + "thread T { rely m' == m; local m : int; skip; }", "m'"),
    ("SA304", G + "thread T { rely unchanged m; local m : int; skip; }", "m"),
    ("SA305", G + "thread T { @a while (b) { skip; } }", "@a"),
    ("SA305", G + "thread T { atomic { @a skip; @b skip; } }", "@b"),
    ("SA305", G + "thread T { atomic { CS: skip; } }", "CS"),
    ("SA305", G + "thread T { while (b) { CS: break; } }", "CS: break;"),
    ("SA306", G + "thread T { atomic { while (b) { skip; } } }", "while (b) { skip; }"),
    ("SA306", G + "thread T { atomic { return; } }", "return;"),
    ("SA307", "thread T { break; }", "break;"),
    ("SA308", "thread T { @exit skip; }", "@exit"),
    ("SA308", "thread T { fail: skip; }", "fail"),
    ("SA309", "automaton P { location a; }", "P"),
    ("SA309", "automaton P { location a initial; location b initial; }", "location b initial;"),
    ("SA310", G + "thread T { x, x := 1, 2; }", "x"),
    ("SA310", "global a : int[2]; thread T { a, a[1] := {1, 2}, 1; }", "a[1]"),
    ("SA310", "global a : int[2]; thread T { a[1], a := 1, {1, 2}; }", "a"),
    ("SA310", "global a : int[2]; thread T { local i : 0..1; a[i], a[i] := 1, 2; }", "a[i]"),
    ("SA312", G + "thread T { assume (forall i : int :: x > i); }", "i : int"),
    ("SA313", "thread T { CS: assume at T.CS; }", "at T.CS"),
    ("SA314", "global x : 0..3 = 4; " + T, "4"),
    ("SA315", G + "thread T { atomic { " + "choose { x := x + 1; } or { skip; } " * 11 + "} }", None),
    ("SA316", G + "thread T { x := y; }", "x := y;"),
    ("SA316", "global k : 1..2; thread M { start T[k]; }\nthread T[i : 1..2] { skip; }", "start T[k];"),
    ("SA317", "automaton P { location a initial; edge a -> b; }", "b"),
    ("SA319", "global f : int[2]; thread T { f[2] := 0; }", "f[2]"),
    ("SA319", "global f : int[2]; global x : int; init f[x] == 0; " + T, "f[x]"),
    ("SA104", "thread T[i : *] { CS: skip; } invariant v : at T[1].CS;", "at T[1].CS"),
    ("SA312", "thread T[i : *] { CS: skip; } invariant v : exists i : T :: at T[i].CS;", "exists i : T :: at T[i].CS"),
    ("SA320", G + "thread T[i : *] { rely x' == x; skip; }", "rely x' == x;"),
    ("SA320", G + "automaton T[*] { location a initial { env x' == x; } }", "x' == x"),
    ("SA322", "proc f() : int { skip; } " + T, "proc f() : int"),
    ("SA103", "thread T[i : *] { i := 2; }", "i"),
    ("SA323", "thread T { start U; }", "U"),
    ("SA324", G + "thread T { wait(x, y); }", "x"),
    ("SA326", G + "thread T[i : *] { terminates; x := 1; }", "terminates;"),
    ("SA326", "thread T[i : *] { skip; } progress;", "progress;"),
    ("SA011", T + " terminates; terminates;", "terminates;"),
    ("SA325", G + "thread T { push(x, 1); }", "x"),
    ("SA102", "thread T[i : 1..2] { skip; } thread T[*] { skip; }", "T"),
    ("SA102", "thread T[*] { skip; } automaton T[3] { location a initial; }", "T"),
    ("SA102", "global self : int; thread T[*] { skip; }", "[*]"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text", "place"), EXAMPLES, ids=[f"{c} {t[:40]}" for c, t, _ in EXAMPLES])
def test_a_mistake_is_reported_with_its_code_where_it_is(code: str, text: str, place: str | None) -> None:
    found = complaints(text)
    assert (code, place) in found or (place is None and code in {c for c, _ in found}), found


def test_every_code_of_the_language_has_an_example_here_or_among_the_files() -> None:
    elsewhere = {"SA013", "SA014", "SA015", "SA016", "SA018", "SA019", "SA321", "SA451", "SA452", "SA453"}
    own = {c for c in CATALOGUE if c < "SA400" or c in elsewhere}
    assert {code for code, _, _ in EXAMPLES} | elsewhere == own


def test_all_mistakes_of_a_file_are_reported_at_once() -> None:
    text = "global x : int;\nthread T { x := y; b := 1; }\nthread U { x := true; }\ninvariant i : at T.CS;"
    assert [c for c, _ in complaints(text)] == ["SA101", "SA101", "SA201", "SA104"]


def test_a_syntax_error_in_one_declaration_does_not_hide_one_in_another() -> None:
    text = "global x int;\nthread T { x := ; }\nthread U { skip; }\nthread V { skip }"
    assert [(c, p) for c, p in complaints(text)] == [("SA002", "int"), ("SA002", ";"), ("SA002", "}")]


def test_a_mistyped_name_is_answered_with_the_nearest_one() -> None:
    (problem,) = problems_of("global flag1 : int; thread T { flg1 := 1; }")
    assert problem.hint == "did you mean `flag1`?"


def test_a_mistake_in_a_declaration_is_not_repeated_at_every_use() -> None:
    assert [c for c, _ in complaints("global x : colour; thread T { x := 1; x := x + 1; }")] == ["SA107"]


def test_a_second_declaration_points_to_the_first() -> None:
    (problem,) = problems_of("global x : int; thread T { local x : bool; }")
    (first,) = problem.labels
    assert first.span.start == 7


def test_a_semicolon_missing_at_the_end_of_a_line_is_suggested() -> None:
    (found,) = problems_of("global x : int;\nthread T {\n  x := 1\n}\n")
    assert found.code == "SA002"
    assert found.hint is not None
    assert "`;`" in found.hint
