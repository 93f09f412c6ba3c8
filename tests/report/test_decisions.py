"""A scheduler's decisions in runs are those that its program allows."""

from __future__ import annotations

from random import Random

import pytest

from sa.app.simulate import next_turns
from sa.automata.program import Program
from sa.certificates.run import Ending, Run, Snapshot, Turn
from sa.explicit.simulate import starts
from sa.report.decisions import decision, of_kernel, ready
from sa.report.run import run_lines
from sa.report.run_json import run_json
from sa.report.scene import run_scene
from tests.generators.cooperative import SCHEDULERS, random_cooperative, text_of
from tests.language.texts import program_of

TURNS = """
scheduler turns {
  global last : 0..THREADS = THREADS;
  define ready(t) = last != t;
  on yield { last := self; suspend; }
}
scheduler turns;
global a : int = 0;
thread Left { a := 1; yield; a := 2; }
thread Right { a := 3; yield; }
"""
SIGNAL = """
scheduler systemc;
event go;
global x : int = 0;
thread A { wait go; x := 1; }
thread B { notify go; x := 2; }
"""


def walked(program: Program, choose: Random, steps: int) -> Run:
    """A run that takes any of the possible steps."""
    start = here = next(starts(program, 0))
    turns, last = list[Turn](), None
    while len(turns) < steps and isinstance(possible := next_turns(program, here, last), tuple):
        last = choose.choice(possible)
        turns.append(last)
        here = last.after
    return Run(start, tuple(turns), Ending.STOPPED)


def resumable(at: Snapshot, program: Program) -> set[str]:
    """Who can go on, by the steps that are possible: those that set who runs."""
    assert program.scheduler is not None
    running = program.scheduler.running
    possible = next_turns(program, at, None)
    return (
        set()
        if isinstance(possible, Ending)
        else {t.thread for t in possible if t.after.shared[running] != at.shared[running]}
    )


def test_who_is_ready_is_who_can_be_resumed() -> None:
    """In each state of random runs in which nobody runs; and each resumption is told as one."""
    looked = dict.fromkeys(SCHEDULERS, 0)
    for seed in range(60):
        source = random_cooperative(Random(seed))
        program = program_of(text_of(source))
        assert program.scheduler is not None
        nobody = len(program.scheduler.threads)
        run = walked(program, Random(seed), 40)
        before = run.start
        for turn in run.turns:
            if before.shared[program.scheduler.running] == nobody:
                assert set(ready(before, program)) == resumable(before, program), seed
                looked[source.scheduler] += 1
                made = decision(turn, before, program)
                resumed = turn.after.shared[program.scheduler.running] != nobody
                assert (made is not None and made.resumes == turn.thread) == resumed
            before = turn.after
    assert min(looked.values()) > 50


def told(text: str, picks: tuple[str, ...]) -> tuple[Run, Program]:
    """A run in which the threads step in this order."""
    program = program_of(text)
    start = here = next(starts(program, 0))
    turns = list[Turn]()
    for pick in picks:
        possible = next_turns(program, here, turns[-1] if turns else None)
        assert isinstance(possible, tuple)
        turns.append(next(t for t in possible if t.thread == pick))
        here = turns[-1].after
    return Run(start, tuple(turns), Ending.STOPPED), program


def lines(run: Run, program: Program, width: int = 120) -> str:
    """A run in the terminal."""
    return "\n".join(line.plain.rstrip() for line in run_lines(run, program, width))


def test_decisions_have_a_column() -> None:
    """Also those of a scheduler without steps of its own; the state of one in the file is told there."""
    run, program = told(TURNS, ("Left", "Left", "Left", "Right"))
    shown = lines(run, program)
    assert "scheduler turns" in shown
    assert "9: begins" in shown and "resumes Left" in shown and "ready: Right" in shown
    assert "last: 2 → 0" in shown and "turns_running" not in shown
    assert [step.resumes for step in run_json(run, program).steps] == ["Left", None, None, "Right"]
    assert [step.ready for step in run_json(run, program).steps] == [None, None, ["Right"], None]


def test_the_state_of_a_kernel_is_not_told() -> None:
    """It has a meaning: who is ready."""
    run, program = told(SIGNAL, ("A", "A", "B", "B"))
    assert of_kernel(program)
    for width in (120, 40):
        shown = lines(run, program, width)
        assert "systemc_" not in shown
        assert "ready: B" in shown and "ready: A" in shown and "resumes B" in shown
    scene = run_scene(run, program)
    assert [lane.role for lane in scene.lanes] == ["thread", "thread", "scheduler"]
    acts = [act.text for frame in scene.frames for act in frame.acts[2]]
    assert acts == ["start", "resumes A", "ready: B", "resumes B", "ready: A"]
    assert all("systemc_" not in name for frame in scene.frames for name, _ in frame.shared)


@pytest.mark.parametrize("text", [TURNS, SIGNAL])
def test_lanes_and_acts_are_as_many(text: str) -> None:
    """Also where a scheduler has no location."""
    run, program = told(text, ())
    scene = run_scene(run, program)
    assert all(len(f.acts) == len(f.states) == len(scene.lanes) for f in scene.frames)


def test_own_steps_and_ends_are_told() -> None:
    """A scheduler's step by its condition, and the last step of a thread as its end."""
    delayed = SIGNAL.replace("notify go;", "notify go in 0;")
    run, program = told(delayed, ("A", "A", "B", "B", "B", "B", "systemc", "A"))
    shown = lines(run, program, 150)
    assert "ends" in shown and "nobody is ready" in shown
    assert "await idle && delta" in shown and "{" not in shown
    steps = run_json(run, program).steps
    assert [steps[n].ready for n in (5, 6)] == [[], ["A"]]


def test_programs_without_a_scheduler_have_no_decisions() -> None:
    """Nor a lane for them."""
    run, program = told("global x : int = 0; thread A { x := 1; } thread B { x := 2; }", ("A", "B"))
    assert decision(run.turns[0], run.start, program) is None
    assert ready(run.start, program) == ()
    assert len(run_scene(run, program).lanes) == 2
