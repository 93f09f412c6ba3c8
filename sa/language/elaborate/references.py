"""References to variables, array elements, constants and binders."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sa.automata.automaton import Fault, Kind, Variable
from sa.base.diagnostic import error
from sa.base.source import Span
from sa.language import names, syntax
from sa.language.elaborate.context import Context, complain
from sa.lowering.paths import Wrong
from sa.lowering.writes import outside
from sa.terms import build
from sa.terms.sort import ArraySort
from sa.terms.term import Int, Term


def whole_name(expression: syntax.Name, symbol: names.Symbol | None, context: Context) -> Term | None:
    """The term of a plain name that is not a macro."""
    name, span = expression.name, expression.span
    match symbol:
        case None:
            context.problems.append(names.unknown(context.scope, name, span))
            return None
        case names.VariableSymbol(variable):
            return read(variable, expression.primes, span, context)
        case names.TermSymbol(term):
            if expression.primes:
                complain(context, "SA303", f"`{name}` never changes, so it has no primed value", span)
                return None
            return term
        case names.ArraySymbol():
            complain(context, "SA208", f"`{name}` is an array", span, f"write an element, such as `{name}[0]`")
        case names.SequenceSymbol():
            complain(context, "SA208", f"`{name}` is a sequence", span, f"`first({name})` is one of its elements")
        case names.TypeSymbol():
            complain(context, "SA103", f"`{name}` is a type, not a value", span)
        case names.HiddenSymbol(why):
            complain(context, "SA103", f"`{name}` cannot be used here", span, why)
        case names.ConditionSymbol():
            hint = "only `wait`, `signal` and `broadcast` name it"
            complain(context, "SA103", f"the condition variable `{name}` has no value", span, hint)
        case names.BrokenSymbol():
            pass
        case _:
            complain(context, "SA103", f"`{name}` is not a value", span, "give it arguments")
    return None


def read(variable: Variable, primes: int, span: Span, context: Context) -> Term | None:
    """A variable's term here; `primes` as written."""
    mode, name = context.mode, variable.var.name
    if not mode.variables:
        complain(context, "SA204", f"`{name}` is a variable, but {mode.what} cannot depend on one", span)
        return None
    if variable.ghost and not mode.ghosts:
        hint = "ghosts are for invariants and relies; a program does not read them"
        complain(context, "SA302", f"the ghost `{name.base}` is read by {mode.what}", span, hint)
        return None
    if variable.kind is Kind.LOCAL and not mode.locals:
        hint = "an environment neither reads nor changes the locals of a thread"
        complain(context, "SA304", f"{mode.what} speaks of the local `{name}`", span, hint)
        return None
    if primes and not mode.primes:
        complain(context, "SA303", f"primes have no meaning in {mode.what}", span, "they are for relies and guarantees")
        return None
    if primes > 1 or (primes and context.primes):
        why = "a relation is about two states" if primes > 1 else "this relation is written with `old`"
        complain(context, "SA303", f"too many primes: {why}", span)
        return None
    if variable.kind is Kind.PARAM:
        if primes:
            complain(context, "SA303", f"the parameter `{name}` never changes, so it has no primed value", span)
            return None
        return variable.var
    return build.variable(name, variable.var.sort, primes + context.primes)


def of_before(term: Term | None, span: Span, context: Context) -> Term | None:
    """What stands in `old(…)`, which has no primes; None after an error."""
    if term is not None and any(v.primes for v in term.free):
        hint = "a relation is written with primes, or with `old`"
        complain(context, "SA303", "`old` is about the state before a step, primes about the next one", span, hint)
        return None
    return term


def element(
    expression: syntax.Index, context: Context, index_term: Callable[[syntax.Expression], Term | None]
) -> Term | None:
    """`flag[i]`: a choice among the elements where i is not a constant."""
    array, index = whole_array(expression, context), index_term(expression.index)
    if array is not None:
        held = read(array, expression.primes, expression.span, context)
        return None if held is None or index is None else build.select(held, index)
    elements = array_elements(expression, context)
    if elements is None or index is None or not check_index(index, len(elements), expression, context):
        return None
    if isinstance(index, Int) and 0 <= index.value < len(elements):
        return read(elements[index.value], expression.primes, expression.span, context)
    known = read_all(elements, expression.primes, expression.span, context)
    if known is None:
        return None
    result = known[-1]
    for position in range(len(known) - 2, -1, -1):
        result = build.ite(build.eq(index, build.integer(position)), known[position], result)
    return result


def read_all(variables: Sequence[Variable], primes: int, span: Span, context: Context) -> tuple[Term, ...] | None:
    """The terms of the variables behind one name; None after an error, which all of them share."""
    terms = list[Term]()
    for variable in variables:
        term = read(variable, primes, span, context)
        if term is None:
            return None
        terms.append(term)
    return tuple(terms)


def whole_array(expression: syntax.Index, context: Context) -> Variable | None:
    """The array that is indexed, if it is one variable; None for any other."""
    match names.find(context.scope, expression.name):
        case names.VariableSymbol(variable) if isinstance(variable.var.sort, ArraySort):
            return variable
        case _:
            return None


def array_elements(expression: syntax.Index, context: Context) -> tuple[Variable, ...] | None:
    """The elements of the array that is indexed."""
    symbol = names.find(context.scope, expression.name)
    if isinstance(symbol, names.ArraySymbol | names.SequenceSymbol):
        return symbol.elements
    if symbol is None:
        context.problems.append(names.unknown(context.scope, expression.name, expression.span, "array"))
    elif not isinstance(symbol, names.BrokenSymbol):
        complain(context, "SA208", f"`{expression.name}` is not an array", expression.span)
    return None


def check_index(index: Term, size: int, expression: syntax.Index, context: Context) -> bool:
    """Whether an index can be used: constants must be right, others may fail at run time."""
    if isinstance(index, Int) and not 0 <= index.value < size:
        depends = not all(names.is_of_file(context.scope, n) for n, _ in names.mentioned(expression.index))
        if depends and context.undefined is not None:
            # Another member of the family, or another round of the loop, may be meant.
            context.undefined.append(Wrong(build.TRUE, Fault.INDEX))
            return True
        message = f"the index {index.value} is outside of `{expression.name}`, which has the elements 0..{size - 1}"
        complain(context, "SA319", message, expression.span)
        return False
    symbol = names.find(context.scope, expression.name)
    wrong = outside(index, 0, size - 1, context.ranges)
    if isinstance(symbol, names.SequenceSymbol) and context.undefined is not None:
        wrong = build.lor(wrong, build.le(symbol.length.var, index))
    if wrong is build.FALSE:
        return True
    if context.undefined is None:
        message = f"this index may be outside of `{expression.name}`, and {context.mode.what} cannot fail"
        complain(context, "SA319", message, expression.span, f"declare the index with a range within 0..{size - 1}")
        return False
    context.undefined.append(Wrong(wrong, Fault.INDEX))
    return True


def in_range(term: Term, low: int, high: int) -> Term:
    """`low <= term && term <= high`."""
    return build.land(build.le(build.integer(low), term), build.le(term, build.integer(high)))


def sequence_of(expression: syntax.Expression, context: Context) -> names.SequenceSymbol | None:
    """The sequence that is named; None after an error."""
    symbol = names.find(context.scope, expression.name) if isinstance(expression, syntax.Name) else None
    if isinstance(symbol, names.SequenceSymbol):
        return symbol
    if isinstance(expression, syntax.Name) and symbol is None:
        context.problems.append(names.unknown(context.scope, expression.name, expression.span, "sequence"))
    elif not isinstance(symbol, names.BrokenSymbol):
        hint = "declare one: `global q : seq<int, 4> = {};`"
        complain(context, "SA325", "this is not a sequence", expression.span, hint)
    return None


def variables_named(place: syntax.Place, context: Context) -> tuple[Variable, ...] | None:
    """The variables that `unchanged` names: an array stands for its elements."""
    symbol = names.find(context.scope, place.name)
    match symbol, place:
        case names.VariableSymbol(variable), syntax.Name():
            return (variable,)
        case names.ArraySymbol(elements), syntax.Name():
            return elements
        case names.SequenceSymbol(elements, length), syntax.Name():
            return (*elements, length)
        case names.ArraySymbol(elements), syntax.Index(_, syntax.Integer(value), _):
            if value < len(elements):
                return (elements[value],)
            complain(context, "SA319", f"`{place.name}` has the elements 0..{len(elements) - 1}", place.span)
        case names.BrokenSymbol(), _:
            pass
        case None, _:
            context.problems.append(names.unknown(context.scope, place.name, place.span, "variable"))
        case _:
            context.problems.append(error("SA103", f"`{place.name}` is not a variable", place.span))
    return None
