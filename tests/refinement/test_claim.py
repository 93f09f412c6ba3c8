"""What an answer claims is what was decided: ι is part of the claim, and what is not related is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.refine import Answer, RefineRequest, refine
from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.certificates.play import Loss
from sa.engines.options import Options

SKIPS = "global x : int = 0; thread T { @a skip; }"
SETS = "global x : int = 0; thread T { x := 1; }"


def answers(folder: Path, abstract: str, concrete: str, swapped: bool = False) -> list[Answer]:
    paths = (str(folder / "abs.sa"), str(folder / "conc.sa"))
    for path, text in zip(paths, (abstract, concrete), strict=True):
        Path(path).write_text(text)
    asked = paths[::-1] if swapped else paths
    return list(refine(RefineRequest(asked, False, Options(limits(30.0, None)))))


def test_the_claim_says_what_stays_equal(tmp_path: Path) -> None:
    (answer,) = answers(
        tmp_path, "global x : int = 0; thread T { x := 1; }", "global x : int = 0; thread T { x := 1; }"
    )
    assert answer.outcome.claim.endswith("the same visible actions, and after each step x is equal on both sides")


def test_the_claim_of_a_block_is_its_relation(tmp_path: Path) -> None:
    block = 'refinement r { abstract "abs.sa"; concrete "conc.sa"; relate conc.k == 5 * abs.i; }'
    (answer,) = answers(
        tmp_path, "global i : int = 0; thread T { i := 1; }", f"global k : int = 0; thread T {{ k := 5; }} {block}"
    )
    assert answer.outcome.claim.endswith("after each step conc.k == 5 * abs.i")


def test_where_only_foresight_is_missing_the_claim_is_to_follow_step_by_step(tmp_path: Path) -> None:
    """Each run of the concrete program has an abstract run; the claim that is refuted must not say that it has none."""
    abstract = "thread T { choose { @a skip; @b skip; } or { @a skip; @c skip; } }"
    (answer,) = answers(tmp_path, abstract, "thread T { @a skip; choose { @b skip; } or { @c skip; } }")
    assert [r.loss for r in answer.outcome.results] == [Loss.FORESIGHT]
    assert answer.outcome.claim.startswith("the abstract program can follow each run of the concrete one step by step")
    (answer,) = answers(tmp_path, abstract, "thread T { @a skip; @d skip; }")
    assert [r.loss for r in answer.outcome.results] == [Loss.BEHAVIOUR]
    assert answer.outcome.claim.startswith("every run of the concrete program has an abstract run")


@pytest.mark.parametrize(
    ("relate", "said"),
    [
        ("a[0], x", "after each step a[0] and x are equal on both sides"),
        ("a[0], a[1]", "after each step a is equal on both sides"),
        ("conc.q[0] == abs.q[0]", "after each step q[0] is equal on both sides"),
        ("len(conc.q) == len(abs.q)", "after each step len(q) is equal on both sides"),
        ("q", "after each step q is equal on both sides"),
    ],
)
def test_an_array_is_said_to_be_equal_if_all_of_it_is(tmp_path: Path, relate: str, said: str) -> None:
    text = "global a : int[2]; global x : int; global q : seq<int, 1>; thread T { skip; } "
    (answer,) = answers(tmp_path, text, text + f"refinement r {{ relate {relate}; }}")
    assert answer.outcome.claim.endswith(said)
    elements = {"a[0], x": "`a[1]` and `q`", "conc.q[0] == abs.q[0]": "`a`, `x` and `len(q)`"}
    if relate in elements:
        found = f"the concrete {elements[relate]} are not in the relation (fine for implementation variables)"
        assert found in answer.outcome.notes


def test_the_claim_says_what_is_asked_of_initial_states_alone(tmp_path: Path) -> None:
    thread = "global x : int = 0; thread T { local n : int; x := n; }"
    (answer,) = answers(tmp_path, thread, thread)
    assert answer.outcome.claim.endswith("on both sides; the two runs begin in states where n is equal on both sides")


def test_the_claim_of_a_block_says_what_holds_at_the_start(tmp_path: Path) -> None:
    block = 'refinement r { abstract "abs.sa"; concrete "conc.sa"; relate x; pre conc.y == abs.z + 1; }'
    (answer,) = answers(
        tmp_path, "global x, z : int; thread T { x := z + 1; }", f"global x, y : int; thread T {{ x := y; }} {block}"
    )
    claim = answer.outcome.claim
    assert claim.endswith("x is equal on both sides; the two runs begin in states where conc.y == abs.z + 1")


def test_where_only_the_relation_fails_that_is_said(tmp_path: Path) -> None:
    (answer,) = answers(tmp_path, SKIPS, "global x : int = 0; thread T { x := 1; @a skip; }")
    (result,) = answer.outcome.results
    assert (result.verdict, result.loss) == (Verdict.REFUTED, Loss.RELATION)


def test_where_a_behaviour_escapes_that_is_said_though_the_relation_fails_too(tmp_path: Path) -> None:
    (answer,) = answers(tmp_path, SKIPS, "global x : int = 0; thread T { @b x := 1; }")
    (result,) = answer.outcome.results
    assert (result.verdict, result.loss) == (Verdict.REFUTED, Loss.BEHAVIOUR)


def test_globals_that_nothing_relates_are_named(tmp_path: Path) -> None:
    (answer,) = answers(
        tmp_path,
        "global total : int = 0; thread T { total := 1; }",
        "global totl, other : int = 0; thread T { totl := 1; }",
    )
    assert answer.outcome.notes == (
        "the concrete `totl` and `other` are not in the relation (fine for implementation variables)",
        "the abstract `total` is not in the relation",
    )
    assert [w.code for w in answer.outcome.warnings] == ["SA513"]


def test_a_block_that_says_the_opposite_of_the_order_of_the_files_is_an_error(tmp_path: Path) -> None:
    abstract, concrete = "thread T { @a skip; }", "thread T { @a skip; }"
    block = 'refinement r { abstract "abs.sa"; concrete "conc.sa"; }'
    for texts in ((abstract, concrete + block), (abstract + block, concrete)):
        assert len(answers(tmp_path, *texts)) == 1
        with pytest.raises(InputError) as raised:
            answers(tmp_path, *texts, swapped=True)
        assert [d.code for d in raised.value.diagnostics] == ["SA906"]
