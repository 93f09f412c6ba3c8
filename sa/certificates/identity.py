"""When two questions are the same: keys made of what they mean. Places in texts and remarks are no part of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, assert_never

from sa.automata.automaton import Automaton, Variable
from sa.automata.program import Axiom
from sa.certificates.goal import Goal
from sa.certificates.run import Bad
from sa.terms.sort import ArraySort, BoolSort, EnumSort, IntSort, Sort

if TYPE_CHECKING:
    from sa.terms.read_smtlib import Names


def meaning(goal: Goal) -> tuple[Any, ...]:
    """What a goal means, with its terms: goals with equal meanings are one question."""
    return (
        goal.name,
        (goal.closed, goal.choose_init, goal.added_identity, goal.matched),
        _meaning(goal.concrete),
        _meaning(goal.abstract),
        *(tuple(f.term for f in formulas) for formulas in (goal.kappa, goal.iota)),
        frozenset(a.formula for a in goal.axioms),
    )


def _meaning(automaton: Automaton) -> tuple[Any, ...]:
    def variables(declared: Iterable[Variable]) -> tuple[Any, ...]:
        return tuple((v.var, v.kind, v.low, v.high, v.ghost) for v in declared)

    return (
        automaton.name,
        variables(automaton.variables),
        tuple((q.name, q.inv, q.env) for q in automaton.locations),
        (automaton.initial, automaton.init),
        tuple((e.source, e.target, e.label, e.guard, e.updates, variables(e.choices)) for e in automaton.edges),
    )


def key_of(goal: Goal, *also: str | int) -> str:
    """The key of a goal, and of what else may make a difference."""
    # Keys are for a cache; what goals mean is compared without one too.
    from sa.certificates.scope import goal_scope

    return _hash(
        also,
        [goal.closed, goal.choose_init, goal.added_identity, goal.matched],
        *(_automaton(a) for a in (goal.concrete, goal.abstract)),
        *([f.term.key for f in formulas] for formulas in (goal.kappa, goal.iota)),
        *_assumed(goal.axioms, goal_scope(goal)),
    )


def key_of_claims(threads: Sequence[Automaton], bads: Sequence[Bad], axioms: Sequence[Axiom], *also: str | int) -> str:
    """The key of what threads by themselves must not do, in this order, and of what else may make a difference."""
    from sa.certificates.scope import scope

    spoken = [b.claim for b in bads if b.claim is not None]
    return _hash(
        also,
        [_automaton(t) for t in threads],
        [_bad(b, threads) for b in bads],
        *_assumed(axioms, scope(threads, (*spoken, *(a.formula for a in axioms)))),
    )


def _hash(*meaning: object) -> str:
    import json

    return sha256(json.dumps(meaning).encode("utf-8", "surrogatepass")).hexdigest()


def _assumed(axioms: Iterable[Axiom], names: Names) -> Iterator[list[Any]]:
    yield sorted(a.formula.key for a in axioms)
    yield [[name, *map(_sort, (*f.arguments, f.result))] for name, f in sorted(names.functions.items())]
    yield [_sort(s) for _, s in sorted(names.sorts.items())]


def _bad(bad: Bad, threads: Sequence[Automaton]) -> list[Any]:
    claim = None if bad.claim is None else bad.claim.key
    if bad.failing is None:
        return [claim]
    edges = next((t.edges for t in threads if t.name == bad.failing.thread), ())
    return [claim, bad.failing.thread, None if bad.failing.edge is None else edges.index(bad.failing.edge)]


def _automaton(automaton: Automaton) -> list[Any]:
    return [
        automaton.name,
        list(_variables(automaton.variables)),
        [[p.name, p.inv.key, p.env.key if p.env is not None else None] for p in automaton.locations],
        automaton.initial,
        automaton.init.key,
        [
            [
                [e.source, e.target, e.guard.key],
                [e.label.action, *(t.key for t in e.label.values)] if e.label is not None else None,
                [[v.key, t.key] for v, t in e.updates],
                list(_variables(e.choices)),
            ]
            for e in automaton.edges
        ],
    ]


def _variables(variables: Iterable[Variable]) -> Iterator[list[Any]]:
    for v in variables:
        yield [v.var.key, _sort(v.var.sort), v.kind.value, v.low, v.high]


def _sort(sort: Sort) -> list[Any]:
    match sort:
        case IntSort() | BoolSort():
            return [sort.name]
        case EnumSort(name, constructors):
            return [name, *constructors]
        case ArraySort(index, element):
            return [sort.name, _sort(index), _sort(element)]
        case _:
            assert_never(sort)
