"""Proofs of every kind that threads never do something bad: who checks them, and what they need to be read."""

from __future__ import annotations

from sa.automata.automaton import Automaton
from sa.base.limits import Limits
from sa.certificates.proof import OfThreads
from sa.certificates.proof_json import Making
from sa.certificates.reduced import Phase, Reduced
from sa.certificates.run import Bad
from sa.certificates.simplified import Simplified
from sa.checker.reduced import check_composed, check_reduced, threads_of_blocks
from sa.checker.ruling import Ruling
from sa.checker.simplified import check_simplified, simpler_threads
from sa.checker.solvers import Z3, Solvers


def check_proof(proof: OfThreads, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether a proof excludes what it says it does.

    Raises LimitReached, and SolverDisagrees on an internal error.
    """
    match proof:
        case Simplified():
            return check_simplified(proof, bounds, seed, solvers)
        case Reduced():
            return check_reduced(proof, bounds, seed, solvers)
        case _:
            return check_composed(proof, bounds, seed, solvers)


def making(bounds: Limits) -> Making:
    """The threads that inner proofs are about, as the checker makes them."""

    def blocks(
        threads: tuple[Automaton, ...], phases: tuple[tuple[Phase, ...], ...], never: tuple[Bad, ...]
    ) -> tuple[Automaton, ...] | str:
        return threads_of_blocks(threads, phases, never, bounds)

    return Making(blocks, simpler_threads)
