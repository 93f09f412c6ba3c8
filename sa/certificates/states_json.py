"""All states of a program as JSON: how they are packed, and the numbers in one compressed text.

The text is base 85 of zlib of the numbers in rising order, each with as many bytes as the widest needs, the highest
first.
"""

from __future__ import annotations

import zlib
from base64 import b85encode
from collections.abc import Collection, Iterable, Sequence

from sa.automata.automaton import Automaton, Kind
from sa.automata.program import Axiom
from sa.automata.rename import apart
from sa.certificates.packed import HAS_NUMPY, WORD, columns
from sa.certificates.scope import scope
from sa.certificates.shape import Entry, Json, plain, unpacked
from sa.certificates.states import Field, States, place_widths
from sa.certificates.threads_json import Bads, bad_json, read_bad
from sa.terms.read_smtlib import Names
from sa.terms.term import Var

#: A field may not have more bits.
_MAX_WIDTH = 1_000

#: More numbers than this, of at most so many words, are kept in columns.
_MANY, _MOST_WORDS = 100_000, 8


def states_json(states: States, bads: Bads) -> Json:
    """A proof by all states."""
    places = [[q.name for q in t.locations] for t in states.threads]
    return {
        "fields": [_field_json(f) for f in states.fields],
        "kept": [
            {name: sorted(v.name for v in kept) for name, kept in zip(names, by_place, strict=True)}
            for names, by_place in zip(places, states.kept, strict=True)
        ],
        "first": [[names[p] for p in sorted(first)] for names, first in zip(places, states.first, strict=True)],
        "states": _text(states.packed, _bytes(states.threads, states.fields)),
        "never": [bad_json(b, bads) for b in states.never],
    }


def _field_json(field: Field) -> Json:
    written: Json = {"variable": field.var.name, "low": field.low, "width": field.width}
    if field.values is None:
        return written
    return {**written, "values": [plain(x, field.var.sort) for x in field.values]}


def _bytes(threads: tuple[Automaton, ...], fields: Iterable[Field]) -> int:
    """How many bytes a state needs; one at least."""
    return max((sum(place_widths(threads)) + sum(f.width for f in fields) + 7) // 8, 1)


def _text(packed: Iterable[int], size: int) -> str:
    written = b"".join(p.to_bytes(size, "big") for p in sorted(packed))
    return b85encode(zlib.compress(written)).decode("ascii")


def read_states(entry: Entry, threads: tuple[Automaton, ...], bads: Bads, axioms: tuple[Axiom, ...]) -> States:
    """A proof by all states of these threads. Raises Malformed."""
    listed, kept, first, packed, never = entry.fields("fields", "kept", "first", "states", "never")
    separate = tuple(apart(t) for t in threads)
    names = scope(separate)
    fields = tuple(_field(f, names) for f in listed.items())
    return States(
        threads,
        fields,
        _kept(kept, separate),
        tuple(_first(f, t) for f, t in zip(_each(first, threads), threads, strict=True)),
        _numbers(packed, _bytes(threads, fields)),
        tuple(read_bad(n, bads) for n in never.items()),
        axioms,
    )


def _field(entry: Entry, names: Names) -> Field:
    listed = ("values",) if entry.has("values") else ()
    name, low, width, *values = entry.fields("variable", "low", "width", *listed)
    if name.text() not in names.variables:
        raise name.wrong("there is no such variable")
    if not 0 <= width.number() <= _MAX_WIDTH:
        raise width.wrong(f"a number from 0 to {_MAX_WIDTH} is expected")
    var = names.variables[name.text()]
    known = tuple(x.of_sort(var.sort) for x in values[0].items()) if values else None
    return Field(var, low.number(), width.number(), known)


def _each(entry: Entry, threads: Sequence[Automaton]) -> list[Entry]:
    items = entry.items()
    if len(items) != len(threads):
        raise entry.wrong("one for each thread is expected")
    return items


def _kept(entry: Entry, threads: Sequence[Automaton]) -> tuple[tuple[frozenset[Var], ...], ...]:
    found = list[tuple[frozenset[Var], ...]]()
    for item, thread in zip(_each(entry, threads), threads, strict=True):
        own: dict[str, Var] = {v.var.name: v.var for v in thread.variables if v.kind is Kind.LOCAL}
        by_place = item.fields(*(q.name for q in thread.locations))
        for listed in by_place:
            if any(name.text() not in own for name in listed.items()):
                raise listed.wrong(f"locals of {thread.name} are expected")
        found.append(tuple(frozenset(own[n.text()] for n in listed.items()) for listed in by_place))
    return tuple(found)


def _first(entry: Entry, thread: Automaton) -> frozenset[int]:
    number = {q.name: i for i, q in enumerate(thread.locations)}
    if any(name.text() not in number for name in entry.items()):
        raise entry.wrong(f"locations of {thread.name} are expected")
    return frozenset(number[name.text()] for name in entry.items())


def _numbers(entry: Entry, size: int) -> Collection[int]:
    written = unpacked(entry, size)
    numbers = (int.from_bytes(written[i : i + size], "big") for i in range(0, len(written), size))
    if HAS_NUMPY and len(written) > _MANY * size and 8 * size <= WORD * _MOST_WORDS:
        return columns(numbers, -(-8 * size // WORD))
    return frozenset(numbers)
