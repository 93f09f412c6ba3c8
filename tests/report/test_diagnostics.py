"""Diagnostics as a user sees them."""

from __future__ import annotations

import pytest

from sa.base.diagnostic import Label, error, warning
from sa.base.source import Source, Span
from sa.report.diagnostics import show_diagnostics
from sa.report.json import builtins, diagnostics_json
from sa.report.screen import Screen
from sa.report.snippet import place, snippet
from tests.golden import assert_golden
from tests.report.samples import span

FILE = Source("specs/a.sa", "global flag1 : int;\nthread T {\n  x := flagg1 + 1;\n}\n")
OTHER = Source("specs/b.sa", "global flag1 : bool;\n")


def under(text: str, part: str, width: int = 80) -> str:
    """The part of the displayed line that is underlined."""
    shown = snippet(span(Source("f", text), part), width)
    assert len(shown.text) <= width
    return shown.text[shown.start : shown.end]


def test_errors_with_place_caret_second_places_and_hint() -> None:
    """The whole layout."""
    unknown = error(
        "SA201",
        "unknown name `flagg1`",
        span(FILE, "flagg1"),
        "did you mean `flag1`?",
        (Label(span(FILE, "flag1"), "this one"),),
    )
    twice = error("SA202", "declared twice", span(FILE, "flag1"), None, (Label(span(OTHER, "flag1"), "first here"),))
    lines = warning("SA301", "a span of several lines", span(FILE, "thread T {\n  x := flagg1 + 1;"))
    nowhere = error("SA001", "cannot read `c.sa`: no such file")
    assert_golden("diagnostics.txt", show_diagnostics((unknown, twice, lines, nowhere), Screen(80)))


def test_a_line_is_underlined_exactly_where_the_span_is() -> None:
    """Plain case."""
    assert under("x := flagg1 + 1;", "flagg1") == "flagg1"


def test_tabs_before_the_span_move_the_caret_as_they_move_the_text() -> None:
    """A tab goes to the next multiple of four."""
    shown = snippet(span(Source("f", "\tx\t:= y;"), "y"), 80)
    assert shown.text == "    x   := y;"
    assert (shown.start, shown.end) == (11, 12)


def test_wide_characters_take_two_cells() -> None:
    """The caret stands under the span, not under the character of the same number."""
    shown = snippet(span(Source("f", "// 漢字 x"), "x"), 80)
    assert (shown.start, shown.end) == (8, 9)


def test_invisible_characters_are_made_visible() -> None:
    """A zero-width or control character never hides, and never reaches the terminal."""
    assert snippet(span(Source("f", "a\x1b\u200bb"), "b"), 80).text == "a\ufffd\ufffdb"


@pytest.mark.parametrize("before", [0, 5, 60, 500])
@pytest.mark.parametrize("after", [0, 5, 500])
def test_a_long_line_is_cut_so_that_the_span_stays_visible(before: int, after: int) -> None:
    """The ellipsis is never what is underlined."""
    assert under("." * before + "here" + "." * after, "here", 40) == "here"


def test_a_span_longer_than_the_line_is_underlined_to_the_end_of_what_is_shown() -> None:
    """Cut, not wrapped."""
    shown = snippet(Span(Source("f", "x" * 500), 10, 490), 40)
    assert shown.end <= 40


def test_a_span_of_several_lines_is_underlined_on_its_first() -> None:
    """No caret after the text."""
    assert under("a b\n  c d", "b\n  c") == "b"


@pytest.mark.parametrize("text", ["", "x", "x\n", "x\r\n"])
def test_the_end_of_the_file_has_a_place(text: str) -> None:
    """An unexpected end is shown with one caret."""
    shown = snippet(Span(Source("f", text), len(text), len(text)), 40)
    assert shown.end == shown.start + 1
    assert place(Span(Source("f", "x\n"), 2, 2)) == "f:2:1"


def test_json_has_lines_and_columns_from_one() -> None:
    """Stable keys."""
    document = builtins(diagnostics_json((error("SA201", "m", span(FILE, "flagg1"), "h"),), 2))
    assert document["format"] == "sacheck-diagnostics/1"
    assert document["diagnostics"] == [
        {
            "code": "SA201",
            "severity": "error",
            "message": "m",
            "span": {"file": "specs/a.sa", "line": 3, "column": 8, "end_line": 3, "end_column": 14},
            "labels": [],
            "hint": "h",
        }
    ]
