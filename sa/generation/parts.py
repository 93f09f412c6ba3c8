"""Effects on the part of a value that they are about.

A value is mostly a product of values about few variables each, and an effect is about few of them: the rest stays as it
is. What an effect makes of a part is the same in the values of many locations and threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Generic, TypeAlias

from msgspec import Struct, field

from sa.domains.lattice import Domain, V
from sa.generation.effect import Effect, happened, mentioned, written
from sa.terms.term import Var

#: By variable the factor that it is in: its variables and what is said of them.
Factors: TypeAlias = Mapping[Var, tuple[frozenset[Var], V]]


class Parts(Struct, Generic[V]):
    """Answers about values and effects: factors of values, what effects make of parts, and whether that is new."""

    domain: Domain[V]
    factors: dict[V, Factors[V]] = field(default_factory=dict)
    moved: dict[tuple[Effect[V], V], V] = field(default_factory=dict)
    kept: dict[tuple[Effect[V], V], bool] = field(default_factory=dict)
    alone: dict[Effect[V], _Part[V]] = field(default_factory=dict)
    plain: dict[tuple[Effect[V], tuple[V, ...]], _Part[V]] = field(default_factory=dict)


class _Part(Struct, Generic[V], frozen=True):
    """The variables that an effect on a value is about, and both as far as they speak of these."""

    about: frozenset[Var]
    effect: Effect[V]
    value: V


def is_kept(parts: Parts[V], effect: Effect[V], value: V, plainly: bool = False) -> bool:
    """Whether the effect leads to no new states: most variables are independent of most effects.

    Plainly, if little has to be computed for it.
    """
    found = parts.kept.get((effect, value))
    if found is None:
        domain, factors = parts.domain, _factors(parts, value)
        # No step leads out of a value that says nothing of what the step writes.
        found = domain.is_bottom(value) or factors.keys().isdisjoint(written(effect.shape))
        if not found:
            part = _part(parts, effect, value)
            key = (part.effect, part.value)
            known = parts.kept.get(key)
            if known is None:
                if plainly and len(part.about) > len(mentioned(effect.shape)):
                    return False
                known = parts.kept[key] = domain.leq(_moved(parts, part), part.value)
            found = known
        parts.kept[effect, value] = found
    return found


def disturbed(parts: Parts[V], effect: Effect[V], value: V) -> V:
    """The states of a value after the effect."""
    domain, part = parts.domain, _part(parts, effect, value)
    rest = domain.meet(domain.forget(value, part.about), domain.forget(effect.before, part.about))
    if effect.shape.loose:
        rest = domain.meet(rest, domain.forget(effect.after, part.about))
    return domain.meet(_moved(parts, part), rest)


def _moved(parts: Parts[V], part: _Part[V]) -> V:
    key = (part.effect, part.value)
    if key not in parts.moved:
        parts.moved[key] = happened(parts.domain, part.effect, part.value)
    return parts.moved[key]


def _part(parts: Parts[V], effect: Effect[V], value: V) -> _Part[V]:
    """What depends on the variables that a step of this shape reads or writes, in the value or in the effect."""
    alone = parts.alone.get(effect)
    if alone is None:
        alone = parts.alone[effect] = _closed(parts, effect, parts.domain.top(), mentioned(effect.shape))
    table = _factors(parts, value)
    touched = tuple(dict.fromkeys(table[v] for v in alone.about if v in table))
    if not all(own <= alone.about for own, _ in touched):
        return _closed(parts, effect, value, alone.about)
    key = (effect, tuple(said for _, said in touched))
    if key not in parts.plain:
        parts.plain[key] = _Part(alone.about, alone.effect, _over(parts.domain, table, alone.about))
    return parts.plain[key]


def _closed(parts: Parts[V], effect: Effect[V], value: V, start: frozenset[Var]) -> _Part[V]:
    tables = [_factors(parts, v) for v in (value, effect.before, effect.after)]
    about = set(start)
    waiting = list(about)
    while waiting:
        var = waiting.pop()
        for table in tables:
            if var in table:
                more = table[var][0] - about
                about |= more
                waiting.extend(more)
    here, before, later = (_over(parts.domain, table, about) for table in tables)
    return _Part(frozenset(about), Effect(effect.shape, before, later), here)


def _over(domain: Domain[V], table: Factors[V], about: Iterable[Var]) -> V:
    """What a product says of these variables, which are those of some of its factors."""
    result = domain.top()
    for said in dict.fromkeys(table[v][1] for v in about if v in table):
        result = domain.meet(result, said)
    return result


def _factors(parts: Parts[V], value: V) -> Factors[V]:
    found = parts.factors.get(value)
    if found is None:
        found = {v: (own, said) for own, said in parts.domain.factors(value) for v in own}
        parts.factors[value] = found
    return found
