"""What the visible actions of a function are about, and the names that they have for that in both files.

A thing has the name of its variable, unless something may reach it through a pointer: then it has its address, which
is the same in both files, so that the way in which it is accessed makes no difference.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from sa.frontends.flow.access import Accesses
from sa.frontends.flow.actions import Atomic, Show, Thing
from sa.frontends.flow.layout import Layout, Place, cell_at, object_named
from sa.frontends.flow.observables import is_shared
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, evaluate
from sa.frontends.flow.views import kin, seen_as
from sa.terms import build
from sa.terms.term import Term

#: A cell by its object and what follows the object's name.
Key: TypeAlias = tuple[str, str]

#: How what is accessed through a pointer is called: no name of C begins so.
THROUGH = "*"


class Things(Struct, frozen=True):
    """What a function's actions are about.

    `atomic` are the cells that are accessed atomically, and whether any such access writes; `recast` those that are
    so by another type than their own, `others` those that are volatile. Objects are `named` or `pointed` to; `keys` are
    of types by which things are accessed through pointers, `open` those of which nothing else is known.
    """

    atomic: Mapping[Key, bool]
    recast: frozenset[Key]
    others: frozenset[Key]
    named: frozenset[str]
    pointed: frozenset[str]
    keys: frozenset[str]
    open: frozenset[str]

    @property
    def objects(self) -> frozenset[str]:
        """The objects that are accessed by actions, as far as they are known."""
        return self.named | self.pointed


class Spelling(Struct, frozen=True):
    """The objects that have no names in actions, and the types by which others are accessed."""

    pointed: frozenset[str]
    keys: frozenset[str]


def key_of(place: Place) -> Key:
    """What a cell is called in both files."""
    return place.object.name, place.cell.path


def things_of(thread: Thread, known: Accesses, hidden: Collection[str]) -> Things:
    """What the actions of a thread are about. Nobody outside has addresses of objects that are `hidden`."""
    where, atomic, recast, others = known.found.layout, dict[Key, bool](), set[Key](), set[Key]()
    named, pointed, keys, open_ = set[str](), set[str](), set[str](), set[str]()
    for show, thing in _things(thread):
        name, values = object_named(thing.address, where), evaluate(thing.address, known.found, thread.number)
        cells = {cell_at(v, where) for v in values if v is not OTHER}
        places = [where.places[c] for c in sorted(c for c in cells if c is not None)]
        if name is not None:
            named.add(name)
        else:
            keys.add(thing.key)
            pointed |= {p.object.name for p in places}
            if OTHER in values:
                open_.add(thing.key)
                places += _anywhere(thing, where, hidden) if show.atomic is not None else ()
        for key, place in ((key_of(p), p) for p in places if is_shared(p.object)):
            if show.atomic is None:
                others.add(key)
            elif not kin(place.cell.key, thing.key):
                recast.add(key)
            else:
                atomic[key] = atomic.get(key, False) or show.atomic is not Atomic.LOAD
    return Things(
        atomic,
        frozenset(recast),
        frozenset(others),
        frozenset(named),
        frozenset(pointed),
        frozenset(keys),
        frozenset(open_),
    )


def _things(thread: Thread) -> Iterator[tuple[Show, Thing]]:
    for step in thread.graph.steps:
        if isinstance(step.op, Show):
            yield from ((step.op, thing) for thing in step.op.things)


def _anywhere(thing: Thing, where: Layout, hidden: Collection[str]) -> Iterator[Place]:
    """The cells to which a pointer may lead of which nothing is known."""
    for place in where.places.values():
        fits = place.cell.synchronises or not thing.qualified
        if fits and kin(place.cell.key, thing.key) and place.object.name not in hidden:
            yield place


def spelling(one: Things, other: Things, spoken: Collection[str]) -> Spelling:
    """How two functions call what their actions are about. Of what is `spoken` any pointer may have the address."""
    anything = frozenset(spoken) if one.open or other.open else frozenset[str]()
    return Spelling(one.pointed | other.pointed | anything, one.keys | other.keys)


def spelled(show: Show, where: Layout, how: Spelling) -> tuple[str, tuple[Term, ...]]:
    """The name of an action, and the values that it shows: where its things are, and its own."""
    if not show.things:
        return show.action, show.values
    words, places, values = [show.action], list[Term](), show.values
    for thing in show.things:
        name = object_named(thing.address, where)
        if name is None or name in how.pointed:
            key = _by_bits(thing.key, how.keys)
            words.append(f"{THROUGH}{key}")
            places.append(thing.address)
            if key != thing.key:
                values = tuple(seen_as(v, thing.key, key) for v in values)
            continue
        words.append(name)
        start = build.variable(f"&{name}")
        first, end = where.homes[where.addresses[start]]
        places += [build.sub(thing.address, start)] if end - first > 1 else []
    # No name of C contains what stands between the names of several things.
    return ("_" if len(show.things) == 1 else ":").join(words), (*places, *values)


def _by_bits(key: str, keys: Collection[str]) -> str:
    """The key under which types of both signednesses are one, where both are among the `keys`."""
    signed = key.removeprefix("u")
    return signed if signed in keys else key


def found_at(thing: Thing, thread: Thread, known: Accesses, cells: Mapping[int, str]) -> Sequence[int]:
    """The cells among some that a thing may be."""
    values = evaluate(thing.address, known.found, thread.number)
    anything = OTHER in values and object_named(thing.address, known.found.layout) is None
    return [a for a, key in cells.items() if kin(key, thing.key) and (a in values or anything)]
