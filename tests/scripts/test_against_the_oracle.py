"""Random scripts: what `prove` says is proved the oracle finds true by enumeration, what it refutes by a play or a run
false.

Claims about threads among others are judged for the annotated automata, whose environments are what a claim is about.
That these are the programs' is tested in `tests/generation`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.program import Program
from sa.automata.proof import Member, Preserves, Refines, Script, Step
from sa.automata.rename import on_side
from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.conditions.environment import closed
from sa.engines.options import Options
from sa.language.load import load_script
from sa.question.goals import goals
from sa.rules.annotated_programs import side_of
from sa.rules.statements import block_of
from sa.scripts.prove import Prepared, prepare, prove
from sa.scripts.statements import pair_goals
from sa.terms.build import constant, eq, land, lor
from tests.oracle.compatibility import composition, own_locals, strong_violation, weak_violation
from tests.oracle.explicit import explicit, initial_states
from tests.oracle.game import decide
from tests.scripts.scripts import Scripted, random_script

#: Seconds for a script.
TIMEOUT = 20.0


class Tally(Struct):
    """What came out: steps by rule and verdict, and those that were proved and are false."""

    steps: Counter[tuple[str, Verdict]] = field(default_factory=Counter)
    wrong: list[tuple[int, str]] = field(default_factory=list)
    refused: int = 0
    judged: int = 0


def judge(scripted: Scripted, folder: Path, tally: Tally) -> None:
    """One script, proved and judged."""
    for alias, text in scripted.programs.items():
        (folder / f"{alias}.sa").write_text(text)
    path = folder / "script.sa"
    path.write_text(scripted.script)
    try:
        prepared = prepare(load_script(str(path), False).script, Options(limits(TIMEOUT, None)))
    except InputError:
        tally.refused += 1
        return
    for result in prove(prepared):
        tally.steps[result.rule, result.verdict] += 1
        refuted = result.run is not None or any(r.verdict is Verdict.REFUTED for r in result.results)
        if result.verdict is Verdict.PROVED or refuted:
            verdict = is_true(prepared, result.step)
            tally.judged += verdict is not None
            if verdict is not None and verdict is refuted:
                tally.wrong.append((scripted.seed, result.step.name))


def is_true(prepared: Prepared, step: Step) -> bool | None:
    """Whether the claim holds; None of compositions in a declared environment that refine others."""
    match step.claim:
        case Refines(left=left, right=right) as claim:
            sides = [side_of(prepared.stage.worlds, members) for members in (left, right)]
            if len(left) == 1 and not all(s.whole for s in sides):
                (goal,) = pair_goals(prepared.stage, step, claim)
                lower, upper = (_in_its_program(prepared, members[0]) for members in (left, right))
                first, second = _as(lower, goal.concrete, "conc"), _as(upper, goal.abstract, "abs")
                return decide(replace(goal, concrete=first, abstract=second)).simulated
            if not all(s.whole for s in sides):
                return None
            upper, lower = _only(prepared.script, right), _only(prepared.script, left)
            (goal,) = goals(upper, lower, block_of(claim, step.name, step.origin), whole=True)
            return decide(goal).simulated
        case Preserves(side=members, formula=formula, strong=strong):
            side = side_of(prepared.stage.worlds, members)
            one = len(side.threads) == 1
            automata = [t.automaton if one else own_locals(t.automaton) for t in side.threads]
            joint = composition(automata)
            x = explicit(closed(joint) if side.whole else joint)
            return (strong_violation if strong else weak_violation)(x, formula) is None


def _in_its_program(prepared: Prepared, member: Member) -> Automaton:
    """An annotated thread that starts where all threads of its program can, as written."""
    world = prepared.stage.worlds[member[0]]
    made = world.threads[member[1]].automaton
    program = explicit(composition([own_locals(closed(t)) for t in world.program.threads]))
    shared = program.order[: program.visible]
    starts = {row[: program.visible] for _, row in initial_states(program)}
    some = lor(*(land(*(eq(v, constant(x, v.sort)) for v, x in zip(shared, row, strict=True))) for row in starts))
    return replace(made, init=land(made.init, some))


def _as(thread: Automaton, side: Automaton, name: str) -> Automaton:
    """A thread over the names that a side of a goal has, with what the goal makes of environments and ends."""
    meant = on_side(thread, name)
    invs = {q.name: q.inv for q in meant.locations}
    return replace(side, init=meant.init, locations=tuple(replace(q, inv=invs[q.name]) for q in side.locations))


def _only(script: Script, members: tuple[Member, ...]) -> Program:
    program = script.programs[members[0][0]]
    return replace(program, threads=tuple(t for _, n in members for t in program.threads if t.name == n))


def tallied(seeds: Iterable[int], folder: Path) -> Tally:
    """Many scripts."""
    tally = Tally()
    for seed in seeds:
        judge(random_script(seed), folder, tally)
    return tally


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(1000, 1150), marks=pytest.mark.fuzz)], ids=str)
def test_what_is_proved_is_true(seeds: range, tmp_path: Path) -> None:
    tally = tallied(seeds, tmp_path)
    assert not tally.wrong
    assert tally.judged
