"""What a user can do where there is no answer: read off the question and the reasons, without trying any of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.automata.proof import Preserves
from sa.automata.ranges import count_of
from sa.base.source import position
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.goal import Goal, iota_of, matches_environments
from sa.engines.outcome import Outcome
from sa.engines.verification import Finding, Verification
from sa.report.explain import bare, is_internal
from sa.scripts.result import StepResult
from sa.terms.name import off_thread
from sa.terms.sort import ArraySort
from sa.terms.substitute import unsided
from sa.terms.term import Var

#: So many variables or lines are named at most.
_NAMED = 4

#: Reasons that say something about the question, not about the machine.
_HARD = {Reason.BOUND, Reason.SOLVER, Reason.ENVIRONMENT, Reason.TIMEOUT, Reason.MEMORY}

#: How the rest of an UNKNOWN is asked for.
_MORE = "`--why` lists what was tried"


def with_limits(unknown: Iterable[Unknown]) -> Iterator[str]:
    """Limits that were reached can be raised."""
    reasons = {u.reason for u in unknown}
    if Reason.TIMEOUT in reasons:
        yield "more time (`--timeout`)"
    if Reason.UNDEFINED in reasons:
        yield "`--overflow check`, which claims of the second file that nothing overflows where the first one does not"
    if Reason.MEMORY in reasons:
        yield "more memory (`--memory`)"


def what_may_help(outcome: Outcome, why: bool = True) -> str | None:
    """A sentence with the ways that are open; None where every goal has an answer, or nothing is known to help.

    `why` says that all there is to say of an UNKNOWN is shown; otherwise the sentence says how to ask for the rest.
    """
    open_goals = [r for r in outcome.results if r.verdict is Verdict.UNKNOWN]
    reasons = [r.unknown for r in open_goals if r.unknown is not None]
    ways = list(with_limits(reasons))
    if {u.reason for u in reasons} & _HARD:
        ways.extend(_ways([r.goal for r in open_goals], outcome.families))
    return _sentence(ways, why or not outcome.tried)


def _sentence(ways: Sequence[str], why: bool) -> str | None:
    parts = [f"What may help: {'; '.join(ways)}"] if ways else []
    return ". ".join([*parts, *([] if why else [_MORE])]) or None


def _ways(goals: Sequence[Goal], families: bool) -> Iterator[str]:
    """What the text of the programs suggests."""
    c = any(_is_c(goal.concrete) for goal in goals)
    same = tuple(dict.fromkeys(name for goal in goals for name in _unrelated(goal)))
    if same and not c:
        named = ", ".join(f"`{name}`" for name in same[:_NAMED]) + (", …" if len(same) > _NAMED else "")
        yield f"a refinement block whose `relate` has the locals {named} beside the globals"
    arbitrary = tuple(dict.fromkeys(place for goal in goals for place in _choices(goal.abstract)))
    if arbitrary and not c:
        yield f"a value in place of an arbitrary one on the abstract side (line {_some(arbitrary)})"
    if c:
        yield "fewer loop iterations and smaller integer types in both files"
    elif not families and (endless := [v for goal in goals for v in _endless([goal.concrete])]):
        yield _finite(endless)
    if any(matches_environments(goal) for goal in goals) and not families:
        yield "`--whole`, which compares the programs as wholes, if no other threads run"


def _unrelated(goal: Goal) -> Iterator[str]:
    """Locals of one name and type on both sides that the relation does not speak of."""
    spoken = {unsided(v).name for v in iota_of(goal).free}
    sides = (variables_of(side, Kind.LOCAL) for side in (goal.concrete, goal.abstract))
    concrete, abstract = ({unsided(v).name: v.sort for v in side if not is_internal(v)} for side in sides)
    # A block names locals without their thread.
    yield from (off_thread(n) for n, sort in concrete.items() if abstract.get(n) == sort and n not in spoken)


def _choices(abstract: Automaton) -> Iterator[str]:
    """The lines of steps that choose a value."""
    for edge in abstract.edges:
        span = edge.origin.span
        if edge.choices and span is not None:
            yield str(position(span.source, span.start).line)


def what_may_help_claims(outcome: Verification, why: bool = True) -> str | None:
    """The same for claims of a program; None where every claim has an answer."""
    reasons = [f.unknown for f in outcome.findings if f.unknown is not None]
    if not reasons or (outcome.verdict is Verdict.REFUTED and {u.reason for u in reasons} == {Reason.WORK}):
        # The first thing to do is to mend what is refuted.
        return None
    ways = list(with_limits(reasons))
    c = outcome.program.source.name.endswith((".c", ".i"))
    endless = _endless((*outcome.program.threads, *(f.thread for f in outcome.program.families)))
    places = dict.fromkeys(line for f in outcome.findings if (line := _line_of(f)) is not None)
    if places:
        ways.append(f"an `assert` of what holds at line {_some(list(places))}, which is then used for the others")
    if c:
        ways.extend(_of_c(outcome, not places))
    else:
        if endless and not outcome.program.families:
            ways.append(_finite(endless))
        if not places:
            ways.append("an `invariant` that says what holds where the threads disturb each other")
    return _sentence(ways, why or not outcome.tried)


def _of_c(outcome: Verification, anywhere: bool) -> Iterator[str]:
    """What may help with a program in C: only what it has can be made smaller; an assertion `anywhere`."""
    threads = (*outcome.program.threads, *(f.thread for f in outcome.program.families))
    if anywhere and (len(threads) > 1 or outcome.program.families):
        yield "an `assert` of what holds where the threads disturb each other, which is then used for the others"
    found = {"fewer loop iterations": any(map(_loops, threads)), "smaller arrays": any(map(_has_arrays, threads))}
    if smaller := [what for what, there in found.items() if there]:
        yield f"{' and '.join(smaller)}, to see whether something is wrong at all"


def _loops(thread: Automaton) -> bool:
    """Whether a thread may come to a location again."""
    following = dict[str, set[str]]()
    for edge in thread.edges:
        following.setdefault(edge.source, set()).add(edge.target)
    try:
        TopologicalSorter(following).prepare()
    except CycleError:
        return True
    return False


def _has_arrays(thread: Automaton) -> bool:
    """Whether a thread uses an array, of which each element may be a variable."""
    shown = (v.shown.name if v.shown is not None else "" for v in thread.variables)
    return any("[" in name for name in shown) or any(isinstance(v.var.sort, ArraySort) for v in thread.variables)


def _line_of(finding: Finding) -> str | None:
    """The line at which a claim may fail for what is known, where others may disturb it."""
    left = finding.left
    span = None if left is None or not left.disturbed or left.origin is None else left.origin.span
    return (
        None if span is None or finding.verdict is not Verdict.UNKNOWN else str(position(span.source, span.start).line)
    )


def what_may_help_steps(steps: Sequence[StepResult], why: bool = True) -> str | None:
    """The same for steps of a proof that have no answer."""
    open_goals = [r for s in steps for r in s.results if r.verdict is Verdict.UNKNOWN]
    reasons = [u for u in (*(s.unknown for s in steps), *(r.unknown for r in open_goals)) if u is not None]
    ways = list(with_limits(reasons))
    ways.extend(_ways([r.goal for r in open_goals], families=False))
    shown = [s for s in steps if isinstance(s.step.claim, Preserves)]
    if any(leaf.verdict is Verdict.UNKNOWN for s in shown for leaf in s.leaves):
        ways.append("`preserves` with a formula that says more, from which this one follows")
    return _sentence(ways, why or not any(s.tried for s in steps))


def _endless(automata: Iterable[Automaton]) -> Sequence[Var]:
    """Variables with infinitely many values."""
    variables = (v for t in automata for v in t.variables if v.kind is not Kind.PARAM and count_of(v) is None)
    return list(dict.fromkeys(v.var for v in variables if not is_internal(v.var)))


def _finite(endless: Iterable[Var]) -> str:
    """What makes the values of variables finitely many."""
    named = dict.fromkeys((f"`{bare(v)}`", isinstance(v.sort, ArraySort)) for v in endless)
    numbers, arrays = ([name for name, is_array in named if is_array is wanted] for wanted in (False, True))
    parts = [f"ranges for {_some(numbers)}"] if numbers else []
    parts += [f"a size and a range for {_some(arrays)}, as in `0..9[4]`"] if arrays else []
    return f"{' and '.join(parts)}, so that all states can be listed"


def _is_c(automaton: Automaton) -> bool:
    spans = (edge.origin.span for edge in automaton.edges)
    return any(span is not None and span.source.name.endswith((".c", ".i")) for span in spans)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names if len(names) <= _NAMED else [*names[:_NAMED], "…"])
