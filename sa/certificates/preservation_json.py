"""Evidence about what is preserved beside visible actions as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sa.automata.automaton import Automaton
from sa.automata.trace import Configuration
from sa.certificates.goal import Goal
from sa.certificates.preservation import Following, Matched, Node, PairRank
from sa.certificates.relation_json import read_relation, relation_json
from sa.certificates.scope import goal_scope
from sa.certificates.shape import Entry, Json, plain
from sa.terms.smtlib import smtlib


def following_json(made: Following) -> Json:
    """A relation with ranks."""
    ranks = [
        {"concrete": r.concrete, "abstract": r.abstract, "terms": [smtlib(t) for t in r.terms]} for r in made.ranks
    ]
    return {"relation": relation_json(made.relation), "ranks": ranks}


def read_following(entry: Entry, goal: Goal) -> Following:
    """Raises Malformed."""
    relation, ranks = entry.fields("relation", "ranks")
    names, made = goal_scope(goal), list[PairRank]()
    for item in ranks.items():
        concrete, abstract, terms = item.fields("concrete", "abstract", "terms")
        made.append(PairRank(concrete.text(), abstract.text(), tuple(t.term(names) for t in terms.items())))
    return Following(read_relation(relation, goal), tuple(made))


def matched_json(made: Matched, goal: Goal) -> Json:
    """States as their locations with values in the order of the side's variables; pairs as three numbers."""
    return {
        "concrete": _states_json(made.concrete, goal.concrete),
        "abstract": _states_json(made.abstract, goal.abstract),
        "sets": [list(s) for s in made.sets],
        "pairs": [[n.concrete, n.beside, n.rank] for n in made.nodes],
        "endless": list(made.endless),
    }


def _states_json(states: Sequence[Configuration], automaton: Automaton) -> list[Any]:
    order = [v.var for v in automaton.variables]
    return [[s.location, *(plain(s.values[v], v.sort) for v in order)] for s in states]


def read_matched(entry: Entry, goal: Goal) -> Matched:
    """Raises Malformed."""
    concrete, abstract, sets, pairs, endless = entry.fields("concrete", "abstract", "sets", "pairs", "endless")
    below, above = _states(concrete, goal.concrete), _states(abstract, goal.abstract)
    listed = tuple(tuple(i.index(len(above)) for i in s.items()) for s in sets.items())
    nodes = list[Node]()
    for pair in pairs.items():
        state, beside, rank = _exactly(pair, 3)
        nodes.append(Node(state.index(len(below)), beside.index(len(listed)), rank.number()))
    return Matched(below, above, listed, tuple(nodes), tuple(i.index(len(above)) for i in endless.items()))


def _states(entry: Entry, automaton: Automaton) -> tuple[Configuration, ...]:
    variables, found = [v.var for v in automaton.variables], list[Configuration]()
    for item in entry.items():
        place, *values = _exactly(item, len(variables) + 1)
        given = {v: x.of_sort(v.sort) for v, x in zip(variables, values, strict=True)}
        found.append(Configuration(place.text(), given))
    return tuple(found)


def _exactly(entry: Entry, count: int) -> list[Entry]:
    items = entry.items()
    if len(items) != count:
        raise entry.wrong(f"{count} entries are expected")
    return items
