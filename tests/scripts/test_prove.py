"""Claims that are false, or not shown by what they cite: no rule proves them.

Each was proved at some time, by a rule that did not look at what its citations are about.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

import sa.scripts.prove as prove_room
from sa.base.diagnostic import InputError
from sa.base.limits import LimitReached, limits, seconds_left
from sa.base.verdict import Reason, Unknown, Verdict
from sa.engines.options import Options
from sa.language.load import load_script
from sa.rules.facts import Fact
from sa.scripts.prove import CITING, SEARCHING, USED_UP, Prepared, part_of_time, prepare, prove
from sa.scripts.work import Work

PROGRAMS = {
    "inv": "global x, y : int = 0; thread T1 { y := 1; } thread T2 { x := 1; }",
    "other": "global x, y : int = 0; thread T1 { @z(x) x := 1; } thread T2 { @b(y) y := 1; }",
    "two": "global x, y : int = 0; thread T1 { @a(x) x := 1; } thread T2 { @b(y) y := 1; }",
    "copy": "global x, y : int = 0; thread T1 { y := x; } thread T2 { x := 1; }",
    "zero": "global x, y : int = 0; thread T1 { y := 0; } thread T2 { x := 1; }",
    "ab": "global x : int = 0; thread T1 { @a skip; } thread T2 { @b skip; }",
    "aa": "global x : int = 0; thread T1 { @a skip; } thread T2 { @a skip; }",
    "ends": "global x, y : int = 0; thread T1 { skip; } thread T2 { skip; }",
    "endless": "global x, y : int = 0; thread T1 { while (true) { skip; } } thread T2 { while (true) { skip; } }",
    "end": "global x : int = 0; thread T { skip; }",
    "no_end": "global x : int = 0; thread T { while (true) { skip; } }",
    "shows": "global x : int = 0; thread T1 { @r(0) skip; } thread T2 { @s(1) skip; }",
    "guesses": "global x : int = 0; global h : 0..1; thread T1 { @r(h) skip; } thread T2 { @s(h) skip; }",
    "show": "global x : int = 0; thread T { @r(0) skip; }",
    "guess": "global x : int = 0; global h : int; thread T { @r(h) skip; }",
    "reads": "global x, y : int = 0; thread T1 { rely x' == 0 || x' == x; x := y; }",
    "seen": "global x, y : int = 0; thread T1 { @show(x) skip; } thread T2 { x := 1; }",
    "moves": "global x : 0..3 = 0; thread T1 { x := 1; CS: skip; } thread T2 { skip; }",
    "late": "global x : 0..3 = 0; thread T1 { CS: x := 1; skip; } thread T2 { skip; }",
    "three": "global x, y, z : 0..1 = 0; thread T1 { x := 1; } thread T2 { y := 1; } thread T3 { z := 1; }",
    "three_a": "global x, y, z : 0..1 = 0; thread T1 { @a x := 1; } thread T2 { y := 1; } thread T3 { z := 1; }",
    "any": "global x : 0..1; thread T { @r(x) skip; }",
    "one": "global x : 0..1 = 1; thread T { @r(x) skip; }",
    "nought": "global x : 0..1 = 0; thread T { @r(0) skip; }",
    "grows": "global x : int = 0; thread T { rely x' >= x; while (true) { @print(x) skip; } }",
    "alone": "global x : int = 0; thread T { while (true) { @print(x) skip; } } thread U { while (true) { skip; } }",
    "still": "global x : int = 0; thread T { rely unchanged x; while (true) { @print(0) skip; } }",
    "unseen": "global x, y : int = 0; thread T1 { @show(0) skip; } thread T2 { x := 1; }",
}

#: Programs by alias, and steps of which `wrong` must not be proved.
SCRIPTS = {
    "an invariant of fewer threads": (
        {"p": "inv"},
        "lemma one : p.T1 preserves x == 0; theorem wrong : p.T1 || p.T2 preserves x == 0 by parallel(one);",
    ),
    "an invariant of another program": (
        {"p": "inv", "q": "other"},
        "lemma one : p.T1 preserves x == 0; lemma wrong : q.T1 preserves x == 0 by parallel(one);",
    ),
    "a strong invariant from a weak one": (
        {"p": "inv"},
        "lemma weak : p.T1 preserves x == 0; theorem wrong : p.T1 preserves strong x == 0 by parallel(weak);",
    ),
    "a weak invariant from one that counts fewer steps of the environment": (
        {"p": "reads"},
        "lemma more : p.T1 preserves x == 0 && y == 0; lemma wrong : p.T1 preserves x == 0 by parallel(more);",
    ),
    "refinements of another program": (
        {"conc": "two", "abs": "two", "other": "other"},
        """lemma t1 : conc.T1 refines abs.T1 relate x, y; lemma t2 : conc.T2 refines abs.T2 relate x, y;
        theorem wrong : conc.T1 || conc.T2 refines other.T1 || other.T2 relate x, y by parallel(t1, t2);""",
    ),
    "one abstract thread twice": (
        {"conc": "aa", "abs": "ab"},
        """lemma t1 : conc.T1 refines abs.T1 relate x; lemma t2 : conc.T2 refines abs.T1 relate x;
        theorem wrong : conc.T1 || conc.T2 refines abs.T1 || abs.T2 relate x by parallel(t1, t2);""",
    ),
    "ends that only the parts do not see": (
        {"conc": "ends", "abs": "endless"},
        """lemma t1 : conc.T1 refines abs.T1 silent exit; lemma t2 : conc.T2 refines abs.T2 silent exit;
        theorem wrong : conc.T1 || conc.T2 refines abs.T1 || abs.T2 by parallel(t1, t2);""",
    ),
    "ends that only the first link does not see": (
        {"conc": "end", "mid": "no_end", "abs": "no_end"},
        """lemma one : conc refines mid silent exit; lemma two : mid refines abs;
        theorem wrong : conc refines abs by chain(one, two);""",
    ),
    "initial values that each part chooses for itself": (
        {"conc": "shows", "abs": "guesses"},
        """lemma t1 : conc.T1 refines abs.T1 relate x choose init;
        lemma t2 : conc.T2 refines abs.T2 relate x choose init;
        theorem wrong : conc.T1 || conc.T2 refines abs.T1 || abs.T2 relate x by parallel(t1, t2);""",
    ),
    "an initial value that was chosen otherwise": (
        {"conc": "show", "mid": "guess", "abs": "guess"},
        """lemma one : conc refines mid relate x choose init; lemma two : mid refines abs relate x, h;
        theorem wrong : conc refines abs relate x pre abs.h == 5 by chain(one, two);""",
    ),
    "a part that relies on what others do not keep": (
        {"conc": "seen", "abs": "unseen"},
        """lemma t1 : conc.T1 refines abs.T1 relate x pre conc.x == 0 rely unchanged x;
        lemma t2 : conc.T2 refines abs.T2 relate x;
        theorem wrong : conc.T1 || conc.T2 refines abs.T1 || abs.T2 relate x pre conc.x == 0 by parallel(t1, t2);""",
    ),
    "an invariant carried through a narrower environment": (
        {"conc": "copy", "abs": "zero"},
        """lemma t1 : conc.T1 refines abs.T1 relate x, y pre conc.x == 0 rely unchanged x;
        lemma above : abs.T1 preserves y == 0;
        lemma wrong : conc.T1 preserves y == 0 by preservation(t1, above);""",
    ),
    "a strengthening that the environment does not keep": (
        {"p": "reads"},
        "lemma more : p.T1 preserves x == 0 && y == 0; lemma wrong : p.T1 preserves x == 0;",
    ),
    "a location that is not where it was": (
        {"p": "moves", "q": "late"},
        """lemma right : p preserves at T1.CS ==> x == 1; lemma also : p.T1 preserves at T1.CS ==> x == 1;
        lemma wrong : q preserves at T1.CS ==> x == 1;""",
    ),
    "a location of one thread, where it is not": (
        {"q": "late"},
        "lemma right : q.T1 preserves at T1.exit ==> x == 1; lemma wrong : q.T1 preserves at T1.CS ==> x == 1;",
    ),
    "a location that another thread disturbs": (
        {"p": "global x : 0..1 = 0; thread T1 { x := 1; CS: skip; } thread T2 { x := 0; }"},
        """lemma one : p.T1 preserves at T1.CS ==> x == 1; lemma two : p.T2 preserves x <= 1;
        theorem wrong : p preserves at T1.CS ==> x == 1 by parallel(one, two);""",
    ),
    "a location carried over to one that it does not meet": (
        {"conc": "late", "abs": "moves"},
        """lemma one : conc refines abs relate x; lemma there : abs preserves at T1.CS ==> x == 1;
        theorem wrong : conc preserves at T1.CS ==> x == 1 by preservation(one, there);""",
    ),
    "locations carried over by a relation that is not known by pairs": (
        {"conc": "moves", "mid": "moves", "abs": "moves"},
        """lemma one : conc refines mid relate x; lemma two : mid refines abs relate x;
        theorem both : conc refines abs relate x by chain(one, two);
        lemma there : abs preserves at T1.CS ==> x == 1;
        theorem wrong : conc preserves at T1.CS ==> x == 0 || x == 1 by preservation(both, there);""",
    ),
    "three links without a middle initial state": (
        {"conc": "nought", "low": "nought", "high": "any", "abs": "any"},
        """lemma one : conc refines low relate x; lemma two : low refines high relate x;
        lemma three : high refines abs relate x;
        theorem wrong : conc refines abs relate x pre abs.x == 1 by chain(one, two, three);""",
    ),
    "three links of which one is missing": (
        {"conc": "nought", "low": "nought", "high": "any", "abs": "any"},
        """lemma one : conc refines low relate x; lemma two : low refines high relate x;
        lemma three : high refines abs relate x;
        theorem wrong : conc refines abs relate x by chain(one, three);""",
    ),
    "a third thread that shows what nobody shows": (
        {"conc": "three_a", "abs": "three"},
        """lemma t2 : conc.T2 refines abs.T2 relate x, y, z; lemma t3 : conc.T3 refines abs.T3 relate x, y, z;
        theorem wrong : conc.T2 || conc.T3 || conc.T1 refines abs.T2 || abs.T3 || abs.T1 relate x, y, z by auto;""",
    ),
    "earlier steps about other threads": (
        {"conc": "three_a", "abs": "three"},
        """lemma t2 : conc.T2 refines abs.T2 relate x, y, z; lemma i2 : abs.T2 preserves y <= 1;
        theorem wrong : conc.T1 refines abs.T1 relate x, y, z by auto;""",
    ),
    "an invariant of functions that axioms do not say": (
        {
            "p": """function f(int) : int; axiom forall n : int :: f(n) <= f(n + 1);
            global x : int = 0; thread T { x := x + 1; }"""
        },
        """lemma right : p preserves f(x) >= f(0) && x >= 0; lemma wrong : p preserves f(x) == f(0);""",
    ),
    "an initial state that the claim relates to nothing": (
        {"conc": "three", "abs": "three"},
        """lemma t1 : conc.T1 refines abs.T1 relate x, y, z; lemma t2 : conc.T2 refines abs.T2 relate x, y, z;
        theorem wrong : conc.T1 || conc.T2 refines abs.T1 || abs.T2 relate x, y, z pre abs.x == 1
          by parallel(t1, t2);""",
    ),
    "an initial value that the claim fixes": (
        {"conc": "guesses", "abs": "guesses"},
        """lemma t1 : conc.T1 refines abs.T1 relate x, h; lemma t2 : conc.T2 refines abs.T2 relate x, h;
        theorem wrong : conc refines abs relate x, h pre abs.h == 0 by parallel(t1, t2);""",
    ),
    "a link in a narrower environment": (
        {"conc": "seen", "mid": "unseen", "abs": "unseen"},
        """lemma one : conc.T1 refines mid.T1 relate x, y pre conc.x == 0 rely unchanged x;
        lemma two : mid.T1 refines abs.T1 relate x, y;
        theorem wrong : conc.T1 refines abs.T1 relate x, y pre conc.x == 0 by chain(one, two);""",
    ),
}


#: Programs by alias, and steps all of which are proved.
PROVED = {
    "three threads": (
        {"conc": "three", "abs": "three"},
        """lemma t1 : conc.T1 refines abs.T1 relate x, y, z; lemma t2 : conc.T2 refines abs.T2 relate x, y, z;
        lemma t3 : conc.T3 refines abs.T3 relate x, y, z;
        theorem all : conc refines abs relate x, y, z by parallel(t1, t2, t3);
        lemma two : conc.T1 || conc.T2 refines abs.T1 || abs.T2 relate x, y, z by parallel(t1, t2);
        theorem nested : conc refines abs relate x, y, z by parallel(two, t3);
        theorem found : conc refines abs relate x, y, z by auto;
        lemma i : abs preserves x <= 1 && y <= 1 && z <= 1 by parallel;
        theorem carried : conc preserves x + y + z <= 3 by auto;""",
    ),
    "three links": (
        {"conc": "nought", "low": "nought", "high": "any", "abs": "any"},
        """lemma one : conc refines low relate x; lemma two : low refines high relate x;
        lemma three : high refines abs relate x;
        theorem all : conc refines abs relate x by chain(one, two, three);
        theorem found : conc refines abs relate x by auto;""",
    ),
    "three links of threads among others, side by side": (
        {"a": "three", "b": "three", "c": "three", "d": "three"},
        """lemma a1 : a.T1 refines b.T1; lemma b1 : b.T1 refines c.T1; lemma c1 : c.T1 refines d.T1;
        lemma a2 : a.T2 refines b.T2; lemma b2 : b.T2 refines c.T2; lemma c2 : c.T2 refines d.T2;
        lemma a3 : a.T3 refines b.T3; lemma b3 : b.T3 refines c.T3; lemma c3 : c.T3 refines d.T3;
        lemma one : a.T1 refines d.T1 by chain(a1, b1, c1); lemma two : a.T2 refines d.T2 by chain(a2, b2, c2);
        lemma three : a.T3 refines d.T3 by chain(a3, b3, c3);
        theorem all : a refines d by parallel(one, two, three);""",
    ),
    "locations": (
        {"conc": "moves", "abs": "moves"},
        """lemma alone : abs.T1 preserves at T1.CS ==> x == 1; lemma other : abs.T2 preserves x <= 1;
        theorem there : abs preserves at T1.CS ==> x == 1 by parallel(alone, other);
        lemma t1 : conc.T1 refines abs.T1 relate x; lemma t2 : conc.T2 refines abs.T2 relate x;
        theorem refined : conc refines abs relate x by parallel(t1, t2);
        theorem carried : conc preserves at T1.CS ==> x == 1 by preservation(refined, there);
        theorem one : conc.T1 preserves at T1.CS ==> x == 1 by preservation(t1, alone);
        theorem both : conc preserves !(at T1.CS && at T2.q0) || x == 1;""",
    ),
    "locals of several threads": (
        {"p": "global x : int = 0; thread T1 { local m : int = 0; m := 1; } thread T2 { local m : int = 0; m := 2; }"},
        """lemma apart : p preserves T1.m <= 1 && T2.m <= 2 by parallel; lemma sum : p preserves T1.m + T2.m <= 3;
        lemma one : p.T1 preserves m <= 1; lemma weaker : p.T1 preserves m <= 2 by parallel(one);""",
    ),
    "strengthening": (
        {
            "p": """function gcd(int, int) : int;
            axiom forall x, y : int :: x > y && y > 0 ==> gcd(x - y, y) == gcd(x, y);
            param A, B : int; global a : int = A; global b : int = B; init A > 0 && B > 0;
            thread T { while (a != b) { atomic { if (a > b) { a := a - b; } } } }"""
        },
        "lemma kept : p preserves gcd(a, b) == gcd(A, B);",
    ),
}


def verdicts(folder: Path, programs: dict[str, str], steps: str) -> dict[str, Verdict]:
    """What becomes of the steps of a script about programs, which are texts or names of `PROGRAMS`."""
    for alias, name in programs.items():
        (folder / f"{alias}.sa").write_text(PROGRAMS.get(name, name))
    imports = "".join(f'import "{alias}.sa" as {alias};\n' for alias in programs)
    (folder / "script.sa").write_text(imports + steps)
    script = load_script(str(folder / "script.sa"), split=False).script
    return {r.step.name: r.verdict for r in prove(prepare(script, Options(limits(30.0, None))))}


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_is_cited_must_be_about_the_claim(name: str, tmp_path: Path) -> None:
    found = verdicts(tmp_path, *SCRIPTS[name])
    assert found.pop("wrong") is not Verdict.PROVED
    assert set(found.values()) == {Verdict.PROVED}, "it fails for want of the claim, not of what is cited"


@pytest.mark.parametrize(
    ("code", "program"),
    [
        ("SA406", "global x : int = 0; thread T { skip; } thread U { rely x' == x; x := 1; }"),
        (
            "SA506",
            """automaton T { global x : int = 0; rely unchanged x; location a initial; location b { inv x == 0; }
            edge a -> b { x := 1; } }""",
        ),
        (
            "SA501",
            """function f(int) : int; axiom forall n : int :: f(n) == n; axiom forall n : int :: f(n) == n + 1;
            global x : int = 0; thread T { x := 1; }""",
        ),
    ],
)
def test_programs_of_which_anything_would_follow_are_refused(code: str, program: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        verdicts(tmp_path, {"p": program}, "lemma wrong : p.T preserves x == 0;")
    assert code in {d.code for d in refused.value.diagnostics}


@pytest.mark.parametrize("name", PROVED)
def test_what_rules_are_for(name: str, tmp_path: Path) -> None:
    found = verdicts(tmp_path, *PROVED[name])
    assert set(found.values()) == {Verdict.PROVED}, found


@pytest.mark.parametrize(
    ("conc", "abs_", "expected"),
    [
        ("seen", "unseen", Verdict.UNKNOWN),
        ("global x, y : int = 0; thread T1 { @show(1) skip; } thread T2 { x := 1; }", "unseen", Verdict.REFUTED),
    ],
)
def test_a_pair_is_refuted_by_itself_or_not_at_all(conc: str, abs_: str, expected: Verdict, tmp_path: Path) -> None:
    """An inferred environment may be too coarse; that of nobody is not."""
    found = verdicts(tmp_path, {"conc": conc, "abs": abs_}, "lemma t : conc.T1 refines abs.T1 relate x, y;")
    assert found == {"t": expected}


def test_values_refute_where_the_axioms_are_certain_only(tmp_path: Path) -> None:
    """Functions that satisfy the axioms are looked for; where none is found, nothing is known."""
    program = "function f(int) : int; axiom {}; global x : int = 0; thread T {{ rely x' == x; skip; }}"
    steps = "lemma zero : p.T preserves x == 0; lemma t : p.T preserves x <= 1 && {} by parallel(zero);"
    found = {
        (axiom, claim): verdicts(tmp_path, {"p": program.format(axiom)}, steps.format(claim))["t"]
        for axiom, claim in (
            ("forall n : int :: f(n) >= 0", "f(x) == 0"),
            ("forall n : int :: f(n) >= 0", "x == 1"),
            ("forall n : int :: f(n) >= 0", "f(x) >= 0"),
            ("forall n : int :: n >= 0 ==> f(n) == 5 * n + 7", "f(x) == 7"),
            ("forall n : int :: f(f(n)) == n + 1", "x == 1"),
        )
    }
    assert list(found.values()) == [
        Verdict.REFUTED,
        Verdict.REFUTED,
        Verdict.PROVED,
        Verdict.PROVED,
        Verdict.UNKNOWN,
    ]


def test_a_side_with_relies_is_not_compared_with_one_without(tmp_path: Path) -> None:
    """Its environment would not have to be matched, and a chain through such a link would show what is false."""
    steps = """lemma l1 : conc.T refines mid.T relate x; lemma l2 : mid.T refines abs.T relate x;
        theorem wrong : conc.T refines abs.T relate x by chain(l1, l2);"""
    found = verdicts(tmp_path, {"conc": "grows", "mid": "alone", "abs": "still"}, steps)
    assert found == {"l1": Verdict.UNKNOWN, "l2": Verdict.PROVED, "wrong": Verdict.UNKNOWN}


SQUARES = """global x : int = 0;
global y : int = 0;
thread P { local t : int = 0; while (true) { atomic { t := y * y; x := x + t + y + 1; y := y + 1; } } }
thread Q { while (true) { atomic { if (x > y * y) { x := x - 1; } } } }
"""


@pytest.mark.parametrize(("rule", "expected"), [("", Verdict.UNKNOWN), (" by parallel", Verdict.REFUTED)])
def test_a_condition_refutes_a_rule_that_was_asked_for_only(rule: str, expected: Verdict, tmp_path: Path) -> None:
    """The claim is true: t is at most the square of y, which Q looks at. Of single threads it is not to be shown."""
    (tmp_path / "p.sa").write_text(SQUARES)
    monotonic = "function f(int) : int; axiom forall m : int, n : int :: m <= n ==> f(m) <= f(n);"
    text = f'import "p.sa" as p; {monotonic} lemma one : p preserves f(P.t) <= f(x){rule};'
    (tmp_path / "s.sa").write_text(text)
    (step,) = prove(prepare(load_script(str(tmp_path / "s.sa")).script, Options(limits(60.0, None))))
    assert step.verdict is expected
    assert any(leaf.name == "non-interference" and leaf.verdict is expected for leaf in step.leaves)


def test_each_step_has_its_part_of_the_time(tmp_path: Path) -> None:
    prepared = _prepared(tmp_path, "lemma one : p.T preserves x == 0; lemma two : p.T preserves true;")
    steps = prepared.script.steps
    cited = replace(steps[1], cited=(steps[0].name,))
    assert part_of_time(steps, 0, 1) == 0.5
    assert part_of_time((*steps, cited), 0, 1) == SEARCHING / (2 * SEARCHING + CITING)
    assert part_of_time((*steps, cited), 0, 3) == 1.0
    assert part_of_time(steps, 1, 1) == 1.0


def test_a_step_that_uses_up_its_time_leaves_the_others_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "lemma long : p.T preserves x == 0; lemma short : p.T preserves true;"
    prepared = _prepared(tmp_path, text, seconds=1_000.0)
    apply, left = prove_room.apply, dict[str, float]()

    def limited(work: Work) -> Fact:
        left[work.step.name] = seconds_left(work.options.limits) or 0.0
        if work.step.name == "long":
            raise LimitReached(Reason.TIMEOUT)
        return apply(work)

    monkeypatch.setattr(prove_room, "apply", limited)
    first, second = prove(prepared)
    assert (first.verdict, second.verdict) == (Verdict.UNKNOWN, Verdict.PROVED)
    assert first.unknown == Unknown(Reason.TIMEOUT, USED_UP)
    assert left["long"] <= 500.0 < left["short"]


def _prepared(tmp_path: Path, steps: str, seconds: float | None = None) -> Prepared:
    (tmp_path / "p.sa").write_text("global x : int = 0; thread T { while (true) { skip; } }")
    (tmp_path / "proof.sa").write_text(f'import "p.sa" as p; {steps}')
    script = load_script(str(tmp_path / "proof.sa"), False).script
    return prepare(script, Options(limits(seconds, None)))
