"""Evidence that comes from outside: is it about the question, does it settle it, and is the question sound?

Evidence is read against goals that were made from the sources, so it cannot say what the question was. Beyond checks
that the engine's own evidence passes: axioms that contradict each other prove nothing, and written invariants must not
cut steps. A verdict stands if it is the one that the accepted evidence gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.family import copies
from sa.automata.program import Axiom, Program
from sa.base.limits import spend
from sa.base.verdict import Verdict
from sa.certificates.composition_json import PairGoal, read_composition
from sa.certificates.families import bads_of_copies
from sa.certificates.families_json import read_counts
from sa.certificates.family_composition_json import Side, added_ghosts, read_crowd_composition
from sa.certificates.family_reduction import Crowd, excluded_in_crowds
from sa.certificates.family_reduction_json import read_of_crowds
from sa.certificates.goal import Goal
from sa.certificates.pairs_json import read_pairs
from sa.certificates.play_json import read_play
from sa.certificates.preservation import Kept
from sa.certificates.proof import excluded_by
from sa.certificates.proof_json import read_proof
from sa.certificates.reduced_json import read_reduced_threads
from sa.certificates.relation_json import read_relation
from sa.certificates.run import Bad
from sa.certificates.run_json import read_run
from sa.certificates.shape import Entry
from sa.certificates.threads import Composition
from sa.certificates.threads_json import Bads
from sa.checker.claims import Claimed, claimed
from sa.checker.composition import check_composition
from sa.checker.family_question import FamilyQuestion, with_copies, with_ghosts, without_families
from sa.checker.family_reduction import check_of_crowds, composing
from sa.checker.judge_endings import judge_ending
from sa.checker.judge_preservation import judge_preservation
from sa.checker.judgement import Judged
from sa.checker.obligation import Obligation, discharge
from sa.checker.pairs import check_pairs
from sa.checker.play import check_play
from sa.checker.proofs import check_proof, making
from sa.checker.question import Question, asked_besides, pair_goal, thread_goals, whole_goal
from sa.checker.reduced_threads import check_reduced_threads, question_of_blocks
from sa.checker.refusals import check_refusals
from sa.checker.resources import Resources, consistent
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.run import check_run
from sa.checker.weak_simulation import check_relation
from sa.checker.written import uncut


def judge_refinement(asked: Question | FamilyQuestion, entry: Entry, resources: Resources) -> Iterator[Judged]:
    """The rulings about a refinement question, goal by goal.

    Raises Malformed, LimitReached, and NoQuestion.
    """
    if entry.has("preserved"):
        yield from _preserving(asked, entry, resources)
        return
    if isinstance(asked, FamilyQuestion):
        yield from _of_families(asked, entry, resources)
        return
    if asked.block is not None and asked.block.preserve is not None and not _is_refuted(entry):
        raise entry.wrong(f"evidence that {asked.block.preserve} is preserved is expected")
    if asked.block is not None and asked.block.opaque is not None and _is_refuted(entry):
        raise entry.wrong(f"a play is no evidence here: `{asked.block.opaque}` may do less than the play assumes")
    if entry.has("reduced"):
        yield from _of_blocks(asked, entry, resources)
        return
    if entry.has("composition"):
        verdict, composition = entry.fields("verdict", "composition")
        expect(verdict, Verdict.PROVED)
        if composition.has("met"):
            yield from _composed_with_copies(without_families(asked), composition, resources)
        else:
            yield from _composed(asked, composition, resources)
        return
    verdict, evidence = entry.fields("verdict", "goals")
    goals = (whole_goal(asked),) if asked.closed else thread_goals(asked)
    items = evidence.items()
    if len(items) != len(goals):
        raise evidence.wrong(f"the evidence for {len(goals)} goals is expected")
    expect(verdict, combined([_claims(i) for i in items]))
    yield from (_goal(goal, item, resources) for goal, item in zip(goals, items, strict=True))


def _of_blocks(asked: Question, entry: Entry, resources: Resources) -> Iterator[Judged]:
    """Of threads whose steps are blocks: what is proved of them is proved of the threads as they are written."""
    verdict, reduced = entry.fields("verdict", "reduced")
    expect(verdict, Verdict.PROVED)
    made, refinement = read_reduced_threads(reduced, tuple(p.concrete for p in asked.pairs), asked.axioms)
    blocks = question_of_blocks(asked, made, resources.bounds)
    if isinstance(blocks, str):
        raise reduced.wrong(blocks)
    ruling = consistent(asked.axioms, resources)
    if isinstance(ruling, Accepted):
        ruling = check_reduced_threads(asked, made, resources.bounds, resources.seed, resources.solvers)
    yield Judged("reduction", Verdict.PROVED, ruling)
    for judged in judge_refinement(blocks, refinement, resources):
        if judged.verdict is not Verdict.PROVED:
            raise refinement.wrong("what is not proved of blocks says nothing of the threads as they are written")
        yield judged


def _is_refuted(entry: Entry) -> bool:
    """Whether a document says so: what is preserved is no matter then."""
    return isinstance(entry.value, dict) and entry.value.get("verdict") == Verdict.REFUTED.name.lower()


def _preserving(asked: Question | FamilyQuestion, entry: Entry, resources: Resources) -> Iterator[Judged]:
    """What is preserved beside visible actions, as a part of the verdict."""
    verdict, compared, preserved = entry.fields("verdict", "compared", "preserved")
    if isinstance(asked, FamilyQuestion) or compared.has("preserved"):
        raise entry.wrong("what is preserved is asked of programs with a known number of threads, once")
    wanted = None if asked.block is None else asked.block.preserve
    kept, _ = preserved.fields("kept", "evidence")
    if wanted not in (None, kept.choice(Kept).value):
        raise kept.wrong(f"that {wanted} is preserved is what the block asks for")
    plain = asked if asked.block is None else replace(asked, block=replace(asked.block, preserve=None))
    judged = [*judge_refinement(plain, compared, resources), judge_preservation(plain, preserved, resources)]
    expect(verdict, combined([j.verdict for j in judged]))
    yield from judged


def expect(entry: Entry, verdict: Verdict) -> None:
    """That a document says the verdict that its evidence is for. Raises Malformed."""
    if entry.choice(Verdict) is not verdict:
        raise entry.wrong(f"the evidence is for {verdict.value}")


def combined(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict about several questions together."""
    order = (Verdict.REFUTED, Verdict.UNKNOWN)
    return next((v for v in order if v in verdicts), Verdict.PROVED)


def _claims(evidence: Entry) -> Verdict:
    """What a piece of evidence is for."""
    if evidence.value is None:
        return Verdict.UNKNOWN
    return {"relation": Verdict.PROVED, "states": Verdict.PROVED, "play": Verdict.REFUTED}.get(
        evidence.only()[0], Verdict.UNKNOWN
    )


def _goal(goal: Goal, entry: Entry, resources: Resources) -> Judged:
    verdict = _claims(entry)
    if entry.value is None:
        return Judged(goal.name, verdict, None)
    kind, what = entry.only()
    ruling = consistent(goal.axioms, resources)
    if not isinstance(ruling, Accepted):
        return Judged(goal.name, verdict, ruling)
    if kind == "relation":
        ruling = check_relation(goal, read_relation(what, goal), resources.bounds, resources.seed, resources.solvers)
    elif kind == "states":
        ruling = check_pairs(goal, read_pairs(what, goal), resources.bounds, resources.seed, resources.solvers)
    elif kind == "play":
        play = read_play(what, goal)
        ruling = check_play(goal, play, resources.bounds, resources.seed, resources.solvers)
        ruling = check_refusals(goal, play) if isinstance(ruling, Accepted) else ruling
    else:
        raise entry.wrong("a relation, states, a play or null are expected")
    if isinstance(ruling, Accepted):
        written = (o for s in (goal.concrete, goal.abstract) for o in uncut(s, goal.closed))
        ruling = discharged(written, goal.axioms, resources)
    return Judged(goal.name, verdict, ruling)


def _of_families(asked: FamilyQuestion, entry: Entry, resources: Resources) -> Iterator[Judged]:
    """Of any number of copies: pairs that stand for them prove, and a play of so many copies refutes."""
    if entry.has("composition"):
        verdict, composition = entry.fields("verdict", "composition")
        expect(verdict, Verdict.PROVED)
        yield from _composed_with_copies(asked, composition, resources)
        return
    verdict, counted, evidence = entry.fields("verdict", "copies", "goals")
    items = evidence.items()
    if len(items) != 1:
        raise evidence.wrong("the evidence for one goal is expected")
    item = items[0]
    if item.value is None:
        expect(verdict, Verdict.UNKNOWN)
        yield Judged(" and ".join(p.name for p in asked.one.pairs), Verdict.UNKNOWN, None)
        return
    if item.only()[0] != "play":
        raise item.wrong("a play or null are expected: what is shown of so many copies proves nothing of all")
    expect(verdict, Verdict.REFUTED)
    goal = whole_goal(with_copies(asked, read_counts(counted, asked.concrete.families)))
    yield _goal(goal, item, resources)


def _composed(asked: Question, entry: Entry, resources: Resources) -> Iterator[Judged]:
    if not asked.closed or len(asked.pairs) < 2:
        raise entry.wrong("nothing is put together here: the question is not about a closed program of several threads")
    made = read_composition(entry, *_paired(asked))
    yield _composition(asked, made, resources)


def _composed_with_copies(asked: FamilyQuestion, entry: Entry, resources: Resources) -> Iterator[Judged]:
    written = Side(asked.concrete.threads, asked.concrete.families, asked.concrete.init)
    ghosts = added_ghosts(entry, written, asked.one.axioms)
    asked = with_ghosts(asked, ghosts)
    concrete, abstract = (Side(p.threads, p.families, p.init) for p in (asked.concrete, asked.abstract))
    made = read_crowd_composition(entry, *_paired(asked.one), asked.identities, (concrete, abstract), ghosts)
    yield _composition(asked.one, made, resources)


def _paired(
    asked: Question,
) -> tuple[Sequence[Automaton], Sequence[Automaton], tuple[Axiom, ...], PairGoal]:
    """The threads of both sides, axioms, and the goals about pairs, as compositions are read."""
    return (
        [p.concrete for p in asked.pairs],
        [p.abstract for p in asked.pairs],
        asked.axioms,
        lambda n, concrete, abstract, besides: pair_goal(asked_besides(asked, besides), n, concrete, abstract),
    )


def _composition(asked: Question, made: Composition, resources: Resources) -> Judged:
    ruling = consistent(asked.axioms, resources)
    if isinstance(ruling, Accepted):
        ruling = check_composition(made, resources.bounds, resources.seed, resources.solvers)
    return Judged(" and ".join(p.name for p in asked.pairs), Verdict.PROVED, ruling)


def judge_program(program: Program, entry: Entry, resources: Resources) -> Iterator[Judged]:
    """The rulings about what a program claims of itself, claim by claim. Raises Malformed and LimitReached."""
    claims = claimed(program)
    about_ends = ("endings",) if any(c.ends is not None for c in claims) else ()
    verdict, listed, proofs, runs, *endings = entry.fields("verdict", "claims", "proofs", "runs", *about_ends)
    verdicts = list(_listed(listed, claims))
    # A program that claims nothing has no verdict.
    if verdict.value is not None or claims:
        expect(verdict, combined(verdicts))
    excluded = dict[tuple[int, int], Ruling]()
    for proof in proofs.items():
        for place, ruling in _excluded(program, claims, proof, resources).items():
            if not isinstance(excluded.get(place), Accepted):
                excluded[place] = ruling
    reached, ended = dict[int, Ruling](), dict[int, Ruling]()
    for run in runs.items():
        number, ruling = _reached(claims, run)
        if not isinstance(reached.get(number), Accepted):
            reached[number] = ruling
    for ending in (e for listed in endings for e in listed.items()):
        number, said, ruling = judge_ending(program, claims, ending, resources)
        (reached if said is Verdict.REFUTED else ended)[number] = ruling
    beyond = {c.beside for c, v in zip(claims, verdicts, strict=True) if c.bound and v is not Verdict.PROVED}
    for number, (claim, said) in enumerate(zip(claims, verdicts, strict=True)):
        made: Ruling | None = _ruling(number, claim, said, excluded, reached)
        if claim.ends is not None and said is Verdict.PROVED:
            made = ended.get(number, Rejected("evidence", "there is none", claim.what))
        unlimited = claim.beside in beyond and not claim.bound and said is Verdict.PROVED
        if (claim.bound and said is Verdict.REFUTED) or unlimited:
            made = Rejected("limits of the translation", "it does not cover what is beyond them", claim.what)
        yield Judged(claim.what, said, made)


def _listed(entry: Entry, claims: Sequence[Claimed]) -> Iterator[Verdict]:
    items = entry.items()
    if len(items) != len(claims):
        raise entry.wrong(f"the program has {len(claims)} claims")
    for item, claim in zip(items, claims, strict=True):
        what, verdict = item.fields("claim", "verdict")
        if what.value != claim.what:
            raise what.wrong(f"the claim is `{claim.what}`")
        yield verdict.choice(Verdict)


def _ruling(
    number: int,
    claim: Claimed,
    said: Verdict,
    excluded: Mapping[tuple[int, int], Ruling],
    reached: Mapping[int, Ruling],
) -> Ruling | None:
    nothing = Rejected("evidence", "there is none", claim.what)
    match said:
        case Verdict.UNKNOWN:
            return None
        case Verdict.REFUTED:
            return reached.get(number, nothing)
        case Verdict.PROVED:
            rulings = [excluded.get((number, bad), nothing) for bad in range(len(claim.bads))]
            return next((r for r in rulings if not isinstance(r, Accepted)), Accepted())


def _excluded(
    program: Program, claims: Sequence[Claimed], entry: Entry, resources: Resources
) -> dict[tuple[int, int], Ruling]:
    """What a proof is about, and whether it is accepted."""
    about, proof = entry.fields("about", "proof")
    threads, families = (meant := claims[about.index(len(claims))]).threads, meant.families
    bads = {
        (n, b): bad
        for n, claim in enumerate(claims)
        if (claim.threads, claim.families) == (threads, families)
        for b, bad in enumerate(claim.bads)
    }
    if families:
        ruling, never = _excluded_of_crowd(program, meant, bads, proof, resources)
        return {place: ruling for place, bad in bads.items() if bad in never}
    ruling = consistent(program.axioms, resources)
    made = read_proof(proof, threads, bads, program.axioms, making(resources.bounds))
    if isinstance(ruling, Accepted):
        ruling = check_proof(made, resources.bounds, resources.seed, resources.solvers)
    never = set(excluded_by(made))
    return {place: ruling for place, bad in bads.items() if bad in never}


def _excluded_of_crowd(
    program: Program, meant: Claimed, bads: Bads, proof: Entry, resources: Resources
) -> tuple[Ruling, Set[Bad]]:
    """The same of a proof about families of any number; one about their threads alone is none."""
    about = Crowd(meant.threads, meant.families, program.init, program.axioms)
    ruling = consistent(program.axioms, resources)
    made = read_of_crowds(proof, about, bads, composing(resources.bounds))
    if isinstance(ruling, Accepted):
        ruling = check_of_crowds(made, resources.bounds, resources.seed, resources.solvers)
    return ruling, set(excluded_in_crowds(made))


def _reached(claims: Sequence[Claimed], entry: Entry) -> tuple[int, Ruling]:
    """Which claim a run refutes, and whether it is accepted: it ends in something that is bad about the claim."""
    families = any(claim.families for claim in claims)
    number, listed, *counted = entry.fields("claim", "run", *(("copies",) if families else ()))
    claim = claims[number.index(len(claims))]
    counts = read_counts(counted[0], claim.families) if counted else ()
    threads = (*claim.threads, *copies(claim.families, counts))
    run = read_run(listed, threads)
    ruling: Ruling = Rejected("end", "nothing is bad about the claim")
    for bad in (one for b in claim.bads for one in (bads_of_copies(b, claim.families, counts) if families else (b,))):
        ruling = check_run(threads, bad, run)
        if isinstance(ruling, Accepted):
            break
    return number.number(), ruling


def discharged(obligations: Iterable[Obligation], axioms: Sequence[Axiom], resources: Resources) -> Ruling:
    """Whether all obligations hold under the axioms. Raises LimitReached."""
    session = resources.solvers.session(resources.bounds, [a.formula for a in axioms], resources.seed)
    for obligation in obligations:
        spend(resources.bounds, 200)
        failure = discharge(session, frozenset(), obligation)
        if failure is not None:
            return failure
    return Accepted()
