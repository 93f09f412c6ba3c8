"""Regions of a play as JSON: a list in which each one comes behind those that it leads to."""

from __future__ import annotations

from collections.abc import Sequence

from sa.certificates.goal import Goal
from sa.certificates.play import Beyond, Passed, Region, Silent
from sa.certificates.scope import goal_scope
from sa.certificates.shape import Entry, Json
from sa.terms.smtlib import smtlib
from sa.terms.term import Var


def regions_json(regions: Sequence[Region]) -> Json:
    """Regions with all that they lead to; `first` are the numbers of those that were given."""
    numbers, written = dict[int, int](), list[Json]()
    passed = dict[tuple[Passed, ...], int]()

    def write(region: Region) -> int:
        if id(region) not in numbers:
            then = [write(r) for r in region.then]
            numbers[id(region)] = len(written)
            written.append(
                {
                    "concrete": region.concrete,
                    "abstract": region.abstract,
                    "states": smtlib(region.states),
                    "edge": region.edge,
                    "choices": {v.name: smtlib(t) for v, t in region.choices},
                    "then": then,
                    "silent": silent_json(region.silent),
                    **({"passed": passed.setdefault(region.passed, len(passed))} if region.passed else {}),
                }
            )
        return numbers[id(region)]

    first = [write(r) for r in regions]
    through: Json = {"passed": [passed_json(p) for p in passed]} if passed else {}
    return {"first": first, "regions": written, **through}


def silent_json(silent: Sequence[Silent]) -> list[Json]:
    """What silent steps lead to."""
    return [{"source": s.source, "target": s.target, "relation": smtlib(s.relation)} for s in silent]


def passed_json(passed: Sequence[Passed]) -> list[Json]:
    """What answers pass."""
    return [{"location": p.location, "shown": p.shown, "states": smtlib(p.states)} for p in passed]


def beyond_json(beyond: Sequence[Beyond]) -> list[Json]:
    """States that no step leaves."""
    return [{"location": b.location, "states": smtlib(b.states)} for b in beyond]


def read_beyond(entry: Entry, goal: Goal) -> tuple[Beyond, ...]:
    """States that no step leaves. Raises Malformed."""
    names, found = goal_scope(goal), list[Beyond]()
    for item in entry.items():
        location, states = item.fields("location", "states")
        found.append(Beyond(location.text(), states.term(names)))
    return tuple(found)


def read_regions(entry: Entry, goal: Goal) -> tuple[Region, ...]:
    """Regions of a play about a goal that was rebuilt. Raises Malformed."""
    names = goal_scope(goal)
    tables = list[tuple[Passed, ...]]()
    if entry.has("passed"):
        first, listed, through = entry.fields("first", "regions", "passed")
        tables = [read_passed(table, goal) for table in through.items()]
    else:
        first, listed = entry.fields("first", "regions")
    found = list[Region]()
    for item in listed.items():
        named = ("concrete", "abstract", "states", "edge", "choices", "then", "silent")
        passed = tuple[Passed, ...]()
        if item.has("passed"):
            concrete, abstract, states, edge, choices, then, silent, place = item.fields(*named, "passed")
            passed = tables[place.index(len(tables))]
        else:
            concrete, abstract, states, edge, choices, then, silent = item.fields(*named)
        number = edge.index(len(goal.concrete.edges))
        own: dict[str, Var] = {c.var.name: c.var for c in goal.concrete.edges[number].choices}
        given = []
        for name, value in choices.entries():
            if name not in own:
                raise value.wrong(f"`{name}` is no choice of the step")
            given.append((own[name], value.term(names)))
        following = tuple(found[t.index(len(found))] for t in then.items())
        region = Region(
            concrete.text(),
            abstract.text(),
            states.term(names),
            number,
            tuple(given),
            following,
            read_silent(silent, goal),
            passed,
        )
        found.append(region)
    return tuple(found[f.index(len(found))] for f in first.items())


def read_silent(entry: Entry, goal: Goal) -> tuple[Silent, ...]:
    """What silent steps lead to. Raises Malformed."""
    names = goal_scope(goal)
    found = []
    for item in entry.items():
        source, target, relation = item.fields("source", "target", "relation")
        found.append(Silent(source.text(), target.text(), relation.term(names)))
    return tuple(found)


def read_passed(entry: Entry, goal: Goal) -> tuple[Passed, ...]:
    """What answers pass. Raises Malformed."""
    names = goal_scope(goal)
    found = []
    for item in entry.items():
        location, shown, states = item.fields("location", "shown", "states")
        found.append(Passed(location.text(), shown.flag(), states.term(names)))
    return tuple(found)
