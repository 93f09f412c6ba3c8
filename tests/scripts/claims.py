"""What a script claims by Theorem 4: pairs of threads, what was shown of each, parts made of pairs, and the claim.

A pair's goal is about automata whose invariants may say less than those that the annotated threads have, and these may
say more than what is written. Parts are earlier steps: of one pair each, or made of several by the same rule. Parts and
the claim have κ and ι of their own, over the valuations of the compositions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from math import prod
from operator import and_

from msgspec import Struct
from msgspec.structs import replace

from tests.scripts.finite import Automaton, Mask, Rows, composition, explicit, full, made_closed, shared_part
from tests.scripts.game import Refinement, greatest, joint, parallel, standard
from tests.scripts.writing import relation, valuations, written_refinement, written_relation, written_valuations

#: Invariants by location.
Places = tuple[Mask, ...]


class Annotated(Struct, frozen=True):
    """The invariants of an annotated thread, and those that are written."""

    inv: Places
    written: Places


class Pair(Struct, frozen=True):
    """A goal with its relation, and what the annotations of its threads say."""

    goal: Refinement
    lower: Annotated
    upper: Annotated


class Part(Struct, frozen=True):
    """What an earlier step claims of so many pairs, the next in order."""

    size: int
    kappa: Rows
    iota: Rows


class Claim(Struct, frozen=True):
    """The step itself."""

    pairs: tuple[Pair, ...]
    parts: tuple[Part, ...]
    kappa: Rows
    iota: Rows


def lower(pairs: Sequence[Pair]) -> list[Automaton]:
    """The annotated concrete threads."""
    return [replace(p.goal.concrete, inv=p.lower.inv) for p in pairs]


def upper(pairs: Sequence[Pair]) -> list[Automaton]:
    """The annotated abstract threads."""
    return [replace(p.goal.abstract, inv=p.upper.inv) for p in pairs]


def shown(pairs: Sequence[Pair]) -> Refinement:
    """What the goals say together: θ1 ⊗ … ⊗ θn, the conjunctions of the κ and of the ι."""
    return reduce(parallel, (p.goal for p in pairs))


def together(parts: Sequence[tuple[Rows, tuple[int, int]]]) -> Rows:
    """The conjunction of relations, each with the number of local values on both sides."""
    found, (own, there) = parts[0]
    for rows, (more, beside) in parts[1:]:
        found = joint(found, rows, (own, more, there, beside))
        own, there = own * more, there * beside
    return found


def owns(pairs: Sequence[Pair]) -> tuple[int, int]:
    """How many local values the compositions have."""
    return prod(p.goal.concrete.own for p in pairs), prod(p.goal.abstract.own for p in pairs)


def groups(c: Claim) -> Iterator[tuple[Part, tuple[Pair, ...]]]:
    """The parts with their pairs."""
    first = 0
    for part in c.parts:
        yield part, c.pairs[first : first + part.size]
        first += part.size


def kappa_of_parts(c: Claim) -> Rows:
    """What the κ of the parts say together."""
    return together([(part.kappa, owns(pairs)) for part, pairs in groups(c)])


def iota_of_parts(c: Claim) -> Rows:
    """What the ι of the parts say together."""
    return together([(part.iota, owns(pairs)) for part, pairs in groups(c)])


def _claimed(c: Claim, concrete: Automaton, abstract: Automaton) -> Refinement:
    """θ1 ⊗ … ⊗ θn, of states that there are and that annotations allow, with the claim's κ and ι."""
    inside = explicit(composition(lower(c.pairs))).inv & explicit(concrete).inv
    there = explicit(composition(upper(c.pairs))).inv & explicit(abstract).inv
    theta = tuple(row & there if inside >> s & 1 else 0 for s, row in enumerate(shown(c.pairs).theta))
    return Refinement(concrete, abstract, c.kappa, c.iota, theta)


def among_others(c: Claim) -> Refinement:
    """The claim where others move beside the annotated threads."""
    return _claimed(c, composition(lower(c.pairs)), composition(upper(c.pairs)))


def of_whole_programs(c: Claim) -> Refinement:
    """The claim about the threads as they are written, and nobody else."""
    concrete = composition([replace(p.goal.concrete, inv=p.lower.written) for p in c.pairs])
    abstract = composition([replace(p.goal.abstract, inv=p.upper.written) for p in c.pairs])
    return _claimed(c, made_closed(concrete), made_closed(abstract))


def merged(a: Automaton, kind: Callable[[int, int], int]) -> Rows:
    """What the environment may do at all locations, or with `or` at some."""
    return tuple(reduce(kind, rows) for rows in zip(*a.env, strict=True))


def in_common(environments: Sequence[Rows]) -> Rows:
    """What all of these allow."""
    return tuple(reduce(and_, rows) for rows in zip(*environments, strict=True))


def plainly(pairs: Sequence[Pair], sizes: Sequence[int] = ()) -> Claim:
    """Parts and a claim that say just what the goals say."""
    parts, first = list[Part](), 0
    for size in sizes or (1,) * len(pairs):
        said = shown(pairs[first : first + size])
        parts.append(Part(size, said.kappa, said.iota))
        first += size
    said = shown(pairs)
    return Claim(tuple(pairs), tuple(parts), said.kappa, said.iota)


def with_idle_pair(c: Claim) -> Claim:
    """The claim with one more pair, of threads that do nothing where anything may happen that keeps the ι."""
    sides = [_idle(a) for a in (c.pairs[0].goal.concrete, c.pairs[0].goal.abstract)]
    iota = [0] * sides[0].shared
    for r in (p.goal for p in c.pairs):
        for v, row in enumerate(r.iota):
            iota[v // r.concrete.own] |= shared_part(row, r.abstract.own)
    rows = tuple(iota)
    x1, x2 = map(explicit, sides)
    theta = greatest(x1, x2, rows, standard(x1, x2))
    third = pair(Refinement(sides[0], sides[1], rows, rows, theta))
    anything = (full(sides[1].shared),) * sides[0].shared
    kappa, said = (
        together([(mine, owns(c.pairs)), (more, (1, 1))]) for mine, more in ((c.kappa, rows), (c.iota, anything))
    )
    return Claim((*c.pairs, third), (*c.parts, Part(1, rows, rows)), kappa, said)


def _idle(a: Automaton) -> Automaton:
    every = full(a.shared)
    return Automaton(a.shared, 1, every, (every,), ((every,) * a.shared,), ())


# As texts (`tests.scripts.writing`)

#: Invariants by location; what is left out is as the goal has it, or as if nothing were written.
Said = Mapping[int, str]


def pair(
    goal: Refinement, lower: Said | None = None, upper: Said | None = None, written: tuple[Said, Said] = ({}, {})
) -> Pair:
    """A pair from texts."""
    sides = ((goal.concrete, lower or {}, written[0]), (goal.abstract, upper or {}, written[1]))
    one, two = (Annotated(_places(a, a.inv, inv), _places(a, _anything(a), there)) for a, inv, there in sides)
    return Pair(goal, one, two)


def _places(a: Automaton, otherwise: Places, said: Said) -> Places:
    return tuple(valuations(said[q], a.own) if q in said else mask for q, mask in enumerate(otherwise))


def _anything(a: Automaton) -> Places:
    return (full(a.valuations),) * len(a.inv)


def claim(
    pairs: Sequence[Pair | Refinement],
    kappa: str | None = None,
    iota: str | None = None,
    parts: Sequence[tuple[int, str | None, str | None]] = (),
) -> Claim:
    """A claim from texts; what is left out is the conjunction of what it is made of."""
    made = tuple(pair(p) if isinstance(p, Refinement) else p for p in pairs)
    plain = plainly(made, [size for size, _, _ in parts])
    if parts:
        said = []
        for (part, members), (_, k, i) in zip(groups(plain), parts, strict=True):
            sides = composition(lower(members)), composition(upper(members))
            rows = [old if new is None else relation(new, *sides) for old, new in ((part.kappa, k), (part.iota, i))]
            said.append(Part(part.size, *rows))
        plain = replace(plain, parts=tuple(said))
        plain = replace(plain, kappa=kappa_of_parts(plain), iota=iota_of_parts(plain))
    whole = composition(lower(made)), composition(upper(made))
    rows = [old if new is None else relation(new, *whole) for old, new in ((plain.kappa, kappa), (plain.iota, iota))]
    return replace(plain, kappa=rows[0], iota=rows[1])


def written_claim(c: Claim) -> str:
    """The call of `claim` that makes it."""
    given = [f"[{', '.join(map(_written_pair, c.pairs))}]"]
    plain = plainly(c.pairs, [p.size for p in c.parts])
    as_parts = replace(c, kappa=kappa_of_parts(c), iota=iota_of_parts(c))
    sides = composition(lower(c.pairs)), composition(upper(c.pairs))
    given += [f"kappa={written_relation(c.kappa, *sides)!r}"] if c.kappa != as_parts.kappa else []
    given += [f"iota={written_relation(c.iota, *sides)!r}"] if c.iota != as_parts.iota else []
    if plain.parts != c.parts or len(c.parts) < len(c.pairs):
        told = []
        for (part, members), old in zip(groups(c), plain.parts, strict=True):
            own = composition(lower(members)), composition(upper(members))
            said = [None if x == y else written_relation(x, *own) for x, y in _both(part, old)]
            told.append((part.size, *said))
        given.append(f"parts={told!r}")
    return f"claim({', '.join(given)})"


def _both(part: Part, old: Part) -> tuple[tuple[Rows, Rows], tuple[Rows, Rows]]:
    return (part.kappa, old.kappa), (part.iota, old.iota)


def _written_pair(p: Pair) -> str:
    text = written_refinement(p.goal)
    if p == pair(p.goal):
        return text
    sides = ((p.goal.concrete, p.lower), (p.goal.abstract, p.upper))
    shown = [_written_places(a, a.inv, there.inv) for a, there in sides]
    written = tuple(_written_places(a, _anything(a), there.written) for a, there in sides)
    given = [f"{name}={said!r}" for name, said in zip(("lower", "upper"), shown, strict=True) if said]
    given += [f"written={written!r}"] if any(written) else []
    return f"pair({', '.join((text, *given))})"


def _written_places(a: Automaton, otherwise: Places, said: Places) -> dict[int, str]:
    both = zip(said, otherwise, strict=True)
    return {q: written_valuations(m, a.own) for q, (m, old) in enumerate(both) if m != old}
