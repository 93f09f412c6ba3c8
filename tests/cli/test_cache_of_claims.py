"""Evidence about programs of earlier runs of `verify`: used where the checker accepts it, and nowhere else."""

from __future__ import annotations

import json
from base64 import b85encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import compress

import pytest
from typer.testing import CliRunner

from sa.app.verify import VerifyRequest, verify
from sa.base.budget import Budget, Report
from sa.base.limits import Limits
from sa.cli.main import application
from sa.engines.cache_of_claims import RECALLED
from sa.engines.engine import Decider, Turn
from sa.engines.portfolio_of_claims import CLAIMS, Portfolio
from sa.engines.technique import Technique
from sa.engines.verification import Verification
from sa.engines.verify import Options as VerifyOptions
from sa.question.asked import Asked, Settled
from tests.engines.test_evidence_cache import Shelf

#: Two claims that boxes prove, one that needs joint locations, one that a run refutes.
TEXT = """global x : int = 0;
global l : bool = false;
thread A { while (true) { atomic { await (!l); l := true; } CS: x := x + 1; x := x - 1; l := false; } }
thread B { while (true) { atomic { await (!l); l := true; } CS: skip; l := false; } }
invariant positive : x >= 0;
invariant alone : !(at A.CS && at B.CS);
invariant small : x <= 0;
"""
#: What is asked, where a test wants to know.
ENGINES = dict[str, Portfolio]()
VERDICTS = ["PROVED", "PROVED", "REFUTED"]


def ask(folder: Path, shelf: Shelf | None, text: str = TEXT, seed: int = 0) -> Verification:
    """The answers about a program."""
    (folder / "p.sa").write_text(text)
    return verify(
        VerifyRequest(str(folder / "p.sa"), False, VerifyOptions(Limits(), seed, shelf, ENGINES.get("first", CLAIMS)))
    ).outcome


def said(made: Verification) -> list[str]:
    """The verdicts, in the order of the claims."""
    return [f.verdict.value for f in made.findings]


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bad things are searched for at a time, from now on."""
    found = list[int]()

    def counted(asked: Asked, budget: Budget, report: Report) -> Iterator[Settled]:
        found.append(len(asked.bads))
        yield from ()

    monkeypatch.setitem(ENGINES, "first", (Turn(Decider(Technique("counter", ""), {}, counted), 1.0), *CLAIMS))
    return found


def test_what_was_found_is_not_searched_again(tmp_path: Path, searched: list[int]) -> None:
    shelf = Shelf()
    first = ask(tmp_path, shelf)
    again = ask(tmp_path, shelf)
    assert said(first) == said(again) == VERDICTS
    assert searched == [3]
    assert {f.how for f in again.findings} == {RECALLED}
    assert [f.run is None for f in again.findings] == [True, True, False]


def test_what_was_found_before_comes_with_a_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "p.sa").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SACHECK_CACHE", "cache")
    for _ in range(2):
        made = CliRunner().invoke(application(), ["verify", "p.sa", "--certificate", "c.json", "--json"])
    assert [claim["how"] for claim in json.loads(made.stdout)["claims"]] == [RECALLED] * 3
    assert CliRunner().invoke(application(), ["certify", "c.json"]).exit_code == 0


def test_a_comment_changes_nothing_and_a_guard_does(tmp_path: Path, searched: list[int]) -> None:
    shelf = Shelf()
    ask(tmp_path, shelf)
    ask(tmp_path, shelf, "// a comment\n" + TEXT.replace("; ", ";\n  "))
    assert searched == [3]
    open_door = ask(tmp_path, shelf, TEXT.replace("await (!l)", "await (!l || x == 5)"))
    assert len(searched) == 2
    assert said(open_door) == said(ask(tmp_path, None, TEXT.replace("await (!l)", "await (!l || x == 5)")))


def test_another_seed_and_another_claim_are_searched(tmp_path: Path, searched: list[int]) -> None:
    shelf = Shelf()
    ask(tmp_path, shelf)
    ask(tmp_path, shelf, seed=1)
    assert said(ask(tmp_path, shelf, TEXT.replace("x >= 0", "x >= 1"))) == ["REFUTED", "PROVED", "REFUTED"]
    assert searched == [3, 3, 3]


@pytest.mark.parametrize("text", ["", "null", "{}", "[1]", "PROVED", "[[]]", '[{"keeps": {}}]', "[" * 10_000])
def test_what_is_no_evidence_is_ignored(text: str, tmp_path: Path, searched: list[int]) -> None:
    shelf = Shelf()
    ask(tmp_path, shelf)
    (key,) = shelf.texts
    assert said(ask(tmp_path, Shelf({key: text}))) == VERDICTS
    assert searched == [3, 3]


def test_what_the_checker_does_not_accept_is_searched_and_nothing_else(tmp_path: Path, searched: list[int]) -> None:
    """Whoever can write into the cache cannot make an answer."""
    shelf = Shelf()
    ask(tmp_path, shelf)
    ((key, text),) = shelf.texts.items()
    entries: list[Any] = json.loads(text)
    run = next(e for e in entries if "run" in e)
    proofs = [e for e in entries if "run" not in e]
    run["run"]["bads"] = [0]
    assert said(ask(tmp_path, Shelf({key: json.dumps([*proofs, run])}))) == VERDICTS
    for proof in proofs:
        if "states" in proof:
            proof["states"]["states"] = b85encode(compress(b"")).decode()
        for part in proof.get("keeps", {"threads": []})["threads"]:
            for place in part["locations"].values():
                place["inv"] = "true"
    run["run"]["bads"] = [2]
    searched.clear()
    assert said(ask(tmp_path, Shelf({key: json.dumps(entries)}))) == VERDICTS
    assert searched and max(searched) < 3
