"""Which accesses the claims about races speak of, and all claims beside failing steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sa.automata.automaton import Origin
from sa.automata.program import Invariant, Program
from sa.frontends.flow.access import is_own
from sa.frontends.flow.claims import Asked, Called, Crowds, Touch, no_deadlock, races
from sa.frontends.flow.graph import Node, base
from sa.frontends.flow.layout import Layout, location_of
from sa.frontends.flow.naming import Named, name_of, told
from sa.frontends.flow.paths import Touched
from sa.frontends.flow.steps import Joint
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.waiting import SPURIOUS
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


def spoken_of(threads: Sequence[Thread], found: Sequence[list[Joint]], names: Named, where: Layout) -> Iterator[Var]:
    """Variables of which claims speak, whatever steps depend on."""
    if (spurious := spurious_of(names, where)) is not None:
        yield spurious
    yield from (names.names[t.number].registers[t.identity] for t in threads if t.identity is not None)
    touched = [x for joined in found for j in joined for x in j.touched]
    yield from (v for x in touched for v in x.condition.free)
    yield from (v for x in touched if x.element is not None for v in x.element.free)


def claims_of(
    made: Program,
    threads: Sequence[Thread],
    found: Sequence[list[Joint]],
    places: Sequence[Mapping[Node, str]],
    names: Named,
    where: Layout,
    asked: Asked,
    constants: Mapping[Var, Term],
) -> tuple[tuple[Invariant, ...], tuple[Origin, ...]]:
    """What is claimed beside failing steps, and the origins of claims whose failing says nothing of the program.

    Variables with one value are `constants`, and none of the program. Of families there is no claim about deadlocks.
    """
    claims, doubtful = list[Invariant](), list[Origin]()
    if asked.races:
        touches = [
            Touch(t.name, names_[j.source], x.cell, x.writes, x.atomic, *_known(x, constants), x.early, x.line)
            for t, joined, names_ in zip(threads, found, places, strict=True)
            for j in joined
            for x in j.touched
        ]
        origins = {c: place.object.origin for c, place in where.places.items()}
        shared = frozenset(v.var for v in names.shared)
        families = {t.name: names.names[t.number].registers[t.identity] for t in threads if t.identity is not None}
        own = frozenset((t.name, c) for t in threads for c, place in where.places.items() if is_own(place, t))
        called = {c: Called(name_of(c, names, where), told(where.places[c])) for c in {t.cell for t in touches}}
        crowds, locations = Crowds(families, own), {c: location_of(c, where) for c in called}
        for claim, doubt in races(list(dict.fromkeys(touches)), called, origins, shared, crowds, locations):
            claims.append(claim)
            doubtful += [claim.origin] if doubt else []
    if asked.deadlock and not asked.ends and all(t.identity is None for t in threads):
        spurious = spurious_of(names, where)
        claims.append(no_deadlock(made.threads, None if spurious in constants else spurious))
    return tuple(claims), tuple(doubtful)


def spurious_of(names: Named, where: Layout) -> Var | None:
    """The variable that says that there was a spurious wake-up."""
    address = where.addresses.get(base(SPURIOUS))
    return None if address is None else names.cells.get(address)


def _known(touched: Touched, constants: Mapping[Var, Term]) -> tuple[Term, Term | None]:
    """When a cell is touched, and which element of it."""
    element = touched.element
    return substitute(touched.condition, constants), None if element is None else substitute(element, constants)
