"""The closure of an environment as a conjunction of templates (THEORY section 3), short enough to be read.

Each template is reflexive and transitive, so their conjunction is; those that every change keeps contain the
environment. The family: a variable does not change, only grows, only shrinks; or does so while a condition holds, if
the environment cannot make that condition false; or it does not change as long as a version does not, which is a number
that only grows, or only shrinks: then it has not changed in between. Of an array without bounds the same is asked of
the element at an index that does not change: `h < t ==> a'[h] == a[h]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from msgspec import Struct

from sa.generation.environment import Change, keeps
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.atoms import atoms
from sa.terms.evaluate import State, Unevaluable, holds
from sa.terms.sort import INT, ArraySort
from sa.terms.substitute import primed, substitute
from sa.terms.term import Mod, Term, Var, subterms

#: Conditions that are tried at most.
CONDITIONS = 40

#: Conditions on a version that are tried for each variable.
VERSION = 6


class _Question(Struct, frozen=True):
    """The changes to describe, over `shared` variables, in the states that `seen` allows."""

    session: Session
    changes: Sequence[Change]
    shared: Sequence[Var]
    seen: Term

    def kept(self, template: Term) -> bool:
        return all(keeps(self.session, c, template, self.shared) for c in self.changes)


def closure_of(
    session: Session, changes: Sequence[Change], shared: Sequence[Var], seen: Term, extra: Iterable[Term] = ()
) -> Term:
    """A reflexive and transitive relation that contains the changes, in the states that `seen` allows.

    `extra` conditions are tried first. Raises LimitReached.
    """
    asked = _Question(session, changes, shared, seen)
    found, moving = list[Term](), list[Var]()
    for var in shared:
        same = build.eq(primed(var), var)
        if asked.kept(same):
            found.append(same)
        else:
            moving.append(var)
    conditions = tuple(_lasting(asked, frozenset(moving), extra)) if moving else ()
    still = [v for v in shared if v.sort == INT and v not in moving]
    for var in moving:
        _of_variable(asked, var, conditions, found)
        if isinstance(var.sort, ArraySort) and var.sort.index == INT:
            for index in still:
                _of_element(asked, var, index, conditions, found)
    for version in (v for v in moving if v.sort == INT and any(asked.kept(t) for t in _directions(v))):
        _of_version(asked, version, [v for v in moving if v is not version], extra, found)
    for condition in conditions:
        _add(asked, build.implies(condition, _then(condition, shared)), found)
    return build.land(*found)


def _add(asked: _Question, template: Term, found: list[Term]) -> None:
    """Add a template that says more than those before it."""
    if template is not build.TRUE and not asked.session.implied(template, (asked.seen, *found)):
        found.append(template)


def _of_variable(asked: _Question, var: Var, conditions: Sequence[Term], found: list[Term]) -> None:
    after = primed(var)
    directions = _directions(var) if var.sort == INT else ()
    always = [t for t in directions if asked.kept(t)]
    for template in always:
        _add(asked, template, found)
    for condition in conditions:
        for template in (build.eq(after, var), *(t for t in directions if t not in always)):
            guarded = build.implies(condition, template)
            if asked.kept(guarded):
                _add(asked, guarded, found)
                break


def _directions(number: Var) -> tuple[Term, Term]:
    after = primed(number)
    return build.le(number, after), build.le(after, number)


def _of_version(
    asked: _Question, version: Var, others: Sequence[Var], extra: Iterable[Term], found: list[Term]
) -> None:
    same = build.eq(primed(version), version)
    about = (c for c in dict.fromkeys((*extra, *conditions_in(asked.changes))) if c.free == {version})
    # A sequence lock's readers ask for the remainder.
    tests = sorted(about, key=lambda c: not any(isinstance(t, Mod) for t in subterms((c,))))[:VERSION]
    for var in others:
        still = build.eq(primed(var), var)
        templates = (build.implies(build.land(same, *test), still) for test in ((), *((c,) for c in tests)))
        template = next((t for t in templates if asked.kept(t)), None)
        if template is not None:
            _add(asked, template, found)


def _of_element(asked: _Question, array: Var, index: Var, conditions: Sequence[Term], found: list[Term]) -> None:
    same = build.eq(build.select(primed(array), index), build.select(array, index))
    for template in (same, *(build.implies(c, same) for c in conditions)):
        if asked.kept(template):
            _add(asked, template, found)


def _lasting(asked: _Question, moving: frozenset[Var], extra: Iterable[Term]) -> Iterator[Term]:
    """Conditions that are now true and now false, and that no change makes false."""
    states = list[State]()
    for condition in (*dict.fromkeys((*extra, *conditions_in(asked.changes))),)[:CONDITIONS]:
        if not all(_happens(asked, c, states) for c in (condition, build.lnot(condition))):
            continue
        if condition.free.isdisjoint(moving) or asked.kept(build.implies(condition, _then(condition, asked.shared))):
            yield condition


def _happens(asked: _Question, condition: Term, states: list[State]) -> bool:
    """Whether a condition may hold at some time: for most of them a state shows it in which another one held."""
    for state in states:
        with suppress(Unevaluable):
            if holds(condition, state):
                return True
    answer = asked.session.check((asked.seen, condition))
    if isinstance(answer, Sat):
        states.append(answer.values)
    return not isinstance(answer, Unsat)


def _then(condition: Term, shared: Sequence[Var]) -> Term:
    return substitute(condition, {v: primed(v) for v in shared})


def conditions_in(changes: Iterable[Change]) -> tuple[Term, ...]:
    """The atoms of the changes' conditions and their negations, in order."""
    found = dict[Term, None]()
    for change in changes:
        found.update(dict.fromkeys(atoms(change.condition)))
    return tuple(sorted(found, key=lambda t: t.key))
