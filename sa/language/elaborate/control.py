"""Structured statements to steps between places: one statement, one edge; tests are steps of their own.

Places are made going forward. A place from which no step leads on (`break`, the end of a block) is made
the same as the place that comes next. In front of a branch of `choose` the place is shared: the first
step of a branch decides, so a loop there must not lead back to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sa.automata.automaton import Origin
from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.context import Context, complain, one_step, within
from sa.language.elaborate.execute import run
from sa.language.elaborate.expressions import boolean
from sa.language.elaborate.locals import initial_local, local_step
from sa.language.names import Scope
from sa.lowering.draft import END, Draft, add_step, fresh, origin
from sa.lowering.paths import Path, assume, demand
from sa.terms import build
from sa.terms.term import Term

_JUMPS = (syntax.Break, syntax.Continue, syntax.Return)
_COMPOUND = (syntax.If, syntax.While, syntax.Choose)


@dataclass(frozen=True, slots=True)
class Around:
    """What surrounds a statement: its scope, and where `break` and `continue` lead."""

    context: Context
    breaks: int | None = None
    continues: int | None = None


def thread_body(body: syntax.Block, draft: Draft, context: Context) -> int:
    """Read the statements of a thread; its first place."""
    scope = Scope(context.scope)
    around = Around(within(context, scope))
    leading = 0
    for statement in body.statements:
        if not is_initial(statement):
            break
        assert isinstance(statement.action, syntax.Local)
        initial_local(statement.action, draft, around.context)
        leading += 1
    start = fresh(draft)
    _sequence(body.statements[leading:], start, END, draft, around, shared=False)
    return start


def is_initial(statement: syntax.Statement) -> bool:
    """Whether a statement at the top of a thread declares a local of the initial state."""
    return isinstance(statement.action, syntax.Local) and statement.name is None and statement.label is None


def _block(block: syntax.Block, at: int, then: int, draft: Draft, around: Around, shared: bool = False) -> None:
    inner = replace(around, context=within(around.context, Scope(around.context.scope)))
    _sequence(block.statements, at, then, draft, inner, shared)


def _sequence(
    statements: tuple[syntax.Statement, ...], at: int, then: int, draft: Draft, around: Around, shared: bool
) -> None:
    """Statements from place `at` on; behind them comes `then`."""
    if shared and _needs_own_place(statements):
        first = fresh(draft)
        why = origin(statements[0].span) if statements else Origin(None, "an empty branch")
        add_step(draft, at, first, [Path()], (), why)
        at, shared = first, False
    for statement in statements:
        at = _statement(statement, at, draft, around, shared)
        shared = False
    draft.same[at] = then


def _needs_own_place(statements: tuple[syntax.Statement, ...]) -> bool:
    if not statements or statements[0].name is not None:
        return True
    return isinstance(statements[0].action, _JUMPS)


def _statement(statement: syntax.Statement, at: int, draft: Draft, around: Around, shared: bool) -> int:
    """One statement from place `at` on; the place behind it."""
    if isinstance(statement.action, _JUMPS):
        return _jump(statement, at, draft, around)
    if not shared:
        draft.order.setdefault(at, origin(statement.span))
    if statement.name is not None:
        draft.names[at] = Origin(statement.name.span, statement.name.name)
    if isinstance(statement.action, _COMPOUND) and statement.label is not None:
        hint = "label a statement inside of it"
        complain(around.context, "SA305", "a label belongs to a single step", statement.label.span, hint)
    match statement.action:
        case syntax.If():
            return _if(statement.action, at, draft, around)
        case syntax.While():
            return _while(statement.action, at, draft, around, shared)
        case syntax.Choose(branches):
            then = fresh(draft)
            for branch in branches:
                _block(branch, at, then, draft, around, shared=True)
            return then
        case _:
            return _step(statement, at, draft, around)


def _step(statement: syntax.Statement, at: int, draft: Draft, around: Around) -> int:
    then = fresh(draft)
    context = around.context
    execution = one_step(context, draft.holder)
    if isinstance(statement.action, syntax.Local):
        if statement.label is not None:
            complain(context, "SA305", "a declaration has no label", statement.label.span, "label an assignment")
        paths = local_step(statement.action, draft, execution)
    else:
        paths = run(statement, [Path()], execution)
    add_step(draft, at, then, paths, execution.step.failures, origin(statement.span))
    return then


def _jump(statement: syntax.Statement, at: int, draft: Draft, around: Around) -> int:
    match statement.action:
        case syntax.Return():
            target: int | None = END
        case syntax.Break():
            target = around.breaks
        case _:
            target = around.continues
    if statement.name is not None or statement.label is not None:
        complain(around.context, "SA305", "a jump is no step, so it has no name or label", statement.span)
    if target is None:
        complain(around.context, "SA307", "there is no loop here", statement.span)
        target = END
    draft.same[at] = target
    return fresh(draft)


def _if(action: syntax.If, at: int, draft: Draft, around: Around) -> int:
    then = fresh(draft)
    for position, arm in enumerate(action.arms):
        last = position == len(action.arms) - 1 and action.orelse is None
        inside, otherwise = fresh(draft), then if last else fresh(draft)
        _test(arm.condition, arm.span, at, inside, otherwise, draft, around)
        _block(arm.body, inside, then, draft, around)
        at = otherwise
        if not last and position < len(action.arms) - 1:
            draft.order[at] = origin(action.arms[position + 1].span)
    if action.orelse is not None:
        _block(action.orelse, at, then, draft, around)
    return then


def _while(action: syntax.While, at: int, draft: Draft, around: Around, shared: bool) -> int:
    head = fresh(draft) if shared else at
    inside, then = fresh(draft), fresh(draft)
    for place in dict.fromkeys((at, head)):
        _test(action.condition, action.head, place, inside, then, draft, around)
    if shared:
        draft.order[head] = origin(action.span)
    _block(action.body, inside, head, draft, replace(around, breaks=then, continues=head))
    return then


def _test(
    condition: syntax.Expression | None, span: Span, at: int, yes: int, no: int, draft: Draft, around: Around
) -> None:
    """A silent step for each outcome of a test."""
    text = origin(span).text
    execution = one_step(around.context, draft.holder)
    if condition is None:
        for target, answer in ((yes, "goes in"), (no, "goes on")):
            add_step(draft, at, target, [Path()], (), Origin(span, f"{text}: {answer}"))
        return
    undefined = list[Term]()
    term = boolean(condition, replace(around.context, undefined=undefined))
    safe = demand(Path(), undefined, condition.span, execution.step)
    if term is None or safe is None:
        return
    for target, outcome, answer in ((yes, term, "true"), (no, build.lnot(term), "false")):
        way = assume(safe, outcome)
        why = Origin(span, f"{text}: {answer}")
        add_step(draft, at, target, [] if way is None else [way], execution.step.failures, why)
        execution.step.failures.clear()
