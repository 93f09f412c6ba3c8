"""Pairs of `specs/c-functions`: one function before and after an optimisation, and miscompiled, in any environment."""

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
from sa.frontends.c.caveats import DEFINED, LOOPS_END
from sa.frontends.reading import Reading, reading_of, words

SPECS = Path(__file__).parents[3] / "specs/c-functions"
PAIRS = sorted(p for p in SPECS.glob("*.c") if not p.name.endswith(".before.c"))
ATOMICS = "#include <stdatomic.h>\n"


def sacheck(*arguments: str) -> Result:
    return CliRunner().invoke(application(), [*arguments])


def compared(before: Path, after: Path, name: str = "f") -> Answer:
    """The answer to whether the function of one file refines that of the other."""
    asked = Options(limits(60.0, None))
    (found,) = refine(RefineRequest((str(before), str(after)), False, asked, reading=Reading(function=name)))
    return found


def verdict(before: str, after: str, folder: Path) -> str:
    """The verdict about two texts."""
    paths = folder / "before.c", folder / "after.c"
    for path, text in zip(paths, (before, after), strict=True):
        path.write_text(text)
    return compared(*paths).outcome.verdict.value


@pytest.mark.parametrize("path", PAIRS, ids=lambda p: p.stem)
def test_the_answer_is_the_expected_one(path: Path) -> None:
    expected = re.match(r"// expect: (\w+)\n", path.read_text())
    assert expected is not None
    before = path.with_name(f"{path.name.split('.')[0]}.before.c")
    assert compared(before, path).outcome.verdict.value.lower() == expected.group(1)


def test_each_pair_has_a_broken_twin() -> None:
    names = {p.name.split(".")[0] for p in SPECS.glob("*.c")}
    assert len(names) >= 26
    assert all((SPECS / f"{n}.{kind}.c").exists() for n in names for kind in ("before", "after", "broken"))


def test_a_certificate_is_judged_from_the_two_files(tmp_path: Path) -> None:
    files = [str(SPECS / f"dead-store.{kind}.c") for kind in ("before", "after")]
    certificate = str(tmp_path / "evidence.json")
    assert sacheck("refine", "--function", "f", *files, "--certificate", certificate).exit_code == 0
    assert '"function=f"' in Path(certificate).read_text()
    assert sacheck("certify", certificate, "--source", str(SPECS)).exit_code == 0


def test_the_claim_says_what_it_takes_for_granted() -> None:
    outcome = compared(SPECS / "call.before.c", SPECS / "call.after.c").outcome
    assert "in every environment" in outcome.claim
    assert DEFINED in outcome.said.assumptions
    assert "sequential-consistency" not in {c.kind for c in outcome.said.assumptions}


def test_a_race_of_the_original_answers_everything(tmp_path: Path) -> None:
    """Whoever lacks the permission for `g` after the acquire has no defined run; whoever has it had it all along."""
    text = ATOMICS + "int g; atomic_int x; int f(void) {{ {} }}"
    store = "atomic_store_explicit(&x, 1, memory_order_relaxed);"
    assert (
        verdict(text.format(f"{store} g = 1; return 0;"), text.format(f"g = 1; {store} return 0;"), tmp_path)
        == "PROVED"
    )
    assert verdict(text.format(f"{store} return 0;"), text.format(f"g = 1; {store} return 0;"), tmp_path) == "REFUTED"


def test_a_debt_is_paid_on_every_way(tmp_path: Path) -> None:
    text = ATOMICS + "int g; atomic_int x; int f(int a) {{ {} }}"
    store = "atomic_store_explicit(&x, 1, memory_order_release);"
    before = text.format(store + " if (a) g = 1; else g = 1; return 0;")
    early = text.format("g = 1; " + store + " return 0;")
    assert verdict(before, early, tmp_path) == "PROVED"
    assert verdict(text.format(store + " if (a) g = 1; return 0;"), early, tmp_path) == "REFUTED"
    wait = " while (1) { if (a) break; } "
    late = text.format(store + wait + "g = 1; return 0;")
    assert verdict(late, text.format("g = 1; " + store + wait + "return 0;"), tmp_path) == "REFUTED"
    acquires = text.format(store + " int q = atomic_load(&x); g = 1; return q;")
    assert verdict(acquires, text.format("g = 1; " + store + " return atomic_load(&x);"), tmp_path) == "REFUTED"


def test_an_invented_store_counts_before_an_end(tmp_path: Path) -> None:
    text = "#include <assert.h>\n#include <stdlib.h>\nint g; int f(int a) {{ {} return 0; }}"
    for end in ("assert(a);", "if (!a) abort();", "if (!a) exit(1);"):
        assert verdict(text.format(end), text.format("if (!a) g = 1; " + end), tmp_path) == "REFUTED"


def test_what_is_not_assigned_here_may_be_assigned_elsewhere(tmp_path: Path) -> None:
    constant = "int limit = 4; int f(void) { return 4; }"
    assert verdict("int limit = 4; int f(void) { return limit; }", constant, tmp_path) == "REFUTED"
    kept = "static int limit = 4; int f(void) { return limit; }"
    assert verdict(kept, constant, tmp_path) == "PROVED"


@pytest.mark.parametrize(
    ("declared", "used"),
    [
        ("static const int t[2] = {1, %d};", "t[a & 1]"),
        ("const struct { int a, b; } t = {1, %d};", "t.b + a"),
        ('static const char *const t[2] = {"a", "b"}; const char s[3] = {1, 2, %d};', "*t[a & 1] + s[2]"),
    ],
    ids=["array", "structure", "texts"],
)
def test_constants_have_their_values(declared: str, used: str, tmp_path: Path) -> None:
    text = f"{declared} int f(unsigned a) {{ return {used}; }}"
    assert verdict(text % 2, text % 2, tmp_path) == "PROVED"
    assert verdict(text % 2, text % 3, tmp_path) == "REFUTED"
    folded = "static const int t[2] = {1, 2}; int f(void) { return %s; }"
    assert verdict(folded % "t[1]", folded % "2", tmp_path) == "PROVED"


def test_a_function_in_a_table_of_constants_is_called(tmp_path: Path) -> None:
    text = "static int one(void) { return 1; } static int two(void) { return 2; }\n" + (
        "static int (*const t[2])(void) = {one, two}; int f(unsigned a) { return %s; }"
    )
    assert verdict(text % "t[a & 1]()", text % "(a & 1) + 1", tmp_path) == "PROVED"
    assert verdict(text % "t[a & 1]()", text % "1", tmp_path) == "REFUTED"


@pytest.mark.parametrize(
    "text",
    [
        "int *h(int a) { int l = a; return &l; } int f(int a) { return *h(a); }",
        "void h(int **p, int a) { int l = a; *p = &l; } int f(int a) { int *p; h(&p, a); return *p; }",
        "struct s { int *p; }; struct s h(int a) { int l = a; struct s r; r.p = &l; return r; }"
        "int f(int a) { return *h(a).p; }",
        "int f(int a) { int *p; { int l = a; p = &l; } return *p; }",
        "int f(int a) { int *p = &a; for (int i = 0; i < 2; i++) { int l = *p; p = &l; } return 0; }",
        "int f(int a) { int *p = &a; do { int l = a; p = &l; if (a) continue; p = &a; } while (*p); return 0; }",
        "int f(int a) { int *p = &a; for (;;) { int l = a; p = &l; break; } return *p; }",
        "int f(int a) { int *p = &a; if (a) { int t[2] = {1, 2}; p = t + 1; } return *p; }",
        "int f(int a) { int *p; { p = (int[]){a, 2}; } return *p; }",
        "int f(int a) { int *p = ({ int l = a; &l; }); return *p; }",
        "int f(int a) { int *p; { int l = a; p = &l; goto out; } out: return *p; }",
    ],
    ids=[
        "returned", "stored", "in a structure", "block", "next round", "continued", "left", "array", "literal",
        "expression", "goto",
    ],
)  # fmt: skip
def test_no_address_outlives_its_variable(text: str, tmp_path: Path) -> None:
    defined = "int f(int a) { return a; }"
    for before, after in ((text, defined), (defined, text)):
        with pytest.raises(InputError) as wrong:
            verdict(before, after, tmp_path)
        assert wrong.value.diagnostics[0].code == "SA718"


@pytest.mark.parametrize(
    "text",
    [
        "void h(int *p) { *p = -1 - *p; } int f(int a) { for (int i = 0; i < 2; i++) { int l = a; h(&l); a = l; }"
        "return a; }",
        "int *h(int *p) { return p; } int f(int a) { int l = a, *p = h(&l); return *p; }",
        "int f(int a) { int *p = &a; { int l = 1; p = &l; *p = 2; } p = &a; return *p; }",
        "struct s { int v; }; struct s h(int a) { struct s r = {a}; return r; } int f(int a) { return h(a).v; }",
        "int f(int a) { int l = a, *p = &l; if (a) goto out; *p = 0; out: return *p; }",
        "int f(int a) { return ({ int l = a; int *p = &l; *p; }); }",
    ],
    ids=["given", "given back", "another one", "structure", "goto", "expression"],
)
def test_addresses_within_the_life_of_variables_are_followed(text: str, tmp_path: Path) -> None:
    assert verdict("int f(int a) { return a; }", text, tmp_path) == "PROVED"
    assert verdict("int f(int a) { return a + 3; }", text, tmp_path) == "REFUTED"


def test_names_of_users_are_shared_whatever_they_are(tmp_path: Path) -> None:
    text = "int __string_g; void f(int a) { %s }"
    assert verdict(text % "__string_g = a;", text % "", tmp_path) == "REFUTED"


def test_unions_of_a_function_may_have_parts(tmp_path: Path) -> None:
    text = (
        "int f(unsigned a) { union { unsigned short all; struct { unsigned char a, b; } s; } u; u.all = a; return %s; }"
    )
    assert verdict(text % "u.s.b", text % "u.all >> 8", tmp_path) == "PROVED"


def test_pointers_are_handed_on_and_not_followed(tmp_path: Path) -> None:
    text = "int g; void *f(void *a) {{ {} return a; }}"
    assert verdict(text.format("g = 1; g = 2;"), text.format("g = 2;"), tmp_path) == "PROVED"
    assert verdict(text.format("g = 2;"), "int g; void *f(void *a) { g = 2; return 0; }", tmp_path) == "REFUTED"


ENDING = (
    "for (int i = 0; i < k; i++) n += 2;",
    "do { n--; } while (n > 0 && k != 3);",
    "while (k) ;",
    "for (int i = 0; i < k; i++) for (int j = i; j < n; j++) ;",
    "int on = 1; while (on) ;",
)
GOING_ON = (
    "while (1) { if (k) break; }",
    "for (;;) { if (k) break; }",
    "enum { ON = 1 }; while (ON && sizeof k) { if (k) break; }",
    "again: if (k) goto again;",
    "while (k) h();",
    "while (atomic_load_explicit(&flag, memory_order_relaxed) != k) ;",
    "while (k) { z = 1; }",
    "while (k) { volatile int own = 0; (void)own; }",
    "while (k) { _Atomic int own = 0; own++; }",
)


@pytest.mark.parametrize("loop", ENDING)
def test_a_store_goes_out_from_behind_a_loop_that_c_lets_be_taken_to_end(loop: str, tmp_path: Path) -> None:
    text = f"int x; int f(int k, int n) {{ @ {loop} @ return n; }}"
    before, after = (text.replace("@", a, 1).replace("@", b, 1) for a, b in ((";", "x = 1;"), ("x = 1;", ";")))
    assert verdict(before, after, tmp_path) == "PROVED"
    assert LOOPS_END in compared(tmp_path / "before.c", tmp_path / "after.c").outcome.said.assumptions


@pytest.mark.parametrize("loop", GOING_ON)
def test_no_store_goes_out_from_behind_a_loop_that_may_go_on(loop: str, tmp_path: Path) -> None:
    text = f"{ATOMICS}int x; atomic_int flag; void h(void); int f(int k) {{ volatile int z = 0; @ {loop} @ return k; }}"
    before, after = (text.replace("@", a, 1).replace("@", b, 1) for a, b in ((";", "x = 1;"), ("x = 1;", ";")))
    assert verdict(before, after, tmp_path) == "REFUTED"


def test_a_division_goes_out_from_behind_a_loop_that_ends(tmp_path: Path) -> None:
    text = "int b; int f(int k) {{ {} while (k > 0) k--; {} return {}; }}"
    before = text.format("", "int d = 4 / b;", "d")
    assert verdict(before, text.format("int d = 4 / b;", "", "d"), tmp_path) == "PROVED"


@pytest.mark.fuzz
def test_a_load_goes_out_of_a_loop(tmp_path: Path) -> None:
    text = "int g; int f(int n) {{ int s = 0; {} return s; }}"
    loop = text.format("for (int i = 0; i < n; i++) s += g;")
    assert verdict(loop, text.format("int t = g; for (int i = 0; i < n; i++) s += t;"), tmp_path) == "PROVED"
    assert verdict(loop, text.format("int t = g; for (int i = 0; i <= n; i++) s += t;"), tmp_path) == "REFUTED"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("int *p; int f(void) { return *p; }", None),
        ("_Thread_local int t; int f(void) { return t; }", None),
        ("int f(int n) { return n ? f(n - 1) : 0; }", None),
        ("volatile int v; int f(void) { return v; }", "int v; int f(void) { return v; }"),
        ("int g; int f(void) { return g; }", "unsigned g; int f(void) { return g; }"),
        ("int f(int a) { return a; }", "int f(unsigned a) { return a; }"),
        ("#include <pthread.h>\npthread_once_t t; void g(void) { } void f(void) { pthread_once(&t, g); }", None),
        ("int g; int f(void) { __VERIFIER_atomic_begin(); g = 1; __VERIFIER_atomic_end(); return 0; }", None),
        ("double f(void) { return 1.0; }", None),
        ("int h(void) { return 0; }", None),
        ("int f(void) { static int n = 0; return ++n; }", "int f(void) { static int n = 7; return ++n; }"),
        ("int one(void) { return 1; } int (*k)(void) = one; int f(int (*c)(void)) { return c(); }",
         "int one(void) { return 1; } int (*k)(void) = one; int f(int (*c)(void)) { return 1; }"),
        ("_Atomic int x; void f(void) { x = 1; }", "_Atomic signed char x; void f(void) { x = 1; }"),
        ("volatile int x; void f(void) { x = 1; }", "volatile char x; void f(void) { x = 1; }"),
        ("struct { _Atomic int a, b; } s; void f(void) { s.a = 1; }",
         "struct { _Atomic int b, a; } s; void f(void) { s.b = 1; }"),
        ("union { unsigned short all; struct { unsigned char a, b; } s; } u; void f(void) { u.s.b = 1; }", None),
        ("#include <stdlib.h>\nvoid f(void) { int *p = malloc(sizeof *p); free(p); }", None),
        ("int f(void) { return 0; }", 'int f(void) { char *s = "ab"; s[0] = 1; return 0; }'),
        ("const int k = 1; void f(void) { *(int *) &k = 2; }", None),
        ("void use(unsigned char); void f(int a) { use(a); }", "void use(int); void f(int a) { use(a & 255); }"),
        ("int use(void); int f(void) { return use(); }", "unsigned char use(void); int f(void) { return use(); }"),
        ("__attribute__((weak)) int h(void) { return 1; } int f(void) { return h(); }", None),
    ],
    ids=[
        "pointer shared", "thread local", "recursive", "volatile", "type", "parameter",
        "once", "region", "floating point", "missing",
        "first value", "function given", "atomic type", "volatile type", "fields",
        "union", "free", "text written", "constant written", "argument type", "result type", "weak",
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_an_error(before: str, after: str | None, tmp_path: Path) -> None:
    with pytest.raises(InputError) as wrong:
        verdict(before, after or before, tmp_path)
    assert wrong.value.diagnostics[0].code in {"SA718", "SA405", "SA720", "SA714"}
    assert all("\n" not in d.message for d in wrong.value.diagnostics)


THREADS = """#include <pthread.h>
#include <stdatomic.h>
extern void put(int);
int data, extra; atomic_int ready;
void *writer(void *a) { %s return 0; }
void *reader(void *a) {
  if (atomic_load_explicit(&ready, memory_order_acquire)) { put(data); put(data + extra); }
  return 0;
}
int main(void) {
  pthread_t t, u;
  data = 5;
  pthread_create(&t, 0, writer, 0);
  pthread_create(&u, 0, reader, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  return extra;
}
"""
PUBLISHED = "atomic_store_explicit(&ready, 1, memory_order_release);"


def threads(before: str, after: str, folder: Path) -> dict[str, str]:
    """The verdicts about what the threads of two texts run, all under permissions."""
    paths = folder / "before.c", folder / "after.c"
    for path, text in zip(paths, (before, after), strict=True):
        path.write_text(text)
    asked = RefineRequest(
        (str(paths[0]), str(paths[1])), False, Options(limits(60.0, None)), reading=Reading(plain="permissions")
    )
    return {a.outcome.name: a.outcome.verdict.value for a in refine(asked)}


def test_all_threads_of_a_program_are_compared_one_by_one(tmp_path: Path) -> None:
    before = THREADS % f"data = 1; data = 42; extra = 7; {PUBLISHED}"
    found = threads(before, THREADS % f"extra = 7; data = 42; {PUBLISHED}", tmp_path)
    assert found == dict.fromkeys(("main", "writer", "reader"), "PROVED")
    found = threads(before, THREADS % f"extra = 7; {PUBLISHED} data = 42;", tmp_path)
    assert found == {"main": "PROVED", "writer": "REFUTED", "reader": "PROVED"}


def test_the_first_thread_knows_first_values(tmp_path: Path) -> None:
    text = "#include <pthread.h>\nint g = 3; void *w(void *a) {{ g++; return 0; }}\n" + (
        "int main(void) {{ pthread_t t; int r = {}; pthread_create(&t, 0, w, 0); pthread_join(t, 0); return r; }}"
    )
    assert threads(text.format("g"), text.format("3"), tmp_path) == {"main": "PROVED", "w": "PROVED"}
    assert threads(text.format("g"), text.format("4"), tmp_path) == {"main": "REFUTED", "w": "PROVED"}
    late = "int main(void) {{ pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); return {}; }}"
    worker = "#include <pthread.h>\nint g = 3; void *w(void *a) { g++; return 0; }\n"
    assert threads(worker + late.format("g"), worker + late.format("3"), tmp_path)["main"] == "REFUTED"


@pytest.mark.parametrize("kind", ["int", "_Atomic int"])
def test_first_values_are_part_of_a_program(kind: str, tmp_path: Path) -> None:
    """Also of variables that only a thread uses which is created later."""
    text = f"#include <pthread.h>\n{kind} g = %d; extern void put(int); void *w(void *a) {{ put(g); return 0; }}\n" + (
        "int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); return 0; }"
    )
    with pytest.raises(InputError) as wrong:
        threads(text % 1, text % 2, tmp_path)
    assert "first value" in wrong.value.diagnostics[0].message


def test_the_end_of_a_thread_is_not_that_of_the_process(tmp_path: Path) -> None:
    text = "#include <pthread.h>\n#include <stdlib.h>\nvoid *w(void *a) { %s }\n" + (
        "int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); %s }"
    )
    ends = ("exit(5);", "return 0;"), ("return (void *) 5;", "pthread_exit(0);")
    assert threads(text % ends[0], text % ends[1], tmp_path) == {"main": "REFUTED", "w": "REFUTED"}
    same = text % ("pthread_exit((void *) 5);", "exit(0);")
    assert threads(text % ("return (void *) 5;", "return 0;"), same, tmp_path) == {"main": "PROVED", "w": "PROVED"}


def test_a_variable_may_be_plain_in_one_thread_and_atomic_in_another(tmp_path: Path) -> None:
    text = "#include <pthread.h>\nint g; void *w(void *a) {{ {} return 0; }}\n" + (
        "int main(void) {{ pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); return g; }}"
    )
    stores = text.format("__atomic_store_n(&g, 1, 3);")
    assert threads(stores, stores, tmp_path) == {"main": "PROVED", "w": "PROVED"}
    assert threads(stores, text.format("g = 1;"), tmp_path) == {"main": "PROVED", "w": "REFUTED"}


def test_a_certificate_about_all_threads_is_judged_again(tmp_path: Path) -> None:
    text = THREADS % f"data = 1; data = 42; {PUBLISHED}"
    (tmp_path / "before.c").write_text(text)
    (tmp_path / "after.c").write_text(text.replace("data = 1; ", ""))
    files, certificate = [str(tmp_path / n) for n in ("before.c", "after.c")], str(tmp_path / "evidence.json")
    assert sacheck("refine", "--plain", "permissions", *files, "--certificate", certificate).exit_code == 0
    assert sacheck("certify", certificate).exit_code == 0


def test_the_option_stands_beside_two_files_of_c(tmp_path: Path) -> None:
    path, program = tmp_path / "p.c", tmp_path / "p.sa"
    path.write_text("int f(void) { return 0; }")
    program.write_text("global x : int = 0;\nthread T { x := 1; }\n")
    assert sacheck("refine", "--function", "f", str(path)).exit_code == 2
    assert sacheck("refine", "--function", "f", str(path), str(program)).exit_code == 2
    assert sacheck("refine", "--function", "f", "--infer-relate", str(path), str(path)).exit_code == 2
    assert sacheck("refine", "--function", "f", str(path), str(path)).exit_code == 0
    assert sacheck("refine", "--plain", "permissions", str(path)).exit_code == 2
    for reading in (Reading(function="f"), Reading(plain="permissions")):
        assert reading_of(words(reading)) == reading


def test_a_store_that_is_never_reached_is_compared(tmp_path: Path) -> None:
    text = "int g; int f(int a) {{ int s = 0; s = a / s; {} return s; }}"
    assert verdict(text.format("g = 1;"), text.format("g = 2; g = 1;"), tmp_path) == "PROVED"
    text = "int g; int f(int a) {{ if (a != a) {} return a; }}"
    assert verdict(text.format("g = 1;"), text.format("g = 2;"), tmp_path) == "PROVED"
