"""The programs of a script as certificates annotate them: threads made again, and what is said of them, checked.

Where environments are declared nothing is said: threads are as they are written. Where they are inferred, a certificate
says what was found, and every rule rests on that being true.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom, Program
from sa.automata.proof import Script
from sa.certificates.composition_json import read_weakened, weaker_json
from sa.certificates.shape import Entry, Json
from sa.certificates.threads import Annotated
from sa.certificates.threads_json import annotated_json, read_annotated
from sa.checker.composition import weaker
from sa.checker.obligation import Obligation
from sa.checker.question import closed, reflexive
from sa.checker.ruling import Rejected
from sa.checker.threads import annotation_fault, together
from sa.checker.written import implied, uncut
from sa.rules.annotated_programs import World, declares, infers, starting_together
from sa.terms import build


def world_json(world: World) -> Json | None:
    """What is said of the threads of a program; nothing where environments are declared."""
    if not world.inferred:
        return None
    threads = world.threads.values()
    return {
        "threads": [annotated_json(t) for t in threads],
        "invariants": {t.thread.name: weaker_json(t.automaton, world.goals[t.thread.name]) for t in threads},
    }


def read_worlds(entry: Entry, script: Script) -> Mapping[str, World]:
    """The programs of a script, annotated. Raises Malformed."""
    said = entry.fields(*script.programs)
    return {
        alias: _world(starting_together(program), part, script.axioms)
        for (alias, program), part in zip(script.programs.items(), said, strict=True)
    }


def _world(program: Program, entry: Entry, axioms: tuple[Axiom, ...]) -> World:
    threads = program.threads
    if not infers(program):
        if entry.value is not None:
            raise entry.wrong("the threads of this program are as they are written")
        written = declares(program)
        own = {t.name: Annotated(t, reflexive(_opened(t))[0] if written else closed(t)) for t in threads}
        return World(program, own, {name: t.automaton for name, t in own.items()}, inferred=False)
    listed, invariants = entry.fields("threads", "invariants")
    items = listed.items()
    if len(items) != len(threads):
        raise listed.wrong(f"annotations of {len(threads)} threads are expected")
    made = [read_annotated(item, t, axioms, threads) for item, t in zip(items, threads, strict=True)]
    weak = invariants.fields(*(t.name for t in threads))
    goals = {t.name: read_weakened(w, m.automaton, axioms) for t, m, w in zip(threads, made, weak, strict=True)}
    return World(program, {t.name: m for t, m in zip(threads, made, strict=True)}, goals, inferred=True)


def _opened(thread: Automaton) -> Automaton:
    """Where nothing is said of the environment it may do anything."""
    places = (replace(q, env=build.TRUE) if q.env is None else q for q in thread.locations)
    return replace(thread, locations=tuple(places))


def fault_of(world: World) -> Rejected | None:
    """What keeps annotations from being ones of the program."""
    program, made = world.program, tuple(world.threads.values())
    if declares(program) and any(all(q.env is None for q in t.locations) for t in program.threads):
        return Rejected("question", "some threads have a rely and others have none")
    found = (*(annotation_fault(t) for t in made), *(_ghost_fault(t) for t in made))
    return next((Rejected("well-formed threads", fault) for fault in found if fault is not None), None)


def _ghost_fault(made: Annotated) -> str | None:
    """Claims are about the variables that are written: what two programs share by name is equal on both sides."""
    extra = made.automaton.variables[len(made.thread.variables) :]
    return f"{made.thread.name}: it has no variable {extra[0].var.name}" if extra else None


def obligations(world: World) -> Iterator[Obligation]:
    """That what is said of the threads is true, and that what is written of them cuts no steps."""
    if not world.inferred:
        alone = not declares(world.program)
        yield from (o for t in world.threads.values() for o in uncut(t.automaton, alone))
        return
    made = tuple(world.threads.values())
    yield from together(made)
    yield from implied(made)
    for annotated in made:
        yield from weaker(annotated.automaton, world.goals[annotated.thread.name])
