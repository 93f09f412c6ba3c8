"""Evidence of earlier runs is used where the question means the same and the checker accepts it, and nowhere else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import Struct, field

from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines import evidence_cache
from sa.engines.options import Options
from sa.engines.outcome import Outcome
from sa.engines.refine import refine
from sa.question.goals import goals
from tests.endtoend.asking import read

ABSTRACT = "global x : int;\nthread T {\n  rely unchanged x;\n  x := x + 2;\n}\n"
GOOD = "global x : int;\nthread T {\n  rely unchanged x;\n  local t : int;\n  t := x + 1;\n  x := t + 1;\n}\n"
BAD = "global x : int;\nthread T {\n  rely unchanged x;\n  x := x + 1;\n  x := x + 1;\n}\n"
CLOSED = "global x : int = 0;\nthread T { x := x + 1; }\nthread U { @seen(x >= 0) skip; }\n"


class Shelf(Struct):
    """A cache in memory."""

    texts: dict[str, str] = field(default_factory=dict)

    def read(self, key: str) -> str | None:
        return self.texts.get(key)

    def write(self, key: str, text: str) -> None:
        self.texts[key] = text


def ask(abstract: str, concrete: str, shelf: Shelf, seed: int = 0) -> Outcome:
    """The answer with a cache."""
    return refine(*read(abstract, concrete), Options(limits(60.0, None), seed, cache=shelf))


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the goals that are searched from now on."""
    found, decide = list[str](), evidence_cache.decisions

    def counted(goal: Any, *rest: Any) -> Any:
        found.append(goal.name)
        return decide(goal, *rest)

    monkeypatch.setattr(evidence_cache, "decisions", counted)
    return found


@pytest.mark.parametrize(
    ("abstract", "concrete", "verdict"),
    [(ABSTRACT, GOOD, Verdict.PROVED), (ABSTRACT, BAD, Verdict.REFUTED), (CLOSED, CLOSED, Verdict.PROVED)],
)
def test_an_answer_is_searched_once(abstract: str, concrete: str, verdict: Verdict, searches: list[str]) -> None:
    shelf = Shelf()
    first = ask(abstract, concrete, shelf)
    searched = len(searches)
    again = ask(abstract, concrete, shelf)
    assert (first.verdict, again.verdict, len(searches)) == (verdict, verdict, searched)
    assert searched > 0
    assert [(r.relation, bool(r.play)) for r in again.results] == [(r.relation, bool(r.play)) for r in first.results]


@pytest.mark.parametrize(
    "other", ["// now with a comment\n\n" + GOOD, GOOD.replace("\n", "  // why\n"), GOOD.replace("x + 1", "1 + x")]
)
def test_what_means_the_same_is_not_searched_again(other: str, searches: list[str]) -> None:
    shelf = Shelf()
    ask(ABSTRACT, GOOD, shelf)
    searches.clear()
    assert ask("/* far\n below */" + ABSTRACT, other, shelf).verdict is Verdict.PROVED
    assert searches == []


@pytest.mark.parametrize(
    "other",
    [
        GOOD.replace("t + 1", "t + 2"),
        GOOD.replace("unchanged x", "x' >= x"),
        GOOD.replace("t := x", "assume x > 0; t := x"),
        GOOD.replace("x : int", "x : 0..7"),
        GOOD.replace("local t : int", "local t : int = 0"),
        GOOD.replace("x := t", "@done x := t"),
        GOOD + "init x > 0;\n",
        GOOD + "refinement r { relate x; pre conc.x > 0; }\n",
        GOOD + "refinement r { relate x; silent exit; }\n",
    ],
)
def test_what_means_something_else_is_searched(other: str, searches: list[str]) -> None:
    shelf = Shelf()
    ask(ABSTRACT, GOOD, shelf)
    searches.clear()
    ask(ABSTRACT, other, shelf)
    assert searches == ["T"]


def test_another_seed_another_proof(searches: list[str]) -> None:
    shelf = Shelf()
    ask(ABSTRACT, GOOD, shelf)
    ask(ABSTRACT, GOOD, shelf, seed=1)
    assert len(searches) == 2


def key(abstract: str, concrete: str) -> str:
    """The key of a question with one goal."""
    (goal,) = goals(*read(abstract, concrete), whole=False)
    return evidence_cache.key_of_evidence(goal, 0)


def test_evidence_about_something_else_is_ignored(searches: list[str]) -> None:
    """Whoever can write into the cache cannot make an answer."""
    shelf = Shelf()
    ask(ABSTRACT, ABSTRACT, shelf)
    ask(ABSTRACT, BAD, shelf)
    proof, play = shelf.texts[key(ABSTRACT, ABSTRACT)], shelf.texts[key(ABSTRACT, BAD)]
    searches.clear()
    swapped = Shelf({key(ABSTRACT, BAD): proof, key(ABSTRACT, ABSTRACT): play, key(ABSTRACT, GOOD): play})
    assert ask(ABSTRACT, BAD, swapped).verdict is Verdict.REFUTED
    assert ask(ABSTRACT, ABSTRACT, swapped).verdict is Verdict.PROVED
    assert ask(ABSTRACT, GOOD, swapped).verdict is Verdict.PROVED
    assert searches == ["T", "T", "T"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "{}",
        "[1]",
        "PROVED",
        '{"relation": null}',
        '{"relation": {}}',
        '{"play": {"strategy": 7}}',
        "[" * 10_000,
    ]
    + ['{"proof": {"pairs": [], "answers": [], "closure": [], "openings": []}}'],
)
def test_what_is_no_evidence_is_ignored(text: str, searches: list[str]) -> None:
    assert ask(ABSTRACT, GOOD, Shelf({key(ABSTRACT, GOOD): text})).verdict is Verdict.PROVED
    assert searches == ["T"]


def test_a_proof_with_a_part_left_out_is_ignored(searches: list[str]) -> None:
    shelf = Shelf()
    ask(ABSTRACT, GOOD, shelf)
    kept = json.loads(shelf.texts[key(ABSTRACT, GOOD)])
    kept["relation"]["pairs"].pop()
    searches.clear()
    assert ask(ABSTRACT, GOOD, Shelf({key(ABSTRACT, GOOD): json.dumps(kept)})).verdict is Verdict.PROVED
    assert searches == ["T"]


def test_nothing_is_kept_of_a_question_without_an_answer() -> None:
    shelf = Shelf()
    outcome = refine(*read(ABSTRACT, GOOD), Options(limits(0.0, None), cache=shelf))
    assert (outcome.verdict, shelf.texts) == (Verdict.UNKNOWN, {})
