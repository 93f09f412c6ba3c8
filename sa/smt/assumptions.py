"""A solver whose hypotheses can be switched off, and which says which of them it used.

For searches that ask thousands of questions under changing selections of the same hypotheses: each is asserted once,
behind a switch of its own, and a question names the switches that are on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import z3
from msgspec import Struct
from z3 import z3core

from sa.base.limits import Limits, check_limits, spend
from sa.base.meter import Part, timed
from sa.smt.session import SolverDisagrees
from sa.smt.stopping import Gauge, check_stopped
from sa.smt.translate import Translator
from sa.smt.value import NotAValue, value_in
from sa.terms.evaluate import Unevaluable, holds
from sa.terms.sort import BOOL, Value
from sa.terms.term import Term, Var


class Model(Struct, frozen=True):
    """Values that make the question true, and all hypotheses that are on. The evaluator agreed as to the question."""

    values: Mapping[Var, Value]


class Used(Struct, frozen=True):
    """There are no such values, and these hypotheses are why."""

    hypotheses: frozenset[int]


class Switches:
    """Hypotheses by number, in the order in which they were added. Not shared between threads."""

    def __init__(self, bounds: Limits, seed: int, rlimit: int, always: Iterable[Term], spoken: Sequence[Var]) -> None:
        """`always` holds whatever is switched off; a model has values for `spoken` and what the question mentions."""
        self.bounds = bounds
        self.calls = 0
        self._rlimit = rlimit
        self._spoken = tuple(spoken)
        self._context = z3.Context()
        self._translator = Translator(self._context)
        self._solver = z3.SimpleSolver(self._context)
        self._solver.set("random_seed", seed)
        self._gauge = Gauge(self._solver)
        self._ranged = set[Var]()
        self._switches = list[z3.BoolRef]()
        for formula in always:
            self._assert(formula, lambda f: f)
        for var in self._spoken:
            self._keep_within(var)

    def add(self, formula: Term) -> int:
        """A new hypothesis, off until a question names it."""
        switch = z3.Bool(f"#{len(self._switches)}", self._context)
        self._switches.append(switch)
        self._assert(formula, lambda f: z3.Implies(switch, f))
        return len(self._switches) - 1

    def check(self, on: Iterable[int], formulas: Sequence[Term]) -> Model | Used | None:
        """Whether the formulas are possible under these hypotheses; None where the solver gives up.

        Raises LimitReached.
        """
        spend(self.bounds, 1500)
        self.calls += 1
        numbers = list(on)
        self._solver.push()
        try:
            return self._answer(numbers, formulas)
        except (z3.Z3Exception, NotAValue):
            return None
        finally:
            self._solver.pop()
            # What is said of ranges inside of a question is forgotten with it.
            self._ranged.difference_update(self._inside)

    _inside: frozenset[Var] = frozenset()

    def _answer(self, on: Sequence[int], formulas: Sequence[Term]) -> Model | Used | None:
        known = frozenset(self._ranged)
        for formula in formulas:
            self._assert(formula, lambda f: f)
        self._inside = frozenset(self._ranged) - known
        self._gauge.allow(self.bounds, self._rlimit)
        with timed(Part.SOLVER, "satisfiability"):
            result = self._asked(on)
        spent = self._gauge.count(self.bounds)
        if result == z3.Z3_L_FALSE:
            return Used(frozenset(self._core()))
        if result == z3.Z3_L_TRUE:
            return self._model(formulas)
        check_stopped(self._solver.reason_unknown(), spent, self._rlimit, self.bounds)
        check_limits(self.bounds)
        return None

    def _asked(self, on: Sequence[int]) -> int:
        # Not `check`, which spends more time on casting switches than the solver on many a question.
        switches = (z3.Ast * len(on))(*(self._switches[n].ast for n in on))
        result: int = z3core.Z3_solver_check_assumptions(self._context.ref(), self._solver.solver, len(on), switches)
        return result

    def _core(self) -> Iterator[int]:
        core = z3core.Z3_solver_get_unsat_core(self._context.ref(), self._solver.solver)
        for switch in z3.AstVector(core, self._context):
            yield int(str(switch).strip("|#"))

    def _model(self, formulas: Sequence[Term]) -> Model:
        model = self._solver.model()
        variables = dict.fromkeys(self._spoken)
        variables.update((v, None) for f in formulas for v in sorted(f.free, key=lambda v: v.key))
        values = {v: self._value(model, v) for v in variables}
        for formula in formulas:
            try:
                if not holds(formula, values):
                    raise SolverDisagrees(f"model {values} of {formula!r}")
            except Unevaluable:
                continue
        return Model(values)

    def _value(self, model: z3.ModelRef, var: Var) -> Value:
        expression = self._translator.translate(var)
        if var.sort != BOOL:
            return value_in(model, expression, var.sort)
        # There are very many of them, and `eval` spends its time on what kind of expression a value is.
        found = (z3.Ast * 1)()
        z3core.Z3_model_eval(self._context.ref(), model.model, expression.ast, True, found)
        return bool(z3core.Z3_get_bool_value(self._context.ref(), found[0]) == z3.Z3_L_TRUE)

    def _assert(self, formula: Term, written: Callable[[z3.BoolRef], z3.BoolRef]) -> None:
        for var in formula.free:
            self._keep_within(var)
        expression = written(self._translator.translate(formula))
        z3core.Z3_solver_assert(self._context.ref(), self._solver.solver, expression.ast)

    def _keep_within(self, var: Var) -> None:
        if var not in self._ranged:
            self._ranged.add(var)
            for bound in self._translator.within(var):
                z3core.Z3_solver_assert(self._context.ref(), self._solver.solver, bound.ast)
