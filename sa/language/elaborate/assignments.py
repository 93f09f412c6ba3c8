"""Steps that write: assignment, `havoc`, atomics and locks. A value outside a variable's range is a failure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sa.automata.automaton import Kind, Variable
from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.context import GHOST_UPDATE, PROGRAM, Context, complain
from sa.language.elaborate.expressions import of_sort, translate
from sa.language.elaborate.references import array_elements, check_index
from sa.language.elaborate.steps import Execution, Path, assume, demand, now, written
from sa.language.intervals import outside
from sa.language.names import ArraySymbol, BrokenSymbol, VariableSymbol, find, unknown
from sa.terms import build
from sa.terms.sort import BOOL, INT
from sa.terms.term import Int, Term, Var, sort_of


@dataclass(frozen=True, slots=True)
class Target:
    """What an assignment writes: one variable, or the element `index` of several."""

    variables: tuple[Variable, ...]
    index: Term | None
    span: Span


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
    elements = array_elements(place, context)
    index = of_sort(place.index, INT, context)
    if elements is None or index is None or not check_index(index, len(elements), place, context):
        return None
    if isinstance(index, Int):
        return _writable((elements[index.value],), None, place, context)
    return _writable(elements, index, place, context)


def _writable(
    variables: tuple[Variable, ...], index: Term | None, place: syntax.Place, context: Context
) -> Target | None:
    if variables[0].kind is Kind.PARAM:
        complain(context, "SA301", f"the parameter `{place.name}` never changes", place.span, "use a global instead")
        return None
    return Target(variables, index, place.span)


def translate_value(expression: syntax.Expression, ghost: bool, context: Context) -> tuple[Term, list[Term]] | None:
    """A value to be assigned, with the conditions under which reading it goes wrong."""
    undefined = list[Term]()
    mode = GHOST_UPDATE if ghost else PROGRAM
    term = translate(expression, replace(context, mode=mode, undefined=undefined))
    return None if term is None else (term, undefined)


def _old_value(target: Target) -> Term:
    """What the target holds at present."""
    result: Term = target.variables[-1].var
    for position in range(len(target.variables) - 2, -1, -1):
        assert target.index is not None
        result = build.ite(build.eq(target.index, build.integer(position)), target.variables[position].var, result)
    return result


def _updates(target: Target, value: Term) -> dict[Var, Term]:
    if target.index is None:
        return {target.variables[0].var: value}
    here = [build.eq(target.index, build.integer(i)) for i in range(len(target.variables))]
    return {v.var: build.ite(c, value, v.var) for v, c in zip(target.variables, here, strict=True)}


def out_of_range(variable: Variable, value: Term, context: Context) -> list[Term]:
    """The condition under which a value is outside of the variable's range; none if it cannot be."""
    if variable.low is None or variable.high is None:
        return []
    wrong = outside(value, variable.low, variable.high, context.ranges)
    return [] if wrong is build.FALSE else [wrong]


def fits(variable: Variable, value: Term, span: Span, context: Context) -> bool:
    """Whether a value has the variable's type; reports it if not."""
    sort = variable.var.sort
    if sort_of(value) == sort:
        return True
    message = f"this is of type {sort_of(value).name}, but it is assigned to a variable of type {sort.name}"
    complain(context, "SA201", message, span)
    return False


def _perform(
    paths: list[Path], wrong: Iterable[Term], updates: dict[Var, Term], span: Span, execution: Execution
) -> list[Path]:
    conditions = tuple(wrong)
    safe = [demand(p, conditions, span, execution) for p in paths]
    return [written(p, updates) for p in safe if p is not None]


def assign(action: syntax.Assign, paths: list[Path], execution: Execution) -> list[Path]:
    """`x, y := e1, e2`."""
    context = execution.context
    if len(action.places) != len(action.values):
        message = f"{len(action.places)} variables, but {len(action.values)} values"
        complain(context, "SA203", message, action.span)
        return paths
    undefined, updates = list[Term](), dict[Var, Term]()
    inner = replace(context, undefined=undefined)
    good = True
    for place, expression in zip(action.places, action.values, strict=True):
        target = target_of(place, inner)
        value = translate_value(expression, target is not None and target.variables[0].ghost, context)
        if target is None or value is None or not fits(target.variables[0], value[0], expression.span, context):
            good = False
            continue
        undefined.extend([*value[1], *out_of_range(target.variables[0], value[0], context)])
        new = _updates(target, value[0])
        if not new.keys().isdisjoint(updates):
            complain(context, "SA310", f"`{place.name}` is assigned twice at the same time", place.span)
            good = False
        updates.update(new)
    return _perform(paths, undefined, updates, action.span, execution) if good else paths


def store_value(
    variables: tuple[Variable, ...],
    value: Term,
    undefined: list[Term],
    span: Span,
    paths: list[Path],
    execution: Execution,
) -> list[Path]:
    """The same value for several variables, as declarations give it."""
    context = execution.context
    if not variables or not fits(variables[0], value, span, context):
        return paths
    wrong = [*undefined, *out_of_range(variables[0], value, context)]
    return _perform(paths, wrong, {v.var: value for v in variables}, span, execution)


def arbitrary(path: Path, variables: tuple[Variable, ...], execution: Execution) -> Path:
    """Values that the step chooses."""
    for variable in variables:
        name = variable.var.name
        if "?" not in name:
            name = f"{name.replace('[', '_').replace(']', '')}?{next(execution.numbers)}"
        choice = replace(variable, var=build.variable(name, variable.var.sort), kind=Kind.LOCAL, ghost=False)
        store = {**path.store, variable.var: choice.var}
        path = replace(path, choices=(*path.choices, choice), store=store)
    return path


def havoc(places: tuple[syntax.Place, ...], paths: list[Path], execution: Execution) -> list[Path]:
    """`havoc x, y`: an array's name means all of its elements."""
    context = execution.context
    for place in places:
        symbol = find(context.scope, place.name)
        if isinstance(symbol, ArraySymbol) and isinstance(place, syntax.Name):
            paths = [arbitrary(p, symbol.elements, execution) for p in paths]
            continue
        undefined = list[Term]()
        target = target_of(place, replace(context, undefined=undefined))
        if target is None:
            continue
        if target.index is None:
            paths = [arbitrary(p, target.variables, execution) for p in paths]
        else:
            paths = _havoc_element(target, undefined, paths, execution)
    return paths


def _havoc_element(target: Target, undefined: list[Term], paths: list[Path], execution: Execution) -> list[Path]:
    """`havoc flag[i]` where i is not a constant: one choice, written to the element that i names."""
    first = target.variables[0]
    safe = [demand(p, undefined, target.span, execution) for p in paths]
    result = list[Path]()
    for path in (p for p in safe if p is not None):
        chosen = arbitrary(path, (first,), execution)
        updates = _updates(target, chosen.store[first.var])
        result.append(replace(chosen, store={**path.store, **{v: now(path, t) for v, t in updates.items()}}))
    return result


def cas(action: syntax.CompareAndSwap, paths: list[Path], execution: Execution) -> list[Path]:
    """`r := cas(x, expected, new)`."""
    context = execution.context
    undefined = list[Term]()
    inner = replace(context, undefined=undefined)
    result, place = target_of(action.result, inner), target_of(action.place, inner)
    values = [translate_value(e, False, context) for e in (action.expected, action.new)]
    if result is None or place is None or values[0] is None or values[1] is None:
        return paths
    expected, new = values[0][0], values[1][0]
    if not (
        fits(place.variables[0], expected, action.expected.span, context)
        and fits(place.variables[0], new, action.new.span, context)
    ):
        return paths
    sort = result.variables[0].var.sort
    if sort not in (BOOL, INT):
        complain(context, "SA201", "cas gives a bool, or 1 and 0", action.result.span)
        return paths
    equal = build.eq(_old_value(place), expected)
    outcome = equal if sort == BOOL else build.ite(equal, build.ONE, build.ZERO)
    swapped = build.ite(equal, new, _old_value(place))
    wrong = [*undefined, *values[0][1], *values[1][1], *out_of_range(place.variables[0], swapped, context)]
    wrong += out_of_range(result.variables[0], outcome, context)
    return _write_both(result, outcome, place, swapped, wrong, action, paths, execution)


def fetch_add(action: syntax.FetchAdd, paths: list[Path], execution: Execution) -> list[Path]:
    """`r := fetch_add(x, k)`."""
    context = execution.context
    undefined = list[Term]()
    inner = replace(context, undefined=undefined)
    result, place = target_of(action.result, inner), target_of(action.place, inner)
    amount = of_sort(action.amount, INT, inner)
    if result is None or place is None or amount is None:
        return paths
    before = _old_value(place)
    if sort_of(before) != INT:
        complain(context, "SA201", "fetch_add needs a variable of type int", action.place.span)
        return paths
    if not fits(result.variables[0], before, action.result.span, context):
        return paths
    after = build.add(before, amount)
    wrong = [
        *undefined,
        *out_of_range(place.variables[0], after, context),
        *out_of_range(result.variables[0], before, context),
    ]
    return _write_both(result, before, place, after, wrong, action, paths, execution)


def _write_both(
    result: Target,
    outcome: Term,
    place: Target,
    value: Term,
    wrong: list[Term],
    action: syntax.CompareAndSwap | syntax.FetchAdd,
    paths: list[Path],
    execution: Execution,
) -> list[Path]:
    updates, own = _updates(place, value), _updates(result, outcome)
    if not own.keys().isdisjoint(updates):
        complain(execution.context, "SA310", "the result is written to the variable itself", action.result.span)
        return paths
    return _perform(paths, wrong, {**updates, **own}, action.span, execution)


def lock(place: syntax.Place, paths: list[Path], execution: Execution) -> list[Path]:
    """`lock(l)`: enabled where l is 0, writes the thread's number."""
    target, undefined = _lock_target(place, execution.context)
    if target is None:
        return paths
    free = build.eq(_old_value(target), build.ZERO)
    owner = build.integer(execution.holder)
    wrong = out_of_range(target.variables[0], owner, execution.context)
    safe = [demand(p, undefined, place.span, execution) for p in paths]
    taken = [assume(p, free) for p in safe if p is not None]
    return _perform([p for p in taken if p is not None], wrong, _updates(target, owner), place.span, execution)


def unlock(place: syntax.Place, paths: list[Path], execution: Execution) -> list[Path]:
    """`unlock(l)`: goes wrong where the thread does not hold the lock."""
    target, undefined = _lock_target(place, execution.context)
    if target is None:
        return paths
    stranger = build.ne(_old_value(target), build.integer(execution.holder))
    wrong = [*undefined, stranger, *out_of_range(target.variables[0], build.ZERO, execution.context)]
    return _perform(paths, wrong, _updates(target, build.ZERO), place.span, execution)


def _lock_target(place: syntax.Place, context: Context) -> tuple[Target | None, list[Term]]:
    undefined = list[Term]()
    target = target_of(place, replace(context, undefined=undefined))
    if target is not None and target.variables[0].var.sort != INT:
        complain(context, "SA201", "a lock is an int: 0, or the number of the thread that holds it", place.span)
        return None, undefined
    return target, undefined
