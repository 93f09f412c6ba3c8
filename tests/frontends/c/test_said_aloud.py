"""What an answer about C assumes and does not check is said beside it, only where it can matter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sa.base.limits import Limits
from sa.cli.main import application
from sa.conditions.possible_divergence import termination
from sa.frontends.c.load import load_with
from sa.frontends.load import load_program
from sa.frontends.reading import USUAL, Reading

HEADS = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n"
LOCKED = HEADS + (
    "int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
    "void *w(void *a) { pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); return 0; }\n"
    "int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); return 0; }\n"
)
ALONE = HEADS + "int x; int main(void) { x = 1; return 0; }\n"


def unchecked(path: Path, text: str, reading: Reading = USUAL) -> list[str]:
    path.write_text(text)
    return [c.kind for c in load_with(str(path), reading).said.not_checked]


@pytest.mark.parametrize(
    ("text", "reading", "expected"),
    [
        (ALONE, USUAL, []),
        (LOCKED, USUAL, ["races", "deadlock"]),
        (LOCKED, Reading(races=True), ["deadlock"]),
        (LOCKED, Reading(deadlock=True), ["races"]),
        (HEADS + "int x; int main(void) { x = x + 1; return 0; }", USUAL, ["overflow"]),
        (HEADS + "int x; int main(void) { x = x + 1; return 0; }", Reading(overflow="check"), []),
        (HEADS + "int x; int main(void) { x = x + 1; return 0; }", Reading(overflow="wrap"), []),
        (HEADS + "unsigned x; int main(void) { x = x + 1; return 0; }", USUAL, []),
        (HEADS + "int main(void) { int *p = malloc(4); free(p); return 0; }", USUAL, ["leaks"]),
        (HEADS + "int main(void) { int *p = malloc(4); free(p); return 0; }", Reading(only="valid-memsafety"), []),
    ],
)
def test_what_is_not_checked_is_named_where_there_is_any(
    tmp_path: Path, text: str, reading: Reading, expected: list[str]
) -> None:
    assert unchecked(tmp_path / "x.c", text, reading) == expected


def test_weaker_orders_are_named_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    path.write_text(
        HEADS + "atomic_int x;\nint main(void) {\natomic_store_explicit(&x, 1, memory_order_release);\n"
        "atomic_store(&x, 2);\nreturn atomic_load_explicit(&x, memory_order_acquire); }\n"
    )
    (weak,) = [c for c in load_with(str(path), USUAL).said.assumptions if c.kind == "weak-orders"]
    assert "lines 7 and 9 of x.c" in weak.text
    assert len(weak.places) == 2


def test_an_answer_has_them_as_text_and_as_data(tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    path.write_text(LOCKED)
    shown = CliRunner().invoke(application(), ["verify", str(path)]).output
    assert "Assuming sequential consistency." in shown
    assert "NOT CHECKED: data races (--races)" in shown
    found = json.loads(CliRunner().invoke(application(), ["verify", "--json", str(path)]).stdout)
    assert [c["kind"] for c in found["not_checked"]] == ["races", "deadlock"]
    assert all(c["text"] and c["check"] for c in (*found["assumptions"], *found["not_checked"]))


def test_other_tools_get_them(tmp_path: Path) -> None:
    path, sarif, junit = tmp_path / "x.c", tmp_path / "s.json", tmp_path / "j.xml"
    path.write_text(LOCKED)
    CliRunner().invoke(application(), ["verify", "--sarif", str(sarif), "--junit", str(junit), str(path)])
    assert "data races" in sarif.read_text()
    assert "data races" in junit.read_text()


PLAIN = "thread T {{ local i : int = 0; local n : int; {} }}\n"


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("x := 1;", None),
        ("await x == 1;", "line 2 of x.sa may wait for ever"),
        ("while (x == 0) { skip; }", "line 2 of x.sa may loop for ever"),
        ("while (i < 10) { i := i + 1; }", None),
        ("while (i > -10) { i := i - 1; }", None),
        ("while (i < n) { i := i + 2; }", None),
        ("while (i < 10) { i := i - 1; }", "line 2 of x.sa may loop for ever"),
        ("while (i < x) { i := i + 1; }", "line 2 of x.sa may loop for ever"),
        ("while (i < n) { i := i + 1; n := n + 1; }", "line 2 of x.sa may loop for ever"),
        ("while (i < 10) { if (x == 1) { i := i + 1; } }", "line 2 of x.sa may loop for ever"),
        ("if (x == 1) { x := 2; } else { x := 3; }", None),
    ],
)
def test_termination_is_spoken_of_where_a_thread_may_not_end(tmp_path: Path, body: str, sentence: str | None) -> None:
    path = tmp_path / "x.sa"
    path.write_text("global x : int;\n" + PLAIN.format(body))
    found = termination((load_program(str(path)).program,), Limits())
    assert [c.text for c in found] == ([] if sentence is None else [f"Termination is not compared: {sentence}."])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("for (int i = 0; i < 9; i++) emit(i);", False),
        ("while (emit(1)) ;", True),
        ("emit(1);", False),
    ],
)
def test_refinement_of_c_says_so_too(tmp_path: Path, body: str, said: bool) -> None:
    path = tmp_path / "x.c"
    path.write_text(f"int emit(int);\nint main(void) {{\n{body}\nreturn 0; }}\n")
    shown = CliRunner().invoke(application(), ["refine", str(path), str(path)]).output
    assert ("Termination is not compared: line 3 of x.c may loop for ever." in shown) == said


def test_what_may_follow_undefined_behaviour_is_no_loop_of_a_function(tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    load = "atomic_load_explicit(&x, memory_order_relaxed)"
    path.write_text(f"#include <stdatomic.h>\nint a; atomic_int x;\nint f(void) {{ a = 1; return {load}; }}\n")
    shown = CliRunner().invoke(application(), ["refine", "--function", "f", str(path), str(path)]).output
    assert "PROVED" in shown
    assert "Termination" not in shown


def test_an_unlocked_thread_that_is_joined_plainly_ends(tmp_path: Path) -> None:
    """A wait for a lock may be for ever; a thread that was not created does not wait, and one that is joined ends."""
    for lock, unlock, said in (("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);", True), ("", "", False)):
        path = tmp_path / "x.c"
        body = "\npthread_mutex_lock(&m); emit(x); pthread_mutex_unlock(&m);" if lock else ""
        text = LOCKED.replace("pthread_mutex_lock(&m);", lock).replace("pthread_mutex_unlock(&m);", unlock)
        path.write_text("void emit(int);\n" + text.replace("pthread_join", f"{body}pthread_join"))
        shown = CliRunner().invoke(application(), ["refine", str(path), str(path)]).output
        assert ("Termination is not compared" in shown) == said


@pytest.mark.parametrize(("strength", "said"), [("weak", True), ("strong", False)])
@pytest.mark.parametrize("reading", [USUAL, Reading(only="termination")])
def test_that_a_weak_exchange_may_fail_for_ever_is_said_of_termination(
    tmp_path: Path, strength: str, said: bool, reading: Reading
) -> None:
    path = tmp_path / "x.c"
    path.write_text(
        f"{HEADS}atomic_int x;\nint main(void) {{ int old = 0;\n"
        f"while (!atomic_compare_exchange_{strength}(&x, &old, 1)) old = 0;\nreturn 0; }}\n"
    )
    found = [c.text for c in load_with(str(path), reading).said.assumptions if c.kind == "spurious-failures"]
    assert bool(found) == (said and reading is not USUAL)
    assert all("line 7" in text for text in found)
