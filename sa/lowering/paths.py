"""What one step does: the ways through its statements, executed with terms for values.

An atomic block is enabled only if it can run to its end; where it goes wrong on the way it is a failure.
`if`s are merged into conditional values; ways stay apart where `choose`, `if (*)` or labels keep them apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TypeAlias, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Fault, Label, Variable
from sa.base.diagnostic import InputError, error
from sa.base.source import Span
from sa.terms import build
from sa.terms.interval import Interval
from sa.terms.name import chosen
from sa.terms.substitute import substitute
from sa.terms.term import Or, Term, Var


class Path(Struct, frozen=True):
    """One way through the statements so far.

    `reached` is the condition under which the branch that is being read is entered; `guard` is what was
    assumed since. `store` has the values of variables that were written. All terms read the state before
    the step and the choices.
    """

    reached: Term = build.TRUE
    guard: Term = build.TRUE
    store: Mapping[Var, Term] = field(default_factory=dict)
    label: Label | None = None
    choices: tuple[Variable, ...] = ()


class Wrong(Struct, frozen=True):
    """A condition over present values under which something goes wrong, and what that is."""

    condition: Term
    fault: Fault


class Determined(Struct, frozen=True):
    """A choice that a condition over present values determines, where this condition can be true at all."""

    choice: Variable
    condition: Term


#: What reading a value needs: that it does not go wrong, and values for what it is made of.
Need: TypeAlias = Wrong | Determined


def renewed(value: Term | None, needs: Sequence[Need], numbers: Iterator[int]) -> tuple[Term | None, tuple[Need, ...]]:
    """The same value where it is needed once more: with choices of its own."""
    made = [n.choice for n in needs if isinstance(n, Determined)]
    if value is None or not made:
        return value, tuple(needs)
    fresh = {c.var: build.variable(chosen(c.var.name, next(numbers)), c.var.sort) for c in made}
    return substitute(value, fresh), tuple(_with_choices(n, fresh) for n in needs)


def _with_choices(need: Need, fresh: Mapping[Var, Term]) -> Need:
    match need:
        case Wrong(condition, fault):
            return Wrong(substitute(condition, fresh), fault)
        case Determined(choice, condition):
            var = fresh[choice.var]
            assert isinstance(var, Var)
            return Determined(replace(choice, var=var), substitute(condition, fresh))
        case _:
            assert_never(need)


def needed_if(known: Term, need: Need) -> Need:
    """What is needed of a part that is read only where something is known."""
    match need:
        case Wrong(condition, fault):
            return Wrong(build.land(known, condition), fault)
        case Determined(choice, condition):
            return Determined(choice, build.implies(known, condition))
        case _:
            assert_never(need)


class Failing(Struct, frozen=True):
    """A way in which the step goes wrong."""

    condition: Term
    choices: tuple[Variable, ...]
    span: Span
    fault: Fault


class Step(Struct, frozen=True):
    """What the statements of one step share.

    `holder` is the thread's number for locks, `ranges` the declared ranges of variables; a step that was `checked` has
    no failures, because they are written as edges of their own.
    """

    holder: Term
    ranges: Mapping[Var, Interval] = field(default_factory=dict)
    checked: bool = False
    failures: list[Failing] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))


def now(path: Path, term: Term) -> Term:
    """A term over the variables' present values as one over the state before the step."""
    return substitute(term, path.store) if path.store else term


def condition_of(path: Path) -> Term:
    """What must hold before the step for this way to be taken so far."""
    return build.land(path.reached, path.guard)


def assume(path: Path, condition: Term) -> Path | None:
    """The way on where a condition over present values holds; None if it never does."""
    guard = build.land(path.guard, now(path, condition))
    feasible = build.land(path.reached, guard) is not build.FALSE
    return replace(path, guard=guard) if feasible else None


def demand(path: Path, needs: Iterable[Need], span: Span, step: Step) -> Path | None:
    """The way on where nothing goes wrong; where something does is recorded as a failure.

    Raises InputError where a choice with the name of a quotient is written in the same step.
    """
    going: Path | None = path
    for one in needs:
        if going is None:
            return None
        if isinstance(one, Determined):
            if any(c.var == one.choice.var for c in going.choices):
                hint = "give the choice that is written another name"
                raise InputError((error("SA105", f"`{one.choice.var.name}` is the name of a quotient", span, hint),))
            going = assume(replace(going, choices=(*going.choices, one.choice)), one.condition)
            continue
        if step.checked:
            continue
        failing = simplified(now(going, one.condition), condition_of(going))
        total = build.land(condition_of(going), failing)
        if total is not build.FALSE:
            used = tuple(c for c in going.choices if c.var in total.free)
            step.failures.append(Failing(total, used, span, one.fault))
            going = assume(going, build.lnot(one.condition))
    return going


def simplified(formula: Term, known: Term) -> Term:
    """A formula without alternatives that contradict what is known, or what it says itself, outright."""
    facts = set(build.conjuncts(known))
    return build.lor(*(_consistent(d, facts) for d in build.disjuncts(formula)))


def _consistent(conjunction: Term, facts: set[Term]) -> Term:
    parts = build.conjuncts(conjunction)
    sure = facts.union(p for p in parts if not isinstance(p, Or))
    open_parts = (build.lor(*(d for d in build.disjuncts(p) if build.lnot(d) not in sure)) for p in parts)
    return build.land(*open_parts)


def written(path: Path, updates: Mapping[Var, Term]) -> Path:
    """The way on with new values, given over present values."""
    return replace(path, store={**path.store, **{v: now(path, t) for v, t in updates.items()}})


def join(path: Path, branches: list[tuple[Term, list[Path]]]) -> list[Path]:
    """The ways after branches of `path`, each with the condition (before the step) of entering it.

    Branches that each have one way left and show the same label become one way with conditional values.
    """
    ways = [way for _, inner in branches for way in inner]
    mergeable = all(len(inner) == 1 for _, inner in branches) and len({id(w.label) for w in ways}) == 1
    if not mergeable:
        return [_after(path, condition, way) for condition, inner in branches for way in inner]
    guards = (build.implies(condition, inner[0].guard) for condition, inner in branches)
    guard = build.land(path.guard, *guards)
    choices = tuple(dict.fromkeys(c for way in ways for c in way.choices))
    changed = dict.fromkeys(v for way in ways for v in way.store)
    store = {v: _merged(v, branches) for v in changed}
    return [Path(path.reached, guard, store, ways[0].label, choices)]


def _after(path: Path, condition: Term, way: Path) -> Path:
    return Path(path.reached, build.land(path.guard, condition, way.guard), way.store, way.label, way.choices)


def _merged(var: Var, branches: list[tuple[Term, list[Path]]]) -> Term:
    result = branches[-1][1][0].store.get(var, var)
    for condition, inner in reversed(branches[:-1]):
        result = build.ite(condition, inner[0].store.get(var, var), result)
    return result
