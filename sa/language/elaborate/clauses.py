"""What a refinement block or a step of a script says of its two sides, as formulas."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.program import Formula, Related
from sa.language import syntax
from sa.language.elaborate.context import Context, complain
from sa.language.elaborate.expressions import boolean, relation
from sa.language.elaborate.sides import Side
from sa.language.elaborate.wholes import variables_of
from sa.language.names import ArraySymbol, SequenceSymbol, Symbol, VariableSymbol, did_you_mean, find
from sa.lowering.draft import origin
from sa.terms import build
from sa.terms.name import on_side
from sa.terms.term import Term


class Said(Struct, frozen=True):
    """The formulas of a refinement, as in `automata.program.Refinement`."""

    relate: tuple[Related, ...] | None
    pre: tuple[Formula, ...]
    inv: tuple[Formula, ...]
    rely: tuple[Formula, ...]


def elaborate_clauses(written: syntax.Clauses, sides: tuple[Side, Side], formulas: Context, relies: Context) -> Said:
    """The meaning of the clauses. `sides` are the concrete and the abstract one; errors leave formulas out."""
    related = None
    if written.relate is not None:
        found = [(e, _related(e, sides, formulas)) for e in written.relate]
        related = tuple(Related(t, origin(e.span)) for e, t in found if t is not None)
    assumed = [(r, relation(r.relation, relies)) for r in written.rely]
    return Said(
        related,
        _formulas(written.pre, formulas),
        _formulas(written.inv, formulas),
        tuple(Formula(t, origin(r.span)) for r, t in assumed if t is not None),
    )


def _formulas(expressions: tuple[syntax.Expression, ...], context: Context) -> tuple[Formula, ...]:
    found = [(e, boolean(e, context)) for e in expressions]
    return tuple(Formula(t, origin(e.span)) for e, t in found if t is not None)


def _related(expression: syntax.Expression, sides: tuple[Side, Side], context: Context) -> Term | None:
    """A bare name relates what both sides call so; anything else is a formula."""
    if not isinstance(expression, syntax.Name | syntax.Index) or "." in expression.name:
        return boolean(expression, context)
    name = expression.name
    symbols = [context.scope.symbols.get(on_side(name, side.written)) for side in sides]
    for symbol, which in zip(symbols, ("concrete", "abstract"), strict=True):
        if symbol is None:
            hint = did_you_mean(name, [n.partition(".")[2] for n in context.scope.symbols])
            if isinstance(find(context.scope, name), VariableSymbol):
                hint = "a parameter is the same on both sides anyway"
            complain(context, "SA452", f"the {which} side has no variable `{name}`", expression.span, hint)
            return None
    if isinstance(expression, syntax.Name) and all(isinstance(s, ArraySymbol | SequenceSymbol) for s in symbols):
        return _related_arrays(expression, symbols, context)
    left, right = (replace(expression, name=on_side(name, side.written)) for side in sides)
    return boolean(syntax.Compare("==", left, right, expression.span), context)


def _related_arrays(expression: syntax.Name, sides: list[Symbol | None], context: Context) -> Term | None:
    concrete, abstract = (variables_of(s) for s in sides if isinstance(s, ArraySymbol | SequenceSymbol))
    if [v.var.sort for v in concrete] != [v.var.sort for v in abstract]:
        message = f"the arrays `{expression.name}` differ in size or type"
        complain(context, "SA453", message, expression.span)
        return None
    return build.land(*(build.eq(c.var, a.var) for c, a in zip(concrete, abstract, strict=True)))
