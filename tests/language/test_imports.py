"""Files that are imported and are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.base.source import position
from sa.language.load import load_program, load_script


def test_a_missing_import_hides_no_other_error(tmp_path: Path) -> None:
    """What is said with the missing name is not looked at: nobody knows what it would mean."""
    (tmp_path / "here.sa").write_text("global x : int = 0;\nthread T { x := 1; }\n")
    script = tmp_path / "script.sa"
    script.write_text(
        'import "gone.sa" as g;\nimport "here.sa" as h;\n'
        "lemma a: g.T refines h.T by auto;\n"
        "lemma b: h.Nobody refines g.T by auto;\n"
        "lemma c: h.Nobody refines h.T by auto;\n"
    )
    with pytest.raises(InputError) as wrong:
        load_script(str(script))
    spans = [(d.code, d.span) for d in wrong.value.diagnostics]
    found = [(code, None if span is None else position(span.source, span.start).line) for code, span in spans]
    assert ("SA013", 1) in found
    assert ("SA605", 5) in found
    assert not [line for _, line in found if line in (3, 4)]


def test_a_program_says_all_that_is_wrong_with_it_too(tmp_path: Path) -> None:
    program = tmp_path / "p.sa"
    program.write_text(
        'import "gone.sa" as g;\nglobal x : int = 0;\nthread T { y := 1; x := g.N; }\nthread U { z := 1; }\n'
    )
    with pytest.raises(InputError) as wrong:
        load_program(str(program))
    assert [d.code for d in wrong.value.diagnostics] == ["SA013", "SA101"]
