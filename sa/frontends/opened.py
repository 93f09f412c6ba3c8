"""An open program: its threads beside an environment that does, at any time, what every declared rely allows.

A step that changes nothing that a rely mentions keeps to it.

The environment is a thread of its own with one location and one step. What a thread relies on is claimed of the steps
of all other threads, too: they are part of its environment.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location, Origin, Variable, variables_of
from sa.automata.program import Guarantee, Program
from sa.automata.ranges import canonical, within
from sa.base.diagnostic import InputError, error
from sa.base.source import Span
from sa.terms import build
from sa.terms.name import chosen
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


def opened(program: Program) -> Program:
    """The program with its environment as a thread, and with what threads rely on as guarantees of the others.

    Raises InputError where no thread declares a rely, or where one declares different ones for its locations; and where
    something is claimed of infinite runs.
    """
    if program.ends:
        hint = "leave out `--open`, or these claims"
        message = "whether something comes to an end is decided of closed programs: an environment may go on for ever"
        raise InputError((error("SA920", message, program.ends[0].origin.span, hint),))
    relied = {t.name: _at_rest(t, rely) for t in program.threads if (rely := _rely(t)) is not None}
    if not relied:
        hint = "write `rely R;` in a thread, or leave out `--open`"
        where = Span(program.source, 0, 0)
        raise InputError((error("SA918", "no thread of this program declares a rely", where, hint),))
    globals_ = tuple(v for v in program.variables if v.kind is Kind.GLOBAL)
    everything = tuple(v for v in program.variables if v.kind is not Kind.LOCAL)
    environment = _environment(program, build.land(*relied.values()), everything, globals_)
    threads = tuple(_without_rely(t) for t in program.threads)
    kept = tuple(g for t in program.threads if t.name in relied for g in _kept_by_others(t, relied[t.name], program))
    return replace(program, threads=(*threads, environment), guarantees=(*program.guarantees, *kept), open=True)


def _rely(thread: Automaton) -> Term | None:
    """What a thread relies on, wherever it is; None where it declares nothing."""
    found = dict.fromkeys(q.env for q in thread.locations)
    if len(found) > 1:
        where, hint = thread.origin.span, "write one `rely` for the whole thread"
        message = f"`{thread.name}` relies on different things at different locations"
        raise InputError((error("SA918", message, where, hint),))
    return next(iter(found), None)


def _mentioned(thread: Automaton, rely: Term) -> tuple[Var, ...]:
    """The globals that a rely speaks of; all where it speaks of none."""
    shared = variables_of(thread, Kind.GLOBAL)
    return tuple(v for v in shared if not rely.free.isdisjoint((v, primed(v)))) or shared


def _at_rest(thread: Automaton, rely: Term) -> Term:
    """The rely, which what changes nothing that it mentions always keeps."""
    told = _mentioned(thread, rely)
    if substitute(rely, {primed(v): v for v in told}) is build.TRUE:
        return rely
    return build.lor(rely, build.land(*(build.eq(primed(v), v) for v in told)))


def _without_rely(thread: Automaton) -> Automaton:
    return replace(thread, locations=tuple(replace(q, env=None) for q in thread.locations))


def _environment(
    program: Program, relation: Term, variables: tuple[Variable, ...], shared: tuple[Variable, ...]
) -> Automaton:
    parts = build.conjuncts(relation)
    still = {v.var for v in shared if v.internal or any(p is build.eq(primed(v.var), v.var) for p in parts)}
    changing = [v for v in shared if v.var not in still]
    choices = tuple(
        replace(v, var=build.variable(chosen(v.var.name, n), v.var.sort), kind=Kind.LOCAL, ghost=False, sequence=False)
        for n, v in enumerate(changing, 1)
    )
    after: dict[Var, Term] = {primed(v): v for v in still}
    after |= {primed(v.var): c.var for v, c in zip(changing, choices, strict=True)}
    begun = {v.var: c.var for v, c in zip(changing, choices, strict=True)}
    whole = substitute(canonical(variables), begun)
    guard = build.land(substitute(relation, after), *(within(c) for c in choices), whole)
    why = Origin(None, "a step of the environment")
    updates = tuple((v.var, c.var) for v, c in zip(changing, choices, strict=True))
    name, number = "environment", 1
    while name in {t.name for t in program.threads}:
        number += 1
        name = f"environment_{number}"
    bounds = build.land(*(within(v) for v in variables), canonical(variables))
    steps = (Edge("open", "open", None, guard, updates, choices, why),) if updates else ()
    init = build.land(program.init, bounds)
    return Automaton(name, variables, (Location("open", bounds, None, why),), "open", init, steps, why)


def _kept_by_others(thread: Automaton, relation: Term, program: Program) -> Iterator[Guarantee]:
    """What others must keep to."""
    told = _mentioned(thread, relation)
    span = next((q.origin.span for q in thread.locations), None)
    why = Origin(thread.origin.span or span, f"what {thread.name} relies on")
    for other in (*program.threads, *(f.thread for f in program.families)):
        writes = {v for e in other.edges for v, _ in e.updates}
        if other.name != thread.name and not writes.isdisjoint(told):
            yield Guarantee(other.name, relation, why)
