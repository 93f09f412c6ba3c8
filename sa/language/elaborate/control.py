"""The statements of a thread as `sa.lowering.statements`: names are resolved, and what each step does is known."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Kind, Origin
from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.assignments import translate_value
from sa.language.elaborate.builtin import expansion, stand_in
from sa.language.elaborate.calls import Called, always_returns, call_of, enter, no_procedure, pass_values, store_result
from sa.language.elaborate.context import Context, complain, one_step, within
from sa.language.elaborate.declared import variables_in
from sa.language.elaborate.execute import run, tested
from sa.language.elaborate.expressions import constant_integer
from sa.language.elaborate.locals import declare_locals, initial_local, local_step
from sa.language.elaborate.sequences import change_of
from sa.language.names import ProcedureSymbol, Scope, TermSymbol, VariableSymbol, find
from sa.lowering.draft import Draft, origin
from sa.lowering.paths import Path, assume
from sa.lowering.statements import (
    NO_STEP,
    Arm,
    Block,
    Choose,
    Do,
    If,
    Inlined,
    Jump,
    Outcome,
    Statement,
    Test,
    Where,
    While,
    any_outcome,
    test_of,
)
from sa.lowering.writes import Target, perform
from sa.terms import build

_COMPOUND = (syntax.If, syntax.While, syntax.For, syntax.Choose)


class Result(Struct, frozen=True):
    """Where the result of the procedure goes whose statements are read: a place as it is seen from `context`."""

    place: syntax.Place
    context: Context


class Around(Struct, frozen=True):
    """What surrounds a statement: its scope, the thread's variables, a loop if it is in one, a procedure's result."""

    context: Context
    draft: Draft
    in_loop: bool = False
    result: Result | None = None


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
    return tuple(part for s in statements for part in _statement(s, around))


def _statement(statement: syntax.Statement, around: Around) -> Block:
    """What a statement becomes: one, but for calls and loops that count."""
    if statement.name is not None and around.context.calls:
        message = "a statement of a procedure has no name, since each call has a location of its own for it"
        complain(around.context, "SA305", message, statement.name.span)
    if isinstance(statement.action, (syntax.Break, syntax.Continue, syntax.Return)):
        return _jump(statement, statement.action, around)
    called = call_of(statement.action, around.context)
    if (called is not None or isinstance(statement.action, _COMPOUND)) and statement.label is not None:
        hint = "label a statement inside of it"
        complain(around.context, "SA305", "a label belongs to a single step", statement.label.span, hint)
    name = None if statement.name is None else Origin(statement.name.span, statement.name.name)
    why = origin(statement.span)
    if called is not None:
        return _call(called, name, why, around)
    match statement.action:
        case syntax.If(arms, orelse):
            read = tuple(Arm(_test(a.condition, a.span, around), _block(a.body, around), origin(a.span)) for a in arms)
            return (If(read, None if orelse is None else _block(orelse, around), why, name),)
        case syntax.While(condition, body, head):
            test = _test(condition, head, around)
            return (While(test, _block(body, replace(around, in_loop=True)), why, name),)
        case syntax.Choose(branches):
            return (Choose(tuple(_block(b, around) for b in branches), why, name),)
        case syntax.For():
            return _for(statement.action, statement.name, why, around)
        case action if (steps := expansion(action, around.context)) is not None:
            return _several(statement, steps, name, around)
        case syntax.Call() if change_of(statement.action, around.context.scope) is None:
            no_procedure(statement.action, around.context)
            return ()
        case _:
            return (Do(_step(statement, around), name),)


def _several(
    statement: syntax.Statement, steps: tuple[syntax.Action, ...], name: Origin | None, around: Around
) -> Block:
    """What something built in stands for: one step, or several of which the first has the name."""
    if len(steps) == 1:
        return (Do(_step(stand_in(statement, steps[0]), around), name),)
    if statement.label is not None and steps:
        hint = "label a step beside it"
        complain(around.context, "SA305", "a label belongs to a single step", statement.label.span, hint)
    parts = [replace(statement, action=action, name=None, label=None) for action in steps]
    return tuple(Do(_step(p, around), name if p is parts[0] else None) for p in parts)


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


def _call(called: Called, name: Origin | None, why: Origin, around: Around) -> Block:
    """The values for the parameters in one step, the statements of the procedure, the result in another step."""
    context, procedure = around.context, called.symbol.procedure
    body = enter(called, context)
    if body is None:
        return ()
    parameters = list[Target]()
    for formal in procedure.parameters:
        written = syntax.Local((formal.name,), formal.type, None, False, formal.span)
        parameters += [Target((v,), None, formal.span) for v in declare_locals(written, around.draft, body)]
    statements = list[Statement]()
    if parameters:
        execution = one_step(context, around.draft.holder)
        paths = pass_values(called, parameters, context, [Path()], execution)
        statements.append(Do(Outcome(tuple(paths), tuple(execution.step.failures), why), name))
        name = None
    result = _result_of(called, body, around)
    inside = Around(within(body, Scope(body.scope)), around.draft, result=result)
    inlined = _sequence(procedure.body.statements, inside)
    if inlined:
        statements.append(Inlined(inlined, why, name))
    if called.into is not None and result is not None and result.context is not context:
        execution = one_step(context, around.draft.holder)
        read = translate_value(result.place, False, result.context)
        paths = [] if read is None else store_result(called.into, *read, called.call.span, [Path()], execution)
        statements.append(Do(Outcome(tuple(paths), tuple(execution.step.failures), why)))
    return tuple(statements)


def check_procedure(symbol: ProcedureSymbol, draft: Draft, context: Context) -> None:
    """Report what is wrong with a procedure, whether it is called or not. The draft is for nothing else."""
    procedure = symbol.procedure
    arrays = [f.type for f in procedure.parameters if isinstance(f.type, syntax.ArrayType | syntax.SequenceType)]
    if isinstance(procedure.result, syntax.ArrayType | syntax.SequenceType):
        arrays.append(procedure.result)
    for written in arrays:
        hint = "pass an index, or use a global array"
        complain(context, "SA208", "a procedure takes and gives single values", written.span, hint)
    if procedure.result is not None and not always_returns(procedure.body):
        hint = "end every way through it with `return e;`"
        complain(context, "SA322", f"`{procedure.name.name}` may end without a result", procedure.span, hint)
    called = Called(symbol, syntax.Call(procedure.name.name, (), procedure.span), None)
    body = replace(within(context, Scope(symbol.scope)), calls=(procedure.name.name,))
    for formal in procedure.parameters:
        declare_locals(syntax.Local((formal.name,), formal.type, None, False, formal.span), draft, body)
    around = Around(body, draft)
    _sequence(procedure.body.statements, replace(around, result=_result_of(called, body, around)))


def _result_of(called: Called, body: Context, around: Around) -> Result | None:
    """Where `return e` writes: at once to a local of the caller, otherwise to a local of the procedure's own."""
    procedure = called.symbol.procedure
    if procedure.result is None:
        return None
    if isinstance(called.into, syntax.Name) and isinstance(procedure.result, syntax.NamedType):
        symbol = find(around.context.scope, called.into.name)
        if isinstance(symbol, VariableSymbol) and symbol.variable.kind is Kind.LOCAL:
            return Result(called.into, around.context)
    name = syntax.Identifier(f"{procedure.name.name}_result", procedure.name.span)
    own = within(body, Scope(body.scope))
    declare_locals(syntax.Local((name,), procedure.result, None, False, name.span), around.draft, own)
    return Result(syntax.Name(name.name, 0, name.span), own)


def _return(action: syntax.Return, around: Around) -> Block:
    """`return e`: a step that computes the result, and the jump; where there is no result, the jump alone."""
    why, jump = origin(action.span), Jump(Where.RETURN, origin(action.span))
    context, result = around.context, around.result
    if action.value is None:
        if result is not None:
            complain(context, "SA322", "a result is missing here", action.span, "write `return e;`")
        return (jump,)
    if result is None:
        hint = "a thread shows a value with a label: `@result(x) skip;`"
        complain(context, "SA322", "only a procedure returns a result", action.value.span, hint)
        return (jump,)
    execution = one_step(context, around.draft.holder)
    read = translate_value(action.value, False, context)
    if read is None:
        return (jump,)
    outside = replace(execution, context=result.context)
    paths = store_result(result.place, *read, action.value.span, [Path()], outside)
    return (Do(Outcome(tuple(paths), tuple(execution.step.failures), why)), jump)


def _for(action: syntax.For, name: syntax.Identifier | None, why: Origin, around: Around) -> Block:
    """A counter that the body cannot assign to. With constant bounds it has a range, so that its values are finite."""
    context, span = around.context, action.head
    quiet = replace(context, problems=[])
    low, high = constant_integer(action.low, quiet), constant_integer(action.high, quiet)
    written: syntax.Type = syntax.NamedType("int", span)
    if low is not None and high is not None and low <= high:
        written = syntax.RangeType(action.low, syntax.Chain((action.high, syntax.Integer(1, span)), ("+",), span), span)
    counting = replace(around, context=within(context, Scope(context.scope)), in_loop=True)
    first = syntax.Statement(syntax.Local((action.name,), written, action.low, False, span), name, None, span)
    begin = _statement(first, counting)
    variable = next(variables_in(counting.context.scope), None)
    if variable is None:
        return ()
    inner = replace(counting, context=within(context, Scope(context.scope, {action.name.name: TermSymbol(variable)})))
    test = _test(syntax.Compare("<=", syntax.Name(action.name.name, 0, span), action.high, span), span, inner)
    step = one_step(context, around.draft.holder).step
    # Behind the test this holds; said again, every step stays in the counter's range.
    bounded = Path() if high is None else assume(Path(), build.le(variable, build.integer(high)))
    ways = [] if bounded is None else [bounded]
    following = perform(ways, (), {variable: build.add(variable, build.ONE)}, span, step)
    advance = Do(Outcome(tuple(following), (), origin(span)))
    return (*begin, While(test, _block(action.body, inner), why, None, advance))


def _jump(statement: syntax.Statement, action: syntax.Break | syntax.Continue | syntax.Return, around: Around) -> Block:
    if statement.name is not None or statement.label is not None:
        complain(around.context, "SA305", "a jump is no step, so it has no name or label", statement.span)
    if isinstance(action, syntax.Return):
        return _return(action, around)
    if not around.in_loop:
        complain(around.context, "SA307", "there is no loop here", statement.span)
    return (Jump(Where.BREAK if isinstance(action, syntax.Break) else Where.CONTINUE, origin(statement.span)),)


def _test(condition: syntax.Condition | None, span: Span, around: Around) -> Test:
    """A step for each outcome of a test; it is silent, and writes nothing but what an operation does."""
    if condition is None:
        return any_outcome(origin(span))
    execution = one_step(around.context, around.draft.holder)
    read = tested(condition, execution)
    if read is None:
        return Test(NO_STEP, NO_STEP)
    return test_of(read.term, read.wrong, read.updates, condition.span, origin(span), execution.step)
