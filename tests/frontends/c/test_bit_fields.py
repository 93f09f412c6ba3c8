"""What answers about bit fields take for granted."""

from __future__ import annotations

from pathlib import Path

from sa.frontends.load import load_program
from sa.frontends.reading import Reading
from tests.frontends.c.programs import verdict
from tests.parts import for_each

FIELDS = "struct s {{ unsigned a{bits}; unsigned b{bits}; }} x; int main(void) {{ x.a = 1; return 0; }}"


def test_claims_say_that_neighbouring_bit_fields_are_written_apart(tmp_path: Path) -> None:
    """In C they are one memory location."""
    said = list[bool]()
    for bits in (": 4", ""):
        path = tmp_path / "x.c"
        path.write_text(FIELDS.format(bits=bits))
        said.append("bit-fields" in {c.kind for c in load_program(str(path)).said.assumptions})
    assert said == [True, False]


#: Who accesses what, and whether that is a race: bit fields side by side are one memory location (C11 3.14).
NEIGHBOURS = """
#include <pthread.h>
struct s {{ unsigned a : 3; {between} unsigned b : 5; }} x[{count}];
void *t(void *u) {{ {first}; return 0; }}
int main(void) {{ pthread_t h; pthread_create(&h, 0, t, 0); {second}; pthread_join(h, 0); return 0; }}
"""


@for_each(
    "case",
    (
        ("", "x[0].a = 1", "x[0].b = 2", "REFUTED"),
        ("", "int n = x[0].a", "x[0].b = 2", "REFUTED"),
        ("", "int n = x[0].a", "int m = x[0].b", "PROVED"),
        ("", "x[0].a = 1", "x[1].b = 2", "PROVED"),
        ("unsigned : 4;", "x[0].a = 1", "x[0].b = 2", "REFUTED"),
        ("unsigned : 0;", "x[0].a = 1", "x[0].b = 2", "PROVED"),
        ("char c;", "x[0].a = 1", "x[0].b = 2", "PROVED"),
        ("struct { unsigned d : 1; } d;", "x[0].a = 1", "x[0].d.d = 1", "PROVED"),
    ),
)
def test_races_are_on_memory_locations(case: tuple[str, str, str, str], tmp_path: Path) -> None:
    between, first, second, expected = case
    for count in (2, 70):
        text = NEIGHBOURS.format(between=between, first=first, second=second, count=count)
        assert verdict(tmp_path, text, reading=Reading(only="no-data-race")).value == expected, count
