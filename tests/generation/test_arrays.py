"""Environments speak of arrays without bounds: where a step writes whatever it writes, and what stays."""

from __future__ import annotations

from random import Random

from sa.automata.automaton import Kind, variables_of
from sa.base.limits import Limits
from sa.generation.environment import environment_of, keeps
from sa.generation.generate import automata, changes, generate
from sa.generation.visibility import Level
from sa.refinement.missing import conditions_of
from sa.smt.session import Session
from sa.terms import build
from sa.terms.evaluate import evaluate, holds
from sa.terms.sort import INT, ArraySort, Value, array_value
from sa.terms.substitute import primed
from sa.terms.term import Var
from tests.language.texts import program_of

QUEUE = """
global m : int[*] = 0;
global h, t : int = 0;
thread P { local v : int = 0; while (true) { havoc v; m[t] := v; t := t + 1; } }
thread C { local r : int = 0; while (true) { await h < t; r := m[h]; h := h + 1; } }
"""

m, h, t = build.variable("m", ArraySort(INT, INT)), build.variable("h"), build.variable("t")


def test_what_is_behind_the_end_of_a_queue_is_what_changes() -> None:
    """The value that is written is hidden from the other thread, its place is not."""
    program = program_of(QUEUE)
    known = generate(program.threads, Level.HIDDEN, Limits(), ())
    session = Session(Limits())
    ahead = build.implies(build.lt(h, t), build.eq(build.select(primed(m), h), build.select(m, h)))
    assert all(keeps(session, c, ahead, (m, h, t)) for c in changes(known)["P"])
    assert not all(keeps(session, c, build.eq(primed(m), m), (m, h, t)) for c in changes(known)["P"])
    consumer = automata(known, session, conditions_of(program.threads))[1]
    assert all(q.env is not None and session.implied(ahead, (q.env,)) for q in consumer.locations)


def test_an_environment_has_every_step_that_writes_arrays() -> None:
    """Whatever is stored, at one index or two that may be the same, under a condition or not."""
    bodies = (
        "a[i] := v;",
        "atomic { a[i] := v; a[j] := w; }",
        "atomic { a[i] := v; a[j] := i; a[i + 1] := w; }",
        "a[v] := i;",
        "atomic { if (i < j) { a[i] := v; } else { a[j] := w; } }",
        "atomic { if (v < j) { a[i] := v; } a[j] := a[i] + w; }",
        "atomic { if (i < j) { a[v] := 1; } else { a[i] := w; } }",
    )
    rng = Random(0)
    for body in bodies:
        program = program_of(
            f"global a : int[*]; global i, j : int; thread T {{ local v, w : int; {body} }} thread U {{ skip; }}"
        )
        (thread, _), made = program.threads, changes(generate(program.threads, Level.HIDDEN, Limits(), ()))
        shared = variables_of(thread, Kind.GLOBAL)
        relation = environment_of(made["T"], shared)
        for _ in range(60):
            before: dict[Var, Value] = {v.var: _value(rng, v.var) for v in thread.variables}
            for edge in thread.edges:
                if edge.source == thread.initial and holds(edge.guard, before):
                    after: dict[Var, Value] = {primed(v): before[v] for v in shared}
                    after |= {primed(v): evaluate(e, before) for v, e in edge.updates if v in shared}
                    assert holds(relation, {**{v: before[v] for v in shared}, **after}), body


def _value(rng: Random, var: Var) -> Value:
    if isinstance(var.sort, ArraySort):
        return array_value(var.sort, 0, {k: rng.randint(-2, 2) for k in range(-3, 4)})
    return rng.randint(-2, 2)
