"""Every pair of specs is answered as it says itself that it should be."""

from pathlib import Path

import pytest

from bench.measure import ask
from bench.subjects import PAPER, SPECS, SUBJECTS, Subject, folders_with_pairs, twins_of
from sa.base.verdict import Verdict

FOLDERS = tuple(folders_with_pairs(SPECS))
#: The subjects that the paper answers with No.
REFUTED_IN_THE_PAPER = {"peterson", "dead-code-elimination"}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(SPECS).as_posix())
def test_a_spec_gets_the_verdict_that_it_expects_with_evidence(folder: Path) -> None:
    outcome = ask(folder / "abs.sa", folder / "conc.sa", timeout=60.0)
    assert outcome.expected is not None, "the spec expects nothing"
    assert outcome.verdict is outcome.expected, [result.unknown for result in outcome.results]
    assert outcome.results
    for result in outcome.results:
        assert (result.relation is not None) == (result.verdict is Verdict.PROVED)
        assert (result.play is not None) == (result.verdict is Verdict.REFUTED)


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.folder)
def test_a_subject_expects_the_verdict_of_the_paper(subject: Subject) -> None:
    paper = "refuted" if subject.folder in REFUTED_IN_THE_PAPER else "proved"
    assert f"expect {paper};" in (PAPER / subject.folder / "conc.sa").read_text()


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.folder)
def test_a_subject_has_a_broken_twin_or_where_it_is_refuted_itself_a_fixed_one(subject: Subject) -> None:
    kind, verdict = ("fixed-", "proved") if subject.folder in REFUTED_IN_THE_PAPER else ("broken-", "refuted")
    twins = [twin for twin in twins_of(subject) if twin.name.startswith(kind)]
    assert twins
    assert all(f"expect {verdict};" in (twin / "conc.sa").read_text() for twin in twins)
