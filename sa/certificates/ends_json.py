"""Evidence about infinite runs as JSON: points and stages by numbers, ranks as terms, proofs as those of claims."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom, Ends
from sa.automata.rename import apart
from sa.certificates.ends import Finite, Helped, Lasso, Lowered, Part, Passage, Point, Ranked, Resting, Stage
from sa.certificates.proof_json import proof_json, read_plain
from sa.certificates.run import Bad
from sa.certificates.run_json import read_run, run_json
from sa.certificates.scope import scope
from sa.certificates.shape import Entry, Json
from sa.certificates.state_json import values_json
from sa.certificates.states_json import read_states, states_json
from sa.terms.read_smtlib import Names
from sa.terms.smtlib import smtlib


def lasso_json(lasso: Lasso, threads: Sequence[Automaton]) -> Json:
    """A run, and what holds where its cycle begins."""
    return {"run": run_json(lasso.run, threads), "again": smtlib(lasso.again)}


def read_lasso(entry: Entry, threads: Sequence[Automaton]) -> Lasso:
    """Raises Malformed."""
    run, again = entry.fields("run", "again")
    return Lasso(read_run(run, threads), again.term(scope(map(apart, threads))))


def finite_json(made: Finite) -> Json:
    """All states."""
    return states_json(made.states, {})


def read_finite(entry: Entry, threads: tuple[Automaton, ...], ends: Ends, axioms: tuple[Axiom, ...]) -> Finite:
    """Raises Malformed."""
    return Finite(threads, ends, read_states(entry, threads, {}, axioms))


def ranked_json(made: Ranked, conditions: Sequence[Bad]) -> Json:
    """Reasons by parts, and proofs about the conditions, by their numbers."""
    bads = {(0, number): bad for number, bad in enumerate(conditions)}
    return {
        "parts": [_part_json(p, made.threads) for p in made.parts],
        "proofs": [proof_json(p, bads) for p in made.proofs],
    }


def _part_json(part: Part, threads: Sequence[Automaton]) -> Json:
    return {
        "threads": [threads[n].name for n in part.threads],
        "points": [{"places": list(p.places), "values": values_json(dict(p.values))} for p in part.points],
        "stages": [_stage_json(s) for s in part.stages],
    }


def _stage_json(stage: Stage) -> Json:
    match stage:
        case Lowered(points, ranks, strict, then):
            return {
                "lowered": {
                    "points": list(points),
                    "ranks": [smtlib(r) for r in ranks],
                    "strict": [list(p) for p in strict],
                    "then": [_stage_json(s) for s in then],
                }
            }
        case Helped(points, thread):
            return {"helped": {"points": list(points), "thread": thread}}
        case Resting(points):
            return {"resting": {"points": list(points)}}


def read_ranked(entry: Entry, threads: tuple[Automaton, ...], ends: Ends, axioms: tuple[Axiom, ...]) -> Ranked:
    """Reasons without the proofs of what they ask for. Raises Malformed."""
    parts, _ = entry.fields("parts", "proofs")
    names = scope(tuple(map(apart, threads)), (a.formula for a in axioms))
    return Ranked(threads, ends, tuple(_part(p, threads, names) for p in parts.items()), (), axioms)


def with_proofs(made: Ranked, entry: Entry, conditions: Sequence[Bad]) -> Ranked:
    """The reasons with the proofs that a document has of their conditions. Raises Malformed."""
    _, listed = entry.fields("parts", "proofs")
    bads = {(0, number): bad for number, bad in enumerate(conditions)}
    return replace(made, proofs=tuple(read_plain(item, made.threads, bads, made.axioms) for item in listed.items()))


def _part(entry: Entry, threads: Sequence[Automaton], names: Names) -> Part:
    listed, points, stages = entry.fields("threads", "points", "stages")
    numbers = {t.name: n for n, t in enumerate(threads)}
    if any(name.text() not in numbers for name in listed.items()):
        raise listed.wrong("threads of the program are expected")
    made = tuple(_point(p, names) for p in points.items())
    own = tuple(numbers[name.text()] for name in listed.items())
    return Part(own, made, tuple(_stage(s, len(made), threads, names) for s in stages.items()))


def _point(entry: Entry, names: Names) -> Point:
    places, values = entry.fields("places", "values")
    found = list[tuple[str, Entry]](values.entries())
    for name, value in found:
        if name not in names.variables:
            raise value.wrong("there is no such variable")
    known = ((names.variables[name], value) for name, value in found)
    return Point(tuple(q.text() for q in places.items()), tuple((v, x.of_sort(v.sort)) for v, x in known))


def _stage(entry: Entry, count: int, threads: Sequence[Automaton], names: Names) -> Stage:
    kind, what = entry.only()
    match kind:
        case "lowered":
            points, ranks, strict, then = what.fields("points", "ranks", "strict", "then")
            return Lowered(
                tuple(p.index(count) for p in points.items()),
                tuple(r.term(names) for r in ranks.items()),
                tuple(_passage(p, count, threads) for p in strict.items()),
                tuple(_stage(s, count, threads, names) for s in then.items()),
            )
        case "helped":
            points, thread = what.fields("points", "thread")
            return Helped(tuple(p.index(count) for p in points.items()), thread.index(len(threads)))
        case "resting":
            (points,) = what.fields("points")
            return Resting(tuple(p.index(count) for p in points.items()))
        case _:
            raise entry.wrong("lowered, helped or resting is expected")


def _passage(entry: Entry, count: int, threads: Sequence[Automaton]) -> Passage:
    items = entry.items()
    if len(items) != 4:
        raise entry.wrong("a point, a thread, an edge and a point are expected")
    source, thread, edge, target = items
    number = thread.index(len(threads))
    return source.index(count), number, edge.index(len(threads[number].edges)), target.index(count)
