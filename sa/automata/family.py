"""Families of any number of threads: `thread T[i : *]` stands for copies `T[1]`, `T[2]`, ..., however many.

The number of copies is fixed when a run begins, and may be 0. All copies of all families of a program have different
positive identities: with n copies they are 1, ..., n. The identity is a local that no step changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, count, permutations, product

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Label
from sa.automata.rename import own_local, renamed
from sa.terms import build
from sa.terms.name import at_place, element
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Copies of one family that a claim may speak of.
MOST_COPIES = 4


class Family(Struct, frozen=True):
    """`thread` is what every copy does, with `identity` among its locals. There are at `most` so many copies, if that
    is assumed.
    """

    thread: Automaton
    identity: Var
    most: int | None = None


class Copy(Struct, frozen=True):
    """A copy that a claim speaks of, `name` as in `T[i]`. Two of them may be the same one."""

    family: str
    name: str


def identity_of(family: Family, name: str) -> Var:
    """The identity of the copy with this name, beside other threads."""
    return own_local(name, family.identity)


def symbolic(family: Family, number: int) -> Automaton:
    """A copy of which nothing is known but that it is not one with another number."""
    return replace(family.thread, name=symbolic_name(family, number))


def symbolic_name(family: Family, number: int) -> str:
    """Its name, which no text can give to a thread."""
    return f"{family.thread.name}[#{number}]"


def parameter_of(family: Family) -> Var:
    """The identity of the copy that stands for all of them, a parameter with a name that no text can give."""
    return own_local(f"{family.thread.name}[*]", family.identity)


def representative(family: Family, identity: Var) -> Automaton:
    """Any one copy, its identity a parameter: what is shown of it, whatever the parameter is, holds of each copy."""
    thread = renamed(family.thread, lambda v: identity if v.var == family.identity else v.var)
    variables = (replace(v, kind=Kind.PARAM) if v.var == identity else v for v in thread.variables)
    ranked = sorted(variables, key=lambda v: v.var != identity)
    return replace(thread, variables=tuple(ranked))


def parameter_of_another(identity: Var) -> Var:
    """The identity of a copy beside the one that stands for all."""
    return own_local("another", identity)


def name_of_another(name: str) -> str:
    """What the second copy is called beside the first, which has the family's name."""
    return f"{name}[#2]"


def another(copy: Automaton, identity: Var) -> Automaton:
    """One more copy beside the one that stands for all, the same up to its name and its identity."""
    other = parameter_of_another(identity)
    made = renamed(copy, lambda v: other if v.var == identity else v.var)
    return replace(made, name=name_of_another(copy.name))


def in_place_of(family: Family, one: int, other: int) -> dict[Var, Term]:
    """The names of a symbolic copy's locals replaced by those of another one."""
    first, second = symbolic_name(family, one), symbolic_name(family, other)
    own = (v.var for v in family.thread.variables if v.kind is Kind.LOCAL)
    return {own_local(first, v): own_local(second, v) for v in own}


def crowd(families: Sequence[Family], counts: Sequence[int]) -> tuple[Automaton, ...]:
    """So many symbolic copies of each family."""
    return tuple(symbolic(f, n) for f, count in zip(families, counts, strict=True) for n in range(1, count + 1))


def different(families: Sequence[Family], counts: Sequence[int]) -> tuple[Term, ...]:
    """What is known of the identities of symbolic copies: they are positive, and no two are equal."""
    pairs = ((f, n) for f, count in zip(families, counts, strict=True) for n in range(1, count + 1))
    known = [identity_of(f, symbolic_name(f, n)) for f, n in pairs]
    positive = tuple(build.le(build.ONE, v) for v in known)
    return (*positive, *(build.ne(v, w) for n, v in enumerate(known) for w in known[:n]))


def concrete(family: Family, identity: int) -> Automaton:
    """The copy with this identity, which is a constant in it. Its edges are those of the family, in their order."""
    thread = family.thread
    value: dict[Var, Term] = {family.identity: build.integer(identity)}

    def edge(e: Edge) -> Edge:
        label = None if e.label is None else Label(e.label.action, tuple(substitute(t, value) for t in e.label.values))
        updates = tuple((v, substitute(t, value)) for v, t in e.updates)
        return replace(e, label=label, guard=substitute(e.guard, value), updates=updates)

    return replace(
        thread,
        name=element(thread.name, identity),
        variables=tuple(v for v in thread.variables if v.var != family.identity),
        locations=tuple(replace(q, inv=substitute(q.inv, value)) for q in thread.locations),
        init=substitute(thread.init, value),
        edges=tuple(edge(e) for e in thread.edges),
    )


def copies(families: Sequence[Family], counts: Sequence[int]) -> tuple[Automaton, ...]:
    """So many copies of each family, in their order."""
    numbered = zip(families, numbers(counts), strict=True)
    return tuple(concrete(f, identity) for f, own in numbered for identity in own)


def numbers(counts: Sequence[int]) -> tuple[range, ...]:
    """The identities of so many copies of each family."""
    starts = [1 + sum(counts[:place]) for place in range(len(counts))]
    return tuple(range(start, start + count) for start, count in zip(starts, counts, strict=True))


def of_symbolic(formula: Term, spoken: Sequence[Copy], families: Sequence[Family]) -> tuple[Term, ...]:
    """What a claim says of symbolic copies: once for each way in which those that it speaks of may be equal."""
    known = {f.thread.name: f for f in families}
    found = list[Term]()
    for chosen in _numberings(spoken):
        names = dict[Var, Term]()
        for copy, number in zip(spoken, chosen, strict=True):
            family, name = known[copy.family], symbolic_name(known[copy.family], number)
            names |= _names(family, copy.name, name, identity_of(family, name))
        found.append(substitute(formula, names))
    return tuple(dict.fromkeys(f for f in found if f is not build.TRUE or not spoken))


def of_copies(formula: Term, families: Sequence[Family], counts: Sequence[int]) -> Term:
    """What a claim about symbolic copies says where there are so many copies: it is meant for any different ones."""
    spoken = [(f, n) for f in families for n in range(1, spoken_of(formula, f) + 1)]
    own = dict(zip((f.thread.name for f in families), numbers(counts), strict=True))
    parts = list[Term]()
    for chosen in product(*(permutations(own[f.thread.name], spoken_of(formula, f)) for f in families)):
        names = dict[Var, Term]()
        for (family, number), identity in zip(spoken, chain(*chosen), strict=True):
            name = symbolic_name(family, number)
            names |= _names(family, name, element(family.thread.name, identity), build.integer(identity))
        parts.append(substitute(formula, names))
    return build.land(*parts)


def spoken_of(formula: Term, family: Family) -> int:
    """The largest number of a symbolic copy of the family that a formula speaks of."""
    return next(n for n in count(MOST_COPIES, -1) if n == 0 or _mentions(formula, family, symbolic_name(family, n)))


def _mentions(formula: Term, family: Family, name: str) -> bool:
    return not formula.free.isdisjoint(_names(family, name, name, build.ZERO))


def _numberings(spoken: Sequence[Copy]) -> Iterator[tuple[int, ...]]:
    """Numbers of symbolic copies for those spoken of, in all ways up to their order: equal ones have one number."""
    found: list[tuple[int, ...]] = [()]
    for place, copy in enumerate(spoken):
        grown = list[tuple[int, ...]]()
        for some in found:
            used = {n for c, n in zip(spoken[:place], some, strict=True) if c.family == copy.family}
            grown += [(*some, n) for n in range(1, len(used) + 2)]
        found = grown
    return iter(found)


def _names(family: Family, name: str, other: str, identity: Term) -> dict[Var, Term]:
    """What claims say of one copy, said of another one."""
    places: dict[Var, Term] = {at(name, q.name): at(other, q.name) for q in family.thread.locations}
    local = (v.var for v in family.thread.variables if v.kind is Kind.LOCAL)
    own: dict[Var, Term] = {own_local(name, v): own_local(other, v) for v in local}
    return {**places, **own, identity_of(family, name): identity}


def at(thread: str, location: str) -> Var:
    """The Boolean variable of claims that says that a thread is at a location."""
    return build.variable(at_place(thread, location), BOOL)


def family_fault(family: Family) -> str | None:
    """What keeps this from being a family: its identity is a local that no step changes."""
    name = family.thread.name
    if family.most is not None and family.most <= 2 * MOST_COPIES:
        return f"{name}: there are too few copies"
    if all(v.var != family.identity or v.kind is not Kind.LOCAL or v.ghost for v in family.thread.variables):
        return f"{name}: the identity is no local"
    if any(v == family.identity for e in family.thread.edges for v, _ in e.updates):
        return f"{name}: a step changes the identity"
    if any(v.var == family.identity and v.low is not None for v in family.thread.variables):
        return f"{name}: the identity has a range"
    return None
