"""Numbers of copies of a family, as ghosts that every copy's steps keep up to date (THEORY section 9).

A copy counts or does not, by its location and its own variables alone. So a step of a copy changes a number by what
becomes of this copy, and no other step changes it. In every state the number is at least that of any different copies
that count, and at most that of all copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Variable
from sa.automata.family import Family
from sa.certificates.families import Count, counter
from sa.checker.obligation import Case, Obligation
from sa.terms.build import FALSE, ONE, ZERO, add, conjuncts, eq, integer, ite, le, lnot, sub
from sa.terms.sort import BOOL
from sa.terms.substitute import local_of, substitute
from sa.terms.term import Term, Var, sort_of

#: A copy by its family's name, its own name, and where it is.
Seen = tuple[str, str, str]


def counts_fault(counts: Sequence[Count], families: Sequence[Family], known: frozenset[Var]) -> str | None:
    """What keeps these from being numbers of copies; `known` are the variables of the program."""
    threads = {f.thread.name: f.thread for f in families}
    for number, count in enumerate(counts):
        if count.family not in threads:
            return "copies of no family are counted"
        if counter(number) in known:
            return "a counter is a variable of the program"
        thread = threads[count.family]
        own = frozenset(v.var for v in thread.variables if v.kind is not Kind.GLOBAL)
        places = [q for q, _ in count.held]
        if len(set(places)) < len(places) or not set(places) <= {q.name for q in thread.locations}:
            return "copies are counted at a location that does not exist, or twice"
        if any(sort_of(c) != BOOL or not c.free <= own for _, c in count.held):
            return "whether a copy counts depends on more than its own variables"
    return None


def counting(thread: Automaton, family: str, counts: Sequence[Count]) -> Automaton:
    """The automaton of a family, or of a copy before its locals are renamed, which keeps the counters up to date."""
    own = [(counter(n), dict(c.held)) for n, c in enumerate(counts) if c.family == family]

    def edge(e: Edge) -> Edge:
        changes = list[tuple[Var, Term]]()
        for var, held in own:
            before = _one(held.get(e.source, FALSE))
            after = _one(substitute(held.get(e.target, FALSE), dict(e.updates)))
            changed = add(var, sub(after, before))
            changes += [(var, changed)] if changed is not var else []
        return replace(e, updates=(*e.updates, *changes))

    declared = tuple(Variable(var, Kind.GLOBAL) for var, _ in own)
    return replace(thread, variables=(*thread.variables, *declared), edges=tuple(edge(e) for e in thread.edges))


def begun(counts: Sequence[Count]) -> tuple[Term, ...]:
    """What the counters are at the start, where no copy counts."""
    return tuple(eq(counter(n), ZERO) for n in range(len(counts)))


def nobody_counts(counts: Sequence[Count], families: Sequence[Family]) -> Iterator[Obligation]:
    """That no copy counts where it starts."""
    for count in counts:
        thread = next(f.thread for f in families if f.thread.name == count.family)
        held = dict(count.held).get(thread.initial, FALSE)
        yield Obligation("counted copies", thread.name, conjuncts(thread.init), (Case((), (lnot(held),)),))


def at_least(counts: Sequence[Count], families: Sequence[Family], seen: Sequence[Seen]) -> tuple[Term, ...]:
    """What is known of the counters where these different copies are seen, with the names that copies have together:
    also that there are no more than there are copies, where a family has at most so many.
    """
    known = list[Term]()
    for number, count in enumerate(counts):
        held = dict(count.held)
        own = next(f.thread.variables for f in families if f.thread.name == count.family)
        names = [{v.var: local_of(v.var, name) for v in own if v.kind is Kind.LOCAL} for _, name, _ in seen]
        ones = (
            _one(substitute(held.get(place, FALSE), dict[Var, Term](renamed)))
            for (family, _, place), renamed in zip(seen, names, strict=True)
            if family == count.family
        )
        known.append(le(add(*ones), counter(number)))
        most = next(f.most for f in families if f.thread.name == count.family)
        known += () if most is None else (le(counter(number), integer(most)),)
    return tuple(known)


def _one(condition: Term) -> Term:
    return ite(condition, ONE, ZERO)
