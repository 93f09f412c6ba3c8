"""Random concurrent programs of C: what can go wrong in them with fused steps and with each elementary step alone.

Where they use the array it is also kept whole, as larger ones are.

`python -m tests.frontends.c.concurrent --count 1000` prints what became of them.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from unittest.mock import patch

from sa.automata.automaton import FAIL, Automaton, Edge, Kind
from sa.automata.program import Program
from sa.automata.ranges import values_of
from sa.frontends.c.parsing import parsed
from sa.frontends.c.read import read
from sa.frontends.c.translate import unit_of
from sa.frontends.c.types import LARGE
from sa.frontends.flow.claims import Asked
from sa.frontends.flow.program import program_of
from sa.frontends.reading import USUAL
from sa.language.reading.keywords import keywords
from sa.terms.build import conjuncts, linear_parts
from sa.terms.evaluate import evaluate, holds
from sa.terms.sort import INT, ArraySort, Value, default_value
from sa.terms.term import ConstantArray, IsZero, Same, Store, Var
from tests.frontends.c.tally import Tally, command, tally

MAX_STATES = 60_000
COMPILER = shutil.which("cc")


def text(random: Random) -> str:
    """Two or three threads over a few variables, locks and pointers; some check what they see."""
    shared = "int x, y = 1, g; _Atomic int a; int *p = &x; pthread_mutex_t m, n; pthread_cond_t c; int arr[2];\n"
    statement = _with_locks if random.random() < 0.6 else _statement
    number = random.randint(2, 3)
    bodies = [[statement(random) for _ in range(random.randint(1, 3 if number == 2 else 2))] for _ in range(number)]
    functions = "".join(
        f"void *f{i}(void *arg) {{ int l = 0, k = 0; {' '.join(body)} return 0; }}\n" for i, body in enumerate(bodies)
    )
    # What the first thread does between creations and joins meets only those that run by then.
    between = [_assignment(random) if random.random() < 0.3 else "" for _ in range(2 * number)]
    create = " ".join(f"pthread_create(&t[{i}], 0, f{i}, 0); {between[i]}" for i in range(number))
    joins = " ".join(f"pthread_join(t[{i}], 0); {between[number + i]}" for i in range(number))
    join = joins if random.random() < 0.6 else ""
    end = f"assert({_condition(random)});" if random.random() < 0.5 else f"assert(g < {random.randrange(1, 5)});"
    main = (
        f"int main(void) {{ pthread_t t[{number}]; int k = 0, l = 0; {_assignment(random)} {create} {join} {end} }}\n"
    )
    return "#include <pthread.h>\n#include <assert.h>\nvoid __VERIFIER_assume(int);\n" + shared + functions + main


def _place(random: Random) -> str:
    return random.choice(["x", "y", "a", "*p", "arr[0]", "arr[x & 1]", "l", "k"])


def _value(random: Random) -> str:
    return random.choice(
        ["0", "1", "2", "x", "y", "a", "*p", "l", "arr[1]", "(x + 1)", "(y + a)", "(l + 1)", "(x & 1)"]
    )


def _condition(random: Random) -> str:
    return f"{_value(random)} {random.choice(['==', '!=', '<', '<='])} {_value(random)}"


def _assignment(random: Random) -> str:
    return random.choice(
        [f"{_place(random)} = {_value(random)} & 3;", "p = &y;", "p = &arr[1];", "a++;", f"l = {_value(random)} & 3;"]
    )


def _guarded(random: Random) -> str:
    """What happens to a variable that has a lock."""
    return random.choice(
        [
            "g = (g + 1) & 3;",
            f"assert(g != {random.randrange(4)});",
            f"if (g == 1) g = {_value(random)} & 3;",
            f"{_place(random)} = g & 3;",
            f"l = g; {_assignment(random)}",
        ]
    )


def _with_locks(random: Random) -> str:
    """A statement of a program that keeps to its locks, most of the time."""
    inner = f"{_guarded(random)} {_guarded(random)}"
    lock, unlock = "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"
    return random.choice(
        [
            f"{lock} {inner} {unlock}",
            f"{lock} {inner} {unlock}",
            f"pthread_mutex_lock(&n); {lock} {inner} {unlock} pthread_mutex_unlock(&n);",
            f"{lock} pthread_mutex_lock(&n); {inner} pthread_mutex_unlock(&n); {unlock}",
            f"if (pthread_mutex_trylock(&{random.choice('mn')}) == 0) {{ {_assignment(random)} }}",
            f"if (!pthread_mutex_trylock(&m)) {{ {inner} {unlock} }} else {{ {_assignment(random)} }}",
            f"{lock} {_guarded(random)} pthread_cond_wait(&c, &m); {_guarded(random)} {unlock}",
            f"{lock} if ({_condition(random)}) {{ {unlock} return 0; }} {inner} {unlock}",
            _assignment(random),
            f"assert({_condition(random)});",
        ]
    )


def _statement(random: Random) -> str:
    inner = f"{_assignment(random)} {_assignment(random)}"
    return random.choice(
        [
            _assignment(random),
            inner,
            f"pthread_mutex_lock(&m); {inner} pthread_mutex_unlock(&m);",
            f"if ({_condition(random)}) {{ {_assignment(random)} }} else {{ {_assignment(random)} }}",
            f"assert({_condition(random)});",
            f"__VERIFIER_assume({_condition(random)});",
            f"while ({_condition(random)} && k < 1) {{ k = k + 1; {_assignment(random)} }}",
            f"__sync_bool_compare_and_swap(&x, {random.choice('01')}, 2);",
            "l = __sync_fetch_and_add(&y, 1) & 3; y = y & 3;",
        ]
    )


def failures(program: Program) -> frozenset[str] | None:
    """The claims of which some run ends in a violation; None where there are too many states."""
    threads = program.threads
    shared = tuple(v.var for v in program.variables)
    local = [tuple(v.var for v in t.variables if v.kind is Kind.LOCAL) for t in threads]
    leaving = [_by_source(t) for t in threads]
    start = (
        tuple(_first(program.init, shared)),
        tuple((t.initial, tuple(_first(t.init, own))) for t, own in zip(threads, local, strict=True)),
    )
    seen, pending, found = {start}, [start], set[str]()
    while pending:
        now, places = pending.pop()
        for i, (place, values) in enumerate(places):
            state = dict(zip(shared, now, strict=True)) | dict(zip(local[i], values, strict=True))
            for edge in leaving[i].get(place, ()):
                for chosen in _chosen(edge):
                    scope = state | chosen
                    if not holds(edge.guard, scope):
                        continue
                    if edge.label is not None and edge.label.action == FAIL:
                        found.add(f"{threads[i].name}: {edge.origin.text}")
                    after = scope | {v: evaluate(t, scope) for v, t in edge.updates}
                    moved = (edge.target, tuple(after[v] for v in local[i]))
                    following = (tuple(after[v] for v in shared), (*places[:i], moved, *places[i + 1 :]))
                    if following not in seen:
                        seen.add(following)
                        pending.append(following)
                        if len(seen) > MAX_STATES:
                            return None
    return frozenset(found)


def _chosen(edge: Edge) -> Iterator[dict[Var, Value]]:
    """All values of the choices of an edge; of an array that nobody has written one will do, for it decides nothing."""
    arrays: dict[Var, Value] = {c.var: default_value(c.var.sort) for c in edge.choices if c.var.sort != INT}
    numbers = [c for c in edge.choices if c.var.sort == INT]
    for row in product(*(values_of(c) or () for c in numbers)):
        yield arrays | dict(zip((c.var for c in numbers), row, strict=True))


def _by_source(thread: Automaton) -> dict[str, list[Edge]]:
    found = dict[str, list[Edge]]()
    for edge in thread.edges:
        assert all(isinstance(c.var.sort, ArraySort) or values_of(c) for c in edge.choices)
        found.setdefault(edge.source, []).append(edge)
    return found


def _first(init: object, variables: tuple[Var, ...]) -> list[Value]:
    values: dict[Var, Value] = {v: default_value(v.sort) for v in variables}
    for conjunct in conjuncts(init):  # type: ignore[arg-type]
        if isinstance(conjunct, IsZero):
            const, parts = linear_parts(conjunct.total)
            ((var, factor),) = parts.items()
            if var in values:
                values[var] = -const // factor  # type: ignore[index]
        elif isinstance(conjunct, Same) and isinstance(conjunct.left, Var | ConstantArray | Store):
            arrays = (conjunct.left, conjunct.right)
            for array, value in (arrays, arrays[::-1]):
                if array in values:
                    values[array] = evaluate(value, {})  # type: ignore[index]
    return [values[v] for v in variables]


def compare(source: str, folder: Path) -> str:
    """What became of a program."""
    path = folder / "prog.c"
    path.write_text(source)
    found = list[frozenset[str] | None]()
    for fused, large in ((True, LARGE[0]), (False, LARGE[0]), (True, 1)):
        if large == 1 and "arr" not in source.split("\n", 4)[4]:
            continue
        read_text = read(str(path), USUAL)
        with patch("sa.frontends.c.types.LARGE", (large, LARGE[1])):
            unit, _ = unit_of(parsed(read_text), USUAL)
        found.append(failures(program_of(unit, read_text.source, keywords(), Asked(fused=fused))))
    if None in found:
        return "too large"
    if len(set(found)) > 1:
        return f"wrong: {found}"
    return "agrees, fails" if found[0] else "agrees"


def run(count: int, seed: int) -> Tally:
    """So many programs; the texts of those that do not agree."""
    return tally(count, seed, _judged)


def _judged(random: Random, folder: Path) -> tuple[str, str]:
    source = text(random)
    return compare(source, folder), source


if __name__ == "__main__":
    command(__doc__, run)
