"""Threads that others start, and wait for: each has a global that says whether it waits, runs or is over.

`start T` writes that T runs, the first step of T waits for that, and its `exit` writes that it is over, which `join T`
waits for. The global of `T` is called `T_state`; a family has an array with its members' numbers as indices.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Fault, Kind, Origin
from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.context import Context, Execution, Handle, complain
from sa.language.elaborate.declared import make_variables
from sa.language.elaborate.expressions import constant_integer, of_sort
from sa.language.elaborate.types import ArrayOf, Domain
from sa.language.names import ArraySymbol, VariableSymbol, declare, did_you_mean
from sa.language.syntax.node import Node
from sa.lowering.paths import Need, Path, Wrong, assume, demand
from sa.lowering.statements import Do, Outcome
from sa.lowering.writes import Target, held, outside, perform, updates_of
from sa.terms import build
from sa.terms.sort import INT
from sa.terms.term import Int, Term, Var

#: What a thread is at.
WAITING, RUNNING, OVER = 0, 1, 2


class Mentioned(Struct, frozen=True):
    """A `start` or `join` somewhere in a file."""

    thread: syntax.ThreadName
    starts: bool


def mentions(node: Node) -> Iterator[Mentioned]:
    """Every `start` and `join` in a part of a file."""
    match node:
        case syntax.Start(thread):
            yield Mentioned(thread, True)
        case syntax.Join(thread):
            yield Mentioned(thread, False)
        case _:
            for name in node.__struct_fields__:
                value = getattr(node, name)
                for part in value if isinstance(value, tuple) else (value,):
                    if isinstance(part, Node):
                        yield from mentions(part)


def declare_states(module: syntax.Module, context: Context) -> tuple[dict[str, Handle], list[Term]]:
    """The states of the threads that are started or joined, declared as globals, and how they begin."""
    found = [m for d in module.declarations if isinstance(d, syntax.Thread | syntax.Procedure) for m in mentions(d)]
    threads = {d.name.name: d for d in module.declarations if isinstance(d, syntax.Thread)}
    handles, init = dict[str, Handle](), list[Term]()
    for name in dict.fromkeys(m.thread.name for m in found):
        uses = [m for m in found if m.thread.name == name]
        thread = threads.get(name)
        if thread is None:
            hint = (
                did_you_mean(name, list(threads)) or "`start` and `join` are for threads that are declared in this file"
            )
            complain(context, "SA323", f"there is no thread `{name}`", uses[0].thread.span, hint)
            continue
        started = any(m.starts for m in uses)
        handle = _declared(thread, started, uses[0].thread.span, context)
        if handle is not None:
            handles[name] = handle
            first = build.integer(WAITING if started else RUNNING)
            init += [build.eq(v.var, first) for v in handle.variables]
    return handles, init


def _declared(thread: syntax.Thread, started: bool, used: Span, context: Context) -> Handle | None:
    family, low, size = thread.family, None, None
    if isinstance(family, syntax.AnyNumber):
        hint = "give the family a range of indices: `thread T[i : 1..3]`"
        complain(context, "SA323", f"copies of `{thread.name.name}` are neither started nor joined", used, hint)
        return None
    if family is not None:
        low, high = (constant_integer(e, context) for e in (family.low, family.high))
        if low is None or high is None or high < low:
            return None
        if low < 0:
            hint = "write a family whose indices start at 0 or above"
            complain(context, "SA323", "a member of a family has a negative index", family.span, hint)
            return None
        size = high + 1
    name = f"{thread.name.name}_state"
    why = Origin(thread.name.span, f"whether {thread.name.name} waits to be started (0), runs (1) or is over (2)")
    state = Domain(INT, WAITING, OVER)
    made = make_variables(name, state if size is None else ArrayOf(state, size), Kind.GLOBAL, False, why)
    variables = tuple(replace(v, internal=True) for v in made)
    symbol = VariableSymbol(variables[0]) if low is None else ArraySymbol(variables)
    if not declare(context.scope, syntax.Identifier(name, thread.name.span), symbol, context.problems):
        return None
    context.ranges.update({v.var: (v.low, v.high) for v in variables})
    return Handle(variables, low, started)


def own_state(handle: Handle | None, index: Term | None) -> Var | None:
    """The variable of one thread; `index` is the number of a member."""
    if handle is None:
        return None
    return handle.variables[index.value if isinstance(index, Int) else 0].var


def beginning(state: Var, thread: syntax.Thread) -> Do:
    """The first step of a thread that waits to be started."""
    why = Origin(thread.name.span, f"{thread.name.name} begins")
    path = assume(Path(), build.eq(state, build.integer(RUNNING)))
    return Do(Outcome(() if path is None else (path,), (), why))


def start(action: syntax.Start, paths: list[Path], execution: Execution) -> list[Path]:
    """`start T`: goes wrong where T was started before."""
    found = _meant(action.thread, execution.context)
    if found is None:
        return paths
    target, wrong = found
    again = Wrong(build.ne(held(target), build.integer(WAITING)), Fault.START)
    updates = updates_of(target, build.integer(RUNNING))
    return perform(paths, [*wrong, again], updates, action.span, execution.step)


def join(action: syntax.Join, paths: list[Path], execution: Execution) -> list[Path]:
    """`join T`: possible where T is over."""
    found = _meant(action.thread, execution.context)
    if found is None:
        return paths
    target, wrong = found
    safe = [demand(p, wrong, action.span, execution.step) for p in paths]
    ways = [assume(p, build.eq(held(target), build.integer(OVER))) for p in safe if p is not None]
    return [w for w in ways if w is not None]


def _meant(name: syntax.ThreadName, context: Context) -> tuple[Target, list[Need]] | None:
    """The state of the thread that is named, and when there is no such thread; None after an error."""
    handle = context.threads.get(name.name)
    if handle is None:
        # Reported where the states are declared.
        return None
    if handle.low is None or name.index is None:
        if (handle.low is None) != (name.index is None):
            hint = "name a member: `" + name.name + "[1]`" if name.index is None else None
            what = "is a family" if name.index is None else "is one thread, not a family"
            complain(context, "SA323", f"`{name.name}` {what}", name.span, hint)
            return None
        return Target(handle.variables, None, name.span), []
    undefined = list[Need]()
    index = of_sort(name.index, INT, replace(context, undefined=undefined))
    if index is None:
        return None
    low, high = handle.low, len(handle.variables) - 1
    if isinstance(index, Int):
        if not low <= index.value <= high:
            message = f"`{name.name}` has the members {low} to {high}, and no {index.value}"
            complain(context, "SA323", message, name.span)
            return None
        return Target((handle.variables[index.value],), None, name.span), []
    undefined.append(Wrong(outside(index, low, high, context.ranges), Fault.INDEX))
    return Target(handle.variables, index, name.span), undefined
