"""Runs of a whole program, thread by thread interleaved, over arbitrary integers: seeded, scripted or picked.

A step is a component step of one thread that keeps the invariants of all threads' locations, as in their
composition (Definition 3). Relies play no part: the threads are each other's environment. Values that nothing
determines are small ones; that none was found there is reported as such and means nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from sa.automata.automaton import FAIL, Automaton, Kind, Variable, edges_from, location_of, variables_of
from sa.automata.program import Program
from sa.automata.rename import apart
from sa.automata.trace import Configuration
from sa.certificates.run import Ending, Run, Snapshot, Turn, turn_of
from sa.explicit.instantiate import at_random, extensions, interesting, picks
from sa.terms.build import land
from sa.terms.evaluate import holds
from sa.terms.sort import Value
from sa.terms.substitute import local_of
from sa.terms.term import Term, Var

#: How many ways to choose values are offered for one edge.
WAYS = 8

#: Small values, those near zero first; so many values of a range are tried, and so many are looked at for one formula.
SMALL, LOOKS = tuple(sorted(range(-4, 13), key=abs)), 5_000


class NoStart(Exception):
    """No initial state was found; that none exists is not shown."""


class NoSuchTurn(Exception):
    """A script asks for a step that is not possible: its place in the script and what is possible there."""

    def __init__(self, place: int, thread: str, possible: tuple[Turn, ...]) -> None:
        super().__init__(f"step {place + 1} of the script: {thread} cannot move so")
        self.place = place
        self.thread = thread
        self.possible = possible


def starts(program: Program, seed: int | None = None) -> Iterator[Snapshot]:
    """Initial states, as far as small values make some. Without a seed, simple values first."""
    owned = [apart(thread) for thread in program.threads]
    variables = dict.fromkeys(v for a in owned for v in a.variables) or dict.fromkeys(program.variables)
    unknown: dict[Var, Variable] = {}
    for v in (*program.variables, *variables):
        unknown.setdefault(v.var, v)
    init = land(program.init, *(land(a.init, location_of(a, a.initial).inv) for a in owned))
    rng = None if seed is None else Random(seed)
    for values in _witnesses(init, tuple(unknown.values()), {}, rng, LOOKS):
        shared = {v.var: values[v.var] for v in program.variables}
        yield Snapshot(shared, {t.name: _initial(t, shared, values) for t in program.threads})


def _initial(thread: Automaton, shared: Mapping[Var, Value], values: Mapping[Var, Value]) -> Configuration:
    own = {v: values[local_of(v, thread.name)] for v in variables_of(thread, Kind.LOCAL)}
    return Configuration(thread.initial, {**shared, **own})


def _witnesses(
    formula: Term, unknown: Sequence[Variable], known: Mapping[Var, Value], rng: Random | None, most: int
) -> Iterator[dict[Var, Value]]:
    """At most so many choices of values that make the formula true; simple ones first, or any ones of `rng`."""
    given = tuple(v for v in known if v in formula.free)
    row, pool = tuple(known[v] for v in given), dict.fromkeys((*SMALL, *interesting((formula,))))
    how = picks(formula, given, unknown, tuple(pool), LOOKS)
    drawn = [] if rng is None else [at_random(how, row, rng) for _ in range(WAYS if how.stages else 1)]
    found = dict.fromkeys(values for values in drawn if values is not None)
    if not found:
        # Where an earlier value leaves none for a later one, other values of it are tried as well.
        found = dict.fromkeys(extensions(how, row, LOOKS)[0])
    for values in list(found)[:most]:
        yield {v.var: x for v, x in zip(unknown, values, strict=True)}


def possible_turns(program: Program, here: Snapshot, rng: Random | None = None) -> tuple[Turn, ...]:
    """The steps from a state, thread by thread; of an edge that chooses values at most WAYS ways."""
    return tuple(turn for thread in program.threads for turn in _turns_of(program, thread, here, rng))


def _turns_of(program: Program, thread: Automaton, here: Snapshot, rng: Random | None) -> Iterator[Turn]:
    values = here.threads[thread.name].values
    for edge in edges_from(thread)[here.threads[thread.name].location]:
        for choices in _witnesses(edge.guard, edge.choices, values, rng, WAYS):
            turn = turn_of(thread.name, edge, choices, here)
            if _keeps_invariants(program, turn.after):
                yield turn


def _keeps_invariants(program: Program, there: Snapshot) -> bool:
    configurations = [(t, there.threads[t.name]) for t in program.threads]
    return all(holds(location_of(t, c.location).inv, c.values) for t, c in configurations)


def ending_of(program: Program, here: Snapshot, last: Turn | None) -> Ending | None:
    """Why a run ends in a state, None where it can go on. `last` is the step that led there."""
    if last is not None and last.move.edge.label is not None and last.move.edge.label.action == FAIL:
        return Ending.FAILED
    if possible_turns(program, here):
        return None
    waiting = [edges_from(t)[here.threads[t.name].location] for t in program.threads]
    if not any(waiting):
        return Ending.FINISHED
    return Ending.UNDECIDED if any(edge.choices for edges in waiting for edge in edges) else Ending.BLOCKED


def seeded_run(program: Program, seed: int, steps: int) -> Run:
    """A run in which the seed decides who moves and which values are chosen. Raises NoStart, Unevaluable."""
    rng = Random(seed)
    here = start = _some_start(program, seed)
    turns: list[Turn] = []
    while len(turns) < steps:
        ending = ending_of(program, here, turns[-1] if turns else None)
        if ending is not None:
            return Run(start, tuple(turns), ending)
        by_thread: dict[str, list[Turn]] = {}
        for turn in possible_turns(program, here, rng):
            by_thread.setdefault(turn.thread, []).append(turn)
        # A thread first, so that threads with many choices do not move more often.
        turns.append(rng.choice(by_thread[rng.choice(list(by_thread))]))
        here = turns[-1].after
    return Run(start, tuple(turns), ending_of(program, here, turns[-1] if turns else None) or Ending.STOPPED)


def _some_start(program: Program, seed: int | None) -> Snapshot:
    for start in starts(program, seed):
        return start
    raise NoStart("no initial state was found among small values")


def scripted_run(program: Program, script: Sequence[tuple[str, int]]) -> Run:
    """The run in which each entry names a thread and which of its possible steps it takes, from 0.

    Raises NoStart, NoSuchTurn and Unevaluable.
    """
    here = first = _some_start(program, None)
    turns: list[Turn] = []
    for place, (thread, number) in enumerate(script):
        possible = possible_turns(program, here)
        mine = [turn for turn in possible if turn.thread == thread]
        if not 0 <= number < len(mine):
            raise NoSuchTurn(place, thread, possible)
        turns.append(mine[number])
        here = turns[-1].after
    return Run(first, tuple(turns), ending_of(program, here, turns[-1] if turns else None) or Ending.STOPPED)
