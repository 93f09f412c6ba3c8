"""A short look for data races where none was asked for: C leaves a program that has one undefined."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sa.automata.program import Program
from sa.base.budget import Budget, Report
from sa.base.verdict import Verdict
from sa.engines.engine import Refuter, Turn
from sa.engines.technique import EXPLICIT_STATE
from sa.engines.verification import Verification, within_bounds
from sa.engines.verify import Options, verify
from sa.explicit.evidence import run_into
from sa.explicit.search import Effort, Search, search
from sa.explicit.system import system
from sa.question.asked import Asked, Refuted
from sa.question.claims import claims_of

#: So many states are looked at, by few values of each choice: no more than the smallest questions take.
SHORT = Effort(2_000, 4, reduced=False, inexact=2_000)


def race_found(races: Callable[[], Program | None], options: Options) -> Verification | None:
    """The answer to whether there are data races, if a short look finds one. Raises InputError and LimitReached."""
    program = races()
    if program is None:
        return None
    bads = tuple(dict.fromkeys(bad for claim in claims_of(program) for bad in claim.bads))
    if not _looked(Asked(program.threads, bads, program.axioms), Budget(options.bounds)).bad:
        return None
    engine = Refuter(EXPLICIT_STATE, {"effort": "least"}, _runs)
    answer = within_bounds(verify(program, Options(options.bounds, options.seed, portfolio=(Turn(engine, 1.0),))))
    return answer if answer.verdict is Verdict.REFUTED else None


def _looked(asked: Asked, budget: Budget) -> Search:
    return search(system(asked.threads, asked.bads), SHORT, budget.bounds)


def _runs(asked: Asked, budget: Budget, report: Report) -> Iterator[Refuted]:
    """The runs into the races that are found."""
    found = _looked(asked, budget)
    for number in found.bad:
        if (run := run_into(found, number)) is not None:
            yield Refuted(asked.bads[number], run, f"a run of {len(run.turns)} steps")
