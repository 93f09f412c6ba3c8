"""Sets of packed states of several words (`certificates.packed`), asked about many at once, with numpy."""

from __future__ import annotations

from array import array
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sa.certificates.packed import ONES, WORD, Columns, words_of

#: States as columns of words: of the shape (words, states).
Rows: TypeAlias = npt.NDArray[np.int64]
#: Of which of some states something holds.
Truths: TypeAlias = npt.NDArray[np.bool_]

_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)

#: So many states are entered at a time where the table grows.
_AT_ONCE = 1 << 18


class RowSet:
    """Different states in the order in which they came; an open-addressing hash table has their numbers."""

    def __init__(self, words: int) -> None:
        self._rows: Rows = np.empty((words, 1 << 12), np.int64)
        self._slots = np.full(1 << 13, -1, np.int32)
        self.count = 0

    @property
    def rows(self) -> Rows:
        """All states; a view."""
        return self._rows[:, : self.count]

    def add(self, rows: Rows) -> int:
        """Add states, some of which may be equal or there already; how many were new. These are the last ones now."""
        size, first = rows.shape[1], self.count
        self._make_room(first + size)
        self._rows[:, first : first + size] = rows
        where = np.full(size, -1, np.int64)
        left, slots = np.arange(size), self._start(rows)
        while len(left):
            free = self._slots[slots] < 0
            # Of those that want the same slot the last one gets it; equal ones find themselves there.
            self._slots[slots[free]] = left[free] + first
            there = self._slots[slots]
            won = there == left + first
            where[left[won]] = slots[won]
            on = ~(won | self._same(rows, left, there))
            left, slots = left[on], self._next(slots[on])
        fresh = np.flatnonzero(where >= 0)
        self._rows[:, first : first + len(fresh)] = rows[:, fresh]
        self._slots[where[fresh]] = np.arange(first, first + len(fresh))
        self.count = first + len(fresh)
        return len(fresh)

    def has(self, rows: Rows) -> Truths:
        """Which of the states are there."""
        found = np.zeros(rows.shape[1], np.bool_)
        left, slots = np.arange(rows.shape[1]), self._start(rows)
        while len(left):
            there = self._slots[slots]
            same = self._same(rows, left, np.maximum(there, 0)) & (there >= 0)
            found[left[same]] = True
            on = ~same & (there >= 0)
            left, slots = left[on], self._next(slots[on])
        return found

    def number(self, row: tuple[int, ...]) -> int | None:
        """The place of a state in the order."""
        hits = np.flatnonzero(
            np.logical_and.reduce([column == word for column, word in zip(self.rows, row, strict=True)])
        )
        return int(hits[0]) if len(hits) else None

    def _same(self, rows: Rows, which: npt.NDArray[np.int64], there: npt.NDArray[np.int32]) -> Truths:
        same: Truths = rows[0][which] == self._rows[0][there]
        for mine, others in zip(rows[1:], self._rows[1:], strict=True):
            same &= mine[which] == others[there]
        return same

    def _start(self, rows: Rows) -> npt.NDArray[np.int64]:
        mixed = rows[0].view(np.uint64) * np.uint64(_FACTORS[0])
        for k, column in enumerate(rows[1:]):
            mixed = (mixed ^ (mixed >> np.uint64(31))) + column.view(np.uint64) * np.uint64(_FACTORS[(k + 1) % 4])
        mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(_FACTORS[3])
        shift = np.uint64(64 - (len(self._slots) - 1).bit_length())
        slots: npt.NDArray[np.int64] = (mixed >> shift).astype(np.int64)
        return slots

    def _next(self, slots: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return (slots + 1) & (len(self._slots) - 1)

    def _make_room(self, size: int) -> None:
        if size > self._rows.shape[1]:
            wide = np.empty((len(self._rows), max(size, self._rows.shape[1] * 3 // 2)), np.int64)
            wide[:, : self.count] = self.rows
            self._rows = wide
        if size * 2 > len(self._slots):
            self._slots = np.full(1 << (size * 2).bit_length(), -1, np.int32)
            for start in range(0, self.count, _AT_ONCE):
                self._enter(start, min(start + _AT_ONCE, self.count))

    def _enter(self, start: int, end: int) -> None:
        """Enter states that differ from all others."""
        numbers, slots = np.arange(start, end, dtype=np.int32), self._start(self._rows[:, start:end])
        while len(numbers):
            free = self._slots[slots] < 0
            self._slots[slots[free]] = numbers[free]
            on = self._slots[slots] != numbers
            numbers, slots = numbers[on], self._next(slots[on])


class Listed:
    """Given states, which may repeat. Those of one word are sorted: then questions about neighbours are quick."""

    def __init__(self, rows: Rows) -> None:
        self._known: RowSet | None = None
        if len(rows) == 1:
            self.rows = np.sort(rows)
        else:
            self._known = RowSet(len(rows))
            for start in range(0, rows.shape[1], _AT_ONCE):
                self._known.add(rows[:, start : start + _AT_ONCE])
            self.rows = self._known.rows

    def has(self, rows: Rows) -> Truths:
        """Which of the states are there."""
        if self._known is not None:
            return self._known.has(rows)
        listed = self.rows[0]
        if not len(listed):
            return np.zeros(rows.shape[1], np.bool_)
        there: Truths = listed[np.minimum(np.searchsorted(listed, rows[0]), len(listed) - 1)] == rows[0]
        return there


def field_of(rows: Rows, shift: int, mask: int) -> npt.NDArray[np.int64]:
    """The bits of each state under `mask`, which has at most as many as a word, from `shift` on."""
    word, low = divmod(shift, WORD)
    bits: npt.NDArray[np.int64] = rows[word] >> low
    if low + mask.bit_length() > WORD:
        # What overflows here is above the mask.
        bits |= rows[word + 1] << (WORD - low)
    return bits & mask


def set_field(rows: Rows, shift: int, mask: int, values: npt.NDArray[np.int64]) -> None:
    """Set bits that are 0, in place; the values are within the mask."""
    word, low = divmod(shift, WORD)
    rows[word] |= (values << low) & ONES
    if low + mask.bit_length() > WORD:
        rows[word + 1] |= values >> (WORD - low)


def masks(bits: int, words: int) -> Rows:
    """A number as a column of so many words, to be combined with rows."""
    return np.array(words_of(bits, words), np.int64).reshape(-1, 1)


def state_of(rows: Rows, place: int) -> int:
    """One of the states as a number."""
    return sum(int(word) << WORD * k for k, word in enumerate(rows[:, place]))


def parts_of(rows: Rows, bits: int) -> tuple[list[int], npt.NDArray[np.int64]]:
    """The different values of some bits, and which of them each state has."""
    wanted = masks(bits, len(rows))
    used = [k for k in range(len(rows)) if int(wanted[k, 0])]
    if len(used) < 2:
        k = used[0] if used else 0
        values, which = np.unique(rows[k] & wanted[k, 0], return_inverse=True)
        return [v << WORD * k for v in values.tolist()], which
    columns = np.ascontiguousarray((rows[used] & wanted[used]).T)
    each, which = np.unique(columns, axis=0, return_inverse=True)
    numbers = [sum(v << WORD * k for k, v in zip(used, values, strict=True)) for values in each.tolist()]
    return numbers, which.reshape(-1)


def rows_of(columns: Columns) -> Rows:
    """The words of states."""
    return np.array([np.frombuffer(word, np.int64) for word in columns.words])


def columns_of(rows: Rows) -> Columns:
    """The same as arrays."""
    return Columns(tuple(array("q", row.tobytes()) for row in rows))
