"""The engine `simulation:answers=linearization-points`: when abstract steps are made is read off runs, then fixed.

Runs of both sides say along with which concrete steps, and under which conditions, each abstract thread makes the steps
that others may see (`moments.py`). Concrete steps are split by these conditions, each part has its answer, and a
relation is looked for that keeps them. Rules that are wrong make no relation, and the checker judges what is found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Edge
from sa.base.budget import Budget, Event, Report
from sa.base.limits import check_memory, spend
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.explicit.live_variables import everything
from sa.explicit.machine import Stride
from sa.game.choices import instances_of, narrowed
from sa.game.partitioning import Unfolded
from sa.game.rounds import Challenge, Round, play_round
from sa.game.runs import Run, extend, may_follow, start
from sa.game.unrolling import as_it_is
from sa.question.asked import GoalAsked, Related
from sa.refinement.deciders import answers_fixed, search_beside
from sa.refinement.facts import both
from sa.refinement.moments import (
    TESTS,
    Chance,
    Rule,
    Step,
    Steps,
    Test,
    Watched,
    chances,
    layers_of,
    rules_for,
)
from sa.refinement.older import older_copies
from sa.refinement.points import Points, at_points, folded
from sa.refinement.sides import numbered, opened, sides
from sa.simulation.algorithm_2_search import Search
from sa.simulation.endings import Tactics
from sa.simulation.state import give, given
from sa.smt.session import Session
from sa.terms import build
from sa.terms.atoms import atoms
from sa.terms.compile import compiled, predicate
from sa.terms.evaluate import Unevaluable
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Runs and their steps, values that they choose from, and abstract states that are looked at for one answer.
RUNS, STEPS, VALUES, LOOKED_AT = 60, 80, 3, 400

#: Units of a moment of a run; pairs of locations that are answered at, and parts of one concrete step.
A_MOMENT, PAIRS, PARTS = 400, 3_000, 16


class Plan(Struct, frozen=True, eq=False):
    """Along with which concrete steps each abstract step is made, what it chooses, and which of two comes first."""

    rules: Mapping[Step, tuple[Rule, ...]]
    chosen: Mapping[tuple[Rule, Step], tuple[Term, ...]]
    orders: Counter[tuple[Step, Step]]


def by_moments(tactics: Tactics, asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Related]:
    """A relation with abstract steps made when runs say so. Raises LimitReached."""
    goal = asked.goal
    if not goal.closed or goal.choose_init or goal.axioms:
        return
    report(Event("runs with the same actions"))
    plan = asked.shared.once(("moments", goal), lambda: plan_of(goal, budget))
    if plan is None:
        return
    report(Event("moments of abstract steps", {"steps": len(plan.rules)}))
    unfolded, cases = split(goal, plan)
    points = Points(replace(goal, concrete=unfolded.automaton), unfolded, as_it_is(goal.abstract))
    older = older_copies(Session(budget.bounds, (), budget.seed), goal.concrete)
    known = both(given(asked.shared, goal), (dict.fromkeys((q.name for q in goal.concrete.locations), older), {}))
    give(asked.shared, points.goal, at_points(points, known))
    other = search_beside(asked, points.goal, budget)
    found = answers_fixed(tactics, other, budget, report, partial(_propose, plan, cases))
    if found is not None and isinstance(found.evidence, Relation):
        yield Related(folded(points, goal, found.evidence), found.effort)


def plan_of(goal: Goal, budget: Budget) -> Plan | None:
    """When abstract steps are made, as runs say; None where they say nothing, or contradict each other.

    Raises LimitReached.
    """
    session = Session(budget.bounds, (), budget.seed)
    both = sides(goal, session, (everything(goal.concrete), everything(goal.abstract)), VALUES, LOOKED_AT)
    watched, dice = Watched.made(both), Random(budget.seed)
    times, orders = dict[Step, list[list[Chance]]](), Counter[tuple[Step, Step]]()
    if not watched.moves:
        return None
    for _ in range(RUNS):
        check_memory(budget.bounds)
        try:
            for move, its in _times(watched, orders, dice, budget):
                times.setdefault(move, []).append(its)
        except Unevaluable:
            return None
    tests = _tests(goal, watched.concrete)
    rules, chosen = dict[Step, tuple[Rule, ...]](), dict[tuple[Rule, Step], tuple[Term, ...]]()
    for move, those in times.items():
        spend(budget.bounds, 200 * len(those))
        found = rules_for(move, those, tests)
        if found is None:
            return None
        rules[move] = found
        for rule in found:
            terms = _choices(goal, watched, move, rule, those)
            if terms is None:
                return None
            chosen[rule, move] = terms
    return Plan(rules, chosen, orders) if rules else None


def _times(
    watched: Watched, orders: Counter[tuple[Step, Step]], dice: Random, budget: Budget
) -> Iterator[tuple[Step, list[Chance]]]:
    begun = opened(watched.sides, dice)
    if begun is None:
        return
    concrete = watched.sides.concrete
    here, run = numbered(concrete, begun[0]), list[Stride]()
    begin = here, numbered(watched.sides.abstract, begun[1])
    for _ in range(STEPS):
        stride = concrete.any(here, dice)
        if stride is None:
            break
        run.append(stride)
        here = stride.after
    spend(budget.bounds, A_MOMENT * len(run))
    layers = layers_of(watched, begin, run)
    if layers is not None:
        orders.update(layers.orders)
        yield from chances(watched, layers)


def _tests(goal: Goal, steps: Steps) -> Mapping[Step, tuple[Test, ...]]:
    """What conditions on a concrete step may say: tests of the concrete side, before the step and after it."""
    order = tuple(v.var for v in goal.concrete.variables)
    known = frozenset(order)
    asked = dict.fromkeys(a for e in goal.concrete.edges for a in atoms(e.guard) if a.free and a.free <= known)
    positive = [a for a in asked if build.lnot(a) not in asked or a.key < build.lnot(a).key]
    found = dict[Step, tuple[Test, ...]]()
    for step, edge in zip(steps.of, goal.concrete.edges, strict=True):
        if step not in found:
            after = (substitute(a, dict(edge.updates)) for a in positive)
            terms = dict.fromkeys(t for t in (*positive, *after) if t.free and t.free <= known)
            found[step] = tuple(Test(t, predicate(t, order)) for t in list(terms)[:TESTS])
    return found


def _choices(
    goal: Goal, watched: Watched, move: Step, rule: Rule, times: Sequence[Sequence[Chance]]
) -> tuple[Term, ...] | None:
    """What an abstract step chooses where a rule says that it is made: concrete variables, before or after the step."""
    edge = next(e for s, e in zip(watched.abstract.of, goal.abstract.edges, strict=True) if s == move)
    if not edge.choices:
        return ()
    order = {v.var: i for i, v in enumerate(goal.concrete.variables)}
    met = [c for time in times for c in time if c.picked and _says(rule, c, order)]
    found = list[Term]()
    for k, choice in enumerate(edge.choices):
        alike = [v for v in order if v.sort == choice.var.sort]
        fits = (v for v in alike if all(any(p[k] == c.moment.after[order[v]] for p in c.picked or ()) for c in met))
        term = next(fits, None)
        if term is None:
            return None
        found.append(term)
    return tuple(found)


def _says(rule: Rule, chance: Chance, order: Mapping[Var, int]) -> bool:
    moment = chance.moment
    if (moment.step, moment.late) != (rule.step, rule.late):
        return False
    names = tuple(order)
    return all(bool(compiled(t, names)(moment.before)) is truth for t, truth in rule.condition)


class Case(Struct, frozen=True, eq=False):
    """What is done along with a part of a concrete step: abstract steps before its action, and after it."""

    early: tuple[tuple[Step, Rule], ...]
    late: tuple[tuple[Step, Rule], ...]


def split(goal: Goal, plan: Plan) -> tuple[Unfolded, tuple[Case, ...]]:
    """The concrete side with steps split by the conditions of rules, and what is done along with each part."""
    steps, edges, numbers, cases = Steps.made(goal.concrete), list[Edge](), list[int](), list[Case]()
    by_step = dict[Step, list[tuple[Step, Rule]]]()
    for move, rules in plan.rules.items():
        for rule in rules:
            by_step.setdefault(rule.step, []).append((move, rule))
    for number, (step, edge) in enumerate(zip(steps.of, goal.concrete.edges, strict=True)):
        for guard, made in _parts(by_step.get(step, ())):
            whole = build.land(edge.guard, guard)
            if whole is not build.FALSE:
                edges.append(replace(edge, guard=whole))
                numbers.append(number)
                early, late = ([m for m in made if m[1].late is when] for when in (False, True))
                cases.append(Case(_in_order(plan, early), _in_order(plan, late)))
    place = {q.name: q.name for q in goal.concrete.locations}
    values = dict.fromkeys(place, build.TRUE)
    return Unfolded(replace(goal.concrete, edges=tuple(edges)), place, tuple(numbers), values), tuple(cases)


def _parts(rules: Sequence[tuple[Step, Rule]]) -> Iterator[tuple[Term, tuple[tuple[Step, Rule], ...]]]:
    """Which of the rules say that their steps are made, under which condition: each possible combination."""
    conditions = [build.land(*(t if truth else build.lnot(t) for t, truth in r.condition)) for _, r in rules]
    for made in list(product((True, False), repeat=len(rules)))[:PARTS]:
        guard = build.land(*(c if yes else build.lnot(c) for c, yes in zip(conditions, made, strict=True)))
        if guard is not build.FALSE:
            yield guard, tuple(rule for rule, yes in zip(rules, made, strict=True) if yes)


def _in_order(plan: Plan, moves: Iterable[tuple[Step, Rule]]) -> tuple[tuple[Step, Rule], ...]:
    """Steps that are made along with the same one, in the order of most runs; each once."""
    found = list[tuple[Step, Rule]]()
    for move in {m: (m, r) for m, r in moves}.values():
        at = next(
            (k for k, o in enumerate(found) if plan.orders[move[0], o[0]] > plan.orders[o[0], move[0]]), len(found)
        )
        found.insert(at, move)
    return tuple(found)


def _propose(plan: Plan, cases: Sequence[Case], search: Search) -> bool:
    """Give a search the answers of a plan, at the pairs of locations that they lead to."""
    met, pending = {search.initial}, [search.initial]
    moves = Steps.made(search.board.abstract.automaton)
    while pending:
        pair = pending.pop()
        spend(search.session.bounds, 300)
        for number, _ in search.board.concrete.edges[pair[0]]:
            step = search.challenge(number)
            rounds = tuple(_rounds(search, plan, cases[number], moves, step, pair[1]))
            search.propose(pair, number, rounds)
            for answer in rounds:
                if answer.target not in met:
                    met.add(answer.target)
                    pending.append(answer.target)
        if len(met) > PAIRS:
            return False
    return True


def _rounds(search: Search, plan: Plan, case: Case, moves: Steps, step: Challenge, location: str) -> Iterator[Round]:
    """The answers to a part of a concrete step."""
    run = start(search.board, location)
    for move, rule in case.early:
        run = _moved(search, plan, moves, step, run, move, rule)
    for shown in _showing(search, step, run):
        for move, rule in case.late:
            shown = _moved(search, plan, moves, step, shown, move, rule)
        yield play_round(search.board, step, shown)


def _moved(search: Search, plan: Plan, moves: Steps, step: Challenge, run: Run, move: Step, rule: Rule) -> Run:
    """The run with the abstract step at its end, where the thread is about to make it."""
    for number, edge in search.board.abstract.edges[run.location]:
        if moves.of[number] == move:
            after = step.after
            choice = tuple(
                (c.var, substitute(t, after)) for c, t in zip(edge.choices, plan.chosen[rule, move], strict=True)
            )
            return extend(search.board, run, number, edge, choice, step.label)[1]
    return run


def _showing(search: Search, step: Challenge, run: Run) -> Iterator[Run]:
    """The run with the step's action at its end, by any edge that shows it."""
    if step.label is None:
        yield run
        return
    for number, edge in search.board.abstract.edges[run.location]:
        if edge.label is None or not may_follow(edge, step.label, run):
            continue
        ways, opened_choices = instances_of(edge, len(run.edges), step.label)
        for choice in ways:
            after = extend(search.board, run, number, edge, choice, step.label)[1]
            shown = narrowed(replace(after, open=(*run.open, *opened_choices)), ())[0]
            if not shown.open:
                yield shown
