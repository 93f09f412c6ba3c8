"""What users of SPIN, TLA+ and other languages write first gets a hint that says how it is written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.language.load import load

THREAD = "thread T { skip; }"
HABITS = [
    ("chan c = [2] of { int };", "`seq<int, 4>`"),
    ("active [2] proctype P() { skip }", "`thread T[i : 1..3] { … }` for several"),
    ("mtype = { req, ack };", "write `enum Name { first, second }`"),
    ("thread T { q!1; }", "`send(q, 1);`"),
    ("thread T { q?x; }", "`x := receive(q);`"),
    ("thread T { do :: skip od }", "`choose { … } or { … }`"),
    ("thread T { if :: x -> skip; fi }", "`choose { … } or { … }`"),
    ("thread T { await x > 0 /\\ x < 3; }", "`&&` is conjunction"),
    ("invariant i : \\A k \\in 1..2 : k > 0;", "write `forall i : 1..3 :: e`"),
    ("thread T { x' = x + 1; }", "`x := …;` assigns; primes are for relies"),
    ("invariant i : [](x == 0);", "an invariant always holds"),
    ("property p : <>(x == 1);", "`leads P ~> Q;` that `Q` follows `P`"),
    ("fairness " + THREAD, "write `fair;`"),
    ("global q : seq<int, 2>[3];", "there are no arrays of sequences"),
    ("global q : seq<int> = {};", "a sequence has a greatest length"),
    ("global s : set<int> = {};", "there are no sets"),
    ("global s : int[int];", "the size of an array is a number"),
    ("struct Msg { a : int; }", "there are no structures"),
    ("global bool flag = false;", "`global flag : bool = false;`"),
    ("thread T { if (b) { skip; } elif (c) { skip; } }", "write `else if (…) { … }`"),
    ("global q : seq<int, 1> = {}; thread T { local x : int; x := receive(q) + 1; }", "it is a step of its own"),
    (THREAD + " }", "this `}` is one too many"),
    ("thread T { rely x unchanged; }", "`unchanged x`"),
    ("thread T[i : 1..3] { CS: skip; } invariant i : !at T.CS;", "`forall i : T :: ... at T[i].CS ...`"),
]


@pytest.mark.parametrize(("text", "said"), HABITS, ids=[text[:40] for text, _ in HABITS])
def test_a_habit_of_another_language_gets_a_hint(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "t.sa").write_text(text)
    with pytest.raises(InputError) as wrong:
        load(str(tmp_path / "t.sa"))
    assert any(said in (d.hint or "") for d in wrong.value.diagnostics), [d.hint for d in wrong.value.diagnostics]


def test_a_local_in_a_refinement_block_is_named_without_its_thread(tmp_path: Path) -> None:
    from sa.app.check import check
    from sa.base.limits import Limits

    (tmp_path / "abs.sa").write_text("thread T { local v : int; skip; }")
    (tmp_path / "conc.sa").write_text("thread T { local v : int; skip; } refinement r { relate T.v; }")
    (checked,) = check((str(tmp_path / "conc.sa"),), False, Limits())
    assert any("a local is named without its thread: `v`" in (d.hint or "") for d in checked.diagnostics)
