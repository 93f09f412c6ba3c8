"""Which values matter to what is bad: those that somebody may still read on the way there.

A step tells if it may fail as asked, writes what matters, or leads to steps that tell. What the others test is no
matter: a thread that is at its end or waits for others to end is as good as one that may stop there (slicing: Weiser,
1984; faint variables: Giegerich, Möncke, Wilhelm, 1981).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import FAIL, Automaton, Edge, Kind, variables_of
from sa.automata.ranges import within
from sa.automata.rename import apart
from sa.base.limits import Limits, spend
from sa.certificates.run import Bad
from sa.terms import build
from sa.terms.solve import solution
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: By location the variables whose values matter there.
Mattering = Mapping[str, frozenset[Var]]


class _Thread(Struct, eq=False):
    """A thread with equals put in, what it shares, which of its edges are asked about, and what is found out.

    `telling` are the locations from which some step tells; with `watched` all steps do, for a claim speaks of where the
    thread is.
    """

    edges: tuple[Edge, ...]
    shared: frozenset[Var]
    asked: frozenset[int]
    watched: bool
    matter: dict[str, frozenset[Var]]
    telling: set[str]


def mattering(
    threads: Sequence[Automaton], equal: Sequence[Mapping[str, Mapping[Var, Term]]], bads: Sequence[Bad], bounds: Limits
) -> tuple[Mattering, ...]:
    """What matters by thread and location, where variables are replaced by what they equal. Raises LimitReached."""
    claims = [b.claim for b in bads if b.claim is not None]
    spoken = frozenset[Var]().union(*(c.free for c in claims), _bound(threads))
    watched = {v.name.thread for v in spoken if v.name.place is not None}
    every = tuple(_begun(t, e, bads, spoken, watched) for t, e in zip(threads, equal, strict=True))
    changed = True
    while changed:
        changed = False
        for thread in every:
            elsewhere = _read_by(t for t in every if t is not thread)
            for number in reversed(range(len(thread.edges))):
                spend(bounds, 5)
                changed |= _looked_at(thread, number, elsewhere)
    return tuple(t.matter for t in every)


def _bound(threads: Sequence[Automaton]) -> frozenset[Var]:
    """Shared variables of whose first values more is said than what they are: others, or all runs, may depend on it."""
    shared = frozenset[Var]().union(
        *(frozenset(v.var for v in t.variables if v.kind is not Kind.LOCAL) for t in threads)
    )
    ranges = {c for t in threads for v in t.variables for c in build.conjuncts(within(v))}
    said = dict.fromkeys(c for t in threads for c in build.conjuncts(t.init) if c not in ranges)
    times = Counter(v for c in said for v in c.free)
    simple = {v for c in said if len(c.free) == 1 for v in c.free if solution(c, c.free) is not None and times[v] == 1}
    return frozenset(v for v in times if v in shared and v not in simple)


def _begun(
    thread: Automaton,
    equal: Mapping[str, Mapping[Var, Term]],
    bads: Sequence[Bad],
    spoken: frozenset[Var],
    watched: Iterable[str | None],
) -> _Thread:
    named = zip((v.var for v in thread.variables), (v.var for v in apart(thread).variables), strict=True)
    said = frozenset(v for v, separate in named if separate in spoken)
    # A range says nothing of other variables, so nobody needs a variable for it.
    ranges = frozenset(c for v in thread.variables for c in build.conjuncts(within(v)))
    kept = {q.name: (c for c in build.conjuncts(q.inv) if c not in ranges) for q in thread.locations}
    return _Thread(
        tuple(replaced(e, equal[e.source]) for e in thread.edges),
        frozenset(variables_of(thread, Kind.GLOBAL)),
        frozenset(k for k, e in enumerate(thread.edges) if any(_is_asked(thread, e, b) for b in bads)),
        thread.name in watched,
        {place: said.union(*(c.free for c in some)) for place, some in kept.items()},
        set(),
    )


def _is_asked(thread: Automaton, edge: Edge, bad: Bad) -> bool:
    if bad.failing is None or edge.label is None or edge.label.action != FAIL:
        return False
    return bad.failing.thread in (None, thread.name) and bad.failing.edge in (None, edge)


def _read_by(threads: Iterable[_Thread]) -> frozenset[Var]:
    return frozenset[Var]().union(*(some & t.shared for t in threads for some in t.matter.values()))


def _looked_at(thread: _Thread, number: int, elsewhere: frozenset[Var]) -> bool:
    """Whether looking at an edge shows that more matters at its source, or that something from there on tells."""
    edge = thread.edges[number]
    after = thread.matter[edge.target]
    kept = [t.free for v, t in edge.updates if v in after or v in elsewhere]
    written = {v for v, _ in edge.updates}
    tells = number in thread.asked or thread.watched or bool(kept) or edge.target in thread.telling
    shown = frozenset[Var]() if edge.label is None else frozenset[Var]().union(*(t.free for t in edge.label.values))
    needed = (after - written).union(shown, *kept, edge.guard.free if tells else ())
    found = thread.matter[edge.source] | (needed - {c.var for c in edge.choices})
    if found == thread.matter[edge.source] and tells <= (edge.source in thread.telling):
        return False
    thread.matter[edge.source] = found
    thread.telling |= {edge.source} if tells else set()
    return True


def replaced(edge: Edge, known: Mapping[Var, Term]) -> Edge:
    """The edge with terms in place of the variables that equal them."""
    if not known:
        return edge
    label = edge.label and replace(edge.label, values=tuple(substitute(t, known) for t in edge.label.values))
    guard = substitute(edge.guard, known)
    return replace(edge, label=label, guard=guard, updates=tuple((v, substitute(t, known)) for v, t in edge.updates))
