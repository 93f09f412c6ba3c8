"""What users see, kept as files: compared, or written again with SACHECK_GOLDEN=write (`make golden`)."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent


def assert_golden(name: str, text: str) -> None:
    """`text` is what stands in the file `name`."""
    path = FOLDER / name
    if os.environ.get("SACHECK_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert path.exists(), f"no golden file {name}: make golden"
    assert text == path.read_text(encoding="utf-8")
