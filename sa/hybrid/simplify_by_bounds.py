"""A whole in which what bounds of variables decide is decided: lemmas that always hold may give such bounds."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from sa.explicit.transition_system import Arc, Whole
from sa.hybrid.control_variables import FEW
from sa.terms import build
from sa.terms.bounds import Ranges, assuming, interval_of, truth_of
from sa.terms.interval import WHOLE
from sa.terms.sort import INT
from sa.terms.substitute import rebuild
from sa.terms.term import Bool, Forall, Int, IsZero, Le, Member, Mod, Term, Var


def standing(w: Whole, lemmas: Iterable[Term]) -> Whole:
    """The whole without conditions, inside of terms that steps compute and test, that the lemmas' bounds decide."""
    ranges: Ranges = {v.var: (v.low, v.high) for v in w.variables if v.var.sort == INT}
    for lemma in lemmas:
        # A lemma that contradicts what is declared is true of no state.
        ranges = assuming(lemma, ranges) or ranges
    known = {v: values for v, values in ranges.items() if values != WHOLE}
    arcs = tuple(tuple(tuple(_decided_in(a, known) for a in here) for here in by_place) for by_place in w.arcs)
    return replace(w, arcs=arcs)


def _decided_in(arc: Arc, known: Ranges) -> Arc:
    updates = {v: _decided(t, known) for v, t in arc.updates.items()}
    return replace(arc, guard=_decided(arc.guard, known), updates=updates)


def _decided(term: Term, known: Ranges) -> Term:
    match term:
        case Var() | Int() | Bool() | Member() | Forall():
            return term
        case Le() | IsZero():
            truth = truth_of(term, known)
            if truth is not None:
                return build.boolean(truth)
        case Mod(dividend, size) if size >= FEW and (found := _around(_decided(dividend, known), size, known)):
            return found
        case _:
            pass
    return rebuild(term, lambda t: _decided(t, known))


def _around(dividend: Term, size: int, known: Ranges) -> Term | None:
    """The remainder by a size of what is less than twice that size away from where it began to go around: in cases, as
    an unsigned sum is written. A signed number that an atomic step adds to goes around like that.
    """
    low, high = interval_of(dividend, known)
    if low is None or high is None or high // size > low // size + 1:
        return None
    once, twice = (build.sub(dividend, build.integer(size * turns)) for turns in (low // size, high // size))
    return once if once is twice else build.ite(build.le(build.integer(size), once), twice, once)
