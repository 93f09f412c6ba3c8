"""Which steps no run takes for ever, thread by thread, until none is left of the threads that are to end.

The steps of a thread that a run takes again and again lie in a strongly connected component of its graph. A rank that
no step raises which is still left, of any thread, excludes those that lower it. So a loop of one thread whose rounds
are counted excludes what it writes for the others, and then their loops that wait for it have ranks, too.
What the steps that are left establish at a location holds there from some moment on (`settle`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from enum import Enum, auto

from msgspec import Struct
from msgspec.structs import astuple, replace

from sa.automata.automaton import Automaton, Kind
from sa.automata.program import Axiom, Ends
from sa.automata.rename import apart
from sa.base.limits import Limits, spend
from sa.certificates.ends import Elimination, Passage, Ranked, Round, Settled, Unanswered
from sa.ranking.by_states import Shows, by_states
from sa.ranking.comparisons import compared
from sa.ranking.facts import facts_at, with_signs
from sa.ranking.left import (
    Search,
    Thread,
    components_of,
    disturbed,
    exclude,
    not_lowering,
    on_cycles,
    settled_in,
    within,
)
from sa.ranking.piecewise import Move, in_pieces
from sa.ranking.points import Graph, Step, graph_of_thread
from sa.ranking.rank import Cases, cases_of, ranked
from sa.ranking.settling import settle
from sa.ranking.stages import promising
from sa.smt.session import Session
from sa.terms.build import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    add,
    conjoined,
    implies,
    land,
    le,
    lnot,
    lor,
    variable,
)
from sa.terms.name import at_place
from sa.terms.sort import BOOL, INT
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var
from sa.transform.facts import Facts, lemmas_of
from sa.transform.reduce import facts_in


class Guesses(Enum):
    """What may be taken to hold at locations, to be proved later: facts of locks and flags, or of numbers as well."""

    NONE = auto()
    FACTS = auto()
    NUMBERS = auto()


class Found(Struct, frozen=True):
    """A reason, and lemmas that what it asks of states may follow from: facts, and those with what is guessed."""

    reason: Ranked
    lemmas: tuple[Term, ...]
    guesses: tuple[Term, ...]


def eliminated(
    threads: tuple[Automaton, ...],
    axioms: tuple[Axiom, ...],
    ends: Ends,
    guesses: Guesses,
    shows: Callable[[tuple[Term, ...]], Shows],
    bounds: Limits,
    seed: int,
) -> Found | None:
    """A reason by rounds. What justice needs of states is shown at once, maybe by lemmas. Raises LimitReached."""
    session = Session(bounds, tuple(a.formula for a in axioms), seed)
    separate = tuple(map(apart, threads))
    numbers = range(len(threads))
    graphs = [graph_of_thread(separate, number, ends) for number in numbers]
    facts = None if guesses is Guesses.NONE or not any(g.steps for g in graphs) else facts_in(separate, session)
    # What holds at a location is not only what runs bring about in which a claim is open.
    every = graphs if ends.until is None else [graph_of_thread(separate, n, replace(ends, until=None)) for n in numbers]
    guessed_by = (_guessed(g, facts, guesses, session) for g in every)
    made = tuple(Thread(g, tuple(on_cycles(g.steps)), f) for g, f in zip(graphs, guessed_by, strict=True))
    search = Search(made, frozenset(v.var for t in separate for v in t.variables), facts, session)
    asked = [n for n, t in enumerate(threads) if t.name in ends.threads]
    lemmas = () if facts is None else lemmas_of(facts, session)
    if ends.until is not None:
        # Each thread may be the one that has to step.
        asked = list(range(len(threads)))
    said = list[Elimination]()
    while ends.until is not None or any(made[n].steps for n in asked):
        found = next(_rounds(search), None)
        if found is None and facts is not None:
            found = by_states(search, asked, ends, shows(lemmas))
        if found is None:
            return None
        said += found
        if isinstance(found[-1], Unanswered):
            break
    guessed = (*lemmas, *(g for t in made for g in _as_lemmas(search, t, ends))) if guesses is Guesses.NUMBERS else ()
    return Found(Ranked(threads, ends, tuple(said), (), axioms), lemmas, guessed)


def _as_lemmas(search: Search, thread: Thread, ends: Ends) -> Iterator[Term]:
    """What is guessed of the locations of a thread while its runs count, over all variables and Booleans `at T.q`."""
    name = thread.graph.separate[thread.graph.threads[0]].name
    for point, formulas in zip(thread.graph.points, thread.guessed, strict=True):
        said = land(*(f for f in formulas if f.free <= search.variables))
        lemma = lor(ends.apart, implies(variable(at_place(name, point.places[0]), BOOL), said))
        if lemma is not TRUE:
            yield lemma


def _guessed(graph: Graph, facts: Facts | None, guesses: Guesses, session: Session) -> tuple[tuple[Term, ...], ...]:
    if facts is None:
        return tuple(() for _ in graph.points)
    true = facts.true[graph.threads[0]]
    found = tuple(conjoined(true.get(p.places[0], ())) for p in graph.points)
    if guesses is Guesses.NUMBERS:
        found = tuple((*f, *m) for f, m in zip(found, facts_at(graph, session.bounds), strict=True))
        found = with_signs(graph, found, session)
    return found


def _rounds(search: Search) -> Iterator[list[Elimination]]:
    """Rounds that exclude some steps: cheap ones of all threads first. What is costly waits until facts are known."""
    for way in (_tested,) if search.facts is None else (_tested, _by_farkas, _partly):
        for number, thread in enumerate(search.threads):
            for component in components_of(thread.steps):
                spend(search.session.bounds, 200)
                own = within(thread, component)
                if way is _tested:
                    settle(search, number, own)
                found = way(search, number, component, own)
                if found is not None:
                    ranks, strict = found
                    written = {v for r in ranks for v in r.free}
                    known = [*_settled(search, number, written), *settled_in(thread)]
                    by_place = dict(zip(component, ranks, strict=True))
                    thread.steps = tuple(not_lowering(s, by_place) for s in thread.steps)
                    exclude(thread, component, strict)
                    yield [*known, Round(number, component, tuple(ranks), tuple(sorted(strict)))]


def _settled(search: Search, number: int, written: Set[Var]) -> Iterator[Settled]:
    """What settles of the other threads that write such variables, and is not yet said."""
    for n, thread in enumerate(search.threads):
        if n != number and any(not written.isdisjoint(s.updates) for s in thread.steps):
            yield from settled_in(thread)


# ---------------------------------------------------------------- ranks

#: Ranks by location, and the edges that lower them.
_Found = tuple[Sequence[Term], frozenset[int]]


def _tested(search: Search, number: int, component: tuple[int, ...], own: Sequence[Step]) -> _Found | None:
    """Steps that cannot be taken, or that lower a number which some step compares with its bound."""
    thread = search.threads[number]
    idle = [s for s in own if _is_idle(search, thread, s)]
    if idle:
        return [ZERO] * len(component), frozenset(s.passage[2] for s in idle)
    for rank in compared(search, thread, own, _written(own)):
        strict = _fits(search, number, component, own, rank)
        if strict is not None:
            return [rank] * len(component), strict
    return None


def _is_idle(search: Search, thread: Thread, step: Step) -> bool:
    premise = (*step.premise, *thread.known(step.passage[0]))
    return land(*premise) is FALSE or search.session.implied(FALSE, premise)


def _written(steps: Sequence[Step]) -> Set[Var]:
    return {v for s in steps for v in s.updates}


def _fits(
    search: Search, number: int, component: tuple[int, ...], own: Sequence[Step], rank: Term, partly: bool = False
) -> frozenset[int] | None:
    """The edges that lower a rank which nobody raises; None where there are none, nor any that lower it `partly`."""
    thread, session, strict, some = search.threads[number], search.session, set[int](), False
    for step in own:
        if not rank.free.isdisjoint(step.updates):
            after, known = substitute(rank, step.updates), (*step.premise, *thread.known(step.passage[0]))
            lowers = land(le(ZERO, rank), le(add(after, ONE), rank))
            if session.implied(lowers, known):
                strict.add(step.passage[2])
            elif not session.implied(le(after, rank), known):
                return None
            elif partly and not some:
                some = not session.implied(lnot(lowers), known)
    if (strict or some) and all(
        session.implied(le(substitute(rank, s.updates), rank), disturbed(thread, place, other, s))
        for other, s in search.others(number)
        if not rank.free.isdisjoint(s.updates)
        for place in component
        if search.may_meet(thread, place, other, s.passage[0])
    ):
        return frozenset(strict)
    return None


def _partly(search: Search, number: int, component: tuple[int, ...], own: Sequence[Step]) -> _Found | None:
    """A rank that some steps lower in some cases only: in the others they may be taken for ever."""
    thread = search.threads[number]
    written, others = _written(own), (t for t in search.threads if t is not thread)
    # What another thread waits for comes nearer with what this one does.
    beside = [r for t in others for r in compared(search, t, t.steps, written)]
    for rank in dict.fromkeys((*compared(search, thread, own, written), *beside)):
        strict = _fits(search, number, component, own, rank, partly=True)
        if strict is not None:
            return [rank] * len(component), strict
    return None


def _by_farkas(search: Search, number: int, component: tuple[int, ...], own: Sequence[Step]) -> _Found | None:
    """A rank with an offset at each location: first in what decides whether the component is left, then in all."""
    thread = search.threads[number]
    if deciding := _deciding(thread, component, own):
        sliced = {s.passage: _cases(thread, s, deciding) for s in own}
        found = _affine(search, number, component, own, sliced, deciding)
        if found is not None:
            return found
    cases = {s.passage: _cases(thread, s) for s in own}
    for variables in _variables(search, number, own):
        found = _affine(search, number, component, own, cases, variables)
        if found is not None:
            return found
    return _in_pieces(search, number, component, own)


def _deciding(thread: Thread, component: Sequence[int], own: Sequence[Step]) -> tuple[Var, ...]:
    """The numbers that decide whether a component is left, with those that flow into them: a slice of its steps.

    None where it would be all that the steps write.
    """
    inside, written = set(component), _written(own)
    leaving = (s for s in thread.graph.steps if s.passage[0] in inside and s.passage[3] not in inside)
    needed = dict.fromkeys(v for s in leaving for f in s.premise for v in sorted(f.free, key=lambda v: v.key))
    pending = list(needed)
    while pending:
        here = pending.pop()
        for step in (s for s in own if here in s.updates):
            fresh = [v for v in sorted(step.updates[here].free, key=lambda v: v.key) if v not in needed]
            needed |= dict.fromkeys(fresh)
            pending += fresh
    return () if written <= needed.keys() else tuple(v for v in needed if v.sort == INT)


def _affine(
    search: Search,
    number: int,
    component: tuple[int, ...],
    own: Sequence[Step],
    cases: Mapping[Passage, Cases],
    variables: tuple[Var, ...],
) -> _Found | None:
    """A rank in these variables that some step lowers."""
    disturbances = [cases_of(*astuple(m)) for m in _disturbances(search, number, component, variables)]
    for shared in (True, False):
        for step in (s for s in promising(own) if not s.updates.keys().isdisjoint(variables)):
            others = [*(cases[s.passage] for s in own if s is not step), *disturbances]
            found = ranked(component, variables, [cases[step.passage]], others, shared, search.session.bounds)
            if found is not None:
                return [found[q] for q in component], _lowering(search, search.threads[number], own, found, step)
    return None


def _in_pieces(search: Search, number: int, component: tuple[int, ...], own: Sequence[Step]) -> _Found | None:
    """A rank with two forms, one where a comparison holds."""
    thread, moves = search.threads[number], list[Move]()
    for step in own:
        source, _, _, target = step.passage
        moves.append(Move(source, target, conjoined((*step.premise, *thread.known(source))), step.updates))
    for variables in _variables(search, number, own):
        kept = list(_disturbances(search, number, component, variables))
        order = [own.index(s) for s in promising(own) if not s.updates.keys().isdisjoint(variables)]
        found = in_pieces(component, variables, moves, kept, order, search.session.bounds)
        if found is not None:
            strict, ranks = found
            return [ranks[q] for q in component], _lowering(search, thread, own, ranks, own[strict])
    return None


def _cases(thread: Thread, step: Step, sliced: Sequence[Var] | None = None) -> Cases:
    """A step taken apart; a slice has only what speaks of these variables."""
    source, _, _, target = step.passage
    premise = conjoined((*step.premise, *thread.known(source)))
    if sliced is None:
        return cases_of(source, target, premise, step.updates)
    kept = frozenset(sliced)
    return cases_of(
        source, target, [f for f in premise if f.free <= kept], {v: t for v, t in step.updates.items() if v in kept}
    )


def _disturbances(search: Search, number: int, component: Sequence[int], variables: Sequence[Var]) -> Iterator[Move]:
    """The steps of others that write what a rank may be made of."""
    thread = search.threads[number]
    for other, step in search.others(number):
        written = {v: t for v, t in step.updates.items() if v in variables}
        for place in component if written else ():
            if not search.may_meet(thread, place, other, step.passage[0]):
                continue
            yield Move(place, place, conjoined(disturbed(thread, place, other, step)), written)


def _variables(search: Search, number: int, own: Sequence[Step]) -> Iterable[tuple[Var, ...]]:
    """Numbers that a rank may be made of: undisturbed ones of the user first, then all of the user, then all."""
    thread = search.threads[number]
    declared = thread.graph.separate[number].variables
    spoken = {v for s in own for f in s.premise for v in f.free} | {v for s in own for v in s.updates}
    every = tuple(v.var for v in declared if v.var.sort == INT and (v.kind is not Kind.GLOBAL or v.var in spoken))
    # A rank in the user's variables tells more.
    plain = tuple(v for v in every if not v.name.base.startswith("_"))
    disturbed = {v for _, s in search.others(number) for v in s.updates}
    return dict.fromkeys((tuple(v for v in plain if v not in disturbed), plain, every))


def _lowering(
    search: Search, thread: Thread, own: Sequence[Step], ranks: Mapping[int, Term], strict: Step
) -> frozenset[int]:
    """The edges that lower the rank, which may be more than the one that was asked for."""
    found = {strict.passage[2]}
    for step in own:
        first, _, _, second = step.passage
        before, after = ranks[first], substitute(ranks[second], step.updates)
        wanted = land(le(ZERO, before), le(add(after, ONE), before))
        if step is not strict and search.session.implied(wanted, (*step.premise, *thread.known(first))):
            found.add(step.passage[2])
    return frozenset(found)
