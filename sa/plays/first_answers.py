"""Some abstract answers to a concrete step, as ends only: nothing silent is added once a step is answered.

Whatever such steps do can be done before the next answer, so a run that survives does so without them. Where a choice
has many values a few are looked at: what is found is an answer, what is not found proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from sa.game.board import Board
from sa.game.rounds import Challenge, play_round
from sa.game.runs import Run, extend, may_follow, start_at
from sa.plays.replies import instance
from sa.smt.session import Sat, Session
from sa.terms import build
from sa.terms.evaluate import State
from sa.terms.name import staged
from sa.terms.sort import default_value
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Abstract runs that are looked at, and values for the choices of one.
LOOKS, VALUES = 400, 2


def first_answers(session: Session, board: Board, location: str, step: Challenge, state: State) -> Iterator[Run]:
    """Answers from a state, shortest first, with values for their choices. Raises LimitReached."""
    point: dict[Var, Term] = {v: build.constant(x, v.sort) for v, x in state.items()}
    pending = [start_at(board, location, state)]
    # The list grows while it is walked.
    for run in pending:
        if run.labelled == (step.label is not None):
            ends = list(_with_values(session, board, step, run, point))
            yield from ends
            if ends:
                continue
        if len(pending) > LOOKS:
            continue
        for number, edge in board.abstract.edges[run.location]:
            if may_follow(edge, step.label, run):
                names = tuple(
                    (c.var, build.variable(staged(c.var.name, len(run.edges)), c.var.sort)) for c in edge.choices
                )
                _, longer = extend(board, run, number, edge, names, step.label)
                left = [c for c in (substitute(c, point) for c in longer.condition) if c is not build.TRUE]
                if build.FALSE not in left and (not left or isinstance(session.check(left), Sat)):
                    pending.append(longer)


def _with_values(session: Session, board: Board, step: Challenge, run: Run, point: Mapping[Var, Term]) -> Iterator[Run]:
    """The run with a few values for its choices with which it answers the step."""
    names = [t for choice in run.choices for _, t in choice if isinstance(t, Var)]
    required = [substitute(c, point) for c in play_round(board, step, run).required]
    blocked = list[Term]()
    while build.FALSE not in required and len(blocked) < VALUES:
        left = [c for c in (*required, *blocked) if c is not build.TRUE]
        values = dict[Var, Term]()
        if left or names:
            reply = session.check(left)
            if not isinstance(reply, Sat):
                return
            values = {n: build.constant(reply.values.get(n, default_value(n.sort)), n.sort) for n in names}
        # Ends only: what was required of the values is known to hold.
        yield replace(instance(run, values), condition=())
        if not names:
            return
        blocked.append(build.lnot(build.land(*(build.eq(n, t) for n, t in values.items()))))
