"""`refine --preserve` of threads with declared environments: each by itself, beside what it relies on."""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location, Origin
from sa.automata.program import Program
from sa.automata.trace import Configuration
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.goal import Goal
from sa.certificates.preservation import Following, Kept, Parting, PartingThread, ThreadByThread
from sa.certificates.run import Ending, Run, Snapshot, Turn, turn_of
from sa.checker.surroundings import SURROUNDINGS, with_surroundings
from sa.engines.following import HOW, followed, followed_in_rounds, parted
from sa.engines.options import Options
from sa.engines.outcome import Outcome, Preservation
from sa.terms.build import TRUE, variable
from sa.terms.name import staged
from sa.terms.substitute import sided

#: The environment as a thread beside the one that is compared.
ENVIRONMENT = "environment"


def thread_by_thread(outcome: Outcome, concrete: Program, kept: Kept, options: Options) -> Preservation:
    """Whether each thread preserves it in its environment. Raises LimitReached."""
    limits, seed = options.limits, options.seed
    parts, open_ = list[Following](), list[str]()
    for number, result in enumerate(outcome.results):
        made = followed(result.goal, kept, result.relation, limits, seed)
        goal = with_surroundings(result.goal) if made is None and kept is Kept.TERMINATION else None
        against = None if goal is None else parted(goal, limits, seed)
        if goal is not None and against is not None:
            own = next(t for t in concrete.threads if t.name == goal.concrete.name)
            return not_preserved(own, goal, against, number)
        if made is None and kept is Kept.TERMINATION:
            made = followed_in_rounds(result.goal, result.relation, limits, seed)
        if made is None:
            open_.append(result.goal.name)
        else:
            parts.append(made)
    if open_:
        why = Unknown(Reason.BOUND, f"neither ranks in a relation nor a run that goes on was found for `{open_[0]}`")
        return Preservation(kept, Verdict.UNKNOWN, unknown=why)
    return Preservation(kept, Verdict.PROVED, HOW[kept], evidence=ThreadByThread(tuple(parts)))


def not_preserved(own: Automaton, goal: Goal, against: Parting, number: int = 0) -> Preservation:
    """That a thread goes on for ever in its environment, which is a part of the goal; `number` is that of the goal."""
    shown, beside = _run(own, goal, against)
    evidence = PartingThread(number, against)
    return Preservation(Kept.TERMINATION, Verdict.REFUTED, "", shown, None, evidence, goal, (own, beside))


def _run(own: Automaton, goal: Goal, found: Parting) -> tuple[Run, Automaton]:
    """The run as one of the thread beside its environment, which is a thread, too."""
    shared = tuple(v for v in own.variables if v.kind is not Kind.LOCAL)
    why = Origin(None, "a step of the environment")
    changing = tuple(v for v in shared if v.kind is Kind.GLOBAL)
    choices = tuple(replace(v, var=variable(staged(v.var.name, ENVIRONMENT), v.var.sort)) for v in changing)
    updates = tuple((v.var, c.var) for v, c in zip(changing, choices, strict=True))
    step = Edge("open", "open", None, TRUE, updates, choices, why)
    beside = Automaton(ENVIRONMENT, shared, (Location("open", TRUE, None, why),), "open", TRUE, (step,), why)
    (begun,) = found.lasso.run.start.threads.values()
    side = partial(sided, side="conc")
    values = {v.var: begun.values[v.var if v.kind is Kind.PARAM else side(v.var)] for v in own.variables}
    known = {v.var: values[v.var] for v in shared}
    places = {own.name: Configuration(own.initial, values), ENVIRONMENT: Configuration("open", known)}
    here = start = Snapshot(known, places)
    numbers = {id(e): n for n, e in enumerate(goal.concrete.edges)}
    turns = list[Turn]()
    for turn in found.lasso.run.turns:
        label = turn.move.edge.label
        if label is not None and label.action == SURROUNDINGS:
            picked = dict(zip((c.var for c in choices), turn.move.choices.values(), strict=True))
            turns.append(turn_of(ENVIRONMENT, step, picked, here))
        else:
            edge = own.edges[numbers[id(turn.move.edge)]]
            picked = {c.var: turn.move.choices[side(c.var)] for c in edge.choices}
            turns.append(turn_of(own.name, edge, picked, here))
        here = turns[-1].after
    return Run(start, tuple(turns), Ending.REPEATED, found.lasso.run.cycle), beside
