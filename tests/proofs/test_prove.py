"""Claims that are false, or not shown by what they cite: no rule proves them.

Each was proved at some time, by a rule that did not look at what its citations are about.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.language.load import load_script
from sa.proofs.prove import prepare, prove
from sa.refinement.options import Options

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
    "a link in a narrower environment": (
        {"conc": "seen", "mid": "unseen", "abs": "unseen"},
        """lemma one : conc.T1 refines mid.T1 relate x, y pre conc.x == 0 rely unchanged x;
        lemma two : mid.T1 refines abs.T1 relate x, y;
        theorem wrong : conc.T1 refines abs.T1 relate x, y pre conc.x == 0 by chain(one, two);""",
    ),
}


def _verdicts(folder: Path, programs: dict[str, str], steps: str) -> dict[str, Verdict]:
    for alias, name in programs.items():
        (folder / f"{alias}.sa").write_text(PROGRAMS.get(name, name))
    imports = "".join(f'import "{alias}.sa" as {alias};\n' for alias in programs)
    (folder / "script.sa").write_text(imports + steps)
    script = load_script(str(folder / "script.sa"), split=False).script
    return {r.step.name: r.verdict for r in prove(prepare(script, Options(limits(30.0, None))))}


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_is_cited_must_be_about_the_claim(name: str, tmp_path: Path) -> None:
    verdicts = _verdicts(tmp_path, *SCRIPTS[name])
    assert verdicts.pop("wrong") is not Verdict.PROVED
    assert set(verdicts.values()) == {Verdict.PROVED}, "it fails for want of the claim, not of what is cited"


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
        _verdicts(tmp_path, {"p": program}, "lemma wrong : p.T preserves x == 0;")
    assert code in {d.code for d in refused.value.diagnostics}
