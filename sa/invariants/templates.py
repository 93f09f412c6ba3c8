"""Numbers that equations add up: variables, what is read through an index, what a thread has with it somewhere.

"What all accounts have is what they began with, less what is on its way" is such an equation: a thread has an amount
with it from where it takes the amount off one account to where it adds it to another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton, Kind
from sa.automata.live import live
from sa.automata.rename import apart
from sa.explicit.transition_system import Whole
from sa.invariants.features import Seen, Word
from sa.terms import build
from sa.terms.compile import Row, compiled, executable
from sa.terms.evaluate import Unevaluable
from sa.terms.sort import INT, Value
from sa.terms.term import Ite, Term, Var, subterms

#: Variables with many values, terms that are read, and amounts on their way, at most.
NUMBERS, READ, CARRIED = 12, 12, 100

#: The amounts of a state, and its words.
Look: TypeAlias = tuple[Sequence[int], Sequence[Value]]


class Amount(Struct, frozen=True, eq=False):
    """A number in each state; it counts only in states with the word `while_`, if there is one."""

    term: Term
    value: Callable[[Row], Value]
    while_: Word | None = None
    shared: bool = False


def looked_at(amounts: Sequence[Amount], row: Row, words: Sequence[Value]) -> Look:
    """The amounts of a state with these words."""
    return [_amount(a, row, words) for a in amounts], words


def _amount(amount: Amount, row: Row, words: Sequence[Value]) -> int:
    if amount.while_ is not None and words[amount.while_[0]] != amount.while_[1]:
        return 0
    try:
        value = amount.value(row)
    except Unevaluable:
        return 0
    assert isinstance(value, int)
    return value


def amounts_of(w: Whole, seen: Seen) -> tuple[Amount, ...]:
    """What equations may add up; none where no variable has many values, or too many have. What several threads
    have in common comes last.
    """
    small = frozenset(f.small for f in seen.features)
    variables = {v.var: v for v in w.variables}
    numbers = [v for v in w.order[len(w.threads) :] if v.sort == INT and v not in small]
    if not 0 < len(numbers) <= NUMBERS:
        return ()
    entry = {v: w.order.index(v) for v in numbers}
    own = [v for v in numbers if variables[v].kind is Kind.LOCAL]
    carried = [
        a
        for t, index in zip(w.threads, range(len(w.threads)), strict=True)
        for a in _carried(seen, apart(t), index, entry)
    ]
    plain = [Amount(v, _entry(entry[v]), shared=v not in own) for v in sorted(numbers, key=lambda v: v not in own)]
    return (*(carried if len(carried) <= CARRIED else ()), *_read(w, frozenset(numbers)), *plain)


def _entry(index: int) -> Callable[[Row], Value]:
    return lambda row: row[index]


def _carried(seen: Seen, thread: Automaton, index: int, entry: Mapping[Var, int]) -> Iterator[Amount]:
    """Locals of a thread while it is where they are read later on."""
    read_later = live(thread, frozenset(v.var for v in thread.variables if v.kind is not Kind.LOCAL))
    for var in (v.var for v in thread.variables if v.kind is Kind.LOCAL and v.var in entry):
        for place, location in enumerate(thread.locations):
            if var in read_later[location.name] and place in seen.with_word[index]:
                here = seen.features[index].says(place)
                yield Amount(build.ite(here, var, build.ZERO), _entry(entry[var]), (index, place))


def _read(w: Whole, numbers: frozenset[Var]) -> Iterator[Amount]:
    """What is read of several variables, of which others choose one."""
    terms = (t for here in w.arcs for arcs in here for a in arcs for t in (a.guard, *a.updates.values()))
    found = dict.fromkeys(t for t in subterms(terms) if isinstance(t, Ite) and _chooses(t, numbers))
    for term in list(found)[:READ]:
        if executable((term,), w.order):
            yield Amount(term, compiled(term, w.order))


def _chooses(term: Term, numbers: frozenset[Var]) -> bool:
    """Whether a term is one of several numbers."""
    if not isinstance(term, Ite):
        return False
    return all(part in numbers or _chooses(part, numbers) for part in (term.positive, term.negative))
