"""Nothing that comes from a file or its name is a command to the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sa.cli.main import application
from sa.report.printable import escaped_json, printable, printable_but_colours
from sa.report.screen import Screen, render
from sa.report.text import Text

#: Clears the screen, sets the title, goes back, turns the text, is half a character, is a line to some.
COMMANDS = ("\x1b[2J", "\x1b]0;title\x07", "\r", "\x9b2J", "\u202e", "\u200b", "\udcff", "\u2028", "\x7f", "\U000e0041")


@pytest.mark.parametrize("command", COMMANDS, ids=ascii)
def test_what_a_terminal_would_obey_is_replaced(command: str) -> None:
    for shown in (printable, printable_but_colours):
        assert shown(f"a{command}é🙂\n").startswith("a\ufffd")
        assert shown(f"a{command}é🙂\n").endswith("é🙂\n")
        assert command[0] not in shown(f"a{command}é🙂\n")


def test_colours_of_a_report_stay_and_those_of_a_file_do_not() -> None:
    report = render(Screen(80, colour=True), [Text("\x1b[31mx.sa", "bold")])
    assert printable_but_colours(report) == report
    assert report == "\x1b[1m\ufffd[31mx.sa\x1b[0m\n"


def test_a_line_of_a_report_is_one_line() -> None:
    assert render(Screen(), [Text("error in x.sa\nPROVED")]) == "error in x.sa\ufffdPROVED\n"


@pytest.mark.parametrize("command", COMMANDS, ids=ascii)
def test_json_says_the_same_without_the_character(command: str) -> None:
    text = escaped_json(json.dumps({"file": command}, ensure_ascii=False))
    assert printable(text) == text
    assert json.loads(text) == {"file": command}


@pytest.mark.parametrize("command", COMMANDS[:7], ids=ascii)
def test_file_names_and_source_lines_are_shown_harmlessly(command: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{command}.sa"
    path.write_text("global x : int;\nthread T { y := 1; } // \x1b[2J\n")
    result = CliRunner().invoke(application(), ["check", str(path)])
    assert result.exit_code == 2
    assert printable(result.stderr) == result.stderr
