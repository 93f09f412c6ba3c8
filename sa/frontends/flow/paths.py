"""Paths of elementary steps: what has become of the variables on the way, as terms over the state before the step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from sa.automata.automaton import Kind, Label, Origin, Variable
from sa.base.diagnostic import InputError, error
from sa.base.source import Span
from sa.frontends.flow.cuts import Work
from sa.frontends.flow.graph import Begin, End, Live, Node, Range, Skip, Step, Stride
from sa.frontends.flow.orders import Fence, Lock, Synchronise
from sa.frontends.flow.values import OTHER, Values
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


class Touched(Struct, frozen=True):
    """An access of a plain cell, under a condition on the state before the step; of a column which `element`.

    One of a thread that is `early` (`flow.joins`) says nothing of the program.
    """

    cell: int
    writes: bool
    atomic: bool
    condition: Term
    element: Term | None = None
    early: bool = False
    line: int | None = None


class Quotient(Struct, frozen=True):
    """The quotient of two terms, which was `chosen`, and the condition that it is one."""

    dividend: Term
    divisor: Term
    chosen: Variable
    condition: Term


class Passed(Struct, frozen=True):
    """The statements of a path, the last one first."""

    span: Span
    before: Passed | None


def lines_of(passed: Passed | None, home: Span | None, later: Iterable[Span]) -> tuple[Span, ...]:
    """The statements of a path in their order, each one once; none if it has but one.

    What a `later` step finishes is not passed yet, unless the path is told by that statement, its `home`.
    """
    begun = {_begin(span) for span in later} - ({_begin(home)} if home is not None else set())
    while passed is not None and _begin(passed.span) in begun:
        passed = passed.before
    spans = list[Span]()
    while passed is not None:
        spans.append(passed.span)
        passed = passed.before
    found = dict[tuple[str, int], Span]()
    for span in reversed(spans):
        found.setdefault(_begin(span), span)
    return tuple(found.values()) if len(found) > 1 else ()


def _begin(span: Span) -> tuple[str, int]:
    return span.source.name, span.start


class Path(Struct, frozen=True):
    """A path so far: all terms are over the state before the step and the choices.

    Whether it `chose` a first value for something that was never written. There is always a quotient, so that one that
    nothing depends on says nothing.
    """

    node: Node
    store: Mapping[Var, Term] = field(default_factory=dict)
    guard: Term = build.TRUE
    choices: tuple[Variable, ...] = ()
    depth: int = 0
    label: Label | None = None
    seen: bool = False
    origin: Origin | None = None
    length: int = 0
    touched: tuple[Touched, ...] = ()
    chose: bool = False
    quotients: tuple[Quotient, ...] = ()
    passed: Passed | None = None


def passing(step: Step, path: Path) -> Passed | None:
    """The statements of a path with that of a step, which does something."""
    span = step.origin.span
    if span is None or isinstance(step.op, Skip | Begin | End | Lock | Live | Stride | Fence | Synchronise):
        return path.passed
    return path.passed if path.passed is not None and path.passed.span is span else Passed(span, path.passed)


def alone(path: Path, origin: Origin) -> None:
    """Raises InputError if a step is to show a second thing, for which it has no label."""
    if path.label is not None:
        message = "one step with several visible actions"
        raise InputError((error("SA722", message, origin.span, "end the atomic region between them"),))


def with_value(store: Mapping[Var, Term], var: Var, term: Term) -> Mapping[Var, Term]:
    """The values with another one of a variable."""
    return {**store, var: term}


def condition_of(path: Path, free: frozenset[Var]) -> Term:
    """When a path is taken, on which these variables depend: the guard, and what the quotients are that are needed."""
    found, free, rest = path.guard, free | path.guard.free, path.quotients
    while needed := [q for q in rest if q.chosen.var in free]:
        rest = tuple(q for q in rest if q not in needed)
        found = build.land(found, *(q.condition for q in needed))
        free |= found.free
    return found


def now(term: Term, path: Path, work: Work) -> Term:
    """A term over registers as one over the state before the step."""
    names: dict[Var, Term] = {}
    for v in term.free:
        if v in work.names.addresses:
            names[v] = work.names.addresses[v]
        elif (constant := _only(work.known.found.registers.get((work.thread.number, v)))) is not None:
            names[v] = constant
        else:
            var = work.names.registers[v]
            names[v] = path.store.get(var, var)
    return substitute(term, names)


def _only(values: Values | None) -> Term | None:
    """The one value that there is."""
    if values is None or len(values) != 1:
        return None
    value = next(iter(values))
    return None if value is OTHER else build.integer(value)


def choice_of(var: Var, range_: Range, origin: Origin, work: Work) -> Variable:
    """A new choice for a variable, within a range."""
    name = f"{var.name.lstrip('_') or 'v'}?{next(work.numbers)}"
    return Variable(build.variable(name, var.sort), Kind.LOCAL, range_.low, range_.high, origin)
