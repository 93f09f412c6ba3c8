"""A second solver's opinion on obligations, and obligations as files: both get each one whole, as SMT-LIB 2 text."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from msgspec import Struct, field

from sa.base.limits import Limits
from sa.checker.ruling import Failure, Rejected, Undecided
from sa.checker.solvers import Posed, Solvers
from sa.smt.cvc5_session import Cvc5Session, is_installed, run_script
from sa.smt.script import NotWritable, script
from sa.smt.session import Sat, Session, Unsat
from sa.terms.term import has_quantifiers

__all__ = ["Choice", "Observer", "is_installed", "solvers_of"]


class Choice(Enum):
    """Which solvers obligations are discharged with."""

    Z3 = "z3"
    CVC5 = "cvc5"
    BOTH = "both"


class Observer(Struct):
    """Counts obligations, keeps their scripts if `keeps`, and asks cvc5 about each if `asks`.

    `open_questions` are those with quantifiers about which cvc5 could not say anything: that is no objection.
    """

    bounds: Limits
    asks: bool
    keeps: bool
    count: int = 0
    scripts: list[tuple[Posed, str]] = field(default_factory=list)
    open_questions: list[tuple[Posed, str]] = field(default_factory=list)
    _known: dict[frozenset[object], Failure | None] = field(default_factory=dict)

    def __call__(self, posed: Posed) -> Failure | None:
        """Whether there is something against this obligation. Raises LimitReached."""
        self.count += 1
        if not self.asks and not self.keeps:
            return None
        same = frozenset((*posed.axioms, *posed.formulas))
        if same not in self._known:
            self._known[same] = self._new(posed)
        return self._known[same]

    def _new(self, posed: Posed) -> Failure | None:
        try:
            text = script((*posed.axioms, *posed.formulas), _remarks(posed))
        except NotWritable as problem:
            return Undecided(posed.name, str(problem), posed.where)
        if self.keeps:
            self.scripts.append((posed, text))
        if not self.asks:
            return None
        match run_script(text, self.bounds):
            case Unsat():
                return None
            case Sat():
                return Rejected(posed.name, "cvc5 has a counterexample, z3 has none", posed.where)
            case undecided:
                if not any(has_quantifiers(f) for f in (*posed.axioms, *posed.formulas)):
                    return Undecided(posed.name, undecided.why, posed.where)
                self.open_questions.append((posed, undecided.why))
                return None


def _remarks(posed: Posed) -> Iterator[str]:
    yield f"{posed.name}{', at ' if posed.where else ''}{posed.where}"
    yield "unsat is expected: what is asserted is the obligation's negation"


def solvers_of(choice: Choice, observer: Observer) -> Solvers:
    """The solvers of a choice; the observer is told of every obligation."""
    return Solvers(Cvc5Session if choice is Choice.CVC5 else Session, observer)
