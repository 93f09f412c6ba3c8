"""Questions to cvc5, where it is installed: SMT-LIB scripts, run by its own parser.

It shares nothing with the other session but the printed text, so that it is a second opinion. Its models are not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec

from sa.base.limits import Limits, check_limits, seconds_left
from sa.smt.script import NotWritable, script
from sa.smt.session import UNSAT, Answer, Sat, Undecided
from sa.terms.build import FALSE
from sa.terms.term import Term

#: Solver resources per question; deterministic, unlike seconds.
RLIMIT = 2_000_000


def is_installed() -> bool:
    """Whether there is a cvc5 to ask."""
    return find_spec("cvc5") is not None


def run_script(text: str, bounds: Limits, seed: int = 0) -> Answer:
    """What cvc5 says of a script. Raises LimitReached."""
    import cvc5

    check_limits(bounds)
    left = seconds_left(bounds)
    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    if left is not None:
        # It ends when the run does.
        solver.setOption("tlimit-per", str(max(1, int(left * 1000))))
    solver.setOption("rlimit-per", str(RLIMIT))
    solver.setOption("seed", str(seed))
    # Arrays that have one value everywhere.
    solver.setOption("arrays-exp", "true")
    try:
        said = "".join(_said(cvc5, solver, manager, text)).strip()
    except RuntimeError as problem:
        return Undecided(f"cvc5: {problem}")
    check_limits(bounds)
    if said == "unsat":
        return UNSAT
    return Sat({}, trusted=False) if said == "sat" else Undecided(f"cvc5: {said or 'nothing'}")


def _said(cvc5: object, solver: object, manager: object, text: str) -> Iterator[str]:
    symbols = cvc5.SymbolManager(manager)  # type: ignore[attr-defined]
    parser = cvc5.InputParser(solver, symbols)  # type: ignore[attr-defined]
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")  # type: ignore[attr-defined]
    while not (command := parser.nextCommand()).isNull():
        yield command.invoke(solver, symbols)


class Cvc5Session:
    """A session with cvc5 that does not look at the clock while it is in it; each question is a script of its own."""

    def __init__(self, bounds: Limits, axioms: Sequence[Term] = (), seed: int = 0) -> None:
        self.bounds = bounds
        self._axioms = tuple(axioms)
        self._seed = seed
        self._scopes: list[tuple[Term, ...]] = []
        self._memo: dict[frozenset[Term], Answer] = {}

    @contextmanager
    def assuming(self, formulas: Iterable[Term]) -> Iterator[None]:
        """Ask the questions inside under these hypotheses."""
        self._scopes.append(tuple(formulas))
        try:
            yield
        finally:
            self._scopes.pop()

    def check(self, formulas: Iterable[Term]) -> Answer:
        """Whether the formulas are satisfiable together. Raises LimitReached."""
        asked = frozenset(formulas).union(*self._scopes)
        if FALSE in asked:
            return UNSAT
        if asked not in self._memo:
            ordered = sorted(asked, key=lambda t: t.key)
            try:
                answer = run_script(script((*self._axioms, *ordered)), self.bounds, self._seed)
            except NotWritable as problem:
                answer = Undecided(str(problem))
            self._memo[asked] = answer
        return self._memo[asked]
