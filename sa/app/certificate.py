"""Answers as certificates: one document for all questions of a command, written so that anybody can check it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from os.path import abspath, commonpath, dirname, relpath

from msgspec.structs import replace

from sa import __version__
from sa.app.prove import Answer as Proved
from sa.app.prove import ProveRequest
from sa.app.refine import Answer as Refined
from sa.app.refine import RefineRequest
from sa.app.verify import Answer as Verified
from sa.app.verify import VerifyRequest
from sa.automata.family import copies
from sa.base.diagnostic import InputError, error
from sa.base.limits import Limits
from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.certificates.argument_json import argument_json
from sa.certificates.composition_json import composition_json
from sa.certificates.document import Document, digest, document_text
from sa.certificates.ends import Ending, Finite, Lasso, Ranked
from sa.certificates.ends_json import finite_json, lasso_json, ranked_json
from sa.certificates.families import CrowdJoint, CrowdKeeps
from sa.certificates.family_composition import CrowdComposition
from sa.certificates.family_composition_json import crowd_composition_json
from sa.certificates.family_reduction import CrowdReduced, crowd_of, excluded_in_crowds
from sa.certificates.family_reduction_json import of_crowds_json
from sa.certificates.goal import Goal
from sa.certificates.pairs_json import simulation_json
from sa.certificates.play_json import play_json
from sa.certificates.preservation import (
    ByItself,
    Following,
    Matched,
    Parting,
    PartingThread,
    ThreadByThread,
    Unmatched,
)
from sa.certificates.preservation_json import following_json, matched_json
from sa.certificates.proof import about as of_proof
from sa.certificates.proof import excluded_by
from sa.certificates.proof_json import proof_json
from sa.certificates.reduced_json import reduced_threads_json
from sa.certificates.run import Bad, Run
from sa.certificates.run_json import run_json
from sa.certificates.shape import Entry, Json
from sa.certificates.threads import Keeps
from sa.checker.claims import Claimed, claimed
from sa.checker.ranked import Conditions, conditions_of
from sa.engines.outcome import Outcome, Preservation, Result, combined
from sa.engines.verification import Verification
from sa.frontends.reading import Reading, words
from sa.question.asked import Proof
from sa.rules.annotated import world_json
from sa.scripts.result import StepResult


def refinement_certificate(path: str, request: RefineRequest, answers: Sequence[Refined]) -> str:
    """The text of the certificate of `refine`, to be written to a file. Raises InputError where nothing was asked."""
    # What is not accepted is asked nothing.
    asked = [(a.outcome, a.question) for a in answers if a.question is not None]
    if not asked:
        hint = "what is not accepted is told without `--certificate`"
        raise InputError((error("SA903", f"cannot write `{path}`: no function was compared", None, hint),))
    sources = [s for _, question in asked for s in question.sources]
    entries = [_read_so(_refinement(o, bool(q.concrete.families)), q.reading) for o, q in asked]
    return _text(
        path, "refine", request.paths, (request.split, request.options.whole, words(request.reading)), sources, entries
    )


def _read_so(entry: Json, reading: Reading | None) -> Json:
    """Evidence about files that are read in another way than the document says."""
    return entry if reading is None else {"reading": [*words(reading)], "evidence": entry}


def verification_certificate(path: str, request: VerifyRequest, answer: Verified) -> str:
    """The text of the certificate of `verify`, to be written to a file."""
    entries = [_verification(answer.outcome)]
    return _text(
        path, "verify", (request.path,), (request.split, False, words(request.reading)), answer.sources, entries
    )


def proof_certificate(path: str, request: ProveRequest, answer: Proved) -> str:
    """The text of the certificate of `prove`, to be written to a file."""
    return _text(path, "prove", (request.path,), (request.split, False, ()), answer.sources, [_proof_tree(answer)])


def _text(
    path: str,
    command: str,
    files: Sequence[str],
    options: tuple[bool, bool, tuple[str, ...]],
    sources: Iterable[Source],
    questions: Iterable[Json],
) -> str:
    read = {abspath(s.name): digest(s.text) for s in sources}
    folder = _folder(path, read)
    names = {p: relpath(p, folder).replace(os.sep, "/") for p in read}
    return document_text(
        Document(
            __version__,
            command,
            tuple(names[abspath(f)] for f in files),
            *options,
            {names[p]: hashed for p, hashed in sorted(read.items())},
            tuple(Entry(q) for q in questions),
        )
    )


def _folder(path: str, sources: Mapping[str, str]) -> str:
    """Names are relative to the certificate's folder if all sources are below it, else to the one that has them all."""
    own, common = dirname(abspath(path)), commonpath([dirname(p) for p in sources])
    return own if commonpath([own, common]) == own else common


def _proof_tree(answer: Proved) -> Json:
    worlds = None if answer.stage is None else {alias: world_json(w) for alias, w in answer.stage.worlds.items()}
    return {
        "verdict": answer.proof.verdict.name.lower(),
        "programs": worlds,
        "steps": [_step(s) for s in answer.proof.steps],
    }


def _step(result: StepResult) -> Json:
    return {
        "step": result.step.name,
        "verdict": result.verdict.name.lower(),
        "cited": list(result.step.cited),
        "evidence": None if result.argument is None else argument_json(result.argument),
    }


def _refinement(outcome: Outcome, families: bool) -> Json:
    shown = _refinement_shown(outcome, families)
    if outcome.preservation is None:
        for stage in reversed(outcome.reduced):
            shown = {"verdict": "proved", "reduced": reduced_threads_json(stage, shown)}
    return shown


def _refinement_shown(outcome: Outcome, families: bool) -> Json:
    verdict = outcome.verdict.name.lower()
    if outcome.preservation is not None:
        compared = Verdict.PROVED if outcome.composition is not None else combined(outcome.results)
        base = replace(outcome, preservation=None, verdict=compared)
        kept = {"kept": outcome.preservation.kept.name.lower(), "evidence": _preserving(outcome.preservation)}
        return {"verdict": verdict, "compared": _refinement(base, families), "preserved": kept}
    if outcome.composition is not None:
        made = outcome.composition
        written = crowd_composition_json(made) if isinstance(made, CrowdComposition) else composition_json(made)
        return {"verdict": verdict, "composition": written}
    # Of a closed program pairs that did not do are no answer: its goal is the whole.
    is_pair = any(not r.goal.matched for r in outcome.results)
    results: Sequence[Result | None] = [None] if is_pair or not outcome.results else outcome.results
    if families:
        play = [_evidence(r) for r in outcome.results] if outcome.copies else [None]
        return {"verdict": verdict, "copies": list(outcome.copies), "goals": play}
    return {"verdict": verdict, "goals": [_evidence(r) for r in results]}


def _preserving(found: Preservation) -> Json | None:
    match found.evidence:
        case None:
            return None
        case Matched():
            assert found.goal is not None  # it was checked
            return {"matched": matched_json(found.evidence, found.goal)}
        case Unmatched(run):
            assert found.goal is not None  # it was checked
            return {"unmatched": run_json(run, (found.goal.concrete,))}
        case Following():
            return {"following": following_json(found.evidence)}
        case Parting():
            return {"parting": _parting(found.evidence, found.goal)}
        case PartingThread(number, parting):
            return {"thread": {"number": number, "parting": _parting(parting, found.goal)}}
        case ThreadByThread(parts):
            return {"threads": [following_json(p) for p in parts]}
        case ByItself(proof):
            if isinstance(proof, Ranked | Finite):
                return {"ends": _end(proof)}
            (bad,) = {n.bad for n in proof.never} if isinstance(proof, Keeps) else set(proof.never)
            return {"proof": proof_json(proof, {(0, 0): bad})}


def _parting(made: Parting, goal: Goal | None) -> Json:
    assert goal is not None  # it was checked
    return {"lasso": lasso_json(made.lasso, (goal.concrete,)), "ended": _end(made.ended)}


def _end(ended: Ranked | Finite) -> Json:
    """Why threads come to an end."""
    match ended:
        case Finite():
            return {"finite": finite_json(ended)}
        case Ranked():
            conditions = conditions_of(ended, Limits())
            assert isinstance(conditions, Conditions)  # it was accepted
            return {"ranked": ranked_json(ended, conditions.asked)}


def _evidence(result: Result | None) -> Json | None:
    if result is not None and result.relation is not None:
        return simulation_json(result.relation, result.goal)
    if result is not None and result.play is not None:
        return {"play": play_json(result.play, result.goal)}
    return None


def _verification(outcome: Verification) -> Json:
    claims = claimed(outcome.program)
    families = any(claim.families for claim in claims)
    made = {
        "verdict": None if outcome.verdict is None else outcome.verdict.name.lower(),
        "claims": [
            {"claim": claim.what, "verdict": finding.verdict.name.lower()}
            for claim, finding in zip(claims, outcome.findings, strict=True)
        ],
        "proofs": [_proof(proof, claims) for proof in outcome.proofs],
        "runs": [
            {"claim": number, **_run(finding.run, finding.counts, claim, families)}
            for number, (claim, finding) in enumerate(zip(claims, outcome.findings, strict=True))
            if finding.run is not None and finding.ended is None
        ],
    }
    if not any(claim.ends is not None for claim in claims):
        return made
    ended = [(n, claim, f.ended) for n, (claim, f) in enumerate(zip(claims, outcome.findings, strict=True))]
    listed = [
        {"claim": n, "evidence": _ending(claim, evidence)} for n, claim, evidence in ended if evidence is not None
    ]
    return {**made, "endings": listed}


def _ending(claim: Claimed, evidence: Ending) -> Json:
    """Evidence about infinite runs."""
    match evidence:
        case Lasso():
            return {"lasso": lasso_json(evidence, claim.threads)}
        case Finite() | Ranked():
            return _end(evidence)


def _run(run: Run, counts: Sequence[int], claim: Claimed, families: bool) -> Json:
    """A run, with the numbers of copies where some claim is about families."""
    made = run_json(run, (*claim.threads, *copies(claim.families, counts)))
    return {"copies": list(counts), "run": made} if families else {"run": made}


def _proof(proof: Proof, claims: Sequence[Claimed]) -> Json:
    if isinstance(proof, CrowdKeeps | CrowdJoint | CrowdReduced):
        of_crowd = crowd_of(proof)
        threads, families, never = of_crowd.threads, of_crowd.families, set(excluded_in_crowds(proof))
    else:
        threads, families, never = of_proof(proof)[0], (), set(excluded_by(proof))
    meant = [n for n, c in enumerate(claims) if (c.threads, c.families) == (threads, families)]
    about = next(n for n in meant if never & set(claims[n].bads))
    bads: dict[tuple[int, int], Bad] = {(n, b): bad for n in meant for b, bad in enumerate(claims[n].bads)}
    match proof:
        case CrowdKeeps() | CrowdJoint() | CrowdReduced():
            made = of_crowds_json(proof, bads)
        case _:
            made = proof_json(proof, bads)
    return {"about": about, "proof": made}
