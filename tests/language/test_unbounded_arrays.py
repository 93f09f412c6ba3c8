"""`int[*]` is an array with an element for every integer: one variable, with the steps of an array of elements."""

from __future__ import annotations

from random import Random
from time import monotonic

import pytest

from sa.automata.automaton import Automaton, Edge
from sa.base.limits import Limits
from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.engines.verify import Options, verify
from sa.language.elaborate import program
from sa.language.unparse import show_program
from sa.terms.evaluate import evaluate, holds
from sa.terms.sort import ArraySort, ArrayValue, Value, array_value
from sa.terms.term import Var
from tests.language.texts import complaints, problems_of, program_of, thread_of

SIZE = 3
G = "global a, c : int[N]; global b : bool[N]; global x : int; global k, j : 0..2; "

STATEMENTS = [
    "a[k] := a[j] + 1;",
    "a[0], x := x, a[k];",
    "x := fetch_add(a[j], 2);",
    "x := exchange(a[k], x);",
    "b[j] := cas(a[k], x, 7);",
    "atomic { a[k] := 1; a[j] := a[k] + a[0]; x := a[1]; }",
    "atomic { if (a[j] == x) { a[k] := 3; } else { b[k] := true; } }",
    "a := c;",
    "x := if b[j] then a[k] else c[j];",
    "lock(a[k]);",
    "unlock(a[k]);",
    "atomic { local t : int = a[k]; a[k] := a[j]; a[j] := t; }",
    "await a[k] == 0 { a[k] := 1; }",
    "while (a[k] < a[j]) { a[k] := a[k] + 1; }",
    "while (!cas(a[k], 0, 1)) { skip; }",
    "@show(a[k], b[j]) skip;",
    "assert a[k] == a[j];",
    "a[k], a[j] := a[j], a[k];",
    "a[k], a[j], a[0] := x, a[0], 7;",
    "a[j] := fetch_add(a[k], 1);",
    "a[j] := exchange(a[0], x);",
    "b[j] := cas(a[k], a[0], x);",
]

State = dict[str, Value]


def given(thread: Automaton, state: State) -> dict[Var, Value]:
    """The state as values of a thread's variables: of elements, or of whole arrays."""
    values = dict[Var, Value]()
    for variable in thread.variables:
        sort = variable.var.sort
        if isinstance(sort, ArraySort):
            entries = {i: state[f"{variable.var.name}[{i}]"] for i in range(SIZE)}
            values[variable.var] = array_value(sort, False if sort.element.name == "bool" else 0, dict(entries))
        else:
            values[variable.var] = state.get(variable.var.name, 0)
    return values


def result(edge: Edge, thread: Automaton, state: State) -> tuple[object, ...] | None:
    """Where an edge leads, what it shows, and all elements afterwards; None where it cannot be taken."""
    before = given(thread, state)
    if not holds(edge.guard, before):
        return None
    after = before | {v: evaluate(t, before) for v, t in edge.updates}
    shown = () if edge.label is None else (edge.label.action, *(evaluate(v, before) for v in edge.label.values))
    elements = dict[str, Value]()
    for var, value in after.items():
        if isinstance(value, ArrayValue):
            elements.update({f"{var.name}[{i}]": value[i] for i in range(SIZE)})
        else:
            elements[var.name] = value
    return edge.source, edge.target, shown, tuple(sorted((n, v) for n, v in elements.items()))


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_does_what_it_does_with_an_array_of_elements(statement: str) -> None:
    random = Random(statement)
    listed, whole = (thread_of(f"{G.replace('N', n)} thread T {{ {statement} }}") for n in (str(SIZE), "*"))
    for _ in range(40):
        state: State = {f"{n}[{i}]": random.randrange(3) for n in "ac" for i in range(SIZE)}
        state |= {f"b[{i}]": random.random() < 0.5 for i in range(SIZE)}
        state |= {n: random.randrange(3) for n in "xkj"}
        wanted, found = (
            sorted(str(r) for e in t.edges if (r := result(e, t, state)) is not None) for t in (listed, whole)
        )
        assert wanted == found and wanted


def test_every_integer_is_an_index() -> None:
    thread = thread_of("global a : int[*] = 4; thread T { local i : int; a[i] := a[-i] + 1; }")
    assert [e.label for e in thread.edges if e.label is not None and e.label.action == "fail"] == []


def test_what_is_printed_reads_back() -> None:
    text = G.replace("N", "*") + "init a == everywhere(1) && c[2] == 5; param p : int[*]; thread T { "
    printed = show_program(program_of(text + " ".join(STATEMENTS[:8]) + " havoc a, b[k]; }"))
    assert show_program(program_of(printed)) == printed


def test_steps_are_split_at_elements() -> None:
    text = "global a : int[*] = 0; global x : int = 0; thread T { a[x] := a[1] + a[x]; }"
    assert len(program_of(text, split=True).threads[0].edges) == 6


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("global a : int[*] = {1};", "SA203", "{1}"),
        ("global a : 0..3[*];", "SA208", "0..3"),
        ("enum C { R } global a : C[*];", "SA208", "C"),
        ("global q : seq<int[*], 2>;", "SA208", "int[*]"),
        ("function f(int[*]) : int;", "SA208", "function f(int[*]) : int;"),
        ("axiom forall a : int[*] :: a[0] == 0;", "SA208", "a : int[*]"),
        ("global a : int[*]; thread T { a := 3; }", "SA201", "3"),
        ("global a : int[*]; thread T { a[true] := 1; }", "SA201", "true"),
        ("global a : int[*]; thread T { a[1], a[2 - 1] := 1, 2; }", "SA310", "a[2 - 1]"),
        ("global a : int[*]; thread T { a, a[2] := a, 2; }", "SA310", "a[2]"),
        ("global a : int[*]; thread T { local i : int; a[i] := fetch_add(a[i], 2); }", "SA310", "a[i]"),
        ("global a : int[*]; thread T { lock(a); }", "SA201", "a"),
        ("global a : int[*]; thread T { a := store(a, 1); }", "SA203", "store(a, 1)"),
        ("global a : bool[*]; thread T { a := store(a, 1, 1); }", "SA203", "store(a, 1, 1)"),
        ("global a : int[*]; thread T { assume a < a; }", "SA201", "a"),
    ],
)
def test_wrong_uses_are_said_at_their_place(text: str, code: str, place: str) -> None:
    assert (code, place) in complaints(text if "thread" in text else f"{text} thread T {{ skip; }}")


def test_own_names_go_before_the_functions_that_make_arrays() -> None:
    text = "define store(p) = p + 1; global x : int = 0; thread T { x := store(x); }"
    assert "SA203" not in [p.code for p in problems_of(text)]


def random_program(random: Random, size: str) -> str:
    """Two threads over arrays whose indices are within 0..2."""

    def place() -> str:
        return f"{random.choice('ab')}[{random.choice(('0', '1', '2', 'k', 'k'))}]"

    def value(local: str) -> str:
        return random.choice(("0", "1", "2", place(), "x", local, f"({place()} + 1) % 3"))

    def statement(local: str, depth: int) -> str:
        match random.randrange(8 if depth < 2 else 6):
            case 0 | 1:
                return f"{place()} := {value(local)};"
            case 2:
                return f"{local} := {value(local)};"
            case 3:
                return f"x := {value(local)};"
            case 4:
                return f"k := {random.randrange(3)};"
            case 5:
                return f"@l({value(local)}) {place()} := {value(local)};"
            case 6:
                return f"if ({value(local)} == {value(local)}) {{ {statement(local, depth + 1)} }}"
            case _:
                return f"while ({value(local)} != {value(local)}) {{ {statement(local, depth + 1)} }}"

    lines = [f"global a, b : int[{size}] = 0; global x : int = 0; global k : 0..2 = 0;"]
    for thread in "TU":
        local = f"v{thread}"
        body = " ".join(statement(local, 0) for _ in range(random.randrange(1, 4)))
        lines.append(f"thread {thread} {{ local {local} : int = 0; {body} assert {place()} != {value(local)}; }}")
    lines.append(f"invariant i : {place()} {random.choice(('==', '<=', '!='))} {value('x')};")
    return "\n".join(lines)


def verdicts(text: str) -> list[Verdict]:
    found = verify(program(Source("random.sa", text), False), Options(Limits(monotonic() + 10)))
    return [f.verdict for f in found.findings]


@pytest.mark.parametrize(
    "part", [pytest.param(i, marks=[] if i == 0 else [pytest.mark.fuzz]) for i in range(40)], ids=str
)
def test_claims_have_the_verdicts_that_they_have_with_elements(part: int) -> None:
    for seed in range(part * 12, part * 12 + 12):
        listed, whole = (verdicts(random_program(Random(seed), size)) for size in (str(SIZE), "*"))
        for one, other in zip(listed, whole, strict=True):
            assert one is other or Verdict.UNKNOWN in (one, other), seed


@pytest.mark.parametrize("size", ["2", "*"])
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("second", [0, 1])
def test_two_elements_are_written_at_once_unless_one_gets_two_values(size: str, first: int, second: int) -> None:
    """`a[i], a[j] := x, y` fails exactly where i is j and x is not y."""
    thread = thread_of(
        f"global a : int[{size}]; global x, y : int; thread T {{ local i : 0..1 = {first}; local j : 0..1 = {second};"
        " a[i], a[j] := x, y; }"
    )
    for x, y in ((5, 5), (5, 6)):
        state: dict[Var, Value] = {
            v.var: {"i": first, "j": second, "x": x, "y": y}.get(v.var.name, 0) for v in thread.variables
        }
        for var in state:
            if isinstance(var.sort, ArraySort):
                state[var] = array_value(var.sort, 0, {})
        taken = [e for e in thread.edges if e.source == thread.initial and holds(e.guard, state)]
        (edge,) = taken
        assert (edge.failure is not None) is (first == second and x != y)
        if edge.failure is None:
            after = {**state, **{v: evaluate(t, state) for v, t in edge.updates}}
            elements = [after[v] for v in after if v.name.position is not None]
            (whole,) = [v for v in after.values() if isinstance(v, ArrayValue)] or (None,)
            held = elements if whole is None else [whole[i] for i in range(2)]
            assert held == [{first: x, second: y}.get(i, 0) for i in range(2)]


@pytest.mark.parametrize("size", ["4", "*"])
def test_an_exchange_of_two_elements_cannot_fail(size: str) -> None:
    text = "atomic { a[i], a[j] := a[j], a[i]; } atomic { a[i], a[i + 1] := a[i + 1], a[i]; }"
    thread = thread_of(f"global a : int[{size}]; thread T {{ local i : 0..2; local j : 0..3; {text} }}")
    assert not any(e.failure is not None for e in thread.edges)


def test_a_step_that_may_write_one_element_twice_is_not_split() -> None:
    text = "global a : int[*]; global x : int; thread T {{ local i, j : int; {} }}"
    kept = ("a[i], a[j] := x, 2;", "a[i] := fetch_add(a[j], x);")
    assert all(sum(not e.failure for e in program_of(text.format(s), split=True).threads[0].edges) == 2 for s in kept)
    (split,) = program_of(text.format("a[0], a[1] := x, 2;"), split=True).threads
    assert len(split.edges) > 3
