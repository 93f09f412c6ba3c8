"""What helps against typing errors in C: a name that is near, the header that declares one."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.frontends.load import load_program

HINTS = {
    "a function of the library": (
        "#include <pthread.h>\npthread_mutex_t m;\nint main(void) { pthread_mutex_lok(&m); }",
        "did you mean `pthread_mutex_lock`?",
    ),
    "a function of the file": (
        "int x;\nvoid publish(int *p) { *p = 1; }\nint main(void) { publsh(&x); }",
        "did you mean `publish`?",
    ),
    "a function that nothing is near to": ("void see(int *);\nint x;\nint main(void) { see(&x); }", "define it"),
    "a type of a header": ("int main(void) { pthread_t t; return 0; }", "`#include <pthread.h>` declares it"),
    "a constant of a header": ("int main(void) { return INT_MAX; }", "`#include <limits.h>` declares it"),
    "a name of no header": ("int main(void) { return EMPTY; }", None),
}


@pytest.mark.parametrize("name", HINTS)
def test_a_mistyped_name_gets_a_hint(name: str, tmp_path: Path) -> None:
    text, hint = HINTS[name]
    path = tmp_path / "p.c"
    path.write_text(text)
    with pytest.raises(InputError) as found:
        load_program(str(path))
    assert found.value.diagnostics[0].hint == hint


def test_what_only_follows_from_a_refused_declaration_is_not_told(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text("int x;\nint main(void) {\n  int n = x; int b[2][n];\n  b[0][0] = 1;\n  return b[0][0];\n}\n")
    with pytest.raises(InputError) as found:
        load_program(str(path))
    assert [d.code for d in found.value.diagnostics] == ["SA711"]
