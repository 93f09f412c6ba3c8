"""Threads without a rely among threads that have one: their environments are inferred from the other threads."""

from __future__ import annotations

from dataclasses import replace

from sa.automata.automaton import Automaton
from sa.automata.program import Program
from sa.composition.environment import declared
from sa.generation.generate import automata, generate
from sa.generation.visibility import Rung
from sa.refinement.options import Options
from sa.smt.session import Session


def filled(program: Program, options: Options) -> Program:
    """The program with an environment for every thread: inferred ones where none is declared.

    They hold what the other threads can do when they run by themselves. Raises LimitReached.
    """
    if not lacking(program):
        return program
    known = generate(program.threads, Rung.HIDDEN, options.limits)
    made = automata(known, Session(options.limits, tuple(a.formula for a in program.axioms)))
    return replace(program, threads=tuple(_with(t, m) for t, m in zip(program.threads, made, strict=True)))


def lacking(program: Program) -> tuple[str, ...]:
    """The threads whose environments are to be inferred."""
    return tuple(t.name for t in program.threads if not declared(t)) if len(program.threads) > 1 else ()


def _with(thread: Automaton, made: Automaton) -> Automaton:
    if declared(thread):
        return thread
    places = zip(thread.locations, made.locations, strict=True)
    return replace(thread, locations=tuple(replace(q, env=p.env) for q, p in places))
