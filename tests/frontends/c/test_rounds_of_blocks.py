"""Each entry of a block makes new variables (C11 6.2.4p6): pointers to those of an earlier round are dangling."""

from __future__ import annotations

from pathlib import Path

from sa.automata.automaton import Fault
from sa.base.verdict import Verdict
from tests.frontends.c.programs import faults, verdict
from tests.parts import for_each

#: Programs that use a variable of the round before, and what makes each of them right.
OLD = {
    "in a loop": ("int s = 0; for (int i = 0; i < 2; i++) { int x = i; if (p) s += *p; p = &x; }", "p = &x", "p = 0"),
    "in a `while` loop": ("int n = 0; while (n < 2) { int x = n; if (p) *p = 1; p = &x; n++; }", "p = &x", "p = 0"),
    "by `goto`": (
        "int n = 0; again: { int x = n; if (p) *p = 1; p = &x; } if (n++ < 1) goto again;",
        "p = &x",
        "p = 0",
    ),
    "of a `switch`": (
        "for (int i = 0; i < 2; i++) switch (i) { default: { int x = i; if (p) *p = 1; p = &x; } }",
        "p = &x",
        "p = 0",
    ),
    "of a call": ("for (int i = 0; i < 2; i++) call(i);", "", ""),
    "a literal": ("for (int i = 0; i < 2; i++) { int *x = &(int) {i}; if (p) *p = 1; p = x; }", "p = x", "p = 0"),
    "an array": ("for (int i = 0; i < 2; i++) { int x[2] = {i, 0}; if (p) *p = 1; p = &x[1]; }", "p = &x[1]", "p = 0"),
}


def test_several_variables_of_a_round_have_ended(tmp_path: Path) -> None:
    rounds = "for (int i = 0; i < 2; i++) { int x = i, y = i; if (q) *q = 1; p = &x; q = &y; }"
    old = f"int *p, *q; int main(void) {{ {rounds} }}"
    assert faults(tmp_path, old) == {Fault.ENDED}
    assert faults(tmp_path, old.replace("q = &y", "q = 0")) == set()


CALL = "int *p; void call(int i) { int x = i; if (p) *p = 1; p = &x; }\n"


@for_each("name", tuple(OLD))
def test_a_variable_of_an_earlier_round_has_ended(name: str, tmp_path: Path) -> None:
    statements, kept, forgotten = OLD[name]
    text = f"{CALL}int main(void) {{ {statements} return 0; }}"
    assert faults(tmp_path, text) == {Fault.ENDED}
    right = text.replace("p = &x; }", "p = 0; }") if name == "of a call" else text.replace(kept, forgotten)
    assert faults(tmp_path, right) == set()


def test_a_variable_that_is_declared_again_in_its_block_has_not_ended(tmp_path: Path) -> None:
    text = "int main(void) { int n = 0, *p = 0; { again: ; int x = n; if (p) *p = 3; p = &x; if (!n++) goto again; } }"
    assert faults(tmp_path, text) == set()


def test_a_thread_keeps_no_variable_of_an_earlier_round(tmp_path: Path) -> None:
    shared = "int *_Atomic p; void *w(void *a) { int *q = p; if (q) *q = 1; return 0; }"
    rounds = "for (int i = 0; i < 2; i++) { int x = i; p = &x; END }"
    main = "int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); ROUNDS pthread_join(t, 0); return 0; }"
    kept = shared + main.replace("ROUNDS", rounds.replace("END", ""))
    assert faults(tmp_path, kept) == {Fault.ENDED}
    # The thread may have read the address before it is taken back.
    taken = shared + main.replace("ROUNDS", rounds.replace("END", "p = 0;"))
    assert faults(tmp_path, taken) == {Fault.ENDED}


def test_more_rounds_than_are_told_apart_prove_nothing(tmp_path: Path) -> None:
    text = (
        "extern int __VERIFIER_nondet_int(void); int main(void) { int *p = 0, n = __VERIFIER_nondet_int();"
        " for (int i = 0; i < n; i++) { int x = i; if (i > 100 && p == 0) n = 0; p = &x; } return p != 0; }"
    )
    assert verdict(tmp_path, text, 10.0) is Verdict.UNKNOWN
