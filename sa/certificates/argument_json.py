"""How steps of scripts are shown, as JSON. What arguments are about comes from the script: they are read by parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom
from sa.certificates.argument import (
    Argument,
    ByRule,
    Excluded,
    Fails,
    Inductive,
    PairByPair,
    Played,
    Simulated,
    Violated,
    Way,
)
from sa.certificates.meaning_json import meaning_json
from sa.certificates.play_json import play_json
from sa.certificates.proof import OfThreads, excluded_by
from sa.certificates.proof_json import proof_json
from sa.certificates.relation_json import relation_json
from sa.certificates.run_json import run_json
from sa.certificates.scope import scope
from sa.certificates.shape import Entry, Json, plain
from sa.certificates.threads import Joint
from sa.certificates.threads_json import joint_json
from sa.terms.smtlib import smtlib
from sa.terms.sort import Value
from sa.terms.term import Term, Var


def argument_json(argument: Argument) -> Json:
    """An argument as an object with one field, which says what kind it is."""
    match argument:
        case Simulated(relation):
            return {"relation": relation_json(relation)}
        case PairByPair(relations):
            return {"pairs": [relation_json(r) for r in relations]}
        case Played(play, goal, alone):
            return {"alone" if alone else "play": play_json(play, goal)}
        case ByRule(way):
            return {"rule": way.value}
        case Inductive(way, parts):
            return {way.value: [{place: smtlib(t) for place, t in part.items()} for part in parts]}
        case Excluded(never):
            return _excluded_json(never)
        case Violated(run, threads, number):
            return {"violation": {"thread": number, "run": run_json(run, threads)}}
        case Fails():
            return {"fails": _fails_json(argument)}
        case _:
            assert_never(argument)


def _excluded_json(proof: OfThreads) -> Json:
    bads = {(0, n): bad for n, bad in enumerate(excluded_by(proof))}
    # Of scripts `joint` is another way.
    return {"never": joint_json(proof, bads)} if isinstance(proof, Joint) else proof_json(proof, bads)


def _fails_json(fails: Fails) -> Json:
    return {
        "by": fails.way.value,
        "condition": fails.condition,
        "where": fails.where,
        "values": {v.key: plain(x, v.sort) for v, x in fails.values.items()},
        "functions": {} if fails.meaning is None else meaning_json(fails.meaning),
    }


def read_places(entry: Entry, automaton: Automaton, axioms: Iterable[Axiom]) -> Mapping[str, Term]:
    """A formula for each location of an automaton. Raises Malformed."""
    names = scope((automaton,), (a.formula for a in axioms))
    places = [q.name for q in automaton.locations]
    return {q: said.term(names) for q, said in zip(places, entry.fields(*places), strict=True)}


def read_values(entry: Entry, variables: Sequence[Var]) -> Mapping[Var, Value]:
    """A value for each of the variables, primes included, and for no others. Raises Malformed."""
    return {v: x.of_sort(v.sort) for v, x in zip(variables, entry.fields(*(v.key for v in variables)), strict=True)}


def read_way(entry: Entry) -> Way:
    """A way by its name. Raises Malformed."""
    return entry.choice(Way)
