"""Runs of one automaton that go on for ever by silent steps, found as those of two threads: one that takes any steps
and hands over at some time, and one that takes silent steps from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location, Variable
from sa.automata.components import on_cycles
from sa.automata.program import Axiom, Ends
from sa.automata.trace import Configuration
from sa.base.budget import Report
from sa.base.limits import Limits
from sa.certificates.ends import Lasso
from sa.certificates.run import Ending, Run, Snapshot, Turn, turn_of
from sa.ranking.lassos import growing, lasso
from sa.ranking.states import endless, explored
from sa.terms.build import TRUE, ZERO, constant, eq, integer, land, variable
from sa.terms.name import staged
from sa.terms.sort import INT
from sa.terms.substitute import local_of, substitute
from sa.terms.term import Term, Var

_HANDED = variable(staged("handed", "over"), INT)
_WAITS, _LEFT = "waits", "left"
_FIRST, _SECOND = "takes any steps", "goes on"

#: Lassos with the same visible actions, but for their values, and the same cycle: so many of them are of use.
_ALIKE = 3


def silent_lassos(
    automaton: Automaton, axioms: tuple[Axiom, ...], most: int, bounds: Limits, seed: int, report: Report
) -> Iterator[Lasso]:
    """Lassos of the automaton as the only thread whose cycles are silent, short ones first; among so many states.

    Raises LimitReached.
    """
    threads = _divided(automaton)
    if not threads:
        return
    ends = Ends("terminates", (_SECOND,), automaton.origin)
    found = explored(threads, ends, most, bounds, report)
    ways = sorted(endless(found, ends, bounds), key=lambda w: len(w.stem) + len(w.cycle))
    closed = (one for way in ways if (one := lasso(found, way)) is not None)
    alike = dict[object, int]()
    for one in chain(closed, growing(found, ends, axioms, bounds, seed)):
        if one.run.cycle is None or any(t.thread != _SECOND for t in one.run.turns[one.run.cycle :]):
            continue
        made = _of_one(automaton, one)
        cycle = made.run.cycle
        turns = made.run.turns
        key = (
            tuple(t.move.edge.label.action for t in turns if t.move.edge.label is not None),
            frozenset(id(t.move.edge) for t in turns[cycle:]),
        )
        alike[key] = alike.get(key, 0) + 1
        if alike[key] <= _ALIKE:
            yield made


def _divided(automaton: Automaton) -> tuple[Automaton, ...]:
    """The two threads; none where no silent steps go round."""
    silent = tuple(e for e in automaton.edges if e.label is None)
    leading = dict[str, list[str]]()
    for edge in silent:
        leading.setdefault(edge.source, []).append(edge.target)
    circling = on_cycles([q.name for q in automaton.locations], leading)
    numbers = {q.name: n for n, q in enumerate(automaton.locations, 1) if q.name in circling}
    if not numbers:
        return ()
    inside = tuple(e for e in silent if circling.get(e.source, -1) == circling.get(e.target, -2))
    variables = tuple(v if v.kind is Kind.PARAM else replace(v, kind=Kind.GLOBAL) for v in automaton.variables)
    handed = Variable(_HANDED, Kind.GLOBAL, 0, len(automaton.locations), automaton.origin)
    made = replace(automaton, name=_FIRST, variables=(*variables, handed), init=land(automaton.init, eq(_HANDED, ZERO)))
    handing = tuple(
        Edge(q, _LEFT, None, TRUE, ((_HANDED, integer(n)),), (), automaton.origin) for q, n in numbers.items()
    )
    taking = tuple(Edge(_WAITS, q, None, eq(_HANDED, integer(n)), (), (), automaton.origin) for q, n in numbers.items())
    plain = tuple(replace(q, env=None, parts=()) for q in automaton.locations)
    extra = (Location(n, TRUE, None, automaton.origin) for n in (_LEFT, _WAITS))
    left, waits = extra
    places = tuple(q for q in plain if q.name in numbers)
    first = replace(made, locations=(*plain, left), edges=(*automaton.edges, *handing))
    second = replace(made, name=_SECOND, initial=_WAITS, locations=(waits, *places), edges=(*taking, *inside))
    return first, second


def _of_one(automaton: Automaton, found: Lasso) -> Lasso:
    """The lasso as one of the automaton."""
    own = {id(e): e for e in automaton.edges}
    values = {v.var: found.run.start.shared[v.var] for v in automaton.variables}
    shared = {v.var: values[v.var] for v in automaton.variables if v.kind is not Kind.LOCAL}
    here = start = Snapshot(shared, {automaton.name: Configuration(automaton.initial, values)})
    turns, cycle = list[Turn](), 0
    for number, turn in enumerate(found.run.turns):
        if number == found.run.cycle:
            cycle = len(turns)
        edge = own.get(id(turn.move.edge))
        if edge is not None:
            turns.append(turn_of(automaton.name, edge, turn.move.choices, here))
            here = turns[-1].after
    begins = found.run.turns[found.stem - 1].after.shared if found.stem else found.run.start.shared
    names: Mapping[Var, Term] = {
        _HANDED: constant(begins[_HANDED], INT),
        **{v.var: local_of(v.var, automaton.name) for v in automaton.variables if v.kind is Kind.LOCAL},
    }
    return Lasso(Run(start, tuple(turns), Ending.REPEATED, cycle), substitute(found.again, names))
