"""Ghosts of the concrete program that follow abstract variables, where actions tell what becomes of these.

An abstract variable that only steps with actions write becomes, at the concrete step with the action, what the abstract
step makes of it, said with the values that the concrete step shows. Then invariants of one side say how the concrete
variables and the abstract one are related, also while a lock is held (Owicki and Gries, An Axiomatic Proof Technique
for Parallel Programs I, 1976: auxiliary variables). What is found is tried; the checker decides what it shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Edge, Kind, Label, variables_of
from sa.certificates.ghosts import Ghost
from sa.certificates.goal import Goal, iota_of
from sa.question.families import Crowds
from sa.terms import build
from sa.terms.name import unused
from sa.terms.solve import solution
from sa.terms.substitute import sided, substitute, unsided
from sa.terms.term import Term, Var


class Mirrors(Struct, frozen=True):
    """Ghosts of the concrete program, and that each is what the abstract variable is that it follows."""

    ghosts: tuple[Ghost, ...]
    equations: tuple[Term, ...]


def mirrors(asked: Crowds, pairs: Sequence[Goal]) -> Mirrors:
    """What follows abstract variables that nothing is always equal to. `pairs` are those of `asked`, in any order."""
    related = _related(pairs[0])
    rigid = frozenset(variables_of(pairs[0].abstract, Kind.PARAM))
    begun = dict(s for c in build.conjuncts(asked.abstract.init) if (s := solution(c, c.free - rigid)) is not None)
    followed = dict[Var, Var]()
    taken = {v.var.name for p in (asked.abstract, asked.concrete) for v in p.variables}
    for var in variables_of(pairs[0].abstract, Kind.GLOBAL):
        start, own = begun.get(unsided(var)), unsided(var)
        if var not in related and start is not None and start.free <= rigid and _only_with_actions(pairs, var):
            followed[var] = build.variable(unused(f"abs_{own.name}", taken), var.sort)
    steps: dict[Var, list[tuple[tuple[int, int], Term]]] = {}
    while followed and (missing := _follow(asked, pairs, related, followed, steps)) is not None:
        # What one of them becomes may depend on another one.
        del followed[missing]
    made = tuple(Ghost(g, begun[unsided(v)], tuple(steps[v])) for v, g in followed.items())
    return Mirrors(made, tuple(build.eq(sided(g, "conc"), v) for v, g in followed.items()))


def _related(goal: Goal) -> Mapping[Var, Term]:
    """Abstract globals that are always equal to something concrete."""
    shared = frozenset(variables_of(goal.abstract, Kind.GLOBAL))
    mine = frozenset(v.var for v in goal.concrete.variables)
    found = dict[Var, Term]()
    for formula in build.conjuncts(iota_of(goal)):
        solved = solution(formula, shared & formula.free)
        if solved is not None and solved[1].free <= mine:
            found[solved[0]] = solved[1]
    return found


def _only_with_actions(pairs: Sequence[Goal], var: Var) -> bool:
    """Whether some step writes a variable, and only steps with actions do."""
    writing = [e for p in pairs for e in p.abstract.edges if any(v is var and t is not v for v, t in e.updates)]
    return bool(writing) and all(e.label is not None for e in writing)


def _follow(
    asked: Crowds,
    pairs: Sequence[Goal],
    related: Mapping[Var, Term],
    followed: Mapping[Var, Var],
    steps: dict[Var, list[tuple[tuple[int, int], Term]]],
) -> Var | None:
    """What the followed variables become at steps of the concrete program; one of which that is not known, or None."""
    places = [*(t.name for t in asked.concrete.threads), *(f.thread.name for f in asked.concrete.families)]
    identities = {own: family.identity for own, family in zip(asked.identities, asked.concrete.families, strict=True)}
    steps.clear()
    steps.update((var, []) for var in followed)
    for pair in pairs:
        theirs = frozenset(variables_of(pair.concrete, Kind.PARAM))
        known: dict[Var, Term] = {**related, **{v: sided(g, "conc") for v, g in followed.items()}}
        known |= {v: v for v in theirs}
        for number, edge in enumerate(pair.concrete.edges):
            if edge.label is None:
                continue
            answers = [e for e in pair.abstract.edges if _same_action(e.label, edge.label)]
            names: dict[Var, Term] = {v: unsided(v) for v in _mentioned(edge, known) if v not in theirs}
            for var in followed:
                value = _becomes(var, edge.label, answers, known)
                if value is None:
                    return var
                if value is not known[var]:
                    plain = substitute(value, {**names, **identities})
                    steps[var].append(((places.index(pair.concrete.name), number), plain))
    return None


def _mentioned(edge: Edge, known: Mapping[Var, Term]) -> frozenset[Var]:
    shown = edge.label.values if edge.label is not None else ()
    return frozenset[Var]().union(*(t.free for t in (*shown, *known.values())))


def _same_action(one: Label | None, other: Label) -> bool:
    return one is not None and one.action == other.action and len(one.values) == len(other.values)


def _becomes(var: Var, shown: Label, answers: Sequence[Edge], known: Mapping[Var, Term]) -> Term | None:
    """What a variable is after an answer to an action, if all answers make the same of it, or their guards tell."""
    said = [
        (translated(e.guard, told), translated(dict(e.updates).get(var, var), told))
        for e in answers
        for told in (_told(e, shown, known),)
    ]
    values = list(dict.fromkeys(value for _, value in said))
    if not answers:
        return known[var]
    if len(values) == 1:
        return values[0]
    if None in values or any(guard is None for guard, _ in said):
        return None
    last = said[-1][1]
    for guard, value in reversed(said[:-1]):
        assert guard is not None and value is not None and last is not None
        last = build.ite(guard, value, last)
    return last


def _told(answer: Edge, shown: Label, known: Mapping[Var, Term]) -> Mapping[Var, Term]:
    """What is known of abstract variables at an answer: also what it shows is what the concrete step shows."""
    assert answer.label is not None
    told = dict(known)
    for mine, theirs in zip(answer.label.values, shown.values, strict=True):
        solved = solution(build.eq(mine, theirs), mine.free - known.keys())
        if solved is not None and solved[1].free <= theirs.free | known.keys():
            told.setdefault(solved[0], substitute(solved[1], known))
    return told


def translated(term: Term, told: Mapping[Var, Term]) -> Term | None:
    """A term over abstract variables in concrete ones; None where it mentions others."""
    return substitute(term, told) if term.free <= told.keys() else None
