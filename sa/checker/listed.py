"""Joint invariants that list values: at each joint location there are cases, each with constants for some variables.

A step from a case leads to one case at most, whose constants are computed. So it is asked of the rest alone, which is
the same for very many steps, and asked once. A scheduler's state is such constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Automaton, Edge
from sa.base.limits import Limits, spend
from sa.certificates.run import Bad
from sa.certificates.threads import Joint
from sa.checker.joint_locations import settled
from sa.checker.obligation import Case, Obligation
from sa.checker.side import within
from sa.terms.build import FALSE, TRUE, conjoined, conjuncts, eq, integer, land, linear_parts, lor
from sa.terms.partly import Partly, partly
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Member, Not, Or, Same, Term, Var

#: A location of each thread.
Joined: TypeAlias = tuple[str, ...]


#: What is asked: its name, hypotheses, and what follows from them.
_Question: TypeAlias = tuple[str, tuple[Term, ...], tuple[Term, ...]]

#: By the values of the constants the rest of what is said.
_Cases: TypeAlias = Mapping[tuple[Term, ...], tuple[Term, ...]]


class Step(Struct, frozen=True, eq=False):
    """A step of thread `number`; `landed` are formulas after it in terms of the state before it."""

    number: int
    target: str
    taken: tuple[Term, ...]
    updates: Mapping[Var, Term]
    fails: bool
    landed: dict[Term, Term] = field(default_factory=dict)


class Listed(Struct, frozen=True, eq=False):
    """By joint location its constants and its cases; the steps by thread and location."""

    names: tuple[str, ...]
    steps: tuple[Mapping[str, Sequence[Step]], ...]
    constants: Mapping[Joined, tuple[Var, ...]]
    cases: Mapping[Joined, _Cases]
    positions: Mapping[tuple[Var, ...], Mapping[Var, int]]
    memory: Partly


def listed(made: Joint, threads: Sequence[Automaton], fails: Callable[[int, Edge], bool]) -> Listed | None:
    """The cases of invariants, where `threads` are those of `made` with names of their own and `fails` says which of
    the written steps must not happen; None where the cases of a location do not differ in constants.
    """
    written = [{q.name: conjuncts(q.inv) for q in t.locations} for t in threads]
    everywhere = frozenset[Term].intersection(*(frozenset(said) for here in written for said in here.values()))
    own = [{q: tuple(c for c in said if c not in everywhere) for q, said in here.items()} for here in written]
    memory, fitting = Partly(), set[tuple[Var, Term]]()
    alone, others = _by_variable(everywhere)
    constants, cases = dict[Joined, tuple[Var, ...]](), dict[Joined, _Cases]()
    for places, inv in made.invariants:
        always = (*others, *(c for here, q in zip(own, places, strict=True) for c in here[q]))
        parts = [[(*_constant(c), c) for c in said] for said in _cases_of(inv)]
        fixed = [{v: t for v, t, _ in said if v is not None} for said in parts]
        names = tuple(sorted(set[Var](fixed[0]).intersection(*fixed), key=lambda v: v.key)) if fixed else ()
        free = tuple(c for v, said in alone.items() if v not in names for c in said)
        here = dict[tuple[Term, ...], tuple[Term, ...]]()
        for given, said in zip(fixed, parts, strict=True):
            values = {v: given[v] for v in names}
            # What is said of one constant alone is looked at once. What stays open of it is said in the case.
            new = [c for pair in values.items() - fitting for c in alone.get(pair[0], ())]
            if not _left(memory, new, values):
                fitting.update(values.items())
                new = []
            rest = (c for v, t, c in said if v is None or values.get(v) is not t)
            here[tuple(values.values())] = _left(memory, (*rest, *always, *free, *new), values)
        if not names or len(here) < len(parts):
            return None
        constants[places], cases[places] = names, here
    steps = tuple(_steps(n, made.threads[n], t, fails) for n, t in enumerate(threads))
    positions = {names: {v: n for n, v in enumerate(names)} for names in ((), *constants.values())}
    return Listed(tuple(t.name for t in threads), steps, constants, cases, positions, memory)


def _steps(
    number: int, written: Automaton, thread: Automaton, fails: Callable[[int, Edge], bool]
) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = {q.name: [] for q in thread.locations}
    for original, edge in zip(written.edges, thread.edges, strict=True):
        taken = conjoined((edge.guard, *map(within, edge.choices)))
        found[edge.source].append(Step(number, edge.target, taken, dict(edge.updates), fails(number, original)))
    return found


def _by_variable(formulas: Iterable[Term]) -> tuple[dict[Var, list[Term]], tuple[Term, ...]]:
    """Those about one variable alone, by that, and the others."""
    alone, others = dict[Var, list[Term]](), list[Term]()
    for formula in formulas:
        if len(formula.free) == 1:
            alone.setdefault(next(iter(formula.free)), []).append(formula)
        else:
            others.append(formula)
    return alone, tuple(others)


def _cases_of(formula: Term) -> Iterator[tuple[Term, ...]]:
    """The conjuncts of each case: the formula may say which there are, and beside that what holds in all of them."""
    said = conjuncts(formula)
    choice = max((c for c in said if isinstance(c, Or)), key=lambda c: len(c.args), default=None)
    rest = tuple(c for c in said if c is not choice)
    yield from ((*conjuncts(d), *rest) for d in ((TRUE,) if choice is None else choice.args))


def _constant(formula: Term) -> tuple[Var | None, Term]:
    match formula:
        case Var():
            return formula, TRUE
        case Not(Var() as var):
            return var, FALSE
        case IsZero(total):
            constant, parts = linear_parts(total)
            if len(parts) == 1:
                ((part, factor),) = parts.items()
                if isinstance(part, Var) and abs(factor) == 1:
                    return part, integer(-constant * factor)
        case Same(Var() as var, Member() as value) | Same(Member() as value, Var() as var):
            return var, value
        case _:
            pass
    return None, formula


def _left(memory: Partly, formulas: Sequence[Term], values: Mapping[Var, Term]) -> tuple[Term, ...]:
    """What formulas say beside these values; FALSE alone where they contradict them."""
    left = list[Term]()
    for formula in formulas:
        said = partly(memory, formula, values)
        if said is FALSE:
            return (FALSE,)
        if said is not TRUE:
            left.append(said)
    return conjoined(left) if left else ()


def obligations_of(made: Listed, never: Sequence[Bad], bounds: Limits) -> Iterator[Obligation]:
    """That no step leads out of the cases, none that fails is possible, and claims hold in them; each is asked once.

    Raises LimitReached.
    """
    seen = set[tuple[tuple[Term, ...], tuple[Term, ...]]]()
    for places, cases in made.cases.items():
        here = dict(zip(made.names, places, strict=True))
        claims = [conjuncts(settled(b.claim, here)) for b in never if b.claim is not None]
        steps = [s for its, q in zip(made.steps, places, strict=True) for s in its[q]]
        for values, known in cases.items():
            spend(bounds, 60)
            env = dict(zip(made.constants[places], values, strict=True))
            asked: list[_Question] = [("claim", known, _left(made.memory, c, env)) for c in claims]
            for step in steps:
                asked += _after(made, places, env, known, step)
            for name, hypotheses, wanted in asked:
                if wanted and (hypotheses, wanted) not in seen:
                    seen.add((hypotheses, wanted))
                    where = ", ".join(f"{thread} at {place}" for thread, place in here.items())
                    yield Obligation(name, where, hypotheses, (Case((), wanted),))


def _after(
    made: Listed, places: Joined, env: Mapping[Var, Term], known: tuple[Term, ...], step: Step
) -> Iterator[_Question]:
    """What is asked of a step from a case."""
    taken = _left(made.memory, step.taken, env)
    hypotheses = conjoined((*known, *taken))
    if FALSE in hypotheses:
        return
    if step.fails:
        yield "failing step", hypotheses, (FALSE,)
    there = (*places[: step.number], step.target, *places[step.number + 1 :])
    constants, cases = made.constants.get(there, ()), made.cases.get(there, {})
    after = [env.get(v, v) for v in constants]
    for var in step.updates.keys() & made.positions[constants].keys():
        after[made.positions[constants][var]] = partly(made.memory, step.updates[var], env)
    if all(not t.free for t in after):
        # The other cases have other constants. Where there is no such case, no step leads there.
        wanted = [_landed(step, formula) for formula in cases.get(tuple(after), (FALSE,))]
    else:
        # Which case it is depends on data and on choices.
        some = (
            land(*map(eq, after, values), *(_landed(step, formula) for formula in said))
            for values, said in cases.items()
        )
        wanted = [lor(*some)]
    yield "inductive invariant", hypotheses, _left(made.memory, wanted, env)


def _landed(step: Step, formula: Term) -> Term:
    found = step.landed.get(formula)
    if found is None:
        found = step.landed[formula] = substitute(formula, step.updates)
    return found
