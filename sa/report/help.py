"""What a user can do where `refine` has no answer: read off the goals, without trying any of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.base.source import position
from sa.base.verdict import Reason, Verdict
from sa.certificates.goal import Goal, iota_of
from sa.engines.outcome import Outcome
from sa.report.explain import bare, is_internal

#: So many variables or lines are named at most.
_NAMED = 4

#: Reasons that say something about the question, not about the machine.
_HARD = {Reason.BOUND, Reason.SOLVER, Reason.ENVIRONMENT, Reason.TIMEOUT, Reason.MEMORY}


def what_may_help(outcome: Outcome) -> str | None:
    """A sentence with the ways that are open; None where every goal has an answer, or nothing is known to help."""
    open_goals = [r for r in outcome.results if r.verdict is Verdict.UNKNOWN and r.unknown is not None]
    reasons = {r.unknown.reason for r in open_goals if r.unknown is not None}
    ways = list[str]()
    if Reason.TIMEOUT in reasons:
        ways.append("more time (`--timeout`)")
    if Reason.MEMORY in reasons:
        ways.append("more memory (`--memory`)")
    if reasons & _HARD:
        goals = [r.goal for r in open_goals]
        ways.extend(_ways(goals))
        if len(outcome.results) > 1:
            ways.append("the programs as wholes (`--whole`)")
    return f"What may help: {'; '.join(ways)}" if ways else None


def _ways(goals: Sequence[Goal]) -> Iterator[str]:
    """What the text of the programs suggests."""
    same = tuple(dict.fromkeys(name for goal in goals for name in _unrelated(goal)))
    if same:
        named = ", ".join(f"`{name}`" for name in same[:_NAMED]) + (", …" if len(same) > _NAMED else "")
        yield f"a refinement block whose `relate` has the locals {named} beside the globals"
    arbitrary = tuple(dict.fromkeys(place for goal in goals for place in _choices(goal.abstract)))
    if arbitrary:
        yield f"a value in place of an arbitrary one on the abstract side (line {_some(arbitrary)})"
    if any(_unbounded(goal.concrete) for goal in goals):
        yield "ranges for variables, so that all states can be listed"


def _unrelated(goal: Goal) -> Iterator[str]:
    """Locals of one name and type on both sides that the relation does not speak of."""
    spoken = {bare(v) for v in iota_of(goal).free}
    sides = (variables_of(side, Kind.LOCAL) for side in (goal.concrete, goal.abstract))
    concrete, abstract = ({bare(v): v.sort for v in side if not is_internal(v)} for side in sides)
    yield from (n for n, sort in concrete.items() if abstract.get(n) == sort and n not in spoken)


def _choices(abstract: Automaton) -> Iterator[str]:
    """The lines of steps that choose a value."""
    for edge in abstract.edges:
        span = edge.origin.span
        if edge.choices and span is not None:
            yield str(position(span.source, span.start).line)


def _unbounded(automaton: Automaton) -> bool:
    from sa.automata.ranges import count_of

    return any(v.kind is not Kind.PARAM and count_of(v) is None for v in automaton.variables)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names if len(names) <= _NAMED else [*names[:_NAMED], "…"])
