"""The frozen table: what is a question, what a row says, and what makes a later table worse."""

from pathlib import Path

import msgspec
import pytest

from bench.answering import Answer, Asking, Settled, answer
from bench.comparing import compared
from bench.verdicts import ROOT, questions, rows_of

PROGRAM = """
global x : int = 0;
thread T { while (true) { x := x + 1; } }
invariant grows : x >= 0;
"""
ASKING = Asking(ROOT, 60.0, 2000)


def row(verdict: str, *claims: str, seconds: float = 1.0) -> Answer:
    """A row with claims of these verdicts."""
    return Answer("q", verdict, tuple(Settled(f"c{n}", v) for n, v in enumerate(claims)), seconds)


@pytest.mark.parametrize(
    ("before", "now", "worse"),
    [
        (row("PROVED"), row("PROVED"), False),
        (row("PROVED"), row("REFUTED"), True),
        (row("REFUTED"), row("UNKNOWN"), True),
        (row("UNKNOWN"), row("PROVED"), False),
        (row("UNKNOWN", "PROVED", "UNKNOWN"), row("UNKNOWN", "UNKNOWN", "UNKNOWN"), True),
        (row("UNKNOWN", "PROVED", "UNKNOWN"), row("REFUTED", "UNKNOWN", "REFUTED"), False),
        (row("REFUTED", "PROVED", "REFUTED"), row("REFUTED", "REFUTED", "REFUTED"), True),
    ],
)
def test_a_table_is_worse_if_something_is_turned_round_or_lost(before: Answer, now: Answer, worse: bool) -> None:
    assert compared({"q": before}, {"q": now}).worse is worse


def test_the_mean_is_that_of_what_both_tables_decide() -> None:
    before = {"a": row("PROVED", seconds=1.0), "b": row("PROVED", seconds=1.0), "c": row("UNKNOWN", seconds=1.0)}
    now = {"a": row("PROVED", seconds=4.0), "b": row("PROVED", seconds=1.0), "c": row("UNKNOWN", seconds=60.0)}
    assert "x2.00 of the processor time" in compared(before, now).text


def test_pairs_are_questions_and_options_come_from_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "one.c").write_text("// options: --races\nint main(void) { return 0; }\n")
    (tmp_path / "pair").mkdir()
    for name in ("before.c", "after.c"):
        (tmp_path / "pair" / name).write_text("void f(void) {}\n")
    (tmp_path / "pair" / "options").write_text("--preserve termination\n")
    pair = tmp_path / "pair"
    assert dict(questions([tmp_path])) == {
        f"{tmp_path.name}/one.c": ("verify", str(tmp_path / "one.c"), "--races"),
        f"{tmp_path.name}/pair/after.c": (
            *("refine", str(pair / "before.c"), str(pair / "after.c")),
            *("--function", "f", "--preserve", "termination"),
        ),
    }


def test_a_row_says_what_settled_each_claim(tmp_path: Path) -> None:
    (tmp_path / "p.sa").write_text(PROGRAM)
    found = answer("p", ("verify", str(tmp_path / "p.sa")), ASKING)
    assert (found.verdict, [s.verdict for s in found.settled]) == ("PROVED", ["PROVED"])
    assert found.settled[0].technique and found.certificate and found.seconds > 0.0


def test_what_uses_up_its_processor_time_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "p.sa").write_text(PROGRAM)
    found = answer("p", ("verify", str(tmp_path / "p.sa")), msgspec.structs.replace(ASKING, seconds=0.1))
    assert found.verdict in ("UNKNOWN", "NONE")


def test_a_table_that_was_cut_off_keeps_its_whole_rows(tmp_path: Path) -> None:
    whole = msgspec.json.encode(row("PROVED"))
    (tmp_path / "t").write_bytes(whole + b"\n" + whole[:20])
    assert rows_of(tmp_path / "t") == {"q": row("PROVED")}
