"""Local variables of threads: initial ones, and those that a step initialises.

Names do not shadow, but blocks beside each other may use one name twice; they share a variable if the
types agree, otherwise the later one is called `x_2`.
"""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace

from sa.automata.automaton import Kind, Origin, Variable
from sa.automata.ranges import canonical
from sa.language import syntax
from sa.language.elaborate.assignments import any_values, filled, fits, store_value, store_whole, translate_value
from sa.language.elaborate.context import Context, Execution, complain, counted
from sa.language.elaborate.declared import declare_variables, free_name, make_variables
from sa.language.elaborate.expressions import domain_of, translate
from sa.language.elaborate.references import in_range
from sa.language.elaborate.types import ArrayOf, Domain, Nothing, SequenceOf
from sa.language.elaborate.wholes import variables_of, whole_of, whole_value
from sa.lowering.draft import Draft
from sa.lowering.paths import Path
from sa.terms import build
from sa.terms.name import element
from sa.terms.term import Term


def initial_local(action: syntax.Local, draft: Draft, context: Context) -> None:
    """A local at the top of a thread: its value is part of the initial state."""
    value = initial_value(action, context)
    variables = declare_locals(action, draft, context)
    draft.init.extend(initial_state(action, value, variables, context))


def initial_value(declaration: syntax.Local | syntax.Global, context: Context) -> Term | None:
    """The value of a declaration, as its names cannot see it yet; None without one, or for elements."""
    written = declaration.value
    return None if written is None or isinstance(written, syntax.Elements) else translate(written, context)


def initial_state(
    declaration: syntax.Local | syntax.Global, value: Term | None, variables: tuple[Variable, ...], context: Context
) -> list[Term]:
    """What a declaration says of the initial state; `value` is what `initial_value` found."""
    written = declaration.value
    if isinstance(written, syntax.Elements):
        return _initial_elements(declaration, written, variables, context)
    if written is None:
        return [canonical(variables)]
    if any(v.sequence for v in variables):
        complain(context, "SA208", "a sequence begins with elements", written.span, "write `{}`, or `{e1, e2}`")
        return []
    return [] if value is None else initial_values(variables, value, written, context)


def _initial_elements(
    declaration: syntax.Local | syntax.Global,
    written: syntax.Elements,
    variables: tuple[Variable, ...],
    context: Context,
) -> list[Term]:
    """That each name of a declaration has the values of `= {e1, e2}` at the start."""
    result = list[Term]()
    if not variables:
        return result
    if isinstance(declaration.type, syntax.ArrayType) and declaration.type.size is None:
        hint = "one value is for all elements, as `= 0`; without it `init a[0] == 5 && a[1] == 7;` says single ones"
        complain(context, "SA203", "this array has no last element", written.span, hint)
        return result
    if not isinstance(declaration.type, syntax.ArrayType | syntax.SequenceType):
        complain(context, "SA203", f"{counted(len(written.values), 'value')}, but one variable", declaration.span)
        return result
    for name in declaration.names:
        whole = whole_of(syntax.Name(name.name, 0, name.span), context)
        if whole is None:
            continue
        values = whole_value(written, whole, context, partial(translate, context=context))
        for variable, (value, place) in zip(variables_of(whole), values or (), strict=values is not None):
            result += initial_values((variable,), value, place, context)
    return result


def initial_values(
    variables: tuple[Variable, ...], value: Term, written: syntax.Expression, context: Context
) -> list[Term]:
    """That variables of one declaration have this value at the start."""
    if not variables:
        return []
    first, value = variables[0], filled(variables[0].var.sort, value)
    if not fits(first.var.sort, value, written.span, context):
        return []
    low, high = first.low, first.high
    if low is not None and high is not None and in_range(value, low, high) is build.FALSE:
        complain(context, "SA314", f"the initial value is outside of {low}..{high}", written.span)
    return [build.eq(v.var, value) for v in variables]


def local_step(action: syntax.Local, draft: Draft, execution: Execution) -> list[Path]:
    """A local that is declared further down: assigned, or chosen, when the step is taken."""
    context = execution.context
    written = action.value
    whole = isinstance(action.type, syntax.SequenceType) or isinstance(written, syntax.Elements)
    value = None if written is None or whole else translate_value(written, action.ghost, context)
    variables = declare_locals(action, draft, context)
    if written is None:
        return any_values(variables, [Path()], execution)
    if whole:
        return store_whole(action.names, written, [Path()], execution)
    return [] if value is None else store_value(variables, *value, written.span, [Path()], execution)


def declare_locals(action: syntax.Local, draft: Draft, context: Context) -> tuple[Variable, ...]:
    """Enter a declaration's names; its variables, which are locals of the automaton."""
    own = _own_names(action, draft, context)
    groups = declare_variables(action.names, action.type, Kind.LOCAL, action.ghost, context, own)
    variables = tuple(v for group in groups for v in group)
    for variable in variables:
        draft.locals.setdefault(variable.var.name, variable)
    return variables


def _own_names(action: syntax.Local, draft: Draft, context: Context) -> dict[str, str]:
    """The automaton's names for the locals of a declaration."""
    domain = domain_of(action.type, replace(context, problems=[]))
    result = dict[str, str]()
    if domain is None or isinstance(domain, Nothing):
        return result
    for name in action.names:
        used = context.taken
        while not _may_share(own := free_name(name.name, used), domain, action.ghost, draft):
            used |= {own}
        result[name.name] = own
        if own != name.name:
            draft.several.add(name.name)
    return result


def _may_share(name: str, domain: Domain | ArrayOf | SequenceOf, ghost: bool, draft: Draft) -> bool:
    """Whether a name is free, or belongs to a variable with the same values."""
    wanted = make_variables(name, domain, Kind.LOCAL, ghost, Origin(None))
    if name not in draft.locals and element(name, 0) not in draft.locals:
        return all(w.var.name not in draft.taken and w.var.name not in draft.locals for w in wanted)
    if element(name, len(wanted)) in draft.locals:
        return False
    return all(_alike(w, draft.locals.get(w.var.name)) for w in wanted)


def _alike(wanted: Variable, known: Variable | None) -> bool:
    return known is not None and replace(known, origin=wanted.origin) == wanted
