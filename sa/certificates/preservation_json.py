"""Evidence about what is preserved beside visible actions as JSON."""

from __future__ import annotations

from sa.certificates.goal import Goal
from sa.certificates.preservation import Following, PairRank
from sa.certificates.relation_json import read_relation, relation_json
from sa.certificates.scope import goal_scope
from sa.certificates.shape import Entry, Json
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
