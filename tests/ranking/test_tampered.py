"""No evidence is accepted for what is false, however it was made: guessed ranks, cut parts, cycles of other claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest
from msgspec.structs import replace

from sa.automata.components import components
from sa.automata.program import Ends, Program
from sa.automata.rename import apart
from sa.base.budget import unheard
from sa.base.limits import Limits
from sa.base.source import Source
from sa.certificates.ends import (
    Elimination,
    Ending,
    Helped,
    Lasso,
    Lowered,
    Part,
    Ranked,
    Resting,
    Round,
    Settled,
    Spot,
    Stage,
    Unanswered,
    Unjust,
)
from sa.checker.ruling import Accepted
from sa.engines.endings import accepted
from sa.language.elaborate.program import program
from sa.ranking.lassos import lasso
from sa.ranking.points import Graph, Step, graph_of_all, graph_of_thread, leading
from sa.ranking.states import endless, explored, finite
from sa.smt.session import Session
from sa.terms.build import FALSE, TRUE, conjuncts, eq, integer, land, linear
from sa.terms.sort import INT
from sa.terms.term import Term
from tests.oracle.endings import graph as all_states
from tests.ranking.programs import program as random_program
from tests.ranking.test_against_the_oracle import holds_by_definition


def _rank(dice: Random, g: Graph) -> Term:
    numbers = [v.var for t in g.separate for v in t.variables if v.var.sort == INT]
    return linear(dice.randint(0, 6), {v: dice.choice((-1, 0, 0, 1, 2)) for v in numbers if dice.random() < 0.5})


def _stages(dice: Random, g: Graph, roots: tuple[int, ...], steps: tuple[Step, ...], depth: int) -> Iterator[Stage]:
    for component in components(roots, leading(steps)):
        inside = frozenset(component)
        own = tuple(s for s in steps if s.passage[0] in inside and s.passage[3] in inside)
        if own:
            kind = dice.random()
            if kind < 0.2:
                yield Resting(component)
            elif kind < 0.4:
                yield Helped(component, dice.choice(g.threads))
            else:
                strict = tuple(s for s in own if dice.random() < 0.6) or own[:1]
                left = tuple(s for s in own if s not in strict)
                then = tuple(_stages(dice, g, component, left, depth - 1)) if depth else ()
                rank = _rank(dice, g)
                ranks = tuple(rank if dice.random() < 0.8 else integer(dice.randint(0, 3)) for _ in component)
                yield Lowered(component, ranks, tuple(s.passage for s in strict), then)


def _rounds(dice: Random, graphs: Sequence[Graph], promised: bool) -> Iterator[Elimination]:
    left = {g.threads[0]: g.steps for g in graphs}
    formulas = [f for g in graphs for s in g.steps for p in (*s.premise, *_written(s)) for f in conjuncts(p)]
    for _ in range(8):
        graph = dice.choice(graphs)
        number = graph.threads[0]
        own = left[number]
        for component in components(graph.starts, leading(own)):
            inside = [s for s in own if s.passage[0] in component and s.passage[3] in component]
            strict = {s.passage[2] for s in inside if dice.random() < 0.5}
            if inside and formulas and dice.random() < 0.4:
                listed = [(dice.choice(component), dice.choice(formulas)) for _ in range(2)]
                yield Settled(number, component, tuple(listed))
            if not inside or dice.random() < 0.2:
                continue
            if dice.random() < 0.5:
                rank = _rank(dice, graph)
                yield Round(number, component, (rank,) * len(component), tuple(sorted(strict)))
            else:
                spots = tuple(_spot(dice, graphs, formulas) for _ in range(dice.randint(0, 4)) if formulas)
                yield Unjust(number, component, tuple(sorted(strict)), spots)
            left[number] = tuple(s for s in own if s.passage[2] not in strict or s not in inside)
            break
    if promised:
        spots = tuple(_spot(dice, graphs, formulas) for _ in range(dice.randint(0, 4)) if formulas)
        yield Unanswered(dice.choice((TRUE, FALSE, *formulas)), spots)


def _written(step: Step) -> Iterator[Term]:
    return (eq(v, t) for v, t in step.updates.items())


def _spot(dice: Random, graphs: Sequence[Graph], formulas: Sequence[Term]) -> Spot:
    graph = dice.choice(graphs)
    place, formula = dice.randrange(len(graph.points)), dice.choice((*formulas, FALSE))
    return Spot(graph.threads[0], place, dice.random() < 0.5, formula, dice.random() < 0.3)


def guessed(dice: Random, p: Program, ends: Ends) -> Iterator[Ranked]:
    """Reasons of the right shape that nobody has looked at."""
    separate = tuple(map(apart, p.threads))
    graphs = [graph_of_thread(separate, n, ends) for n in range(len(p.threads))]
    for _ in range(3):
        yield Ranked(p.threads, ends, tuple(_rounds(dice, graphs, ends.until is not None)), (), p.axioms)
    g = graph_of_all(p.threads, separate, ends, 300, Session(Limits()))
    if g is not None:
        part = Part(g.threads, g.points, tuple(_stages(dice, g, g.starts, g.steps, 2)))
        yield Ranked(p.threads, ends, part, (), p.axioms)


def bent(dice: Random, p: Program, ends: Ends) -> Iterator[Lasso]:
    """Cycles of a weaker claim, as they are and changed."""
    for weaker in (ends, replace(ends, fair=False), replace(ends, fair=False, until=None)):
        found = explored(p.threads, weaker, 400, Limits(), unheard)
        way = next(endless(found, weaker, Limits()), None)
        made = lasso(found, way) if way is not None else None
        if made is not None:
            yield made
            yield replace(made, again=TRUE)
            yield replace(made, again=land(*conjuncts(made.again)[dice.randint(0, 2) :]))
            count = len(made.run.turns)
            yield replace(made, run=replace(made.run, cycle=dice.randint(0, count)))
            yield replace(made, run=replace(made.run, turns=made.run.turns[: dice.randint(0, count)]))


def looked_at(seed: int) -> int:
    """How often evidence for something false was refused."""
    p, dice, count = program(Source(f"seed {seed}", random_program(seed))), Random(seed), 0
    g = all_states(p.threads, 300)
    if g is None:
        return 0
    for ends in (x for e in p.ends for x in (e, replace(e, fair=not e.fair))):
        true = holds_by_definition(g, ends)
        evidence: list[Ending] = [*bent(dice, p, ends)] if true else [*guessed(dice, p, ends)]
        if not true and (listed := finite(explored(p.threads, ends, 400, Limits(), unheard), p.threads, ends, ())):
            evidence.append(listed)
        for one in evidence:
            ruling = accepted(p.threads, p.axioms, ends, one, Limits(), 0)
            assert not isinstance(ruling, Accepted), (seed, ends.name, ends.fair, one)
            count += 1
    return count


@pytest.mark.parametrize("seed", [0])
def test_evidence_for_what_is_false_is_refused(seed: int) -> None:
    looked_at(seed)


@pytest.mark.fuzz
def test_much_evidence_for_what_is_false_is_refused() -> None:
    assert sum(map(looked_at, range(100, 260))) >= 500
