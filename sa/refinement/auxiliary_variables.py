"""Ghosts of the concrete program that follow abstract variables, where actions tell what becomes of these.

An abstract variable that only steps with actions write becomes, at the concrete step with the action, what the abstract
step makes of it, said with the values that the concrete step shows. Then invariants of one side say how the concrete
variables and the abstract one are related, also while a lock is held (Owicki and Gries, An Axiomatic Proof Technique
for Parallel Programs I, 1976: auxiliary variables). What is found is tried; the checker decides what it shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind, Label, variables_of
from sa.automata.family import at, identity_of, symbolic_name
from sa.automata.program import Program
from sa.automata.rename import own_local
from sa.certificates.ghosts import Ghost
from sa.certificates.goal import Goal, iota_of
from sa.certificates.run import Bad
from sa.invariants.indexed import indices_of
from sa.question.families import Crowds
from sa.terms import build
from sa.terms.name import unused
from sa.terms.solve import solution
from sa.terms.substitute import sided, substitute, unsided
from sa.terms.term import ConstantArray, Ite, Term, Var, sort_of

#: In how many ways steps without actions are answered.
WAYS = 4


class Mirrors(Struct, frozen=True):
    """Ghosts of the concrete program, and that each is what the abstract variable is that it follows.

    `wished`: that it is what a concrete variable is, which may hold as long as nobody is at work on that. `claims`:
    what abstract steps wait for, where the concrete steps are that they are taken to answer.
    """

    ghosts: tuple[Ghost, ...]
    equations: tuple[Term, ...]
    wished: tuple[Term, ...]
    claims: tuple[Bad, ...]


def mirrors(asked: Crowds, pairs: Sequence[Goal]) -> Iterator[Mirrors]:
    """What follows abstract variables that nothing is always equal to, in one or a few ways. `pairs` are `asked`'s."""
    related = _related(pairs[0])
    carriers = [c for pair in pairs for c in _carriers(pair, related)]
    if not all(c.steps for c in carriers):
        return
    seen = set[Mirrors]()
    for way in islice(_ways(carriers), WAYS):
        found = _mirrors(asked, pairs, related, way)
        if found.ghosts and found not in seen:
            seen.add(found)
            yield found


class _Carriers(Struct, frozen=True):
    """Abstract steps of a thread without an action that write what may be followed, and the numbers of concrete steps
    that one of them may be an answer to, the likeliest first.
    """

    thread: str
    group: int
    answers: tuple[Edge, ...]
    steps: tuple[int, ...]


#: By thread and number of a concrete step without an action the abstract steps that one of is taken to answer it.
Carried: TypeAlias = Mapping[tuple[str, int], tuple[Edge, ...]]


def _ways(carriers: Sequence[_Carriers]) -> Iterator[Carried]:
    """Choices of concrete steps, alike in all threads: the likeliest ones, then all but one of these."""
    sizes = {g: max(len(c.steps) for c in carriers if c.group == g) for g in dict.fromkeys(c.group for c in carriers)}
    others = ((n, g) for n in range(1, WAYS) for g, size in reversed(sizes.items()) if n < size)
    for number, group in ((0, None), *others):
        chosen = {c: number if c.group == group else 0 for c in carriers}
        yield {(c.thread, c.steps[min(n, len(c.steps) - 1)]): c.answers for c, n in chosen.items()}


def _carriers(pair: Goal, related: Mapping[Var, Term]) -> Iterator[_Carriers]:
    """What carries the abstract steps of a thread that have no action: concrete steps between the same two actions in
    the text that write shared variables, read them, or test what was read. Where an abstract step waits, those that
    test and write are the likeliest, then those that test; elsewhere those that write, and of all of these the last
    ones. Where all abstract ones stand between the same two, those that write are likelier, wherever they are.
    """
    groups = dict[tuple[str, str], list[Edge]]()
    for number, edge in enumerate(pair.abstract.edges):
        if edge.label is None and _writes(pair.abstract, edge, related):
            groups.setdefault(_between(pair.abstract, number), []).append(edge)
    edges = pair.concrete.edges
    silent = [n for n, e in reversed(list(enumerate(edges))) if e.label is None]
    writing = [n for n in silent if _writes(pair.concrete, edges[n], {})]
    shared = frozenset(variables_of(pair.concrete, Kind.GLOBAL))
    read = shared.union(v for e in edges for v, t in e.updates if not t.free.isdisjoint(shared))
    for group, (place, answers) in enumerate(groups.items()):
        near = [n for n in silent if _between(pair.concrete, n) == place]
        touching = [n for n in near if n in writing or not _reads(edges[n]).isdisjoint(read)]
        waits = all(e.guard is not build.TRUE for e in answers)
        tests = [n for n in touching if edges[n].guard is not build.TRUE]
        swaps = [
            n for n in touching if n in writing and (n in tests or _succeeds(pair.concrete, edges[n]) is not build.TRUE)
        ]
        likely = [*swaps, *tests] if waits else [n for n in touching if n in writing]
        first = writing if len(groups) == 1 else likely
        yield _Carriers(pair.name, group, tuple(answers), tuple(dict.fromkeys((*first, *touching))))


def _reads(edge: Edge) -> frozenset[Var]:
    return edge.guard.free.union(*(value.free for _, value in edge.updates))


def _between(side: Automaton, number: int) -> tuple[str, str]:
    """The last action before a step and the first one after it, in the text."""
    before = [e.label.action for e in side.edges[:number] if e.label is not None]
    after = [e.label.action for e in side.edges[number:] if e.label is not None]
    return (before or [""])[-1], (after or [""])[0]


def _mirrors(asked: Crowds, pairs: Sequence[Goal], related: Mapping[Var, Term], carried: Carried) -> Mirrors:
    rigid = frozenset(variables_of(pairs[0].abstract, Kind.PARAM))
    begun = dict(s for c in build.conjuncts(asked.abstract.init) if (s := solution(c, c.free - rigid)) is not None)
    followed = dict[Var, Var]()
    taken = set(_names(asked))
    for var in variables_of(pairs[0].abstract, Kind.GLOBAL):
        start, own = begun.get(unsided(var)), unsided(var)
        written = any(v is var for p in pairs for e in p.abstract.edges for v, _ in e.updates)
        if written and var not in related and start is not None and start.free <= rigid:
            place = "" if own.name.position is None else f"_{own.name.position}"
            name = unused(f"abs_{own.name.base}{place}", taken)
            taken.add(name)
            followed[var] = build.variable(name, var.sort)
    steps: dict[Var, list[tuple[tuple[int, int], Term]]] = {}
    while followed and (missing := _follow(asked, pairs, carried, related, followed, steps)) is not None:
        # What one of them becomes may depend on another one.
        del followed[missing]
    made = tuple(Ghost(g, begun[unsided(v)], tuple(steps[v])) for v, g in followed.items())
    equations = tuple(build.eq(sided(g, "conc"), v) for v, g in followed.items())
    claims = dict.fromkeys(Bad(None, c) for p in pairs for c in _claims(asked, p, carried, related, followed))
    return Mirrors(made, equations, tuple(_wished(asked.concrete, made)), tuple(claims))


def _claims(
    asked: Crowds, pair: Goal, carried: Carried, related: Mapping[Var, Term], followed: Mapping[Var, Var]
) -> Iterator[Term]:
    """What answers wait for, said of the thread or of the first copy where a concrete step is taken."""
    known = _known(pair, related, followed)
    family = next((f for f in asked.concrete.families if f.thread.name == pair.concrete.name), None)
    name = pair.concrete.name if family is None else symbolic_name(family, 1)
    identities = {own: identity_of(f, name) for own, f in zip(asked.identities, asked.concrete.families, strict=True)}
    own = frozenset(variables_of(pair.concrete, Kind.LOCAL))
    for edge, answers in _answered(pair, carried):
        # Of several answers nobody knows which one is given.
        needs = [_translated(a.guard, _told(pair, a, edge, known)) for a in answers]
        if len(needs) == 1 and needs[0] is not None and needs[0].free:
            names: dict[Var, Term] = {v: own_local(name, unsided(v)) if v in own else unsided(v) for v in needs[0].free}
            yield build.implies(at(name, edge.source), substitute(needs[0], {**names, **identities}))


def _known(pair: Goal, related: Mapping[Var, Term], followed: Mapping[Var, Var]) -> dict[Var, Term]:
    """What abstract variables are in terms of the concrete side and its ghosts; its parameters are themselves."""
    ghosts = {v: sided(g, "conc") for v, g in followed.items()}
    return {**related, **ghosts, **{v: v for v in variables_of(pair.concrete, Kind.PARAM)}}


def _answered(pair: Goal, carried: Carried) -> Iterator[tuple[Edge, Sequence[Edge]]]:
    """Concrete steps that show something or are taken to be answered by abstract steps, with these."""
    for number, edge in enumerate(pair.concrete.edges):
        answers: Sequence[Edge] = carried.get((pair.name, number), ())
        if edge.label is not None:
            answers = [e for e in pair.abstract.edges if _same_action(e.label, edge.label)]
        if edge.label is not None or answers:
            yield edge, answers


def _wished(concrete: Program, ghosts: Sequence[Ghost]) -> Iterator[Term]:
    """Equations between a ghost and a variable that begins as it does, or an element of an array at a shared place."""
    places = indices_of((*concrete.threads, *(f.thread for f in concrete.families)))
    shared = frozenset(v.var for v in concrete.variables if v.kind is Kind.GLOBAL)
    begun = dict(s for c in build.conjuncts(concrete.init) if (s := solution(c, c.free & shared)) is not None)
    for ghost, (var, start) in product(ghosts, begun.items()):
        if var.sort == ghost.var.sort and start is ghost.start:
            yield build.eq(ghost.var, var)
        elif isinstance(start, ConstantArray) and start.value is ghost.start:
            yield from (build.eq(ghost.var, build.select(var, place)) for place in places if place in shared)


def _names(asked: Crowds) -> Iterator[str]:
    """All names that a ghost may not have."""
    for program in (asked.abstract, asked.concrete):
        threads = (*program.threads, *(f.thread for f in program.families))
        yield from (v.var.name for t in threads for v in (*t.variables, *(c for e in t.edges for c in e.choices)))
        yield from (f.name for f in program.functions)


def _writes(side: Automaton, edge: Edge, related: Mapping[Var, Term]) -> bool:
    """Whether a step writes shared variables other than those."""
    shared = frozenset(variables_of(side, Kind.GLOBAL)) - related.keys()
    return any(v in shared and t is not v for v, t in edge.updates)


def _related(goal: Goal) -> Mapping[Var, Term]:
    """Abstract globals that are always equal to something concrete."""
    shared = frozenset(variables_of(goal.abstract, Kind.GLOBAL))
    mine = frozenset(v.var for v in goal.concrete.variables)
    found = dict[Var, Term]()
    for formula in build.conjuncts(iota_of(goal)):
        solved = solution(formula, shared & formula.free)
        if solved is not None and solved[1].free <= mine:
            found[solved[0]] = solved[1]
    return found


def _follow(
    asked: Crowds,
    pairs: Sequence[Goal],
    carried: Carried,
    related: Mapping[Var, Term],
    followed: Mapping[Var, Var],
    steps: dict[Var, list[tuple[tuple[int, int], Term]]],
) -> Var | None:
    """What the followed variables become at steps of the concrete program; one of which that is not known, or None."""
    places = [*(t.name for t in asked.concrete.threads), *(f.thread.name for f in asked.concrete.families)]
    identities = {own: family.identity for own, family in zip(asked.identities, asked.concrete.families, strict=True)}
    steps.clear()
    steps.update((var, []) for var in followed)
    for pair in pairs:
        theirs = frozenset(variables_of(pair.concrete, Kind.PARAM))
        known, numbers = _known(pair, related, followed), {id(e): n for n, e in enumerate(pair.concrete.edges)}
        for edge, answers in _answered(pair, carried):
            for var in followed:
                value = _becomes(var, pair, edge, answers, known)
                if value is None:
                    return var
                if value is not known[var]:
                    value = build.ite(_succeeds(pair.concrete, edge), value, known[var])
                    names: dict[Var, Term] = {v: unsided(v) for v in value.free if v not in theirs}
                    plain = substitute(value, {**names, **identities})
                    steps[var].append(((places.index(pair.concrete.name), numbers[id(edge)]), plain))
    return None


def _succeeds(concrete: Automaton, edge: Edge) -> Term:
    """Under which condition a step writes what it may write: a compare-and-swap."""
    shared = frozenset(variables_of(concrete, Kind.GLOBAL))
    tests = [t.condition for v, t in edge.updates if v in shared and isinstance(t, Ite) and t.negative is v]
    return build.land(*tests) if edge.label is None else build.TRUE


def _same_action(one: Label | None, other: Label) -> bool:
    return one is not None and one.action == other.action and len(one.values) == len(other.values)


def _becomes(var: Var, pair: Goal, edge: Edge, answers: Sequence[Edge], known: Mapping[Var, Term]) -> Term | None:
    """What a variable is after an answer to a step, if all answers make the same of it, or their guards tell."""
    said = [
        (_translated(e.guard, told), _translated(dict(e.updates).get(var, var), told))
        for e in answers
        for told in (_told(pair, e, edge, known),)
    ]
    values = list(dict.fromkeys(value for _, value in said))
    if not answers:
        return known[var]
    if len(values) == 1:
        return values[0]
    if None in values or any(guard is None for guard, _ in said):
        return None
    last = said[-1][1]
    for guard, value in reversed(said[:-1]):
        assert guard is not None and value is not None and last is not None
        last = build.ite(guard, value, last)
    return last


def _told(pair: Goal, answer: Edge, edge: Edge, known: Mapping[Var, Term]) -> Mapping[Var, Term]:
    """What is known of abstract variables at an answer: what it shows is what the concrete step shows.

    Where nothing is shown, what the two show elsewhere is guessed to be equal here too, and what is chosen to be what
    the concrete thread has chosen, if there is one variable for that.
    """
    told = dict(known)
    if answer.label is None or edge.label is None:
        own = variables_of(pair.concrete, Kind.LOCAL)
        told.update(_shown_alike(pair))
        for choice in answer.choices:
            chosen = [v for v in own if v.sort == choice.var.sort and _is_chosen(pair.concrete, v)]
            if len(chosen) == 1:
                told[choice.var] = chosen[0]
        return told
    for theirs_shown, shown in zip(answer.label.values, edge.label.values, strict=True):
        solved = solution(build.eq(theirs_shown, shown), theirs_shown.free - known.keys())
        if solved is not None and solved[1].free <= shown.free | known.keys():
            told.setdefault(solved[0], substitute(solved[1], known))
    return told


def _shown_alike(pair: Goal) -> Mapping[Var, Term]:
    """Abstract variables with the concrete ones that actions show in the same place; by their names where none does."""
    own, others = (frozenset(variables_of(a, Kind.LOCAL)) for a in (pair.concrete, pair.abstract))
    named: dict[Var, Term] = {v: own_one for v in others if (own_one := sided(unsided(v), "conc")) in own}
    shown = dict[Var, Term]()
    for edge, answer in product(pair.concrete.edges, pair.abstract.edges):
        if edge.label is not None and answer.label is not None and _same_action(answer.label, edge.label):
            for mine, theirs in zip(edge.label.values, answer.label.values, strict=True):
                if mine in own and isinstance(theirs, Var) and theirs in others:
                    shown.setdefault(theirs, mine)
    found = {**named, **shown}
    return {v: t for v, t in found.items() if sort_of(t) == v.sort}


def _is_chosen(concrete: Automaton, var: Var) -> bool:
    """Whether some step chooses the value of a variable."""
    return any(v is var and t in {c.var for c in e.choices} for e in concrete.edges for v, t in e.updates)


def _translated(term: Term, told: Mapping[Var, Term]) -> Term | None:
    """A term over abstract variables in concrete ones; None where it mentions others."""
    return substitute(term, told) if term.free <= told.keys() else None
