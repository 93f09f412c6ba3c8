"""A program within bounds as one sequential C program, for other tools (lazy sequentialization).

The threads are unwound (`dag.py`). In each round each thread has a turn: it goes on from the point where it is, up to
a point that is not determined. Where a thread is is computed and not guessed: a step that cannot be taken leaves it
where it is, and what it did stands. What is bad is looked for at the end, since each state is the last one of a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import indent
from typing import assert_never

from msgspec import Struct

from sa.automata.automaton import Variable
from sa.base.limits import Limits, Unsupported
from sa.base.source import position
from sa.bounded.c_terms import MODULO, QUOTIENT, Text, identifiers, numeral
from sa.bounded.dag import Danger, Hop, first_values
from sa.bounded.search import Task
from sa.bounded.spans import Spans, spans
from sa.explicit.system import Act
from sa.terms.bounds import interval_of
from sa.terms.build import TRUE, conjuncts, constant, integer, land, le
from sa.terms.sort import INT, ArraySort, BoolSort, EnumSort, IntSort, Sort, number
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Bits of numbers of unknown size: as many as those of C have, or fewer where products would be too large.
WIDTHS = (31, 24, 16, 12)

_BEGIN = """
#include <assert.h>

typedef long long number;
extern int __VERIFIER_nondet_int(void);
extern number __VERIFIER_nondet_longlong(void);
extern void __VERIFIER_assume(int);
void reach_error(void) { assert(0); }
"""


class _Work(Struct, frozen=True, eq=False):
    """`names` are identifiers of variables, choices among them; `at` and `turn` those of threads."""

    task: Task
    spans: Spans
    names: Mapping[Var, str]
    at: Sequence[str]
    turn: Sequence[str]


def sequential(task: Task, rounds: int, order: Sequence[int]) -> str:
    """The program, which calls `reach_error` in some run if and only if something bad happens within the bounds.

    In each round the threads have their turns in this `order`.

    Raises Unsupported for arrays without bounds, functions, and products of numbers of unknown size.
    """
    for width in WIDTHS[:-1]:
        try:
            return _sequential(task, rounds, order, width)
        except Unsupported:
            continue
    return _sequential(task, rounds, order, WIDTHS[-1])


def _sequential(task: Task, rounds: int, order: Sequence[int], width: int) -> str:
    s = task.system
    choices = [c.var for dag in task.dags for h in dag.hops for c in h.choices]
    choices += [c.var for dag in task.dags for d in dag.dangers for c in d.act.choices]
    variables = list(dict.fromkeys((*variables_read(task), *choices)))
    at, turn = ([f"{what} {t.name}" for t in s.threads] for what in ("point of", "turn of"))
    names = identifiers((*(v.name for v in variables), *at, *turn))
    found = spans(s, task.dags, width, Limits())
    work = _Work(task, found, {v: names[v.name] for v in variables}, [names[a] for a in at], [names[t] for t in turn])
    turns = [_turn(work, thread) for thread, dag in enumerate(task.dags) if dag.hops]
    program = "\n".join((*_globals(work), *turns, _begin(work), _end(work), _main(work, rounds, order)))
    helpers = "".join(text for name, text in (("modulo", MODULO), ("quotient", QUOTIENT)) if f"{name}(" in program)
    return "\n".join((_header(work, rounds), _BEGIN, helpers + program))


def variables_read(task: Task) -> list[Var]:
    """The variables that something depends on."""
    s = task.system
    fixed = first_values(s)
    read = {v for c in conjuncts(s.init) for v in c.free if v not in fixed}.union(*(c.free for c in s.claims if c))
    for dag in task.dags:
        read.update(*(t.free for h in dag.hops for t in (h.condition, *h.updates.values())))
        read.update(*(danger.condition.free for danger in dag.dangers))
    return [v for v in s.variables if v in read]


def _header(work: _Work, rounds: int) -> str:
    threads = ", ".join(t.name for t in work.task.system.threads)
    text = [
        f"/* Threads as one sequential program: {threads}.",
        f"   Each has a turn in each of {rounds} rounds; each loop goes around at most {work.task.unwind} times.",
        "   `reach_error` is called in some run if and only if something that is claimed is violated in such rounds.",
    ]
    if work.spans.guessed and work.spans.width is not None:
        text.append(f"   Numbers of unknown size are at most {2**work.spans.width - 1}; runs with others are left out.")
    return "\n".join(text) + " */"


def _globals(work: _Work) -> Iterator[str]:
    for v in variables_read(work.task):
        yield f"static number {work.names[v]};"
    for thread, dag in enumerate(work.task.dags):
        yield f"static int {work.at[thread]};"
        if _is_asked_where(work, thread):
            places = ", ".join(map(str, dag.places))
            yield f"static const int {_place(work, thread)}[] = {{{places}}};"
    yield ""


def _is_asked_where(work: _Work, thread: int) -> bool:
    s = work.task.system
    counter, dag = s.counters[thread], work.task.dags
    terms = [*(c for c in s.claims if c is not None), s.init]
    terms += [t for d in dag for h in d.hops for t in (h.condition, *h.updates.values())]
    terms += [danger.condition for d in dag for danger in d.dangers]
    return any(counter in t.free for t in terms)


def _place(work: _Work, thread: int) -> str:
    return f"places_of_{work.at[thread]}"


def _text(work: _Work, terms: Sequence[Term], choices: Sequence[Variable] = ()) -> Text:
    s = work.task.system
    names, ends = dict(work.names), dict(work.spans.of)
    for thread, counter in enumerate(s.counters):
        names[counter] = f"{_place(work, thread)}[{work.at[thread]}]"
        ends[counter] = 0, max(work.task.dags[thread].places)
    ends.update((c.var, _ends(work, c)) for c in choices if isinstance(c.var.sort, IntSort))
    return Text(terms, names, ends)


def _ends(work: _Work, choice: Variable) -> tuple[int, int]:
    """As in `rounds.chosen`."""
    assert work.spans.width is not None
    widest = 2**work.spans.width
    low = -widest if choice.low is None else choice.low
    high = max(low, widest) if choice.high is None else choice.high
    return min(low, high), high


def _turn(work: _Work, thread: int) -> str:
    """What a thread does in its turn, point by point in an order that all steps go along."""
    dag, at = work.task.dags[thread], work.at[thread]
    lines = [f"static void {work.turn[thread]}(void) {{", "    int until = __VERIFIER_nondet_int();"]
    for point in range(len(dag.places)):
        hops = [h for h in dag.hops if h.source == point]
        if hops:
            lines.append(f"    if ({at} == {point} && {at} < until) {{")
            lines.append(indent("\n".join(_ways(work, thread, hops)), " " * 8))
            lines.append("    }")
    return "\n".join((*lines, "}", ""))


def _ways(work: _Work, thread: int, hops: Sequence[Hop]) -> Iterator[str]:
    """The steps at a point: the only one, one of two of which exactly one can be taken, or any of several."""
    if len(hops) > 1:
        yield "int way = __VERIFIER_nondet_int();"
    for number_, hop in enumerate(hops):
        for act, _ in hop.acts:
            yield f"/* {_where(act)} */"
        body = "\n".join(_step(work, thread, hop))
        if len(hops) > 1:
            yield f"if (way == {number_}) {{"
            yield indent(body, "    ")
            yield "}"
        else:
            yield body


def _where(act: Act) -> str:
    origin = act.arc.edge.origin
    line = "" if origin.span is None else f"{position(origin.span.source, origin.span.start).line}: "
    return line + origin.text.replace("*/", "* /").replace("/*", "/ *")


def _step(work: _Work, thread: int, hop: Hop) -> Iterator[str]:
    """A step: it is taken where its condition holds and all numbers of unknown size stay within bounds."""
    yield from _choices(work, hop.choices)
    updates = {v: t for v, t in hop.updates.items() if t is not v and v in work.names}
    fits = (_within(work, v, t, hop.choices) for v, t in updates.items() if v in work.spans.guessed)
    condition = land(hop.condition, *fits)
    text = _text(work, (condition, *updates.values()), hop.choices)
    yield from text.lines
    writes = [f"{work.names[v]} = {text.whole(t)};" for v, t in updates.items()]
    if any(v in t.free for u, t in updates.items() for v in updates if v is not u):
        writes = [f"const number n{n}_ = {text.whole(t)};" for n, t in enumerate(updates.values())]
        writes += [f"{work.names[v]} = n{n}_;" for n, v in enumerate(updates)]
    writes.append(f"{work.at[thread]} = {hop.target};")
    if condition is TRUE:
        yield from writes
        return
    yield f"if ({text.whole(condition)}) {{"
    yield from (f"    {line}" for line in writes)
    yield "}"


def _within(work: _Work, v: Var, term: Term, choices: Sequence[Variable] = ()) -> Term:
    """That the new value of a variable is within its bounds, as far as that is not clear."""
    low, high = work.spans.of[v]
    known = {**work.spans.of, **{c.var: _ends(work, c) for c in choices if c.var.sort == INT}}
    least, most = interval_of(term, known)
    if least is not None and most is not None and low <= least and most <= high:
        return TRUE
    return land(le(integer(low), term), le(term, integer(high)))


def _choices(work: _Work, choices: Sequence[Variable]) -> Iterator[str]:
    for c in choices:
        yield f"const number {work.names[c.var]} = {_any(c.var.sort)};"
        if isinstance(c.var.sort, IntSort) and (c.low is None or c.high is None):
            low, high = _ends(work, c)
            name = work.names[c.var]
            yield f"__VERIFIER_assume({numeral(low)} <= {name} && {name} <= {numeral(high)});"


def _any(sort: Sort) -> str:
    match sort:
        case BoolSort():
            return "__VERIFIER_nondet_int() != 0"
        case IntSort():
            return "__VERIFIER_nondet_longlong()"
        case EnumSort(_, constructors):
            return f"modulo(__VERIFIER_nondet_int(), {len(constructors)})"
        case ArraySort():
            raise Unsupported("arrays without bounds, in C")
        case _:
            assert_never(sort)


def _begin(work: _Work) -> str:
    """Any initial state."""
    s = work.task.system
    fixed = first_values(s)
    lines = ["static void begin(void) {"]
    read = variables_read(work.task)
    for v in read:
        x = fixed.get(v)
        lines.append(f"    {work.names[v]} = {_any(v.sort) if x is None else numeral(number(x))};")
    ends = [(v, work.spans.of[v]) for v in read if v not in fixed and v in work.spans.of]
    init = substitute(s.init, {v: constant(x, v.sort) for v, x in fixed.items()})
    init = land(init, *(land(le(integer(low), v), le(v, integer(high))) for v, (low, high) in ends))
    text = _text(work, (init,))
    lines += [indent(line, "    ") for line in text.lines]
    if init is not TRUE:
        lines.append(f"    __VERIFIER_assume({text.whole(init)});")
    return "\n".join((*lines, "}", ""))


def _end(work: _Work) -> str:
    """What is bad about the last state, or can go wrong there."""
    s = work.task.system
    lines = ["static void end(void) {"]
    for thread, dag in enumerate(work.task.dags):
        for danger in dag.dangers:
            lines += [f"    if ({work.at[thread]} == {danger.point}) {{", f"        /* {_where(danger.act)} */"]
            lines.append(indent("\n".join(_goes_wrong(work, danger)), " " * 8))
            lines.append("    }")
    for claim in s.claims:
        if claim is not None:
            text = _text(work, (claim,))
            lines += ["    {", *(indent(line, " " * 8) for line in text.lines)]
            lines += [f"        if (!{text.of(claim)}) reach_error();", "    }"]
    return "\n".join((*lines, "}", ""))


def _goes_wrong(work: _Work, danger: Danger) -> Iterator[str]:
    yield from _choices(work, danger.act.choices)
    text = _text(work, (danger.condition,), danger.act.choices)
    yield from text.lines
    yield f"if ({text.whole(danger.condition)}) reach_error();"


def _main(work: _Work, rounds: int, order: Sequence[int]) -> str:
    lines = ["int main(void) {", "    begin();"]
    for n in range(1, rounds + 1):
        lines.append(f"    /* round {n} */")
        lines += [f"    {work.turn[thread]}();" for thread in order if work.task.dags[thread].hops]
    return "\n".join((*lines, "    end();", "    return 0;", "}", ""))
