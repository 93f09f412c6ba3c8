"""Formulas and names as readers know them.

A sequence is one value, though its elements and its length are variables of their own. What a thread of a program in C
is at has the name that it has in `.sa`, and its calls have the names of the functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import count, takewhile

from msgspec import Struct

from sa.automata.automaton import Edge, Variable
from sa.terms import build
from sa.terms.build import eq
from sa.terms.name import element, measured
from sa.terms.printer import Namer, plain_name, show
from sa.terms.sort import Value, show_value
from sa.terms.substitute import unsided
from sa.terms.term import Term, Var


class Whole(Struct, frozen=True):
    """A sequence: its name in its own program, the variables of its elements, and that of its length.

    `var` is no variable of the program: it has the name that the sequence has in formulas.
    """

    name: str
    var: Var
    elements: tuple[Var, ...]
    length: Var


def legible(words: str) -> str:
    """A text about a program in C: what a thread is at is called as in `.sa`."""
    return re.sub(r"\b__at_(\w+)", r"\1_state", words)


def action_name(edge: Edge) -> str | None:
    """The visible action of a step; None where it is silent. Of a call in C it is the function's name."""
    if edge.label is None:
        return None
    span, name = edge.origin.span, edge.label.action
    return name.removesuffix("_") if span is not None and span.source.name.endswith((".c", ".i")) else name


def wholes_of(variables: Iterable[Variable]) -> Mapping[Var, Whole]:
    """The sequences among some variables, by these. Their elements have their names with positions."""
    listed = list(variables)
    named = {v.var.name: v.var for v in listed}
    found = dict[Var, Whole]()
    for length in listed:
        if length.sequence:
            name = measured(length.var.name)
            places = (element(name, position) for position in count())
            elements = tuple(named[place] for place in takewhile(named.__contains__, places))
            var = build.variable(name)
            found |= dict.fromkeys((*elements, length.var), Whole(plain_name(unsided(var)), var, elements, length.var))
    return found


def content(whole: Whole, values: Mapping[Var, Value]) -> str | None:
    """The elements of a sequence as the language writes them; None where it has none in this state."""
    length = values.get(whole.length)
    if type(length) is not int or not 0 <= length <= len(whole.elements):
        return None
    inside = whole.elements[:length]
    if any(v not in values for v in inside):
        return None
    return f"{{{', '.join(show_value(values[v], v.sort) for v in inside)}}}"


def show_with(term: Term, name: Namer, wholes: Mapping[Var, Whole]) -> str:
    """A formula as the language writes it, with `len(q)`; that a part of two sequences is equal stands for them."""
    both = _compared(term, wholes)
    if both is not None:
        first, second = both
        return legible(f"{name(first.var)} == {name(second.var)}")

    return legible(show(term, measuring(name, wholes)))


def measuring(name: Namer, wholes: Mapping[Var, Whole]) -> Namer:
    """Variables called by `name`, the length of a sequence as `len(q)`."""

    def named(var: Var) -> str:
        whole = wholes.get(build.variable(var.name, var.sort))
        if whole is None or var.name != whole.length.name:
            return name(var)
        return f"len({name(build.variable(whole.var.name, whole.var.sort, var.primes))})"

    return named


def _compared(term: Term, wholes: Mapping[Var, Whole]) -> tuple[Whole, Whole] | None:
    """The two sequences of which a formula says that they have one element, or their length, in common."""
    pair = sorted(term.free, key=lambda v: (v.name.side or "", v.key), reverse=True)
    if len(pair) != 2 or any(v not in wholes for v in pair) or term is not eq(*pair):
        return None
    first, second = (wholes[v] for v in pair)
    parts = [(*w.elements, w.length).index(v) for w, v in zip((first, second), pair, strict=True)]
    same = first is not second and len(first.elements) == len(second.elements) and parts[0] == parts[1]
    return (first, second) if same else None
