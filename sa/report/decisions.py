"""What a scheduler decides in a run: whom it resumes, and who is ready."""

from __future__ import annotations

from msgspec import Struct

from sa.automata.program import Program
from sa.certificates.run import Snapshot, Turn
from sa.terms.evaluate import holds
from sa.terms.term import Var


class Decision(Struct, frozen=True):
    """What a step means to the scheduler.

    Attributes:
        resumes: the thread that goes on with this step.
        begins: whether that is its first step.
        ends: whether a thread is over with this step.
        ready: the threads that may be resumed behind it; None where these are the same as before it.
    """

    resumes: str | None
    begins: bool
    ends: bool
    ready: tuple[str, ...] | None


def decision(turn: Turn, before: Snapshot, program: Program) -> Decision | None:
    """The decision in a step; None where there is none, or no scheduler.

    A thread that hands over tells who is ready then, even if nobody else became so.
    """
    scheduler = program.scheduler
    if scheduler is None or scheduler.running not in before.shared:
        return None
    nobody, after = len(scheduler.threads), turn.after
    ran, runs = before.shared[scheduler.running], after.shared[scheduler.running]
    if runs != nobody and ran == nobody:
        first = next((t.initial for t in program.threads if t.name == turn.thread), None)
        return Decision(turn.thread, before.threads[turn.thread].location == first, False, None)
    now = ready(after, program)
    if now == ready(before, program) and runs == ran:
        return None
    over = runs == nobody != ran and not _goes_on(turn.thread, after, program)
    return Decision(None, False, over, now)


def ready(at: Snapshot, program: Program) -> tuple[str, ...]:
    """The threads that may be resumed, now or as soon as nobody runs."""
    scheduler = program.scheduler
    if scheduler is None or scheduler.running not in at.shared:
        return ()
    return tuple(
        name
        for number, (name, formula) in enumerate(zip(scheduler.threads, scheduler.ready, strict=True))
        if at.shared[scheduler.running] != number and _goes_on(name, at, program) and holds(formula, at.shared)
    )


def _goes_on(name: str, at: Snapshot, program: Program) -> bool:
    """Whether a thread that does not run waits to be resumed: a step sets who runs."""
    thread, scheduler = next((t for t in program.threads if t.name == name), None), program.scheduler
    if thread is None or scheduler is None or name not in at.threads:
        return False
    place = at.threads[name].location
    return any(v == scheduler.running for e in thread.edges if e.source == place for v, _ in e.updates)


def decided(made: Decision) -> str:
    """A decision in words."""
    if made.resumes is not None:
        return f"resumes {made.resumes}"
    return f"ready: {', '.join(made.ready)}" if made.ready else "nobody is ready"


def told_step(text: str, made: Decision | None) -> str:
    """A step of a thread in words: its text, unless it is made up for the scheduler."""
    if made is None:
        return text
    if made.resumes is not None:
        return "begins" if made.begins else "goes on"
    return "ends" if made.ends else text


def of_kernel(program: Program) -> frozenset[Var]:
    """The variables of a scheduler that the user's file does not declare, and who runs: its lane tells what they mean.

    Those of a scheduler in the file are the user's own.
    """
    scheduler = program.scheduler
    if scheduler is None:
        return frozenset()
    kept = (v for v in program.variables if v.of_scheduler)
    foreign = {v.var for v in kept if v.origin.span is None or v.origin.span.source != program.source}
    return frozenset(foreign | {scheduler.running})
