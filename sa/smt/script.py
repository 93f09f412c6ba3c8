"""Questions as SMT-LIB 2 scripts that any solver can run; the text of a script depends on the formulas only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sa.terms.smtlib import constructor_symbol, smtlib, sort_symbol, symbol, variable_symbol
from sa.terms.sort import ArraySort, EnumSort, Sort, enumerations
from sa.terms.term import Call, ConstantArray, Forall, Function, Member, Product, Term, Var, sort_of, subterms


class NotWritable(Exception):
    """Two different things have one name, so that there is no such script."""


def script(formulas: Sequence[Term], remarks: Iterable[str] = ()) -> str:
    """A script that asks whether the formulas are satisfiable together. Raises NotWritable."""
    parts = list(subterms(formulas))
    free = sorted(frozenset[Var]().union(*(f.free for f in formulas)), key=lambda v: v.key)
    functions = {t.function for t in parts if isinstance(t, Call)}
    bound = {b for t in parts if isinstance(t, Forall) for b in t.binders}
    sorts: set[Sort] = {v.sort for v in (*free, *bound)} | {s for f in functions for s in (*f.arguments, f.result)}
    sorts |= {t.sort for t in parts if isinstance(t, Member | ConstantArray)}
    declared_sorts = sorted(set(enumerations(sorts)), key=lambda s: s.name)
    declared = sorted(functions, key=lambda f: f.name)
    names = [symbol(f.name) for f in declared] + [variable_symbol(v) for v in free]
    if len(set(names)) < len(names) or len({s.name for s in declared_sorts}) < len(declared_sorts):
        raise NotWritable("two different things have one name")
    lines = [f"; {' '.join(r.split())}" for r in remarks]
    lines.append(f"(set-logic {_logic(parts, bool(declared_sorts), bool(declared))})")
    lines += (_enumeration(s) for s in declared_sorts)
    lines += (_function(f) for f in declared)
    lines += (f"(declare-const {variable_symbol(v)} {sort_symbol(v.sort)})" for v in free)
    lines += (f"(assert {smtlib(f)})" for f in formulas)
    return "\n".join((*lines, "(check-sat)", ""))


def _enumeration(sort: EnumSort) -> str:
    members = " ".join(f"({constructor_symbol(sort, i)})" for i in range(len(sort.constructors)))
    return f"(declare-datatypes (({sort_symbol(sort)} 0)) (({members})))"


def _function(function: Function) -> str:
    arguments = " ".join(map(sort_symbol, function.arguments))
    return f"(declare-fun {symbol(function.name)} ({arguments}) {sort_symbol(function.result)})"


def _logic(parts: Iterable[Term], has_data: bool, has_functions: bool) -> str:
    listed = list(parts)
    if has_data or any(isinstance(sort_of(t), ArraySort) for t in listed):
        return "ALL"
    quantified = any(isinstance(t, Forall) for t in listed)
    arithmetic = "NIA" if any(isinstance(t, Product) for t in listed) else "LIA"
    # Quantifiers without functions have logics of their own; that with functions contains them.
    return f"{'' if quantified else 'QF_'}{'UF' if has_functions or quantified else ''}{arithmetic}"
