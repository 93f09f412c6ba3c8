"""Evidence as JSON: what is written is read back as the same evidence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sa.app.refine import RefineRequest, questions, refine
from sa.app.verify import VerifyRequest, verify
from sa.base.limits import Limits
from sa.certificates.composition_json import composition_json, read_composition
from sa.certificates.families import CrowdJoint, CrowdKeeps
from sa.certificates.play import (
    Broken,
    BrokenAtStart,
    Chosen,
    EnvironmentMove,
    Exhausted,
    Position,
    Step,
    Uncovered,
    Unmatched,
)
from sa.certificates.play_json import play_json, read_play
from sa.certificates.proof import about, excluded_by
from sa.certificates.proof_json import proof_json, read_proof
from sa.certificates.relation_json import read_relation, relation_json
from sa.certificates.run_json import read_run, run_json
from sa.certificates.shape import Entry, Json, Malformed
from sa.certificates.threads import Joint
from sa.certificates.threads_json import (
    Bads,
    joint_json,
    read_joint,
)
from sa.checker.claims import claimed
from sa.checker.proofs import making
from sa.checker.question import asked_besides, pair_goal, question
from sa.engines.options import Options
from sa.engines.verify import Options as VerifyOptions
from tests.certificates.joints import joints_of
from tests.certificates.mutation import INVARIANTS, PROGRAMS, QUESTIONS
from tests.certificates.subjects import SPECS
from tests.checker.plays import play_of
from tests.checker.relations import relation_of
from tests.generators.automata import random_goal


def through_text(document: Json) -> Entry:
    return Entry(json.loads(json.dumps(document)))


def test_relations_and_plays_of_random_goals_are_read_back() -> None:
    plays = 0
    for sample in map(random_goal, range(40)):
        goal = sample.goal
        if sample.decision.simulated:
            relation = relation_of(goal, sample.decision.theta)
            assert read_relation(through_text(relation_json(relation)), goal) == relation
        else:
            written = play_json(play_of(goal, sample.decision), goal)
            assert play_json(read_play(through_text(written), goal), goal) == written
            plays += 1
    assert plays > 10


def test_plays_are_read_back_with_what_they_explain() -> None:
    folder = SPECS / "paper" / "peterson"
    paths = (str(folder / "abs.sa"), str(folder / "conc.sa"))
    (answer,) = refine(RefineRequest(paths, False, Options(Limits())))
    plays = [(r.goal, r.play) for r in answer.outcome.results if r.play is not None]
    assert plays
    for goal, play in plays:
        written = play_json(play, goal)
        assert '"obstacle"' in json.dumps(written)
        assert read_play(through_text(written), goal) == play


def test_plays_of_every_sort_are_read_back() -> None:
    samples = (s for s in map(random_goal, range(200)) if not s.decision.simulated)
    starts = ((s.goal, play_of(s.goal, s.decision)) for s in samples)
    goal, here = next((g, p) for g, p in starts if isinstance(p, Position) and isinstance(p.move, Step))
    assert isinstance(here, Position)
    concrete, abstract = here.concrete, here.abstract
    broken = Broken(goal.iota[-1], concrete, abstract)
    last = Position(concrete, abstract, Unmatched(concrete, goal.iota[-1].term, Exhausted.SOLVER))
    shared = Position(concrete, abstract, EnvironmentMove(concrete, (abstract, abstract), True, last))
    for play in (
        shared,
        Uncovered(concrete, Exhausted.ENUMERATED),
        BrokenAtStart(broken),
        Chosen(concrete, (shared, broken, last), Exhausted.SOLVER),
    ):
        written = play_json(play, goal)
        assert read_play(through_text(written), goal) == play
        positions = next(iter(written.values())).get("positions", [])
        assert len(positions) in (0, 2), "a position that two moves lead to is written once"


@pytest.mark.parametrize("name", PROGRAMS)
def test_proofs_and_runs_about_programs_are_read_back(name: str, tmp_path: Path) -> None:
    file = tmp_path / "p.sa"
    file.write_text(PROGRAMS[name])
    options = VerifyOptions(Limits(), 0, portfolio=INVARIANTS)
    outcome = verify(VerifyRequest(str(file), False, options)).outcome
    program, claims = outcome.program, claimed(outcome.program)
    seen = 0
    for proof in outcome.proofs:
        seen += 1
        assert not isinstance(proof, CrowdKeeps | CrowdJoint)
        bads = bads_of(claims, about(proof)[0])
        written = proof_json(proof, bads)
        again = read_proof(through_text(written), about(proof)[0], bads, program.axioms, making(Limits()))
        assert proof_json(again, bads) == written
        assert excluded_by(again) == excluded_by(proof)
    for finding, claim in zip(outcome.findings, claims, strict=True):
        if finding.run is not None:
            assert read_run(through_text(run_json(finding.run, claim.threads)), claim.threads) == finding.run
            seen += 1
    assert seen


def bads_of(claims: object, threads: object) -> Bads:
    listed = enumerate(claims)  # type: ignore[call-overload]
    return {(n, b): bad for n, c in listed if c.threads == threads for b, bad in enumerate(c.bads)}


def test_joint_invariants_are_read_back(tmp_path: Path) -> None:
    file = tmp_path / "p.sa"
    file.write_text(PROGRAMS["joint"])
    program = verify(VerifyRequest(str(file), False, VerifyOptions(Limits(), 0))).outcome.program
    bads = bads_of(claimed(program), program.threads)
    found = joints_of(program.threads, tuple(bads.values()))
    joint = Joint(program.threads, found, tuple(bads.values()), program.axioms)
    assert read_joint(through_text(joint_json(joint, bads)), program.threads, bads, program.axioms) == joint


def test_compositions_are_read_back(tmp_path: Path) -> None:
    files = (tmp_path / "abs.sa", tmp_path / "conc.sa")
    for file, text in zip(files, QUESTIONS["pairs"], strict=True):
        file.write_text(text)
    paths = tuple(map(str, files))
    (answer,) = refine(RefineRequest(paths, False, Options(Limits())))
    made = answer.outcome.composition
    assert made is not None
    (part,) = questions(paths, False)
    asked = question(part.abstract, part.concrete, part.block, whole=False)
    again = read_composition(
        through_text(composition_json(made)),
        [p.concrete for p in asked.pairs],
        [p.abstract for p in asked.pairs],
        asked.axioms,
        lambda number, concrete, abstract, besides: pair_goal(
            asked_besides(asked, besides), number, concrete, abstract
        ),
    )
    assert again.relations == made.relations
    assert composition_json(again) == composition_json(made)


@pytest.mark.parametrize("value", [None, [], "text", 3, {}, {"pairs": []}])
def test_something_else_is_malformed(value: object) -> None:
    goal = random_goal(0).goal
    for read in (read_relation, read_play):
        with pytest.raises(Malformed):
            read(Entry(value), goal)
