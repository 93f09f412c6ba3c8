"""Corrupted certificates of proof scripts judged, and those that are accepted found true or false by enumeration.

A change is one of `corruption`, or a forgery: the evidence of one step given for another, a verdict turned round,
environments that are said to allow anything.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from msgspec import Struct, field
from msgspec.structs import replace

from sa.app.certificate import proof_certificate
from sa.app.prove import ProveRequest, prove
from sa.automata.proof import Preserves, Script
from sa.base.diagnostic import InputError
from sa.base.limits import Limits, limits
from sa.base.verdict import Verdict
from sa.certificates.run import Bad
from sa.certificates.shape import Entry, Malformed, plain
from sa.certificates.threads import Joint
from sa.certificates.threads_json import joint_json
from sa.checker.judge import discharged
from sa.checker.obligation import Obligation
from sa.checker.resources import Resources
from sa.checker.ruling import Accepted, Ruling
from sa.checker.solvers import Z3
from sa.engines.options import Options
from sa.engines.portfolio_of_claims import CLAIMS
from sa.language.load import load_script
from sa.rules import judge
from sa.rules.judge import judge_script
from sa.rules.refutation import check_failure, variables_of
from sa.rules.statements import invariance_of
from sa.rules.theorem_1_parallel_invariants import apart_formula
from sa.scripts import invariances
from sa.terms.sort import Sort, Value, finite_values
from tests.certificates.corruption import Mutant, mutants
from tests.certificates.joints import joints_of
from tests.certificates.mutation import INVARIANTS, Tally, report
from tests.certificates.script_subjects import WRITTEN, Finite, random, rejected
from tests.certificates.script_truth import Failed, annotations_are_true, claim_is_true, fails_truly, stage_of

RESULTS = Path(__file__).parent / "results_scripts.md"
COURT = Resources(Limits(), 0, Z3)
#: Seconds for proving a script.
TIMEOUT = 10.0


class ScriptTally(Tally):
    """Also: verdicts that accepted mutants give, how many of them could not be judged, and kinds of evidence met.

    `against` are refutations by a side condition of steps that the certificate without the change proves: what a
    condition says depends on the relations and annotations that are cited, so both may be true.
    """

    judged: int = 0
    left_open: int = 0
    against: int = 0
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Count what another tally counts."""
        super().add(other)
        if isinstance(other, ScriptTally):
            self.judged += other.judged
            self.left_open += other.left_open
            self.against += other.against
            self.kinds += other.kinds


class Case(Struct):
    """A script with its true certificate. `known` remembers what enumeration found of steps, by annotations."""

    script: Script
    document: Any
    known: dict[tuple[str, int], bool | None] = field(default_factory=dict)


def case(finite: Finite, folder: Path) -> Case | None:
    """The case of a subject; None of wrong input."""
    path = str(finite.write(folder))
    try:
        request = ProveRequest(path, False, Options(limits(TIMEOUT, None)))
        with patch.object(invariances, "CLAIMS", CLAIMS if finite.by_states else INVARIANTS):
            answer = prove(request)
    except InputError:
        return None
    document = json.loads(proof_certificate(path, request, answer))["questions"][0]
    script = load_script(path, False).script
    if finite.enumerated:
        document = _by_all_states(script, document)
    return Case(script, document)


def _by_all_states(script: Script, document: Any) -> Any:
    """The document with all states that can be reached as the evidence for invariants of whole programs."""
    stage = stage_of(script, document)
    for step, entry in zip(script.steps, document["steps"], strict=True):
        if isinstance(step.claim, Preserves) and "keeps" in (entry["evidence"] or {}):
            fact = invariance_of(stage, step.claim)
            threads = tuple(t.thread for t in fact.side.threads)
            bad = Bad(None, apart_formula(fact.formula, fact.side.threads))
            states = joints_of(threads, (bad,))
            joint = joint_json(Joint(threads, states, (bad,), script.axioms), {(0, 0): bad})
            entry["evidence"] = {"never": joint}
    return document


def tallied(subjects: Iterable[Finite], folder: Path, most: int) -> ScriptTally:
    """Many subjects, each with at most so many mutants of each sort."""
    tally = ScriptTally()
    for finite in subjects:
        made = case(finite, folder)
        if made is not None and made.document["programs"] is not None:
            tally.add(of_case(finite.name, made, Random(finite.name), most))
    return tally


def of_case(name: str, made: Case, rng: Random, most: int) -> ScriptTally:
    """The mutants of one certificate."""
    tally = ScriptTally(certificates=1)
    tally.kinds.update(_kind(s["evidence"]) for s in made.document["steps"] if s["evidence"] is not None)
    assert _accepted(made.script, made.document) is not None, name
    forged = [*forgeries(made.document), *refutations(made, rng)]
    for mutant in (*mutants(made.document, rng, most), *rng.sample(forged, min(most // 2, len(forged)))):
        tally.tried[mutant.kind] += 1
        failed = _accepted(made.script, mutant.document)
        if failed is not None:
            tally.accepted[mutant.kind] += 1
            if not _is_true(made, mutant.document, failed, tally):
                tally.wrong.append((name, mutant))
    return tally


def _kind(evidence: Any) -> str:
    (kind,) = evidence
    if kind == "rule":
        return f"rule: {evidence[kind]}"
    if kind == "fails":
        return f"fails: {evidence[kind]['by']}{', with functions' if evidence[kind]['functions'] else ''}"
    if kind == "violation":
        return f"violation: {'all threads' if evidence[kind]['thread'] is None else 'a thread'}"
    return str(kind)


def _accepted(script: Script, document: Any) -> dict[str, Failed] | None:
    """The conditions that were found to fail, by step, if no step is rejected or left undecided; None otherwise."""
    found = dict[str, Failed]()
    last: list[Failed] = []

    def listening(obligation: Any, values: Any, meaning: Any, axioms: Any, resources: Any) -> Ruling:
        ruling = check_failure(obligation, values, meaning, axioms, resources)
        if isinstance(ruling, Accepted):
            last.append(Failed(obligation, values, meaning, axioms))
        return ruling

    with patch.object(judge, "check_failure", listening):
        try:
            for judged in judge_script(script, Entry(document), COURT):
                left_open = judged.ruling is None and judged.verdict is Verdict.UNKNOWN
                if not left_open and not isinstance(judged.ruling, Accepted):
                    return None
                if last:
                    found[judged.name] = last.pop()
        except Malformed:
            return None
    return found


def _is_true(made: Case, document: Any, failed: Mapping[str, Failed], tally: ScriptTally) -> bool:
    """Whether annotations and all verdicts of an accepted document are true."""
    if document["programs"] is None:
        return True
    stage = stage_of(made.script, document)
    if not all(annotations_are_true(w) for w in stage.worlds.values()):
        return False
    said = json.dumps(document["programs"])
    for number, (step, entry) in enumerate(zip(made.script.steps, document["steps"], strict=True)):
        if entry["verdict"] == "unknown":
            continue
        tally.judged += 1
        if step.name in failed:
            tally.against += made.document["steps"][number]["verdict"] == "proved"
            if not fails_truly(failed[step.name]):
                return False
            continue
        if (said, number) not in made.known:
            made.known[said, number] = claim_is_true(made.script, stage, step)
        truth = made.known[said, number]
        tally.left_open += truth is None
        if truth is (entry["verdict"] == "refuted"):
            return False
    return True


# ---------------------------------------------------------------- forgeries


def forgeries(document: Any) -> Iterator[Mutant]:
    """Changes that make sense: what is accepted of one step said of another, verdicts turned, environments widened."""
    steps = document["steps"]
    for i, j in ((i, j) for i in range(len(steps)) for j in range(len(steps)) if i != j):
        if steps[j]["evidence"] is not None:
            given = {name: steps[j][name] for name in ("verdict", "evidence")}
            yield _forged(document, "evidence of another step", i, given)
            yield _forged(document, "evidence of another step, and what it cites", i, steps[j])
    for i, step in enumerate(steps):
        turned = {"proved": "refuted"}.get(step["verdict"], "proved")
        yield _forged(document, "verdict turned", i, {"verdict": turned})
        yield _forged(document, "verdict left open", i, {"verdict": "unknown"})
    for alias, program in document["programs"].items():
        for n in range(len(program["threads"]) if program is not None else 0):
            yield _widened(document, alias, n)


def refutations(made: Case, rng: Random) -> Iterator[Mutant]:
    """Steps that follow by a rule, said to be refuted by random values for a condition that they rest on."""
    asked = _asked(made)
    for number, step in enumerate(made.document["steps"]):
        kind, what = next(iter((step["evidence"] or {"none": None}).items()))
        way = what if kind == "rule" else kind
        for condition in rng.sample(asked[step["step"]], min(2, len(asked[step["step"]]))):
            values = {v.key: plain(_random(v.sort, rng), v.sort) for v in variables_of(condition)}
            fails = {"by": way, "condition": condition.name, "where": condition.where}
            fails |= {"values": values, "functions": {}}
            turned = {"verdict": "refuted", "evidence": {"fails": fails}}
            yield _forged(made.document, "a condition that holds fails", number, turned)


def _asked(made: Case) -> Mapping[str, list[Obligation]]:
    """What was discharged for each step, as the judge tells of it."""
    found, last = dict[str, list[Obligation]](), list[Obligation]()

    def listening(obligations: Iterable[Obligation], axioms: Any, resources: Any) -> Ruling:
        listed = [replace(o, cases=tuple(o.cases)) for o in obligations]
        last.extend(listed)
        return discharged(listed, axioms, resources)

    with patch.object(judge, "discharged", listening):
        for judged in judge_script(made.script, Entry(made.document), COURT):
            found[judged.name] = list(last)
            last.clear()
    return found


def _random(sort: Sort, rng: Random) -> Value:
    return rng.choice(finite_values(sort) or range(3))


def _forged(document: Any, kind: str, number: int, said: Mapping[str, Any]) -> Mutant:
    changed = deepcopy(document)
    step = changed["steps"][number]
    changed["steps"][number] = {**step, **said, "step": step["step"]}
    verdicts = [s["verdict"] for s in changed["steps"]]
    changed["verdict"] = next((v for v in ("refuted", "unknown") if v in verdicts), "proved")
    return Mutant(f"forged: {kind}", ("steps", number), changed)


def _widened(document: Any, alias: str, number: int) -> Mutant:
    changed = deepcopy(document)
    for place in changed["programs"][alias]["threads"][number]["locations"].values():
        place["env"] = "true"
    return Mutant("forged: any environment", ("programs", alias, number), changed)


# ---------------------------------------------------------------- figures


def lines(tally: ScriptTally) -> Iterator[str]:
    """What is special about scripts, for the report."""
    yield f"Verdicts in mutants that are accepted: {tally.judged}, of which {tally.left_open} cannot be enumerated,"
    yield "as they are about functions or about compositions that rely on something."
    yield ""
    yield f"Refutations by a side condition of steps that the certificate without the change proves: {tally.against}."
    yield "What such a condition says depends on the relations and annotations that are cited, so that one certificate"
    yield "may prove what another refutes."
    yield ""
    yield "| evidence | steps |"
    yield "|---|---:|"
    yield from (f"| {kind} | {count} |" for kind, count in sorted(tally.kinds.items()))


if __name__ == "__main__":
    with TemporaryDirectory() as scratch:
        most = int(sys.argv[1]) if len(sys.argv) > 1 else 40
        figures = {
            "scripts with every sort of evidence": tallied(WRITTEN, Path(scratch), 3 * most),
            "rejected scripts of specs/, made finite": tallied(rejected(), Path(scratch), most),
            "random scripts, seeds 0 to 14": tallied(random(range(15)), Path(scratch), most),
        }
        whole = ScriptTally()
        for part in figures.values():
            whole.add(part)
        page = report(figures, "Corrupted certificates of scripts", "tests.certificates.script_mutation")
        RESULTS.write_text("\n".join((page, *lines(whole), "")), encoding="utf-8")
