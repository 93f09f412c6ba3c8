"""Annotated threads, and proofs made of them, as JSON: what is added to the threads, never the threads themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location, Variable
from sa.automata.program import Axiom
from sa.automata.rename import apart
from sa.certificates.ghosts import Ghost
from sa.certificates.ghosts_json import ghosts_json, read_ghosts
from sa.certificates.run import Bad
from sa.certificates.scope import more, scope
from sa.certificates.shape import Entry, Json
from sa.certificates.sums import Summation
from sa.certificates.threads import Annotated, Joint, Keeps, Lemmas, Never
from sa.terms.build import TRUE, conjuncts, land, variable
from sa.terms.name import at_place
from sa.terms.read_smtlib import Names, Unreadable, read_sort
from sa.terms.smtlib import smtlib, sort_symbol
from sa.terms.sort import BOOL, INT
from sa.terms.term import Function, Term, Var

#: What must not happen, by the number of the claim and its own among those of the claim.
Bads = Mapping[tuple[int, int], Bad]


def annotated_json(made: Annotated) -> Json:
    """The ghosts, how they begin and what edges make of them, and what is said of each location."""
    thread, automaton = made.thread, made.automaton
    written = {v.var for v in thread.variables}
    edges = {
        str(number): {v.name: smtlib(t) for v, t in edge.updates if v not in written}
        for number, edge in enumerate(automaton.edges)
    }
    return {
        "thread": thread.name,
        "ghosts": [_ghost_json(v) for v in automaton.variables if v.var not in written],
        "start": [smtlib(c) for c in conjuncts(automaton.init) if c not in conjuncts(thread.init)],
        "locations": {
            q.name: {"inv": smtlib(q.inv), "env": smtlib(TRUE if q.env is None else q.env)} for q in automaton.locations
        },
        "edges": {number: updates for number, updates in edges.items() if updates},
    }


def _ghost_json(ghost: Variable) -> Json:
    return {"name": ghost.var.name, "sort": sort_symbol(ghost.var.sort), "low": ghost.low, "high": ghost.high}


def read_annotated(entry: Entry, thread: Automaton, axioms: Iterable[Axiom], others: Iterable[Automaton]) -> Annotated:
    """The annotations of a thread of a program; `others` are that program's threads. Raises Malformed."""
    name, ghosts, start, locations, edges = entry.fields("thread", "ghosts", "start", "locations", "edges")
    if name.text() != thread.name:
        raise name.wrong(f"the thread `{thread.name}` is expected here")
    names = scope((thread, *others), (a.formula for a in axioms))
    # What other threads have of their own is not this thread's business.
    names = Names({v.var.name: v.var for v in thread.variables}, names.functions, names.sorts)
    added = [_ghost(g, names) for g in ghosts.items()]
    names = more(names, (v.var for v in added))
    places = [q.name for q in thread.locations]
    said = dict(zip(places, locations.fields(*places), strict=True))
    made = list[Location]()
    for place in thread.locations:
        inv, env = said[place.name].fields("inv", "env")
        # Invariants may be about all elements of arrays (decision 026).
        made.append(replace(place, inv=inv.term(replace(names, quantified=True)), env=env.term(names)))
    changes = {number: _updates(updates, added, names) for number, updates in edges.entries()}
    stepped = tuple(_with(e, changes.pop(str(n), ())) for n, e in enumerate(thread.edges))
    if changes:
        raise edges.wrong(f"the thread has no edge {min(changes)}")
    return Annotated(
        thread,
        replace(
            thread,
            variables=(*thread.variables, *added),
            locations=tuple(made),
            init=land(thread.init, *(t.term(names) for t in start.items())),
            edges=stepped,
        ),
    )


def _ghost(entry: Entry, names: Names) -> Variable:
    name, sort, low, high = entry.fields("name", "sort", "low", "high")
    if name.text() in names.variables or "'" in name.text():
        raise name.wrong(f"`{name.text()}` cannot be the name of a ghost")
    try:
        var = variable(name.text(), read_sort(sort.text(), names))
    except Unreadable as problem:
        raise sort.wrong(str(problem)) from None
    low_, high_ = (None if bound.value is None else bound.number() for bound in (low, high))
    return Variable(var, Kind.GLOBAL, low_, high_, ghost=True)


def _updates(entry: Entry, ghosts: Sequence[Variable], names: Names) -> tuple[tuple[Var, Term], ...]:
    known: dict[str, Var] = {g.var.name: g.var for g in ghosts}
    found = list[tuple[Var, Term]]()
    for name, value in entry.entries():
        if name not in known:
            raise value.wrong(f"`{name}` is no ghost")
        found.append((known[name], value.term(names)))
    return tuple(found)


def _with(edge: Edge, updates: tuple[tuple[Var, Term], ...]) -> Edge:
    return replace(edge, updates=(*edge.updates, *updates)) if updates else edge


def keeps_json(keeps: Keeps, bads: Bads) -> Json:
    """A proof by invariants of threads."""
    never = [never_json(n, bads) for n in keeps.never]
    return {"threads": [annotated_json(t) for t in keeps.threads], "never": never}


def never_json(never: Never, bads: Bads) -> Json:
    """Something bad, and the witnesses against it."""
    return {**bad_json(never.bad, bads), "witnesses": list(never.witnesses)}


def joint_json(joint: Joint, bads: Bads) -> Json:
    """A proof by invariants of joint locations."""
    said: dict[str, list[Any]] = {"invariants": invariants_json(joint.invariants)}
    said["never"] = [bad_json(b, bads) for b in joint.never]
    said |= {"sums": [_sum_json(s) for s in joint.sums]} if joint.sums else {}
    said |= {"indices": [v.name for v in joint.indices]} if joint.indices else {}
    return said | ghosts_json(joint.ghosts)


def _sum_json(made: Summation) -> Json:
    variables = [{"name": v.name, "sort": sort_symbol(v.sort)} for v in made.variables]
    return {"name": made.function.name, "variables": variables, "term": smtlib(made.term)}


def lemmas_json(made: Lemmas, bads: Bads) -> Json:
    """A proof by formulas that are inductive together."""
    said: dict[str, list[Any]] = {"lemmas": [smtlib(lemma) for lemma in made.lemmas]}
    said["never"] = [bad_json(b, bads) for b in made.never]
    return said | ghosts_json(made.ghosts)


def invariants_json(invariants: Iterable[tuple[tuple[str, ...], Term]]) -> list[Json]:
    """Invariants of joint locations."""
    return [{"at": list(places), "inv": smtlib(inv)} for places, inv in invariants]


def bad_json(bad: Bad, bads: Bads) -> Json:
    """Something bad, by its numbers."""
    claim, number = next(place for place, b in bads.items() if b == bad)
    return {"claim": claim, "bad": number}


def read_keeps(entry: Entry, threads: Sequence[Automaton], bads: Bads, axioms: tuple[Axiom, ...]) -> Keeps:
    """A proof by invariants of these threads. Raises Malformed."""
    listed, never = entry.fields("threads", "never")
    items = listed.items()
    if len(items) != len(threads):
        raise listed.wrong("the program has more threads or less")
    annotated = tuple(read_annotated(i, t, axioms, threads) for i, t in zip(items, threads, strict=True))
    nevers = tuple(read_never(n, bads) for n in never.items())
    known = {t.name for t in threads}
    if any(len(set(n.witnesses)) < len(n.witnesses) or not set(n.witnesses) <= known for n in nevers):
        raise never.wrong("different threads of the program are expected as witnesses")
    return Keeps(annotated, nevers, axioms)


def read_never(entry: Entry, bads: Bads) -> Never:
    """Something bad, and the names of witnesses, whoever they are. Raises Malformed."""
    claim, number, witnesses = entry.fields("claim", "bad", "witnesses")
    return Never(_numbered(entry, claim, number, bads), tuple(w.text() for w in witnesses.items()))


def read_bad(entry: Entry, bads: Bads) -> Bad:
    """Something bad by its numbers and nothing else. Raises Malformed."""
    claim, number = entry.fields("claim", "bad")
    return _numbered(entry, claim, number, bads)


def _numbered(entry: Entry, claim: Entry, number: Entry, bads: Bads) -> Bad:
    place = (claim.number(), number.number())
    if place not in bads:
        raise entry.wrong("there is no such claim about these threads")
    return bads[place]


def read_joint(entry: Entry, threads: tuple[Automaton, ...], bads: Bads, axioms: tuple[Axiom, ...]) -> Joint:
    """A proof by invariants of joint locations of these threads. Raises Malformed."""
    optional = [name for name in ("sums", "indices", "ghosts") if entry.has(name)]
    invariants, never, *listed = entry.fields("invariants", "never", *optional)
    more_of = dict(zip(optional, (part.items() for part in listed), strict=True))
    known = scope(threads, (a.formula for a in axioms))
    sums = tuple(_sum(item, known) for item in more_of.get("sums", ()))
    indices = tuple(variable(item.text(), INT) for item in more_of.get("indices", ()))
    ghosts = _read_ghosts(more_of.get("ghosts", ()), threads, axioms)
    said = read_invariants(invariants, threads, axioms, sums, (*indices, *(g.var for g in ghosts)))
    excluded = tuple(read_bad(item, bads) for item in never.items())
    return Joint(threads, said, excluded, axioms, sums, indices, ghosts)


def _read_ghosts(items: Iterable[Entry], threads: Sequence[Automaton], axioms: Iterable[Axiom]) -> tuple[Ghost, ...]:
    """Ghosts of a proof about these threads. Raises Malformed."""
    separate = [apart(t) for t in threads]
    known = scope(separate, (a.formula for a in axioms))
    return read_ghosts(items, separate, known, [known] * len(separate))


def _sum(entry: Entry, known: Names) -> Summation:
    """A sum over variables of its own and functions that are known; whether it is one is the checker's business."""
    name, variables, term = entry.fields("name", "variables", "term")
    formal = list[Var]()
    for item in variables.items():
        called, sort = item.fields("name", "sort")
        try:
            formal.append(variable(called.text(), read_sort(sort.text(), known)))
        except Unreadable as problem:
            raise sort.wrong(str(problem)) from None
    names = Names({v.name: v for v in formal}, known.functions, known.sorts)
    function = Function(name.text(), tuple(v.sort for v in formal), INT)
    return Summation(function, tuple(formal), term.term(names))


def read_lemmas(entry: Entry, threads: tuple[Automaton, ...], bads: Bads, axioms: tuple[Axiom, ...]) -> Lemmas:
    """A proof by formulas about these threads together. Raises Malformed."""
    lemmas, never, *listed = entry.fields("lemmas", "never", *(["ghosts"] if entry.has("ghosts") else []))
    ghosts = _read_ghosts(listed[0].items() if listed else (), threads, axioms)
    names = scope((apart(t) for t in threads), (a.formula for a in axioms))
    names = more(names, (variable(at_place(t.name, q.name), BOOL) for t in threads for q in t.locations))
    names = more(names, (g.var for g in ghosts))
    said = tuple(item.term(names) for item in lemmas.items())
    return Lemmas(threads, said, tuple(read_bad(item, bads) for item in never.items()), axioms, ghosts)


def read_invariants(
    entry: Entry,
    threads: Sequence[Automaton],
    axioms: Iterable[Axiom],
    sums: Iterable[Summation] = (),
    indices: Iterable[Var] = (),
) -> tuple[tuple[tuple[str, ...], Term], ...]:
    """Invariants of joint locations of these threads, and of sums, over indices too. Raises Malformed."""
    names = more(scope((apart(t) for t in threads), (a.formula for a in axioms)), indices)
    names = Names(names.variables, {**{s.function.name: s.function for s in sums}, **names.functions}, names.sorts)
    said = list[tuple[tuple[str, ...], Term]]()
    for item in entry.items():
        at, inv = item.fields("at", "inv")
        places = tuple(p.text() for p in at.items())
        known = [{q.name for q in t.locations} for t in threads]
        if len(places) != len(threads) or any(p not in k for p, k in zip(places, known, strict=True)):
            raise at.wrong("a location of each thread is expected")
        said.append((places, inv.term(names)))
    return tuple(said)
