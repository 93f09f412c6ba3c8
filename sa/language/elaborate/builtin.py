"""Semaphores, condition variables and barriers: statements that stand for others, as a call of a procedure does.

Their names are not reserved: a procedure of the file with the same name is meant instead.

| call | stands for |
|---|---|
| `acquire(s)` | `await s > 0 { s := s - 1; }` |
| `release(s)` | `atomic { s := s + 1; }` |
| `wait(c, l)` | `unlock(l); lock(l);` |
| `signal(c)`, `broadcast(c)` | `skip;` |
| `barrier(b, n)` | `await b >= 0 { b := if b + 1 == n then -n else b + 1; } await b < 0 { b := b + 1; }` |

A wait for a condition may end at any time, as POSIX allows, so a condition variable has no state. A barrier counts who
has arrived; below 0, who has still to leave: nobody arrives for the next round before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.context import Context, complain
from sa.language.elaborate.expressions import constant_integer
from sa.language.elaborate.sequences import FORMS, waiting
from sa.language.elaborate.wholes import READERS
from sa.language.names import BrokenSymbol, ConditionSymbol, Scope, find, unknown


class Builtin(Struct, frozen=True):
    """What a call may be: the arguments as they are shown, and the statements that it stands for."""

    form: str
    arguments: int
    stands_for: Callable[[syntax.Call, Context], tuple[syntax.Action, ...] | None]


def is_builtin(name: str, scope: Scope) -> bool:
    """Whether a call of this name is of something built in, and not of what the file declares."""
    return name in WORDS and find(scope, name) is None


def expansion(action: syntax.Action, context: Context) -> tuple[syntax.Action, ...] | None:
    """The steps that a call of something built in stands for: none after an error, None where it is another action."""
    if (steps := waiting(action, context)) is not None:
        return steps
    if not isinstance(action, syntax.Call) or action.name not in BUILTINS or not is_builtin(action.name, context.scope):
        return None
    known = BUILTINS[action.name]
    if len(action.values) != known.arguments:
        complain(context, "SA324", f"this is not `{known.form}`", action.span, f"write `{known.form};`")
        return ()
    return known.stands_for(action, context) or ()


def stand_in(statement: syntax.Statement, action: syntax.Action) -> syntax.Statement:
    """The statement with what its only step stands for; its label is inside, where a wait is over."""
    if not isinstance(action, syntax.Await) or action.body is None:
        return replace(statement, action=action)
    (inner,) = action.body.statements
    body = replace(action.body, statements=(replace(inner, label=statement.label),))
    return replace(statement, action=replace(action, body=body), label=None)


def _acquire(call: syntax.Call, context: Context) -> tuple[syntax.Action, ...] | None:
    place = _place(call, 0, context)
    if place is None:
        return None
    span = call.span
    return (_await(_compare(">", place, span), _assign(place, _plus(place, "-", span), span), span),)


def _release(call: syntax.Call, context: Context) -> tuple[syntax.Action, ...] | None:
    place = _place(call, 0, context)
    if place is None:
        return None
    return (syntax.Atomic(_block(_assign(place, _plus(place, "+", call.span), call.span), call.span), call.span),)


def _wait(call: syntax.Call, context: Context) -> tuple[syntax.Action, ...] | None:
    lock = _place(call, 1, context)
    if not _is_condition(call, context) or lock is None:
        return None
    return syntax.Unlock(lock, call.span), syntax.Lock(lock, call.span)


def _signal(call: syntax.Call, context: Context) -> tuple[syntax.Action, ...] | None:
    return (syntax.Skip(call.span),) if _is_condition(call, context) else None


def _barrier(call: syntax.Call, context: Context) -> tuple[syntax.Action, ...] | None:
    place, count, span = _place(call, 0, context), constant_integer(call.values[1], context), call.span
    if place is None or count is None:
        return None
    if count < 1:
        complain(context, "SA324", "a barrier is for one thread or more", call.values[1].span)
        return None
    more = _plus(place, "+", span)
    full = syntax.Unary("-", syntax.Integer(count, span), span)
    arrived = syntax.Conditional(syntax.Compare("==", more, syntax.Integer(count, span), span), full, more, span)
    return (
        _await(_compare(">=", place, span), _assign(place, arrived, span), span),
        _await(_compare("<", place, span), _assign(place, more, span), span),
    )


BUILTINS: Mapping[str, Builtin] = {
    "acquire": Builtin("acquire(s)", 1, _acquire),
    "release": Builtin("release(s)", 1, _release),
    "wait": Builtin("wait(c, l)", 2, _wait),
    "signal": Builtin("signal(c)", 1, _signal),
    "broadcast": Builtin("broadcast(c)", 1, _signal),
    "barrier": Builtin("barrier(b, n)", 2, _barrier),
}


#: Words that mean something in their place, and may be names elsewhere.
WORDS = frozenset({*BUILTINS, *FORMS, *READERS, "start", "join", "condition", "seq"})


# ---------------------------------------------------------------- parts


def _place(call: syntax.Call, position: int, context: Context) -> syntax.Place | None:
    """An argument that is written to."""
    argument = call.values[position]
    if isinstance(argument, syntax.Name | syntax.Index):
        return argument
    hint = "name a variable, or an element of an array"
    complain(context, "SA324", f"`{call.name}` cannot write to this", argument.span, hint)
    return None


def _is_condition(call: syntax.Call, context: Context) -> bool:
    argument = call.values[0]
    symbol = find(context.scope, argument.name) if isinstance(argument, syntax.Name) else None
    if isinstance(symbol, ConditionSymbol):
        return True
    if isinstance(argument, syntax.Name) and symbol is None:
        context.problems.append(unknown(context.scope, argument.name, argument.span, "condition variable"))
    elif not isinstance(symbol, BrokenSymbol):
        hint = "declare one: `global c : condition;`"
        complain(context, "SA324", "this is not a condition variable", argument.span, hint)
    return False


def _compare(operator: str, place: syntax.Place, span: Span) -> syntax.Expression:
    return syntax.Compare(operator, place, syntax.Integer(0, span), span)


def _plus(place: syntax.Place, operator: str, span: Span) -> syntax.Expression:
    return syntax.Chain((place, syntax.Integer(1, span)), (operator,), span)


def _assign(place: syntax.Place, value: syntax.Expression, span: Span) -> syntax.Action:
    return syntax.Assign((place,), (value,), span)


def _await(condition: syntax.Expression, action: syntax.Action, span: Span) -> syntax.Action:
    return syntax.Await(condition, _block(action, span), span)


def _block(action: syntax.Action, span: Span) -> syntax.Block:
    return syntax.Block((syntax.Statement(action, None, None, span),), span)
