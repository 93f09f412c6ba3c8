"""`explain` shows an example of most codes, and the example gives the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sa.app.check import check
from sa.app.refine import RefineRequest, refine
from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.engines.options import Options
from sa.language.codes import CATALOGUE

#: What files cannot show, or only large ones: files that cannot be read, limits, what only other commands say.
WITHOUT = {
    *("SA007", "SA012", "SA013", "SA014", "SA015", "SA016", "SA108", "SA209", "SA211", "SA212", "SA315", "SA321"),
    *("SA403", "SA410", "SA506", "SA509", "SA510", "SA511", "SA512", "SA603"),
    *("SA701", "SA703", "SA705", "SA713", "SA714", "SA717", "SA718", "SA721", "SA722", "SA723", "SA724"),
    *(f"SA74{n}" for n in range(10)),
    *(f"SA9{n:02}" for n in range(3, 25) if n not in (6, 9)),
}
EXAMPLES = {code: found.example for code, found in CATALOGUE.items() if found.example}


def codes_of(example: str, folder: Path) -> set[str]:
    """What `check` says of the files of an example, and `refine` where it compares two or nothing else is wrong."""
    texts, name = dict[str, list[str]](), "example.sa"
    for line in example.splitlines():
        if begins := re.fullmatch(r"// (\w+\.(?:sa|c))", line):
            name = begins[1]
        else:
            texts.setdefault(name, []).append(line)
    for name, lines in texts.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    found = {d.code for file in check(tuple(texts), False, limits(60.0, None)) for d in file.diagnostics}
    if "conc.sa" not in texts and found:
        return found
    paths = ("abs.sa", "conc.sa") if "conc.sa" in texts else tuple(texts)
    try:
        answers = list(refine(RefineRequest(paths, False, Options(limits(60.0, None)))))
    except InputError as wrong:
        return found | {d.code for d in wrong.diagnostics}
    return found | {d.code for a in answers for d in (*a.noticed, *a.outcome.warnings)}


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_of_a_code_gives_the_code(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert code in codes_of(EXAMPLES[code], tmp_path)


def test_every_code_that_files_can_show_has_an_example() -> None:
    assert {code for code in CATALOGUE if code not in EXAMPLES} == WITHOUT
