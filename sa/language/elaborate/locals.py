"""Local variables of threads: initial ones, and those that a step initialises.

Names do not shadow, but blocks beside each other may use one name twice; they share a variable if the
types agree, otherwise the later one is called `x_2`.
"""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.automaton import Kind, Origin, Variable
from sa.language import syntax
from sa.language.elaborate.assignments import fits, store_value, translate_value
from sa.language.elaborate.context import Context, Execution, complain
from sa.language.elaborate.declared import declare_variables, free_name, make_variables
from sa.language.elaborate.expressions import domain_of, translate
from sa.language.elaborate.references import in_range
from sa.language.elaborate.types import ArrayOf, Domain, Nothing
from sa.lowering.draft import Draft
from sa.lowering.paths import Path
from sa.lowering.writes import arbitrary
from sa.terms import build
from sa.terms.name import element
from sa.terms.term import Term


def initial_local(action: syntax.Local, draft: Draft, context: Context) -> None:
    """A local at the top of a thread: its value is part of the initial state."""
    value = None if action.value is None else translate(action.value, context)
    variables = declare_locals(action, draft, context)
    if action.value is not None and value is not None:
        draft.init.extend(initial_values(variables, value, action.value, context))
    draft.init.extend(initial_elements(action, variables, context))


def initial_elements(
    declaration: syntax.Local | syntax.Global, variables: tuple[Variable, ...], context: Context
) -> list[Term]:
    """That the elements of an array have the values of `= {e1, e2}` at the start."""
    written = declaration.elements
    if not written or not variables:
        return []
    if (
        len(declaration.names) > 1
        or len(written) != len(variables)
        or not isinstance(declaration.type, syntax.ArrayType)
    ):
        message = f"{len(written)} values, but {len(variables)} variables"
        complain(context, "SA203", message, declaration.span, "one value for each element of one array")
        return []
    values = [translate(e, context) for e in written]
    pairs = zip(variables, values, written, strict=True)
    return [t for v, value, e in pairs if value is not None for t in initial_values((v,), value, e, context)]


def initial_values(
    variables: tuple[Variable, ...], value: Term, written: syntax.Expression, context: Context
) -> list[Term]:
    """That variables of one declaration have this value at the start."""
    if not variables or not fits(variables[0], value, written.span, context):
        return []
    first = variables[0]
    low, high = first.low, first.high
    if low is not None and high is not None and in_range(value, low, high) is build.FALSE:
        complain(context, "SA314", f"the initial value is outside of {low}..{high}", written.span)
    return [build.eq(v.var, value) for v in variables]


def local_step(action: syntax.Local, draft: Draft, execution: Execution) -> list[Path]:
    """A local that is declared further down: assigned, or chosen, when the step is taken."""
    context = execution.context
    value = None if action.value is None else translate_value(action.value, action.ghost, context)
    variables = declare_locals(action, draft, context)
    if action.elements:
        hint = "declare the array at the top of the thread, or assign to its elements"
        complain(context, "SA208", "values for all elements are for initial states", action.span, hint)
    if action.value is None:
        return [arbitrary(Path(), variables, execution.step)]
    if value is None:
        return []
    return store_value(variables, *value, action.value.span, [Path()], execution)


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
    return result


def _may_share(name: str, domain: Domain | ArrayOf, ghost: bool, draft: Draft) -> bool:
    """Whether a name is free, or belongs to a variable with the same values."""
    wanted = make_variables(name, domain, Kind.LOCAL, ghost, Origin(None))
    if name not in draft.locals and element(name, 0) not in draft.locals:
        return wanted[0].var.name not in draft.taken
    if element(name, len(wanted)) in draft.locals:
        return False
    return all(_alike(w, draft.locals.get(w.var.name)) for w in wanted)


def _alike(wanted: Variable, known: Variable | None) -> bool:
    return known is not None and replace(known, origin=wanted.origin) == wanted
