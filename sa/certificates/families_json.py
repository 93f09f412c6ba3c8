"""Proofs about programs with families of any number as JSON: what is said of threads and of symbolic copies."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Variable
from sa.automata.family import Family, crowd
from sa.automata.program import Axiom
from sa.certificates import threads_json
from sa.certificates.families import Count, CrowdJoint, CrowdKeeps, counter
from sa.certificates.scope import scope
from sa.certificates.shape import Entry, Json
from sa.terms.build import variable
from sa.terms.smtlib import smtlib
from sa.terms.sort import INT
from sa.terms.term import Term


def crowd_keeps_json(keeps: CrowdKeeps, bads: threads_json.Bads) -> Json:
    """A proof by invariants of threads and of each copy."""
    return {
        "threads": [threads_json.annotated_json(t) for t in keeps.threads],
        "copies": [threads_json.annotated_json(t) for t in keeps.copies],
        "never": [threads_json.never_json(n, bads) for n in keeps.never],
    }


def crowd_joint_json(joint: CrowdJoint, bads: threads_json.Bads) -> Json:
    """A proof by joint invariants of threads and copies."""
    counted: list[Json] = [
        {"family": c.family, "held": [{"at": q, "if": smtlib(held)} for q, held in c.held]} for c in joint.counted
    ]
    said: Json = {
        "counts": list(joint.counts),
        "counted": counted,
        "invariants": threads_json.invariants_json(joint.invariants),
        "never": [threads_json.bad_json(b, bads) for b in joint.never],
    }
    return said | ({"indices": [v.name for v in joint.indices]} if joint.indices else {})


def read_crowd_keeps(
    entry: Entry,
    threads: Sequence[Automaton],
    families: tuple[Family, ...],
    init: Term,
    bads: threads_json.Bads,
    axioms: tuple[Axiom, ...],
) -> CrowdKeeps:
    """A proof about these threads and families. Raises Malformed."""
    listed, copies, never = entry.fields("threads", "copies", "never")
    automata = tuple(f.thread for f in families)
    everyone = (*threads, *automata)
    annotated = list[tuple[Entry, Automaton]]()
    for items, wanted in ((listed, tuple(threads)), (copies, automata)):
        if len(items.items()) != len(wanted):
            raise items.wrong(f"{len(wanted)} of them are expected")
        annotated += zip(items.items(), wanted, strict=True)
    made = tuple(threads_json.read_annotated(item, thread, axioms, everyone) for item, thread in annotated)
    # Which copies witnesses may be is looked at by the checker.
    nevers = tuple(threads_json.read_never(n, bads) for n in never.items())
    return CrowdKeeps(made[: len(threads)], families, made[len(threads) :], init, nevers, axioms)


def read_crowd_joint(
    entry: Entry,
    threads: tuple[Automaton, ...],
    families: tuple[Family, ...],
    init: Term,
    bads: threads_json.Bads,
    axioms: tuple[Axiom, ...],
) -> CrowdJoint:
    """The same of a proof by joint invariants. Raises Malformed."""
    optional = ["indices"] if entry.has("indices") else []
    listed, numbers, invariants, never, *more = entry.fields("counts", "counted", "invariants", "never", *optional)
    counts = read_counts(listed, families)
    counted = tuple(_read_count(item, families) for item in numbers.items())
    counters = tuple(Variable(counter(n), Kind.GLOBAL) for n in range(len(counted)))
    counting = tuple(replace(t, variables=(*t.variables, *counters)) for t in crowd(families, counts))
    indices = tuple(variable(item.text(), INT) for part in more for item in part.items())
    said = threads_json.read_invariants(invariants, (*threads, *counting), axioms, (), indices)
    excluded = tuple(threads_json.read_bad(item, bads) for item in never.items())
    return CrowdJoint(threads, families, counts, said, init, excluded, axioms, counted, indices)


def _read_count(entry: Entry, families: Sequence[Family]) -> Count:
    named, held = entry.fields("family", "held")
    family = next((f for f in families if f.thread.name == named.text()), None)
    if family is None:
        raise named.wrong("the name of a family is expected")
    names, found = scope((family.thread,)), list[tuple[str, Term]]()
    for item in held.items():
        place, condition = item.fields("at", "if")
        found.append((place.text(), condition.term(names)))
    return Count(family.thread.name, tuple(found))


#: Copies of a family in evidence. More only take memory.
_MOST = 100


def read_counts(entry: Entry, families: Sequence[Family]) -> tuple[int, ...]:
    """How many copies there are of each family. Raises Malformed."""
    counts = tuple(n.index(_MOST + 1) for n in entry.items())
    if len(counts) != len(families):
        raise entry.wrong("a number for each family is expected")
    return counts
