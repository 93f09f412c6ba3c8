"""Cooperative programs: one thread runs at a time, and a scheduler, which is data, says which.

Such a program stands for one in which the scheduler is written out, so everybody who reads programs reads these. For a
scheduler `s` these are declared: `s_running`, the number of the thread that runs, or the number of threads where none
does; the variables and macros of the scheduler as `s_name`; and an automaton `s` that takes the scheduler's own steps
while no thread runs. A thread begins by waiting until it may run. What it asks of the scheduler is the scheduler's
answer, as one step; if the answer suspends it, a step behind it waits until the thread is resumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Variable
from sa.automata.scheduler import Scheduler
from sa.base.diagnostic import Diagnostic, error
from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.declarations import Declared
from sa.language.elaborate.expressions import boolean
from sa.language.elaborate.requests import with_requests
from sa.language.elaborate.rewriting import rewritten, with_names
from sa.language.elaborate.schedulers import Made, conjunction, plus, runs, scheduler_of
from sa.language.syntax.node import Node
from sa.terms.name import named


def scheduler_used(module: syntax.Module) -> syntax.Identifier | None:
    """The name of the scheduler under which the threads of a file run one at a time."""
    return next((d.name for d in module.declarations if isinstance(d, syntax.UsesScheduler)), None)


def resolved(
    used: syntax.Identifier,
    written: syntax.Module,
    declared: Declared,
    variables: Sequence[Variable],
    threads: Sequence[Automaton],
) -> Scheduler | None:
    """What runs are told of the scheduler of a program that is written out; None where its text has errors.

    Those are known by now. Its own automaton is the last one.
    """
    steps = any(isinstance(d, syntax.AutomatonDeclaration) for d in written.declarations)
    name, context = used.name, replace(declared.context, problems=[])
    running = next((v.var for v in variables if v.var.name == named(f"{name}_running")), None)
    own = tuple(t.name for t in threads)[: len(threads) - steps]
    asked = (syntax.Apply(f"{name}_ready", (syntax.Integer(n, used.span),), used.span) for n in range(len(own)))
    ready = tuple(term for a in asked if (term := boolean(a, context)) is not None)
    if running is None or len(ready) != len(own):
        return None
    return Scheduler(name, steps, running, own, ready)


def written_out(module: syntax.Module, problems: list[Diagnostic]) -> syntax.Module:
    """A file with its scheduler written out; files that are not cooperative stay as they are."""
    used = [d for d in module.declarations if isinstance(d, syntax.UsesScheduler)]
    if not used:
        _needs_scheduler(module, problems)
        return module
    for other in used[1:]:
        problems.append(error("SA327", "a file has one scheduler", other.span, "leave this one out"))
    scheduler = scheduler_of(module, used[0].name, problems)
    if scheduler is None:
        return module
    if all(d.name.name != "ready" for d in scheduler.definitions):
        hint = "define it: `define ready(t) = …;` says whether the thread `t` may be resumed"
        problems.append(
            error("SA329", f"the scheduler `{scheduler.name.name}` resumes nobody", scheduler.name.span, hint)
        )
        return module
    made = _made(module, scheduler, problems)
    declarations = [with_requests(d, made) for d in module.declarations if not isinstance(d, _OURS)]
    return replace(module, declarations=(*declarations, *_declared(module, made)))


_OURS = (syntax.UsesScheduler, syntax.Events, syntax.Scheduler)


def _needs_scheduler(module: syntax.Module, problems: list[Diagnostic]) -> None:
    first = next((d for d in module.declarations if isinstance(d, syntax.Events)), None)
    if first is not None:
        hint = "say which one the threads have: `cooperative;` or `scheduler systemc;`"
        problems.append(error("SA327", "events belong to a scheduler", first.span, hint))


# ---------------------------------------------------------------- what is declared


def _made(module: syntax.Module, scheduler: syntax.Scheduler, problems: list[Diagnostic]) -> Made:
    threads = [d for d in module.declarations if isinstance(d, syntax.Thread)]
    events = [e for d in module.declarations if isinstance(d, syntax.Events) for e in d.events]
    prefix, at = scheduler.name.name, scheduler.name.span
    owned = [n.name for g in scheduler.state for n in g.names] + [d.name.name for d in scheduler.definitions]
    names = (*owned, "THREADS", "EVENTS", "LONGEST")
    meanings: dict[str, syntax.Expression] = {n: syntax.Name(f"{prefix}_{n}", 0, at) for n in names}
    numbers = dict[str, tuple[syntax.Thread, syntax.Expression]]()
    before: syntax.Expression = syntax.Integer(0, at)
    for thread in threads:
        numbers[thread.name.name] = thread, before
        before = plus(before, _size_of(thread))
        if isinstance(thread.family, syntax.AnyNumber):
            hint = "give the family a range of indices: `thread T[i : 1..3]`"
            problems.append(error("SA327", "a scheduler knows how many threads it has", thread.family.span, hint))
    for other in module.declarations:
        if isinstance(other, syntax.AutomatonDeclaration):
            hint = "write it as a `thread`"
            problems.append(error("SA327", "an automaton is not a cooperative thread", other.name.span, hint))
    asking = _asking([d for d in module.declarations if isinstance(d, syntax.Procedure)])
    return Made(scheduler, meanings, {e.name.name: e for e in events}, numbers, asking, problems)


def _size_of(thread: syntax.Thread) -> syntax.Expression:
    family = thread.family
    if not isinstance(family, syntax.Family):
        return syntax.Integer(1, thread.name.span)
    one = syntax.Integer(1, family.span)
    return syntax.Chain((family.high, family.low, one), ("-", "+"), family.span)


def _asking(procedures: Iterable[syntax.Procedure]) -> frozenset[str]:
    """The procedures that ask something of the scheduler, themselves or by a call."""
    found, bodies = frozenset[str](), {p.name.name: p.body for p in procedures}
    while more := {n for n, b in bodies.items() if n not in found and _asks(b, found)}:
        found |= more
    return found


def _asks(node: Node, asking: frozenset[str]) -> bool:
    seen = list[Node]()

    def look(part: Node) -> None:
        if isinstance(part, syntax.Request | syntax.Join) or (
            isinstance(part, syntax.Call | syntax.Apply) and part.name in asking
        ):
            seen.append(part)

    rewritten(node, look)
    return bool(seen)


def _declared(module: syntax.Module, made: Made) -> Iterator[syntax.Declaration]:
    scheduler, at = made.scheduler, made.scheduler.name.span
    zero, threads = syntax.Integer(0, at), list(made.numbers.values())
    last = threads[-1] if threads else None
    several = zero if last is None else plus(last[1], _size_of(last[0]))
    number: syntax.Expression = zero
    for event in made.events.values():
        yield syntax.Const(event.name, None, number, event.span)
        number = plus(number, event.size or syntax.Integer(1, event.span))
    # An array has at least one element.
    none = syntax.Compare("==", number, zero, at)
    yield _const(made, "THREADS", several)
    yield _const(made, "EVENTS", syntax.Conditional(none, syntax.Integer(1, at), number, at))
    yield _const(made, "LONGEST", _longest(module, at))
    nobody = made.meanings["THREADS"]
    running = syntax.Identifier(made.name("running"), at)
    yield syntax.Global((running,), syntax.RangeType(zero, nobody, at), nobody, False, at)
    for variable in scheduler.state:
        names = tuple(syntax.Identifier(made.name(n.name), n.span) for n in variable.names)
        yield replace(with_names(variable, made.meanings), names=names)
    for macro in scheduler.definitions:
        meanings = {n: m for n, m in made.meanings.items() if all(p.name != n for p in macro.parameters)}
        name = syntax.Identifier(made.name(macro.name.name), macro.name.span)
        yield replace(with_names(macro, meanings), name=name)
    if scheduler.steps:
        yield _automaton(made)


def _const(made: Made, name: str, value: syntax.Expression) -> syntax.Const:
    return syntax.Const(syntax.Identifier(made.name(name), made.scheduler.name.span), None, value, value.span)


def _longest(module: syntax.Module, at: Span) -> syntax.Expression:
    """The greatest delay in a file."""
    longest: syntax.Expression = syntax.Integer(0, at)
    delays = list[syntax.Expression]()

    def look(part: Node) -> None:
        if isinstance(part, syntax.Request) and part.delay is not None:
            delays.append(part.delay)

    for declaration in module.declarations:
        rewritten(declaration, look)
    for delay in delays:
        longer = syntax.Compare("<", longest, delay, delay.span)
        longest = syntax.Conditional(longer, delay, longest, delay.span)
    return longest


def _automaton(made: Made) -> syntax.AutomatonDeclaration:
    at = made.scheduler.name.span
    place = syntax.Identifier("deciding", at)
    edges = tuple(
        syntax.EdgeDeclaration(
            place,
            place,
            None,
            conjunction(runs(made, made.meanings["THREADS"], step.span), with_names(step.condition, made.meanings)),
            False,
            None if step.body is None else with_names(step.body, made.meanings),
            Span(step.span.source, step.span.start, step.condition.span.end),
        )
        for step in made.scheduler.steps
    )
    items: tuple[syntax.AutomatonItem, ...] = (syntax.LocationDeclaration(place, True, (), (), at), *edges)
    return syntax.AutomatonDeclaration(made.scheduler.name, None, items, at)
