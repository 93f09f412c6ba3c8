"""Small programs by construct: values against gcc with its sanitizer, answers of concurrent ones by reasoning.

`values.txt` has expressions, then declarations, `---`, and statements of `main`; `answers.txt` has names and answers.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.verification import within_bounds
from sa.engines.verify import Options, verify
from sa.frontends.load import load_program
from tests.frontends.c.programs import program, verdict

HERE = Path(__file__).parent
NAMES = ("assert", "limits", "pthread", "semaphore", "stdatomic", "stdbool", "stddef", "stdint", "stdlib", "string")
HEAD = (
    "".join(f"#include <{name}.h>\n" for name in (*NAMES, "threads"))
    + """
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
"""
)
COMPILER = shutil.which("gcc")


def cases(name: str) -> list[tuple[str, str]]:
    """The heads and bodies of a file of cases."""
    parts = (HERE / name).read_text().split("=== ")[1:]
    return [(p.split("\n", 1)[0], p.split("\n", 1)[1]) for p in parts]


def answer(folder: Path, text: str) -> str:
    """The verdict, or the code of the error; a program that claims nothing is proved."""
    file = folder / "p.c"
    file.write_text(HEAD + text)
    try:
        outcome = verify(load_program(str(file), families=True).program, Options(limits(60.0, None)))
        verdict = within_bounds(outcome).verdict
    except InputError as wrong:
        return wrong.diagnostics[0].code
    return "PROVED" if verdict is None else verdict.value


def run_by_gcc(folder: Path, declarations: str, body: str, expressions: list[str]) -> list[int]:
    """The values of expressions at the end of `main`."""
    prints = "".join(f'printf("%lld\\n", (long long) ({e}));' for e in expressions)
    (folder / "g.c").write_text(f"{HEAD}#include <stdio.h>\n{declarations}\nint main(void) {{\n{body}\n{prints} }}\n")
    command = ["-w", "-pthread", "-fsanitize=undefined,address", "-fno-sanitize-recover=all", "-o", str(folder / "g")]
    subprocess.run([str(COMPILER), *command, str(folder / "g.c")], check=True, timeout=60)
    # Blocks of memory that are never freed are no error here.
    quiet = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    ran = subprocess.run([str(folder / "g")], check=True, capture_output=True, text=True, timeout=60, env=quiet)
    return [int(word) for word in ran.stdout.split()]


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="there is no gcc")
@pytest.mark.parametrize(("head", "text"), cases("values.txt"))
def test_expressions_have_the_values_that_gcc_says(tmp_path: Path, head: str, text: str) -> None:
    declarations, body = text.split("---\n", 1)
    expressions = head.split(" | ")
    values = run_by_gcc(tmp_path, declarations, body, expressions)
    same = [f"(long long) ({e}) == {v}LL" for e, v in zip(expressions, values, strict=True)]

    def program(statements: str) -> str:
        return f"{declarations}\nint main(void) {{\n{body}\n{statements}\nreturn 0; }}\n"

    assert answer(tmp_path, program("".join(f"assert({c});\n" for c in same))) == "PROVED"
    # That they hold means something: the end of the program is reached, and what is claimed there may fail.
    assert (
        answer(tmp_path, program("".join(f"assert({c});\n" for c in same[:-1]) + f"assert(!({same[-1]}));"))
        == "REFUTED"
    )


#: What takes ten seconds or more.
LONG = frozenset({
    "a-queue-of-ones-in-allocated-memory: PROVED",
    "a word with a width, a letter and a number are read: PROVED",
    "any number of threads that are waited for: PROVED",
    "letters of an argument say which number it is: PROVED",
    "sprintf that may not fit: REFUTED",
    "what is changed behind a join of any number of threads: UNKNOWN",
    "words that are read need a width: REFUTED",
})  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("head", "text"), [pytest.param(*c, marks=pytest.mark.fuzz if c[0] in LONG else ()) for c in cases("answers.txt")]
)
def test_concurrent_programs_have_the_answers_that_are_right(tmp_path: Path, head: str, text: str) -> None:
    assert answer(tmp_path, text) == head.split(": ")[1]


def test_branches_one_after_the_other_are_not_multiplied(tmp_path: Path) -> None:
    branches = "".join(f"    if (at == {n} && at < until) {{ at = {n + 1}; x += {n}; }}\n" for n in range(24))
    file = tmp_path / "branches.c"
    file.write_text(
        "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nstatic int at, x;\n"
        f"int main(void) {{\n    int until = __VERIFIER_nondet_int();\n{branches}    assert(x >= 0);\n}}\n"
    )
    (thread,) = load_program(str(file)).program.threads
    assert 24 < len(thread.edges) < 24 * 40


def test_each_atomic_type_of_the_standard_has_its_name(tmp_path: Path) -> None:
    """C11 7.17.6."""
    fast = [f"{sign}int_{kind}{bits}_t" for sign in ("", "u") for kind in ("least", "fast") for bits in (8, 16, 32, 64)]
    names = ("char16_t", "char32_t", "wchar_t", "intptr_t", "size_t", "ptrdiff_t", "intmax_t", "uintmax_t", *fast)
    declared = "".join(f"atomic_{name} v{number};" for number, name in enumerate(names))
    assert verdict(tmp_path, f"{declared} int main(void) {{ v0 = 1; assert(v0 == 1); }}") is Verdict.PROVED


def test_a_function_of_the_competition_that_there_is_not_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no function `__VERIFIER_any`"):
        program(tmp_path, "extern int __VERIFIER_any(void); int main(void) { return __VERIFIER_any(); }")
