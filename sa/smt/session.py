"""Questions to the solver. An answer is a model that our own evaluator agreed with, "no", or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TypeAlias

import z3
from msgspec import Struct
from z3 import z3core

from sa.base.limits import Limits, check_limits, count, spend
from sa.base.meter import Part, timed
from sa.smt.stopping import TERM, Gauge, check_stopped
from sa.smt.translate import Translator
from sa.smt.value import NotAValue, value_in
from sa.terms import build
from sa.terms.evaluate import Unevaluable, holds
from sa.terms.sort import Value
from sa.terms.term import Call, Div, Mod, Term, Var, children, subterms

#: Solver resources per question; deterministic, unlike seconds. About five seconds here.
RLIMIT = 20_000_000

#: Units of a question besides its terms and the solver's own work.
QUESTION = 300

#: How often a model of laws about functions is mended, at values where it breaks one.
MODELS = 10

#: A formula with so many quotients and remainders takes words apart.
MANY = 8


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
#: There is a model that nobody has asked for.
SOME = Sat({}, trusted=False)


@lru_cache(maxsize=1 << 14)
def takes_words_apart(formula: Term) -> bool:
    """Whether a formula has so many quotients and remainders that bits are asked before integers."""
    if not _has_quotients(formula):
        return False
    count = 0
    for term in subterms((formula,)):
        count += isinstance(term, Div | Mod)
        if count >= MANY:
            return True
    return False


@lru_cache(maxsize=1 << 15)
def _has_quotients(term: Term) -> bool:
    # Most formulas have none, and new ones are made of parts that were looked at before.
    return isinstance(term, Div | Mod) or any(map(_has_quotients, children(term)))


class SolverDisagrees(Exception):
    """The solver's model is not one for our evaluator: an internal error, never an answer."""


class _Running:
    """Z3 at work: a context of its own, with what is asserted in it, of so many `scopes`."""

    def __init__(self, seed: int) -> None:
        self.context = z3.Context()
        self.translator = Translator(self.context)
        self.solver = z3.SimpleSolver(self.context)
        self.solver.set("random_seed", seed)
        self.gauge = Gauge(self.solver)
        self.scopes = 0

    def assume(self, formulas: Iterable[Term]) -> None:
        """Assert the formulas, and the ranges of their variables: these once each, however many formulas have them."""
        bounded = dict[Var, None]()
        for formula in formulas:
            self._assert(self.translator.translate(formula))
            bounded.update(dict.fromkeys(self.translator.bounded(formula)))
        for var in bounded:
            for bound in self.translator.within(var):
                self._assert(bound)

    def _assert(self, formula: z3.ExprRef) -> None:
        # Not `add`, which spends more time on casting its argument than the solver on taking it.
        z3core.Z3_solver_assert(self.context.ref(), self.solver.solver, formula.ast)


class Session:
    """A solver with a memory of what it was asked. Not shared between threads.

    `calls` counts the questions that reached the solver. Before the first one there is no solver: making its context
    takes longer than many a question, and many sessions have none. `instances` are formulas that hold in any case, by
    the terms that a question mentions.
    """

    def __init__(
        self,
        bounds: Limits,
        axioms: Sequence[Term] = (),
        seed: int = 0,
        rlimit: int = RLIMIT,
        instances: Callable[[Iterable[Term]], Iterable[Term]] = lambda _: (),
    ) -> None:
        self.bounds = bounds
        self._instances = instances
        self.calls = 0
        self._running: _Running | None = None
        self._seed = seed
        self._rlimit = rlimit
        self._axioms = tuple(axioms)
        self._arrays = frozenset[Var]().union(*(a.free for a in self._axioms))
        self._scopes: list[tuple[Term, ...]] = []
        self._memo: dict[frozenset[Term], Answer] = {}
        #: Where nobody wanted the model.
        self._without: dict[frozenset[Term], Answer] = {}

    def _started(self) -> _Running:
        """The solver, in the scopes of this moment: those without a question have not been made."""
        if self._running is None:
            self._running = _Running(self._seed)
        running = self._running
        for scope in self._scopes[running.scopes :]:
            running.solver.push()
            try:
                running.assume(scope)
            except BaseException:
                running.solver.pop()
                raise
            running.scopes += 1
        return running

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
        self._scopes.append(tuple(formulas))
        try:
            yield
        finally:
            self._scopes.pop()
            running = self._running
            if running is not None and running.scopes > len(self._scopes):
                running.solver.pop()
                running.scopes -= 1

    def check(self, formulas: Iterable[Term]) -> Answer:
        """Whether the formulas are satisfiable together. Raises LimitReached."""
        return self._answer(formulas, with_model=True)

    def _answer(self, formulas: Iterable[Term], with_model: bool) -> Answer:
        asked = frozenset(formulas)
        if build.FALSE in asked:
            return UNSAT
        asked = asked.union(self._instances(asked))
        question = asked.union(*self._scopes)
        if build.FALSE in question:
            return UNSAT
        known = self._memo if with_model else self._without
        found = self._memo.get(question) or known.get(question)
        if found is None:
            found = self._ask(sorted(asked, key=lambda t: t.key), question, with_model)
            (known if isinstance(found, Sat) else self._memo)[question] = found
        return found

    def implied(self, goal: Term, hypotheses: Iterable[Term]) -> bool:
        """Whether the hypotheses certainly imply the goal; False also where the solver cannot say."""
        # Nobody looks at the model, and making one takes longer than finding that there is one.
        return isinstance(self._answer((*hypotheses, build.lnot(goal)), with_model=False), Unsat)

    def _ask(self, asked: Sequence[Term], question: frozenset[Term], with_model: bool) -> Answer:
        spend(self.bounds, QUESTION)
        self.calls += 1
        early = any(map(takes_words_apart, question))
        if early and (found := self._by_bits(question)) is not None:
            return found
        running = self._started()
        solver = running.solver
        known = running.translator.size
        solver.push()
        try:
            running.assume(asked)
            if self._axioms:
                # What mentions no function has the same models whatever functions are. Instances by the values that are
                # mentioned settle nearly all that is settled; to look for a model of laws then takes all resources.
                about_functions = any(isinstance(t, Call) or t in self._arrays for t in subterms(question))
                solver.set("mbqi", not about_functions)
                # Laws that contradict each other do so at a few values. Of some that do not, as f(f(v)) == v, no model
                # is ever found.
                solver.set("mbqi.max_iterations", MODELS)
                if about_functions or not question:
                    running.assume(self._axioms)
            count(self.bounds, TERM * (running.translator.size - known))
            running.gauge.allow(self.bounds, self._rlimit)
            with timed(Part.SOLVER, "satisfiability"):
                result = solver.check()
            spent = running.gauge.count(self.bounds)
            if result == z3.unsat:
                return UNSAT
            if result == z3.sat:
                return self._model(running, question) if with_model else SOME
            why = solver.reason_unknown()
            check_stopped(why, spent, self._rlimit, self.bounds)
        except (z3.Z3Exception, NotAValue) as problem:
            why = str(problem)
        finally:
            solver.pop()
        check_limits(self.bounds)
        if not early and (found := self._by_bits(question)) is not None:
            return found
        return Undecided("its resources ran out" if "cancel" in why or "resource" in why else why)

    def _by_bits(self, question: frozenset[Term]) -> Answer | None:
        # Few questions are asked of bits: what that needs is loaded for the first of them.
        from sa.smt.by_bits import by_bits

        found = by_bits(question, self.bounds, self._seed, self._rlimit)
        if found is False:
            return UNSAT
        return None if found is None or self._axioms else self._confirmed(found, question)

    def _model(self, running: _Running, question: frozenset[Term]) -> Answer:
        model = running.solver.model()
        values: dict[Var, Value] = {}
        variables = sorted(frozenset[Var]().union(*(f.free for f in question)), key=lambda v: v.key)
        for var in variables:
            values[var] = value_in(model, running.translator.translate(var), var.sort)
        return self._confirmed(values, question)

    def _confirmed(self, values: Mapping[Var, Value], question: frozenset[Term]) -> Answer:
        """The values as a model that our own evaluator agrees with."""
        trusted = not self._axioms
        for formula in question:
            try:
                if not holds(formula, values):
                    raise SolverDisagrees(f"model {values} of {formula!r}")
            except Unevaluable:
                trusted = False
        return Sat(values, trusted)
