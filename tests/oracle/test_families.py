"""Families of any number for the direct interpreter: it is told how many copies there are."""

from __future__ import annotations

import pytest

from sa.base.source import Source
from sa.language.parser import parse
from tests.oracle.loading import interpreted

TEXT = "global l : int = 0; thread T[i : *] { l := i; } thread A { lock(l); } thread U[*] { lock(l); }"


def test_copies_have_the_identities_from_one_on_and_lock_with_them_and_others_with_negative_numbers() -> None:
    made = interpreted(parse(Source("test.sa", TEXT)), range(3), {"T": 2, "U": 1})
    assert [(t.name, t.number) for t in made.threads] == [("A", -1), ("T[1]", 1), ("T[2]", 2), ("U[3]", 3)]
    constants = [t.meanings.constants for t in made.threads]
    assert [c.get("i") for c in constants] == [None, 1, 2, None]
    assert constants[3]["self"] == 3


def test_without_numbers_there_is_nothing_to_interpret() -> None:
    with pytest.raises(KeyError):
        interpreted(parse(Source("test.sa", TEXT)), range(3))
