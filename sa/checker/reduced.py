"""Checks proofs by Lipton's reduction (THEORY section 16): what is shown of threads with composed blocks holds of them.

The phases of locations say which steps must move: those before the commit of a block to the right, over all steps of
other threads, those behind it to the left. Behind the commit some step is always possible, and no claim may notice
steps that a run leaves out or has in addition. Facts that this rests on are inductive by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from sa.automata.automaton import Automaton
from sa.base.limits import Limits
from sa.certificates.proof import about, excluded_by
from sa.certificates.reduced import Composed, Phase, Reduced
from sa.certificates.run import Bad
from sa.certificates.states import States
from sa.certificates.threads import Joint, Keeps, Lemmas
from sa.checker.blocks import Blocks, Phases, bads_of_blocks, blocks_of, cycle_fault, phases_of
from sa.checker.commuting import commutations, progress, unnoticed
from sa.checker.lemmas import check_lemmas
from sa.checker.never import check_joint, check_keeps, discharged, is_failing, program_fault
from sa.checker.obligation import Obligation
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.solvers import Z3, Solvers
from sa.checker.states import check_states
from sa.checker.threads import apart


def check_reduced(made: Reduced, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether the reduction is one, and its inner evidence excludes what is bad.

    Raises LimitReached, and SolverDisagrees on an internal error.
    """
    blocks = blocks_in_phases(made.threads, made.phases, made.never, bounds)
    if isinstance(blocks, str):
        return Rejected("phases", blocks)
    if any(about(inner) != (blocks.threads, made.axioms) for inner in made.inner):
        return Rejected("composed blocks", "the inner evidence is about other threads")
    wanted = {b for bad in made.never for b in bads_of_blocks(bad, blocks)}
    if not wanted <= set[Bad]().union(*map(excluded_by, made.inner)):
        return Rejected("composed blocks", "the inner evidence does not exclude all that is bad")
    ruling = check_lemmas(Lemmas(made.threads, made.facts, (), made.axioms), bounds, seed, solvers)
    if isinstance(ruling, Accepted):
        ruling = discharged(_obligations(made), made.axioms, bounds, seed, solvers)
    for inner in made.inner:
        if isinstance(ruling, Accepted):
            ruling = _check_inner(inner, bounds, seed, solvers)
    return ruling


def _check_inner(inner: Composed | Reduced, bounds: Limits, seed: int, solvers: Solvers) -> Ruling:
    if isinstance(inner, Reduced):
        return check_reduced(inner, bounds, seed, solvers)
    return check_composed(inner, bounds, seed, solvers)


def threads_of_blocks(
    threads: tuple[Automaton, ...], phases: Sequence[Sequence[Phase]], never: Sequence[Bad], bounds: Limits
) -> tuple[Automaton, ...] | str:
    """The threads with blocks as steps, or what is wrong with the phases. Raises LimitReached."""
    made = blocks_in_phases(threads, phases, never, bounds)
    return made if isinstance(made, str) else made.threads


def blocks_in_phases(
    threads: tuple[Automaton, ...], listed: Sequence[Sequence[Phase]], never: Sequence[Bad], bounds: Limits
) -> Blocks | str:
    """The blocks of threads, or what is wrong with the phases. Raises LimitReached."""
    if [len(its) for its in listed] != [len(t.locations) for t in threads]:
        return "there is not a phase for each location of each thread"
    phases = tuple(phases_of(t, its) for t, its in zip(threads, listed, strict=True))
    faults = (f for t, its in zip(threads, phases, strict=True) for f in _phase_faults(t, its, never))
    return program_fault(threads) or next(faults, None) or blocks_of(threads, phases, bounds)


def check_composed(inner: Composed, bounds: Limits, seed: int, solvers: Solvers) -> Ruling:
    """Whether evidence about the composed threads is accepted. Raises as `check_reduced`."""
    match inner:
        case Keeps():
            return check_keeps(inner, bounds, seed, solvers)
        case Joint():
            return check_joint(inner, bounds, seed, solvers)
        case States():
            return check_states(inner, bounds)
        case Lemmas():
            return check_lemmas(inner, bounds, seed, solvers)
        case _:
            assert_never(inner)


def _phase_faults(thread: Automaton, phases: Phases, never: Sequence[Bad]) -> Iterator[str]:
    if phases[thread.initial] is not Phase.CUT:
        yield f"{thread.name}: the initial location is inside of a block"
    for edge in thread.edges:
        if phases[edge.source] is Phase.AFTER and phases[edge.target] is Phase.BEFORE:
            yield f"{thread.name}: {edge.target} is before the commit, but is reached from {edge.source} behind it"
        if phases[edge.target] is not Phase.CUT and any(is_failing(b.failing, thread.name, edge) for b in never):
            yield f"{thread.name}: {edge.target}, where a failing step leads, is inside of a block"
    fault = cycle_fault(thread, phases)
    if fault is not None:
        yield fault


def _obligations(made: Reduced) -> Iterator[Obligation]:
    threads = tuple(map(apart, made.threads))
    phases = tuple(phases_of(t, its) for t, its in zip(made.threads, made.phases, strict=True))
    yield from commutations(threads, phases, made.facts)
    yield from progress(threads, phases, made.facts)
    yield from unnoticed(threads, phases, made.facts, [b.claim for b in made.never if b.claim is not None])
