"""Proofs by reduction as JSON: phases, facts, and evidence about the composed threads, which are never written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, assert_never

from sa.automata.automaton import FAIL, Automaton
from sa.automata.program import Axiom
from sa.automata.rename import apart
from sa.certificates.reduced import Composed, Phase, Reduced, ReducedThreads
from sa.certificates.run import Bad, Failing
from sa.certificates.scope import more, scope
from sa.certificates.shape import Entry, Json
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
from sa.terms.build import variable
from sa.terms.name import at_place
from sa.terms.smtlib import smtlib
from sa.terms.sort import BOOL
from sa.terms.term import Term

#: Makes the composed threads from phases, as the checker does; or says why there are none.
Compose: TypeAlias = Callable[[tuple[tuple[Phase, ...], ...], tuple[Bad, ...]], "tuple[Automaton, ...] | str"]


def reduced_json(made: Reduced, bads: Bads) -> Json:
    """A proof by reduction."""
    return {
        "phases": _phases_json(made),
        "facts": [smtlib(f) for f in made.facts],
        "inner": [_inner_json(inner, made.never) for inner in made.inner],
        "never": [bad_json(b, bads) for b in made.never],
    }


def reduced_threads_json(made: ReducedThreads, refinement: Json) -> Json:
    """A refinement that is shown of blocks, with what makes it one of the threads as they are written."""
    return {"phases": _phases_json(made), "facts": [smtlib(f) for f in made.facts], "refinement": refinement}


def _phases_json(made: Reduced | ReducedThreads) -> list[Json]:
    return [
        {q.name: phase.value for q, phase in zip(t.locations, its, strict=True) if phase is not Phase.CUT}
        for t, its in zip(made.threads, made.phases, strict=True)
    ]


def _inner_json(inner: Composed, never: Sequence[Bad]) -> Json:
    match inner:
        case Keeps():
            return {"keeps": keeps_json(inner, _bads(tuple(t.thread for t in inner.threads), never))}
        case Joint():
            return {"joint": joint_json(inner, _bads(inner.threads, never))}
        case States():
            return {"states": states_json(inner, _bads(inner.threads, never))}
        case Lemmas():
            return {"lemmas": lemmas_json(inner, _bads(inner.threads, never))}
        case _:
            assert_never(inner)


def _bads(threads: Sequence[Automaton], never: Sequence[Bad]) -> Bads:
    """What is bad of composed threads: a failing edge by its thread and its own number, a claim behind the threads."""
    failing = {
        (n, k): Bad(Failing(t.name, e), None)
        for n, t in enumerate(threads)
        for k, e in enumerate(t.edges)
        if e.label is not None and e.label.action == FAIL
    }
    claims = {(len(threads), k): Bad(None, b.claim) for k, b in enumerate(never) if b.claim is not None}
    return {**failing, **claims}


def read_reduced(
    entry: Entry, threads: tuple[Automaton, ...], bads: Bads, axioms: tuple[Axiom, ...], compose: Compose
) -> Reduced:
    """A proof by reduction of these threads. Raises Malformed, and what `compose` raises."""
    listed, facts, inner, never = entry.fields("phases", "facts", "inner", "never")
    phases, said = _reduction(listed, facts, threads, axioms)
    excluded = tuple(read_bad(item, bads) for item in never.items())
    blocks = compose(phases, excluded)
    if isinstance(blocks, str):
        raise listed.wrong(blocks)
    proofs = tuple(_inner(item, blocks, _bads(blocks, excluded), axioms) for item in inner.items())
    return Reduced(threads, phases, said, proofs, excluded, axioms)


def read_reduced_threads(
    entry: Entry, threads: tuple[Automaton, ...], axioms: tuple[Axiom, ...]
) -> tuple[ReducedThreads, Entry]:
    """A reduction of the concrete threads of a refinement, and what is shown of their blocks. Raises Malformed."""
    listed, facts, refinement = entry.fields("phases", "facts", "refinement")
    return ReducedThreads(threads, *_reduction(listed, facts, threads, axioms)), refinement


def _reduction(
    listed: Entry, facts: Entry, threads: tuple[Automaton, ...], axioms: tuple[Axiom, ...]
) -> tuple[tuple[tuple[Phase, ...], ...], tuple[Term, ...]]:
    items = listed.items()
    if len(items) != len(threads):
        raise listed.wrong("the program has more threads or less")
    phases = tuple(_phases(item, t) for item, t in zip(items, threads, strict=True))
    names = scope((apart(t) for t in threads), (a.formula for a in axioms))
    names = more(names, (variable(at_place(t.name, q.name), BOOL) for t in threads for q in t.locations))
    return phases, tuple(item.term(names) for item in facts.items())


def _phases(entry: Entry, thread: Automaton) -> tuple[Phase, ...]:
    said = {name: item.choice(Phase) for name, item in entry.entries()}
    unknown = said.keys() - {q.name for q in thread.locations}
    if unknown:
        raise entry.wrong(f"{thread.name} has no location {min(unknown)}")
    return tuple(said.get(q.name, Phase.CUT) for q in thread.locations)


def _inner(entry: Entry, threads: tuple[Automaton, ...], bads: Bads, axioms: tuple[Axiom, ...]) -> Composed:
    kind, what = entry.only()
    match kind:
        case "keeps":
            return read_keeps(what, threads, bads, axioms)
        case "joint":
            return read_joint(what, threads, bads, axioms)
        case "states":
            return read_states(what, threads, bads, axioms)
        case "lemmas":
            return read_lemmas(what, threads, bads, axioms)
        case _:
            raise entry.wrong("this kind of proof is not known")
