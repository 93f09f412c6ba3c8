"""Functions alone that hand on addresses of their own variables and of what they allocate: others access it then."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from tests.frontends.c.test_functions import verdict

HEAD = "struct s { int a, b; }; void *malloc(unsigned long); void use(void *); int get(int *); int g;\n"
FRESH = "struct s *p = malloc(sizeof(struct s)); "


def written(body: str) -> str:
    """A file whose function has the body."""
    return f"{HEAD}int f(int n) {{ {body} }}\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("p->a = 5; p->a = 1; p->b = 2; use(p); return 0;", "p->b = 2; p->a = 1; use(p); return 0;", "PROVED"),
        ("p->a = 1; p->b = 2; use(p); return 0;", "p->a = 1; use(p); p->b = 2; return 0;", "REFUTED"),
        ("p->a = 1; use(p); p->b = 2; return 0;", "p->a = 1; p->b = 2; use(p); return 0;", "REFUTED"),
        ("p->a = 1; g = p->a; use(p); return 0;", "g = 1; p->a = 1; use(p); return 0;", "PROVED"),
        ("p->a = 1; use(p); return p->a;", "p->a = 1; use(p); return 1;", "REFUTED"),
        ("p->a = 1; use(&p->b); return 0;", "p->a = 1; use(p); return 0;", "REFUTED"),
        ("p->a = 1; p->b = 0; return 0;", "return 0;", "PROVED"),
        # What others read of it must have a value, and what has none may have any.
        ("p->b = 2; use(p); return 0;", "p->b = 2; p->a = 1; use(p); return 0;", "PROVED"),
        ("p->a = 1; p->b = 2; use(p); return 0;", "p->b = 2; use(p); return 0;", "REFUTED"),
        # Atomic accesses are no actions before others know of the object.
        ("__atomic_store_n(&p->a, 1, 3); p->b = 2; use(p); return 0;", "p->b = 2; p->a = 1; use(p); return 0;",
         "PROVED"),
        ("p->a = 1; use(p); __atomic_store_n(&p->a, 2, 3); return 0;", "p->a = 1; use(p); p->a = 2; return 0;",
         "REFUTED"),
    ],
)  # fmt: skip
def test_a_fresh_object_becomes_shared_by_the_call(before: str, after: str, expected: str, tmp_path: Path) -> None:
    assert verdict(written(FRESH + before), written(FRESH + after), tmp_path) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("int r; get(&r); return r;", "int q, z; get(&q); z = q; return z;", "PROVED"),
        ("int r = 1; int s = r; get(&r); return s;", "int r = 1; get(&r); return 1;", "PROVED"),
        ("int r = 1; get(&r); return r;", "int r = 1; get(&r); return 1;", "REFUTED"),
        ("int r; get(&r); return r;", "int r = 1; get(&r); return r;", "PROVED"),
        ("int r = 1; get(&r); return r;", "int r; get(&r); return r;", "REFUTED"),
        # With the function its variable ends: nobody reads the last store.
        ("int l = 0; use(&l); l = 5; return 0;", "int l = 0; use(&l); return 0;", "PROVED"),
        ("int l = 0; use(&l); l = 5; use(0); return 0;", "int l = 0; use(&l); use(0); return 0;", "REFUTED"),
        ("{ int l = 0; use(&l); l = 5; } use(0); return 0;", "{ int l = 0; use(&l); } use(0); return 0;", "PROVED"),
        ("{ int l = 1; use(&l); } { int k = 2; use(&k); } return 0;", "int l = 1, k = 2; use(&l); use(&k); return 0;",
         "PROVED"),
        ("int l = 1, k = 2; use(&l); use(&k); return 0;", "{ int l = 1; use(&l); } { int k = 2; use(&k); } return 0;",
         "REFUTED"),
    ],
)  # fmt: skip
def test_a_variable_of_the_function_is_shared_by_the_call(
    before: str, after: str, expected: str, tmp_path: Path
) -> None:
    assert verdict(written(before), written(after), tmp_path) == expected


def test_objects_are_known_by_the_order_in_which_they_are_handed_on(tmp_path: Path) -> None:
    before = written("int a = n, b = 2; use(&a); use(&b); return a;")
    assert verdict(before, written("int a = 2, b = n; use(&b); use(&a); return b;"), tmp_path) == "PROVED"
    assert verdict(before, written("int a = 2, b = n; use(&a); use(&b); return b;"), tmp_path) == "REFUTED"
    assert verdict(before, written("int a = n; use(&a); use(&a); return a;"), tmp_path) == "REFUTED"


def test_a_thread_gets_a_fresh_object(tmp_path: Path) -> None:
    text = "#include <pthread.h>\n#include <stdlib.h>\nvoid *w(void *a) {{ return 0; }}\n" + (
        "int f(int n) {{ pthread_t t; int *p = malloc(sizeof(int)); {} return 0; }}"
    )
    create = "pthread_create(&t, 0, w, p);"
    before = text.format(f"*p = 0; *p = n; {create}")
    assert verdict(before, text.format(f"*p = n; {create}"), tmp_path) == "PROVED"
    assert verdict(before, text.format(f"*p = 0; {create} *p = n;"), tmp_path) == "REFUTED"


@pytest.mark.parametrize(
    "body",
    [
        "int a = 1, b = 2; use(n ? &a : &b); return a;",
        "int a = 1, b = 2; if (n) use(&a); use(&b); use(&a); return a;",
        "for (int i = 0; i < 2; i++) { int l = i; use(&l); } return 0;",
        "int *q = malloc(sizeof(int)); use(n ? q : &g); return 0;",
        "int a = 1, *q = &a; use(&q); return 0;",
        "int a[100]; a[n] = 1; use(a); return 0;",
        "int a = 1; use(&a); return (long) &a & 1;",
    ],
    ids=["one of two", "order", "again", "own or shared", "pointer", "large array", "number"],
)
def test_which_object_is_handed_on_has_to_be_known(body: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as wrong:
        verdict(written(body), written(body), tmp_path)
    assert all(d.code == "SA718" and d.hint for d in wrong.value.diagnostics)


def test_what_is_handed_on_has_the_same_type_in_both_files(tmp_path: Path) -> None:
    with pytest.raises(InputError) as wrong:
        verdict(written("int a = 1; use(&a); return 0;"), written("long a = 1; use(&a); return 0;"), tmp_path)
    assert wrong.value.diagnostics[0].code == "SA405" and wrong.value.diagnostics[0].hint
