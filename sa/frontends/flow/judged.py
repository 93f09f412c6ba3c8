"""Whether two programs and their relation say what is asked of two functions, looked at without what made them.

What relates functions that are compared alone is no text of the user's, so nobody else would notice a mistake in it.
Each condition here is one of the definition: it must hold of every pair, however it was made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypeAlias

from sa.automata.automaton import FAIL, UNDEFINED, Automaton, Edge, Kind, Label
from sa.automata.program import Program, Refinement
from sa.frontends.flow.both import Function
from sa.frontends.flow.graph import Object
from sa.frontends.flow.observables import is_published, is_shared
from sa.frontends.flow.sequential_refinement import Misread
from sa.terms import build
from sa.terms.name import ABSTRACT, CONCRETE
from sa.terms.sort import Sort
from sa.terms.substitute import unsided
from sa.terms.term import Int, Term, Var, sort_of

#: A cell by its object and what follows the object's name.
_Key: TypeAlias = tuple[str, str]


def judge(functions: Sequence[Function], programs: Sequence[Program], block: Refinement) -> None:
    """Nothing, or Misread: two functions, what they became, and how that is related."""
    automata = [thread for program in programs for thread in program.threads]
    problem = next(_problems(functions, automata, block), None)
    if problem is not None:
        raise Misread(problem)


def _paths(obj: Object) -> Iterator[str]:
    """What follows an object's name for each cell that is a variable of its own, and for each column."""
    inside = {n for row in obj.rows for n in range(row.start, row.start + row.count * len(row.paths))}
    yield from (cell.path for number, cell in enumerate(obj.cells) if number not in inside)
    yield from (path for row in obj.rows for path in row.paths)


def _shared(function: Function, steps: Iterable[int]) -> frozenset[_Key]:
    places, of = function.known.found.layout.places, function.known.of
    reached = (places[a] for s in steps if s in of for a in of[s].cells if a in places)
    return frozenset((p.object.name, p.cell.path) for p in reached if is_shared(p.object))


def _problems(functions: Sequence[Function], automata: Sequence[Automaton], block: Refinement) -> Iterator[str]:
    if len(automata) != 2 or len(functions) != 2:
        yield "one thread on each side is expected"
        return
    for function in functions:
        known = {(p.object.name, p.cell.path) for p in function.known.found.layout.places.values()}
        if any((o.name, path) not in known for o in function.unit.objects if is_shared(o) for path in _paths(o)):
            yield "a shared variable has no place"
    if any(not f.used.keys() >= _shared(f, f.known.of) for f in functions):
        yield "a shared variable that is accessed is not under permissions"
    accessed = functions[1].known.of
    atomic = {k for f in functions for k in f.things.atomic}
    # An object of the function's own that is handed on is under permissions, however it is accessed.
    cells = {*_shared(functions[0], functions[0].known.of), *_shared(functions[1], accessed)}
    cells |= {k for k in atomic if is_published(k[0])}
    mixed = cells & atomic
    written = _shared(functions[1], (s for s, access in accessed.items() if access.writes))
    written |= {k for k in mixed if functions[1].things.atomic.get(k, False)}
    if len(block.relate or ()) != len(written):
        yield "not every shared variable that the target writes is related"
    source, target = automata
    yield from _permitted(automata, sorted(cells), mixed, functions)
    bits = [_bits(r.term) for r in block.relate or ()]
    if None in bits:
        yield "the relation is not that what the target has written the source has written or will write"
        return
    if any(v.kind is Kind.GLOBAL for a in automata for v in a.variables):
        yield "a variable is not under permissions"
    begun = [[e for e in a.edges if e.source == a.initial] for a in automata]
    shown = [{None if e.label is None else (e.label.action, len(e.label.values)) for e in edges} for edges in begun]
    if shown[0] != shown[1] or len(shown[0]) != 1 or None in shown[0]:
        yield "the functions do not begin alike"
    if any(not any(_agree(one, other) for one in begun[0]) for other in begun[1]):
        yield "the source cannot begin as the target does"
    for edge, side in ((e, n) for n, edges in enumerate(begun) for e in edges):
        if any(all(dict(edge.updates).get(v) is not build.ZERO for v in b[side]) for b in bits if b is not None):
            yield "something is written before the functions begin"
    for automaton, side in zip(automata, (0, 1), strict=True):
        own = {v.var for v in automaton.variables}
        if any(b is not None and not b[side] <= own for b in bits):
            yield "what is written is not noted"
    yield from _undefined(source, target, [b[0] for b in bits if b is not None])


def _permitted(
    automata: Sequence[Automaton], cells: Sequence[_Key], mixed: Collection[_Key], functions: Sequence[Function]
) -> Iterator[str]:
    """The environment may begin with each permission: two of them, and three for what is accessed atomically, too.

    Constants and what the first thread begins with have all, and columns an array of them.
    """
    if any(f.columns for f in functions):
        return
    for automaton in automata:
        begun = [e for e in automaton.edges if e.source == automaton.initial and e.label is not None]
        for place, cell in enumerate(cells, -2 * len(cells)):
            found, most = set[int](), 2 if cell in mixed else 1
            for edge, label in ((e, e.label) for e in begun):
                assert label is not None
                found |= _values(label.values[place], edge)
            if found not in ({most}, {*range(most + 1)}):
                yield "not every permission is possible at the beginning"


def _values(term: Term, edge: Edge) -> set[int]:
    """The values that a constant or a choice of a step may have."""
    if isinstance(term, Int):
        return {term.value}
    return {n for c in edge.choices if c.var is term for n in range(c.low or 0, (c.high or 0) + 1)}


def _bits(term: Term) -> tuple[frozenset[Var], frozenset[Var]] | None:
    """The variables of source and target, without sides, if the target's is 1 only where one of the source's is."""
    theirs, mine = (frozenset(v for v in term.free if v.name.side == side) for side in (ABSTRACT, CONCRETE))
    said = (*(build.ne(v, build.ONE) for v in mine), *(build.eq(v, build.ONE) for v in theirs))
    if (len(theirs), len(mine)) != (2, 1) or term is not build.lor(*said):
        return None
    return frozenset(map(unsided, theirs)), frozenset(map(unsided, mine))


def _agree(one: Edge, other: Edge) -> bool:
    """Whether no two values of labels are different constants."""
    values = zip(*(e.label.values if e.label is not None else () for e in (one, other)), strict=False)
    return all(a is b for a, b in values if isinstance(a, Int) and isinstance(b, Int))


def _undefined(source: Automaton, target: Automaton, bits: Sequence[frozenset[Var]]) -> Iterator[str]:
    """The target is seen to be undefined, for ever, and the source that is undefined may do all that the target may."""
    if any(e.label is not None and e.label.action == FAIL for a in (source, target) for e in a.edges):
        yield "what is undefined is a failure"
    ends = {e.target for e in target.edges if e.label == Label(UNDEFINED)}
    if ends - {e.source for e in target.edges if e.label == Label(UNDEFINED) and _always(e)}:
        yield "what is undefined ends"
    going = {e.source for e in source.edges}
    if any(e.label is None and e.target not in going for e in source.edges):
        yield "what is undefined cannot do anything"
    shapes = {_shape(e.label) for e in target.edges if e.label is not None}
    for place in {e.target for e in source.edges if e.label is not None and e.label.action == UNDEFINED}:
        loops = [(e, e.label) for e in source.edges if e.source == place and _always(e) and e.label is not None]
        able = {
            _shape(told) for e, told in loops if len({*told.values} & {c.var for c in e.choices}) == len(told.values)
        }
        if not shapes <= able:
            yield "what is undefined cannot do everything"
        entering = [dict(e.updates) for e in source.edges if e.target == place != e.source]
        if any(all(done.get(v) is not build.ONE for v in b) for done in entering for b in bits):
            yield "what is undefined has not written everything"


def _shape(label: Label) -> tuple[str, tuple[Sort, ...]]:
    return label.action, tuple(map(sort_of, label.values))


def _always(edge: Edge) -> bool:
    return edge.source == edge.target and edge.guard is build.TRUE and not edge.updates
