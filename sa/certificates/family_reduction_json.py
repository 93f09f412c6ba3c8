"""Proofs about families as JSON: an object with one field, which says of what kind the proof is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, assert_never

from sa.automata.family import crowd
from sa.certificates.families import CrowdJoint, CrowdKeeps
from sa.certificates.families_json import crowd_joint_json, crowd_keeps_json, read_crowd_joint, read_crowd_keeps
from sa.certificates.family_reduction import SPOKEN, Crowd, CrowdReduced, OfCrowds, crowd_of
from sa.certificates.proof_json import numbered_bads
from sa.certificates.reduced import Phase
from sa.certificates.reduced_json import phases_json, read_facts, read_phases
from sa.certificates.run import Bad
from sa.certificates.shape import Entry, Json
from sa.certificates.threads_json import Bads, bad_json, read_bad
from sa.terms.smtlib import smtlib

#: How the checker makes the program that an inner proof is about, or what is wrong with the phases.
Composing: TypeAlias = Callable[[Crowd, tuple[tuple[Phase, ...], ...], tuple[Bad, ...]], Crowd | str]


def of_crowds_json(proof: OfCrowds, bads: Bads) -> Json:
    """A proof that some of this never happens, however many copies there are. The program of blocks is not written."""
    match proof:
        case CrowdKeeps():
            return {"crowd_keeps": crowd_keeps_json(proof, bads)}
        case CrowdJoint():
            return {"crowd_joint": crowd_joint_json(proof, bads)}
        case CrowdReduced():
            written = (*proof.threads, *(f.thread for f in proof.families))
            return {
                "crowd_reduced": {
                    "phases": phases_json(written, proof.phases),
                    "facts": [smtlib(f) for f in proof.facts],
                    "inner": [of_crowds_json(i, _bads(crowd_of(i), proof.never)) for i in proof.inner],
                    "never": [bad_json(b, bads) for b in proof.never],
                }
            }
        case _:
            assert_never(proof)


def read_of_crowds(entry: Entry, about: Crowd, bads: Bads, composing: Composing) -> OfCrowds:
    """A proof about this program that some of this never happens. Raises Malformed, and what `composing` raises."""
    kind, what = entry.only()
    question = (about.threads, about.families, about.init, bads, about.axioms)
    match kind:
        case "crowd_keeps":
            return read_crowd_keeps(what, *question)
        case "crowd_joint":
            return read_crowd_joint(what, *question)
        case "crowd_reduced":
            return _read_reduced(what, about, bads, composing)
        case _:
            raise entry.wrong("this kind of proof about families of any number is not known")


def _read_reduced(entry: Entry, about: Crowd, bads: Bads, composing: Composing) -> CrowdReduced:
    listed, facts, inner, never = entry.fields("phases", "facts", "inner", "never")
    phases = read_phases(listed, (*about.threads, *(f.thread for f in about.families)))
    spoken = (*about.threads, *crowd(about.families, [SPOKEN] * len(about.families)))
    known = read_facts(facts, spoken, about.axioms)
    excluded = tuple(read_bad(item, bads) for item in never.items())
    composed = composing(about, phases, excluded)
    if isinstance(composed, str):
        raise listed.wrong(composed)
    named = _bads(composed, excluded)
    proofs = tuple(read_of_crowds(item, composed, named, composing) for item in inner.items())
    return CrowdReduced(about.threads, about.families, phases, known, proofs, about.init, excluded, about.axioms)


def _bads(program: Crowd, never: tuple[Bad, ...]) -> Bads:
    return numbered_bads((*program.threads, *(f.thread for f in program.families)), never)
