"""Claims and the evidence about them before the checker: no answer of `verify` leaves without this."""

from __future__ import annotations

from collections.abc import Sequence

from sa.automata.automaton import Automaton
from sa.automata.family import copies
from sa.automata.program import Axiom, Program
from sa.base.limits import Limits
from sa.certificates.families import CrowdJoint, CrowdKeeps, CrowdRun, bads_of_copies
from sa.certificates.family_reduction import Crowd, CrowdReduced, crowd_of, excluded_in_crowds
from sa.certificates.proof import about, excluded_by
from sa.certificates.run import Bad, Run
from sa.checker.claims import claimed
from sa.checker.proofs import check_proof
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.run import check_run
from sa.engines.judging import QuestionsDiffer
from sa.question.asked import Asked, Settled
from sa.question.claims import Claim


def same_claims(program: Program, claims: Sequence[Claim]) -> None:
    """That the claims are what the checker reads in the program. Raises QuestionsDiffer."""
    seen = [(c.threads, c.families, c.bads, c.ends) for c in claims]
    if seen != [(c.threads, c.families, c.bads, c.ends) for c in claimed(program)]:
        raise QuestionsDiffer("the engines and the checker derive different claims from the program")


def judged(
    threads: tuple[Automaton, ...], axioms: tuple[Axiom, ...], settled: Settled, bounds: Limits, seed: int
) -> Ruling:
    """Whether evidence settles what it says it does, of these threads under these axioms. Raises LimitReached."""
    match settled.evidence:
        case Run() as run:
            rulings = (check_run(threads, bad, run) for bad in settled.bads)
            return next((r for r in rulings if not isinstance(r, Accepted)), Accepted())
        case CrowdRun() | CrowdKeeps() | CrowdJoint() | CrowdReduced():
            pass
        case proof:
            if (about(proof), excluded_by(proof)) == ((threads, axioms), settled.bads):
                return check_proof(proof, bounds, seed)
    return Rejected("evidence", "it is about another question")


def judged_of_crowd(asked: Asked, settled: Settled, bounds: Limits, seed: int) -> Ruling:
    """The same where there are families of any number, of which nothing about the threads alone says anything."""
    from sa.checker.family_reduction import check_of_crowds

    match settled.evidence:
        case CrowdRun(counts, run) if len(counts) == len(asked.families):
            threads = (*asked.threads, *copies(asked.families, counts))
            rulings = (_reached(threads, bads_of_copies(b, asked.families, counts), run) for b in settled.bads)
            return next((r for r in rulings if not isinstance(r, Accepted)), Accepted())
        case CrowdKeeps() | CrowdJoint() | CrowdReduced() as proof:
            about = Crowd(asked.threads, asked.families, asked.init, asked.axioms)
            if (crowd_of(proof), excluded_in_crowds(proof)) == (about, settled.bads):
                return check_of_crowds(proof, bounds, seed)
    return Rejected("evidence", "it is about another question")


def _reached(threads: tuple[Automaton, ...], bads: Sequence[Bad], run: Run) -> Ruling:
    """Whether a run ends in one of these."""
    ruling: Ruling = Rejected("end", "nothing is bad with so many copies")
    for bad in bads:
        ruling = check_run(threads, bad, run)
        if isinstance(ruling, Accepted):
            break
    return ruling
