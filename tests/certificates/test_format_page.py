"""The page on certificates names every field that certificates have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "CERTIFICATES.md").read_text(encoding="utf-8")

#: Arguments of Python functions, no fields.
NO_FIELDS = {"ascii", "big", "surrogatepass"}


@pytest.mark.parametrize("path", sorted((ROOT / "sa" / "certificates").glob("*_json.py")), ids=lambda path: path.stem)
def test_every_field_is_on_the_page(path: Path) -> None:
    fields = set(re.findall(r'"([a-z_]{3,})"', path.read_text(encoding="utf-8"))) - NO_FIELDS
    assert {field for field in fields if not re.search(rf"\b{field}\b", PAGE)} == set()
