"""Which steps no run takes for ever, thread by thread, until none is left of the threads that are to end.

The steps of a thread that a run takes again and again lie in a strongly connected component of its graph. A rank that
no step raises which is still left, of any thread, excludes those that lower it. So a loop of one thread whose rounds
are counted excludes what it writes for the others, and then their loops that wait for it have ranks, too.
What the steps that are left establish at a location holds there from some moment on (`_settle`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto

from msgspec import Struct, field
from msgspec.structs import astuple

from sa.automata.automaton import Automaton, Kind
from sa.automata.components import components
from sa.automata.program import Axiom, Ends
from sa.automata.rename import apart
from sa.base.limits import Limits, spend
from sa.certificates.ends import Ranked, Round
from sa.ranking.facts import facts_at, with_signs
from sa.ranking.piecewise import Move, in_pieces
from sa.ranking.points import Graph, Step, graph_of_thread, leading
from sa.ranking.rank import Cases, cases_of, ranked
from sa.ranking.stages import promising
from sa.smt.session import Session
from sa.terms.build import FALSE, ONE, ZERO, add, conjoined, eq, integer, land, le, linear_parts, lnot, scale
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Le, Not, Term, Var
from sa.transform.facts import Facts, lemmas_of
from sa.transform.reduce import facts_in

#: So many formulas are kept at a location.
_FORMULAS = 40


class Guesses(Enum):
    """What may be taken to hold at locations, to be proved later: facts of locks and flags, or of numbers as well."""

    NONE = auto()
    FACTS = auto()
    NUMBERS = auto()


class Found(Struct, frozen=True):
    """A reason, and lemmas that what it asks of states may follow from."""

    reason: Ranked
    lemmas: tuple[Term, ...]


class _Thread(Struct):
    """A thread's graph, the steps that are left, what settles by location, and what is guessed of it."""

    graph: Graph
    steps: tuple[Step, ...]
    guessed: tuple[tuple[Term, ...], ...]
    settled: dict[int, list[Term]] = field(default_factory=dict)
    order: list[tuple[int, Term]] = field(default_factory=list)

    def known(self, place: int) -> tuple[Term, ...]:
        """What seems to hold at a location at last."""
        return (*self.graph.known[place], *self.guessed[place], *self.settled.get(place, ()))


class _Search(Struct):
    """The threads, and what a formula or a rank may speak of."""

    threads: tuple[_Thread, ...]
    variables: frozenset[Var]
    facts: Facts | None
    session: Session

    def others(self, number: int) -> Iterator[tuple[_Thread, Step]]:
        """The steps of other threads that are left."""
        return ((t, s) for n, t in enumerate(self.threads) if n != number for s in t.steps)

    def may_meet(self, thread: _Thread, place: int, other: _Thread, there: int) -> bool:
        """Whether two threads seem to be at these locations at the same time."""
        if self.facts is None:
            return True
        spots = ((t.graph.threads[0], t.graph.points[q].places[0]) for t, q in ((thread, place), (other, there)))
        return self.facts.meet(*spots)


def eliminated(
    threads: tuple[Automaton, ...],
    axioms: tuple[Axiom, ...],
    ends: Ends,
    guesses: Guesses,
    bounds: Limits,
    seed: int,
) -> Found | None:
    """A reason by rounds. Raises LimitReached."""
    session = Session(bounds, tuple(a.formula for a in axioms), seed)
    separate = tuple(map(apart, threads))
    graphs = [graph_of_thread(separate, number, ends) for number in range(len(threads))]
    facts = None if guesses is Guesses.NONE or not any(g.steps for g in graphs) else facts_in(separate, session)
    made = tuple(_Thread(g, tuple(_on_cycles(g.steps)), _guessed(g, facts, guesses, session)) for g in graphs)
    search = _Search(made, frozenset(v.var for t in separate for v in t.variables), facts, session)
    asked = [n for n, t in enumerate(threads) if t.name in ends.threads]
    rounds = list[Round]()
    while any(made[n].steps for n in asked):
        found = next(_rounds(search), None)
        if found is None:
            return None
        rounds.append(found)
    reason = Ranked(threads, ends, tuple(rounds), (), axioms)
    return Found(reason, () if facts is None else lemmas_of(facts, session))


def _guessed(graph: Graph, facts: Facts | None, guesses: Guesses, session: Session) -> tuple[tuple[Term, ...], ...]:
    if facts is None:
        return tuple(() for _ in graph.points)
    true = facts.true[graph.threads[0]]
    found = tuple(conjoined(true.get(p.places[0], ())) for p in graph.points)
    if guesses is Guesses.NUMBERS:
        found = tuple((*f, *m) for f, m in zip(found, facts_at(graph, session.bounds), strict=True))
        found = with_signs(graph, found, session)
    return found


def _on_cycles(steps: Sequence[Step]) -> Iterator[Step]:
    number = {place: n for n, c in enumerate(_components(steps)) for place in c}
    return (s for s in steps if number[s.passage[0]] == number[s.passage[3]])


def _components(steps: Sequence[Step]) -> list[tuple[int, ...]]:
    return components(leading(steps), leading(steps))


def _rounds(search: _Search) -> Iterator[Round]:
    """Rounds that exclude some steps: cheap ones of all threads first. What is costly waits until facts are known."""
    for way in (_tested,) if search.facts is None else (_tested, _by_farkas):
        for number, thread in enumerate(search.threads):
            for component in _components(thread.steps):
                spend(search.session.bounds, 200)
                inside = frozenset(component)
                own = [s for s in thread.steps if s.passage[0] in inside]
                if way is _tested:
                    _settle(search, number, own)
                found = way(search, number, component, own)
                if found is not None:
                    yield _excluded(thread, component, *found)


def _excluded(thread: _Thread, component: tuple[int, ...], ranks: Sequence[Term], strict: frozenset[int]) -> Round:
    inside = frozenset(component)
    thread.steps = tuple(
        _on_cycles([s for s in thread.steps if s.passage[0] not in inside or s.passage[2] not in strict])
    )
    settled = tuple((q, f) for q, f in thread.order if q in inside)
    thread.order = [(q, f) for q, f in thread.order if q not in inside]
    return Round(thread.graph.threads[0], component, settled, tuple(ranks), tuple(sorted(strict)))


# ---------------------------------------------------------------- what settles


def _settle(search: _Search, number: int, own: Sequence[Step]) -> None:
    """Formulas that each step into a location establishes, and that no other thread makes false any more."""
    thread, coming, leaving = search.threads[number], dict[int, list[Step]](), dict[int, list[Step]]()
    for step in own:
        coming.setdefault(step.passage[3], []).append(step)
        leaving.setdefault(step.passage[0], []).append(step)
    pending = list(coming)
    while pending:
        place = pending.pop(0)
        here = thread.settled.setdefault(place, [])
        count = len(here)
        for formula in _candidates(search, thread, coming[place], leaving.get(place, ())):
            if (
                len(here) < _FORMULAS
                and formula not in here
                and _settles(search, number, place, coming[place], formula)
            ):
                here.append(formula)
                thread.order.append((place, formula))
        if len(here) > count:
            pending += [t for s in own if s.passage[0] == place and (t := s.passage[3]) not in pending]


def _candidates(search: _Search, thread: _Thread, coming: Sequence[Step], leaving: Sequence[Step]) -> dict[Term, None]:
    """What a step writes, what holds before it and is not touched, and what would exclude a next step."""
    known = frozenset(thread.graph.known[leaving[0].passage[0]]) if leaving else frozenset()
    asked = (f for s in leaving for f in s.premise if f not in known)
    found = dict[Term, None].fromkeys(lnot(f) for f in asked if f.free and f.free <= search.variables)
    for step in coming:
        written = frozenset(step.updates)
        for v, term in step.updates.items():
            if term.free <= search.variables - written:
                found[eq(v, term)] = None
        # What settled is not shifted again, or a counter would be compared with every number.
        guard = conjoined(step.premise)
        place = step.passage[0]
        for formula in (*guard, *thread.settled.get(place, ())):
            if formula in thread.graph.known[place] or not formula.free <= search.variables:
                continue
            touched = formula.free & written
            if not touched:
                found[formula] = None
            elif len(touched) == 1 and formula in guard:
                (v,) = touched
                shift, parts = linear_parts(step.updates[v]) if v.sort == INT else (0, {})
                if parts == {v: 1}:
                    found[substitute(formula, {v: add(v, integer(-shift))})] = None
    return found


def _settles(search: _Search, number: int, place: int, coming: Sequence[Step], formula: Term) -> bool:
    thread, session = search.threads[number], search.session
    for step in coming:
        known = (*step.premise, *thread.known(step.passage[0]))
        after = substitute(formula, step.updates)
        if after not in known and not session.implied(after, known):
            return False
    return all(
        session.implied(substitute(formula, s.updates), (formula, *_disturbed(thread, place, other, s)))
        for other, s in search.others(number)
        if not formula.free.isdisjoint(s.updates) and search.may_meet(thread, place, other, s.passage[0])
    )


def _disturbed(thread: _Thread, place: int, other: _Thread, step: Step) -> tuple[Term, ...]:
    """What holds where another thread takes a step while this one is at a location."""
    return (*thread.known(place), *other.known(step.passage[0]), *step.premise)


# ---------------------------------------------------------------- ranks

#: Ranks by location, and the edges that lower them.
_Found = tuple[Sequence[Term], frozenset[int]]


def _tested(search: _Search, number: int, component: tuple[int, ...], own: Sequence[Step]) -> _Found | None:
    """Steps that cannot be taken, or that lower a number which some step compares with its bound."""
    thread = search.threads[number]
    idle = [s for s in own if _is_idle(search, thread, s)]
    if idle:
        return [ZERO] * len(component), frozenset(s.passage[2] for s in idle)
    for rank in _compared(search, thread, own):
        strict = _fits(search, number, component, own, rank)
        if strict:
            return [rank] * len(component), strict
    return None


def _is_idle(search: _Search, thread: _Thread, step: Step) -> bool:
    premise = (*step.premise, *thread.known(step.passage[0]))
    return land(*premise) is FALSE or search.session.implied(FALSE, premise)


def _compared(search: _Search, thread: _Thread, own: Sequence[Step]) -> list[Term]:
    """Differences that are not negative where a step is taken; those in the user's variables first."""
    found = dict[Term, None]()
    for step in own:
        known = conjoined((*step.premise, *thread.known(step.passage[0])))
        equal = [e for f in known for e in _equation(f)]
        for total in (t for f in known for t in _totals(f)):
            found[total] = None
            # The copy of a shared number was compared, and the number is what is lowered.
            found |= dict.fromkeys(substitute(total, {v: w}) for v, w in equal if v in total.free)
    written = {v for s in own for v in s.updates}
    fitting = [r for r in found if linear_parts(r)[1].keys() <= search.variables and not r.free.isdisjoint(written)]
    return sorted(fitting, key=lambda r: any(v.name.base.startswith("_") for v in r.free))


def _totals(formula: Term) -> Iterator[Term]:
    """Numbers that are not negative, or not 0."""
    match formula:
        case Le(total):
            yield scale(-1, total)
        case Not(IsZero(total)):
            yield total
            yield scale(-1, total)
        case _:
            return


def _equation(formula: Term) -> Iterator[tuple[Term, Term]]:
    """Two variables that are equal, either way."""
    if isinstance(formula, IsZero):
        constant, parts = linear_parts(formula.total)
        if constant == 0 and sorted(parts.values()) == [-1, 1]:
            v, w = parts
            yield v, w
            yield w, v


def _fits(search: _Search, number: int, component: tuple[int, ...], own: Sequence[Step], rank: Term) -> frozenset[int]:
    """The edges that lower a rank which nobody raises."""
    thread, session, strict = search.threads[number], search.session, set[int]()
    for step in own:
        if not rank.free.isdisjoint(step.updates):
            after, known = substitute(rank, step.updates), (*step.premise, *thread.known(step.passage[0]))
            if session.implied(land(le(ZERO, rank), le(add(after, ONE), rank)), known):
                strict.add(step.passage[2])
            elif not session.implied(le(after, rank), known):
                return frozenset()
    if strict and all(
        session.implied(le(substitute(rank, s.updates), rank), _disturbed(thread, place, other, s))
        for other, s in search.others(number)
        if not rank.free.isdisjoint(s.updates)
        for place in component
        if search.may_meet(thread, place, other, s.passage[0])
    ):
        return frozenset(strict)
    return frozenset()


def _by_farkas(search: _Search, number: int, component: tuple[int, ...], own: Sequence[Step]) -> _Found | None:
    """A rank with an offset at each location."""
    thread = search.threads[number]
    cases = {s.passage: _cases(thread, s) for s in own}
    for variables in _variables(search, number, own):
        disturbances = [cases_of(*astuple(m)) for m in _disturbances(search, number, component, variables)]
        for shared in (True, False):
            for step in (s for s in promising(own) if not s.updates.keys().isdisjoint(variables)):
                others = [*(cases[s.passage] for s in own if s is not step), *disturbances]
                found = ranked(component, variables, [cases[step.passage]], others, shared, search.session.bounds)
                if found is not None:
                    return [found[q] for q in component], _lowering(search, thread, own, found, step)
    return _in_pieces(search, number, component, own)


def _in_pieces(search: _Search, number: int, component: tuple[int, ...], own: Sequence[Step]) -> _Found | None:
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


def _cases(thread: _Thread, step: Step) -> Cases:
    source, _, _, target = step.passage
    return cases_of(source, target, conjoined((*step.premise, *thread.known(source))), step.updates)


def _disturbances(search: _Search, number: int, component: Sequence[int], variables: Sequence[Var]) -> Iterator[Move]:
    """The steps of others that write what a rank may be made of."""
    thread = search.threads[number]
    for other, step in search.others(number):
        written = {v: t for v, t in step.updates.items() if v in variables}
        for place in component if written else ():
            if not search.may_meet(thread, place, other, step.passage[0]):
                continue
            yield Move(place, place, conjoined(_disturbed(thread, place, other, step)), written)


def _variables(search: _Search, number: int, own: Sequence[Step]) -> Iterable[tuple[Var, ...]]:
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
    search: _Search, thread: _Thread, own: Sequence[Step], ranks: Mapping[int, Term], strict: Step
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
