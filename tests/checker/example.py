"""A goal small enough to be proved by hand, with its proof.

The concrete thread reads `x` into `t`, shows `t` and adds something to `y`; the abstract one shows `x` at once.
Others keep `x` and may increase `y`.
"""

from __future__ import annotations

from sa.automata.automaton import Automaton, Edge, Kind, Label, Location, Origin, Variable
from sa.automata.program import Formula
from sa.certificates.goal import Goal
from sa.certificates.relation import AbstractPath, EdgeAnswer, PairRelation, Relation
from sa.terms.build import TRUE, add, eq, integer, land, le, variable
from sa.terms.substitute import primed
from sa.terms.term import Term, Var

NOWHERE = Origin(None)
CX, CY, CT, CPICK = (variable(f"conc.{n}") for n in ("x", "y", "t", "pick"))
AX, AY, APICK = (variable(f"abs.{n}") for n in ("x", "y", "pick"))
PICK = variable("abs.pick@0")


def number(value: int) -> Term:
    return integer(value)


def grows(x: Var, y: Var) -> Term:
    """`x` stays, `y` does not decrease."""
    return land(eq(primed(x), x), le(y, primed(y)))


def automaton(
    name: str,
    variables: tuple[Variable, ...],
    locations: str,
    env: Term,
    init: Term,
    edges: tuple[Edge, ...],
    inv: Term = TRUE,
) -> Automaton:
    places = tuple(Location(q, inv, env, NOWHERE) for q in locations.split())
    return Automaton(name, variables, places, places[0].name, init, edges, NOWHERE)


def edge(
    ends: str,
    label: Label | None = None,
    guard: Term = TRUE,
    updates: tuple[tuple[Var, Term], ...] = (),
    choices: tuple[Variable, ...] = (),
) -> Edge:
    source, target = ends.split()
    return Edge(source, target, label, guard, updates, choices, NOWHERE)


def shared(*variables: Var) -> tuple[Variable, ...]:
    return tuple(Variable(v, Kind.GLOBAL) for v in variables)


def formula(term: Term) -> Formula:
    return Formula(term, NOWHERE)


def goal() -> Goal:
    concrete = automaton(
        "Concrete",
        (*shared(CX, CY), Variable(CT, Kind.LOCAL)),
        "p0 p1 p2",
        grows(CX, CY),
        land(eq(CX, number(1)), le(number(0), CY)),
        (
            edge("p0 p1", updates=((CT, CX),)),
            edge("p1 p2", Label("out", (CT,))),
            edge("p2 p0", updates=((CY, add(CY, CPICK)),), choices=(Variable(CPICK, Kind.LOCAL, 0, 3),)),
        ),
    )
    abstract = automaton(
        "Abstract",
        shared(AX, AY),
        "q0 q1",
        grows(AX, AY),
        le(number(0), AX),
        (
            edge("q0 q1", Label("out", (AX,))),
            edge(
                "q1 q0",
                None,
                le(number(0), APICK),
                ((AY, add(AY, APICK)),),
                (Variable(APICK, Kind.LOCAL),),
            ),
        ),
    )
    equal = (formula(eq(CX, AX)), formula(eq(CY, AY)))
    return Goal("example", concrete, abstract, equal, equal, (), False, False, False)


def relation() -> Relation:
    return Relation(
        (PairRelation("p0", "q0", ()), PairRelation("p1", "q0", (eq(CT, CX),)), PairRelation("p2", "q1", ())),
        (
            EdgeAnswer("p0", "q0", 0, (AbstractPath(()),)),
            EdgeAnswer("p1", "q0", 1, (AbstractPath((0,)),)),
            EdgeAnswer("p2", "q1", 2, (AbstractPath((1,), ((PICK, CPICK),)),)),
        ),
        (("q0", grows(AX, AY)), ("q1", grows(AX, AY))),
        (((AX, CX), (AY, CY)),),
    )
