"""The engine that counts copies: programs for any number of threads, right with one text and wrong with another."""

from __future__ import annotations

import pytest

from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.engine import ClaimEngine, Turn
from sa.engines.portfolio_of_families import BOUNDED, COUNTS
from sa.engines.verify import Options, verify
from tests.language.texts import program_of

#: With what is right in the place of `$`, and with what is wrong.
TWINS = {
    "what a copy tests of itself says something of shared variables": (
        """enum S { Inv, Shared, Mod } global owner, sharers : int = 0;
        thread C[i : *] { local st : S = Inv; while (true) {
          choose { await st == Inv && owner == 0 { st := Shared; sharers += 1; } }
          or { await st == Shared { st := Inv; sharers -= 1; } }
          or { await st == Shared && sharers == $ { st := Mod; sharers := 0; owner := i; } }
          or { await st == Mod { st := Inv; owner := 0; } } } }
        invariant coherent : forall a, b : C :: a != b ==> !(C[a].st == Mod && C[b].st != Inv);""",
        ("1", "2"),
    ),
    "an equation holds while a lock is free, and with what the holder has still to add": (
        """param S : int; global a : int = S; global b, l : int = 0;
        thread T[i : *] { local k : int; while (true) {
          havoc k; await l == 0 { l := i; } a := a - k; $ b := b + k; l := 0; } }
        thread Audit { local s : int = S; while (true) {
          await l == 0 { l := -1; } s := a; s := s + b; l := 0; assert s == S; } }""",
        ("", "l := 0; await l == 0 { l := i; }"),
    ),
    "copies are counted apart by what they test of their own variables": (
        """global left : int = 7; global sold : int = 0;
        thread Client[*] { local v : int; while (*) {
          v := fetch_add(left, -1); if (v $ 0) { sold := sold + 1; } else { left := left + 1; } } }
        invariant enough : sold <= 7;""",
        (">", ">="),
    ),
    "what is taken need not come back": (
        """global sold : int = 0;
        thread T[*] { local s : int = 0; local ok : bool = false; while (true) {
          s := sold; ok := cas(sold, s, s + 1); if (ok) { if (*) { sold := sold - 1; } } $ } }
        invariant some : sold >= 0;""",
        ("", "if (*) { sold := sold - 1; }"),
    ),
    "a flag tells which of two ways a ticket was drawn": (
        """global next, serving : int = 0;
        thread T[*] { local my : int = 0; local ok : bool = false; while (true) {
          if (*) { my := fetch_add(next, 1); await serving == my; ok := true; }
          else { my := $; ok := cas(next, my, my + 1); }
          if (ok) { CS: skip; serving := serving + 1; } } }
        invariant mutex : forall i, j : T :: i != j ==> !(at T[i].CS && at T[j].CS);""",
        ("serving", "next"),
    ),
    "who has set a flag of a short array owns what is beside it": (
        """global used : bool[2] = false; global who : int[2] = 0;
        thread T[t : *] { local i : 0..1 = 0; local got : bool = false; while (true) {
          got := cas(used[i], false, true);
          if (got) { who[i] := t; $ assert who[i] == t; used[i] := false; } else { i := 1 - i; } } }""",
        ("", "used[i] := false;"),
    ),
    "who has a place keeps others out of theirs; two copies of one family and one of another": (
        """global readers, m, room : int = 0;
        thread R[*] { while (true) {
          await m == 0 { readers += 1; if (readers == 1) { m := 1; } }
          if (readers == 1 && m == 1) { await room == 0 { room := 1; } m := 0; }
          RD: skip;
          await m == 0 { readers -= 1; $ } } }
        thread W[*] { while (true) { await room == 0 { room := 2; } WR: skip; room := 0; } }
        invariant apart : forall r : R, w : W :: !(at R[r].RD && at W[w].WR);""",
        ("if (readers == 0) { room := 0; }", "room := 0;"),
    ),
    "one word counts readers and tells who writes; what a reader saw of it is tested before it is changed": (
        """global word, a, b : int = 0;
        thread Reader[*] { local s, x, y : int = 0; local got : bool = false; while (true) {
          got := false;
          while (!got) { s := word; if (s >= $) { got := cas(word, s, s + 1); } }
          x := a; y := b; assert x == y; s := fetch_add(word, -1); } }
        thread Writer[*] { local got : bool = false; while (true) {
          got := false; while (!got) { got := cas(word, 0, -1); }
          a := a + 1; W: b := b + 1; word := 0; } }
        invariant one : forall i, j : Writer :: i != j ==> !(at Writer[i].W && at Writer[j].W);""",
        ("0", "-1"),
    ),
}


@pytest.mark.parametrize("about", TWINS)
def test_the_right_one_is_proved_for_any_number_and_the_wrong_one_refuted(about: str) -> None:
    text, (right, wrong) = TWINS[about]
    assert _verdict(text.replace("$", right), COUNTS) is Verdict.PROVED
    assert _verdict(text.replace("$", wrong), BOUNDED) is Verdict.REFUTED


def _verdict(text: str, engine: ClaimEngine) -> Verdict | None:
    return verify(program_of(text), Options(limits(60.0, None), portfolio=(Turn(engine, 1.0),))).verdict
