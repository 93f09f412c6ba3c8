"""Corrupted certificates judged: how many of each kind are rejected, and whether those that are accepted are true.

Run as a program it writes results.md beside it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct, field

from sa.app.certificate import refinement_certificate, verification_certificate
from sa.app.refine import Answer, RefineRequest, questions
from sa.app.refine import refine as decide
from sa.app.verify import VerifyRequest
from sa.app.verify import verify as decide_claims
from sa.base.diagnostic import InputError
from sa.base.limits import Limits, limits
from sa.certificates.composition_json import read_composition
from sa.certificates.play_json import read_play
from sa.certificates.relation_json import read_relation
from sa.certificates.run_json import read_run
from sa.certificates.shape import Entry, Malformed
from sa.certificates.states_json import read_states
from sa.certificates.threads_json import read_joint, read_keeps
from sa.checker.claims import claimed
from sa.checker.judge import judge_program, judge_refinement
from sa.checker.question import Question, asked_besides, pair_goal, question, thread_goals, whole_goal
from sa.checker.resources import Resources
from sa.checker.ruling import Accepted
from sa.checker.solvers import Z3
from sa.engines.options import Options
from sa.engines.portfolio_of_claims import CLAIMS, ENVIRONMENTS, Portfolio
from sa.engines.technique import BMC, CHC
from sa.engines.verify import Options as VerifyOptions
from sa.language.load import load_program
from tests.certificates.corruption import Mutant, mutants
from tests.certificates.truth import (
    happens,
    joint_is_true,
    keeps_is_true,
    play_is_true,
    relation_is_true,
    run_is_true,
    states_is_true,
)
from tests.generators.refinements import random_question
from tests.oracle.game import decide as enumerated

RESULTS = Path(__file__).parent / "results.md"
COURT = Resources(Limits(), 0, Z3)


class Tally(Struct):
    """Mutants by kind: tried, and accepted though changed, all of which are true but those in `wrong`."""

    tried: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[str, Mutant]] = field(default_factory=list)
    certificates: int = 0

    def add(self, other: Tally) -> None:
        """Count what another tally counts."""
        self.tried += other.tried
        self.accepted += other.accepted
        self.wrong += other.wrong
        self.certificates += other.certificates


def refinement_mutants(name: str, folder: Path, files: tuple[Path, ...], rng: Random, most: int) -> Tally:
    """The certificate of a refinement question over finite ranges, corrupted."""
    paths = tuple(str(f) for f in files)
    request = RefineRequest(paths, False, Options(limits(10.0, None)))
    answers: list[Answer] = list(decide(request))
    document = json.loads(refinement_certificate(str(folder / "x.json"), request, answers))
    part = questions(paths, False)[0]
    asked = question(part.abstract, part.concrete, part.block, whole=False)
    return tally_of(
        name, document["questions"][0], lambda d: _refined(asked, d), lambda d: _is_true(asked, d), rng, most
    )


#: The engines whose evidence are invariants of threads or of joint locations, or runs.
INVARIANTS = tuple(turn for turn in CLAIMS if turn.engine.technique in (CHC, BMC) or turn.engine is ENVIRONMENTS)


def verification_mutants(name: str, file: Path, rng: Random, most: int, portfolio: Portfolio = CLAIMS) -> Tally:
    """The certificate of a program over finite ranges, corrupted."""
    request = VerifyRequest(str(file), False, VerifyOptions(Limits(), 0, portfolio=portfolio))
    document = json.loads(verification_certificate(str(file), request, decide_claims(request)))
    program = load_program(str(file)).program

    def accepts(changed: Any) -> bool:
        return accepts_all(lambda: judge_program(program, Entry(changed), COURT))

    def is_true(changed: Any) -> bool:
        claims = claimed(program)
        for proof in changed["proofs"]:
            threads = claims[proof["about"]].threads
            bads = {(n, b): x for n, c in enumerate(claims) if c.threads == threads for b, x in enumerate(c.bads)}
            kind, what = Entry(proof["proof"]).only()
            if kind == "keeps" and not keeps_is_true(read_keeps(what, threads, bads, program.axioms)):
                return False
            if kind == "states" and not states_is_true(read_states(what, threads, bads, program.axioms)):
                return False
            if kind == "joint" and not joint_is_true(read_joint(what, threads, bads, program.axioms)):
                return False
            if kind == "reduced" and any(happens(threads, bads[b["claim"], b["bad"]]) for b in what.value["never"]):
                return False
        for run in changed["runs"]:
            claim = claims[run["claim"]]
            if not run_is_true(claim.threads, claim.bads, read_run(Entry(run["run"]), claim.threads)):
                return False
        return True

    return tally_of(name, document["questions"][0], accepts, is_true, rng, most)


def tally_of(name: str, document: Any, accepts: Any, is_true: Any, rng: Random, most: int) -> Tally:
    """A certificate's question corrupted: what becomes of its mutants."""
    tally = Tally(certificates=1)
    if document["verdict"] == "unknown":
        return Tally()
    assert accepts(document), name
    for mutant in mutants(document, rng, most):
        tally.tried[mutant.kind] += 1
        if accepts(mutant.document):
            tally.accepted[mutant.kind] += 1
            if not is_true(mutant.document):
                tally.wrong.append((name, mutant))
    return tally


def accepts_all(judging: Any) -> bool:
    """Whether all that is judged is accepted."""
    try:
        judged = list(judging())
    except Malformed:
        return False
    return all(isinstance(j.ruling, Accepted) for j in judged)


def _refined(asked: Question, document: Any) -> bool:
    return accepts_all(lambda: judge_refinement(asked, Entry(document), COURT))


def _is_true(asked: Question, document: Any) -> bool:
    """Whether the accepted evidence is true by enumeration."""
    if "composition" in document:
        made = read_composition(
            Entry(document["composition"]),
            [p.concrete for p in asked.pairs],
            [p.abstract for p in asked.pairs],
            asked.axioms,
            lambda n, c, a, besides: pair_goal(asked_besides(asked, besides), n, c, a),
        )
        parts = zip(made.goals, made.relations, strict=True)
        return enumerated(whole_goal(asked)).simulated and all(relation_is_true(g, r) for g, r in parts)
    goals = (whole_goal(asked),) if asked.closed else thread_goals(asked)
    for goal, evidence in zip(goals, document["goals"], strict=True):
        kind, what = Entry(evidence).only()
        if kind == "relation" and not relation_is_true(goal, read_relation(what, goal)):
            return False
        if kind == "play" and not play_is_true(goal, read_play(what, goal)):
            return False
    return True


def random_mutants(seeds: Iterable[int], folder: Path, most: int) -> Tally:
    """Corrupted certificates of random questions over small ranges."""
    tally = Tally()
    for seed in seeds:
        asked = random_question(seed)
        files = (folder / f"abs{seed}.sa", folder / f"conc{seed}.sa")
        for file, text in zip(files, (asked.abstract, asked.concrete), strict=True):
            file.write_text(text, encoding="utf-8")
        try:
            tally.add(refinement_mutants(f"seed {seed}", folder, files, Random(seed), most))
        except InputError:
            continue
    return tally


#: Finite programs whose claims are shown in every way there is: by invariants of threads, with and without ghosts, by
#: joint invariants, and refuted by runs into a claim, an assertion and a broken guarantee.
PROGRAMS = {
    "threads": """
        global x : 0..3 = 0; global y : 0..3 = 0;
        thread A { while (true) { assert x <= 2; if (x < 2) { x := x + 1; } else { x := 0; } } }
        thread B { guarantee y' <= 2; while (y < 2) { y := y + 1; } }
        invariant small : x <= 2;
    """,
    "ghosts": (Path(__file__).parent.parent.parent / "specs" / "mutex" / "peterson.sa").read_text(encoding="utf-8"),
    "joint": """
        global n, s : 0..4 = 0;
        thread T[i : 1..2] { local t : 0..4 = 0; atomic { n := n + 1; t := t + 1; } atomic { s := s + 1; t := t + 1; } }
        invariant even : at T[1].exit && at T[2].exit ==> n == s;
        invariant order : s <= n;
    """,
    "overtaken": """
        global x : 0..2 = 0;
        thread A { local t : 0..2 = 0; t := x; x := (t + 1) % 3; }
        thread B { x := 2; assert x == 2; }
        invariant never : x != 1;
    """,
    "guarantee": """
        global x : 0..2 = 0;
        thread A { guarantee x' >= x; havoc x; }
        thread B { guarantee x' == x; skip; }
    """,
    "ticket": """
        global busy : bool = false; global inside : 0..2 = 0;
        thread T[i : 1..2] {
          await !busy { busy := true; }
          inside := inside + 1;
          CS: assert inside == 1;
          inside := inside - 1;
          busy := false;
        }
        invariant alone : !(at T[1].CS && at T[2].CS);
    """,
}

#: Questions over finite ranges: threads with relies, closed programs shown pair by pair, a block with a formula.
QUESTIONS = {
    "pairs": (
        """global x : 0..2 = 0; global y : 0..2 = 0;
        thread A { local t : 0..2 = 0; while (true) { t := x; @seen(t) skip; } } thread B { y := 1; @done x := 1; }""",
        """global x : 0..2 = 0; global y : 0..2 = 0;
        thread A { local t : 0..2 = 0; while (true) { t := x; skip; @seen(t) skip; } }
        thread B { skip; y := 1; @done x := 1; }""",
    ),
    "rely": (
        "global x, n : 0..2; thread A { rely x' == x && n' == n; while (x < n) { x := x + 1; } @end(x) skip; }",
        """global x, n : 0..2;
        thread A { local k : 0..2; rely x' == x && n' == n; k := n; while (x < k) { x := x + 1; } @end(x) skip; }""",
    ),
    "weak rely": (
        "global x, n : 0..2; thread A { rely x' == x; while (x < n) { x := x + 1; } @end(x) skip; }",
        """global x, n : 0..2;
        thread A { local k : 0..2; rely x' == x; k := n; while (x < k) { x := x + 1; } @end(x) skip; }""",
    ),
}


def written_mutants(folder: Path, most: int) -> Tally:
    """Corrupted certificates of the programs and questions above."""
    tally = Tally()
    for name, text in PROGRAMS.items():
        file = folder / "program.sa"
        file.write_text(text, encoding="utf-8")
        for portfolio in (CLAIMS, INVARIANTS):
            tally.add(verification_mutants(name, file, Random(name), most, portfolio))
    for name, texts in QUESTIONS.items():
        files = (folder / "abs.sa", folder / "conc.sa")
        for file, text in zip(files, texts, strict=True):
            file.write_text(text, encoding="utf-8")
        tally.add(refinement_mutants(name, folder, files, Random(name), most))
    return tally


def report(parts: Mapping[str, Tally], title: str, module: str) -> str:
    """The figures as a page, which the module writes."""
    whole = Tally()
    for part in parts.values():
        whole.add(part)
    lines = [
        f"# {title}",
        "",
        "One change each, at a random place of the document, of the evidence of finite subjects;",
        f"`python -m {module}` writes this page. Mutants that are accepted are true by enumeration:",
        "the relation is a weak simulation, the play refutes, the invariants hold in every reachable state.",
        "",
        "| subjects | certificates | mutants | rejected | accepted and true | accepted and false |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, part in (*parts.items(), ("all", whole)):
        tried, kept, wrong = sum(part.tried.values()), sum(part.accepted.values()), len(part.wrong)
        lines.append(f"| {name} | {part.certificates} | {tried} | {tried - kept} | {kept - wrong} | {wrong} |")
    lines += [
        "",
        f"accepted and false: {len(whole.wrong)}",
        "",
        "By what was changed, and how, where there are ten or more:",
        "",
    ]
    lines += ["| change | mutants | accepted and true |", "|---|---:|---:|"]
    counted = sorted(whole.tried.items(), key=lambda item: (-item[1], item[0]))
    lines += [f"| {kind} | {count} | {whole.accepted[kind]} |" for kind, count in counted if count >= 10]
    return "\n".join((*lines, ""))


if __name__ == "__main__":
    with TemporaryDirectory() as scratch:
        most = int(sys.argv[1]) if len(sys.argv) > 1 else 200
        figures = {
            "programs and questions of every sort of evidence": written_mutants(Path(scratch), 3 * most),
            "random questions, seeds 0 to 39": random_mutants(range(40), Path(scratch), most),
        }
        RESULTS.write_text(report(figures, "Corrupted certificates", "tests.certificates.mutation"), encoding="utf-8")
