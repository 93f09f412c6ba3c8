"""What makes a reduction of threads as JSON: phases and facts. The composed threads are never written."""

from __future__ import annotations

from collections.abc import Sequence

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom
from sa.automata.rename import apart
from sa.certificates.reduced import Phase, ReducedThreads
from sa.certificates.scope import more, scope
from sa.certificates.shape import Entry, Json
from sa.terms.build import variable
from sa.terms.name import at_place
from sa.terms.smtlib import smtlib
from sa.terms.sort import BOOL
from sa.terms.term import Term


def phases_json(threads: Sequence[Automaton], phases: Sequence[Sequence[Phase]]) -> list[Json]:
    """The locations that are not cut, by thread."""
    return [
        {q.name: phase.value for q, phase in zip(t.locations, its, strict=True) if phase is not Phase.CUT}
        for t, its in zip(threads, phases, strict=True)
    ]


def reduced_threads_json(made: ReducedThreads, refinement: Json) -> Json:
    """A refinement that is shown of blocks, with what makes it one of the threads as they are written."""
    phases = phases_json(made.threads, made.phases)
    facts = [smtlib(f) for f in made.facts]
    return {"phases": phases, "facts": facts, "idle": [[*its] for its in made.idle], "refinement": refinement}


def read_reduced_threads(
    entry: Entry, threads: tuple[Automaton, ...], axioms: tuple[Axiom, ...]
) -> tuple[ReducedThreads, Entry]:
    """A reduction of the concrete threads of a refinement, and what is shown of their blocks. Raises Malformed."""
    listed, facts, idle, refinement = entry.fields("phases", "facts", "idle", "refinement")
    phases, known = read_phases_and_facts(listed, facts, threads, axioms)
    if len(idle.items()) != len(threads):
        raise idle.wrong("the program has more threads or less")
    left_out = (tuple(n.index(len(t.edges)) for n in its.items()) for its, t in zip(idle.items(), threads, strict=True))
    return ReducedThreads(threads, phases, known, tuple(left_out)), refinement


def read_phases_and_facts(
    listed: Entry, facts: Entry, threads: tuple[Automaton, ...], axioms: tuple[Axiom, ...]
) -> tuple[tuple[tuple[Phase, ...], ...], tuple[Term, ...]]:
    """Phases by thread and location, and facts. Raises Malformed."""
    return read_phases(listed, threads), read_facts(facts, threads, axioms)


def read_phases(entry: Entry, threads: Sequence[Automaton]) -> tuple[tuple[Phase, ...], ...]:
    """Phases by thread and location. Raises Malformed."""
    items = entry.items()
    if len(items) != len(threads):
        raise entry.wrong("the program has more threads or less")
    return tuple(_phases(item, t) for item, t in zip(items, threads, strict=True))


def read_facts(entry: Entry, threads: Sequence[Automaton], axioms: Sequence[Axiom]) -> tuple[Term, ...]:
    """Formulas about the threads' variables and locations. Raises Malformed."""
    names = scope((apart(t) for t in threads), (a.formula for a in axioms))
    names = more(names, (variable(at_place(t.name, q.name), BOOL) for t in threads for q in t.locations))
    return tuple(item.term(names) for item in entry.items())


def _phases(entry: Entry, thread: Automaton) -> tuple[Phase, ...]:
    said = {name: item.choice(Phase) for name, item in entry.entries()}
    unknown = said.keys() - {q.name for q in thread.locations}
    if unknown:
        raise entry.wrong(f"{thread.name} has no location {min(unknown)}")
    return tuple(said.get(q.name, Phase.CUT) for q in thread.locations)
