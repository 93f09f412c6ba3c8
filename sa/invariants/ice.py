"""Joint invariants that are learned from random runs and mended by counterexamples.

Many threads that steer each other by flags have far too many joint locations, and no invariant of one thread by itself
says enough. Yet what is needed is often short: clauses over two or three words (`implications.py`) and equations that
count words (`counting_equations.py`) which no run breaks. There are very many of these, most of no use and some false.
So the search (`ice_learner.py`) goes backwards from the claims. What has to be shown is shown of one kind of step at a
time, from nothing but the candidates that are needed so far. A state of the solver that breaks some other candidate
makes that one known, too; those that the solver used have to be shown themselves. A state that breaks no candidate
counts as reachable, and so does what the step leads to: it is one more state that was seen, and what it breaks is a
candidate no more (Garg, Löding, Madhusudan, Neider: ICE, CAV 2014; Flanagan, Leino: Houdini, FME 2001). Candidates are
finitely many, so this ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind
from sa.automata.ranges import within
from sa.automata.rename import apart
from sa.base.budget import Budget, Event, Report
from sa.base.limits import Limits, spend
from sa.certificates.run import Bad, Failing
from sa.certificates.threads import Lemmas
from sa.conditions.never import failing_edges
from sa.explicit.transition_system import Whole, whole
from sa.invariants.counting_equations import Equation, equations
from sa.invariants.features import Seen, Word, features_of
from sa.invariants.ice_learner import Ask, Known, Search, known, need, rests_on, settle
from sa.invariants.random_walks import moves_of, walks
from sa.invariants.templates import Amount, Look, amounts_of, looked_at
from sa.question.asked import Asked, Excluded
from sa.smt.assumptions import Switches
from sa.terms import build
from sa.terms.compile import Row, executable
from sa.terms.name import at_place
from sa.terms.sort import BOOL, INT
from sa.terms.term import Term, Var

#: Runs, their steps, and different states of each that are kept, the first ones and some of the others.
RUNS, STEPS, STATES = 2_000, 1_000, 200

#: Where runs end soon, there are more of them: until so many states are known, so many steps were made, or so many runs
#: have shown nothing new.
ENOUGH, ALL_STEPS, NOTHING_NEW = 15_000, 200_000, 10

#: Solver resources for each question, and questions at most.
SOON, QUESTIONS = 2_000_000, 6_000

#: Locations of a thread at most: of each two of them it is said that it is not at both.
PLACES = 150

#: Threads and small variables at most, and pairs of summands in all spaces that are looked at.
FEATURES, EQUATIONS = 160, 1_000_000


def by_runs(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What invariants exclude that are learned from runs: with the program's tests, then with what follows from these.

    Raises LimitReached.
    """
    excluded = frozenset[Bad]()
    for more in (False, True):
        left = tuple(b for b in asked.bads if b not in excluded)
        for found in _learned(more, replace(asked, bads=left), budget, report):
            excluded |= frozenset(found.bads)
            yield found
        if excluded.issuperset(asked.bads):
            return


def _learned(more: bool, asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """The same with the program's tests, or with `more`, where there are more."""
    w = whole(asked.threads, Bad(Failing(), None))
    places = [_at(t, q.name) for t in w.threads for q in t.locations]
    claims = tuple(b.claim for b in asked.bads if b.claim is not None)
    large = any(len(t.locations) > PLACES for t in w.threads)
    if w.partial or large or not executable(claims, (*w.order, *places)):
        return
    features = features_of(w, claims, more)
    if len(features) > FEATURES or (more and len(features) == len(features_of(w, claims))):
        return
    rows = _rows(w, budget)
    if not rows:
        return
    seen = Seen(features)
    seen.look(rows)
    report(Event("runs", {"states": len(rows), "features": len(features)}))
    amounts = amounts_of(w, seen)
    found = list(_equations(w, asked, seen, rows, amounts, budget.bounds)) if amounts else []
    always = [f for t in w.threads for f in _somewhere(t)]
    switches = Switches(budget.bounds, budget.seed, SOON, always, (*places, *w.order[len(w.threads) :]))
    s = Search(w, seen, switches, _asks(w), found, amounts, moves_of(w), Random(budget.seed))
    report(Event("learning", {"equations": len(found)}))
    yield from _excluded(s, asked, report)


def _excluded(s: Search, asked: Asked, report: Report) -> Iterator[Excluded]:
    roots = {bad: tuple(_roots(s, asked, bad)) for bad in asked.bads}
    lasting = [known(s, f) for f in _written([apart(t) for t in s.w.threads])]
    for formula in lasting:
        need(s, formula)
    done = settle(s, QUESTIONS)
    report(Event("learned", {"questions": s.switches.calls, "formulas": len(s.made), "states": s.seen.count}))
    if not done or not all(k.alive for k in lasting):
        return
    never = tuple(bad for bad, goals in roots.items() if all(g.alive for g in goals))
    if never:
        goals = [*lasting, *(g for bad in never for g in roots[bad])]
        lemmas = tuple(dict.fromkeys(k.formula for k in rests_on(s, goals) if k.number is not None))
        yield Excluded(never, Lemmas(asked.threads, lemmas, never, asked.axioms), "invariants learned from runs")


def _roots(s: Search, asked: Asked, bad: Bad) -> Iterator[Known]:
    """What is to be shown of something bad, each in a kind of step of its own that changes nothing."""
    if bad.claim is not None:
        for formula in build.conjuncts(bad.claim):
            yield _root(s, Ask((), {}), formula)
    for thread, separate in zip(asked.threads, map(apart, asked.threads), strict=True):
        wanted = set(failing_edges(thread, bad.failing))
        for edge, arc in zip(thread.edges, separate.edges, strict=True):
            if edge in wanted:
                guard = build.land(arc.guard, *(within(c) for c in arc.choices))
                yield _root(s, Ask((_at(thread, edge.source), guard), {}), build.FALSE)


def _root(s: Search, ask: Ask, formula: Term) -> Known:
    goal = Known(formula, needed=True)
    s.waiting[ask] = {goal: None}
    return goal


def _rows(w: Whole, budget: Budget) -> list[Row]:
    """Different states of random runs."""
    found, random, in_vain, made = dict[Row, None](), Random(budget.seed), 0, 0
    for run in walks(w, random, budget.bounds, RUNS, STEPS):
        before, own, few = len(found), list(dict.fromkeys(run)), STATES // 2
        found.update(dict.fromkeys(own[:few]))
        found.update(dict.fromkeys(random.sample(own[few:], min(len(own[few:]), few))))
        in_vain = 0 if len(found) > before else in_vain + 1
        made += len(run)
        if len(found) >= ENOUGH or made >= ALL_STEPS or in_vain == NOTHING_NEW:
            break
    return list(found)


def _asks(w: Whole) -> tuple[Ask, ...]:
    """The start, and each step."""
    first = {
        _at(t, q.name): build.boolean(i == p)
        for t, p in zip(w.threads, w.start, strict=True)
        for i, q in enumerate(t.locations)
    }
    found = [Ask((w.init,), first, known=False)]
    for thread, moves in zip(w.threads, moves_of(w), strict=True):
        for move in (m for here in moves for m in here):
            here, there = (_at(thread, thread.locations[p].name) for p in (move.arc.source, move.arc.target))
            moved = {} if here is there else {here: build.FALSE, there: build.TRUE}
            found.append(Ask((here, move.arc.guard), {**move.arc.updates, **moved}, move=move))
    return tuple(found)


def _at(thread: Automaton, place: str) -> Var:
    return build.variable(at_place(thread.name, place), BOOL)


def _somewhere(thread: Automaton) -> Iterator[Term]:
    """A thread is at one location."""
    places = [_at(thread, q.name) for q in thread.locations]
    yield build.lor(*places)
    yield from (build.lnot(build.land(one, two)) for one, two in combinations(places, 2))


def _written(threads: Sequence[Automaton]) -> Iterator[Term]:
    """What is written of locations, which steps must keep, too."""
    for thread in threads:
        said = {q.name: build.conjuncts(q.inv) for q in thread.locations}
        everywhere = frozenset.intersection(*map(frozenset, said.values()))
        yield from sorted(everywhere, key=lambda f: f.key)
        for place, formulas in said.items():
            yield from (build.implies(_at(thread, place), f) for f in formulas if f not in everywhere)


def _equations(
    w: Whole, asked: Asked, seen: Seen, rows: Sequence[Row], amounts: Sequence[Amount], bounds: Limits
) -> Iterator[Equation]:
    """Equations of all states, and of those with a word. Only of all states is it said what is on its way."""
    looked = [looked_at(amounts, row, seen.words(row)) for row in rows]
    here = [n for n, a in enumerate(amounts) if a.while_ is None]
    on_its_way = [n for n, a in enumerate(amounts) if a.while_ is not None or a.shared]
    spaces = [(None, here), (None, on_its_way), *((where, here) for where in _wheres(w, asked, seen))]
    found, few, left = list[Equation](), list[Word | None](), EQUATIONS
    for where, numbers in spaces:
        more, size = equations(seen, looked, numbers, where, lambda: spend(bounds, 15_000))
        found += more or ()
        few += [where] if more is None else []
        left -= size
        if left < 0:
            break
    yield from found
    # Where few states were seen, an equation of other places may be the only one known.
    pool = dict.fromkeys(replace(e, where=None) for e in found)
    broken = {e: _broken(e, looked) for e in pool} if few else {}
    for where in few:
        states = seen.together(() if where is None else (where,))
        yield from (replace(e, where=where) for e, others in broken.items() if not states & others)


def _broken(equation: Equation, looked: Sequence[Look]) -> int:
    """The states in which it does not hold."""
    return int("".join("0" if equation.holds(look) else "1" for look in reversed(looked)) or "0", 2)


def _wheres(w: Whole, asked: Asked, seen: Seen) -> Iterator[Word]:
    """Of which states equations are looked for: of those with a thread at some location that may fail or has
    numbers of its own, of those where a small variable has some value, and of those with another thread somewhere.
    """
    threads = range(len(w.threads))
    about = [n for n in threads if _is_about(asked, w.threads[n])]
    rest = [n for n, f in enumerate(seen.features) if f.small is not None]
    for n in (*about, *rest, *(n for n in threads if n not in about)):
        yield from ((n, value) for value in seen.with_word[n])


def _is_about(asked: Asked, thread: Automaton) -> bool:
    fails = any(True for b in asked.bads for _ in failing_edges(thread, b.failing))
    return fails or any(v.var.sort == INT and v.kind is Kind.LOCAL for v in thread.variables)
