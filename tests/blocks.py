"""Long random comparisons in blocks: the first ones are part of `make test`, all of them of `make fuzz`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def blocks(items: Iterable[Any], kept: int) -> list[Any]:
    """Parameters of a test, all but the first `kept` marked `fuzz`."""
    return [i if n < kept else pytest.param(i, marks=pytest.mark.fuzz) for n, i in enumerate(items)]
