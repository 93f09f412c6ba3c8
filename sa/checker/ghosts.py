"""Ghosts in evidence: variables that record what happened.

No guard and no update of the program mentions one, and each has a value at the start and after each step, whatever
the others are. So every run of the program is one of the program with ghosts, which differs in nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Variable
from sa.automata.program import Program
from sa.certificates.ghosts import Ghost
from sa.terms.build import eq, land
from sa.terms.sort import INT
from sa.terms.term import Term, Var, has_quantifiers, sort_of


def fault_of_ghosts(ghosts: Sequence[Ghost], threads: Sequence[Automaton]) -> str | None:
    """What keeps these from being ghosts of the threads, which share no names but those of shared variables.

    Lemmas and joint invariants have integers as ghosts.
    """
    return next(_faults(ghosts, threads), None if all(g.var.sort == INT for g in ghosts) else "ghosts are integers")


def _faults(ghosts: Sequence[Ghost], threads: Sequence[Automaton]) -> Iterator[str]:
    own = frozenset(v.var for t in threads for v in t.variables)
    taken = {v.name for v in own} | {c.var.name for t in threads for e in t.edges for c in e.choices}
    names = {g.var.name for g in ghosts}
    if len(names) < len(ghosts) or names & taken:
        yield "the name of a ghost means something else, too"
    if any(g.var.primes or "'" in g.var.name or g.var.name.place is not None for g in ghosts):
        yield "a ghost has a name that no variable can have"
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


def fault_of_shared(ghosts: Sequence[Ghost], program: Program) -> str | None:
    """What keeps these from being ghosts of a program, which may have families."""
    threads = (*program.threads, *(f.thread for f in program.families))
    own = frozenset(v.var for v in program.variables)
    if not all(g.start.free <= own for g in ghosts):
        return "a ghost does not begin as a value of what is shared"
    names = {v.var.name for t in threads for v in t.variables} | {f.name for f in program.functions}
    if any(g.var.name in names or not g.var.name.isidentifier() for g in ghosts):
        return "the name of a ghost means something else, too"
    for index, thread in enumerate(threads):
        here = tuple(replace(g, steps=tuple(s for s in g.steps if s[0][0] == index)) for g in ghosts)
        alone = tuple(replace(g, steps=tuple(((0, n), t) for (_, n), t in g.steps)) for g in here)
        if (fault := next(_faults(alone, (thread,)), None)) is not None:
            return fault
    known = range(len(threads))
    return None if all(i in known for g in ghosts for (i, _), _ in g.steps) else "a ghost is set by no thread"


def program_with_ghosts(ghosts: Sequence[Ghost], program: Program) -> Program:
    """The program with these ghosts, which are faultless, as shared variables like others."""
    if not ghosts:
        return program
    made = with_ghosts(ghosts, (*program.threads, *(f.thread for f in program.families)))
    added = tuple(Variable(g.var, Kind.GLOBAL) for g in ghosts)
    plain = tuple(replace(t, variables=(*t.variables[: -len(added)], *added)) for t in made)
    count = len(program.threads)
    families = (replace(f, thread=t) for f, t in zip(program.families, plain[count:], strict=True))
    return replace(
        program,
        variables=(*program.variables, *added),
        init=land(program.init, *(eq(g.var, g.start) for g in ghosts)),
        threads=plain[:count],
        families=tuple(families),
    )
