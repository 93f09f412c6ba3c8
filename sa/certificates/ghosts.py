"""Auxiliary variables of a proof: what no step reads, so that they change nothing of what a program does."""

from __future__ import annotations

from msgspec import Struct

from sa.terms.term import Term, Var


class Ghost(Struct, frozen=True):
    """A variable that a proof adds to a program (Owicki, Gries, 1976). All threads share it.

    It begins as `start`, over the variables of all threads, their locals named `T.x`. `steps` are what it is set to,
    by the number of a thread and of its edge, over these variables, ghosts, and the edge's choices, all with their
    values before the step. It stays as it is otherwise.

    Ghosts of a program with families are the same, but locals have their plain names, `start` is over what is shared,
    and families are numbered after the threads.
    """

    var: Var
    start: Term
    steps: tuple[tuple[tuple[int, int], Term], ...]
