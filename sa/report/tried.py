"""What was tried of a claim that has no answer, how far that came, and what may help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sa.automata.automaton import Kind
from sa.automata.ranges import count_of
from sa.base.verdict import Reason
from sa.engines.verification import Finding, Tried, Verification, tried_about

#: Why an engine ended early, in few words.
_ENDED = {
    Reason.TIMEOUT: "out of time",
    Reason.MEMORY: "out of memory",
    Reason.INTERRUPTED: "interrupted",
    Reason.CRASHED: "died",
    Reason.UNSUPPORTED: "not supported",
}

#: So many variables are named at most.
_NAMED = 4


def tried_words(outcome: Verification) -> Iterator[str]:
    """A line for claims with the same history: the engines that were asked, and how far each came."""
    told = dict[str, list[Finding]]()
    for finding in outcome.findings:
        if finding.unknown is not None and (tried := tried_about(outcome, finding.claim)):
            told.setdefault("; ".join(map(_words, tried)), []).append(finding)
    for words, findings in told.items():
        about = "" if len(told) == 1 else f" for {', '.join(f.claim.name for f in findings)}"
        yield f"Tried{about}: {words}"


def _words(tried: Tried) -> str:
    counts = () if tried.last is None else tried.last.counts.items()
    far = [f"{number:,} {what}" for what, number in counts]
    if tried.ended is not None:
        far.append(_ENDED.get(tried.ended, tried.ended.value))
    return f"{tried.engine} {tried.seconds:.1f} s{' (' if far else ''}{', '.join(far)}{')' if far else ''}"


def what_may_help(outcome: Verification) -> str | None:
    """What a user can do where there is no answer; None where every claim has one."""
    if all(f.unknown is None for f in outcome.findings):
        return None
    ended = {t.ended for t in outcome.tried}
    ways = list[str]()
    if Reason.TIMEOUT in ended:
        ways.append("more time (`--timeout`)")
    if Reason.MEMORY in ended:
        ways.append("more memory (`--memory`)")
    if endless := _endless(outcome):
        ways.append(f"ranges for {', '.join(f'`{n}`' for n in endless)}, so that all states can be listed")
    ways.append("an `invariant` that says what holds where the threads disturb each other")
    return f"What may help: {'; '.join(ways)}"


def _endless(outcome: Verification) -> Sequence[str]:
    """Variables with infinitely many values, the first of them."""
    automata = (*outcome.program.threads, *(f.thread for f in outcome.program.families))
    variables = (v for t in automata for v in t.variables if v.kind is not Kind.PARAM and count_of(v) is None)
    names = list(dict.fromkeys(v.var.name for v in variables if "?" not in v.var.name))
    return names if len(names) <= _NAMED else [*names[:_NAMED], "…"]
