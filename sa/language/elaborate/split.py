"""`--split`: a statement that touches several shared locations becomes several that touch one each.

Shared values are read from left to right into locals of the thread, called `read1`, `read2`, …; then the
statement works on these; results for several shared variables are written one after the other. What is
atomic stays as it is, and so do `assume` and `assert`. A statement also stays where it reads an element
of an array under a condition (`i < 3 && flag[i] == 0`): reading it first could go wrong. And it stays where it
writes two elements of one array that may be the same one: that goes wrong if they get different values.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import assert_never

from msgspec.structs import replace

from sa.language import syntax
from sa.language.elaborate.builtin import is_builtin
from sa.language.elaborate.control import is_initial
from sa.language.elaborate.lint import parts_of, shared_locations
from sa.language.elaborate.split_reads import (
    Reads,
    Splitting,
    is_shared,
    keep,
    plain,
    read,
    read_index,
    read_label,
    reads_under_condition,
    temporary,
)
from sa.language.names import ArraySymbol, ProcedureSymbol, Scope, SequenceSymbol, find


def split_thread(thread: syntax.Thread, scope: Scope) -> syntax.Thread:
    """The thread with split statements; new locals stand in front of its others."""
    return replace(thread, body=_body(thread.body, scope, frozenset()))


def split_procedure(symbol: ProcedureSymbol) -> ProcedureSymbol:
    """The procedure with split statements."""
    procedure = symbol.procedure
    taken = frozenset(f.name.name for f in procedure.parameters)
    return ProcedureSymbol(replace(procedure, body=_body(procedure.body, symbol.scope, taken)), symbol.scope)


def _body(body: syntax.Block, scope: Scope, taken: frozenset[str]) -> syntax.Block:
    splitting = Splitting(scope, frozenset(_all_names(body)) | frozenset(scope.symbols) | taken)
    statements = body.statements
    leading = next((i for i, s in enumerate(statements) if not is_initial(s)), len(statements))
    rest = _block(replace(body, statements=statements[leading:]), splitting)
    return replace(body, statements=(*splitting.added.values(), *statements[:leading], *rest.statements))


def _all_names(block: syntax.Block) -> Iterator[str]:
    for statement in block.statements:
        if isinstance(statement.action, syntax.Local):
            yield from (n.name for n in statement.action.names)
        elif isinstance(statement.action, syntax.For):
            yield statement.action.name.name
        for inner in _inner_blocks(statement.action):
            yield from _all_names(inner)


def _inner_blocks(action: syntax.Action) -> tuple[syntax.Block, ...]:
    match action:
        case syntax.If(arms, orelse):
            return (*(a.body for a in arms), *((orelse,) if orelse else ()))
        case syntax.Await(_, body):
            return () if body is None else (body,)
        case syntax.Choose(branches):
            return branches
        case syntax.While(_, body) | syntax.For(_, _, _, body) | syntax.Atomic(body):
            return (body,)
        case (
            syntax.Skip()
            | syntax.Assume()
            | syntax.Assert()
            | syntax.Assign()
            | syntax.Havoc()
            | syntax.Local()
            | syntax.CompareAndSwap()
            | syntax.FetchAdd()
            | syntax.Exchange()
            | syntax.Call()
            | syntax.Lock()
            | syntax.Unlock()
            | syntax.Start()
            | syntax.Join()
            | syntax.Break()
            | syntax.Continue()
            | syntax.Return()
            | syntax.Request()
            | syntax.Suspend()
        ):
            return ()
        case _:
            assert_never(action)


def _block(block: syntax.Block, splitting: Splitting) -> syntax.Block:
    return replace(block, statements=tuple(s for old in block.statements for s in _statement(old, splitting)))


def _statement(statement: syntax.Statement, splitting: Splitting) -> list[syntax.Statement]:
    match statement.action:
        case syntax.If(arms, orelse):
            return _if(statement, arms, orelse, splitting)
        case syntax.While(condition, body):
            return _while(statement, condition, _block(body, splitting), splitting)
        case syntax.For(_, _, _, body):
            return [replace(statement, action=replace(statement.action, body=_block(body, splitting)))]
        case syntax.Choose(branches):
            action = replace(statement.action, branches=tuple(_block(b, splitting) for b in branches))
            return [replace(statement, action=action)]
        case syntax.Assign(places, values) if not any(_is_whole(p, splitting) for p in places):
            if not _may_meet(places) and _is_split((*places, *values, *_shown(statement)), splitting):
                return _assign(statement, statement.action, splitting)
        case syntax.Local(_, _, value) if value is not None and _is_split((value,), splitting):
            return _local(statement, statement.action, value, splitting)
        case syntax.CompareAndSwap(result, place) | syntax.FetchAdd(result, place) | syntax.Exchange(result, place):
            met = result is not None and _may_meet((result, place))
            if not met and _is_split((*parts_of(statement.action), *_shown(statement)), splitting):
                return _primitive(statement, splitting)
        case syntax.Return(value) if value is not None and _is_split((value,), splitting):
            reads = Reads()
            returned = replace(statement.action, value=read(value, reads, splitting))
            return _with_name(statement, [*reads.statements, replace(statement, action=returned)])
        case syntax.Call(name, values) if not is_builtin(name, splitting.scope) and _is_split(values, splitting):
            reads = Reads()
            call = replace(statement.action, values=tuple(read(v, reads, splitting) for v in values))
            return _with_name(statement, [*reads.statements, replace(statement, action=call)])
        case syntax.Havoc(places) if _is_split((*places, *_shown(statement)), splitting):
            reads = Reads()
            found = tuple(read_index(p, reads, splitting) for p in places)
            label = read_label(statement.label, reads, splitting)
            parts = [plain(replace(statement.action, places=(p,)), p.span) for p in found]
            return _with_name(statement, [*reads.statements, *parts[:-1], replace(parts[-1], label=label)])
        case syntax.Lock(place) | syntax.Unlock(place) if _is_split((place, *_shown(statement)), splitting):
            reads = Reads()
            locking = replace(statement.action, place=read_index(place, reads, splitting))
            label = read_label(statement.label, reads, splitting)
            return _with_name(statement, [*reads.statements, replace(statement, action=locking, label=label)])
        case syntax.Skip():
            if _is_split((*parts_of(statement.action), *_shown(statement)), splitting):
                shown, before = _label_read(statement, splitting)
                return _with_name(statement, [*before, replace(shown, name=None)])
        case _:
            pass
    return [statement]


def _shown(statement: syntax.Statement) -> tuple[syntax.Expression, ...]:
    return () if statement.label is None else statement.label.values


def _label_read(statement: syntax.Statement, splitting: Splitting) -> tuple[syntax.Statement, list[syntax.Statement]]:
    """The statement with a label whose values were read before, and the reads."""
    reads = Reads()
    return replace(statement, label=read_label(statement.label, reads, splitting)), reads.statements


def _is_whole(place: syntax.Place, splitting: Splitting) -> bool:
    symbol = find(splitting.scope, place.name) if isinstance(place, syntax.Name) else None
    return isinstance(symbol, ArraySymbol | SequenceSymbol)


def _may_meet(places: tuple[syntax.Place, ...]) -> bool:
    """Whether two places may be the same element of an array; two numbers as indices are different ones."""
    indexed = [p for p in places if isinstance(p, syntax.Index)]
    pairs = combinations(indexed, 2)
    return any(
        a.name == b.name and not (isinstance(a.index, syntax.Integer) and isinstance(b.index, syntax.Integer))
        for a, b in pairs
    )


def _is_split(parts: tuple[syntax.Expression, ...], splitting: Splitting) -> bool:
    touched = {t for part in parts for t in shared_locations(part, splitting.scope)}
    return len(touched) > 1 and not any(reads_under_condition(p, False, splitting) for p in parts)


def _assign(statement: syntax.Statement, action: syntax.Assign, splitting: Splitting) -> list[syntax.Statement]:
    reads = Reads()
    values = tuple(read(v, reads, splitting) for v in action.values)
    places = tuple(read_index(p, reads, splitting) for p in action.places)
    label = read_label(statement.label, reads, splitting)
    shared = [p for p in places if is_shared(p.name, splitting)]
    if len(shared) <= 1:
        last = [plain(replace(action, places=places, values=values), statement.span)]
    else:
        last = _one_by_one(places, values, reads, splitting)
    last[-1] = replace(last[-1], label=label)
    return _with_name(statement, [*reads.statements, *last])


def _one_by_one(
    places: tuple[syntax.Place, ...], values: tuple[syntax.Expression, ...], reads: Reads, splitting: Splitting
) -> list[syntax.Statement]:
    """Writes to several shared places, when all values are known; locals are written together, first."""
    pairs = list(zip(places, values, strict=True))
    writes = [(p, keep(v, p, reads, splitting)) for p, v in pairs if is_shared(p.name, splitting)]
    local = [(p, v) for p, v in pairs if not is_shared(p.name, splitting)]
    result = [plain(syntax.Assign((p,), (v,), p.span), p.span) for p, v in writes]
    if local:
        span = local[0][0].span
        result.insert(0, plain(syntax.Assign(tuple(p for p, _ in local), tuple(v for _, v in local), span), span))
    return result


def _local(
    statement: syntax.Statement, action: syntax.Local, value: syntax.Expression, splitting: Splitting
) -> list[syntax.Statement]:
    """The declaration keeps its place in the block; its value is made of what was read before."""
    reads = Reads()
    new = replace(action, value=read(value, reads, splitting))
    return [*reads.statements, replace(statement, action=new)]


def _primitive(statement: syntax.Statement, splitting: Splitting) -> list[syntax.Statement]:
    """Operands are read before; a shared result is written after."""
    reads, after = Reads(), list[syntax.Statement]()
    action = statement.action
    assert isinstance(action, syntax.Operation) and action.result is not None
    result, place = action.result, read_index(action.place, reads, splitting)
    if is_shared(result.name, splitting):
        kept = temporary(result, reads, splitting)
        after.append(plain(syntax.Assign((result,), (kept,), result.span), statement.span))
        result = kept
    new = replace(_operands_read(replace(action, place=place), reads, splitting), result=result)
    label = read_label(statement.label, reads, splitting)
    return _with_name(statement, [*reads.statements, replace(plain(new, statement.span), label=label), *after])


def _operands_read(action: syntax.Operation, reads: Reads, splitting: Splitting) -> syntax.Operation:
    match action:
        case syntax.CompareAndSwap(_, _, expected, new):
            return replace(action, expected=read(expected, reads, splitting), new=read(new, reads, splitting))
        case syntax.FetchAdd(_, _, amount):
            return replace(action, amount=read(amount, reads, splitting))
        case syntax.Exchange(_, _, value):
            return replace(action, value=read(value, reads, splitting))
        case _:
            assert_never(action)


def _tested(condition: syntax.Condition, reads: Reads, splitting: Splitting) -> syntax.Condition:
    """A condition whose values were read before; an operation still makes its own access."""
    if not isinstance(condition, syntax.Attempt):
        return read(condition, reads, splitting)
    operation = condition.operation
    operation = replace(operation, place=read_index(operation.place, reads, splitting))
    operation = _operands_read(operation, reads, splitting)
    return replace(condition, operation=operation, right=read(condition.right, reads, splitting))


def _parts(condition: syntax.Condition) -> tuple[syntax.Expression, ...]:
    """What a condition reads and writes."""
    if isinstance(condition, syntax.Attempt):
        return (*parts_of(condition.operation), condition.right)
    return (condition,)


def _if(
    statement: syntax.Statement, arms: tuple[syntax.Arm, ...], orelse: syntax.Block | None, splitting: Splitting
) -> list[syntax.Statement]:
    """Reads for the first test stand in front; from the next test that needs reads on, an `if` of its own follows."""
    reads = Reads()
    condition = arms[0].condition
    if condition is not None and _is_split(_parts(condition), splitting):
        condition = _tested(condition, reads, splitting)
    size = next((i for i, a in enumerate(arms) if i and _is_split(_condition(a), splitting)), len(arms))
    conditions = (condition, *(a.condition for a in arms[1:size]))
    kept = tuple(
        replace(a, condition=c, body=_block(a.body, splitting)) for a, c in zip(arms[:size], conditions, strict=True)
    )
    otherwise = None if orelse is None else _block(orelse, splitting)
    if size < len(arms):
        otherwise = syntax.Block(
            tuple(_if(replace(statement, name=None), arms[size:], orelse, splitting)), statement.span
        )
    new = replace(statement, action=syntax.If(kept, otherwise, statement.span), name=None)
    return _with_name(statement, [*reads.statements, new])


def _condition(arm: syntax.Arm) -> tuple[syntax.Expression, ...]:
    return () if arm.condition is None else _parts(arm.condition)


def _while(
    statement: syntax.Statement, condition: syntax.Condition | None, body: syntax.Block, splitting: Splitting
) -> list[syntax.Statement]:
    """A loop whose test must be split reads anew in every round, and leaves in the middle."""
    action = statement.action
    assert isinstance(action, syntax.While)
    if condition is None or not _is_split(_parts(condition), splitting):
        return [replace(statement, action=replace(action, body=body))]
    reads = Reads()
    test = _tested(condition, reads, splitting)
    leave = syntax.Block((plain(syntax.Break(action.head), action.head),), action.head)
    choice = syntax.If((syntax.Arm(test, body, action.head),), leave, action.span)
    inside = syntax.Block((*reads.statements, plain(choice, action.span)), body.span)
    always = syntax.Boolean(True, action.head)
    return [replace(statement, action=syntax.While(always, inside, action.head, action.span))]


def _with_name(statement: syntax.Statement, parts: list[syntax.Statement]) -> list[syntax.Statement]:
    """The name of a statement is that of the location before its first part."""
    return [replace(parts[0], name=statement.name), *parts[1:]]
