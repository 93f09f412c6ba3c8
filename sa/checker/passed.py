"""What all answers to a step pass, where they are infinitely many: sets of abstract states that no step leaves.

By location, and by whether the action was shown already. The state before the answer is in them, and so is what any
step that may belong to an answer leads to. What is known of the concrete side alone holds all along: it does not move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from sa.certificates.play import Passed
from sa.checker.obligation import Case, Obligation, discharge, solved
from sa.checker.replay import Replay
from sa.checker.ruling import Failure, Rejected, failing
from sa.checker.side import invariant, renamed, state_variables, within
from sa.checker.symbolic import Front
from sa.terms.build import FALSE, conjoined, conjuncts, eq
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var, has_quantifiers, sort_of


class Answering(Struct, frozen=True, eq=False):
    """Answers to one step, from all states at an abstract location of which `given` holds.

    `shown` is the step's action with the sorts and terms that it shows, None where it is silent. `given` may speak of
    both sides, `still` and the terms only of what does not change: the concrete side, and parameters.
    """

    location: str
    given: tuple[Term, ...]
    shown: tuple[str, tuple[str, ...], tuple[Term, ...]] | None
    still: tuple[Term, ...]


def passed_faults(r: Replay, passed: Sequence[Passed], what: Answering) -> Iterator[Failure]:
    """What is wrong with what answers are said to pass."""
    told = {(p.location, p.shown): p.states for p in passed}
    if ("passed", tuple(passed)) not in r.closures:
        fault = _fault(r, passed, told)
        if fault is not None:
            yield Rejected("passed", fault, what.location)
            return
        r.closures.add(("passed", tuple(passed)))
    start = Case((), conjuncts(told.get((what.location, what.shown is None), FALSE)))
    begun = Obligation("passed, before the answer", what.location, what.given, (start,))
    yield from failing(discharge(r.session, frozenset(), begun))
    names, still = solved(what.still, frozenset(state_variables(r.concrete)))
    shown = what.shown
    if shown is not None:
        shown = shown[0], shown[1], tuple(substitute(t, names) for t in shown[2])
    key = ("passed", tuple(passed), shown, tuple(still))
    if key in r.closures:
        return
    r.closures.add(key)
    for (location, answered), states in told.items():
        for number, edge in r.abstract.outgoing[location]:
            known = [states, *still, *invariant(r.abstract, location), edge.guard, *(within(c) for c in edge.choices)]
            if edge.label is not None:
                sorts = tuple(sort_of(t).name for t in edge.label.values)
                if answered or shown is None or shown[:2] != (edge.label.action, sorts):
                    continue
                known += (eq(t, x) for t, x in zip(edge.label.values, shown[2], strict=True))
            after = dict(edge.updates)
            known += renamed(invariant(r.abstract, edge.target), after)
            reached = told.get((edge.target, answered or edge.label is not None), FALSE)
            then = Case((), conjuncts(substitute(reached, after)))
            where = f"{location}, edge {number}"
            one = Obligation("passed, one more step", where, conjoined(known), (then,))
            yield from failing(discharge(r.session, frozenset(), one))


def _fault(r: Replay, passed: Sequence[Passed], told: Mapping[tuple[str, bool], Term]) -> str | None:
    own = {*r.abstract.params, *state_variables(r.abstract)}
    if len(told) < len(passed) or any(p.location not in r.abstract.locations for p in passed):
        return "a location does not exist, or occurs twice"
    if any(sort_of(f) != BOOL or not f.free <= own or has_quantifiers(f) for f in told.values()):
        return "its states are not given by a formula over the abstract variables"
    return None


def passed_ends(r: Replay, passed: Sequence[Passed]) -> Iterator[Front]:
    """Where answers may end. The abstract variables stand for the state there."""
    order: tuple[Var, ...] = tuple(v.var for v in r.abstract.automaton.variables)
    for p in passed:
        if p.shown:
            yield Front(p.location, True, order, conjoined((p.states, *invariant(r.abstract, p.location))))
