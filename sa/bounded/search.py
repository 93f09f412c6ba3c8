"""The search for runs within growing bounds: more rounds, more unwindings, wider numbers."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sa.automata.automaton import Kind
from sa.automata.rename import own_local
from sa.base.budget import Budget, Event, Report
from sa.base.limits import Unsupported
from sa.bounded.dag import Dag, Memory, TooLarge, loops_of, narrowed, unwound
from sa.bounded.large_blocks import fused
from sa.bounded.rounds import Rounds, add_round, begin, dangers, goes_on, is_used, view
from sa.bounded.run import round_of_last, run_along, script_in
from sa.bounded.schedule import Ends, Schedule, ends_in, part_of
from sa.bounded.shorter_runs import cut, rounds_of, shortened
from sa.bounded.spans import spans
from sa.certificates.run import Run
from sa.explicit.system import System
from sa.smt.bitblast import Circuit, Model
from sa.smt.words import Bit

#: How often a loop may go around whose end follows from known values; points of a thread with such loops, and at all.
KNOWN, FEW, MANY = 256, 1_000, 4_000

#: Rounds after which questions are asked, beside the last one: what holds after one number of rounds holds before.
ASKED = frozenset((1, 2, 3, 6, 12, 24))

#: For how many of these, one after the other, the solver may give up.
PATIENCE = 3


class Bounds(Struct, frozen=True):
    """So many rounds of the threads in this order; numbers of unknown size have `width` bits, or no bounds if None.

    With `narrow`, choices have as many bits, too, although they may be any of more values. The solver may spend
    `rlimit` on each question, in its own units; 0 for no limit. `canonical` leaves out runs that differ from others
    only in the order of independent steps. A `schedule` says who has turns; `part` (number, count) is one of so many
    parts of all runs, which together are all of them.
    """

    rounds: int
    order: tuple[int, ...]
    width: int | None
    rlimit: int = 0
    canonical: bool = True
    schedule: Schedule = ()
    part: tuple[int, int] | None = None
    narrow: bool = False


class Coverage(Struct, frozen=True):
    """Nothing bad happens within these bounds. `loops` of the program, of them `closed` are unwound as far as they go.

    `complete`: no schedule needs more rounds, and nothing else was left out. `scheduled`: only runs of a schedule.
    `partial`: steps and claims that depend on functions were left out. `narrow`: choices had `width` bits, too.
    """

    rounds: int
    unwind: int
    loops: int
    closed: int
    width: int | None
    complete: bool
    scheduled: bool = False
    partial: bool = False
    narrow: bool = False


class Reached(Struct, frozen=True):
    """A run into what is bad about a question, in so many rounds."""

    question: int
    run: Run
    rounds: int


class Task(Struct, frozen=True, eq=False):
    """A program laid out for one unwinding."""

    system: System
    dags: tuple[Dag, ...]
    unwind: int


def task(s: System, unwind: int, exactly: bool, fuses: bool = True, memory: Memory | None = None) -> Task:
    """The threads unwound; unless `exactly`, loops whose end follows from known values are unwound to that end.

    With `fuses`, there are no points at which a switch makes no difference. `memory` is that of other unwindings.
    Raises Unsupported for threads that are too large.
    """
    memory = memory or Memory()
    dags = tuple(_dag(s, thread, unwind, exactly, memory) for thread in range(len(s.threads)))
    return Task(s, tuple(_smaller(s, thread, dag) for thread, dag in enumerate(dags)) if fuses else dags, unwind)


def _dag(s: System, thread: int, unwind: int, exactly: bool, memory: Memory) -> Dag:
    heads = loops_of(s, thread).inside
    ending = frozenset[int]() if exactly else memory.ending.get(thread, frozenset(heads))
    for constants in (True, False):
        while True:
            most = {head: KNOWN if head in ending else unwind for head in heads}
            try:
                dag = unwound(s, thread, most, constants, FEW if ending else MANY, memory)
            except TooLarge:
                if not ending:
                    break
                ending = frozenset()
                continue
            if not dag.open_loops & ending:
                if not exactly:
                    memory.ending[thread] = ending
                return dag
            ending -= dag.open_loops
    raise Unsupported("a thread with more steps than that within these bounds")


def _smaller(s: System, thread: int, dag: Dag) -> Dag:
    """Without points at which a switch makes no difference."""
    claimed = frozenset(v for c in s.claims if c is not None for v in c.free)
    if s.counters[thread] in claimed or any(
        s.counters[thread] in act.condition.free for acts in s.acts for here in acts for act in here
    ):
        return dag
    automaton = s.threads[thread]
    own = {own_local(automaton.name, v.var) for v in automaton.variables if v.kind is Kind.LOCAL}
    rigid = {v.var for v in s.variables.values() if v.kind is Kind.PARAM}
    return fused(dag, (own - claimed) | rigid)


def within(t: Task, bounds: Bounds, budget: Budget, open_: set[int], report: Report) -> Iterator[Reached | Coverage]:
    """Runs into what is bad about the open questions, which are taken out; what was covered after rounds.

    The search ends where the solver has given up too often: that there is no run in few rounds may be hard to see
    where there is one in some more.

    Raises LimitReached, Unsupported among them.
    """
    circuit = Circuit(budget.bounds, bounds.width is not None, budget.seed, bounds.rlimit)
    dags = [narrowed(dag, bounds.width) if bounds.narrow and bounds.width is not None else dag for dag in t.dags]
    found = spans(t.system, dags, bounds.width, budget.bounds)
    # What comes as early as it can may come in a turn that the schedule does not have.
    canonical = bounds.canonical and not bounds.schedule
    rounds = begin(circuit, t.system, dags, bounds.order, found, canonical)
    rounds.inexact = any(one is not dag for one, dag in zip(dags, t.dags, strict=True))
    given_up = 0
    for number in range(1, bounds.rounds + 1):
        add_round(rounds, _ends(t, bounds, number))
        if number not in ASKED and number < bounds.rounds:
            continue
        report(Event("rounds", {"rounds": number, "unwindings": t.unwind, "found": len(t.system.bads) - len(open_)}))
        for reached in _reached(rounds, bounds, open_):
            if reached is None:
                given_up += 1
                break
            open_.discard(reached.question)
            yield reached
        else:
            given_up = 0
        if not open_ or given_up == PATIENCE:
            return
        if given_up:
            continue
        coverage = _coverage(t, rounds, bounds)
        yield coverage
        if coverage.complete:
            return


def _ends(t: Task, bounds: Bounds, number: int) -> Ends | None:
    """Where turns end in a round. Runs in which steps come as early as they can are parted by where the first ends."""
    if bounds.schedule:
        return ends_in(bounds.schedule, number, t.system, t.dags)
    if bounds.part is None or number > 1:
        return None
    return {**dict.fromkeys(range(len(t.dags))), **part_of(*bounds.part, t.dags)}


def _reached(rounds: Rounds, bounds: Bounds, open_: set[int]) -> Iterator[Reached | None]:
    """Runs into what is bad after the rounds so far, for one open question after the other; None where undecided."""
    c, s = rounds.circuit, rounds.system
    possible = dangers(rounds)
    claims: dict[int, Bit] = {}
    for q in sorted(open_):
        claim = s.claims[q]
        if claim is not None:
            claims[q] = c.no(view(rounds, (claim,), {}).bit(claim))
    while open_:
        steps = [d for d in possible if not open_.isdisjoint(d.danger.act.bads)]
        goal = c.some((*(d.bit for d in steps), *(bit for q, bit in claims.items() if q in open_)))
        model = c.check(goal)
        if model is False:
            return
        if not isinstance(model, Model):
            yield None
            return
        step = next((d for d in steps if model.bit(d.bit)), None)
        if step is not None:
            bad = sorted(open_.intersection(step.danger.act.bads))
        else:
            bad = [next(q for q in sorted(open_) if q in claims and model.bit(claims[q]))]
        script = script_in(rounds, model, step)
        for q in bad:
            if bounds.schedule:
                # Its turns are what was asked for.
                shown = cut(s, q, script)
                needed = round_of_last(rounds, model, len(shown.steps))
            else:
                shown = shortened(s, q, script, bounds.order)
                needed = rounds_of(shown, bounds.order)
            yield Reached(q, run_along(s, shown), needed)


def _coverage(t: Task, rounds: Rounds, bounds: Bounds) -> Coverage:
    """What is known when nothing bad was found. Raises LimitReached."""
    c = rounds.circuit
    is_guessed = bool(rounds.spans.guessed)
    loops = sum(dag.loops for dag in t.dags)
    open_ = sum(len(dag.open_loops) for dag in t.dags)
    left_out = is_guessed or rounds.inexact or t.system.partial or bool(bounds.schedule)
    complete = not left_out and c.check(is_used(rounds)) is False
    if complete and open_:
        complete = c.check(goes_on(rounds)) is False
    closed = loops if complete else loops - open_
    width = bounds.width if is_guessed or rounds.inexact else None
    scheduled = bool(bounds.schedule)
    narrow = width is not None and bounds.narrow
    return Coverage(len(rounds.turns), t.unwind, loops, closed, width, complete, scheduled, t.system.partial, narrow)
