"""The search behind `ice.py`: what has to be shown, from which candidates, and what counterexamples do to these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from msgspec import Struct, field

from sa.explicit.transition_system import Whole
from sa.invariants import counting_equations, implications
from sa.invariants.counting_equations import Equation
from sa.invariants.features import Seen, values_as_row
from sa.invariants.implications import Arc, excluding
from sa.invariants.random_walks import Move, Moves, taken, walk
from sa.invariants.templates import Amount, Look, looked_at
from sa.smt.assumptions import Switches, Used
from sa.terms import build
from sa.terms.compile import Row
from sa.terms.evaluate import Unevaluable, holds
from sa.terms.sort import Value, default_value
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Clauses that become known for each state that they exclude, and those known already that are used again.
AT_ONCE, USED_AGAIN = 6, 16

#: Steps of the walk from a state that counts as reachable.
WALK = 60


class Ask(Struct, frozen=True, eq=False):
    """A kind of step: when it is taken, what it changes, and whether what is known holds before it.

    `move` is the same for rows; None where the state stays as it is, or is the first one.
    """

    taken: tuple[Term, ...]
    after: Mapping[Var, Term]
    known: bool = True
    move: Move | None = None


class Known(Struct, eq=False):
    """A formula that has to be shown if it is `needed`; `number` is its switch, None where nobody may use it."""

    formula: Term
    number: int | None = None
    candidate: Arc | Equation | None = None
    alive: bool = True
    needed: bool = False


class Shown(Struct, frozen=True, eq=False):
    """After a kind of step these goals hold where the others held before it."""

    ask: Ask
    goals: tuple[Known, ...]
    used: frozenset[Known]


class Search(Struct, eq=False):
    """A search while it runs. `waiting` has goals by kind of step; `made` are formulas that may be used, by switch."""

    w: Whole
    seen: Seen
    switches: Switches
    asks: tuple[Ask, ...]
    equations: list[Equation]
    amounts: tuple[Amount, ...]
    moves: Moves
    random: Random
    made: dict[int, Known] = field(default_factory=dict)
    by_candidate: dict[Arc | Equation, Known] = field(default_factory=dict)
    waiting: dict[Ask, dict[Known, None]] = field(default_factory=dict)
    shown: list[Shown] = field(default_factory=list)


def known(s: Search, formula: Term, candidate: Arc | Equation | None = None) -> Known:
    """A formula that may be used."""
    made = Known(formula, s.switches.add(formula), candidate)
    assert made.number is not None
    s.made[made.number] = made
    if candidate is not None:
        s.by_candidate[candidate] = made
    return made


def need(s: Search, goal: Known) -> None:
    """From now on the formula has to be shown of all steps that change what it says."""
    if not goal.needed:
        goal.needed = True
        for ask in s.asks:
            if not ask.known or not goal.formula.free.isdisjoint(ask.after):
                s.waiting.setdefault(ask, {})[goal] = None


def settle(s: Search, questions: int) -> bool:
    """Show what is waiting, or give it up; whether that came to its end. Raises LimitReached."""
    while ask := max((a for a, goals in s.waiting.items() if goals), key=lambda a: len(s.waiting[a]), default=None):
        goals = tuple(g for g in s.waiting.pop(ask) if g.alive)
        while goals:
            if s.switches.calls >= questions:
                return False
            goals = _asked(s, ask, goals, questions)
    return True


def _asked(s: Search, ask: Ask, goals: tuple[Known, ...], questions: int) -> tuple[Known, ...]:
    """Show the goals after a kind of step; those that are left where some of them cannot be."""
    after = {g: substitute(g.formula, ask.after) for g in goals}
    formulas = (*ask.taken, build.lnot(build.land(*after.values())))
    on = {n: k for n, k in s.made.items() if k.needed} if ask.known else {}
    while s.switches.calls < questions:
        answer = s.switches.check(on, formulas)
        match answer:
            case Used(numbers):
                used = frozenset(on[n] for n in numbers)
                s.shown.append(Shown(ask, goals, used))
                for number in sorted(numbers):
                    need(s, on[number])
                return ()
            case None:
                # Nobody knows which goal was too much; of one alone it is clear.
                if len(goals) == 1:
                    _give_up(s, goals[0])
                else:
                    s.waiting.setdefault(ask, {}).update(dict.fromkeys(goals[: len(goals) // 2]))
                    return goals[len(goals) // 2 :]
                return ()
            case _:
                values = answer.values
        broken = [g for g in goals if _is_false(after[g], values)]
        row = values_as_row(s.w, values)
        fresh = _breaking(s, row, _relevant(s, ask, [after[g] for g in broken])) if ask.known else []
        if not fresh:
            _reached(s, ask, row, values)
            for g in broken:
                _give_up(s, g)
            return tuple(g for g in goals if g.alive)
        on.update((n, k) for k in fresh if (n := k.number) is not None)
    return goals


def _is_false(formula: Term, values: Mapping[Var, Value]) -> bool:
    try:
        return not holds(formula, values)
    except Unevaluable:
        return False


class _Relevant(Struct, frozen=True):
    """The features and amounts that a step or a goal speaks of."""

    features: frozenset[int]
    numbers: frozenset[int]


def _relevant(s: Search, ask: Ask, goals: Sequence[Term]) -> _Relevant:
    spoken = frozenset[Var]().union(*(f.free for f in (*ask.taken, *goals)))
    features = frozenset(n for n, f in enumerate(s.seen.features) if not f.of.isdisjoint(spoken))
    return _Relevant(features, frozenset(n for n, a in enumerate(s.amounts) if not a.term.free.isdisjoint(spoken)))


def _breaking(s: Search, row: Row, relevant: _Relevant) -> list[Known]:
    """Candidates that a state breaks, which become known now if they were not before."""
    look = looked_at(s.amounts, row, s.seen.words(row))
    found = list[Known]()
    for k in s.made.values():
        if k.alive and not k.needed and k.candidate is not None and not _keeps(k.candidate, look):
            found.append(k)
    if found:
        return found[:USED_AGAIN]
    clauses = excluding(s.seen, look[1], relevant.features, AT_ONCE)
    asked = s.equations if relevant.numbers or not clauses else ()
    told = [e for e in asked if e not in s.by_candidate and not e.holds(look)]
    for equation in sorted(told, key=lambda e: (not e.entries & relevant.numbers, len(e.counted)))[:AT_ONCE]:
        found.append(known(s, counting_equations.written(equation, s.seen, s.amounts), equation))
    for arc in clauses:
        if arc not in s.by_candidate:
            found.append(known(s, implications.written(arc, s.seen), arc))
    return found


def _keeps(candidate: Arc | Equation, look: Look) -> bool:
    return candidate.holds(look[1]) if isinstance(candidate, Arc) else candidate.holds(look)


def _reached(s: Search, ask: Ask, row: Row, values: Mapping[Var, Value]) -> None:
    """A state that breaks no candidate counts as reachable, and what the step makes of it."""
    if ask.move is not None:
        choices = ask.move.arc.choices
        full = (*row, *(values.get(c.var, default_value(c.var.sort)) for c in choices))
        after = taken(ask.move, full, len(row))
        if after is None:
            return
        row = after
    elif ask.known:
        return
    else:
        row = (*s.w.start, *row[len(s.w.start) :])
    # What all candidates allow is kept by those among them that are inductive, and so is what any steps lead to.
    rows = tuple(dict.fromkeys(walk(s.moves, row, s.random, s.seen.count, WALK)))
    s.seen.look(rows)
    for row in rows:
        look = looked_at(s.amounts, row, s.seen.words(row))
        s.equations = [e for e in s.equations if e.holds(look)]
        for k in list(s.made.values()):
            if k.alive and k.candidate is not None and not _keeps(k.candidate, look):
                _give_up(s, k)


def _give_up(s: Search, goal: Known) -> None:
    """The formula does not hold, as far as is known; what was shown from it has to be shown again."""
    goal.alive = False
    if goal.number is not None:
        s.made.pop(goal.number, None)
    left = list[Shown]()
    for shown in s.shown:
        if goal in shown.used:
            s.waiting.setdefault(shown.ask, {}).update((g, None) for g in shown.goals if g.alive)
        else:
            left.append(shown)
    s.shown = left


def rests_on(s: Search, goals: Sequence[Known]) -> Iterator[Known]:
    """What was used to show these goals, and to show that, and so on."""
    found = dict.fromkeys(goals)
    growing = True
    while growing:
        growing = False
        for shown in s.shown:
            if any(g in found for g in shown.goals) and not all(k in found for k in shown.used):
                found.update(dict.fromkeys(shown.used))
                growing = True
    yield from found
