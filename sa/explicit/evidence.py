"""What a search found, as evidence: a run into something bad, or all states as the proof that there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from sa.automata.program import Axiom
from sa.automata.ranges import within
from sa.certificates.run import Bad, Ending, Run
from sa.certificates.states import States
from sa.explicit.instantiate import Row, extensions, picks
from sa.explicit.layout import TooWide, known, placed
from sa.explicit.moves import WAYS
from sa.explicit.search import Search
from sa.explicit.system import Act
from sa.explicit.transition_system import Arc, run_of
from sa.terms.build import conjuncts, land
from sa.terms.compile import executable
from sa.terms.evaluate import Unevaluable, evaluate, holds
from sa.terms.sort import BOOL, Value, number
from sa.terms.term import Var

#: How many partial initial states are looked at for one that fits.
_STARTS = 200_000


def proof(found: Search, never: Sequence[Bad], axioms: tuple[Axiom, ...]) -> States:
    """All states of a complete search that found nothing of what never happens."""
    s = found.system
    fields = known(found.layout)
    return States(s.threads, fields, s.kept, found.first, found.reached, tuple(never), axioms)


def run_into(found: Search, question: int) -> Run | None:
    """The run into what is bad about a question.

    None where what the search left out as of no matter has no values, so that there is no such run.
    """
    path = [found.bad[question]]
    while (before := found.before(path[-1])) != path[-1]:
        path.append(before)
    path.reverse()
    try:
        return _retraced(found, path, question)
    except Unevaluable:
        return None


class Traced(Struct, frozen=True):
    """A way through states: the values at its start, its steps with those of their choices, the values at its end."""

    start: Mapping[Var, Value]
    script: tuple[tuple[Arc, Row], ...]
    end: Mapping[Var, Value]


def traced(found: Search, first: int, way: Sequence[tuple[int | None, int]]) -> Traced | None:
    """A way from an initial state by threads, any where None, and states they lead to, all packed. Raises Unevaluable.

    None where what the search left out has no values.
    """
    s = found.system
    values = start_of(found, first)
    if values is None:
        return None
    here: dict[Var, Value] = {**values, **dict(zip(s.counters, s.start, strict=True))}
    script = list[tuple[Arc, Row]]()
    for thread, state in way:
        steps = (x for x in _steps(found, here, s.acts) if thread in (None, x[0].arc.thread))
        step = next((x for x in steps if _packed(found, x[2]) == state), None)
        if step is None:
            return None
        act, picked, here = step
        script.append((act.arc, picked))
    return Traced(values, tuple(script), here)


def _retraced(found: Search, path: Sequence[int], question: int) -> Run | None:
    s = found.system
    way = traced(found, path[0], [(None, state) for state in path[1:]])
    if way is None:
        return None
    values, script, here = way.start, way.script, way.end
    claim = s.claims[question]
    if claim is not None and not holds(claim, here):
        return run_of(s.threads, values, script, Ending.VIOLATED)
    for act, picked, _ in _steps(found, here, s.acts):
        if question in act.bads:
            return run_of(s.threads, values, [*script, (act.arc, picked)], Ending.FAILED)
    return None


def start_of(found: Search, state: int) -> dict[Var, Value] | None:
    """Initial values of all variables that look like the state; None where what the search left out has no values."""
    s = found.system
    looks = {
        v: value_in_state(found, state, v) for v in found.layout.slots if v not in s.counters and _is_kept(found, v)
    }
    formula = land(s.init, *(f for v in s.variables.values() for f in conjuncts(within(v))))
    if not executable((formula,), tuple(s.variables)):
        return None
    given = tuple(looks)
    unknown = [v for v in s.variables.values() if v.var not in looks]
    row = tuple(looks.values())
    if not unknown:
        return looks if holds(formula, looks) else None
    rows, _ = extensions(picks(formula, given, unknown, found.pool, 2), row, _STARTS)
    return None if not rows else {**looks, **dict(zip((v.var for v in unknown), rows[0], strict=True))}


def _is_kept(found: Search, v: Var) -> bool:
    s = found.system
    return v in s.shared or any(v in kept[place] for kept, place in zip(s.kept, s.start, strict=True))


def value_in_state(found: Search, state: int, v: Var) -> Value:
    """The value of a variable that is kept in a packed state."""
    slot = found.layout.slots[v]
    if slot.table is not None:
        return slot.table.values[state >> slot.shift & slot.mask]
    value = (state >> slot.shift & slot.mask) + slot.low
    return bool(value) if v.sort == BOOL else value


def _packed(found: Search, values: Mapping[Var, Value]) -> int:
    s, slots = found.system, found.layout.slots
    places = [number(values[c]) for c in s.counters]
    kept = s.shared.union(*(k[place] for k, place in zip(s.kept, places, strict=True)), s.counters)
    try:
        return sum(placed(slots[v], values[v]) for v in kept)
    except TooWide:
        return -1


def _steps(
    found: Search, here: Mapping[Var, Value], acts: Sequence[Sequence[Sequence[Act]]]
) -> Iterator[tuple[Act, Row, dict[Var, Value]]]:
    """All steps from a state, with the values of their choices and the states after them, invariants looked at."""
    s = found.system
    for thread, counter in enumerate(s.counters):
        for act in acts[thread][number(here[counter])]:
            for picked in _picked(found, act, here):
                scope = {**here, **dict(zip((c.var for c in act.arc.choices), picked, strict=True))}
                if (after := _after(act, scope)) is not None:
                    yield act, picked, {**here, **after, counter: act.arc.target}


def _after(act: Act, scope: Mapping[Var, Value]) -> dict[Var, Value] | None:
    """What a step changes; None where it is not possible, or depends on functions that nobody can evaluate."""
    try:
        if holds(act.arc.guard, scope) and holds(act.condition, scope):
            return {v: evaluate(t, scope) for v, t in act.arc.updates.items()}
    except Unevaluable:
        pass
    return None


def _picked(found: Search, act: Act, here: Mapping[Var, Value]) -> Iterable[Row]:
    if not act.arc.choices:
        return ((),)
    formula = land(act.arc.guard, act.condition)
    given = tuple(v for v in here if v in formula.free)
    how = picks(formula, given, act.arc.choices, found.pool, WAYS)
    return extensions(how, tuple(here[v] for v in given), WAYS)[0]
