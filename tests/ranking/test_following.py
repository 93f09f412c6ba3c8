"""Termination that is preserved by ranks in a relation, and refuted by a run that abstract ones part from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from sa.app.refine import RefineRequest, refine
from sa.base.limits import LimitReached, Limits, allot, limits
from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.certificates.goal import Goal
from sa.certificates.preservation import Following, Kept
from sa.certificates.relation import Relation
from sa.checker.following import check_following
from sa.checker.parting import check_parting
from sa.checker.ruling import Accepted
from sa.cli.main import application
from sa.engines.following import followed, parted
from sa.engines.goals import decide
from sa.engines.options import Options
from sa.engines.preserving import by_lasso, by_relation, by_rounds, preserved
from sa.frontends.reading import USUAL
from sa.language.elaborate.program import program
from sa.question.goals import goals
from sa.terms.build import ONE, sub
from tests.oracle.endings import graph
from tests.oracle.preservation import preserves
from tests.ranking.pairs import pair


def function(before: str, after: str, folder: Path) -> Verdict:
    """The answer about the function `f` of two texts in C."""
    paths = tuple(str(folder / name) for name in ("before.c", "after.c"))
    for path, text in zip(paths, (before, after), strict=True):
        Path(path).write_text("#include <stdatomic.h>\n" + text)
    options = Options(limits(60.0, None))
    asked = RefineRequest(paths, False, options, reading=replace(USUAL, function="f"), preserve="termination")
    (answer,) = refine(asked)
    assert answer.outcome.preservation is not None
    return answer.outcome.verdict


POLLS = "volatile int r; int f(void) {{ {0} return 1; }}"
SPINS = "atomic_int s; int d; int f(void) {{ {0} return d; }}"
ADDS = "atomic_uint n; int f(void) {{ for (;;) {{ {0} }} }}"
COUNTS = "int g; int f(int n) {{ int i = 0; {0} g = i; return i; }}"
STOPS = "int f(int n) {{ if (n > 3) {{ {0} }} return n; }}"


@pytest.mark.parametrize(
    ("text", "before", "after", "verdict"),
    [
        (POLLS, "while (!(r & 1));", "int x; do x = r; while (!(x & 1));", Verdict.PROVED),
        (POLLS, "while (!(r & 1));", "int x = r; while (!(x & 1));", Verdict.REFUTED),
        (SPINS, "while (atomic_load(&s) == 0);", "for (;;) if (atomic_load(&s)) break;", Verdict.PROVED),
        (SPINS, "while (atomic_load(&s) == 0);", "if (atomic_load(&s) == 0) for (;;);", Verdict.REFUTED),
        (ADDS, "atomic_fetch_add(&n, 1);", "int k = 1; atomic_fetch_add(&n, k);", Verdict.PROVED),
        (ADDS, "atomic_fetch_add(&n, 1);", "", Verdict.REFUTED),
        (COUNTS, "for (; i < n; i++);", "while (i < n) i = i + 1;", Verdict.PROVED),
        (STOPS, "for (;;);", "int k = 0; for (;;) k++;", Verdict.PROVED),
        (STOPS, "", "for (;;);", Verdict.REFUTED),
    ],
)
def test_functions_in_c_go_on_for_ever_only_where_they_did(
    text: str, before: str, after: str, verdict: Verdict, tmp_path: Path
) -> None:
    assert function(text.format(before), text.format(after), tmp_path) is verdict


def test_a_run_counts_whose_action_others_show_behind_many_that_are_matched() -> None:
    # In each state before U has ended, the first program may wait for ever, too.
    beside = "global f : bool = false; global n : int = 0; thread U {{ {0} f := true; }} thread T {{ {1} @out skip; }}"
    work = " ".join("n := n + 1;" for _ in range(14))
    waits, never = (beside.format(work, f"while ({until}) {{ skip; }}") for until in ("!f", "true"))
    goal = goal_of(waits, never)
    assert parted(goal, limits(60.0, None), 0) is not None


def test_what_is_undefined_may_go_on_for_ever(tmp_path: Path) -> None:
    before = "int f(int a) { int t[2] = {1, 2}; return t[a]; }"
    after = "int f(int a) { int t[2] = {1, 2}; if (a > 1 || a < 0) for (;;); return t[a]; }"
    assert function(before, after, tmp_path) is Verdict.PROVED


def goal_of(first: str, second: str) -> Goal:
    texts = (program(Source(name, text)) for name, text in (("abs", first), ("conc", second)))
    (goal,) = goals(*texts, None, whole=True)
    return goal


DOWN = "thread T {{ local i : int; local k : int = 0; @in skip; {0} @out skip; }}"
#: The abstract program is at its end at once, so that only a rank can tell that the concrete one ends.
LEXICOGRAPHIC = "while (i > 0) { k := 5; while (k > 0) { k := k - 1; } i := i - 1; }"


def test_a_rank_that_is_not_lowered_is_rejected() -> None:
    goal = goal_of(DOWN.format("skip;"), DOWN.format(LEXICOGRAPHIC))
    relation = decide(goal, Limits()).evidence
    assert isinstance(relation, Relation)
    made = followed(goal, Kept.TERMINATION, relation, Limits(), 0)
    assert made is not None
    assert len(made.ranks[0].terms) > 2  # one number cannot do
    for number, rank in enumerate(made.ranks):
        for place in range(len(rank.terms)):
            terms = tuple(sub(t, t) if n == place else t for n, t in enumerate(rank.terms))
            ranks = (*made.ranks[:number], replace(rank, terms=terms), *made.ranks[number + 1 :])
            if not isinstance(check_following(goal, Kept.TERMINATION, Following(relation, ranks), Limits()), Accepted):
                break
        else:
            continue
        break
    else:
        pytest.fail("no part of the ranks matters")
    lower = tuple(replace(r, terms=tuple(sub(t, ONE) for t in r.terms[:1])) for r in made.ranks)
    assert not isinstance(check_following(goal, Kept.TERMINATION, Following(relation, lower), Limits()), Accepted)


def test_a_run_whose_followers_go_on_is_rejected() -> None:
    wrong = goal_of(DOWN.format("skip;"), DOWN.format("while (i == 7) { skip; }"))
    made = parted(wrong, Limits(), 0)
    assert made is not None
    assert isinstance(check_parting(wrong, made, Limits()), Accepted)
    right = goal_of(DOWN.format("while (i > 5) { skip; }"), DOWN.format("while (i == 7) { skip; }"))
    assert parted(right, Limits(), 0) is None
    assert not isinstance(check_parting(right, made, Limits()), Accepted)
    ended = replace(made.lasso.run, cycle=len(made.lasso.run.turns))
    assert not isinstance(check_parting(wrong, replace(made, lasso=replace(made.lasso, run=ended)), Limits()), Accepted)


def compared(seed: int) -> set[Verdict]:
    """What ranks and runs say of a random pair is never wrong."""
    first, second = (program(Source(f"seed {seed}", text)) for text in pair(seed))
    above, below = graph(first.threads, 300), graph(second.threads, 300)
    if above is None or below is None:
        return set()
    (goal,) = goals(first, second, None, whole=True)
    # Abstract loops are taken to end in every other pair.
    goal = replace(goal, loops_end=seed % 2 == 1)
    expected = Verdict.PROVED if preserves(above, below, True, goal.loops_end) else Verdict.REFUTED
    # What takes long is UNKNOWN.
    bounds = allot(limits(20.0, None), 500_000)
    relation, found = decide(goal, bounds).evidence, set[Verdict]()
    known = relation if isinstance(relation, Relation) else None
    for way in (by_relation, by_lasso, by_rounds):
        own = Options(allot(limits(20.0, None), 500_000))
        try:
            said = preserved(second, goal, Kept.TERMINATION, own, known, (way,)).verdict
        except LimitReached:
            continue
        assert said in (expected, Verdict.UNKNOWN), (seed, way)
        found.add(said)
    if known is not None and expected is Verdict.REFUTED:
        assert not isinstance(check_following(goal, Kept.TERMINATION, Following(known, ()), Limits()), Accepted)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_ranks_and_runs_agree_with_the_definition(seed: int) -> None:
    compared(seed)


@pytest.mark.fuzz
def test_ranks_and_runs_of_many_pairs_agree_with_the_definition() -> None:
    found = set[Verdict]()
    for seed in range(100, 3_100):
        found |= compared(seed)
    assert {Verdict.PROVED, Verdict.REFUTED} <= found


AGAIN = "thread T { @out skip; while (true) { skip; } }"
THREES = "thread T { local k : int = 0; @out skip; while (true) { await k % 3 == 0; k := k + 3; } }"
NEVER = "thread T { @out skip; }"
#: What the abstract and the concrete program are, what is preserved, and what the evidence is.
WAITS = "global x : 0..2 = 0; thread T {{ @out skip; {0} await x == 2; }}"

ASKED = [
    (DOWN.format("skip;"), DOWN.format(LEXICOGRAPHIC), "termination", "following"),
    (DOWN.format("skip;"), DOWN.format("while (i == 7) { skip; }"), "termination", "parting"),
    (NEVER, "thread T { while (true) { skip; } @out skip; }", "termination", "unmatched"),
    (NEVER, "thread T { @out skip; }", "progress", "following"),
    (NEVER, "thread T { local b : bool = false; @out skip; await b; }", "progress", "unmatched"),
    (WAITS.format("x := 1;"), WAITS.format(""), "progress", "matched"),
    (
        AGAIN,
        "thread T { local k : int = 0; @out skip; while (true) { await k % 3 == 0; k := k + 3; } }",
        "progress",
        "proof",
    ),
    (NEVER, "thread T { local i : int; @out skip; while (i > 0) { i := i - 1; } }", "termination", "following"),
]


@pytest.mark.parametrize(("first", "second", "kept", "kind"), ASKED)
def test_certificates_say_what_is_preserved(
    first: str, second: str, kept: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("abs.sa").write_text(first)
    Path("conc.sa").write_text(second)
    asked = ("refine", "--no-cache", "--preserve", kept, "--certificate", "proof.json", "abs.sa", "conc.sa")
    status = CliRunner().invoke(application(), asked).exit_code
    document = json.loads(Path("proof.json").read_text())
    (question,) = document["questions"]
    assert [*question["preserved"]["evidence"]] == [kind]
    assert CliRunner().invoke(application(), ("certify", "proof.json")).exit_code == 0
    question["verdict"] = "refuted" if status == 0 else "proved"
    Path("forged.json").write_text(json.dumps(document))
    assert CliRunner().invoke(application(), ("certify", "forged.json")).exit_code != 0


def test_a_block_that_asks_what_is_preserved_is_not_answered_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("abs.sa").write_text(DOWN.format("skip;"))
    Path("conc.sa").write_text(
        DOWN.format(LEXICOGRAPHIC) + '\nrefinement r { abstract "abs.sa"; preserve termination; }'
    )
    asked = ("refine", "--no-cache", "--certificate", "proof.json", "conc.sa")
    assert CliRunner().invoke(application(), asked).exit_code == 0
    assert CliRunner().invoke(application(), ("certify", "proof.json")).exit_code == 0
    document = json.loads(Path("proof.json").read_text())
    document["questions"] = [document["questions"][0]["compared"]]
    Path("forged.json").write_text(json.dumps(document))
    assert CliRunner().invoke(application(), ("certify", "forged.json")).exit_code != 0
