"""Proofs put together from pairs of threads, as JSON: annotations of both sides' threads, and a relation each pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom
from sa.automata.rename import on_side
from sa.certificates.goal import Goal
from sa.certificates.relation_json import read_relation, relation_json
from sa.certificates.scope import scope
from sa.certificates.shape import Entry, Json
from sa.certificates.threads import Annotated, Composition
from sa.certificates.threads_json import annotated_json, read_annotated
from sa.terms.smtlib import smtlib
from sa.terms.term import Term

#: The goal about the pair of this number, of a concrete and an abstract automaton with the invariants of the goal; the
#: formulas are to hold besides what is asked.
PairGoal = Callable[[int, Automaton, Automaton, Sequence[Term]], Goal]


def composition_json(made: Composition) -> Json:
    """A composition as JSON. The goals' invariants are those of the annotations where nothing else is written."""
    parts = zip(made.concrete, made.abstract, made.goals, made.relations, strict=True)
    pairs: list[Json] = [
        {
            "concrete": annotated_json(concrete),
            "abstract": annotated_json(abstract),
            "concrete_invariants": weaker_json(on_side(concrete.automaton, "conc"), goal.concrete),
            "abstract_invariants": weaker_json(on_side(abstract.automaton, "abs"), goal.abstract),
            "relation": relation_json(relation),
        }
        for concrete, abstract, goal, relation in parts
    ]
    return {"pairs": pairs, "besides": [smtlib(t) for t in made.besides]}


def weaker_json(strong: Automaton, automaton: Automaton) -> Json:
    """The invariants of an automaton where they are not those of another."""
    places = zip(strong.locations, automaton.locations, strict=True)
    return {q.name: smtlib(q.inv) for p, q in places if p.inv is not q.inv}


def read_composition(
    entry: Entry,
    concrete: Sequence[Automaton],
    abstract: Sequence[Automaton],
    axioms: tuple[Axiom, ...],
    goal_of: PairGoal,
) -> Composition:
    """A composition of these threads, which are paired in this order. Raises Malformed."""
    pairs, besides = entry.fields("pairs", "besides")
    return read_pairs(pairs, besides, concrete, abstract, axioms, goal_of)


def read_pairs(
    pairs: Entry,
    besides: Entry,
    concrete: Sequence[Automaton],
    abstract: Sequence[Automaton],
    axioms: tuple[Axiom, ...],
    goal_of: PairGoal,
) -> Composition:
    """The pairs of a composition. Raises Malformed."""
    items = pairs.items()
    if len(items) != len(concrete):
        raise pairs.wrong(f"{len(concrete)} pairs of threads are expected")
    parts = [p.fields("concrete", "abstract", "concrete_invariants", "abstract_invariants", "relation") for p in items]
    first = tuple(read_annotated(p[0], t, axioms, concrete) for p, t in zip(parts, concrete, strict=True))
    second = tuple(read_annotated(p[1], t, axioms, abstract) for p, t in zip(parts, abstract, strict=True))
    sides = (*(on_side(t, "conc") for t in concrete), *(on_side(t, "abs") for t in abstract))
    names = scope(sides, (a.formula for a in axioms))
    also = tuple(item.term(names) for item in besides.items())
    goals = tuple(
        goal_of(number, *_sides(p, c, a, axioms), also)
        for number, (p, c, a) in enumerate(zip(parts, first, second, strict=True))
    )
    relations = tuple(read_relation(p[4], g) for p, g in zip(parts, goals, strict=True))
    return Composition(first, second, goals, relations, axioms, also)


def _sides(
    parts: Sequence[Entry], concrete: Annotated, abstract: Annotated, axioms: tuple[Axiom, ...]
) -> tuple[Automaton, Automaton]:
    lower = read_weakened(parts[2], on_side(concrete.automaton, "conc"), axioms)
    return lower, read_weakened(parts[3], on_side(abstract.automaton, "abs"), axioms)


def read_weakened(entry: Entry, automaton: Automaton, axioms: Sequence[Axiom]) -> Automaton:
    """The automaton with other invariants at some locations. Raises Malformed."""
    names = scope((automaton,), (a.formula for a in axioms))
    said = {place: inv.term(names) for place, inv in entry.entries()}
    if not set(said) <= {q.name for q in automaton.locations}:
        raise entry.wrong("one of these is no location of the thread")
    places = (replace(q, inv=said.get(q.name, q.inv)) for q in automaton.locations)
    return replace(automaton, locations=tuple(places))
