"""Functions alone: what calls, assembly and accesses of parts mean, and what an answer takes for granted."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.frontends.c.caveats import CREATION, JOINING, created
from tests.frontends.c.test_functions import ATOMICS, compared, sacheck, verdict

THREADS = "#include <pthread.h>\n"


@pytest.mark.parametrize(
    ("instruction", "clobbers"), [("mfence", ""), ("mfence", ' ::: "memory"'), ("", ' ::: "memory"')]
)
def test_assembly_that_orders_accesses_is_seen(instruction: str, clobbers: str, tmp_path: Path) -> None:
    text = ATOMICS + "int g; atomic_int x; int f(int a) {{ {} return 0; }}"
    fence = f'__asm__ volatile("{instruction}"{clobbers});'
    store = "atomic_store_explicit(&x, 1, memory_order_relaxed);"
    before = text.format(f"g = a; {fence} {store}")
    assert verdict(before, text.format(f"g = a; {store}"), tmp_path) == "REFUTED"
    assert verdict(before, text.format(f"{store} {fence} g = a;"), tmp_path) == "REFUTED"
    assert verdict(before, text.format(f"g = 7; g = a; {fence} {store}"), tmp_path) == "PROVED"


def test_fences_in_assembly_are_told_apart(tmp_path: Path) -> None:
    text = 'int f(void) {{ __asm__ volatile("{}" ::: "memory"); return 0; }}'
    assert verdict(text.format("mfence"), text.format("lfence"), tmp_path) == "REFUTED"


@pytest.mark.parametrize(
    "assembly", ['asm("hlt");', 'if (a) asm("hlt");', 'a: asm("hlt");', 'for (;;) asm("hlt");', 'asm("" : "=r"(a));']
)
def test_assembly_of_which_the_meaning_is_not_known_is_refused(assembly: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as wrong:
        verdict(f"int f(int a) {{ {assembly} return 0; }}", "int f(int a) { return 0; }", tmp_path)
    assert wrong.value.diagnostics[0].code == "SA717"


def test_a_name_in_assembly_is_no_instruction(tmp_path: Path) -> None:
    text = 'extern int put(int) __asm__("put_64"); int f(int a) { return put(a); }'
    assert verdict(text, text, tmp_path) == "PROVED"


def test_what_cannot_be_reached_is_undefined(tmp_path: Path) -> None:
    text = "#include <stdlib.h>\nint f(int a) {{ {} }}"
    unreachable = text.format("if (a) __builtin_unreachable(); return a;")
    assert verdict(unreachable, text.format("return 0;"), tmp_path) == "PROVED"
    assert verdict(text.format("if (a) abort(); return a;"), unreachable, tmp_path) == "REFUTED"
    assert verdict(text.format("return a;"), unreachable, tmp_path) == "REFUTED"


@pytest.mark.parametrize(
    ("one", "other"),
    [("exit(1);", "_Exit(1);"), ("exit(1);", "quick_exit(1);"), ("abort();", "__builtin_trap();")],
)
def test_each_way_to_end_the_process_is_another_one(one: str, other: str, tmp_path: Path) -> None:
    text = "#include <stdlib.h>\nint f(int a) {{ if (a) {} return 0; }}"
    assert verdict(text.format(one), text.format(other), tmp_path) == "REFUTED"
    assert verdict(text.format(one), text.format(one), tmp_path) == "PROVED"


def test_the_end_of_the_thread_is_not_that_of_the_function(tmp_path: Path) -> None:
    text = THREADS + "int g; void *f(void *a) {{ {} }}"
    ends = "pthread_exit(0);"
    assert verdict(text.format(ends), text.format("return 0;"), tmp_path) == "REFUTED"
    assert verdict(text.format(f"g = 2; {ends}"), text.format(f"g = 1; g = 2; {ends}"), tmp_path) == "PROVED"


def test_texts_of_other_letters_are_other_texts(tmp_path: Path) -> None:
    text = "#include <stddef.h>\nvoid use(const void *); int f(int a) {{ use({}); return 0; }}"
    assert verdict(text.format('L"a"'), text.format('"a"'), tmp_path) == "REFUTED"
    assert verdict(text.format('L"a"'), text.format('L"a"'), tmp_path) == "PROVED"
    with pytest.raises(InputError):
        verdict(text.format('L"a"'), text.format(r'L"\x161"'), tmp_path)


def test_two_objects_of_one_call_are_two_names(tmp_path: Path) -> None:
    text = THREADS + "pthread_cond_t a, a_b; pthread_mutex_t b_c, c; int f(void) {{ pthread_cond_wait({}); return 0; }}"
    before = text.format("&a, &b_c")
    assert verdict(before, text.format("&a_b, &c"), tmp_path) == "REFUTED"
    assert verdict(before, before, tmp_path) == "PROVED"


def test_a_call_without_a_prototype_shows_how_wide_its_arguments_are(tmp_path: Path) -> None:
    text = "void use({}); int f(int a) {{ use({}); return 0; }}"
    assert verdict(text.format("", "1L"), text.format("", "1"), tmp_path) == "REFUTED"
    assert verdict(text.format("", "1"), text.format("", "'\\1'"), tmp_path) == "PROVED"
    assert verdict(text.format("int", "1L"), text.format("int", "1"), tmp_path) == "PROVED"


def test_the_claim_says_what_it_takes_for_granted_of_threads(tmp_path: Path) -> None:
    before, after = tmp_path / "before.c", tmp_path / "after.c"
    text = THREADS + (
        "int g; void *t(void *a) {{ g = {}; return 0; }}\n"
        "int f(int a) {{ pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); return 0; }}"
    )
    before.write_text(text.format(1))
    after.write_text(text.format(2))
    said = compared(before, after).outcome.said
    assert {JOINING, CREATION} <= {*said.assumptions}
    assert said.not_checked == (created("t"),)


def test_which_function_a_thread_runs_may_be_computed(tmp_path: Path) -> None:
    text = THREADS + (
        "void *one(void *a) {{ return a; }} void *two(void *a) {{ return 0; }}\n"
        "int f(int a) {{ pthread_t p; {} return pthread_join(p, 0); }}"
    )
    choice = text.format("pthread_create(&p, 0, a ? one : two, 0);")
    branches = "if ({}) pthread_create(&p, 0, one, 0); else pthread_create(&p, 0, two, 0);"
    assert verdict(choice, text.format(branches.format("a")), tmp_path) == "PROVED"
    assert verdict(choice, text.format(branches.format("!a")), tmp_path) == "REFUTED"


@pytest.mark.parametrize("kind", ["atomic_int", "volatile int"])
def test_elements_are_the_same_however_they_are_named(kind: str, tmp_path: Path) -> None:
    text = ATOMICS + kind + " x[2]; int f(int a) {{ {} return 0; }}"
    loop = text.format("for (int i = 0; i < 2; i++) x[i] = 1;")
    assert verdict(loop, text.format("x[0] = 1; x[1] = 1;"), tmp_path) == "PROVED"
    assert verdict(loop, text.format("x[1] = 1; x[0] = 1;"), tmp_path) == "REFUTED"
    assert verdict(text.format("if (a == 0) x[a] = 1;"), text.format("if (a == 0) x[0] = 1;"), tmp_path) == "PROVED"


@pytest.mark.parametrize("access", ["atomic_store(&x[{}], 1);", "atomic_fetch_add(&x[{}], 1);", "x[{}] = 1;"])
def test_an_element_that_is_none_is_undefined(access: str, tmp_path: Path) -> None:
    text = ATOMICS + "atomic_int x[2]; int f(unsigned a) {{ " + access + " return 0; }}"
    assert verdict(text.format("a"), text.format("a & 1"), tmp_path) == "PROVED"
    assert verdict(text.format("a & 1"), text.format("a"), tmp_path) == "REFUTED"


def test_a_function_is_compared_by_permissions_only(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text("int f(void) { return 0; }")
    asked = ["refine", "--function", "f", str(path), str(path)]
    assert sacheck(*asked, "--plain", "always").exit_code == 2
    assert sacheck(*asked, "--plain", "permissions").exit_code == 0


def test_what_is_no_plain_number_is_refused_in_a_sentence(tmp_path: Path) -> None:
    text = "float g; int f(void) { g = 1; return 0; }"
    with pytest.raises(InputError) as wrong:
        verdict(text, text, tmp_path)
    assert "which is no plain number, is not supported" in wrong.value.diagnostics[0].message


def test_no_play_counts_that_loses_only_because_a_loop_never_ends(tmp_path: Path) -> None:
    """C lets a compiler delete such a loop (C11 6.8.5p6): to REFUTE that would be wrong."""
    text = "void h(int); void f(unsigned n) {{ {} h({}); }}"
    before = text.format("while (n != 5) n += 2;", 1)
    assert verdict(before, text.format("", 1), tmp_path) != "REFUTED"
    assert verdict(before, text.format("", 2), tmp_path) != "PROVED"
    assert verdict(text.format("while (n > 5) n--;", 1), text.format("", 2), tmp_path) == "REFUTED"
    assert verdict(text.format("while (1) if (n == 5) break;", 1), text.format("", 1), tmp_path) == "REFUTED"
