"""Evidence about infinite runs as JSON: points and stages by numbers, ranks as terms, proofs as those of claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom, Ends
from sa.automata.rename import apart
from sa.certificates.ends import (
    Elimination,
    Finite,
    Helped,
    Lasso,
    Lowered,
    Part,
    Passage,
    Point,
    Ranked,
    Resting,
    Round,
    Settled,
    Spot,
    Stage,
    Unanswered,
    Unjust,
)
from sa.certificates.proof_json import Making, proof_json, read_proof
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
    """The reason, and proofs about the conditions, by their numbers."""
    bads = {(0, number): bad for number, bad in enumerate(conditions)}
    proofs = [proof_json(p, bads) for p in made.proofs]
    match made.reason:
        case Part():
            return {"together": _part_json(made.reason), "proofs": proofs}
        case rounds:
            return {"rounds": [_round_json(r, made.threads) for r in rounds], "proofs": proofs}


def _round_json(made: Elimination, threads: Sequence[Automaton]) -> Json:
    if isinstance(made, Unanswered):
        return {"kept": smtlib(made.kept), "spots": [_spot_json(s, threads) for s in made.spots]}
    thread = threads[made.thread]
    where: Json = {"thread": thread.name, "locations": [thread.locations[n].name for n in made.locations]}
    match made:
        case Settled():
            said = [{"location": thread.locations[n].name, "formula": smtlib(f)} for n, f in made.formulas]
            return {**where, "settled": said}
        case Round():
            return {**where, "ranks": [smtlib(r) for r in made.ranks], "strict": list(made.strict)}
        case Unjust():
            return {**where, "strict": list(made.strict), "spots": [_spot_json(s, threads) for s in made.spots]}
        case _:
            assert_never(made)


def _spot_json(spot: Spot, threads: Sequence[Automaton]) -> Json:
    thread = threads[spot.thread]
    return {
        "thread": thread.name,
        "location": thread.locations[spot.location].name,
        "passes": spot.passes,
        "formula": smtlib(spot.formula),
        "keep": spot.keep,
    }


def _part_json(part: Part) -> Json:
    return {
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
    kind, reason, _ = _fields(entry)
    names = scope(tuple(map(apart, threads)), (a.formula for a in axioms))
    if kind == "rounds":
        return Ranked(threads, ends, tuple(_round(r, threads, names) for r in reason.items()), (), axioms)
    return Ranked(threads, ends, _part(reason, threads, names), (), axioms)


def _fields(entry: Entry) -> tuple[str, Entry, Entry]:
    kind = "rounds" if entry.has("rounds") else "together"
    reason, proofs = entry.fields(kind, "proofs")
    return kind, reason, proofs


def _round(entry: Entry, threads: Sequence[Automaton], names: Names) -> Elimination:
    if entry.has("kept"):
        kept, spots = entry.fields("kept", "spots")
        return Unanswered(kept.term(names), tuple(_spot(s, threads, names) for s in spots.items()))
    kind = next((k for k in ("settled", "ranks") if entry.has(k)), "spots")
    strict: Entry | None = None
    if kind == "settled":
        name, listed, what = entry.fields("thread", "locations", kind)
    else:
        name, listed, strict, what = entry.fields("thread", "locations", "strict", kind)
    number = _number(name, threads)
    thread = threads[number]
    locations = tuple(_place(q, thread) for q in listed.items())
    if strict is None:
        known = (item.fields("location", "formula") for item in what.items())
        return Settled(number, locations, tuple((_place(q, thread), f.term(names)) for q, f in known))
    edges = tuple(e.index(len(thread.edges)) for e in strict.items())
    if kind == "ranks":
        return Round(number, locations, tuple(r.term(names) for r in what.items()), edges)
    return Unjust(number, locations, edges, tuple(_spot(s, threads, names) for s in what.items()))


def _spot(entry: Entry, threads: Sequence[Automaton], names: Names) -> Spot:
    name, location, passes, formula, keep = entry.fields("thread", "location", "passes", "formula", "keep")
    number = _number(name, threads)
    place = _place(location, threads[number])
    return Spot(number, place, passes.flag(), formula.term(names), keep.flag())


def _number(name: Entry, threads: Sequence[Automaton]) -> int:
    number = {t.name: n for n, t in enumerate(threads)}.get(name.text())
    if number is None:
        raise name.wrong("a thread of the program is expected")
    return number


def _place(found: Entry, thread: Automaton) -> int:
    numbers = {q.name: n for n, q in enumerate(thread.locations)}
    if found.text() not in numbers:
        raise found.wrong("a location of the thread is expected")
    return numbers[found.text()]


def with_proofs(made: Ranked, entry: Entry, conditions: Sequence[Bad], making: Making) -> Ranked:
    """The reasons with the proofs that a document has of their conditions.

    Raises Malformed, and what `making` raises.
    """
    _, _, listed = _fields(entry)
    bads = {(0, number): bad for number, bad in enumerate(conditions)}
    return replace(
        made, proofs=tuple(read_proof(item, made.threads, bads, made.axioms, making) for item in listed.items())
    )


def _part(entry: Entry, threads: Sequence[Automaton], names: Names) -> Part:
    points, stages = entry.fields("points", "stages")
    made = tuple(_point(p, names) for p in points.items())
    everyone = tuple(range(len(threads)))
    return Part(everyone, made, tuple(_stage(s, len(made), threads, names) for s in stages.items()))


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
