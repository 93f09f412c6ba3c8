"""Programs and pairs that a third review found answered wrongly: each is the smallest that shows the mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.caveat import Caveat
from sa.base.diagnostic import InputError
from sa.base.source import span_text
from sa.frontends.c.caveats import PARTS, UNSET
from sa.frontends.c.load import load_with
from sa.frontends.reading import USUAL
from tests.frontends.c.test_functions import verdict
from tests.frontends.c.test_reviewed import answer

STRUCTURE = "int main(void) { assert(sizeof(struct s) == 8); }"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("void c(int *p) {} int main(void) { __attribute__((cleanup(c))) int x = 0; }", "cleanup"),
        ("__attribute__((__constructor__)) void c(void) {} int main(void) {}", "__constructor__"),
        ("__attribute__((unused, destructor(200))) void c(void) {} int main(void) {}", "destructor"),
        ("struct __attribute__((packed)) s { char c; int i; }; " + STRUCTURE, "packed"),
        ("#pragma pack(push, 1)\nstruct s { char c; int i; };\n" + STRUCTURE, "pack"),
        ("typedef int t __attribute__((mode(QI))); int main(void) { assert(sizeof(t) == 4); }", "mode"),
        ("typedef int t __attribute__((vector_size(16))); int main(void) { assert(sizeof(t) == 4); }", "vector_size"),
        ("struct s { int a; } __attribute__((aligned(16))); " + STRUCTURE, "aligned"),
        ('int x; extern int y __attribute__((alias("x"))); int main(void) { y = 1; }', "alias"),
        ('int x __asm__("y"); extern int y; int main(void) { x = 1; assert(y == 1); }', "__asm__"),
        ('extern int x asm("y"); int y; int main(void) { y = 1; assert(x == 1); }', "asm"),
    ],
)
@pytest.mark.parametrize("kind", ["c", "i"])
def test_an_attribute_that_changes_the_meaning_is_an_error_at_its_place(
    tmp_path: Path, text: str, word: str, kind: str
) -> None:
    file = tmp_path / f"p.{kind}"
    file.write_text(text.replace("assert(", "(") if kind == "i" else f"#include <assert.h>\n{text}")
    with pytest.raises(InputError) as wrong:
        load_with(str(file), USUAL)
    (found,) = wrong.value.diagnostics
    assert found.code == "SA719" and found.hint and found.span is not None and span_text(found.span) == word


@pytest.mark.parametrize(
    "text",
    [
        "static int x __attribute__((aligned(64), unused)); int main(void) { assert(sizeof x == 4); }",
        "struct s { int a; } __attribute__((aligned(64))); struct s v; int main(void) { assert(v.a == 0); }",
        "_Alignas(64) atomic_int x; int main(void) { int *p = malloc(sizeof(int)); assert(x == 0); free(p); }",
        "#pragma pack()\nint main(void) { int cleanup = 1; assert(cleanup == 1); }",
        'long to(int a) __asm__("" "to64"); extern long to64(int a); int main(void) { int a asm("a") = 1; assert(a); }',
        "int f(int a) __attribute__((const)); int main(void) { int a[2] = {1}, b[2] = {5, 6}; assert(b[a[0]] == 6); }",
    ],
)
def test_an_attribute_that_changes_nothing_is_none(tmp_path: Path, text: str) -> None:
    assert answer(tmp_path, text) == "PROVED"


OF_A_HEADER = """# 1 "p.c"
# 1 "/usr/include/some.h" 1 3 4
struct s { char c; int i; } __attribute__ ((packed));
# 2 "p.c" 2
"""


@pytest.mark.parametrize("head", ["typedef int register_t __attribute__ ((__mode__ (__word__)));\n", OF_A_HEADER])
def test_what_headers_in_preprocessed_text_say_is_no_error(tmp_path: Path, head: str) -> None:
    file = tmp_path / "p.i"
    file.write_text(head + "int main(void) { return 0; }\n")
    load_with(str(file), USUAL)


STALE = "int n = 0; again: { if (n) goto l; DECLARED X = 5; l: if (n) assert(X == 5); n++; if (n < 2) goto again; }"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int k = 1; if (k) goto l; { int x = 5; l: assert(x == 5); }", "REFUTED"),
        ("int k = 1; if (k) goto l; { const int x = 5; l: assert(x == 5); }", "REFUTED"),
        ("switch (1) { case 0:; int x = 5; case 1: assert(x == 5); }", "REFUTED"),
        ("switch (1) { case 0:; int x = 5; default: assert(x == 5); }", "REFUTED"),
        ("goto l; for (int x = 5; x < 6; x++) { l: assert(x == 5); break; }", "REFUTED"),
        ("goto l; { int x[2] = {5, 5}; l: assert(x[1] == 5); }", "REFUTED"),
        ("int n = 0; again: { if (n) goto l; int x; x = 5; l: if (n) assert(x == 5); n++; if (n < 2) goto again; }",)
        + ("REFUTED",),
        (STALE.replace("DECLARED", "int x;").replace("X", "x"), "REFUTED"),
        (STALE.replace("DECLARED", "int x[1];").replace("X", "x[0]"), "REFUTED"),
        ("int k = 1; if (k) goto l; { int x = 5; l: x = 4; assert(x == 4); }", "PROVED"),
        ("int k = 1; if (!k) goto l; int x = 5; assert(x == 5); l: assert(k == 1);", "PROVED"),
        ("int n = 0; { int x = 5; again: assert(x == 5); n++; if (n < 3) goto again; }", "PROVED"),
        ("switch (2) { case 0:; int x = 5; case 2: x = 1; case 1: assert(x == 1); }", "PROVED"),
    ],
)
def test_what_a_jump_leads_past_has_no_value(tmp_path: Path, text: str, expected: str) -> None:
    assert answer(tmp_path, f"int main(void) {{ {text} return 0; }}") == expected


@pytest.mark.parametrize(
    "last",
    [
        "if (k) goto l; k = 2; l: k + 4",
        "a: b: k + 4",
        "k++, k + 3",
        "(struct s){5}.x",
    ],
)
def test_the_value_of_statements_in_an_expression_is_that_of_their_last_expression(tmp_path: Path, last: str) -> None:
    text = f"int k = 1; int x = ({{ {last}; }}); assert(x == 5);"
    assert answer(tmp_path, f"struct s {{ int x; }}; int main(void) {{ {text} return 0; }}") == "PROVED"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("int k = 1; if (k) goto l; { int x = 5; l: assert(x == 5); }", True),
        ("switch (1) { case 0:; int x = 5; case 1: assert(x == x); }", True),
        ("int k = 1; if (k) goto l; { int x = 5; l: x = 4; assert(x == 4); }", False),
    ],
)
def test_the_claim_says_that_a_jump_leads_past_what_is_read(tmp_path: Path, text: str, said: bool) -> None:
    file = tmp_path / "p.c"
    file.write_text(f"#include <assert.h>\nint main(void) {{ {text} return 0; }}")
    assert (UNSET in load_with(str(file), USUAL).said.assumptions) == said


SHARED = "#include <stdatomic.h>\n_Bool x, y; atomic_int r;\n"
RELEASE = "atomic_store_explicit(&r, 1, memory_order_release);"
POINT = " _Bool *p = i ? &y : &x; *p = 1; "
ROUNDS = "int bad = 0; for (int i = 0; i < 2; i++) { "


@pytest.mark.parametrize(
    ("declared", "one", "other", "expected"),
    [
        # The pointer of the last round says nothing about the cell of this one.
        (
            "int f(void)",
            f"{ROUNDS}{RELEASE}{POINT}}} return bad;",
            f"{ROUNDS}{RELEASE} if (i == 1 && x != 1) bad = 1;{POINT}}} return bad;",
            "REFUTED",
        ),
        ("int f(int i)", f"{POINT}{RELEASE} return i;", f"{POINT}{RELEASE} return i;", "PROVED"),
        ("int f(_Bool *p)", f"{RELEASE} *p = 1; return 0;", f"*p = 1; {RELEASE} return 0;", "PROVED"),
    ],
)
def test_a_pointer_tells_what_will_be_written_only_where_it_is_set(
    tmp_path: Path, declared: str, one: str, other: str, expected: str
) -> None:
    assert verdict(*(f"{SHARED}{declared} {{ {text} }}\n" for text in (one, other)), tmp_path) == expected


BLOCK = "#include <string.h>\nstatic char b[6];\n"


@pytest.mark.parametrize(
    ("declared", "one", "other", "expected"),
    [
        ("int f(int a)", "b[0] = a; memcpy(b + 1, b, 2); return b[1];", "return 5;", "PROVED"),
        ("int f(int a)", "memmove(b + 1, b, 2); return b[1];", "memcpy(b + 1, b, 2); return b[1];", "REFUTED"),
        ("int f(int a)", "memmove(b + 2, b, 2); return b[2];", "memcpy(b + 2, b, 2); return b[2];", "PROVED"),
        ("int f(int *p, int *q)", "memmove(p, q, 4); return *p;", "memcpy(p, q, 4); return *p;", "SA718"),
    ],
)
def test_blocks_that_overlap_are_undefined_in_functions_alone(
    tmp_path: Path, declared: str, one: str, other: str, expected: str
) -> None:
    try:
        found = verdict(*(f"{BLOCK}{declared} {{ {text} }}\n" for text in (one, other)), tmp_path)
    except InputError as wrong:
        found = wrong.diagnostics[0].code
    assert found == expected


@pytest.mark.parametrize(
    ("text", "claim", "said"),
    [
        ("struct { int a, b; } s; s.a = 1; assert(s.b == s.b);", UNSET, True),
        ("int a[2]; a[0] = 1; assert(a[1] == a[1]);", UNSET, True),
        ("int *p = malloc(sizeof(int)); assert(*p == *p);", UNSET, True),
        ("int *p = calloc(1, sizeof(int)); int a[2] = {1}; assert(*p == a[1]);", UNSET, False),
        ("pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_t t[2]; assert(1);", UNSET, False),
        ("struct { int a, b; } v = {0}; int *p = (int *) &v; p[1] = 5; assert(v.b == 5);", PARTS, True),
        ("struct { int a[2], b; } v = {0}; memset(v.a, 0, 3 * sizeof(int)); assert(v.b == 0);", PARTS, True),
        ("struct { int a[2], b; } v = {0}; memset(&v, 0, sizeof v); assert(v.b == 0);", PARTS, False),
    ],
)
def test_the_claim_names_what_is_read_without_a_value_and_pointers_to_parts(
    tmp_path: Path, text: str, claim: Caveat, said: bool
) -> None:
    file = tmp_path / "p.c"
    heads = "".join(f"#include <{name}.h>\n" for name in ("assert", "stdlib", "string", "pthread"))
    file.write_text(f"{heads}int main(void) {{ {text} return 0; }}")
    assert (claim in load_with(str(file), USUAL).said.assumptions) == said


def test_an_address_of_a_label_is_an_error_at_its_place(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text("int main(void) {\n    void *l = 1 && 1 ? &&out : 0;\n    goto *l;\nout:\n    return 0;\n}\n")
    with pytest.raises(InputError) as wrong:
        load_with(str(file), USUAL)
    (found,) = wrong.value.diagnostics
    assert found.code == "SA703" and found.span is not None and span_text(found.span) == "&&out"
