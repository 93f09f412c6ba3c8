"""The statements of a thread as `sa.lowering.statements`: names are resolved, and what each step does is known."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.context import Context, complain, one_step, within
from sa.language.elaborate.execute import run
from sa.language.elaborate.expressions import boolean
from sa.language.elaborate.locals import initial_local, local_step
from sa.language.names import Scope
from sa.lowering.draft import Draft, origin
from sa.lowering.paths import Path, index_faults
from sa.lowering.statements import (
    NO_STEP,
    Arm,
    Block,
    Choose,
    Do,
    If,
    Jump,
    Outcome,
    Statement,
    Test,
    Where,
    While,
    test_of,
)
from sa.terms.term import Term

_COMPOUND = (syntax.If, syntax.While, syntax.Choose)


class Around(Struct, frozen=True):
    """What surrounds a statement: its scope, the thread's variables, and whether it is in a loop."""

    context: Context
    draft: Draft
    in_loop: bool = False


def thread_body(body: syntax.Block, draft: Draft, context: Context) -> Block:
    """Read the statements of a thread; the locals in front of them are declared in the draft."""
    around = Around(within(context, Scope(context.scope)), draft)
    leading = 0
    for statement in body.statements:
        if not is_initial(statement):
            break
        assert isinstance(statement.action, syntax.Local)
        initial_local(statement.action, draft, around.context)
        leading += 1
    return _sequence(body.statements[leading:], around)


def is_initial(statement: syntax.Statement) -> bool:
    """Whether a statement at the top of a thread declares a local of the initial state."""
    return isinstance(statement.action, syntax.Local) and statement.name is None and statement.label is None


def _block(block: syntax.Block, around: Around) -> Block:
    return _sequence(block.statements, replace(around, context=within(around.context, Scope(around.context.scope))))


def _sequence(statements: tuple[syntax.Statement, ...], around: Around) -> Block:
    return tuple(_statement(s, around) for s in statements)


def _statement(statement: syntax.Statement, around: Around) -> Statement:
    if isinstance(statement.action, (syntax.Break, syntax.Continue, syntax.Return)):
        return _jump(statement, statement.action, around)
    if isinstance(statement.action, _COMPOUND) and statement.label is not None:
        hint = "label a statement inside of it"
        complain(around.context, "SA305", "a label belongs to a single step", statement.label.span, hint)
    name = None if statement.name is None else Origin(statement.name.span, statement.name.name)
    why = origin(statement.span)
    match statement.action:
        case syntax.If(arms, orelse):
            read = tuple(Arm(_test(a.condition, a.span, around), _block(a.body, around), origin(a.span)) for a in arms)
            return If(read, None if orelse is None else _block(orelse, around), why, name)
        case syntax.While(condition, body, head):
            test = _test(condition, head, around)
            return While(test, _block(body, replace(around, in_loop=True)), why, name)
        case syntax.Choose(branches):
            return Choose(tuple(_block(b, around) for b in branches), why, name)
        case _:
            return Do(_step(statement, around), name)


def _step(statement: syntax.Statement, around: Around) -> Outcome:
    context = around.context
    execution = one_step(context, around.draft.holder)
    if isinstance(statement.action, syntax.Local):
        if statement.label is not None:
            complain(context, "SA305", "a declaration has no label", statement.label.span, "label an assignment")
        paths = local_step(statement.action, around.draft, execution)
    else:
        paths = run(statement, [Path()], execution)
    return Outcome(tuple(paths), tuple(execution.step.failures), origin(statement.span))


def _jump(statement: syntax.Statement, action: syntax.Break | syntax.Continue | syntax.Return, around: Around) -> Jump:
    if statement.name is not None or statement.label is not None:
        complain(around.context, "SA305", "a jump is no step, so it has no name or label", statement.span)
    why = origin(statement.span)
    if isinstance(action, syntax.Return):
        return Jump(Where.RETURN, why)
    if not around.in_loop:
        complain(around.context, "SA307", "there is no loop here", statement.span)
    return Jump(Where.BREAK if isinstance(action, syntax.Break) else Where.CONTINUE, why)


def _test(condition: syntax.Expression | None, span: Span, around: Around) -> Test:
    """A silent step for each outcome of a test."""
    execution = one_step(around.context, around.draft.holder)
    if condition is None:
        return test_of(None, (), span, origin(span), execution.step)
    undefined = list[Term]()
    term = boolean(condition, replace(around.context, undefined=undefined))
    if term is None:
        return Test(NO_STEP, NO_STEP)
    return test_of(term, index_faults(undefined), condition.span, origin(span), execution.step)
