"""Many packed states in columns of words: the same set as one by one, asked about many at once."""

from __future__ import annotations

from random import Random

import pytest

from sa.certificates.packed import WORD, columns, words_of

np = pytest.importorskip("numpy")

from sa.certificates import rows  # noqa: E402

WIDTHS = (10, WORD, WORD + 1, 100, 190, 300)


def states(width: int, count: int, seed: int = 1) -> list[int]:
    """Random states, some of them twice, some that differ in the highest or the lowest bits only."""
    rng = Random(seed)
    drawn = [rng.getrandbits(width) for _ in range(count)]
    near = [s ^ 1 << rng.choice((0, width - 1)) for s in drawn[::3]]
    return [*drawn, *near, *drawn[::5]]


def in_columns(given: list[int], width: int) -> rows.Rows:
    return rows.rows_of(columns(given, -(-width // WORD)))


@pytest.mark.parametrize("width", WIDTHS)
def test_columns_are_the_set_of_their_states(width: int) -> None:
    given = states(width, 100)
    made = columns(given, -(-width // WORD))
    assert list(made) == given
    assert list(rows.columns_of(rows.rows_of(made))) == given
    assert [rows.state_of(rows.rows_of(made), i) for i in range(3)] == given[:3]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_set_of_rows_has_what_was_added(width: int) -> None:
    known, seen = rows.RowSet(-(-width // WORD)), set[int]()
    for seed in range(9):
        given = states(width, 3 ** min(seed, 9), seed)
        others = states(width, 500, seed + 100)
        assert known.has(in_columns(others, width)).tolist() == [s in seen for s in others]
        new = known.add(in_columns(given, width))
        assert new == len(set(given) - seen)
        fresh = list(rows.columns_of(known.rows[:, known.count - new :]))
        assert set(fresh) == set(given) - seen
        seen |= set(given)
        assert known.count == len(seen) == len(set(rows.columns_of(known.rows)))
        assert known.has(in_columns(given, width)).all()
    listed = rows.Listed(known.rows)
    assert listed.has(in_columns(others, width)).tolist() == [s in seen for s in others]
    assert listed.has(known.rows).all()
    assert not rows.Listed(known.rows[:, :0]).has(known.rows).any()
    one = Random(2).choice(sorted(seen))
    place = known.number(words_of(one, -(-width // WORD)))
    assert place is not None
    assert rows.state_of(known.rows, place) == one
    missing = next(s for s in range(len(seen) + 1) if s not in seen)
    assert known.number(words_of(missing, -(-width // WORD))) is None


@pytest.mark.parametrize("width", WIDTHS)
def test_fields_and_parts_are_bits_of_the_states(width: int) -> None:
    rng, given = Random(3), states(width, 60)
    table = in_columns(given, width)
    for _ in range(60):
        size = rng.randint(1, min(WORD, width))
        shift, mask = rng.randint(0, width - size), (1 << size) - 1
        assert rows.field_of(table, shift, mask).tolist() == [s >> shift & mask for s in given]
        cleared = table & ~rows.masks(mask << shift, len(table))
        rows.set_field(cleared, shift, mask, np.array([s & mask for s in given], np.int64))
        expected = [s & ~(mask << shift) | (s & mask) << shift for s in given]
        assert list(rows.columns_of(cleared)) == expected
        bits = rng.getrandbits(width)
        parts, which = rows.parts_of(table, bits)
        assert [parts[k] for k in which.tolist()] == [s & bits for s in given]
        assert len(set(parts)) == len(parts)
