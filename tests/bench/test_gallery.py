"""The page of the gallery says what is found today; the quick entries on each run, all of them in the long one."""

from __future__ import annotations

import pytest

from bench.gallery import PAGE, row, shown, verdicts
from bench.gallery_entries import ENTRIES, Entry
from bench.subjects import SPECS

#: Entries of each chapter that take a second or less.
QUICK = ("read-after-read", "common-subexpression", "adjacent-field", "read-read", "coarsening", "update-by-zero")

SAMPLE = [e if e.folder in QUICK else pytest.param(e, marks=pytest.mark.fuzz) for e in ENTRIES]


def test_every_folder_is_an_entry_and_every_entry_is_on_the_page() -> None:
    folders = {folder.name for folder in (SPECS / "optimisations").iterdir()}
    assert folders == {entry.folder for entry in ENTRIES} == set(verdicts(PAGE.read_text(encoding="utf-8")))


@pytest.mark.parametrize("entry", SAMPLE, ids=lambda entry: entry.folder)
def test_an_entry_is_found_as_the_page_has_it(entry: Entry) -> None:
    written = verdicts(PAGE.read_text(encoding="utf-8"))[entry.folder]
    assert verdicts(row(entry, shown(entry)))[entry.folder] == written
    assert written[0] == "PROVED"
    assert written[4] == "REFUTED"
