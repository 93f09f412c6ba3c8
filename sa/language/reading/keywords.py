"""The reserved words of the language, without its parser."""

from __future__ import annotations

import re
from pathlib import Path

_HERE = Path(__file__).parent.parent


def grammar_path() -> Path:
    """The grammar: beside the language room in an installed package, in `grammar/` in a checkout."""
    installed = _HERE / "sa.lark"
    return installed if installed.exists() else _HERE.parent.parent / "grammar" / "sa.lark"


def keywords() -> frozenset[str]:
    """The reserved words."""
    return frozenset(re.findall(r'"([a-z_]+)"', grammar_path().read_text(encoding="utf-8")))
