"""Proofs that something bad never happens as JSON: an object with one field, which says of what kind the proof is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from msgspec import Struct

from sa.automata.automaton import FAIL, Automaton
from sa.automata.program import Axiom
from sa.certificates.proof import OfThreads, about
from sa.certificates.reduced import Composed, Phase, Reduced
from sa.certificates.reduced_json import phases_json, read_phases_and_facts
from sa.certificates.run import Bad, Failing
from sa.certificates.scope import scope
from sa.certificates.shape import Entry, Json
from sa.certificates.simplified import Equal, Matter, Simplified
from sa.certificates.states import States
from sa.certificates.states_json import read_states, states_json
from sa.certificates.threads import Joint, Keeps, Lemmas
from sa.certificates.threads_json import (
    Bads,
    bad_json,
    joint_json,
    keeps_json,
    lemmas_json,
    read_bad,
    read_joint,
    read_keeps,
    read_lemmas,
)
from sa.terms.smtlib import smtlib


class Making(Struct, frozen=True):
    """How the checker makes the threads that an inner proof is about; where there are none, each says why.

    Blocks are made of threads, phases and what is excluded; threads in normal form of equations and what matters.
    """

    blocks: Callable[
        [tuple[Automaton, ...], tuple[tuple[Phase, ...], ...], tuple[Bad, ...]], tuple[Automaton, ...] | str
    ]
    simpler: Callable[[tuple[Automaton, ...], tuple[Equal, ...], tuple[Matter, ...]], tuple[Automaton, ...] | str]


def proof_json(proof: OfThreads, bads: Bads) -> Json:
    """A proof that some of this never happens."""
    match proof:
        case Keeps():
            return {"keeps": keeps_json(proof, bads)}
        case Joint():
            return {"joint": joint_json(proof, bads)}
        case Lemmas():
            return {"lemmas": lemmas_json(proof, bads)}
        case States():
            return {"states": states_json(proof, bads)}
        case Reduced():
            return {
                "reduced": {
                    "phases": phases_json(proof.threads, proof.phases),
                    "facts": [smtlib(f) for f in proof.facts],
                    "inner": [_inner_json(inner, proof.never) for inner in proof.inner],
                    "never": [bad_json(b, bads) for b in proof.never],
                }
            }
        case Simplified():
            return {
                "simplified": {
                    "equal": [_equal_json(t, e) for t, e in zip(proof.threads, proof.equal, strict=True)],
                    "matter": [_matter_json(t, m) for t, m in zip(proof.threads, proof.matter, strict=True)],
                    "inner": _inner_json(proof.inner, proof.never),
                    "never": [bad_json(b, bads) for b in proof.never],
                }
            }
        case _:
            assert_never(proof)


def _inner_json(inner: Composed | Reduced, never: tuple[Bad, ...]) -> Json:
    return proof_json(inner, numbered_bads(about(inner)[0], never))


def _equal_json(thread: Automaton, equal: Equal) -> Json:
    places = zip((q.name for q in thread.locations), equal, strict=True)
    return {place: {v.key: smtlib(t) for v, t in said} for place, said in places if said}


def _matter_json(thread: Automaton, matter: Matter) -> Json:
    places = zip((q.name for q in thread.locations), matter, strict=True)
    return {place: sorted(v.key for v in some) for place, some in places if some}


def numbered_bads(threads: Sequence[Automaton], never: Sequence[Bad]) -> Bads:
    """What is bad of threads that the checker makes: a failing edge by its thread and its own number, a claim behind
    the threads.
    """
    failing = {
        (n, k): Bad(Failing(t.name, e), None)
        for n, t in enumerate(threads)
        for k, e in enumerate(t.edges)
        if e.label is not None and e.label.action == FAIL
    }
    claims = {(len(threads), k): Bad(None, b.claim) for k, b in enumerate(never) if b.claim is not None}
    return {**failing, **claims}


def read_plain(entry: Entry, threads: tuple[Automaton, ...], bads: Bads, axioms: tuple[Axiom, ...]) -> Composed:
    """A proof about these threads themselves that some of this never happens. Raises Malformed."""
    kind, what = entry.only()
    match kind:
        case "keeps":
            return read_keeps(what, threads, bads, axioms)
        case "joint":
            return read_joint(what, threads, bads, axioms)
        case "lemmas":
            return read_lemmas(what, threads, bads, axioms)
        case "states":
            return read_states(what, threads, bads, axioms)
        case _:
            raise entry.wrong("this kind of proof is not known")


def read_proof(
    entry: Entry, threads: tuple[Automaton, ...], bads: Bads, axioms: tuple[Axiom, ...], making: Making
) -> OfThreads:
    """A proof that some of this never happens. Raises Malformed, and what `making` raises."""
    kind, what = entry.only()
    if kind != "simplified":
        return _read(entry, threads, bads, axioms, making)
    equal, matter, inner, never = what.fields("equal", "matter", "inner", "never")
    said = tuple(_equal(e, t, axioms) for e, t in zip(_each(equal, threads), threads, strict=True))
    needed = tuple(_matter(e, t) for e, t in zip(_each(matter, threads), threads, strict=True))
    excluded = tuple(read_bad(item, bads) for item in never.items())
    simpler = making.simpler(threads, said, needed)
    if isinstance(simpler, str):
        raise what.wrong(simpler)
    proof = _read(inner, simpler, numbered_bads(simpler, excluded), axioms, making)
    return Simplified(threads, said, needed, proof, excluded, axioms)


def _read(
    entry: Entry, threads: tuple[Automaton, ...], bads: Bads, axioms: tuple[Axiom, ...], making: Making
) -> Composed | Reduced:
    kind, what = entry.only()
    if kind != "reduced":
        return read_plain(entry, threads, bads, axioms)
    listed, facts, inner, never = what.fields("phases", "facts", "inner", "never")
    phases, known = read_phases_and_facts(listed, facts, threads, axioms)
    excluded = tuple(read_bad(item, bads) for item in never.items())
    blocks = making.blocks(threads, phases, excluded)
    if isinstance(blocks, str):
        raise listed.wrong(blocks)
    proofs = tuple(_read(item, blocks, numbered_bads(blocks, excluded), axioms, making) for item in inner.items())
    return Reduced(threads, phases, known, proofs, excluded, axioms)


def _each(entry: Entry, threads: tuple[Automaton, ...]) -> list[Entry]:
    items = entry.items()
    if len(items) != len(threads):
        raise entry.wrong("the program has more threads or less")
    return list(items)


def _places(entry: Entry, thread: Automaton) -> dict[str, Entry]:
    said = dict(entry.entries())
    unknown = said.keys() - {q.name for q in thread.locations}
    if unknown:
        raise entry.wrong(f"{thread.name} has no location {min(unknown)}")
    return said


def _equal(entry: Entry, thread: Automaton, axioms: tuple[Axiom, ...]) -> Equal:
    names = scope((thread,), (a.formula for a in axioms))
    variables = {v.var.key: v.var for v in thread.variables}
    found = dict[str, list[tuple[str, Entry]]]()
    for place, said in _places(entry, thread).items():
        found[place] = list(said.entries())
        if wrong := next((e for name, e in found[place] if name not in variables), None):
            raise wrong.wrong("there is no such variable")
    return tuple(tuple((variables[n], e.term(names)) for n, e in found.get(q.name, ())) for q in thread.locations)


def _matter(entry: Entry, thread: Automaton) -> Matter:
    variables = {v.var.key: v.var for v in thread.variables}
    found = {place: [item.text() for item in some.items()] for place, some in _places(entry, thread).items()}
    if any(name not in variables for some in found.values() for name in some):
        raise entry.wrong("there is no such variable")
    return tuple(frozenset(variables[name] for name in found.get(q.name, ())) for q in thread.locations)
