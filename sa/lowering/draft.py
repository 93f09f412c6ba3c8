"""An automaton while it is being made: numbered places that become named locations at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import (
    EXIT,
    FAIL,
    THREAD_ENDS,
    Automaton,
    Edge,
    Failure,
    Label,
    Location,
    Origin,
    Variable,
)
from sa.automata.ranges import canonical, within
from sa.base.diagnostic import Diagnostic, error
from sa.base.source import Span, span_text
from sa.lowering.depth import MAX_DEPTH, too_deep_term
from sa.lowering.paths import Failing, Path
from sa.terms import build
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: The places behind a failure, at the end of the thread, and behind its `exit`.
FAILED, END, EXITED = -1, -2, -3

_LONGEST_TEXT = 160


class Joint(Struct, frozen=True):
    """An edge between two places."""

    source: int
    target: int
    label: Label | None
    guard: Term
    updates: tuple[tuple[Var, Term], ...]
    choices: tuple[Variable, ...]
    origin: Origin
    failure: Failure | None = None


class Draft(Struct):
    """The parts of an automaton so far.

    `problems` collects errors. `order` has the places in the order of the program, `names` those that the user named,
    `same` leads from places that no step separates from others to those others. `taken` are names of shared variables,
    `several` those that stand for more than one local.
    """

    problems: list[Diagnostic]
    holder: Term
    locals: dict[str, Variable] = field(default_factory=dict)
    joints: list[Joint] = field(default_factory=list)
    order: dict[int, Origin] = field(default_factory=dict)
    names: dict[int, Origin] = field(default_factory=dict)
    same: dict[int, int] = field(default_factory=dict)
    init: list[Term] = field(default_factory=list)
    taken: frozenset[str] = frozenset()
    several: set[str] = field(default_factory=set)
    places: int = 0


def fresh(draft: Draft) -> int:
    """A new place."""
    draft.places += 1
    return draft.places - 1


def resolved(draft: Draft, place: int) -> int:
    """The place that this one is the same as."""
    while place in draft.same:
        place = draft.same[place]
    return place


def origin(span: Span) -> Origin:
    """An origin with the text on one line."""
    words = " ".join(span_text(span)[: 4 * _LONGEST_TEXT].split())
    return Origin(span, words if len(words) <= _LONGEST_TEXT else words[: _LONGEST_TEXT - 1] + "…")


def add_step(
    draft: Draft, source: int, target: int, paths: Sequence[Path], failures: Sequence[Failing], why: Origin
) -> None:
    """The edges of a step: one for each way through it, and one for each way in which it goes wrong."""
    for path in paths:
        guard = build.land(path.reached, path.guard)
        if guard is build.FALSE:
            continue
        updates = tuple((v, t) for v, t in path.store.items() if v is not t)
        mentioned = guard.free.union(*(t.free for _, t in updates), *(t.free for t in _values(path.label)))
        if any(too_deep_term(t) for t in (guard, *(t for _, t in updates), *_values(path.label))):
            message = f"the statements of this step merge into a term of more than {MAX_DEPTH} levels"
            draft.problems.append(error("SA212", message, why.span, "split the step"))
            return
        choices = tuple(c for c in path.choices if c.var in mentioned)
        guard = build.land(guard, *(within(c) for c in choices))
        draft.joints.append(Joint(source, target, path.label, guard, updates, choices, why))
    for failure in failures:
        text = why.text if failure.span == why.span else origin(failure.span).text
        label, place = Label(FAIL), Origin(failure.span, f"{text} fails")
        guard = build.land(failure.condition, *(within(c) for c in failure.choices))
        what = Failure(failure.fault, text)
        draft.joints.append(Joint(source, FAILED, label, guard, (), failure.choices, place, what))


def _values(label: Label | None) -> tuple[Term, ...]:
    return () if label is None else label.values


def finish(draft: Draft, initial: int, why: Origin, over: tuple[tuple[Var, Term], ...] = ()) -> None:
    """Add the `exit` of a thread, if its end is reached, and the place behind failures, if there are any.

    `over` is what the `exit` writes.
    """
    targets = {resolved(draft, j.target) for j in draft.joints}
    if END in targets or resolved(draft, initial) == END:
        last = _end_of(why)
        draft.joints.append(Joint(END, EXITED, Label(EXIT), build.TRUE, over, (), last))
        draft.order[END] = last
        draft.order[EXITED] = last
    if FAILED in targets:
        draft.order[FAILED] = Origin(why.span, "a step that went wrong")


def assemble(
    draft: Draft,
    name: str,
    shared: tuple[Variable, ...],
    initial: int,
    init: Term,
    env: Term | None,
    names: Mapping[int, str],
    why: Origin,
) -> Automaton:
    """The automaton of a draft, with names for its places."""
    variables = (*shared, *draft.locals.values())
    # No step makes a sequence that does not exist, and environments must not either.
    whole = canonical(shared)
    bounds = build.land(*(within(v) for v in variables), whole)
    if env is not None:
        env = build.land(env, substitute(whole, {v: primed(v) for v in whole.free}))
    joints = [replace(j, source=resolved(draft, j.source), target=resolved(draft, j.target)) for j in draft.joints]
    places = {p: i for i, p in enumerate(draft.order)}
    position = {v.var: i for i, v in enumerate(variables)}
    return Automaton(
        name,
        variables,
        tuple(Location(names[p], bounds, env, o) for p, o in draft.order.items()),
        names[resolved(draft, initial)],
        build.land(init, bounds, *draft.init),
        tuple(_edge(j, names, position) for j in sorted(joints, key=lambda j: places[j.source])),
        why,
    )


def _edge(joint: Joint, names: Mapping[int, str], position: Mapping[Var, int]) -> Edge:
    updates = tuple(sorted(joint.updates, key=lambda u: position[u[0]]))
    source, target = names[joint.source], names[joint.target]
    return Edge(source, target, joint.label, joint.guard, updates, joint.choices, joint.origin, joint.failure)


def _end_of(why: Origin) -> Origin:
    if why.span is None:
        return Origin(None, "the end")
    return Origin(Span(why.span.source, why.span.end - 1, why.span.end), THREAD_ENDS)


def location_names(draft: Draft) -> dict[int, str]:
    """q0, q1, … in the order of the program, and the names that the user gave."""
    names = {FAILED: FAIL, EXITED: EXIT}
    taken = {"fail", "exit"}
    for place, given in draft.names.items():
        if given.text in taken:
            reserved = given.text in (FAIL, EXIT)
            why = "is the name of a special location" if reserved else "names two statements"
            code = "SA308" if reserved else "SA102"
            draft.problems.append(error(code, f"`{given.text}` {why}", given.span))
        taken.add(given.text)
        names[place] = given.text
    number = 0
    for place in draft.order:
        if place in names:
            number += place >= 0
            continue
        while f"q{number}" in taken:
            number += 1
        names[place] = f"q{number}"
        number += 1
    return names
