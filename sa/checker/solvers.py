"""The solver that obligations are discharged with, and an observer who gets each of them whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from sa.base.limits import Limits
from sa.checker.ruling import Failure
from sa.smt.session import Answer, Session
from sa.smt.solver import Solver
from sa.terms.term import Term


class Posed(Struct, frozen=True):
    """An obligation that was discharged, whole: formulas that must not be satisfiable together."""

    name: str
    where: str
    axioms: tuple[Term, ...]
    formulas: tuple[Term, ...]


#: Sees what was discharged, and may object.
Witness = Callable[[Posed], Failure | None]


class Solvers(Struct, frozen=True):
    """How sessions are made, and who sees what they discharge."""

    make: Callable[[Limits, Sequence[Term], int], Solver] = Session
    witness: Witness | None = None

    def session(self, bounds: Limits, axioms: Sequence[Term], seed: int) -> Solver:
        """A session under axioms."""
        made = self.make(bounds, axioms, seed)
        return made if self.witness is None else Witnessed(made, tuple(axioms), self.witness)


class Witnessed:
    """A session with a witness."""

    def __init__(self, session: Solver, axioms: tuple[Term, ...], witness: Witness) -> None:
        self.bounds = session.bounds
        self._session = session
        self._axioms = axioms
        self._witness = witness
        self._scopes: list[tuple[Term, ...]] = []

    @contextmanager
    def assuming(self, formulas: Iterable[Term]) -> Iterator[None]:
        """Ask the questions inside under these hypotheses."""
        scope = tuple(formulas)
        self._scopes.append(scope)
        try:
            with self._session.assuming(scope):
                yield
        finally:
            self._scopes.pop()

    def check(self, formulas: Iterable[Term]) -> Answer:
        """Whether the formulas are satisfiable together. Raises LimitReached."""
        return self._session.check(formulas)

    def witnessed(self, name: str, where: str, formulas: Iterable[Term]) -> Failure | None:
        """What the witness has against formulas that were found not to be satisfiable together under the hypotheses."""
        whole = tuple(dict.fromkeys((*(f for s in self._scopes for f in s), *formulas)))
        return self._witness(Posed(name, where, self._axioms, whole))


Z3 = Solvers()


def witnessed(session: Solver, name: str, where: str, formulas: Callable[[], Iterable[Term]]) -> Failure | None:
    """The same for any session: without a second solver the first one's answer stands."""
    return session.witnessed(name, where, formulas()) if isinstance(session, Witnessed) else None
