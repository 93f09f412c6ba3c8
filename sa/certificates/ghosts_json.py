"""Ghosts of a proof as JSON: what each begins as, and what steps set it to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sa.automata.automaton import Automaton
from sa.certificates.ghosts import Ghost
from sa.certificates.scope import more
from sa.certificates.shape import Entry, Json
from sa.terms.build import variable
from sa.terms.read_smtlib import Names, Unreadable, read_sort
from sa.terms.smtlib import smtlib, sort_symbol
from sa.terms.term import Term, Var


def ghosts_json(ghosts: Sequence[Ghost]) -> dict[str, list[Json]]:
    """The ghosts, where there are any."""
    return {"ghosts": [_ghost_json(g) for g in ghosts]} if ghosts else {}


def _ghost_json(ghost: Ghost) -> Json:
    steps = [{"thread": t, "edge": e, "term": smtlib(term)} for (t, e), term in ghost.steps]
    return {"name": ghost.var.name, "sort": sort_symbol(ghost.var.sort), "start": smtlib(ghost.start), "steps": steps}


def read_ghosts(
    items: Iterable[Entry], threads: Sequence[Automaton], start: Names, scopes: Sequence[Names]
) -> tuple[Ghost, ...]:
    """Ghosts that begin as terms over `start`, and that steps of each thread set to terms over its own scope.

    Whether they are such is the checker's business. Raises Malformed.
    """
    listed = [item.fields("name", "sort", "start", "steps") for item in items]
    own = [_ghost(name, sort, start) for name, sort, _, _ in listed]
    found = list[Ghost]()
    for var, (_, _, begun, steps) in zip(own, listed, strict=True):
        made = list[tuple[tuple[int, int], Term]]()
        for step in steps.items():
            thread, edge, term = step.fields("thread", "edge", "term")
            edges = threads[index := thread.index(len(threads))].edges
            place = index, edge.index(len(edges))
            names = more(scopes[index], (*own, *(c.var for c in edges[place[1]].choices)))
            made.append((place, term.term(names)))
        found.append(Ghost(var, begun.term(start), tuple(made)))
    return tuple(found)


def _ghost(name: Entry, sort: Entry, known: Names) -> Var:
    try:
        return variable(name.text(), read_sort(sort.text(), known))
    except Unreadable as problem:
        raise sort.wrong(str(problem)) from None
