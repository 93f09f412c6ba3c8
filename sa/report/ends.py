"""Why something comes to an end, and why a cycle can be repeated, in the user's variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

from sa.automata.automaton import Automaton, Edge
from sa.base.source import position
from sa.certificates.ends import (
    Elimination,
    Finite,
    Helped,
    Lasso,
    Lowered,
    Part,
    Ranked,
    Resting,
    Round,
    Settled,
    Stage,
    Unanswered,
    Unjust,
)
from sa.engines.verification import Finding
from sa.terms import build
from sa.terms.printer import show
from sa.terms.substitute import called, substitute
from sa.terms.term import Term, Var

#: A formula with a longer text is not told.
_WIDTH = 160


def reasons_told(finding: Finding) -> tuple[str, ...]:
    """What the evidence about infinite runs says; nothing of other claims."""
    match finding.ended:
        case Ranked(threads, _, reason):
            return tuple(dict.fromkeys(_reason(threads, reason)))
        case Lasso(_, again) as lasso:
            return tuple(_again(lasso, again))
        case Finite() | None:
            return ()


def _again(lasso: Lasso, again: Term) -> Iterator[str]:
    if lasso.run.cycle is None:
        yield "no thread can take a step"
        return
    # What a front end has made up says nothing to a user.
    internal = frozenset(v for v in again.free if v.name.base.startswith("__"))
    shown = build.land(*(f for f in build.conjuncts(again) if f.free.isdisjoint(internal)))
    said = show(_plain(shown)) if shown is not build.TRUE else ""
    if said and len(said) <= _WIDTH:
        yield f"it can be repeated for ever: `{said}` holds each time"


def _reason(threads: Sequence[Automaton], reason: Part | tuple[Elimination, ...]) -> Iterator[str]:
    if isinstance(reason, Part):
        for stage in reason.stages:
            yield from _stage(threads, reason, stage)
    else:
        for made in reason:
            if isinstance(made, Unanswered):
                yield "while it is open, a fair scheduler lets some thread step that brings it nearer"
            else:
                yield from _round(threads[made.thread], made)


def _round(thread: Automaton, made: Settled | Round | Unjust) -> Iterator[str]:
    match made:
        case Round():
            ranks = dict(zip((thread.locations[n].name for n in made.locations), made.ranks, strict=True))
            for edge in (thread.edges[n] for n in made.strict):
                if (rank := _simple(ranks[edge.source])) is not None:
                    yield f"each round through {_place(thread, edge)} lowers `{rank}`"
        case Unjust():
            for edge in (thread.edges[n] for n in made.strict):
                yield f"{_place(thread, edge)} is not repeated for ever: a fair scheduler lets another thread step"
        case Settled():
            pass


def _stage(threads: Sequence[Automaton], part: Part, stage: Stage) -> Iterator[str]:
    match stage:
        case Lowered(points, ranks, strict, then):
            known = dict(zip(points, ranks, strict=True))
            for source, thread, edge, _ in strict:
                if (rank := _simple(known[source])) is not None:
                    yield f"each round through {_place(threads[thread], threads[thread].edges[edge])} lowers `{rank}`"
            for inner in then:
                yield from _stage(threads, part, inner)
        case Helped(points, number):
            places = (part.points[p].places[part.threads.index(number)] for p in points)
            leaving = [e for q in places for e in threads[number].edges if e.source == q]
            where = _place(threads[number], leaving[0]) if leaving else threads[number].name
            yield f"nobody waits for ever: a fair scheduler lets `{threads[number].name}` step at {where}"
        case Resting():
            pass


def _place(thread: Automaton, edge: Edge) -> str:
    span = edge.origin.span
    return f"`{thread.name}`" if span is None else f"line {position(span.source, span.start).line}"


def _simple(rank: Term) -> str | None:
    """A rank without its offset and common factors; None where it is a number."""
    _, parts = build.linear_parts(rank)
    if not parts:
        return None
    common = gcd(*parts.values())
    return show(_plain(build.linear(0, {t: c // common for t, c in parts.items()})))


def _plain(term: Term) -> Term:
    """The term with locals by their own names, where these tell them apart."""
    names = {v: v.name.base if v.name.position is None else f"{v.name.base}[{v.name.position}]" for v in term.free}
    plain: dict[Var, Term] = {
        v: called(v, name) for v, name in names.items() if v.name.thread and list(names.values()).count(name) == 1
    }
    return substitute(term, plain)
