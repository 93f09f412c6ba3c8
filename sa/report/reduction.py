"""How a program was reduced, thread by thread: locks held, how steps move, and why blocks end where they do."""

from __future__ import annotations

from collections.abc import Iterator

from sa.automata.automaton import Automaton
from sa.certificates.reduced import Phase
from sa.report.document import Column, Fit, Paragraph, Row, Section, Table, Tone, Words
from sa.transform.facts import simplified
from sa.transform.locks import held, locks_of
from sa.transform.movers import Mover
from sa.transform.reduce import Reduction

_INSIDE = {Phase.BEFORE: "inside, before the commit", Phase.AFTER: "inside, after the commit"}
_KEY = "R moves right over the steps of other threads, L left, B both, N neither"


def reduction_sections(made: Reduction) -> Iterator[Section]:
    """A table for each thread, under a line that says what became of it."""
    for number, thread in enumerate(made.threads):
        steps, blocks = len(thread.edges), len(made.composed[number].edges)
        head = f"{thread.name}: {steps} steps, {blocks} as blocks ({_KEY})"
        rows = tuple(_row(made, number, thread, q.name) for q in thread.locations if q.name in made.cuts[number].phases)
        table = Table((Column(), Column(), Column(), Column(Fit.REST)), rows, indent=4)
        yield (Paragraph(head), table)


def _row(made: Reduction, number: int, thread: Automaton, place: str) -> Row:
    if simplified(tuple(made.facts.true[number].get(place, ()))) is None:
        return Row((Words(place, Tone.PLACE), Words(""), Words(""), Words("never reached", Tone.FAINT)))
    locks = held(made.facts, locks_of(made.facts.threads), (number, place))
    steps = [
        f"→ {edge.target} {_moves(made, number, k)}" for k, edge in enumerate(thread.edges) if edge.source == place
    ]
    cuts = made.cuts[number]
    why = cuts.why.get(place)
    said = _INSIDE[cuts.phases[place]] if why is None else f"cut: {why.value}"
    names = ", ".join(v.name for v in locks)
    cells = (Words(place, Tone.PLACE), Words(names and f"holds {names}"), Words("; ".join(steps)))
    return Row((*cells, Words(said, Tone.FAINT)))


def _moves(made: Reduction, number: int, edge: int) -> str:
    """How a step moves; what is in the way of one that does not move."""
    kind = made.movers.kinds[number, edge]
    if kind is not Mover.NONE:
        return str(kind.value)
    other, step = made.movers.right[number, edge]
    there = made.threads[other].edges[step]
    return f"N (because of {made.threads[other].name}, {there.source} → {there.target})"
