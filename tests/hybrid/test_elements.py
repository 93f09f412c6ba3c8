"""What holds of every element of an array: found where it holds, and never where a finite array refutes it.

Figures of the random comparison: results_elements.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Kind, variables_of
from sa.automata.program import Program
from sa.base.budget import Budget, unheard
from sa.base.limits import Limits, limits
from sa.base.verdict import Verdict
from sa.certificates.shape import Entry, Malformed
from sa.certificates.threads import Joint
from sa.certificates.threads_json import joint_json, read_joint
from sa.checker.never import check_joint
from sa.checker.ruling import Accepted, Rejected
from sa.engines.engine import Turn
from sa.engines.portfolio_of_claims import ELEMENTS, STATES
from sa.engines.verify import Options, verify
from sa.explicit.simulate import seeded_run
from sa.hybrid.engine import by_elements
from sa.hybrid.exploring import CLAUSES
from sa.question.asked import Asked, Excluded
from sa.question.claims import claims_of
from sa.terms.build import FALSE, eq, integer, select, variable
from sa.terms.evaluate import holds
from sa.terms.sort import BOOL, INT, ArraySort
from sa.terms.substitute import local_of
from sa.terms.term import Var
from tests.certificates.corruption import mutants
from tests.language.texts import program_of

FILLED = """
    param n : int; global a : int[*];
    thread T {{ local i, j, x : int = 0; while (i < n) {{ a[i] := {value}; i := i + {step}; }}
      havoc j; assume 0 <= j && j {least} n; x := a[j]; assert x == {wanted}; }}
"""

QUEUE = """
    global q : int[*]; global head, tail : int = 0;
    thread P {{ local v : int; while (true) {{ havoc v; assume v > {least}; {put} }} }}
    thread C {{ local x : int; while (true) {{ await head < tail; x := q[head]; head := head + 1; assert x > 0; }} }}
"""

REVERSED = """
    param n : int; init n >= 0; global a, b : int[*];
    thread T {{ local i, j : int = 0; while (i < n) {{ b[n - 1 - i] := a[i]; i := i + 1; }}
      havoc j; assume 0 <= j && j < n; assert b[j] == a[{place}]; }}
"""

ONES = """
    param n : int; init n >= 0; global a : int[*]; global back, front, sum : int = 0;
    thread P {{ while (back < n) {{ atomic {{ a[back] := {value}; back := back + 1; }} }} }}
    thread C {{ local j : int = 0;
      while (j < n) {{ atomic {{ if (front < back) {{ sum := sum + a[front]; front := front + 1; j := j + 1; }} }} }}
      assert sum == {wanted}; }}
"""

SORTED = """
    global a : int[*] = 0; global n, last : int = 0;
    thread W {{ local v : int; while (true) {{ havoc v; assume v {least} last; a[n] := v; last := v; n := n + 1; }} }}
    thread R {{ local i, j : int;
      while (true) {{ havoc i; havoc j; assume 0 <= i && i <= j && j < n; assert a[i] <= a[j]; }} }}
"""

GREATEST = """
    param n : int; init n > 0; global a : int[*]; global m : int = 0; global done : bool = false;
    thread M {{ local k : int = 0; m := a[0]; while (k < n) {{ if (a[k] > m) {{ m := a[k]; }} k := k + 1; }}
      done := true; }}
    thread R {{ local x, j : int = 0; await done; x := m; havoc j; assume 0 <= j && j {least} n; assert a[j] <= x; }}
"""

RING = """
    global q : int[*] = 0; global head, tail : int = 0;
    thread P {{ local n : int = 0;
      while (true) {{ await tail - head < 4; q[tail % 4] := n; tail := tail + 1; n := n + 1; }} }}
    thread C {{ local x, e : int = 0;
      while (true) {{ await head < tail; x := q[head % 4]; head := head + 1; assert x == e; e := e + 1; }} }}
"""

CASES = {
    "what one thread writes another adds up": (ONES.format(value="1", wanted="n"), True),
    "and it is something else": (ONES.format(value="2", wanted="n"), False),
    "a loop fills an array": (FILLED.format(value="7", step=1, least="<", wanted="7"), True),
    "beyond its end": (FILLED.format(value="7", step=1, least="<=", wanted="7"), False),
    "every second element": (FILLED.format(value="7", step=2, least="<", wanted="7"), False),
    "with the index": (FILLED.format(value="i + 1", step=1, least="<", wanted="j + 1"), True),
    "a queue keeps what its elements are": (QUEUE.format(least=0, put="q[tail] := v; tail := tail + 1;"), True),
    "a queue that is told of too early": (QUEUE.format(least=0, put="tail := tail + 1; q[tail - 1] := v;"), False),
    "any element may be written": (
        """global a : int[*] = 0;
        thread W { local i, v : int; while (true) { havoc i; havoc v; assume v % 2 == 0; a[i] := v; } }
        thread R { local i, x : int; while (true) { havoc i; x := a[i]; assert x % 2 == 0; } }""",
        True,
    ),
    "an array of truth values": (
        """global a : bool[*] = false; global n : int = 0; thread W { while (true) { a[n] := true; n := n + 1; } }
        thread R { local i : int; while (true) { havoc i; assume 0 <= i && i < n; assert a[i]; } }""",
        True,
    ),
    "an array that nobody writes is copied in reverse": (REVERSED.format(place="n - 1 - j"), True),
    "a copy in reverse that is one off": (REVERSED.format(place="n - j"), False),
    "an array that is read to read it, and is set as a whole": (
        """global m : int[*] = 1; global y : int = 0; thread A { m := everywhere(0); y := -1; y := 2; }
        thread B { local v : int = 1; v := m[m[1]]; if (v == 5) { y := 4; } } invariant below : m[2] <= y;""",
        False,
    ),
    "elements are in order": (SORTED.format(least=">="), True),
    "the greatest element, told by a copy of a copy": (GREATEST.format(least="<"), True),
    "the greatest element but for one": (GREATEST.format(least="<="), False),
    "a ring in an array keeps its order": (RING.format(), True),
}


def answers(text: str) -> Iterator[Excluded]:
    program = program_of(text)
    bads = tuple(b for c in claims_of(program) for b in c.bads)
    asked = Asked(program.threads, bads, program.axioms)
    yield from by_elements(CLAUSES, asked, Budget(limits(30.0, None)), unheard)


@pytest.mark.parametrize(("text", "holds"), CASES.values(), ids=CASES)
def test_what_holds_of_every_element_is_found(text: str, holds: bool) -> None:
    found = list(answers(text))
    assert bool(found) == holds
    for answer in found:
        assert isinstance(answer.evidence, Joint)
        assert check_joint(answer.evidence, Limits()) == Accepted()


@pytest.mark.fuzz
def test_elements_of_which_only_neighbours_differ_are_not_in_order() -> None:
    assert not list(answers(SORTED.format(least="!=")))


def proof() -> Joint:
    """A proof that speaks of every element."""
    (answer,) = answers(CASES["a loop fills an array"][0])
    assert isinstance(answer.evidence, Joint)
    return answer.evidence


def test_a_proof_with_indices_is_read_as_it_was_written() -> None:
    made = proof()
    numbered = {(0, n): bad for n, bad in enumerate(made.never)}
    assert read_joint(Entry(joint_json(made, numbered)), made.threads, numbered, made.axioms) == made


@pytest.mark.parametrize(
    "name", ["n", "T.i", "a", "T.j?1"], ids=["a parameter", "a local", "an array", "a choice of a step"]
)
def test_what_the_program_knows_is_no_index(name: str) -> None:
    made = proof()
    ruling = check_joint(replace(made, indices=(*made.indices, variable(name))), Limits())
    assert isinstance(ruling, Rejected) and ruling.obligation == "well-formed threads"


@pytest.mark.parametrize("false", [variable("k", BOOL), variable("k", primes=1)], ids=["no integer", "a next value"])
def test_indices_are_integers(false: Var) -> None:
    made = proof()
    assert isinstance(check_joint(replace(made, indices=(*made.indices, false)), Limits()), Rejected)


def test_an_index_that_is_not_named_is_unknown() -> None:
    assert isinstance(check_joint(replace(proof(), indices=()), Limits()), Rejected)


def test_what_holds_of_one_index_only_is_no_invariant() -> None:
    made = proof()
    (index,) = made.indices
    array = next(v.var for v in made.threads[0].variables if v.var.name == "a")
    for said in (eq(index, integer(0)), eq(select(array, index), integer(7))):
        false = tuple((places, said) for places, _ in made.invariants)
        ruling = check_joint(replace(made, invariants=false), Limits())
        assert isinstance(ruling, Rejected) and ruling.obligation == "initial invariant"


def test_an_index_is_not_the_function_of_its_name() -> None:
    text = "function c() : int; global a : int[*] = 0; global x : int = 0; thread T { x := c(); a[0] := 1; }"
    program = program_of(f"{text} invariant f : a[0] + a[1] <= 0;")
    (asked,) = claims_of(program)
    a, c = variable("a", ArraySort(INT, INT)), variable("c")
    known = {"q0": eq(select(a, c), integer(0))}
    said = tuple(((q.name,), known.get(q.name, eq(variable("x"), c))) for q in program.threads[0].locations)
    made = Joint(program.threads, said, asked.bads, (), indices=(c,))
    ruling = check_joint(made, Limits())
    assert isinstance(ruling, Rejected) and ruling.obligation == "inductive invariant"


def is_true(made: Joint, program: Program) -> bool:
    """Whether the invariants hold in the states of some random runs, for indices around those that are used."""
    known = dict(made.invariants)
    for seed in range(6):
        run = seeded_run(program, seed, 30)
        for shot in (run.start, *(t.after for t in run.turns)):
            places, values = tuple(shot.threads[t.name].location for t in program.threads), dict(shot.shared)
            for thread in program.threads:
                there = shot.threads[thread.name].values
                values |= {local_of(v, thread.name): there[v] for v in variables_of(thread, Kind.LOCAL)}
            said = known.get(places, FALSE)
            if not all(holds(said, {**values, **dict.fromkeys(made.indices, k)}) for k in range(-2, 8)):
                return False
    return True


def judge_changed(name: str, rng: Random, most: int) -> Counter[str]:
    """How many proofs with one change are accepted, and how many of these say what is not so."""
    program, counted = program_of(CASES[name][0]), Counter[str]()
    for answer in answers(CASES[name][0]):
        made = answer.evidence
        assert isinstance(made, Joint) and is_true(made, program)
        numbered = {(0, n): bad for n, bad in enumerate(made.never)}
        for mutant in mutants(joint_json(made, numbered), rng, most):
            try:
                changed = read_joint(Entry(mutant.document), made.threads, numbered, made.axioms)
            except Malformed:
                counted["unreadable"] += 1
                continue
            accepted = isinstance(check_joint(changed, Limits()), Accepted)
            counted["accepted" if accepted else "rejected"] += 1
            counted["wrong"] += accepted and not is_true(changed, program)
    return counted


HOLDING = [name for name, (_, holds_) in CASES.items() if holds_]


def test_a_changed_proof_of_every_element_is_rejected_or_true() -> None:
    counted = judge_changed(HOLDING[0], Random(1), 60)
    assert not counted["wrong"] and counted["rejected"] and counted["accepted"]


@pytest.mark.fuzz
@pytest.mark.parametrize("name", HOLDING)
def test_many_changed_proofs_of_every_element_are_rejected_or_true(name: str) -> None:
    assert not judge_changed(name, Random(7), 400)["wrong"]


def random_program(random: Random, finite: bool) -> str:
    """Threads that fill, copy, read and check arrays; over elements 0..2 and indices 0..3, or without any ranges."""
    element, place, array = ("0..2", "0..4", "0..2[5]") if finite else ("int", "int", "int[*]")

    def value() -> str:
        return random.choice(("0", "1", "1", "2", "x", "b[i]", "a[i]", "(a[i] + 1) % 3"))

    def end() -> str:
        return random.choice(("n", "n", "3"))

    def phase() -> str:
        into = random.choice("aab")
        match random.randrange(5):
            case 0 | 1:
                return f"i := {random.choice('001')}; while (i < {end()}) {{ {into}[i] := {value()}; i := i + 1; }}"
            case 2:
                return f"i := {end()}; while (i > 0) {{ i := i - 1; {into}[i] := {value()}; }}"
            case 3:
                return f"havoc i; assume 0 <= i && i < {end()}; {into}[i] := {value()};"
            case _:
                test = f"{into}[i] {random.choice(('==', '!=', '<='))} {random.randrange(3)}"
                return f"i := 0; while (i < {end()}) {{ if ({test}) {{ {into}[i] := {value()}; }} i := i + 1; }}"

    def check() -> str:
        # What is claimed is claimed of a place that nothing is known of.
        op, other = random.choice(("==", "==", "<=", "!=", ">=")), random.choice(("0", "1", "2", "b[i]"))
        return f"havoc i; assume 0 <= i && i < {end()}; assert a[i] {op} {other};"

    known = random.choice(("init true;", "init forall k : 0..4 :: a[k] == 1 && b[k] == 1;"))
    if not finite:
        known = "" if known == "init true;" else "init a == everywhere(1) && b == everywhere(1);"
    lines = [f"param n : {'0..3' if finite else 'int'}; global a, b : {array}; global d : bool = false; {known}"]
    body = " ".join(phase() for _ in range(random.randrange(1, 3)))
    lines.append(f"thread T {{ local i : {place} = 0; local x : {element} = 0; {body} d := true; {check()} }}")
    if random.random() < 0.6:
        start = random.choice(("await d;", "")) + (phase() if random.random() < 0.5 else "")
        lines.append(f"thread U {{ local i : {place} = 0; local x : {element} = 0; {start} {check()} }}")
    return "\n".join(lines)


def judge(seeds: Iterable[int], seconds: float = 6.0) -> tuple[Counter[str], list[int]]:
    """How many claims were answered how, and the programs of which one is said to hold and has a run that breaks it."""
    counted, wrong = Counter[str](), list[int]()
    for seed in seeds:
        whole, listed = (program_of(random_program(Random(seed), finite)) for finite in (False, True))
        outcome = verify(whole, Options(limits(seconds, None), portfolio=(Turn(ELEMENTS, 1.0),)))
        proved = [f.verdict is Verdict.PROVED for f in outcome.findings]
        counted.update("proved" if p else "unknown" for p in proved)
        if any(proved):
            judged = verify(listed, Options(limits(20.0, None), portfolio=(Turn(STATES, 1.0),)))
            fails = {f.claim.name for f in judged.findings if f.verdict is Verdict.REFUTED}
            wrong += (seed for f, p in zip(outcome.findings, proved, strict=True) if p and f.claim.name in fails)
    return counted, wrong


def test_what_is_proved_of_every_element_holds_of_finite_arrays() -> None:
    counted, wrong = judge((17, 6), 100.0)
    assert not wrong
    assert counted["proved"] and counted["unknown"]


@pytest.mark.fuzz
@pytest.mark.parametrize("first", range(1_000, 1_400, 100))
def test_what_is_proved_of_every_element_holds_of_many_finite_arrays(first: int) -> None:
    assert not judge(range(first, first + 100))[1]


def random_ring(random: Random) -> str:
    """A producer and a consumer of what is in a ring; its room and the places may be wrong by one."""
    size, room, first = random.choice((2, 3)), random.choice((1, 2, 2, 3)), random.choice(("0", "0", "1"))
    put, get = random.choice(("t", "t", "t + 1")), random.choice(("h", "h", "h + 1"))
    value, wanted = random.choice((("t", "x == h"), ("t + 1", "x == h + 1"), ("1", "x == 1"), ("t", "x <= h")))
    told = random.choice(("", "t := t + 1;"))
    return f"""
        global q : int[*] = {first}; global h, t : int = {first};
        thread P {{ while (true) {{ await t - h < {room}; {told} q[({put}) % {size}] := {value};
          {"" if told else "t := t + 1;"} }} }}
        thread C {{ local x : int = 0;
          while (true) {{ await h < t; x := q[({get}) % {size}]; assert {wanted}; h := h + 1; }} }}"""


def judge_rings(seeds: Iterable[int]) -> tuple[Counter[str], list[int]]:
    """How many claims were proved, and the rings of which one is proved though a short run breaks it."""
    counted, wrong = Counter[str](), list[int]()
    for seed in seeds:
        program = program_of(random_ring(Random(seed)))
        found, runs = (
            verify(program, Options(limits(20.0, None), portfolio=(Turn(engine, 1.0),))).findings
            for engine in (ELEMENTS, STATES)
        )
        for one, other in zip(found, runs, strict=True):
            counted[f"{one.verdict.value} {other.verdict.value}"] += 1
            wrong += [seed] if {one.verdict, other.verdict} == {Verdict.PROVED, Verdict.REFUTED} else []
    return counted, wrong


@pytest.mark.fuzz
@pytest.mark.parametrize("first", range(0, 90, 30))
def test_what_is_proved_of_rings_has_no_run_that_breaks_it(first: int) -> None:
    assert not judge_rings(range(first, first + 30))[1]
