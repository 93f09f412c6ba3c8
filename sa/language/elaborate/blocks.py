"""Refinement blocks: they wait until the two programs are known, then their formulas get a meaning.

Formulas name the variables of the two sides `conc.x` and `abs.x`, parameters are plain. A local is
named without its thread.
"""

from __future__ import annotations

from msgspec import Struct

from sa.automata.automaton import Kind, Origin
from sa.automata.program import Pairing, Program, Refinement
from sa.base.diagnostic import Diagnostic, error
from sa.language import syntax
from sa.language.elaborate.clauses import elaborate_clauses
from sa.language.elaborate.context import FORMULA, RELY, Context
from sa.language.elaborate.exports import visible_elsewhere
from sa.language.elaborate.sides import (
    ABSTRACT,
    CONCRETE,
    Side,
    enumerations,
    names_of_both,
    parameter_clashes,
    plain_names,
    thread_name,
)
from sa.language.names import Scope, Symbol
from sa.lowering.draft import origin


class Block(Struct, frozen=True, eq=False):
    """A refinement block as it stands in a file. The paths are as written, relative to the file."""

    name: str
    abstract: syntax.Path | None
    concrete: syntax.Path | None
    written: syntax.RefinementBlock
    scope: Scope
    origin: Origin


def elaborate_refinement(
    block: Block, abstract: Program, concrete: Program
) -> tuple[Refinement, tuple[Diagnostic, ...]]:
    """The block's meaning for two programs, and what is wrong with it; with errors it must not be used."""
    written, problems = block.written, list[Diagnostic]()
    base = Scope(None, _outside_names(block.scope))
    sides = (_side(concrete, CONCRETE), _side(abstract, ABSTRACT))
    for side in sides:
        for name, symbol in enumerations(side.variables).items():
            base.symbols.setdefault(name, symbol)
    names, ranges = names_of_both(sides)
    for name in parameter_clashes(sides):
        message = f"the parameter `{name}` has different types on the two sides"
        problems.append(error("SA451", message, block.origin.span, "a parameter is the same value on both sides"))
    formulas = Context(Scope(base, names), FORMULA, problems, ranges)
    relies = Context(Scope(base, plain_names(sides)), RELY, problems, ranges)
    said = elaborate_clauses(written.clauses, sides, formulas, relies)
    return (
        Refinement(
            block.name,
            None if block.abstract is None else block.abstract.text,
            None if block.concrete is None else block.concrete.text,
            said.relate,
            said.pre,
            said.inv,
            said.rely,
            _pairings(written, formulas),
            written.clauses.choose_init,
            written.clauses.silent_exit,
            written.expect,
            block.origin,
            written.preserve,
        ),
        tuple(dict.fromkeys(problems)),
    )


def _side(program: Program, meant: str) -> Side:
    local = [v for t in program.threads for v in t.variables if v.kind is Kind.LOCAL]
    # Identities are the same on both sides anyway.
    for family in program.families:
        local += (v for v in family.thread.variables if v.kind is Kind.LOCAL and v.var != family.identity)
    return Side(meant, meant, (*program.variables, *local), program.several)


def _outside_names(scope: Scope) -> dict[str, Symbol]:
    return {name: visible_elsewhere(symbol) for name, symbol in scope.symbols.items()}


def _pairings(written: syntax.RefinementBlock, context: Context) -> tuple[Pairing, ...]:
    result = list[Pairing]()
    for pair in written.pairs:
        concrete, abstract = thread_name(pair.concrete, context), thread_name(pair.abstract, context)
        if concrete is not None and abstract is not None:
            result.append(Pairing(concrete, abstract, origin(pair.span)))
    return tuple(result)
