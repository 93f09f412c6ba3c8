"""Judges evidence from outside about infinite runs: why something comes to an end, or a run in which it does not."""

from __future__ import annotations

from collections.abc import Sequence

from sa.automata.program import Program
from sa.base.verdict import Verdict
from sa.certificates.ends_json import read_finite, read_lasso, read_ranked, with_proofs
from sa.certificates.shape import Entry
from sa.checker.claims import Claimed
from sa.checker.finite import check_finite
from sa.checker.lasso import check_lasso
from sa.checker.proofs import making
from sa.checker.ranked import Conditions, check_ranked, conditions_of
from sa.checker.resources import Resources, consistent
from sa.checker.ruling import Accepted, Ruling


def judge_ending(
    program: Program, claims: Sequence[Claimed], entry: Entry, resources: Resources
) -> tuple[int, Verdict, Ruling]:
    """The number of the claim, the verdict that the evidence is for, and whether it is accepted.

    Raises Malformed and LimitReached.
    """
    number, evidence = entry.fields("claim", "evidence")
    claim = claims[number.index(len(claims))]
    if claim.ends is None:
        raise number.wrong("this claim is not about infinite runs")
    kind, what = evidence.only()
    about = (claim.threads, claim.ends, program.axioms)
    ruling = consistent(program.axioms, resources)
    verdict, bounds, seed, solvers = Verdict.PROVED, resources.bounds, resources.seed, resources.solvers
    match kind:
        case "lasso":
            verdict, lasso = Verdict.REFUTED, read_lasso(what, claim.threads)
            if isinstance(ruling, Accepted):
                ruling = check_lasso(claim.threads, program.axioms, claim.ends, lasso, bounds, seed, solvers)
        case "finite":
            made = read_finite(what, *about)
            ruling = check_finite(made, bounds, seed, solvers) if isinstance(ruling, Accepted) else ruling
        case "ranked":
            ranked = read_ranked(what, *about)
            if isinstance(ruling, Accepted):
                found = conditions_of(ranked, bounds, seed, solvers)
                if isinstance(found, Conditions):
                    ranked = with_proofs(ranked, what, found.asked, making(bounds))
                    ruling = check_ranked(ranked, bounds, seed, solvers)
                else:
                    ruling = found
        case _:
            raise evidence.wrong("this kind of evidence is not known")
    return number.number(), verdict, ruling
