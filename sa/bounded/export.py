"""The question of given bounds for others: as a formula for solvers, as a sequential C program for tools."""

from __future__ import annotations

from sa.base.budget import Budget
from sa.base.limits import Unsupported
from sa.bounded.lazy_sequentialization import sequential
from sa.bounded.order import likely_order
from sa.bounded.rounds import add_round, bad, begin, dangers
from sa.bounded.search import Task, task
from sa.bounded.spans import spans
from sa.bounded.stages import usual_width
from sa.explicit.system import system
from sa.question.asked import Asked
from sa.smt.bitblast import Circuit

_HEADER = """; sacheck: is there a violation within {rounds} rounds of all threads and {unwind} unwindings of each loop?
; sat: there is. unsat: there is none, {numbers}.
; taken... is a step that was taken by the end of a round, fires... a step that is taken in a round.
"""


def c_program(asked: Asked, rounds: int, unwind: int) -> str:
    """The question as a program that can call `reach_error` if there is a violation. Raises LimitReached."""
    laid_out = _laid_out(asked, unwind)
    return sequential(laid_out, rounds, likely_order(laid_out.system))


def _laid_out(asked: Asked, unwind: int) -> Task:
    s = system(asked.threads, asked.bads)
    if s.partial:
        raise Unsupported("functions without a body, in a question for others")
    return task(s, unwind, exactly=True)


def formula(asked: Asked, rounds: int, unwind: int, budget: Budget) -> str:
    """The question in SMT-LIB 2: bit-vectors, or integers where there are arrays. Raises LimitReached."""
    laid_out = _laid_out(asked, unwind)
    s = laid_out.system
    for width in (usual_width(s), None):
        circuit = Circuit(budget.bounds, width is not None)
        try:
            found = spans(s, laid_out.dags, width, budget.bounds)
            made = begin(circuit, s, laid_out.dags, likely_order(s), found, canonical=True)
            for _ in range(rounds):
                add_round(made)
            possible = dangers(made)
            goal = circuit.some(bad(made, question, possible) for question in range(len(asked.bads)))
        except Unsupported:
            if width is None:
                raise
            continue
        is_limited = width is not None and (found.guessed or made.inexact)
        numbers = f"with numbers of unknown size up to {2**width - 1}" if width and is_limited else "with any numbers"
        return _HEADER.format(rounds=rounds, unwind=unwind, numbers=numbers) + circuit.text(goal)
    raise AssertionError
