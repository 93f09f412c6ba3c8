"""`simulate`: a run of a program, by seed, by script, or one step at a time."""

from __future__ import annotations

from msgspec import Struct

from sa.automata.program import Program
from sa.base.diagnostic import Diagnostic, InputError, error
from sa.base.verdict import Reason, Unknown
from sa.certificates.run import Ending, Run, Snapshot, Turn
from sa.explicit.simulate import NoStart, NoSuchTurn, ending_of, possible_turns, scripted_run, seeded_run, starts
from sa.frontends.load import load_program
from sa.terms.evaluate import Unevaluable


class SimulateRequest(Struct, frozen=True):
    """`script`, where there is one, names a thread each step and which of its possible steps it takes."""

    path: str
    split: bool
    seed: int
    steps: int
    script: tuple[tuple[str, int], ...] | None


class Simulated(Struct, frozen=True):
    """The run, or why there is none."""

    program: Program
    run: Run | Unknown


def simulate(request: SimulateRequest) -> Simulated:
    """Run a program. Raises InputError, also where the script asks for what cannot happen."""
    program = load_program(request.path, request.split).program
    try:
        if request.script is None:
            run: Run | Unknown = seeded_run(program, request.seed, request.steps)
        else:
            run = scripted_run(program, request.script)
    except NoSuchTurn as wrong:
        raise InputError((_impossible(wrong),)) from wrong
    except (NoStart, Unevaluable) as problem:
        run = _no_run(problem)
    return Simulated(program, run)


def begin(path: str, split: bool, seed: int) -> tuple[Program, Snapshot | Unknown]:
    """A program and one of its initial states, to go on from step by step. Raises InputError."""
    program = load_program(path, split).program
    try:
        start: Snapshot | Unknown = next(starts(program, seed), None) or _no_run(NoStart())
    except Unevaluable as problem:
        start = _no_run(problem)
    return program, start


def next_turns(program: Program, here: Snapshot, last: Turn | None) -> tuple[Turn, ...] | Ending:
    """The steps from a state that `last` led to, or why there are none."""
    return ending_of(program, here, last) or possible_turns(program, here)


def failed(ending: Ending) -> bool:
    """Whether a run ends in a failure that its program names: a false assertion, a range that is left."""
    return ending is Ending.FAILED


def _no_run(problem: NoStart | Unevaluable) -> Unknown:
    if isinstance(problem, NoStart):
        return Unknown(Reason.BOUND, "no initial state was found among small values")
    return Unknown(Reason.UNSUPPORTED, f"`{problem}` has no computable value")


def _impossible(wrong: NoSuchTurn) -> Diagnostic:
    mine = sum(turn.thread == wrong.thread for turn in wrong.possible)
    others = ", ".join(dict.fromkeys(f"`{turn.thread}`" for turn in wrong.possible))
    hint = f"its possible steps are numbered 0 to {mine - 1}" if mine else f"threads that can move: {others or 'none'}"
    message = f"step {wrong.place + 1} of the script: thread `{wrong.thread}` cannot make this step"
    return error("SA905", message, None, hint)
