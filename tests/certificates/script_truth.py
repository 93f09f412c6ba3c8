"""Whether accepted certificates of scripts are true, by enumeration: the oracle's word against the judge's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from msgspec import Struct

from sa.automata.automaton import Kind, variables_of
from sa.automata.program import Axiom
from sa.automata.proof import Script, Step
from sa.base.limits import Limits
from sa.certificates.shape import Entry
from sa.checker.obligation import Case, Obligation
from sa.conditions.environment import closed
from sa.engines.options import Options
from sa.rules.annotated import read_worlds
from sa.rules.annotated_programs import Stage, World
from sa.scripts.prove import Prepared
from sa.smt.session import Session
from sa.terms.evaluate import Unevaluable, holds
from sa.terms.meaning import Meaning, interpreted
from sa.terms.sort import Sort, Value, finite_values
from sa.terms.substitute import primed
from sa.terms.term import Forall, Term, Var
from tests.oracle.compatibility import composition, own_locals
from tests.oracle.explicit import Explicit, State, component_steps, configuration, explicit, reachable
from tests.oracle.formula import Unbounded
from tests.scripts.test_against_the_oracle import is_true

#: What is tried for integers that a condition asks for.
BOX = range(-2, 7)


class Failed(Struct, frozen=True):
    """A condition that was found to fail for these values, with functions already replaced by what they mean."""

    condition: Obligation
    values: Mapping[Var, Value]
    meaning: Meaning | None
    axioms: Sequence[Axiom]


def stage_of(script: Script, document: Any) -> Stage:
    """What the document says of the programs."""
    return Stage(read_worlds(Entry(document["programs"]), script), script.axioms)


def claim_is_true(script: Script, stage: Stage, step: Step) -> bool | None:
    """Whether a claim holds of the annotated threads; None where that is not found out by enumeration."""
    try:
        return is_true(Prepared(script, Options(Limits()), Session(Limits()), stage), step)
    except (Unevaluable, Unbounded):
        return None


def annotations_are_true(world: World) -> bool:
    """Whether what is said of threads holds wherever their program gets, and their environments allow each step."""
    if not world.inferred:
        return True
    said = [own_locals(t.automaton) for t in world.threads.values()]
    x = explicit(closed(composition([own_locals(t.thread) for t in world.threads.values()])))
    here = {s: _places(x, s) for s in reachable(x)}
    invs = [{q.name: q.inv for q in a.locations} for a in said]
    envs = [{q.name: q.env for q in a.locations} for a in said]
    shared = variables_of(x.automaton, Kind.GLOBAL)
    for state, places in here.items():
        values = configuration(x, state).values
        if not all(holds(inv[q], values) for inv, q in zip(invs, places, strict=True)):
            return False
        for step in component_steps(x, state):
            if state.location == step.after.location:
                continue  # Whose step it is cannot be told.
            after = configuration(x, step.after).values
            moved = {**values, **{primed(v): after[v] for v in shared}}
            for env, p, q in zip(envs, places, here[step.after], strict=True):
                allowed = env[p]
                if p == q and allowed is not None and not holds(allowed, moved):
                    return False
    return True


def _places(x: Explicit, state: State) -> tuple[str, ...]:
    return tuple(configuration(x, state).location.split("|"))


def fails_truly(failed: Failed) -> bool:
    """Whether the condition fails for the values, choices tried one by one, and axioms hold as far as was tried."""
    asked, values = failed.condition, failed.values
    if not all(holds(h, values) for h in asked.hypotheses):
        return False
    if any(_is_possible(case, values) for case in asked.cases):
        return False
    return failed.meaning is None or all(_holds(interpreted(a.formula, failed.meaning), {}) for a in failed.axioms)


def _is_possible(case: Case, values: Mapping[Var, Value]) -> bool:
    """Whether some choice of small values makes a case hold."""
    known = {v: x for v, x in values.items() if v not in case.choices}
    return _extended(list(case.choices), list(case.body), known)


def _extended(choices: list[Var], body: list[Term], known: Mapping[Var, Value]) -> bool:
    settled = [b for b in body if b.free <= known.keys()]
    if not all(holds(b, known) for b in settled):
        return False
    if not choices:
        return True
    rest = [b for b in body if not b.free <= known.keys()]
    first, *others = choices
    return any(_extended(others, rest, {**known, first: x}) for x in _domain(first.sort))


def _holds(formula: Term, known: Mapping[Var, Value]) -> bool:
    if not isinstance(formula, Forall):
        return holds(formula, known)
    rows = product(*(_domain(b.sort) for b in formula.binders))
    return all(_holds(formula.body, {**known, **dict(zip(formula.binders, row, strict=True))}) for row in rows)


def _domain(sort: Sort) -> Sequence[Value]:
    every = finite_values(sort)
    return BOX if every is None else every
