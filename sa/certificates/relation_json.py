"""Relations as JSON: terms are SMT-LIB text, edges are numbers of the automaton's edges, locations are names."""

from __future__ import annotations

from collections.abc import Iterable

from sa.certificates.goal import Goal
from sa.certificates.relation import TURN, AbstractPath, EdgeAnswer, PairRelation, Relation, Turns
from sa.certificates.scope import goal_scope, more
from sa.certificates.shape import Entry, Json
from sa.terms.build import variable
from sa.terms.name import staged
from sa.terms.read_smtlib import Names
from sa.terms.smtlib import smtlib
from sa.terms.term import Term, Var


def relation_json(relation: Relation) -> Json:
    """A relation as JSON."""
    return {
        "pairs": [
            {"concrete": p.concrete, "abstract": p.abstract, "lemmas": [smtlib(t) for t in p.lemmas]}
            for p in relation.pairs
        ],
        "answers": [
            {
                "concrete": a.concrete,
                "abstract": a.abstract,
                "edge": a.edge,
                "paths": [_path_json(p) for p in a.answers],
            }
            for a in relation.answers
        ],
        "closure": {place: smtlib(t) for place, t in relation.closure},
        "openings": [substitution_json(o) for o in relation.openings],
    }


def _path_json(path: AbstractPath) -> Json:
    written: Json = {"edges": list(path.edges), "witnesses": substitution_json(path.witnesses)}
    if path.turns:
        written["turns"] = [
            {
                "position": t.position,
                "cycle": list(t.cycle),
                "count": smtlib(t.count),
                "after": substitution_json(t.after),
            }
            for t in path.turns
        ]
    return written


def substitution_json(items: Iterable[tuple[Var, Term]]) -> Json:
    """Terms by the names of the variables that they stand for."""
    return {v.name: smtlib(t) for v, t in items}


def read_relation(entry: Entry, goal: Goal) -> Relation:
    """A relation about a goal that was rebuilt. Raises Malformed."""
    names = goal_scope(goal)
    pairs, answers, closure, openings = entry.fields("pairs", "answers", "closure", "openings")
    return Relation(
        tuple(_pair(p, names) for p in pairs.items()),
        tuple(_answer(a, goal, names) for a in answers.items()),
        tuple((place, t.term(names)) for place, t in closure.entries()),
        read_openings(openings, goal),
    )


def read_openings(entry: Entry, goal: Goal) -> tuple[tuple[tuple[Var, Term], ...], ...]:
    """What gives initial states their partners. Raises Malformed."""
    names = goal_scope(goal)
    return tuple(_substitution(o, names, names) for o in entry.items())


def _pair(entry: Entry, names: Names) -> PairRelation:
    concrete, abstract, lemmas = entry.fields("concrete", "abstract", "lemmas")
    return PairRelation(concrete.text(), abstract.text(), tuple(t.term(names) for t in lemmas.items()))


def _answer(entry: Entry, goal: Goal, names: Names) -> EdgeAnswer:
    concrete, abstract, edge, paths = entry.fields("concrete", "abstract", "edge", "paths")
    number = edge.index(len(goal.concrete.edges))
    seen = more(names, (c.var for c in goal.concrete.edges[number].choices))
    found = tuple(_path(p, goal, names, seen) for p in paths.items())
    return EdgeAnswer(concrete.text(), abstract.text(), number, found)


def _path(entry: Entry, goal: Goal, names: Names, seen: Names) -> AbstractPath:
    if entry.has("turns"):
        edges, witnesses, turns = entry.fields("edges", "witnesses", "turns")
        made = tuple(_turns(t, goal, names, seen) for t in turns.items())
    else:
        (edges, witnesses), made = entry.fields("edges", "witnesses"), ()
    numbers = tuple(e.index(len(goal.abstract.edges)) for e in edges.items())
    chosen = [
        variable(staged(c.var.name, position), c.var.sort)
        for position, number in enumerate(numbers)
        for c in goal.abstract.edges[number].choices
    ]
    return AbstractPath(numbers, _substitution(witnesses, more(names, chosen), seen), made)


def _turns(entry: Entry, goal: Goal, names: Names, seen: Names) -> Turns:
    position, cycle, count, after = entry.fields("position", "cycle", "count", "after")
    numbers = tuple(e.index(len(goal.abstract.edges)) for e in cycle.items())
    return Turns(position.number(), numbers, count.term(seen), _substitution(after, names, more(names, (TURN,))))


def _substitution(entry: Entry, targets: Names, names: Names) -> tuple[tuple[Var, Term], ...]:
    found = list[tuple[Var, Term]]()
    for name, value in entry.entries():
        if name not in targets.variables:
            raise value.wrong(f"`{name}` is not known here")
        found.append((targets.variables[name], value.term(names)))
    return tuple(found)
