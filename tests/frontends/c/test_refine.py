"""Pairs of `specs/c-refine`: before and after an optimisation done by hand, and miscompiled."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sa.app.refine import Answer, RefineRequest, refine
from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.cli.main import application
from sa.engines.options import Options

SPECS = Path(__file__).parents[3] / "specs" / "c-refine"
PAIRS = sorted(p for p in SPECS.glob("*.c") if not p.name.endswith(".before.c"))


def sacheck(*arguments: str) -> Result:
    return CliRunner().invoke(application(), [*arguments])


def compared(before: Path, after: Path) -> Answer:
    """The answer to whether one program refines the other."""
    (found,) = refine(RefineRequest((str(before), str(after)), False, Options(limits(30.0, None))))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("path", PAIRS, ids=lambda p: p.stem)
def test_the_answer_is_the_expected_one(path: Path) -> None:
    expected = re.match(r"// expect: (\w+)\n", path.read_text())
    assert expected is not None
    before = path.with_name(f"{path.name.split('.')[0]}.before.c")
    assert compared(before, path).outcome.verdict.value.lower() == expected.group(1)


@pytest.mark.parametrize("name", ["volatile-write", "call-dropped", "result"])
def test_what_the_outside_sees_is_kept(name: str) -> None:
    before = SPECS / f"{name}.before.c"
    assert compared(before, SPECS / f"{name}.after.c").outcome.verdict.value == "PROVED"
    assert compared(before, SPECS / f"{name}.broken.c").outcome.verdict.value == "REFUTED"


def test_the_claim_says_what_it_takes_for_granted() -> None:
    said = compared(SPECS / "lock-region.before.c", SPECS / "lock-region.after.c").outcome.said
    assert {"sequential-consistency", "failures"} <= {c.kind for c in said.assumptions}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("extern void put(int *);\nint x;\nint main(void) { put(&x); return 0; }\n", "SA716"),
        ("volatile int a[2];\nextern int get(void);\nint main(void) { return a[get() & 1]; }\n", "SA716"),
        ("struct s { int x; };\nvolatile struct s v;\nint main(void) { return v.x; }\n", "SA712"),
        (
            "#include <stdlib.h>\nextern int get(void);\n"
            "int main(void) { while (get()) { int *p = malloc(sizeof(int)); *p = 1; } return 0; }\n",
            "SA715",
        ),
    ],
    ids=["address", "volatile element", "volatile structure", "heap in a loop"],
)
def test_what_cannot_be_compared_is_an_error(text: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(text)
    with pytest.raises(InputError) as wrong:
        compared(path, path)
    assert wrong.value.diagnostics[0].code == code


def test_how_both_files_are_read_is_an_option_and_part_of_the_certificate(tmp_path: Path) -> None:
    """Where signed arithmetic wraps, `a + 1 > a` may be false; the macro is part of the program."""
    text = "extern void emit(int); extern int input(void); int main(void) { int a = input(); emit(%s); return N; }"
    (tmp_path / "before.c").write_text(text % "a + 1 > a")
    (tmp_path / "after.c").write_text(text % "1")
    files, certificate = [str(tmp_path / "before.c"), str(tmp_path / "after.c")], str(tmp_path / "evidence.json")
    assert sacheck("refine", *files).exit_code == 2
    assert sacheck("refine", *files, "-D", "N=0", "--certificate", certificate).exit_code == 0
    assert sacheck("certify", certificate).exit_code == 0
    assert sacheck("refine", *files, "-D", "N=0", "--overflow", "wrap").exit_code == 1
    Path(certificate).write_text(Path(certificate).read_text().replace("DN=0", "DN=0x"))
    assert sacheck("certify", certificate).exit_code != 0


def test_a_function_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    """Without `main`, files are most often meant to be compared function by function."""
    path = tmp_path / "a.c"
    path.write_text("int first(int a) { return a; }")
    for options, hint in (((), "`refine --function first`"), (("--function", "frist"), "did you mean `first`?")):
        shown = sacheck("refine", *options, str(path), str(path))
        assert shown.exit_code == 2
        assert hint in " ".join(shown.stderr.split())


def test_options_for_c_are_refused_elsewhere(tmp_path: Path) -> None:
    program = tmp_path / "p.sa"
    program.write_text("global x : int = 0;\nthread T { x := 1; }\n")
    result = sacheck("refine", str(program), str(program), "--overflow", "wrap")
    assert (result.exit_code, "SA705" in result.stderr) == (2, True)
    assert sacheck("refine", "--chain", *[str(program)] * 3, "-D", "N=1").exit_code == 2


def test_a_lock_that_is_a_flag_of_c11_is_one_in_whole_programs(tmp_path: Path) -> None:
    before, after, broken = (tmp_path / f"{name}.c" for name in ("before", "after", "broken"))
    text = (
        "#include <stdatomic.h>\n#include <pthread.h>\natomic_flag flag = ATOMIC_FLAG_INIT;\nint x;\nvoid out(int);\n"
        "void *f(void *a) { while (atomic_flag_test_and_set(&flag)) ; %s atomic_flag_clear(&flag); return 0; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); out(x); return 0; }\n"
    )
    for path, step in ((before, "x = x + 1;"), (after, "int y = x; x = y + 1;"), (broken, "x = 1;")):
        path.write_text(text % step)
    assert compared(before, after).outcome.verdict.value == "PROVED"
    assert compared(before, broken).outcome.verdict.value == "REFUTED"


def test_a_thread_whose_assumption_fails_shows_nothing(tmp_path: Path) -> None:
    before, after = tmp_path / "before.c", tmp_path / "after.c"
    text = (
        "#include <pthread.h>\nvoid out(int);\nvoid __VERIFIER_assume(int);\nint x;\n"
        "void *f(void *a) { %s return 0; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }\n"
    )
    before.write_text(text % "out(1); __VERIFIER_assume(x);")
    after.write_text(text % "__VERIFIER_assume(x); out(1);")
    assert compared(before, after).outcome.verdict.value == "PROVED"
    assert compared(after, before).outcome.verdict.value == "REFUTED"
