"""Proofs put together from pairs of threads, as JSON: annotations of both sides' threads, and a relation each pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

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

#: The goal about the pair of this number, of a concrete and an abstract automaton with the invariants of the goal.
PairGoal = Callable[[int, Automaton, Automaton], Goal]


def composition_json(made: Composition) -> Json:
    """A composition as JSON. The goals' invariants are those of the annotations where nothing else is written."""
    parts = zip(made.concrete, made.abstract, made.goals, made.relations, strict=True)
    return {
        "pairs": [
            {
                "concrete": annotated_json(concrete),
                "abstract": annotated_json(abstract),
                "concrete_invariants": _weaker_json(concrete, goal.concrete, "conc"),
                "abstract_invariants": _weaker_json(abstract, goal.abstract, "abs"),
                "relation": relation_json(relation),
            }
            for concrete, abstract, goal, relation in parts
        ]
    }


def _weaker_json(made: Annotated, automaton: Automaton, which: str) -> Json:
    strong = on_side(made.automaton, which)
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
    (pairs,) = entry.fields("pairs")
    items = pairs.items()
    if len(items) != len(concrete):
        raise pairs.wrong(f"{len(concrete)} pairs of threads are expected")
    parts = [p.fields("concrete", "abstract", "concrete_invariants", "abstract_invariants", "relation") for p in items]
    first = tuple(read_annotated(p[0], t, axioms, concrete) for p, t in zip(parts, concrete, strict=True))
    second = tuple(read_annotated(p[1], t, axioms, abstract) for p, t in zip(parts, abstract, strict=True))
    goals = tuple(
        goal_of(number, _weakened(p[2], c.automaton, "conc", axioms), _weakened(p[3], a.automaton, "abs", axioms))
        for number, (p, c, a) in enumerate(zip(parts, first, second, strict=True))
    )
    relations = tuple(read_relation(p[4], g) for p, g in zip(parts, goals, strict=True))
    return Composition(first, second, goals, relations, axioms)


def _weakened(entry: Entry, automaton: Automaton, which: str, axioms: Sequence[Axiom]) -> Automaton:
    """The automaton with other invariants at some locations, as a goal names its variables."""
    made = on_side(automaton, which)
    names = scope((made,), (a.formula for a in axioms))
    said = {place: inv.term(names) for place, inv in entry.entries()}
    if not set(said) <= {q.name for q in made.locations}:
        raise entry.wrong("one of these is no location of the thread")
    places = (replace(q, inv=said.get(q.name, q.inv)) for q in made.locations)
    return replace(made, locations=tuple(places))
