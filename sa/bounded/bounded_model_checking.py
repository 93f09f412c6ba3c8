"""Bounded model checking (`bmc`): runs within bounds that grow, or within given ones. Not to find one proves nothing.

Where no run was left out, all states are asked: these are evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.family import copies
from sa.base.budget import Budget, Report
from sa.base.diagnostic import InputError
from sa.base.limits import LimitReached, Unsupported, spend
from sa.bounded.schedule import faults
from sa.bounded.search import Coverage, Reached, task
from sa.bounded.stages import Before, in_stages
from sa.bounded.swarm import in_parts
from sa.bounded.wanted import Wanted
from sa.certificates.families import CrowdRun, bads_of_copies
from sa.certificates.run import Bad, Run
from sa.explicit.deciders import by_all_states
from sa.explicit.evidence import run_into
from sa.explicit.instantiate import FEW
from sa.explicit.search import Effort, search
from sa.explicit.system import System, system
from sa.question.asked import Asked, Excluded, Note, Refuted
from sa.terms.build import TRUE

#: Stages with copies of families, and how many copies of each.
COPIED = ((2, (1, 2, 3)), (1, (6,)), (3, (1, 2, 3, 4)))
LARGEST = 6


def by_rounds(wanted: Wanted, asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded | Refuted | Note]:
    """Runs into what is bad, and what was covered where none was found; all states, where all runs were covered.

    Raises LimitReached, and InputError for a schedule with threads that are not there.
    """
    if asked.families:
        yield from _with_copies(wanted, asked, budget, report)
        return
    left, covered = list(asked.bads), None
    before = asked.shared.once((Before, asked.threads, asked.bads), Before)
    try:
        for found in _searched(wanted, asked.threads, asked.bads, budget, report, before):
            if isinstance(found, Coverage):
                covered = found
                continue
            bad = asked.bads[found.question]
            left.remove(bad)
            yield Refuted(bad, found.run, _words(found))
        if left and not wanted.by_the_way and (covered is None or covered.complete):
            # That all runs were covered, or that nothing of the kind can happen, is no evidence for the checker; that
            # these are all states is.
            for settled in by_all_states(replace(asked, bads=tuple(left)), budget, report):
                left = [bad for bad in left if bad not in settled.bads]
                yield settled
    except LimitReached as problem:
        if covered is not None:
            yield Note(in_words(covered))
        elif isinstance(problem, Unsupported) and wanted.stages is None:
            yield Note(f"`bmc` does not handle {problem.what}")
        raise
    if covered is not None and left:
        yield Note(in_words(covered))


def by_ending_states(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded | Refuted]:
    """All states of threads whose loops all end: there are finitely many. Raises LimitReached."""
    before = asked.shared.once((Before, asked.threads, asked.bads), Before)
    unwound = task(system(asked.threads, asked.bads), 1, exactly=False, memory=before.memory)
    if not any(dag.open_loops for dag in unwound.dags):
        yield from by_all_states(asked, budget, report)


def _with_copies(wanted: Wanted, asked: Asked, budget: Budget, report: Report) -> Iterator[Refuted | Note]:
    """The same with 1, 2, … copies of each family. That there is no run with so many says nothing of more."""
    left, said = list(asked.bads), list[Note]()
    try:
        for stages, number in ((stages, n) for stages, numbers in COPIED for n in numbers):
            counts = tuple(number for _ in asked.families)
            threads = (*asked.threads, *copies(asked.families, counts))
            ones = [(bad, one) for bad in left for one in bads_of_copies(bad, asked.families, counts)]
            if wanted.schedule and number < LARGEST and faults(wanted.schedule, system(threads, ())):
                # It may name copies that there are not yet.
                continue
            copied = f"with {_number(number, 'copy', 'copies')} of each family"
            copied_wanted = replace(wanted, stages=stages)
            for found in _searched(copied_wanted, threads, tuple(one for _, one in ones), budget, report, Before()):
                if isinstance(found, Coverage):
                    said.append(Note(f"{copied}: {in_words(found)}"))
                elif (bad := ones[found.question][0]) in left:
                    left.remove(bad)
                    yield Refuted(bad, CrowdRun(counts, found.run), f"{_words(found)} {copied}")
    except LimitReached:
        yield from said[-1:]
        raise
    yield from said[-1:] if left else ()


def reached(wanted: Wanted, threads: tuple[Automaton, ...], bad: Bad, budget: Budget, report: Report) -> Run | None:
    """A run into what is bad. Raises LimitReached."""
    found = _searched(wanted, threads, (bad,), budget, report, Before())
    return next((one.run for one in found if isinstance(one, Reached)), None)


def find_run(
    threads: tuple[Automaton, ...], bad: Bad, budget: Budget, report: Report, states: int, wanted: Wanted | None
) -> Run | None:
    """A run of the threads by themselves into what is bad: among so many states with few values, else within bounds.

    Axioms would be of no use: what depends on functions without a body cannot be evaluated, and is no run. Raises
    LimitReached.
    """
    spend(budget.bounds, 200)
    s = system(threads, (bad,))
    if not _is_possible(s, 0):
        return None
    if states > 0:
        effort = Effort(states, FEW, reduced=False, inexact=states)
        found = search(s, effort, budget.bounds, report)
        if found.bad or found.complete:
            return run_into(found, 0) if found.bad else None
    try:
        return None if wanted is None else reached(wanted, threads, bad, budget, report)
    except Unsupported:
        return None


def _words(found: Reached) -> str:
    return f"a run of {_number(len(found.run.turns), 'step')} in {_number(found.rounds, 'round')}"


#: A way to go through the stages: what it finds and covers, for so many of the first ones and for open questions.
Search: TypeAlias = Callable[[System, Wanted, Budget, set[int], Report], Iterator[Reached | Coverage]]


def _searched(
    wanted: Wanted,
    threads: tuple[Automaton, ...],
    bads: tuple[Bad, ...],
    budget: Budget,
    report: Report,
    before: Before,
) -> Iterator[Reached | Coverage]:
    """What the stages find, and at the end what they covered, if something is still open.

    Raises LimitReached, and InputError for a schedule with threads or lines that are not there.
    """
    s = system(threads, bads)
    if wrong := faults(wanted.schedule, s):
        raise InputError(wrong)
    open_ = {q for q in range(len(bads)) if _is_possible(s, q)}
    if s.partial and not open_:
        raise Unsupported("claims that depend on functions without a body")
    covered: Coverage | None = None
    search: Search = partial(in_stages, before=before)
    if wanted.jobs > 1 and not wanted.schedule:
        search = in_parts
    try:
        for found in search(s, wanted, budget, set(open_), report):
            if isinstance(found, Coverage):
                covered = found
            elif found.question in open_:
                open_.remove(found.question)
                yield found
            if not open_:
                return
    except LimitReached:
        if covered is not None:
            yield covered
        raise
    if covered is not None:
        yield covered


def _is_possible(s: System, question: int) -> bool:
    claim = s.claims[question]
    return (claim is not None and claim is not TRUE) or any(
        question in act.bads for acts in s.acts for here in acts for act in here
    )


def in_words(covered: Coverage) -> str:
    """What was covered, for a user."""
    if covered.complete:
        rounds = _number(covered.rounds - 1, "round")
        found = f"all runs were covered, in {rounds}, without a violation of the UNKNOWN claims"
        return f"{found}; this is not a proof that the checker accepts"
    rounds = _number(covered.rounds, "round")
    said = [
        f"no violation of the UNKNOWN claims within {f'this schedule of {rounds}' if covered.scheduled else rounds}"
    ]
    if covered.loops:
        said[0] += f", {_number(covered.unwind, 'unwinding')} of each loop"
        said.append(f"{covered.closed} of {_number(covered.loops, 'loop')} fully unrolled")
    if covered.width is not None:
        choices = " and choices" if covered.narrow else ""
        said.append(f"numbers of unknown size{choices} up to {2**covered.width - 1}")
    if covered.partial:
        said.append("without steps that depend on functions without a body")
    return "; ".join(said)


def _number(count: int, noun: str, nouns: str | None = None) -> str:
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"
