"""Statements of one step, executed over all ways through them (see `steps`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import EXIT, FAIL, Fault, Kind, Label
from sa.language import syntax
from sa.language.elaborate import assignments
from sa.language.elaborate.builtin import expansion, stand_in
from sa.language.elaborate.calls import Called, call_of, enter, no_procedure, pass_values, store_result
from sa.language.elaborate.context import Execution, complain, within
from sa.language.elaborate.declared import declare_variables, free_name, variables_in
from sa.language.elaborate.expressions import boolean, constant_integer, translate
from sa.language.elaborate.sequences import change_of, changed
from sa.language.elaborate.starting import join as join_thread
from sa.language.elaborate.starting import start
from sa.language.elaborate.types import MAX_SIZE
from sa.language.names import Scope, TermSymbol, declare
from sa.lowering.paths import Need, Path, Wrong, assume, condition_of, demand, join, now, written
from sa.lowering.writes import Target, beyond, known, updates_of
from sa.terms import build
from sa.terms.sort import BOOL
from sa.terms.term import Term, Var, sort_of

#: A step that has more ways through it is rejected.
MAX_PATHS = 1024

_JUMPS = (syntax.While, syntax.Break, syntax.Continue, syntax.Return)


def run_block(block: syntax.Block, paths: list[Path], execution: Execution) -> list[Path]:
    """The ways through a block; its locals are gone behind it."""
    scope = Scope(execution.context.scope)
    inner = replace(execution, context=within(execution.context, scope))
    for statement in block.statements:
        if statement.name is not None:
            message = "a statement inside of a step has no location that could be named"
            complain(execution.context, "SA305", message, statement.name.span)
        paths = run(statement, paths, inner)
        if len(paths) > MAX_PATHS:
            complain(execution.context, "SA315", f"more than {MAX_PATHS} paths through one step", block.span)
            return []
    gone = set(variables_in(scope))
    if not gone:
        return paths
    return [replace(p, store={v: t for v, t in p.store.items() if v not in gone}) for p in paths]


def run(statement: syntax.Statement, paths: list[Path], execution: Execution) -> list[Path]:
    """The ways through one statement, from each of the ways so far."""
    context = execution.context
    steps = expansion(statement.action, context)
    if steps is not None:
        if len(steps) > 1:
            complain(context, "SA306", "this waits in the middle, so it cannot be inside of one step", statement.span)
        return run(stand_in(statement, steps[0]), paths, execution) if len(steps) == 1 else paths
    if statement.label is not None:
        paths = _labelled(statement, statement.label, paths, execution)
    match statement.action:
        case syntax.Atomic(body):
            return run_block(body, paths, execution)
        case syntax.Await(condition, body):
            paths = assumed(condition, paths, execution)
            return paths if body is None else run_block(body, paths, execution)
        case syntax.If(arms, orelse):
            return [way for path in paths for way in _branches(arms, orelse, path, execution)]
        case syntax.Choose(branches):
            return [way for path in paths for branch in branches for way in run_block(branch, [path], execution)]
        case syntax.For():
            return _for(statement.action, paths, execution)
        case syntax.While() | syntax.Break() | syntax.Continue() | syntax.Return():
            hint = "put `atomic` inside of the loop, or write `for i in 1..3` if the number of rounds is a constant"
            complain(context, "SA306", "loops and jumps cannot be inside of one step", statement.span, hint)
            return paths
        case action if (change := change_of(action, context.scope)) is not None:
            return changed(change, paths, execution)
        case action if (called := call_of(action, context)) is not None:
            return _call(called, paths, execution)
        case syntax.Call():
            no_procedure(statement.action, context)
            return paths
        case _:
            return _simple(statement.action, paths, execution)


def _for(action: syntax.For, paths: list[Path], execution: Execution) -> list[Path]:
    """One round after the other: the bounds are constants here."""
    context = execution.context
    low, high = constant_integer(action.low, context), constant_integer(action.high, context)
    if low is None or high is None:
        return paths
    if high - low >= MAX_SIZE:
        complain(context, "SA315", f"more than {MAX_SIZE} iterations in one step", action.head)
        return paths
    for value in range(low, high + 1):
        scope = Scope(context.scope)
        declare(scope, action.name, TermSymbol(build.integer(value)), context.problems)
        paths = run_block(action.body, paths, replace(execution, context=within(context, scope)))
    return paths


def _call(called: Called, paths: list[Path], execution: Execution) -> list[Path]:
    """A procedure inside of one step: its last statement may give a result, there is no other `return`."""
    context, procedure = execution.context, called.symbol.procedure
    body = enter(called, context)
    if body is None:
        return paths
    parameters = list[Target]()
    for formal in procedure.parameters:
        own = {formal.name.name: free_name(formal.name.name, body.taken)}
        declared = declare_variables((formal.name,), formal.type, Kind.LOCAL, False, body, own, chosen=True)
        parameters += [Target(variables, None, formal.span) for variables in declared]
    if len(parameters) < len(procedure.parameters):
        return paths
    paths = pass_values(called, parameters, context, paths, execution)
    inner = Scope(body.scope)
    inside = replace(execution, context=within(body, inner))
    *statements, last = procedure.body.statements or (None,)
    ends = isinstance(last.action, syntax.Return) if last is not None else False
    for statement in statements if ends else procedure.body.statements:
        paths = run(statement, paths, inside)
    if last is not None and isinstance(last.action, syntax.Return) and last.action.value is not None:
        paths = _result(called, last.action.value, paths, inside, execution)
    gone = {*variables_in(inner), *variables_in(body.scope)}
    return [replace(p, store={v: t for v, t in p.store.items() if v not in gone}) for p in paths]


def _result(
    called: Called, value: syntax.Expression, paths: list[Path], inside: Execution, execution: Execution
) -> list[Path]:
    if called.into is None:
        return paths
    read = assignments.translate_value(value, False, inside.context)
    return paths if read is None else store_result(called.into, *read, value.span, paths, execution)


#: Statements without others inside.
Simple: TypeAlias = (
    syntax.Skip
    | syntax.Assume
    | syntax.Assert
    | syntax.Assign
    | syntax.Havoc
    | syntax.Local
    | syntax.CompareAndSwap
    | syntax.FetchAdd
    | syntax.Exchange
    | syntax.Lock
    | syntax.Unlock
    | syntax.Start
    | syntax.Join
    | syntax.Request
    | syntax.Suspend
)


def _simple(action: Simple, paths: list[Path], execution: Execution) -> list[Path]:
    match action:
        case syntax.Skip():
            return paths
        case syntax.Assume(condition):
            return assumed(condition, paths, execution)
        case syntax.Assert():
            return _asserted(action, paths, execution)
        case syntax.Assign():
            return assignments.assign(action, paths, execution)
        case syntax.Havoc(places):
            return assignments.havoc(places, paths, execution)
        case syntax.Local():
            return _local(action, paths, execution)
        case syntax.CompareAndSwap(result) | syntax.FetchAdd(result) | syntax.Exchange(result):
            assert result is not None
            return assignments.operate(action, result, paths, execution)
        case syntax.Lock():
            return assignments.lock(action, paths, execution)
        case syntax.Unlock():
            return assignments.unlock(action, paths, execution)
        case syntax.Start():
            return start(action, paths, execution)
        case syntax.Join():
            return join_thread(action, paths, execution)
        case syntax.Request(_, _, _, span) | syntax.Suspend(span):
            what, hint = (
                "this is asked of a scheduler",
                "say which one: `cooperative;`; without it other threads may step between any two statements",
            )
            if isinstance(action, syntax.Suspend):
                what, hint = "only the answer of a scheduler suspends", "write `yield;`"
            complain(execution.context, "SA327", what, span, hint)
            return paths
        case _:
            assert_never(action)


def _labelled(statement: syntax.Statement, label: syntax.Label, paths: list[Path], execution: Execution) -> list[Path]:
    context = execution.context
    if isinstance(statement.action, (syntax.If, syntax.Choose, syntax.Local, *_JUMPS)):
        complain(context, "SA305", "a label belongs to a single step", label.span, "label a statement inside of it")
        return paths
    if label.action in (EXIT, FAIL):
        message = f"`@{label.action}` is the label of a special step"
        complain(context, "SA308", message, label.span, "choose another name")
    return labelled(label, paths, execution)


def labelled(label: syntax.Label, paths: list[Path], execution: Execution) -> list[Path]:
    """The ways with a label; its values are those at this point."""
    context = execution.context
    if any(p.label is not None for p in paths):
        complain(context, "SA305", "a step has one label; this is a second one", label.span)
        return paths
    inner = replace(context, undefined=list[Need]())
    values = [translate(v, inner) for v in label.values]
    terms = tuple(v for v in values if v is not None)
    if len(terms) < len(values):
        return paths
    safe = [demand(p, inner.undefined or (), label.span, execution.step) for p in paths]
    return [replace(p, label=Label(label.action, tuple(now(p, v) for v in terms))) for p in safe if p is not None]


class Tested(Struct, frozen=True):
    """A condition, when it goes wrong, and what the step of the test writes. All of them read what was before."""

    term: Term
    wrong: tuple[Need, ...]
    updates: Mapping[Var, Term]


def tested(condition: syntax.Condition, execution: Execution) -> Tested | None:
    """What a condition means; None after an error."""
    undefined = list[Need]()
    context = replace(execution.context, undefined=undefined)
    if not isinstance(condition, syntax.Attempt):
        term = boolean(condition, context)
        return None if term is None else Tested(term, tuple(undefined), {})
    made = assignments.operation_of(condition.operation, context)
    if made is None:
        return None
    if condition.right == syntax.Boolean(True, condition.span) and sort_of(made.outcome) != BOOL:
        hint = f"compare it: `{condition.operation.keyword}(…) == 0`"
        complain(context, "SA201", "the old value is no bool", condition.span, hint)
        return None
    # No variable has the name of an operation.
    result = syntax.Name(condition.operation.keyword, 0, condition.operation.span)
    inner = replace(context, scope=Scope(context.scope, {result.name: TermSymbol(made.outcome)}))
    term = boolean(syntax.Compare(condition.operator, result, condition.right, condition.span), inner)
    if term is None:
        return None
    wrong = (*undefined, *beyond(made, execution.step))
    return Tested(term, wrong, updates_of(made.place, made.value))


def assumed(expression: syntax.Expression, paths: list[Path], execution: Execution) -> list[Path]:
    """The ways on where a condition holds."""
    read = tested(expression, execution)
    if read is None:
        return paths
    safe = [demand(p, read.wrong, expression.span, execution.step) for p in paths]
    ways = [assume(p, read.term) for p in safe if p is not None]
    return [w for w in ways if w is not None]


def _asserted(action: syntax.Assert, paths: list[Path], execution: Execution) -> list[Path]:
    read = tested(action.condition, execution)
    if read is None:
        return paths
    wrong = (*read.wrong, Wrong(build.lnot(read.term), Fault.ASSERTION))
    ways = [demand(p, wrong, action.span, execution.step) for p in paths]
    return [w for w in ways if w is not None]


def _branches(
    arms: tuple[syntax.Arm, ...], orelse: syntax.Block | None, path: Path, execution: Execution
) -> list[Path]:
    """`if` inside of a step: the first arm, and what comes behind it where its condition fails."""
    if not arms:
        return [path] if orelse is None else run_block(orelse, [path], execution)
    first, rest = arms[0], arms[1:]
    if first.condition is None:
        return [*run_block(first.body, [path], execution), *_branches(rest, orelse, path, execution)]
    read = tested(first.condition, execution)
    safe = None if read is None else demand(path, read.wrong, first.condition.span, execution.step)
    if read is None or safe is None:
        return []
    test = now(safe, read.term)
    branches = list[tuple[Term, list[Path]]]()
    for entered, is_first in ((test, True), (build.lnot(test), False)):
        reached = build.land(condition_of(safe), entered)
        store = written(safe, known(read.updates, read.term, is_first)).store
        start = Path(reached, build.TRUE, store, safe.label, safe.choices)
        if start.reached is not build.FALSE:
            ways = run_block(first.body, [start], execution) if is_first else _branches(rest, orelse, start, execution)
            branches.append((entered, ways))
    return join(safe, branches)


def _local(action: syntax.Local, paths: list[Path], execution: Execution) -> list[Path]:
    """A temporary: its value is known, or chosen in this step. It is not a variable of the automaton."""
    context = execution.context
    written = action.value
    whole = isinstance(action.type, syntax.SequenceType) or isinstance(written, syntax.Elements)
    values = None if written is None or whole else assignments.translate_value(written, action.ghost, context)
    own = {n.name: free_name(n.name, context.taken) for n in action.names}
    declared = declare_variables(action.names, action.type, Kind.LOCAL, action.ghost, context, own, chosen=True)
    variables = tuple(v for group in declared for v in group)
    if written is None:
        return assignments.any_values(variables, paths, execution)
    if whole:
        return assignments.store_whole(action.names, written, paths, execution)
    return paths if values is None else assignments.store_value(variables, *values, written.span, paths, execution)
