"""Names and forms of calls that C and verifiers have: each means what it says, or is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.overflow import told_of_overflow
from sa.base.diagnostic import Diagnostic, InputError
from sa.base.limits import Limits
from sa.base.source import position
from sa.conditions.vacuity import vacuity
from sa.frontends.c.load import load_with
from sa.frontends.reading import USUAL
from tests.frontends.c.test_constructs import answer

#: C11 7.17.6.
ATOMIC_TYPES = [
    *("bool", "char", "schar", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "llong", "ullong"),
    *("char16_t", "char32_t", "wchar_t", "intptr_t", "uintptr_t", "size_t", "ptrdiff_t", "intmax_t", "uintmax_t"),
    *(f"{sign}int_{kind}{bits}_t" for sign in ("", "u") for kind in ("least", "fast") for bits in (8, 16, 32, 64)),
]


def test_stdatomic_has_all_types(tmp_path: Path) -> None:
    declared = "".join(f"atomic_{name} v{n} = 1;\n" for n, name in enumerate(ATOMIC_TYPES))
    total = " + ".join(f"v{n}" for n in range(len(ATOMIC_TYPES)))
    text = f"#include <assert.h>\n#include <stdatomic.h>\n{declared}int main(void) {{ assert({total} == {{}}); }}"
    assert answer(tmp_path, text.replace("{}", str(len(ATOMIC_TYPES)))) == "PROVED"
    assert answer(tmp_path, text.replace("{}", "1")) == "REFUTED"


JOINED = """
#include <assert.h>
#include <pthread.h>
void *worker(void *a) {{ return (void *) 7; }}
int main(void) {{
  pthread_t t; {type} r; pthread_create(&t, 0, worker, 0); pthread_join(t, (void **) &r);
  assert(r == ({type}) {value}); return 0;
}}
"""


@pytest.mark.parametrize(("value", "verdict"), [(7, "PROVED"), (8, "REFUTED")])
@pytest.mark.parametrize("type_", ["long", "unsigned long", "void *"])
def test_the_result_of_a_join_may_go_to_any_word(tmp_path: Path, type_: str, value: int, verdict: str) -> None:
    assert answer(tmp_path, JOINED.format(type=type_, value=value)) == verdict


def test_the_result_of_a_join_goes_to_nothing_smaller(tmp_path: Path) -> None:
    assert answer(tmp_path, JOINED.format(type="int", value=7)) == "SA714"


@pytest.mark.parametrize(
    ("call", "accepted"),
    [
        ("__VERIFIER_nondet_int()", True),
        ("__VERIFIER_nondet_longlong()", True),
        ("__VERIFIER_nondet_own()", True),
        ("__VERIFIER_nondet_intt()", False),
        ("__VERIFIER_something(1)", False),
        ("(__VERIFIER_nondet_memory(&x, 4), 1)", False),
    ],
)
def test_what_a_verifiers_word_does_is_never_guessed(tmp_path: Path, call: str, accepted: bool) -> None:
    declared = "unsigned char __VERIFIER_nondet_own(void); void __VERIFIER_nondet_memory(void *, unsigned long);"
    path = tmp_path / "x.c"
    path.write_text(f"{declared}\nint main(void) {{ int x; x = {call}; return x; }}")
    if accepted:
        load_with(str(path), USUAL)
        return
    with pytest.raises(InputError) as raised:
        load_with(str(path), USUAL)
    assert {d.code for d in raised.value.diagnostics} == {"SA716"}


def blocked(path: Path, text: str) -> list[Diagnostic]:
    """The warnings about threads that block for ever, as `verify` tells them."""
    path.write_text(text)
    found = [d for d in vacuity((load_with(str(path), USUAL).program,), Limits()) if d.code == "SA505"]
    return list(told_of_overflow(tuple(found), str(path), USUAL, Limits()))


def test_who_waits_for_a_thread_that_never_ends_blocks_at_the_join_and_not_by_overflow(tmp_path: Path) -> None:
    text = (
        "#include <pthread.h>\n#include <stdlib.h>\nvoid *worker(void *a) { abort(); }\nint main(void) { pthread_t t;\n"
    )
    (found,) = blocked(tmp_path / "x.c", text + "pthread_create(&t, 0, worker, 0);\npthread_join(t, 0);\nreturn 0; }")
    assert found.span is not None
    assert position(found.span.source, found.span.start).line == 6
    assert "overflow" not in found.message


def test_who_can_only_go_on_by_overflow_is_said_to(tmp_path: Path) -> None:
    (found,) = blocked(tmp_path / "x.c", "int x = 2147483647;\nint main(void) { x = x + 1; return 0; }")
    assert "signed arithmetic overflows" in found.message


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        # Without its header it is declared by its use, and not defined anywhere.
        ("assert(x == 0);", "REFUTED"),
        ("assert(x == 1);", "PROVED"),
        ('__CPROVER_assert(x == 0, "x");', "REFUTED"),
        ('__ESBMC_assert(x == 1, "x");', "PROVED"),
        ("__CPROVER_assume(x == 0); assert(0);", "PROVED"),
        ("__CPROVER_cover(x);", "SA716"),
    ],
)
def test_claims_and_assumptions_of_other_verifiers(tmp_path: Path, statement: str, expected: str) -> None:
    assert answer(tmp_path, f"int x = 1; int main(void) {{ {statement} }}") == expected


def test_the_number_of_a_thread_is_written_through_a_pointer(tmp_path: Path) -> None:
    text = "#include <pthread.h>\nvoid *f(void *a) { return 0; }\nint main(void) { pthread_t t; CALL; }"
    assert answer(tmp_path, text.replace("CALL", "pthread_create(t, 0, f, 0)")) == "SA719"
    assert answer(tmp_path, text.replace("CALL", "pthread_create(&t, 0, f, 0)")) == "PROVED"
