"""Calls of procedures: parameters are locals that get their values in a step, the result is stored in another one."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.assignments import fits, target_of, translate_value
from sa.language.elaborate.context import Context, Execution, complain
from sa.language.elaborate.declared import visible_variables
from sa.language.names import BrokenSymbol, ProcedureSymbol, Scope, find, unknown
from sa.lowering.paths import Need, Path
from sa.lowering.writes import Target, out_of_range, perform, updates_of
from sa.terms.term import Term, Var


class Called(Struct, frozen=True):
    """A call with its procedure. `into` is where the result goes."""

    symbol: ProcedureSymbol
    call: syntax.Call
    into: syntax.Place | None


def call_of(action: syntax.Action, context: Context) -> Called | None:
    """The call that a statement consists of: `f(a);`, `r := f(a);`. None if it is no call."""
    match action:
        case syntax.Call(name):
            symbol = find(context.scope, name)
            if isinstance(symbol, ProcedureSymbol):
                return Called(symbol, action, None)
        case syntax.Assign((place,), (syntax.Apply(name, arguments, span),)):
            symbol = find(context.scope, name)
            if isinstance(symbol, ProcedureSymbol):
                return Called(symbol, syntax.Call(name, arguments, span), place)
        case _:
            pass
    return None


def no_procedure(call: syntax.Call, context: Context) -> None:
    """Report a call of something else."""
    symbol = find(context.scope, call.name)
    if symbol is None:
        context.problems.append(unknown(context.scope, call.name, call.span, "procedure"))
    elif not isinstance(symbol, BrokenSymbol):
        complain(context, "SA103", f"`{call.name}` is not a procedure", call.span, "assign its value to a variable")


def enter(called: Called, context: Context) -> Context | None:
    """The context of the body: the names of its file, without those of the caller. None after an error."""
    procedure, call = called.symbol.procedure, called.call
    name = procedure.name.name
    if name in context.calls:
        circle = " calls ".join(f"`{n}`" for n in (*context.calls[context.calls.index(name) :], name))
        complain(context, "SA106", f"`{name}` calls itself: {circle}", call.span, "write a loop instead")
        return None
    if len(call.values) != len(procedure.parameters):
        message = f"`{name}` takes {len(procedure.parameters)} arguments, not {len(call.values)}"
        complain(context, "SA203", message, call.span)
        return None
    single = (*(f.type for f in procedure.parameters), *((procedure.result,) if procedure.result else ()))
    if any(isinstance(written, syntax.ArrayType | syntax.SequenceType) for written in single):
        # Reported at the procedure.
        return None
    if called.into is not None and procedure.result is None:
        message, hint = f"`{name}` gives no result", f"declare one: `proc {name}(...) : int`"
        complain(context, "SA203", message, call.span, hint)
        return None
    taken = context.taken.union(v.name for v in visible_variables(context.scope))
    return replace(context, scope=Scope(called.symbol.scope), calls=(*context.calls, name), taken=taken)


def pass_values(
    called: Called, parameters: Sequence[Target], context: Context, paths: list[Path], execution: Execution
) -> list[Path]:
    """Give all parameters their values at once; `context` is that of the caller."""
    wrong, updates = list[Need](), dict[Var, Term]()
    for parameter, expression in zip(parameters, called.call.values, strict=True):
        value = translate_value(expression, False, context)
        if value is None or not fits(parameter.sort, value[0], expression.span, context):
            return []
        wrong += value[1]
        wrong += out_of_range(parameter.variables[0], value[0], context.ranges)
        updates |= updates_of(parameter, value[0])
    return perform(paths, wrong, updates, called.call.span, execution.step)


def store_result(
    place: syntax.Place, result: Term, undefined: Sequence[Need], span: Span, paths: list[Path], execution: Execution
) -> list[Path]:
    """Write a result, which stands at `span`, to a place as the context of `execution` sees it."""
    context = execution.context
    faults = list[Need]()
    target = target_of(place, replace(context, undefined=faults))
    if target is None or not fits(target.sort, result, span, context):
        return paths
    wrong = [*undefined, *faults, *out_of_range(target.variables[0], result, context.ranges)]
    return perform(paths, wrong, updates_of(target, result), span, execution.step)


def always_returns(block: syntax.Block) -> bool:
    """Whether every way through a block that ends, ends with `return`."""
    return bool(block.statements) and _returns(block.statements[-1].action)


def _returns(action: syntax.Action) -> bool:
    match action:
        case syntax.Return():
            return True
        case syntax.If(arms, orelse):
            return orelse is not None and all(always_returns(b) for b in (*(a.body for a in arms), orelse))
        case syntax.Choose(branches):
            return all(always_returns(b) for b in branches)
        case syntax.While(syntax.Boolean(True), body):
            return not _breaks(body)
        case _:
            return False


def _breaks(block: syntax.Block) -> bool:
    """Whether a `break` leaves the loop around this block."""
    for statement in block.statements:
        match statement.action:
            case syntax.Break():
                return True
            case syntax.If(arms, orelse):
                inner = (*(a.body for a in arms), *((orelse,) if orelse else ()))
            case syntax.Choose(branches):
                inner = branches
            case _:
                continue
        if any(_breaks(b) for b in inner):
            return True
    return False
