"""Ghosts in evidence: variables that record what happened.

No guard and no update of the program mentions one, and each has a value at the start and after each step, whatever
the others are. So every run of the program is one of the program with ghosts, which differs in nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Variable
from sa.certificates.ghosts import Ghost
from sa.checker.scope import has_quantifiers
from sa.terms.build import eq, land
from sa.terms.sort import INT
from sa.terms.term import Term, Var, sort_of


def fault_of_ghosts(ghosts: Sequence[Ghost], threads: Sequence[Automaton]) -> str | None:
    """What keeps these from being ghosts of the threads, which share no names but those of shared variables."""
    return next(_faults(ghosts, threads), None)


def _faults(ghosts: Sequence[Ghost], threads: Sequence[Automaton]) -> Iterator[str]:
    own = frozenset(v.var for t in threads for v in t.variables)
    taken = {v.name for v in own} | {c.var.name for t in threads for e in t.edges for c in e.choices}
    names = {g.var.name for g in ghosts}
    if len(names) < len(ghosts) or names & taken:
        yield "the name of a ghost means something else, too"
    if any(g.var.sort != INT or g.var.primes or "'" in g.var.name or g.var.name.place is not None for g in ghosts):
        yield "ghosts are integers"
    known = own | {g.var for g in ghosts}
    for ghost in ghosts:
        if not _is_value(ghost, ghost.start, own):
            yield f"{ghost.var.name} does not begin as a value of the program"
        if len({place for place, _ in ghost.steps}) < len(ghost.steps):
            yield f"{ghost.var.name} is set twice in a step"
        for (thread, number), term in ghost.steps:
            if not (0 <= thread < len(threads) and 0 <= number < len(threads[thread].edges)):
                yield f"{ghost.var.name} is set in a step that does not exist"
            elif not _is_value(ghost, term, known | {c.var for c in threads[thread].edges[number].choices}):
                yield f"{ghost.var.name} is set to something that has no value there"


def _is_value(ghost: Ghost, term: Term, known: frozenset[Var]) -> bool:
    return sort_of(term) == ghost.var.sort and term.free <= known and not has_quantifiers(term)


def with_ghosts(ghosts: Sequence[Ghost], threads: Sequence[Automaton]) -> tuple[Automaton, ...]:
    """The threads with these ghosts, which are faultless."""
    if not ghosts:
        return tuple(threads)
    added = tuple(Variable(g.var, Kind.GLOBAL, ghost=True) for g in ghosts)
    begun = land(*(eq(g.var, g.start) for g in ghosts))
    set_to: dict[tuple[int, int], list[tuple[Var, Term]]] = {}
    for ghost in ghosts:
        for place, term in ghost.steps:
            set_to.setdefault(place, []).append((ghost.var, term))
    return tuple(
        replace(
            thread,
            variables=(*thread.variables, *added),
            init=land(thread.init, begun),
            edges=tuple(
                replace(e, updates=(*e.updates, *set_to.get((index, number), ())))
                for number, e in enumerate(thread.edges)
            ),
        )
        for index, thread in enumerate(threads)
    )
