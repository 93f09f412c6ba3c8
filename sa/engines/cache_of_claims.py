"""Evidence about a program that was found before, written as in certificates; nobody trusts it (decision 007)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from sa import __version__
from sa.automata.automaton import Automaton
from sa.automata.program import Axiom
from sa.base.budget import Budget, Report
from sa.base.cache import Cache
from sa.base.limits import Limits
from sa.certificates.families import CrowdJoint, CrowdKeeps, CrowdRun
from sa.certificates.family_reduction import CrowdReduced
from sa.certificates.identity import key_of_claims
from sa.certificates.proof import excluded_by
from sa.certificates.proof_json import proof_json, read_proof
from sa.certificates.run import Bad, Run
from sa.certificates.run_json import read_run, run_json
from sa.certificates.shape import Entry, Json, Malformed
from sa.certificates.threads_json import Bads
from sa.checker.proofs import making
from sa.engines.engine import Decider, Turn
from sa.engines.portfolio_of_claims import Portfolio
from sa.engines.technique import Technique
from sa.question.asked import Asked, Excluded, Refuted, Settled
from sa.smt.version import solver_version

#: Changes with what is kept.
_FORMAT = "sacheck evidence about programs 1"

_MEMORY = Technique("memory", "tries evidence of an earlier run")

#: How such evidence was found, in words.
RECALLED = "cached"


class Memory(Struct, frozen=True):
    """A cache, and what is asked: which of these bad things the threads never do."""

    cache: Cache
    threads: tuple[Automaton, ...]
    bads: Sequence[Bad]
    axioms: tuple[Axiom, ...]
    seed: int
    bounds: Limits

    @property
    def key(self) -> str:
        """The key of the question."""
        return key_of_claims(self.threads, self.bads, self.axioms, _FORMAT, __version__, solver_version(), self.seed)

    @property
    def numbered(self) -> Bads:
        """What is bad, as evidence names it."""
        return {(0, number): bad for number, bad in enumerate(self.bads)}


def recalled(memory: Memory) -> Iterator[Settled]:
    """What was found before; none of it where something cannot be read."""
    text = memory.cache.read(memory.key)
    try:
        entries = [] if text is None else Entry(json.loads(text), "the cache").items()
        yield from [settled for entry in entries for settled in _read(memory, entry)]
    except (Malformed, ValueError, RecursionError):
        return


def remember(memory: Memory, found: Iterable[Settled]) -> None:
    """Keep what the checker accepted."""
    memory.cache.write(memory.key, json.dumps([_written(memory, settled) for settled in found]))


def _written(memory: Memory, settled: Settled) -> Json:
    match settled.evidence:
        case Run() as run:
            bads = [number for number, bad in enumerate(memory.bads) if bad in settled.bads]
            return {"run": {"bads": bads, "run": run_json(run, memory.threads)}}
        case CrowdRun() | CrowdKeeps() | CrowdJoint() | CrowdReduced():
            raise ValueError("evidence about families is not kept")
        case proof:
            return proof_json(proof, memory.numbered)


def _read(memory: Memory, entry: Entry) -> list[Settled]:
    kind, what = entry.only()
    if kind == "run":
        numbers, listed = what.fields("bads", "run")
        run = read_run(listed, memory.threads)
        return [Refuted(memory.bads[n.index(len(memory.bads))], run, RECALLED) for n in numbers.items()]
    proof = read_proof(entry, memory.threads, memory.numbered, memory.axioms, making(memory.bounds))
    return [Excluded(excluded_by(proof), proof, RECALLED)]


def with_memory(memory: Memory | None, portfolio: Portfolio) -> Portfolio:
    """The engines, and first of all what was found before."""
    if memory is None:
        return portfolio

    def found_before(asked: Asked, budget: Budget, report: Report) -> Iterator[Settled]:
        return recalled(memory)

    return (Turn(Decider(_MEMORY, {}, found_before), 0.5), *portfolio)
