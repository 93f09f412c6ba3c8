"""Notions of the field are found by the names of files, as a stranger would look for them."""

from __future__ import annotations

import pytest

from tests.test_architecture import ROOT

#: A notion, and a part of the name of the file that a reader opens.
NOTIONS = (
    "counter_abstraction",
    "cache",
    "auxiliary_variables",
    "place_invariants",
    "loop_acceleration",
    "houdini",
    "ice",
    "karr",
    "zones",
    "weakest_preconditions",
    "bounded_model_checking",
    "partial_order_reduction",
    "slicing",
    "large_blocks",
    "live_variables",
    "lazy_sequentialization",
    "movers",
    "ownership",
    "rank",
)


@pytest.mark.parametrize("notion", NOTIONS)
def test_a_notion_of_the_field_is_found_by_the_name_of_a_file(notion: str) -> None:
    words = set(notion.split("_"))
    assert any(words <= set(path.stem.split("_")) for path in (ROOT / "sa").rglob("*.py"))
