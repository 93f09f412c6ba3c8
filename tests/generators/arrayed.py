"""Programs with arrays, which no language has yet: texts in which `get` and `put` stand for elements and updates."""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Label, Variable
from sa.automata.program import Program
from sa.base.source import Source
from sa.language.elaborate.program import elaborate
from sa.language.parser import parse
from sa.terms import build
from sa.terms.sort import INT, ArraySort
from sa.terms.substitute import rebuild
from sa.terms.term import Call, IsZero, Sum, Term, Var, children, sort_of

ARRAY = ArraySort(INT, INT)
DECLARED = "function get(int, int) : int; function put(int, int, int) : int; function all(int) : int;\n"


def arrayed(text: str) -> Program:
    """The program of a text in which variables whose names begin with `array` are arrays of integers."""
    program = elaborate(parse(Source("text.sa", DECLARED + text)), {}).program
    invariants = tuple(replace(i, formula=_term(i.formula)) for i in program.invariants)
    threads = tuple(map(_automaton, program.threads))
    variables = tuple(map(_variable, program.variables))
    return replace(
        program, functions=(), variables=variables, init=_term(program.init), invariants=invariants, threads=threads
    )


def _automaton(a: Automaton) -> Automaton:
    places = tuple(replace(q, inv=_term(q.inv), env=None if q.env is None else _term(q.env)) for q in a.locations)
    return replace(
        a,
        variables=tuple(map(_variable, a.variables)),
        locations=places,
        init=_term(a.init),
        edges=tuple(map(_edge, a.edges)),
    )


def _edge(e: Edge) -> Edge:
    label = None if e.label is None else Label(e.label.action, tuple(map(_term, e.label.values)))
    updates = tuple((_var(v), _term(t)) for v, t in e.updates)
    return replace(e, label=label, guard=_term(e.guard), updates=updates)


def _variable(v: Variable) -> Variable:
    return replace(v, var=_var(v.var))


def _var(v: Var) -> Var:
    return build.variable(v.name, ARRAY, v.primes) if v.name.startswith("array") else v


def _term(term: Term) -> Term:
    match term:
        case Var():
            return _var(term)
        case Call(function, arguments):
            parts = [_term(a) for a in arguments]
            match function.name:
                case "get":
                    return build.select(parts[0], parts[1])
                case "put":
                    return build.store(parts[0], parts[1], parts[2])
                case _:
                    return build.constant_array(ARRAY, parts[0])
        case _ if children(term):
            return _compared(term)
        case _:
            return term


def _compared(term: Term) -> Term:
    """Equations between arrays were sums of integers: `array - other == 0`."""
    match term:
        case IsZero(Sum(0, ((left, 1), (right, -1)))) if sort_of(_term(left)) == ARRAY:
            return build.eq(_term(left), _term(right))
        case _:
            return rebuild(term, _term)
