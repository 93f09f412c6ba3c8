"""A closed finite program in Promela, SPIN's language: one process each thread, one `d_step` each edge.

What is claimed becomes `ltl claim { [] … }`; steps that fail become `assert(false)`. Where a thread is, as far as the
claim speaks of it, is a flag that the steps in and out set: references to labels would not allow SPIN's partial-order
reduction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from sa.automata.automaton import FAIL, Kind, Variable
from sa.automata.ranges import values_of, within
from sa.automata.rename import apart
from sa.base.limits import Limits, Unsupported
from sa.explicit.transition_system import Arc, Whole
from sa.smt.session import Sat, Session
from sa.terms import build
from sa.terms.sort import BOOL, Value
from sa.terms.substitute import substitute
from sa.terms.term import (
    And,
    Bool,
    Div,
    Int,
    IsZero,
    Ite,
    Le,
    Member,
    Mod,
    Not,
    Or,
    Product,
    Same,
    Sum,
    Term,
    Var,
)


def promela(whole: Whole) -> str:
    """The program as SPIN reads it. Raises Unsupported where values are not finite, or a term has no counterpart."""
    writer = _Writer(whole)
    return "\n".join((*writer.head(), *(line for i in range(len(whole.threads)) for line in writer.process(i)))) + "\n"


class _Writer:
    """Names of variables, the values that the initial states fix, and the flags for places."""

    def __init__(self, whole: Whole) -> None:
        self.whole = whole
        self.names = {
            v: f"v{i}_{''.join(c if c.isalnum() else '_' for c in v.name)}" for i, v in enumerate(whole.order)
        }
        self.flags = {(i, q) for i, q, _ in self._places(whole.claim)}
        self.fixed, self.open = self._initially()
        claimed = whole.claim.free
        loose = {v.var for v in self.open}
        self.local = {
            v.var: i
            for i, t in enumerate(whole.threads)
            for v in apart(t).variables
            if v.kind is Kind.LOCAL and v.var not in claimed and v.var not in loose
        }

    def _initially(self) -> tuple[dict[Var, Value], tuple[Variable, ...]]:
        """The variables with a single initial value, and those with several."""
        known, several = dict[Var, Value](), list[Variable]()
        start = build.land(self.whole.init, *(within(v) for v in self.whole.variables))
        session = Session(Limits())
        model = session.check((start,))
        for variable in self.whole.variables:
            value = model.values.get(variable.var, 0) if isinstance(model, Sat) else 0
            if session.implied(build.eq(variable.var, build.constant(value, variable.var.sort)), (start,)):
                known[variable.var] = value
            else:
                several.append(variable)
        return known, tuple(several)

    def _places(self, term: Term) -> Iterator[tuple[int, int, Term]]:
        """Where a claim says that a thread is at a place."""
        match term:
            case IsZero(total) if total.free <= set(self.whole.counters):
                constant, factors = build.linear_parts(total)
                ((counter, factor),) = factors.items()
                assert isinstance(counter, Var)
                yield self.whole.counters.index(counter), -constant // factor, term
            case Not(body):
                yield from self._places(body)
            case And(args) | Or(args):
                for part in args:
                    yield from self._places(part)
            case _:
                pass

    def text(self, term: Term) -> str:
        """An expression; `/` and `%` are Euclidean, those of SPIN round towards zero."""
        match term:
            case Var():
                return self.names.get(term) or f"c_{''.join(c if c.isalnum() else '_' for c in term.name)}"
            case Int(value):
                return f"({value})"
            case Bool(value):
                return "true" if value else "false"
            case Member(_, index):
                return str(index)
            case Sum(constant, parts):
                return "(" + " + ".join([f"({k}) * {self.text(part)}" for part, k in parts] + [f"({constant})"]) + ")"
            case Product(factors):
                return "(" + " * ".join(map(self.text, factors)) + ")"
            case Mod(dividend, k):
                return f"((({self.text(dividend)} % {k}) + {abs(k)}) % {k})"
            case Div(dividend, k):
                return f"(({self.text(dividend)} - {self.text(build.mod(dividend, k))}) / {k})"
            case Ite(condition, yes, no):
                return f"({self.text(condition)} -> {self.text(yes)} : {self.text(no)})"
            case Le(total):
                return f"({self.text(total)} <= 0)"
            case IsZero(total):
                place = next((f"at{i}_{q}" for i, q, _ in self._places(term)), None)
                return place or f"({self.text(total)} == 0)"
            case Same(left, right):
                return f"({self.text(left)} == {self.text(right)})"
            case Not(body):
                return f"(!{self.text(body)})"
            case And(args):
                return "(" + " && ".join(map(self.text, args)) + ")"
            case Or(args):
                return "(" + " || ".join(map(self.text, args)) + ")"
            case _:
                raise Unsupported("a function or an array in Promela")

    def head(self) -> Iterator[str]:
        """Globals, the process that chooses an initial state, and the claim."""
        for variable in self.whole.variables:
            if variable.var not in self.local:
                yield self.declaration(variable)
        for i, q in sorted(self.flags):
            yield f"bool at{i}_{q} = {'true' if self.whole.start[i] == q else 'false'};"
        widest = max((len(a.updates) for a in self._arcs()), default=0)
        yield from (f"hidden int new{k};" for k in range(widest))
        yield f"bool ready = {'false' if self.open else 'true'};"
        if self.open:
            yield "active proctype Start() { atomic {"
            for variable in self.open:
                yield "if " + " ".join(f":: {self.names[variable.var]} = {int(k)}" for k in _values(variable)) + " fi;"
            known = {v: build.constant(value, v.sort) for v, value in self.fixed.items()}
            yield f"if :: {self.text(substitute(self.whole.init, known))} -> ready = true fi }} }}"
        if self.whole.claim is not build.TRUE:
            yield f"ltl claim {{ [] (!ready || {self.text(self.whole.claim)}) }}"

    def _arcs(self) -> Iterator[Arc]:
        return (a for thread in self.whole.arcs for here in thread for a in here)

    def declaration(self, variable: Variable) -> str:
        """A variable with its initial value."""
        kind = "bool" if variable.var.sort == BOOL else "int"
        return f"{kind} {self.names[variable.var]} = {int(self.fixed.get(variable.var, 0))};"

    def process(self, number: int) -> Iterator[str]:
        """A thread."""
        yield f"active proctype P{number}() {{"
        yield from (self.declaration(v) for v in self.whole.variables if self.local.get(v.var) == number)
        yield f"ready; goto L{self.whole.start[number]};"
        for place, here in enumerate(self.whole.arcs[number]):
            steps = [step for arc in here for step in self.steps(arc)]
            yield f"L{place}: " + (f"if {' '.join(steps)} fi;" if steps else "false;")
        yield "}"

    def steps(self, arc: Arc) -> Iterator[str]:
        """An edge, once for each combination of choices."""
        for combination in product(*(_values(c) for c in arc.choices)):
            chosen = {c.var: build.constant(k, c.var.sort) for c, k in zip(arc.choices, combination, strict=True)}
            guard = substitute(arc.guard, chosen)
            if guard is build.FALSE:
                continue
            if arc.edge.label is not None and arc.edge.label.action == FAIL:
                yield f":: {self.text(guard)} -> assert(false); goto L{arc.target}"
                continue
            effects = [*self.writes({v: substitute(e, chosen) for v, e in arc.updates.items()}), *self.moves(arc)]
            body = f"d_step {{ {self.text(guard)} -> {'; '.join(effects)} }}" if effects else self.text(guard)
            yield f":: {body} -> goto L{arc.target}"

    def writes(self, updates: Mapping[Var, Term]) -> Sequence[str]:
        """Updates at once: through temporaries where one reads what another writes."""
        if not any((e.free & updates.keys()) - {v} for v, e in updates.items()):
            return [f"{self.names[v]} = {self.text(e)}" for v, e in updates.items()]
        kept = [f"new{k} = {self.text(e)}" for k, e in enumerate(updates.values())]
        return [*kept, *(f"{self.names[v]} = new{k}" for k, v in enumerate(updates))]

    def moves(self, arc: Arc) -> Iterator[str]:
        """The flags that a step changes."""
        if arc.source == arc.target:
            return
        for place, value in ((arc.source, "false"), (arc.target, "true")):
            if (arc.thread, place) in self.flags:
                yield f"at{arc.thread}_{place} = {value}"


def _values(variable: Variable) -> Sequence[Value]:
    values = values_of(variable)
    if values is None:
        raise Unsupported(f"infinitely many values of {variable.var.name}")
    return values
