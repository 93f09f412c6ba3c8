"""What is known of poison where it has been asked about: a value that was branched on is none from there on.

A bit, or another register of a few values from 0 on, is *settled* at a node if it is 0 on all ways to it. What is 0
because another one is follows from how that one was computed, as long as neither has changed since.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.dataflow import forward
from sa.frontends.flow.graph import Node, Register, Set, Step, Test, outgoing
from sa.frontends.flow.terms import over, read_by, written_by
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Int, Term, Var

#: Registers with greater values are not looked at.
_MOST = 2


class _Known(Struct, frozen=True):
    """The registers that are 0 at a node, and pairs of which the second one is 0 if the first one is."""

    zero: frozenset[Var] = frozenset()
    implied: frozenset[tuple[Var, Var]] = frozenset()


def settled(steps: Sequence[Step], registers: Mapping[Var, Register], entry: Node) -> list[Step]:
    """The steps without registers that are 0 where they are read, and without ways that this excludes."""
    ranges = ((v, r.range) for v, r in registers.items())
    small = {v: r.high for v, r in ranges if r.low == 0 and r.high is not None and 0 < r.high <= _MOST}
    following = outgoing(steps)

    def follow(node: Node, here: _Known) -> Iterator[tuple[Node, _Known]]:
        behind = ((s.target, _after(s, here, small)) for s in following.get(node, ()))
        return ((target, after) for target, after in behind if after is not None)

    def join(one: _Known, other: _Known) -> _Known:
        return _Known(one.zero & other.zero, one.implied & other.implied)

    known = forward({entry: _Known()}, follow, join)
    return [made for step in steps if step.source in known for made in _rewritten(step, known[step.source].zero)]


def _rewritten(step: Step, zero: frozenset[Var]) -> Iterator[Step]:
    read = frozenset[Var]().union(*(t.free for t in read_by(step.op))) & zero
    op = over(step.op, dict.fromkeys(read, build.ZERO), lambda v: v) if read else step.op
    if not (isinstance(op, Test) and op.formula is build.FALSE):
        yield replace(step, op=op)


def _after(step: Step, before: _Known, small: Mapping[Var, int]) -> _Known | None:
    """What is known behind a step; None where it is not taken."""
    names: dict[Var, Term] = dict.fromkeys(before.zero, build.ZERO)
    match step.op:
        case Test(formula):
            left = substitute(formula, names)
            if left is build.FALSE:
                return None
            found = {
                v
                for part in build.conjuncts(left)
                for v in part.free & small.keys()
                if all(substitute(part, {v: n}) is build.FALSE for n in _others(v, small))
            }
            return _Known(_closed(before.zero | found, before.implied), before.implied)
        case Set(var, term):
            value = substitute(term, names)
            zero, implied = before.zero - {var}, frozenset(p for p in before.implied if var not in p)
            if value is build.ZERO:
                return _Known(zero | ({var} & small.keys()), implied)
            if var in small:
                implied |= {(var, v) for v in value.free - {var} if v in small and _shows(value, v, small)}
            return _Known(zero, implied)
        case op:
            written = written_by(op)
            return _Known(before.zero - {written}, frozenset(p for p in before.implied if written not in p))


def _others(var: Var, small: Mapping[Var, int]) -> list[Term]:
    """The values of a register other than 0."""
    return [build.integer(n) for n in range(1, small.get(var, 0) + 1)]


def _shows(value: Term, var: Var, small: Mapping[Var, int]) -> bool:
    """Whether a value is not 0 where a register is not."""
    made = [substitute(value, {var: n}) for n in _others(var, small)]
    return all(isinstance(m, Int) and m.value for m in made)


def _closed(zero: frozenset[Var], implied: frozenset[tuple[Var, Var]]) -> frozenset[Var]:
    while more := {v for other, v in implied if other in zero} - zero:
        zero |= more
    return zero
