"""Linear Horn clauses as a question of reachability, answered by Spacer with formulas or with a way to the end.

Clauses have at most one atom in their bodies, so that a derivation of what is impossible is a sequence of clauses. Both
answers are only proposals: whoever uses them checks them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

import z3
from msgspec import Struct

from sa.base.limits import Limits, check_limits, count, spend
from sa.base.meter import Part, timed
from sa.smt.from_z3 import NotATerm, term_of
from sa.smt.horn import Atom, Clause, GivenUp, Solution
from sa.smt.stopping import TERM, Gauge, check_stopped
from sa.smt.translate import Translator
from sa.terms.term import Var

_END = "end"

#: Solver resources for whether a step of a derivation is an instance of a clause.
_INSTANCE = 1_000_000


class Derivation(Struct, frozen=True):
    """The numbers of the clauses that lead from a beginning to the end, in their order."""

    clauses: tuple[int, ...]


Reached: TypeAlias = Solution | Derivation | GivenUp


def reach(parameters: Mapping[str, Sequence[Var]], clauses: Sequence[Clause], bounds: Limits, rlimit: int) -> Reached:
    """Whether a clause without a head can be reached from clauses without a body. Raises LimitReached."""
    spend(bounds, 1000)
    context = z3.Context()
    translator = Translator(context)
    truth = z3.BoolSort(context)
    engine = z3.Fixedpoint(ctx=context)
    engine.set("engine", "spacer")
    # Inlined predicates come back with quantifiers, and clauses that were simplified away are missing in derivations.
    for transformation in ("inline_eager", "inline_linear", "slice", "subsumption_checker"):
        engine.set(f"xform.{transformation}", False)
    gauge = Gauge(engine)
    gauge.allow(bounds, rlimit)
    names = {name: number for number, name in enumerate(parameters)}
    declared = {
        name: z3.Function(f"p{names[name]}", *(translator.sort(v.sort) for v in variables), truth)
        for name, variables in parameters.items()
    }
    end = z3.Function(_END, truth)
    for declaration in (*declared.values(), end):
        engine.register_relation(declaration)
    variables = set[Var]()

    def atom(applied: Atom) -> z3.BoolRef:
        return translator.apply(declared[applied.predicate], applied.arguments)

    for clause in clauses:
        free = sorted(_free(clause), key=lambda v: v.key)
        engine.declare_var(*(translator.translate(v) for v in free if v not in variables))
        variables.update(free)
        body = [*(atom(a) for a in clause.body), translator.translate(clause.constraint)]
        body += (f for v in free for f in translator.within(v))
        engine.rule(end() if clause.head is None else atom(clause.head), body)
    count(bounds, TERM * translator.size)
    try:
        with timed(Part.SOLVER, "Horn clauses"):
            result = engine.query(end())
        spent = gauge.count(bounds)
        if result == z3.sat:
            return _derivation(engine.get_answer(), declared, clauses, translator)
        if result == z3.unsat:
            found = {n: term_of(engine.get_cover_delta(-1, declared[n]), tuple(v)) for n, v in parameters.items()}
            return Solution(found)
        why = engine.reason_unknown()
        check_stopped(why, spent, rlimit, bounds)
        check_limits(bounds)
        return GivenUp(why)
    except (z3.Z3Exception, NotATerm) as problem:
        # A query that is stopped by the limit of its resources ends here, too.
        gauge.count(bounds)
        check_limits(bounds)
        return GivenUp(str(problem))


def _free(clause: Clause) -> set[Var]:
    applied = (*clause.body, *(() if clause.head is None else (clause.head,)))
    return set(clause.constraint.free).union(*(t.free for a in applied for t in a.arguments))


def _derivation(
    answer: z3.ExprRef, declared: Mapping[str, z3.FuncDeclRef], clauses: Sequence[Clause], translator: Translator
) -> Derivation | GivenUp:
    """The clauses between the facts of a proof, which are ground: each is one whose constraint they satisfy."""
    names = {declaration.name(): name for name, declaration in declared.items()}
    facts = [(names.get(f.decl().name()), f.children()) for f in _facts(answer)]
    known = [(name, values) for name, values in facts if name is not None]
    if not known:
        return GivenUp("a derivation without facts")
    found = list[int]()
    for before, after in pairwise((None, *known, None)):
        number = next((n for n, c in enumerate(clauses) if _is_instance(c, before, after, translator)), None)
        if number is None:
            return GivenUp("a derivation with a step that is no clause")
        found.append(number)
    return Derivation(tuple(found))


#: A predicate applied to values.
_Fact: TypeAlias = tuple[str, Sequence[z3.ExprRef]]


def _facts(answer: z3.ExprRef) -> list[z3.ExprRef]:
    """What the steps of a proof by resolution conclude, the first one first: each rests on the one before."""
    found, here = list[z3.ExprRef](), answer
    while True:
        parts = here.children()
        rests = [p for p in parts if z3.is_app(p) and p.decl().name() == "hyper-res"]
        if here.decl().name() == "hyper-res":
            found.append(parts[-1])
        if not rests:
            break
        here = rests[0]
    return found[::-1]


def _is_instance(clause: Clause, before: _Fact | None, after: _Fact | None, translator: Translator) -> bool:
    body = clause.body[0] if clause.body else None
    context, equations = translator.context, [translator.translate(clause.constraint)]
    for atom, fact in ((body, before), (clause.head, after)):
        if (atom is None) != (fact is None):
            return False
        if atom is not None and fact is not None:
            if atom.predicate != fact[0]:
                return False
            equations += [translator.translate(t) == x for t, x in zip(atom.arguments, fact[1], strict=True)]
    solver = z3.SimpleSolver(context)
    solver.set("rlimit", _INSTANCE)
    solver.add(*equations)
    return bool(solver.check() == z3.sat)
