"""Sequences of bounded length: elements and a length, what is read of them, and what changes them.

A sequence `q : seq<int, 4>` is the variables `q[0]`, …, `q[3]` and `q_len`. Behind its length every element has the
same value, so that two sequences are equal if their variables are.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Fault
from sa.automata.ranges import beyond
from sa.language import syntax
from sa.language.elaborate.assignments import fits, is_real, target_of, translate_value
from sa.language.elaborate.context import Context, Execution, complain
from sa.language.elaborate.references import sequence_of
from sa.language.elaborate.wholes import last_of
from sa.language.names import Scope, SequenceSymbol, find
from sa.lowering.paths import Need, Path, Wrong
from sa.lowering.writes import Target, out_of_range, perform, updates_of
from sa.terms import build
from sa.terms.term import Term, Var

#: What is called to change a sequence, as it is shown.
FORMS: Mapping[str, str] = {
    "push": "push(q, e);",
    "push_first": "push_first(q, e);",
    "pop": "x := pop(q);",
    "pop_last": "x := pop_last(q);",
    "send": "send(q, e);",
    "receive": "x := receive(q);",
}


class Change(Struct, frozen=True):
    """A call that changes a sequence; `into` is where the element goes that is taken."""

    call: syntax.Call
    into: syntax.Place | None


def change_of(action: syntax.Action, scope: Scope) -> Change | None:
    """The change that a statement is; None if it is something else."""
    match action:
        case syntax.Call(name) if name in FORMS and find(scope, name) is None:
            return Change(action, None)
        case syntax.Assign((place,), (syntax.Apply(name, arguments, span),)) if name in FORMS:
            return Change(syntax.Call(name, arguments, span), place) if find(scope, name) is None else None
        case _:
            return None


def waiting(action: syntax.Action, context: Context) -> tuple[syntax.Action, ...] | None:
    """`send` and `receive` with the wait for room, or for an element; None for other actions."""
    change = change_of(action, context.scope)
    if change is None or change.call.name not in ("send", "receive"):
        return None
    call, sends = change.call, change.call.name == "send"
    symbol = _meant(change, context)
    if symbol is None:
        return ()
    span = call.span
    length = syntax.Apply("len", call.values[:1], span)
    limit = syntax.Integer(len(symbol.elements) if sends else 0, span)
    ready = syntax.Compare("<" if sends else ">", length, limit, span)
    if sends:
        inner: syntax.Action = syntax.Call("push", call.values, span)
    elif change.into is None:
        inner = syntax.Call("pop", call.values, span)
    else:
        inner = syntax.Assign((change.into,), (syntax.Apply("pop", call.values, span),), span)
    body = syntax.Block((syntax.Statement(inner, None, None, span),), span)
    return (syntax.Await(ready, body, span),)


def changed(change: Change, paths: list[Path], execution: Execution) -> list[Path]:
    """The ways on after `push` or `pop`, and the failures where there is no room, or no element."""
    symbol = _meant(change, execution.context)
    if symbol is None:
        return paths
    if change.call.name in ("push", "push_first"):
        return _pushed(change.call, symbol, paths, execution)
    return _popped(change, symbol, paths, execution)


def _meant(change: Change, context: Context) -> SequenceSymbol | None:
    """The sequence that is changed; None after an error."""
    call, form = change.call, FORMS[change.call.name]
    puts = form.endswith(", e);")
    if len(call.values) != (2 if puts else 1) or (puts and change.into is not None):
        complain(context, "SA325", f"this is not `{form}`", call.span, f"write `{form}`")
        return None
    return sequence_of(call.values[0], context)


def _pushed(call: syntax.Call, symbol: SequenceSymbol, paths: list[Path], execution: Execution) -> list[Path]:
    context, elements, length = execution.context, symbol.elements, symbol.length.var
    value = translate_value(call.values[1], elements[0].ghost, context)
    if value is None or not fits(elements[0].var.sort, value[0], call.values[1].span, context):
        return paths
    full = Wrong(build.le(build.integer(len(elements)), length), Fault.FULL)
    wrong = [*value[1], full, *out_of_range(elements[0], value[0], context.ranges)]
    updates: dict[Var, Term] = {length: build.add(length, build.ONE)}
    for position, element in enumerate(elements):
        if call.name == "push":
            here = build.eq(length, build.integer(position))
            updates[element.var] = build.ite(here, value[0], element.var)
        else:
            updates[element.var] = elements[position - 1].var if position else value[0]
    return perform(paths, wrong, updates, call.span, execution.step)


def _popped(change: Change, symbol: SequenceSymbol, paths: list[Path], execution: Execution) -> list[Path]:
    context, elements, length = execution.context, symbol.elements, symbol.length.var
    call = change.call
    wrong: list[Need] = [Wrong(build.le(length, build.ZERO), Fault.EMPTY)]
    taken: Term = elements[0].var if call.name == "pop" else last_of(tuple(e.var for e in elements), length)
    updates: dict[Var, Term] = {length: build.sub(length, build.ONE)}
    for position, element in enumerate(elements):
        if call.name == "pop":
            updates[element.var] = elements[position + 1].var if position + 1 < len(elements) else beyond(element)
        else:
            here = build.eq(length, build.integer(position + 1))
            updates[element.var] = build.ite(here, beyond(element), element.var)
    if change.into is not None:
        undefined = list[Need]()
        target = target_of(change.into, replace(context, undefined=undefined))
        if target is None or not fits(target.sort, taken, change.into.span, context):
            return paths
        if not target.variables[0].ghost and not is_real(Target(elements, None, call.span), context):
            return paths
        own = updates_of(target, taken)
        if not own.keys().isdisjoint(updates):
            complain(context, "SA310", "the result is written to the sequence itself", change.into.span)
            return paths
        wrong += [*undefined, *out_of_range(target.variables[0], taken, context.ranges)]
        updates |= own
    return perform(paths, wrong, updates, call.span, execution.step)
