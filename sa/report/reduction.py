"""How a program was reduced, thread by thread: locks held, how steps move, and why blocks end where they do."""

from __future__ import annotations

from collections.abc import Iterator

from sa.automata.automaton import Automaton, location_of
from sa.base.source import position
from sa.certificates.reduced import Phase
from sa.report.document import Column, Fit, Paragraph, Row, Section, Table, Tone, Words
from sa.report.scene import named_by_user
from sa.transform.facts import simplified
from sa.transform.locks import held, locks_of
from sa.transform.movers import Mover
from sa.transform.reduce import Reduction

_INSIDE = {Phase.BEFORE: "inside, before the commit", Phase.AFTER: "inside, after the commit"}
#: So much of a statement is shown.
_WIDEST = 28
_KEY = "R moves right over the steps of other threads, L left, B both, N neither"


def reduction_sections(made: Reduction) -> Iterator[Section]:
    """A table for each thread, under a line that says what became of it."""
    for number, thread in enumerate(made.threads):
        steps, blocks = len(thread.edges), len(made.blocks[number].edges)
        head = f"{thread.name}: {steps} steps, {blocks} as blocks ({_KEY})"
        known = [q.name for q in thread.locations if q.name in made.cuts[number].phases]
        rows = tuple(_row(made, number, thread, place) for place in known)
        table = Table((Column(), Column(), Column(), Column(Fit.REST)), rows, indent=4)
        yield (Paragraph(head), table)


def _row(made: Reduction, number: int, thread: Automaton, place: str) -> Row:
    if simplified(tuple(made.facts.true[number].get(place, ()))) is None:
        return Row((_named(thread, place), Words(""), Words(""), Words("never reached", Tone.FAINT)))
    locks = held(made.facts, locks_of(made.facts.threads), (number, place))
    leaving = [k for k, edge in enumerate(thread.edges) if edge.source == place]
    ends = [thread.edges[k].target for k in leaving]
    # Where there is one way it leads to what stands below.
    told = ["" if len(set(ends)) == 1 else f"→ {_short(thread, end)} " for end in ends]
    steps = dict.fromkeys(f"{to}{_moves(made, number, k)}" for to, k in zip(told, leaving, strict=True))
    cuts = made.cuts[number]
    why = cuts.why.get(place)
    said = _INSIDE[cuts.phases[place]] if why is None else f"cut: {why.value}"
    shown = {v.var: v.shown.name for v in thread.variables if v.shown is not None}
    names = ", ".join(shown.get(v, v.name) for v in locks)
    cells = (_named(thread, place), Words(names and f"holds {names}"), Words("; ".join(steps)))
    return Row((*cells, Words(said, Tone.FAINT)))


def _named(thread: Automaton, place: str) -> Words:
    """A location by the name that the user gave it, or by its line and what stands there."""
    origin = location_of(thread, place).origin
    if named_by_user(place) or origin.span is None:
        return Words(place, Tone.PLACE)
    text = origin.text if len(origin.text) <= _WIDEST else f"{origin.text[: _WIDEST - 1]}…"
    return Words(f"{position(origin.span.source, origin.span.start).line}: {text}", Tone.PLACE)


def _short(thread: Automaton, place: str) -> str:
    """The same in two words."""
    span = None if named_by_user(place) else location_of(thread, place).origin.span
    return place if span is None else f"line {position(span.source, span.start).line}"


def _moves(made: Reduction, number: int, edge: int) -> str:
    """How a step moves; what is in the way of one that does not move."""
    kind = made.movers.kinds[number, edge]
    if kind is not Mover.NONE:
        return str(kind.value)
    other, step = made.movers.right[number, edge]
    thread = made.threads[other]
    return f"N (because of {thread.name}, {_short(thread, thread.edges[step].source)})"
