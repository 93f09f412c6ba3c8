"""How the tests of a program come out as control: a Boolean for each, which steps set by what they write.

Whether a copy is still the shared number decides what else a thread knows. With such a Boolean among the control
variables, each answer has points of its own, at which equations and differences say the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec.structs import replace

from sa.automata.automaton import Kind, Variable
from sa.automata.ranges import is_large
from sa.automata.rename import apart
from sa.certificates.run import Bad
from sa.explicit.transition_system import Arc, Whole, is_bad
from sa.hybrid.change_of_variables import Coordinates, remainders
from sa.invariants.houdini import has_functions
from sa.terms import build
from sa.terms.printer import show
from sa.terms.sort import BOOL
from sa.terms.substitute import rebuild, substitute
from sa.terms.term import Bool, Div, Forall, Int, IsZero, Le, Member, Mod, Term, Var, subterms

#: Tests that are control at most.
TESTS = 6


def with_tests(w: Whole, claims: Sequence[Term], bads: Sequence[Bad]) -> Iterator[Coordinates]:
    """The tests of the threads that what is bad is about as control, then those of all threads; with remainders."""
    asserting = [[any(is_bad(w, b, a) for b in bads for a in arcs) for arcs in here] for here in w.arcs]
    # What is asserted is no test: it comes out in one way.
    testing = [
        [a for arcs, told in zip(here, asserted, strict=True) if not told for a in arcs]
        for here, asserted in zip(w.arcs, asserting, strict=True)
    ]
    made, tried = remainders(w, claims), set[tuple[Term, ...]]()
    for asked in ([arcs for arcs, told in zip(testing, asserting, strict=True) if any(told)], testing):
        tests = tuple(islice(_tests(w, [a for arcs in asked for a in arcs]), TESTS))
        if tests and tests not in tried:
            tried.add(tests)
            yield _named(made, tests, _owner(w))


def _tests(w: Whole, testing: Sequence[Arc]) -> Iterator[Term]:
    """Tests of numbers that are no control, and of no more than one thread's own; of two that are opposites the first.

    A test of a copy is one of what was copied.
    """
    seen, owner, own = set[Term](), _owner(w), {v.var for v in w.variables}
    large = {v.var for v in w.variables if is_large(v) and v.kind is not Kind.PARAM}
    arcs = [a for here in w.arcs for arcs in here for a in arcs]
    copied = [c for a in arcs if (c := {v: t for v, t in a.updates.items() if t is not v and t in own})]
    waiting = list(subterms((*(a.guard for a in testing), *(t for a in testing for t in a.updates.values()))))
    while waiting:
        atom = waiting.pop(0)
        if not isinstance(atom, IsZero | Le) or has_functions(atom) or not atom.free <= own or atom in seen:
            continue
        rest = any(isinstance(t, Mod | Div) for t in subterms((atom,)))
        if not rest and not atom.free.isdisjoint(large) and len({owner[v] for v in atom.free if v in owner}) <= 1:
            seen |= {atom, build.lnot(atom)}
            yield atom
            waiting += [substitute(atom, c) for c in copied if not atom.free.isdisjoint(c)]


def _owner(w: Whole) -> Mapping[Var, int]:
    return {v.var: i for i, t in enumerate(w.threads) for v in apart(t).variables if v.kind is Kind.LOCAL}


def _named(made: Coordinates, tests: Sequence[Term], owner: Mapping[Var, int]) -> Coordinates:
    """A Boolean for each test of the old data, beside the new ones."""
    w = made.whole
    old: dict[Var, Term] = {build.variable(show(t), BOOL): t for t in tests}
    meant = {v: substitute(t, made.there) for v, t in old.items()}
    names: dict[Term, Term] = {}
    for var, test in meant.items():
        names |= {test: var, build.lnot(test): build.lnot(var)}
    own = {v: min(t.free, key=lambda x: (x not in owner, x.key)) for v, t in old.items()}
    declared = tuple(Variable(v, Kind.LOCAL if own[v] in owner else Kind.GLOBAL) for v in old)
    said = tuple(build.lor(build.land(v, t), build.land(build.lnot(v), build.lnot(t))) for v, t in meant.items())
    return replace(
        made,
        whole=replace(
            w,
            variables=(*w.variables, *declared),
            order=(*w.order, *meant),
            init=build.land(w.init, *said),
            arcs=tuple(
                tuple(tuple(_tested(a, meant, names) for a in here) for here in by_place) for by_place in w.arcs
            ),
        ),
        back={**made.back, **old},
        stands_for={**made.stands_for, **own},
        known=said,
    )


def _tested(arc: Arc, meant: Mapping[Var, Term], names: Mapping[Term, Term]) -> Arc:
    written = {
        v: _by_name(substitute(t, arc.updates), names) for v, t in meant.items() if not t.free.isdisjoint(arc.updates)
    }
    updates = {v: _by_name(t, names) for v, t in arc.updates.items()} | written
    return replace(arc, guard=_by_name(arc.guard, names), updates=updates)


def _by_name(term: Term, names: Mapping[Term, Term]) -> Term:
    if (name := names.get(term)) is not None:
        return name
    if isinstance(term, Var | Int | Bool | Member | Forall):
        return term
    return rebuild(term, lambda t: _by_name(t, names))
