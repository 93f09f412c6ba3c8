"""Silent cycles of the abstract side in closed form: what any number of turns does, as terms (THEORY section 4).

Each variable that a turn changes must be increased by what does not change, also modulo a constant, or be set to what
is known of the turn before. That the form is right is for the checker to show; here it is only made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count, islice, takewhile

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, edges_from, mover
from sa.certificates.relation import TURN
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Le, Mod, Not, Term, Var, subterms

#: Edges in a cycle, and cycles that begin at one location.
LENGTH, CYCLES = 10, 6

#: Ways from one location that are gone on, cycles of all that are looked at, and the subterms of one.
MOST_WAYS, MOST_CYCLES, MOST_TERMS = 1_000, 400, 300

#: Up to so many locations cycles may be made of several threads' steps.
TOGETHER = 60


class Cycle(Struct, frozen=True, eq=False):
    """Edges from a location back to it. After `TURN` turns, one or more, the variables in `after` have these values.

    `condition` says that these turns can be made; all terms are over the state before them and `TURN`.
    """

    edges: tuple[int, ...]
    after: tuple[tuple[Var, Term], ...]
    condition: tuple[Term, ...]


def cycles_of(automaton: Automaton) -> dict[str, tuple[Cycle, ...]]:
    """The cycles that have a closed form, by the location that is the first on them in the automaton's order."""
    order = {q.name: i for i, q in enumerate(automaton.locations)}
    silent: dict[str, list[_Step]] = {q.name: [] for q in automaton.locations}
    numbers = {id(e): i for i, e in enumerate(automaton.edges)}
    places = {q.name: q for q in automaton.locations}
    for source, edges in edges_from(automaton).items():
        quiet = (e for e in edges if e.label is None and not e.choices)
        silent[source] = [_Step(numbers[id(e)], e, mover(places[source], places[e.target])) for e in quiet]
    inv = {q.name: q.inv for q in automaton.locations}
    found = dict[str, tuple[Cycle, ...]]()
    left = count(MOST_CYCLES, -1)
    # Wherever the other threads are, a thread goes around as it does elsewhere.
    known = dict[tuple[object, ...], Cycle | None]()

    def form(path: tuple[int, ...]) -> Cycle | None:
        steps = tuple((e.guard, e.updates, inv[e.target]) for e in (automaton.edges[n] for n in path))
        if steps not in known:
            known[steps] = _closed_form(automaton, inv, path)
        same = known[steps]
        return None if same is None else replace(same, edges=path)

    for head in order:
        paths = takewhile(lambda _: next(left) > 0, _paths(silent, order, head))
        forms = map(form, paths)
        if cycles := tuple(islice((cycle for cycle in forms if cycle is not None), CYCLES)):
            found[head] = cycles
    return found


class _Step(Struct, frozen=True, eq=False):
    """A silent edge, its number, and which thread of several makes it; None where there is one thread only."""

    number: int
    edge: Edge
    mover: int | None


def _paths(silent: Mapping[str, list[_Step]], order: Mapping[str, int], head: str) -> Iterator[tuple[int, ...]]:
    """Simple cycles through a location that is the first one on them, the shortest first.

    All steps are of one thread where there are many locations: several threads go around together in too many ways.
    """
    apart = len(order) > TOGETHER
    pending: list[tuple[tuple[int, ...], tuple[str, ...], int | None]] = [((), (head,), None)]
    # The list grows while it is walked.
    for path, places, thread in islice(pending, MOST_WAYS):
        for step in silent[places[-1]]:
            target = step.edge.target
            if apart and path and step.mover != thread:
                continue
            if target == head:
                yield (*path, step.number)
            elif order[target] > order[head] and target not in places and len(path) + 1 < LENGTH:
                pending.append(((*path, step.number), (*places, target), step.mover))


def _closed_form(automaton: Automaton, inv: Mapping[str, Term], path: tuple[int, ...]) -> Cycle | None:
    values = dict[Var, Term]()
    for number in path:
        values.update({v: substitute(t, values) for v, t in automaton.edges[number].updates})
        if _is_large(values.values()):
            return None
    changed = {v: t for v, t in values.items() if t is not v}
    # Most cycles have no closed form, which what they write tells already.
    if not changed or (forms := _forms(changed)) is None:
        return None
    conditions, values = list[Term](), {}
    for edge in (automaton.edges[number] for number in path):
        conditions.append(substitute(edge.guard, values))
        values.update({v: substitute(t, values) for v, t in edge.updates})
        conditions.append(substitute(inv[edge.target], values))
        if _is_large(conditions):
            return None
    made = {v: substitute(t, forms.before) if v in forms.last else forms.exact[v] for v, t in changed.items()}
    guards = list(_throughout(build.conjoined(conditions), made))
    if any(g is None for g in guards):
        return None
    condition = build.conjoined((build.le(build.ONE, TURN), *(g for g in guards if g is not None)))
    return Cycle(path, tuple(made.items()), condition)


def _is_large(terms: Iterable[Term]) -> bool:
    """Whether terms are so large that a form of them would take longer to make than it is worth."""
    return sum(1 for _ in islice(subterms(terms), MOST_TERMS + 1)) > MOST_TERMS


class _Forms(Struct, frozen=True):
    """`exact` gives values after any number of turns, none included where there is no `Mod`; `before` the same for one
    turn less; `last` are variables set to what a turn finds."""

    exact: Mapping[Var, Term]
    before: Mapping[Var, Term]
    last: frozenset[Var]


def _forms(changed: Mapping[Var, Term]) -> _Forms | None:
    exact = {v: form for v, t in changed.items() if (form := _increased(v, t, changed)) is not None}
    plain = {v: t for v, t in exact.items() if not isinstance(t, Mod)}
    less = build.add(TURN, build.integer(-1))
    last = frozenset(v for v in changed if v not in exact)
    if any(not t.free.isdisjoint(changed.keys() - plain.keys()) for v, t in changed.items() if v in last):
        return None
    return _Forms(exact, {v: substitute(t, {TURN: less}) for v, t in plain.items()}, last)


def _increased(var: Var, value: Term, changed: Mapping[Var, Term]) -> Term | None:
    """The variable after `TURN` turns, each of which adds the same to it."""
    size = value.divisor if isinstance(value, Mod) else 0
    total = value.dividend if isinstance(value, Mod) else value
    const, parts = build.linear_parts(total)
    step = build.linear(const, {p: c for p, c in parts.items() if p is not var})
    if parts.get(var) != 1 or not step.free.isdisjoint(changed):
        return None
    reached = build.add(var, build.mul(TURN, step))
    return build.mod(reached, size) if size else reached


def _throughout(conditions: tuple[Term, ...], made: Mapping[Var, Term]) -> Iterator[Term | None]:
    """Each condition in every turn, as conditions on the first and the last one; None where that is not enough."""
    less = build.add(TURN, build.integer(-1))
    for condition in conditions:
        yield condition
        later = substitute(condition, made)
        if later is condition:
            continue
        ends = [substitute(later, {TURN: n}) for n in (build.ONE, less)]
        if TURN not in later.free:
            yield build.lor(build.le(TURN, build.ONE), later)
        elif isinstance(later, Le) and _is_linear(later.total):
            yield build.lor(build.le(TURN, build.ONE), build.land(*ends))
        elif isinstance(later, Not) and isinstance(later.body, IsZero) and _is_linear(later.body.total):
            totals = [substitute(later.body.total, {TURN: n}) for n in (build.ONE, less)]
            below, above = (build.land(*(build.lt(build.scale(s, t), build.ZERO) for t in totals)) for s in (1, -1))
            yield build.lor(build.le(TURN, build.ONE), below, above)
        else:
            yield None


def _is_linear(total: Term) -> bool:
    """Whether the number of turns is only a factor of what does not depend on it."""
    _, parts = build.linear_parts(total)
    return all(p is TURN or TURN not in p.free or _is_once(p) for p in parts)


def _is_once(part: Term) -> bool:
    factors = getattr(part, "factors", ())
    return sum(f is TURN for f in factors) == 1 and all(f is TURN or TURN not in f.free for f in factors)
