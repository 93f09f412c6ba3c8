"""Questions to the solver. An answer is a model that our own evaluator agreed with, "no", or why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import z3
from msgspec import Struct
from z3 import z3core

from sa.base.limits import Limits, check_time
from sa.smt.stopping import check_stopped, milliseconds_left, resources
from sa.smt.translate import Translator
from sa.smt.value import NotAValue, value_in
from sa.terms import build
from sa.terms.evaluate import Unevaluable, holds
from sa.terms.sort import Value
from sa.terms.term import Term, Var

#: Solver resources per question; deterministic, unlike seconds. About five seconds here.
RLIMIT = 20_000_000


class Sat(Struct, frozen=True):
    """A model of the formulas. `trusted` is False where a function or quantifier kept it from being re-evaluated."""

    values: Mapping[Var, Value]
    trusted: bool = True


class Unsat(Struct, frozen=True):
    """No model."""


class Undecided(Struct, frozen=True):
    """The solver gave up, and why."""

    why: str


Answer: TypeAlias = Sat | Unsat | Undecided
UNSAT = Unsat()


class SolverDisagrees(Exception):
    """The solver's model is not one for our evaluator: an internal error, never an answer."""


class Session:
    """A solver with a memory of what it was asked. Not shared between threads.

    `calls` counts the questions that reached the solver.
    """

    def __init__(self, bounds: Limits, axioms: Sequence[Term] = (), seed: int = 0, rlimit: int = RLIMIT) -> None:
        self.bounds = bounds
        self.calls = 0
        self._context = z3.Context()
        self._translator = Translator(self._context)
        self._solver = z3.SimpleSolver(self._context)
        self._solver.set("random_seed", seed)
        self._seed = seed
        self._rlimit = rlimit
        self._axioms = tuple(axioms)
        self._scopes: list[tuple[Term, ...]] = []
        self._memo: dict[frozenset[Term], Answer] = {}
        for axiom in self._axioms:
            self._solver.add(self._translator.translate(axiom))

    def again(self, rlimit: int | None = None) -> Session:
        """A session with the same axioms that knows what was found impossible here, and nothing of models.

        What it answers does not depend on questions that are asked here later.
        """
        fresh = Session(self.bounds, self._axioms, self._seed, self._rlimit if rlimit is None else rlimit)
        fresh._memo.update((q, a) for q, a in self._memo.items() if isinstance(a, Unsat))
        return fresh

    def bare(self, rlimit: int | None = None) -> Session:
        """A session without axioms that knows nothing yet."""
        return Session(self.bounds, (), self._seed, self._rlimit if rlimit is None else rlimit)

    @contextmanager
    def assuming(self, formulas: Iterable[Term]) -> Iterator[None]:
        """Ask the questions inside under these hypotheses."""
        scope = tuple(formulas)
        self._scopes.append(scope)
        self._solver.push()
        try:
            self._assert(scope)
            yield
        finally:
            self._solver.pop()
            self._scopes.pop()

    def check(self, formulas: Iterable[Term]) -> Answer:
        """Whether the formulas are satisfiable together. Raises LimitReached."""
        asked = frozenset(formulas)
        if build.FALSE in asked:
            return UNSAT
        question = asked.union(*self._scopes)
        if build.FALSE in question:
            return UNSAT
        found = self._memo.get(question)
        if found is None:
            found = self._ask(sorted(asked, key=lambda t: t.key), question)
            self._memo[question] = found
        return found

    def implied(self, goal: Term, hypotheses: Iterable[Term]) -> bool:
        """Whether the hypotheses certainly imply the goal; False also where the solver cannot say."""
        return isinstance(self.check((*hypotheses, build.lnot(goal))), Unsat)

    def _assert(self, formulas: Iterable[Term]) -> None:
        for formula in formulas:
            # Not `add`, which spends more time on casting its argument than the solver on taking it.
            z3core.Z3_solver_assert(self._context.ref(), self._solver.solver, self._translator.translate(formula).ast)
            for var in formula.free:
                for bound in self._translator.within(var):
                    self._solver.add(bound)

    def _ask(self, asked: Sequence[Term], question: frozenset[Term]) -> Answer:
        check_time(self.bounds)
        self.calls += 1
        self._solver.push()
        try:
            self._assert(asked)
            self._solver.set("rlimit", self._rlimit)
            time_left = milliseconds_left(self.bounds)
            if time_left is not None:
                self._solver.set("timeout", time_left)
            before = resources(self._solver)
            result = self._solver.check()
            if result == z3.unsat:
                return UNSAT
            if result == z3.sat:
                return self._model(question)
            why = self._solver.reason_unknown()
            check_stopped(why, resources(self._solver) - before, self._rlimit, self.bounds)
        except (z3.Z3Exception, NotAValue) as problem:
            why = str(problem)
        finally:
            self._solver.pop()
        check_time(self.bounds)
        return Undecided("its resources ran out" if "cancel" in why or "resource" in why else why)

    def _model(self, question: frozenset[Term]) -> Answer:
        model = self._solver.model()
        values: dict[Var, Value] = {}
        variables = sorted(frozenset[Var]().union(*(f.free for f in question)), key=lambda v: v.key)
        for var in variables:
            values[var] = value_in(model, self._translator.translate(var), var.sort)
        trusted = not self._axioms
        for formula in question:
            try:
                if not holds(formula, values):
                    raise SolverDisagrees(f"model {values} of {formula!r}")
            except Unevaluable:
                trusted = False
        return Sat(values, trusted)
