"""All abstract answers from one state: silent runs, with one visible step where the label asks for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Label
from sa.certificates.relation import TURN
from sa.game import choices
from sa.game.board import Board
from sa.game.runs import Bounds, Run, changes_links, extend, may_follow, turned
from sa.smt.session import Session
from sa.terms import build
from sa.terms.evaluate import State, evaluate, holds
from sa.terms.name import staged
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: A run's end in a state: where, whether the label was shown, the values there, and what is known of open choices.
_Snapshot: TypeAlias = tuple[str, bool, tuple[object, ...], tuple[Term, ...]]


class Exploration(Struct, frozen=True):
    """All runs that answer from a state; `refused` is why there are no others: together it implies that.

    `exhausted` is False where a bound or a choice among infinitely many values cut the search.
    """

    runs: tuple[Run, ...]
    refused: tuple[choices.Refusal, ...]
    exhausted: bool


def explore(
    board: Board,
    begin: Run,
    label: Label | None,
    state: State,
    bounds: Bounds,
    session: Session | None = None,
    thread: int | None = None,
) -> Exploration:
    """The answers to `label` (values over the state before the step) from a state, going on from `begin`.

    With a `thread` only those in which no other thread moves, and then `refused` does not say that there are no more.
    Choices among infinitely many values stay open; without a session, which must settle them, they are left out.
    Raises NotSettled.
    """
    pending = deque([begin])
    seen = {_snapshot(begin, state): begin}
    runs, refused, exhausted = list[Run](), dict[choices.Refusal, None](), True
    while pending:
        run = pending.popleft()
        if run.labelled == (label is not None):
            runs.append(run)
        for longer, conditions in _longer(board, run, label, state, session is not None, thread):
            if longer.open and session is None:
                exhausted = False
            elif (why := _refused(session, longer, conditions, state)) is not None:
                refused.update(dict.fromkeys((*longer.decisions, why)))
            elif (snapshot := _snapshot(longer, state)) in seen:
                refused.update(dict.fromkeys((*longer.decisions, *_repeats(longer, seen[snapshot], state))))
            elif len(seen) >= bounds.states or _too_long(board, longer, bounds, state):
                exhausted = False
            else:
                seen[snapshot] = longer
                pending.append(longer)
    return Exploration(tuple(runs), tuple(refused), exhausted)


def _longer(
    board: Board, run: Run, label: Label | None, state: State, with_turns: bool, thread: int | None
) -> Iterator[tuple[Run, Iterable[Term]]]:
    """The run with one edge more, or turns of a cycle, each way, and the conditions to look at for that."""
    for number, edge in board.abstract.edges[run.location]:
        if not may_follow(edge, label, run) or not _is_of(board, number, thread):
            continue
        instances, opened = choices.instances_of(edge, len(run.edges), label)
        for choice in instances:
            # Terms grow with every turn of a loop unless its conditionals are decided.
            again = state if number in run.edges and not (run.open or opened) else None
            conditions, longer = extend(board, run, number, edge, choice, label, again)
            if run.open or opened:
                longer, _ = choices.narrowed(replace(longer, open=(*run.open, *opened)), ())
                conditions = longer.condition
            yield longer, conditions
    for cycle in board.cycles.get(run.location, ()) if with_turns else ():
        if all(t.cycle != cycle.edges for t in run.turns) and all(_is_of(board, n, thread) for n in cycle.edges):
            count = build.variable(staged("turns", f"{len(run.edges)}.{len(run.turns)}"), TURN.sort)
            longer, _ = choices.narrowed(replace(turned(run, cycle, count), open=(*run.open, count)), ())
            yield longer, longer.condition


def _is_of(board: Board, number: int, thread: int | None) -> bool:
    """Whether no other thread moves along an abstract edge."""
    return thread is None or board.abstract.movers[number] in (None, thread)


def _refused(session: Session | None, run: Run, conditions: Iterable[Term], state: State) -> choices.Refusal | None:
    """Why the run cannot be taken from a state; None if it can."""
    if run.open and session is not None:
        return choices.refusal(session, run.condition, run, state)
    false = next((c for c in conditions if not holds(c, state)), None)
    return None if false is None else build.lnot(false)


def _too_long(board: Board, run: Run, bounds: Bounds, state: State) -> bool:
    if bounds.repeats is not None and run.edges and run.edges.count(run.edges[-1]) > bounds.repeats:
        return True
    edges = board.abstract.automaton.edges
    # However many turns are made they count once: what they do together is one term.
    taken = (*run.edges, *(n for t in run.turns for n in t.cycle))
    if bounds.shared is None or sum(changes_links(board, edges[n]) for n in taken) <= bounds.shared:
        return False
    # A lock released and taken again, or a value that is written over.
    return not bounds.detours or sum(_is_changed(run, v, t, state) for v, t in board.links.items()) > bounds.shared


def _is_changed(run: Run, var: Var, before: Term, state: State) -> bool:
    """Whether a variable that ι determines has another value at the end of a run, or may have one with open choices."""
    after = run.values[var]
    if after is before:
        return False
    return not after.free.isdisjoint(run.open) or evaluate(after, state) != evaluate(before, state)


def _snapshot(run: Run, state: State) -> _Snapshot:
    if not run.open:
        return run.location, run.labelled, tuple(evaluate(t, state) for t in run.values.values()), ()
    point = {v: build.constant(x, v.sort) for v, x in state.items()}
    return run.location, run.labelled, *_renamed(run, point)


def _renamed(run: Run, point: Mapping[Var, Term]) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """The values at the end and what is known of the open choices that they depend on, these named in order.

    Other conditions can be satisfied whatever these choices are.
    """
    values = [substitute(t, point) for t in run.values.values()]
    about = (c for c in run.condition if not c.free.isdisjoint(run.open))
    conditions = build.conjoined(substitute(c, point) for c in about)
    live = dict.fromkeys(v for t in values for v in sorted(t.free, key=lambda v: v.key) if v in run.open)
    kept = dict[Term, None]()
    while more := [c for c in conditions if c not in kept and not c.free.isdisjoint(live)]:
        kept.update(dict.fromkeys(more))
        live.update(dict.fromkeys(v for c in more for v in sorted(c.free, key=lambda v: v.key) if v in run.open))
    names: dict[Var, Term] = {v: build.variable(staged("open", i), v.sort) for i, v in enumerate(live)}
    ordered = sorted({substitute(c, names) for c in kept}, key=lambda c: c.key)
    return tuple(substitute(t, names) for t in values), tuple(ordered)


def _repeats(run: Run, earlier: Run, state: State) -> Iterator[Term]:
    """The state repeats: going on from it again leads nowhere new."""
    if not run.open:
        for var, term in run.values.items():
            same = build.eq(term, earlier.values[var])
            if same is not build.TRUE:
                yield same
        return
    ends = [_renamed(r, {}) for r in (run, earlier)]
    if ends[0] != ends[1]:
        mentioned = frozenset[Var]().union(*(t.free for end in ends for part in end for t in part))
        for var in sorted(mentioned.intersection(state), key=lambda v: v.key):
            yield build.eq(var, build.constant(state[var], var.sort))
