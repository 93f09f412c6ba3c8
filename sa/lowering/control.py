"""Structured statements to steps between places: one statement, one edge; tests are steps of their own.

Places are made going forward. A place from which no step leads on (`break`, the end of a block) is made
the same as the place that comes next. In front of a branch of `choose` the place is shared: the first
step of a branch decides, so a loop there must not lead back to it.
"""

from __future__ import annotations

from typing import assert_never

from msgspec import Struct

from sa.automata.automaton import Origin
from sa.lowering.draft import END, Draft, add_step, fresh
from sa.lowering.paths import Path
from sa.lowering.statements import Block, Choose, Do, If, Inlined, Jump, Outcome, Statement, Test, Where, While


class _Loop(Struct, frozen=True):
    """Where `break`, `continue` and `return` lead."""

    breaks: int = END
    continues: int = END
    returns: int = END


def add_statements(draft: Draft, body: Block) -> int:
    """Add the statements of a thread; its first place. A jump out of a loop must be in one."""
    start = fresh(draft)
    _sequence(body, start, END, draft, _Loop(), shared=False)
    return start


def _sequence(block: Block, at: int, then: int, draft: Draft, loop: _Loop, shared: bool = False) -> None:
    """Statements from place `at` on; behind them comes `then`."""
    if shared and _needs_own_place(block):
        first = fresh(draft)
        why = block[0].origin if block else Origin(None, "an empty branch")
        add_step(draft, at, first, (Path(),), (), why)
        at, shared = first, False
    for statement in block:
        at = _statement(statement, at, draft, loop, shared)
        shared = False
    draft.same[at] = then


def _needs_own_place(block: Block) -> bool:
    return not block or isinstance(block[0], Jump) or block[0].name is not None


def _statement(statement: Statement, at: int, draft: Draft, loop: _Loop, shared: bool) -> int:
    """One statement from place `at` on; the place behind it."""
    if isinstance(statement, Jump):
        return _jump(statement, at, draft, loop)
    if not shared and not isinstance(statement, Inlined):
        draft.order.setdefault(at, statement.origin)
    if statement.name is not None:
        draft.names[at] = statement.name
    match statement:
        case Do(step):
            then = fresh(draft)
            _add(draft, at, then, step)
            return then
        case If():
            return _if(statement, at, draft, loop)
        case While():
            return _while(statement, at, draft, loop, shared)
        case Inlined(body):
            then = fresh(draft)
            _sequence(body, at, then, draft, _Loop(returns=then), shared)
            return then
        case Choose(branches):
            then = fresh(draft)
            for branch in branches:
                _sequence(branch, at, then, draft, loop, shared=True)
            return then
        case _:
            assert_never(statement)


def _jump(jump: Jump, at: int, draft: Draft, loop: _Loop) -> int:
    match jump.to:
        case Where.RETURN:
            draft.same[at] = loop.returns
        case Where.BREAK:
            draft.same[at] = loop.breaks
        case Where.CONTINUE:
            draft.same[at] = loop.continues
        case _:
            assert_never(jump.to)
    return fresh(draft)


def _if(statement: If, at: int, draft: Draft, loop: _Loop) -> int:
    then = fresh(draft)
    following = (*(arm.origin for arm in statement.arms[1:]), None)
    for arm, behind in zip(statement.arms, following, strict=True):
        last = behind is None and statement.orelse is None
        inside, otherwise = fresh(draft), then if last else fresh(draft)
        _test(arm.test, at, inside, otherwise, draft)
        _sequence(arm.body, inside, then, draft, loop)
        at = otherwise
        if behind is not None:
            draft.order[at] = behind
    if statement.orelse is not None:
        _sequence(statement.orelse, at, then, draft, loop)
    return then


def _while(statement: While, at: int, draft: Draft, around: _Loop, shared: bool) -> int:
    head = fresh(draft) if shared else at
    inside, then = fresh(draft), fresh(draft)
    for place in dict.fromkeys((at, head)):
        _test(statement.test, place, inside, then, draft)
    if shared:
        draft.order[head] = statement.origin
    last = head if statement.advance is None else fresh(draft)
    _sequence(statement.body, inside, last, draft, _Loop(then, last, around.returns))
    if statement.advance is not None:
        draft.order[last] = statement.advance.origin
        _add(draft, last, head, statement.advance.step)
    return then


def _test(test: Test, at: int, yes: int, no: int, draft: Draft) -> None:
    for target, outcome in ((yes, test.yes), (no, test.no)):
        _add(draft, at, target, outcome)


def _add(draft: Draft, source: int, target: int, step: Outcome) -> None:
    add_step(draft, source, target, step.paths, step.failures, step.origin)
