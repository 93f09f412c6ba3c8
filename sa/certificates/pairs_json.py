"""Evidence that a goal holds as JSON: a relation, or pairs of states.

States are lists of values behind the number of a location. Pairs are one compressed text: base 85 of zlib of the
numbers in rising order, each with as many bytes as the greatest possible one needs, the highest first.
"""

from __future__ import annotations

import zlib
from base64 import b85encode

from sa.automata.automaton import Automaton
from sa.certificates.goal import Goal
from sa.certificates.pairs import SideStates, Simulation, StatePairs
from sa.certificates.relation import Relation
from sa.certificates.relation_json import read_openings, read_relation, relation_json, substitution_json
from sa.certificates.shape import Entry, Json, plain, unpacked
from sa.terms.term import Var


def simulation_json(evidence: Simulation, goal: Goal) -> Json:
    """Evidence that a goal holds, under the name of its kind."""
    if isinstance(evidence, Relation):
        return {"relation": relation_json(evidence)}
    return {"states": _pairs_json(evidence, goal)}


def read_simulation(kind: str, entry: Entry, goal: Goal) -> Simulation | None:
    """Evidence of this kind about a goal that was rebuilt; None if it is of another kind. Raises Malformed."""
    match kind:
        case "relation":
            return read_relation(entry, goal)
        case "states":
            return read_pairs(entry, goal)
        case _:
            return None


def _pairs_json(made: StatePairs, goal: Goal) -> Json:
    size = _bytes(made.concrete, made.abstract)
    text = zlib.compress(b"".join(p.to_bytes(size, "big") for p in sorted(made.pairs)))
    return {
        "concrete": _side_json(made.concrete, goal.concrete),
        "abstract": _side_json(made.abstract, goal.abstract),
        "pairs": b85encode(text).decode("ascii"),
        "openings": [substitution_json(o) for o in made.openings],
    }


def _bytes(concrete: SideStates, abstract: SideStates) -> int:
    """How many bytes the number of a pair needs; one at least."""
    return max(((len(concrete.states) * len(abstract.states)).bit_length() + 7) // 8, 1)


def _side_json(states: SideStates, automaton: Automaton) -> Json:
    known = _known(states.kept, automaton)
    return {
        "kept": {q.name: [v.name for v in here] for q, here in zip(automaton.locations, known, strict=True)},
        "states": [
            [place, *(plain(x, v.sort) for v, x in zip(known[place], row, strict=True))] for place, row in states.states
        ],
    }


def _known(kept: tuple[frozenset[Var], ...], automaton: Automaton) -> list[list[Var]]:
    return [[v.var for v in automaton.variables if v.var in here] for here in kept]


def read_pairs(entry: Entry, goal: Goal) -> StatePairs:
    """Pairs of states about a goal that was rebuilt. Raises Malformed."""
    first, second, pairs, openings = entry.fields("concrete", "abstract", "pairs", "openings")
    concrete, abstract = _side(first, goal.concrete), _side(second, goal.abstract)
    return StatePairs(
        concrete, abstract, _numbers(pairs, _bytes(concrete, abstract)), read_openings(openings, goal)
    )  # fmt: skip


def _side(entry: Entry, automaton: Automaton) -> SideStates:
    own: dict[str, Var] = {v.var.name: v.var for v in automaton.variables}
    listed, states = entry.fields("kept", "states")
    kept = list[frozenset[Var]]()
    for here in listed.fields(*(q.name for q in automaton.locations)):
        names = here.items()
        if any(name.text() not in own for name in names):
            raise here.wrong(f"variables of {automaton.name} are expected")
        kept.append(frozenset(own[name.text()] for name in names))
    known = _known(tuple(kept), automaton)
    found = []
    for item in states.items():
        place, *row = item.items() or [item]
        here_known = known[place.index(len(known))]
        if len(row) != len(here_known):
            raise item.wrong("the value of each variable that is kept there is expected")
        found.append((place.number(), tuple(x.of_sort(v.sort) for x, v in zip(row, here_known, strict=True))))
    return SideStates(tuple(kept), tuple(found))


def _numbers(entry: Entry, size: int) -> frozenset[int]:
    written = unpacked(entry, size)
    return frozenset(int.from_bytes(written[i : i + size], "big") for i in range(0, len(written), size))
