"""Statements that write: assignment, `havoc`, atomics and locks. What they do is in `sa.lowering.writes`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import assert_never

from msgspec.structs import replace

from sa.automata.automaton import Kind, Variable
from sa.automata.ranges import canonical
from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.context import GHOST_UPDATE, PROGRAM, Context, Execution, complain, counted
from sa.language.elaborate.expressions import of_sort, translate
from sa.language.elaborate.references import array_elements, check_index, whole_array
from sa.language.elaborate.wholes import Whole, variables_of, whole_of, whole_value
from sa.language.names import BrokenSymbol, VariableSymbol, find, unknown
from sa.lowering import writes
from sa.lowering.paths import Need, Path, assume
from sa.lowering.writes import Exchange, Target, arbitrary, at_once, choose, out_of_range, perform
from sa.terms import build
from sa.terms.sort import BOOL, INT, ArraySort, Sort
from sa.terms.term import Int, Term, Var, sort_of


def target_of(place: syntax.Place, context: Context) -> Target | None:
    """The variables behind a place; None after an error."""
    if isinstance(place, syntax.Index):
        return _element_target(place, context)
    match find(context.scope, place.name):
        case VariableSymbol(variable):
            return _writable((variable,), None, place, context)
        case None:
            context.problems.append(unknown(context.scope, place.name, place.span, "variable"))
        case BrokenSymbol():
            pass
        case _:
            complain(context, "SA103", f"`{place.name}` is not a variable that can be assigned to", place.span)
    return None


def _element_target(place: syntax.Index, context: Context) -> Target | None:
    array, index = whole_array(place, context), of_sort(place.index, INT, context)
    if array is not None:
        return None if index is None else _writable((array,), index, place, context)
    elements = array_elements(place, context)
    if elements is None or index is None or not check_index(index, len(elements), place, context):
        return None
    if isinstance(index, Int) and 0 <= index.value < len(elements):
        return _writable((elements[index.value],), None, place, context)
    return _writable(elements, index, place, context)


def _writable(
    variables: tuple[Variable, ...], index: Term | None, place: syntax.Place, context: Context
) -> Target | None:
    if variables[0].kind is Kind.PARAM:
        complain(context, "SA301", f"the parameter `{place.name}` never changes", place.span, "use a global instead")
        return None
    if variables[0].sequence:
        hint = "`push` and `pop` change it; `q := {};` makes the sequence empty"
        complain(context, "SA103", f"`{place.name}` is the length of a sequence", place.span, hint)
        return None
    return Target(variables, index, place.span)


def translate_value(expression: syntax.Expression, ghost: bool, context: Context) -> tuple[Term, list[Need]] | None:
    """A value to be assigned, with the conditions under which reading it goes wrong."""
    undefined = list[Need]()
    mode = GHOST_UPDATE if ghost else PROGRAM
    term = translate(expression, replace(context, mode=mode, undefined=undefined))
    return None if term is None else (term, undefined)


def fits(sort: Sort, value: Term, span: Span, context: Context) -> bool:
    """Whether a value has the type of what it is assigned to; reports it if not."""
    if sort_of(value) == sort:
        return True
    message = f"this is of type {sort_of(value).name}, but it is assigned to a variable of type {sort.name}"
    hint = "its values are `true` and `false`" if sort == BOOL and isinstance(value, Int) else None
    complain(context, "SA201", message, span, hint)
    return False


def filled(sort: Sort, value: Term) -> Term:
    """A value of a declaration for what it declares: an array without bounds has it everywhere."""
    if isinstance(sort, ArraySort) and sort_of(value) == sort.element:
        return build.constant_array(sort, value)
    return value


def assign(action: syntax.Assign, paths: list[Path], execution: Execution) -> list[Path]:
    """`x, y := e1, e2`."""
    context = execution.context
    if len(action.places) != len(action.values):
        message = f"{counted(len(action.places), 'variable')}, but {counted(len(action.values), 'value')}"
        complain(context, "SA203", message, action.span)
        return paths
    wrong, updates, single = list[Need](), dict[Var, Term](), list[tuple[Target, Term]]()
    good = True
    for place, expression in zip(action.places, action.values, strict=True):
        undefined = list[Need]()
        whole = whole_of(place, context)
        if whole is not None:
            new = _whole_updates(whole, expression, wrong, context)
            taken = {**updates, **{v.var: v.var for t, _ in single for v in t.variables}}
            good = new is not None and _only_once(new, taken, place, context) and good
            updates.update(new or {})
            continue
        target = target_of(place, replace(context, undefined=undefined))
        value = translate_value(expression, target is not None and target.variables[0].ghost, context)
        if target is None or value is None or not fits(target.sort, value[0], expression.span, context):
            good = False
            continue
        wrong += [*undefined, *value[1]]
        wrong += out_of_range(target.variables[0], value[0], context.ranges)
        single.append((target, value[0]))
        good = _only_once([v.var for v in target.variables], updates, place, context) and good
    written = at_once(single)
    if isinstance(written, Target):
        name = written.variables[0].var.name
        complain(context, "SA310", f"`{name}` is assigned twice at the same time", written.span)
    elif good:
        return perform(paths, [*wrong, *written[1]], {**updates, **written[0]}, action.span, execution.step)
    return paths


def _only_once(variables: Iterable[Var], others: Mapping[Var, Term], place: syntax.Place, context: Context) -> bool:
    """Whether none of the variables has a value already; reports it if one has."""
    if others.keys().isdisjoint(variables):
        return True
    complain(context, "SA310", f"`{place.name}` is assigned twice at the same time", place.span)
    return False


def _whole_updates(
    whole: Whole, expression: syntax.Expression, wrong: list[Need], context: Context
) -> dict[Var, Term] | None:
    """A value for each variable of an array or sequence; None after an error."""
    undefined = list[Need]()
    mode = GHOST_UPDATE if whole.elements[0].ghost else PROGRAM
    inner = replace(context, mode=mode, undefined=undefined)
    values = whole_value(expression, whole, inner, partial(translate, context=inner))
    if values is None:
        return None
    variables = variables_of(whole)
    pairs = [(v, t, e) for v, (t, e) in zip(variables, values, strict=True)]
    if not all(fits(v.var.sort, t, e.span, context) for v, t, e in pairs):
        return None
    wrong += undefined
    for variable, term, _ in pairs:
        wrong += out_of_range(variable, term, context.ranges)
    return {v.var: t for v, t, _ in pairs}


def store_value(
    variables: tuple[Variable, ...],
    value: Term,
    undefined: list[Need],
    span: Span,
    paths: list[Path],
    execution: Execution,
) -> list[Path]:
    """The same value for several variables, as declarations give it."""
    context = execution.context
    if not variables:
        return paths
    value = filled(variables[0].var.sort, value)
    if not fits(variables[0].var.sort, value, span, context):
        return paths
    wrong = [*undefined, *out_of_range(variables[0], value, context.ranges)]
    return perform(paths, wrong, {v.var: value for v in variables}, span, execution.step)


def havoc(places: tuple[syntax.Place, ...], paths: list[Path], execution: Execution) -> list[Path]:
    """`havoc x, y`: an array's name means all of its elements."""
    context = execution.context
    for place in places:
        whole = whole_of(place, context)
        if whole is not None:
            paths = any_values(variables_of(whole), paths, execution)
            continue
        undefined = list[Need]()
        target = target_of(place, replace(context, undefined=undefined))
        if target is not None:
            paths = choose(target, undefined, paths, execution.step)
    return paths


def store_whole(
    names: tuple[syntax.Identifier, ...], value: syntax.Expression, paths: list[Path], execution: Execution
) -> list[Path]:
    """The same whole value for several arrays or sequences, as declarations give it."""
    places = tuple(syntax.Name(n.name, 0, n.span) for n in names)
    return assign(syntax.Assign(places, (value,) * len(places), value.span), paths, execution)


def any_values(variables: tuple[Variable, ...], paths: list[Path], execution: Execution) -> list[Path]:
    """The ways on with values that the step chooses; those behind the end of a sequence are not chosen."""
    chosen = [arbitrary(p, variables, execution.step) for p in paths]
    ways = [assume(p, canonical(variables)) for p in chosen]
    return [w for w in ways if w is not None]


def operate(action: syntax.Operation, place: syntax.Place, paths: list[Path], execution: Execution) -> list[Path]:
    """`r := cas(…)`, `r := fetch_add(…)` or `r := exchange(…)`; `place` is r."""
    context, undefined = execution.context, list[Need]()
    inner = replace(context, undefined=undefined)
    result = target_of(place, inner)
    made = operation_of(action, inner, result is not None and result.variables[0].ghost)
    if result is None or made is None:
        return paths
    sort = result.sort
    if isinstance(action, syntax.CompareAndSwap):
        if sort not in (BOOL, INT):
            complain(context, "SA201", "cas gives a bool, or 1 and 0", place.span)
            return paths
    elif not fits(sort, made.outcome, place.span, context):
        return paths
    done = writes.exchange(made, result, undefined, paths, action.span, execution.step)
    if done is None:
        complain(context, "SA310", "the result is written to the variable itself", place.span)
        return paths
    return done


def operation_of(action: syntax.Operation, context: Context, ghost: bool = False) -> Exchange | None:
    """What an operation reads and writes; None after an error. Only where its outcome goes to a `ghost` it may be about
    ghosts itself.
    """
    place, operands = target_of(action.place, context), _operands(action)
    if place is not None and not ghost and not is_real(place, context):
        return None
    mode = GHOST_UPDATE if place is not None and place.variables[0].ghost else context.mode
    values = [translate(e, replace(context, mode=mode)) for e in operands]
    given = [v for v in values if v is not None]
    if place is None or len(given) < len(values):
        return None
    if isinstance(action, syntax.FetchAdd) and place.sort != INT:
        complain(context, "SA201", "fetch_add needs a variable of type int", action.place.span)
        return None
    if not all(fits(place.sort, v, e.span, context) for v, e in zip(given, operands, strict=True)):
        return None
    match action:
        case syntax.CompareAndSwap():
            return writes.compare_and_swap(place, *given)
        case syntax.FetchAdd():
            return writes.fetch_add(place, *given)
        case syntax.Exchange():
            return writes.exchange_with(place, *given)
        case _:
            assert_never(action)


def _operands(action: syntax.Operation) -> tuple[syntax.Expression, ...]:
    match action:
        case syntax.CompareAndSwap(_, _, expected, new):
            return expected, new
        case syntax.FetchAdd(_, _, value) | syntax.Exchange(_, _, value):
            return (value,)
        case _:
            assert_never(action)


def lock(action: syntax.Lock, paths: list[Path], execution: Execution) -> list[Path]:
    """`lock(l)`: enabled where l is 0, writes the thread's number."""
    target, undefined = _lock_target(action, execution.context)
    return paths if target is None else writes.lock(target, undefined, paths, execution.step)


def unlock(action: syntax.Unlock, paths: list[Path], execution: Execution) -> list[Path]:
    """`unlock(l)`: goes wrong where the thread does not hold the lock."""
    target, undefined = _lock_target(action, execution.context)
    return paths if target is None else writes.unlock(target, undefined, paths, execution.step)


def _lock_target(action: syntax.Lock | syntax.Unlock, context: Context) -> tuple[Target | None, list[Need]]:
    """What a lock is. What goes wrong is said of the whole statement."""
    place = action.place
    undefined = list[Need]()
    target = target_of(place, replace(context, undefined=undefined))
    if target is None or not is_real(target, context):
        return None, undefined
    if target.sort != INT:
        complain(context, "SA201", "a lock is an int: 0, or the number of the thread that holds it", place.span)
        return None, undefined
    return replace(target, span=action.span), undefined


def is_real(place: Target, context: Context) -> bool:
    """Whether a program may read what it writes here; reports a ghost."""
    variable = place.variables[0]
    if variable.ghost:
        hint = "ghosts are for invariants and relies; a program does not read them"
        name = variable.var.name.base
        complain(context, "SA302", f"this step reads the ghost `{name}`", place.span, hint)
    return not variable.ghost
