"""Invariants of a program, those that speak of copies in families of any number included.

`forall i, j : T :: body` at the very beginning of an invariant is about any two copies of `T`, which may be one:
`i` and `j` are their identities in the body, and `at T[i].CS` says where the first one is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Origin
from sa.automata.family import MOST_COPIES, Copy, Family, identity_of
from sa.automata.program import Invariant
from sa.base.diagnostic import Diagnostic, error
from sa.language import syntax
from sa.language.elaborate.context import INVARIANT, Context, complain, within
from sa.language.elaborate.declarations import Declared
from sa.language.elaborate.expressions import boolean
from sa.language.elaborate.sides import grouped, of_several
from sa.language.names import BrokenSymbol, HiddenSymbol, Scope, Symbol, TermSymbol, declare, find
from sa.lowering.draft import origin
from sa.terms.interval import Interval
from sa.terms.name import at_place, named, whole
from sa.terms.substitute import local_of
from sa.terms.term import Term, Var


def invariants(
    module: syntax.Module,
    declared: Declared,
    threads: Sequence[Automaton],
    families: Sequence[Family],
    several: Mapping[str, Set[str]],
) -> tuple[Invariant, ...]:
    """The invariants of a file, in its order. By thread, `several` are the names of more than one of its locals."""
    known = {f.thread.name: f for f in families}
    context = replace(about_states(declared, threads, several), families=frozenset(known))
    inner = context.scope
    result = list[Invariant]()
    for d in module.declarations:
        if isinstance(d, syntax.InvariantDeclaration):
            if any(i.name == d.name.name for i in result):
                context.problems.append(_twice(d))
            inside, body, copies = _bound(d.formula, known, several, context)
            formula = boolean(body, inside)
            if formula is not None:
                why = Origin(d.span, origin(d.span).text)
                result.append(Invariant(d.name.name, formula, d.strong, d.expect, why, copies))
            # Later invariants may use it, unless something else has the name.
            if find(inner, d.name.name) is None:
                about = HiddenSymbol("an invariant about copies cannot be used in another one")
                known_by_name: Symbol = about if copies else BrokenSymbol() if formula is None else TermSymbol(formula)
                inner.symbols[d.name.name] = known_by_name
    return tuple(result)


def about_states(declared: Declared, threads: Sequence[Automaton], several: Mapping[str, Set[str]]) -> Context:
    """Where formulas about states of the whole program are read: locals are `T.x`, and `at T.q` has a meaning."""
    base = declared.context
    context = Context(base.scope, INVARIANT, base.problems, base.ranges, locations=frozenset(_places(threads)))
    inner, ranges = Scope(base.scope), dict(base.ranges)
    _enter_locals([(t, several.get(t.name, set())) for t in threads], inner, ranges)
    return replace(within(context, inner), ranges=ranges, members=_members(threads))


def _enter_locals(threads: Iterable[tuple[Automaton, Set[str]]], scope: Scope, ranges: dict[Var, Interval]) -> None:
    """Enter the locals of threads as `T.x`; not those whose name another one has, too."""
    for thread, several in threads:
        local = {v.var.name: v for v in thread.variables if v.kind is Kind.LOCAL}
        meant = {name: replace(v, var=local_of(v.var, thread.name)) for name, v in local.items()}
        scope.symbols.update({f"{thread.name}.{name}": symbol for name, symbol in grouped(meant).items()})
        for name in several:
            scope.symbols[f"{thread.name}.{name}"] = of_several(thread.name, name)
        ranges.update({v.var: (v.low, v.high) for v in meant.values()})


def _members(threads: Sequence[Automaton]) -> dict[str, tuple[int, int]]:
    """The first and the last index of each family."""
    indices = dict[str, list[int]]()
    for thread in threads:
        name = named(thread.name)
        if name.position is not None:
            indices.setdefault(whole(name), []).append(name.position)
    return {family: (min(of), max(of)) for family, of in indices.items()}


def _places(threads: Sequence[Automaton]) -> Iterator[str]:
    return (at_place(t.name, p.name) for t in threads for p in t.locations)


def _bound(
    formula: syntax.Expression, families: Mapping[str, Family], several: Mapping[str, Set[str]], context: Context
) -> tuple[Context, syntax.Expression, tuple[Copy, ...]]:
    """What is behind the quantifiers over copies, the place in which it stands, and the copies."""
    scope, bound, copies = Scope(context.scope), dict[Term, Copy](), list[Copy]()
    ranges = dict(context.ranges)
    while isinstance(formula, syntax.Quantified) and all(_family(b, families) for b in formula.binders):
        if not formula.universal:
            hint = "a claim is about all copies: write `forall`"
            complain(context, "SA312", "an invariant cannot say that there is a copy", formula.span, hint)
        for binder in formula.binders:
            family = _family(binder, families)
            assert family is not None
            for name in binder.names:
                copy = Copy(family.thread.name, f"{family.thread.name}[{name.name}]")
                identity = identity_of(family, copy.name)
                declare(scope, name, TermSymbol(identity), context.problems)
                bound[identity] = copy
                copies.append(copy)
        formula = formula.body
    for family in families.values():
        if sum(c.family == family.thread.name for c in copies) > MOST_COPIES:
            message = f"this claim mentions more than {MOST_COPIES} copies of `{family.thread.name}`"
            complain(context, "SA207", message, formula.span)
            copies = []
    meant = tuple(replace(families[c.family].thread, name=c.name) for c in copies)
    _enter_locals([(t, several.get(c.family, set())) for t, c in zip(meant, copies, strict=True)], scope, ranges)
    locations = context.locations | frozenset(_places(meant))
    inside = replace(within(context, scope), copies=bound, locations=locations, ranges=ranges)
    return inside, formula, tuple(copies)


def _family(binder: syntax.Binder, families: Mapping[str, Family]) -> Family | None:
    return families.get(binder.type.name) if isinstance(binder.type, syntax.NamedType) else None


def _twice(d: syntax.InvariantDeclaration) -> Diagnostic:
    return error("SA102", f"the invariant `{d.name.name}` is declared twice", d.name.span)
