"""What answers about bit fields take for granted."""

from __future__ import annotations

from pathlib import Path

from sa.frontends.load import load_program

FIELDS = "struct s {{ unsigned a{bits}; unsigned b{bits}; }} x; int main(void) {{ x.a = 1; return 0; }}"


def test_claims_say_that_neighbouring_bit_fields_are_written_apart(tmp_path: Path) -> None:
    """In C they are one memory location."""
    said = list[bool]()
    for bits in (": 4", ""):
        path = tmp_path / "x.c"
        path.write_text(FIELDS.format(bits=bits))
        said.append("where threads write no neighbouring bit fields at once" in load_program(str(path)).assumed)
    assert said == [True, False]
