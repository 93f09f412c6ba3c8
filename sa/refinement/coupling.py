"""Couplings: what may relate the two sides of a closed refinement where the default, all equal always, says too much.

A coupling is a list of equations, each of which holds while a condition on the concrete state does: while nobody is at
work on the variable, as a rule, so that a lock is free or somebody else's, or a counter is even. Whatever initial
states satisfy may be ι (THEORY section 7): the claim about visible actions is the same. So nothing here needs to be
right: plays show where a coupling says too much, and the next one says less there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, copies_of, variables_of
from sa.automata.trace import Configuration
from sa.certificates.goal import Goal
from sa.certificates.play import (
    Broken,
    BrokenAtStart,
    Chosen,
    EnvironmentMove,
    PlainPlay,
    Position,
    Step,
    Uncovered,
    Unmatched,
)
from sa.terms import build
from sa.terms.atoms import atoms
from sa.terms.cases import condition_in
from sa.terms.evaluate import State, Unevaluable, holds
from sa.terms.sort import ArraySort
from sa.terms.substitute import substitute
from sa.terms.term import Not, Or, Term, Var

#: How many globals a local may be a copy of, for tests of it to be read as tests of these.
COPIES = 3


class Part(Struct, frozen=True):
    """An equation that holds while `condition` does, a formula over concrete globals: FALSE where it never need hold.

    `bad` are concrete states in which it does not hold.
    """

    equation: Term
    condition: Term = build.TRUE
    bad: tuple[State, ...] = ()

    @property
    def formula(self) -> Term:
        """What ι says."""
        return build.implies(self.condition, self.equation)


class Coupling(Struct, frozen=True):
    """Parts of ι, conditions to choose from with those that are preferred first, and concrete states that were seen."""

    parts: tuple[Part, ...]
    conditions: tuple[Term, ...]
    seen: tuple[State, ...] = ()


def coupling_of(goal: Goal) -> Coupling:
    """The coupling of a goal as it is asked: each conjunct of its ι a part."""
    parts = tuple(Part(c) for f in goal.iota for c in build.conjuncts(f.term))
    return Coupling(parts, conditions(goal.concrete, frozenset[Var]().union(*(p.equation.free for p in parts))))


def conditions(concrete: Automaton, equated: frozenset[Var]) -> tuple[Term, ...]:
    """Conditions over concrete globals: tests, also of locals that are copies of globals, and what is assigned.

    Those about variables that are not `equated` come first, and of these what excludes least.
    """
    shared = frozenset((*variables_of(concrete, Kind.GLOBAL), *variables_of(concrete, Kind.PARAM)))
    copies = copies_of(concrete)
    found = dict[Term, None]()
    for edge in concrete.edges:
        values = [value for _, value in edge.updates]
        tests = [edge.guard, *(c for v in values if (c := condition_in(v)) is not None)]
        for atom in (a for t in tests for a in atoms(t)):
            found.update(dict.fromkeys(_over(atom, shared, copies)))
        for var, value in edge.updates:
            if var in shared and not value.free and not isinstance(var.sort, ArraySort):
                same = build.eq(var, value)
                found.update({same: None, build.lnot(same): None})
    constant = (build.TRUE, build.FALSE)
    good = (c for c in found if c not in constant and c.free)
    return tuple(sorted(good, key=lambda c: (not c.free.isdisjoint(equated), not isinstance(c, Not | Or), c.key)))


def _over(atom: Term, shared: frozenset[Var], copies: Mapping[Var, tuple[Var, ...]]) -> Iterator[Term]:
    """The atom over shared variables, with globals in the place of their copies."""
    hidden = sorted(atom.free - shared, key=lambda v: v.key)
    if all(0 < len(copies.get(v, ())) <= COPIES for v in hidden):
        for originals in product(*(copies[v] for v in hidden)):
            yield substitute(atom, dict(zip(hidden, originals, strict=True)))


class Leaf(Struct, frozen=True):
    """Where an answer in a play breaks ι, after how many concrete steps, and how many abstract ones were made."""

    concrete: Configuration
    abstract: Configuration
    steps: int
    moves: int


def leaves(play: PlainPlay) -> Iterator[Leaf]:
    """Where answers in a play break ι. Plays may be deep and share their ends: each is looked at once."""
    waiting: list[tuple[Position | Broken, int, int]]
    match play:
        case BrokenAtStart(broken):
            waiting = [(broken, 0, 0)]
        case Position():
            waiting = [(play, 0, 0)]
        case Chosen(openings=openings):
            waiting = [(o, 0, 0) for o in openings]
        case Uncovered():
            waiting = []
        case _:
            assert_never(play)
    met = set[int]()
    for here, steps, moves in waiting:  # the list grows while it is walked
        if isinstance(here, Broken):
            yield Leaf(here.concrete, here.abstract, steps, moves)
        elif id(here) not in met:
            met.add(id(here))
            match here.move:
                case Step(move, replies):
                    waiting.extend((r.then, steps + 1, moves + len(r.moves)) for r in replies)
                    # Of infinitely many answers only those that keep ι are listed.
                    if move.edge.label is None and not replies:
                        yield Leaf(move.after, here.abstract, steps + 1, moves)
                case EnvironmentMove(then=then):
                    waiting.append((then, steps, moves))
                case Unmatched():
                    pass
                case _:
                    assert_never(here.move)


def weakened(coupling: Coupling, play: PlainPlay, always: Term = build.TRUE) -> Coupling | None:
    """The coupling made to allow one of the answers in a play, that which breaks least of it; None if none does.

    Answers that break what is `always` to hold are none.
    """
    allowed = (leaf for leaf in leaves(play) if _true(always, {**leaf.concrete.values, **leaf.abstract.values}))
    listed = [(sorted(_broken(coupling, leaf)), leaf) for leaf in allowed]
    found = [(numbers, leaf) for numbers, leaf in listed if numbers]
    if not found:
        return None
    numbers, leaf = min(found, key=lambda f: (len(f[0]), f[1].steps, f[1].moves))
    state = leaf.concrete.values
    seen = (*coupling.seen, *(at.values for at in _concrete(play)))
    unique = tuple({tuple(s.values()): s for s in seen}.values())
    parts = list(coupling.parts)
    for number in numbers:
        parts[number] = _weaker(replace(parts[number], bad=(*parts[number].bad, state)), coupling.conditions, unique)
    return replace(coupling, parts=tuple(parts), seen=unique)


def _broken(coupling: Coupling, leaf: Leaf) -> Iterator[int]:
    both = {**leaf.concrete.values, **leaf.abstract.values}
    for number, part in enumerate(coupling.parts):
        if not _true(part.formula, both):
            yield number


def _concrete(play: PlainPlay) -> Iterator[Configuration]:
    """The concrete states in a play, as they are met."""
    starts = play.openings if isinstance(play, Chosen) else (play,)
    waiting, met = list[object](starts), set[int]()
    for here in waiting:  # the list grows while it is walked
        if isinstance(here, Position | Broken) and id(here) not in met:
            met.add(id(here))
            yield here.concrete
            match here:
                case Position(move=Step(replies=replies)):
                    waiting.extend(r.then for r in replies)
                case Position(move=EnvironmentMove(then=then)):
                    waiting.append(then)
                case _:
                    pass


def _weaker(part: Part, conditions: Sequence[Term], seen: Sequence[State]) -> Part:
    """The part under the condition that excludes least but all bad states; it never need hold if there is none."""
    good = [c for c in conditions if c.free.isdisjoint(part.equation.free) and _fits(c, part.bad, seen)]
    best = min(good, key=lambda c: -_often(c, seen), default=build.FALSE)
    return replace(part, condition=best)


def _fits(condition: Term, bad: Sequence[State], seen: Sequence[State]) -> bool:
    """Whether a condition excludes the bad states, and not the initial one that the states seen begin with."""
    return not any(_true(condition, state) for state in bad) and (not seen or _true(condition, seen[0]))


def _often(condition: Term, states: Iterable[State]) -> int:
    return sum(_true(condition, state) for state in states)


def _true(formula: Term, state: State) -> bool:
    try:
        return holds(formula, state)
    except Unevaluable:
        return True


def varied(coupling: Coupling) -> Iterator[Coupling]:
    """Other couplings: one condition replaced by another that excludes the same bad states, wherever it stands."""
    used = {p.condition for p in coupling.parts} - {build.TRUE, build.FALSE}
    for old in sorted(used, key=lambda c: c.key):
        bad = [s for p in coupling.parts if p.condition is old for s in p.bad]
        for new in coupling.conditions:
            if new is not old and _fits(new, bad, coupling.seen):
                parts = (replace(p, condition=new) if p.condition is old else p for p in coupling.parts)
                yield replace(coupling, parts=tuple(parts))


def equations_of(coupling: Coupling) -> tuple[tuple[Term, Term], ...]:
    """What ι says: conditions and what holds while they do; TRUE where nothing needs to hold."""
    together = dict[Term, list[Term]]()
    for part in coupling.parts:
        if part.condition is not build.FALSE:
            together.setdefault(part.condition, []).append(part.equation)
    free = together.pop(build.TRUE, [])
    said = (*((build.TRUE, e) for e in free), *((c, build.land(*equations)) for c, equations in together.items()))
    return said or ((build.TRUE, build.TRUE),)
