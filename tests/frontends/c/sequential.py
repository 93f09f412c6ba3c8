"""Random functions of C without threads, run by gcc with its sanitizer and as automata.

`python -m tests.frontends.c.sequential --count 10000` prints what became of them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from unittest.mock import patch

from sa.automata.automaton import EXIT, Automaton, Edge
from sa.base.diagnostic import InputError
from sa.frontends.c.types import LARGE
from sa.frontends.load import load_program
from sa.terms.build import conjuncts, linear_parts
from sa.terms.evaluate import evaluate, holds
from sa.terms.sort import Value, default_value
from sa.terms.term import IsZero, Same, Var

TYPES = (
    "int",
    "int",
    "int",
    "unsigned int",
    "unsigned char",
    "signed char",
    "short",
    "unsigned short",
    "long",
    "_Bool",
)
GLOBALS = 5
COMPILER = shutil.which("gcc")
#: Functions a run of the compiler.
BATCH = 40
MAX_STEPS = 20_000
#: What tests of values end with, and what the last one does.
ENDS = "void reach_error(void); void __sacheck_assert(_Bool);"


class Generator:
    """A random function over some globals, an array, a structure and locals; loops have few rounds."""

    def __init__(self, random: Random, number: int) -> None:
        self.random, self.number = random, number
        self.kinds = [random.choice(TYPES) for _ in range(GLOBALS)]
        self.locals = [(f"v{i}", random.choice(TYPES)) for i in range(3)]
        self.loops = 0

    def names(self) -> list[str]:
        """The places whose values are compared at the end."""
        n = self.number
        arrays = (f"{a}[{i}]" for a in (f"a{n}", f"b{n}[1]") for i in range(3))
        inner = (f"t{n}[{i}].{part}" for i in range(3) for part in ("k", "m[0]", "m[1]"))
        return [*(f"g{n}_{i}" for i in range(GLOBALS)), *arrays, *inner, f"s{n}.x", f"s{n}.y", f"t{n}[2].u"]

    def declarations(self) -> str:
        """The globals."""
        n, lines = self.number, list[str]()
        for i, kind in enumerate(self.kinds):
            lines.append(f"{kind} g{n}_{i} = {self.random.randint(0, 3)};")
        lines.append(
            f"int a{n}[3] = {{1, 2}}; struct {{ short x; struct {{ int z; }} in; unsigned y; }} s{n} = {{.y = 3}};"
        )
        lines.append(
            f"int b{n}[2][3] = {{{{4}}, {{5, 6}}}}; struct {{ int k, m[2]; unsigned char u; }} t{n}[3] = {{{{7}}}};"
        )
        other = f"{self.random.choice(TYPES)} h{n}({self.random.choice(TYPES)} p, int *q) {{ *q = *q + 1;"
        lines.append(f"{other} return p {self.random.choice(['+ 1', '> 2', '* 2', '- *q'])}; }}")
        return "\n".join(lines)

    def function(self) -> str:
        """The function."""
        lines = [
            f"void f{self.number}(void) {{",
            "int i0, i1, i2, i3, i4, i5, i6, i7; int w = 2, one = 1; int *p = &w;",
        ]
        lines += [f"{kind} {name} = {self.random.randint(-2, 5)};" for name, kind in self.locals]
        lines += [self.statement(2) for _ in range(self.random.randint(2, 6))]
        return "\n".join([*lines, "}"])

    def place(self) -> str:
        """Something that can be assigned to."""
        n = self.number
        choices = [f"g{n}_{self.random.randrange(GLOBALS)}"] * 3 + [name for name, _ in self.locals]
        choices += [
            f"a{n}[{self.index()}]",
            f"s{n}.x",
            f"s{n}.y",
            f"s{n}.in.z",
            "(*p)",
            "w",
            f"(&t{n}[0])[{self.index()}].k",
        ]
        choices += [
            f"b{n}[{self.index(2)}][{self.index()}]",
            f"t{n}[{self.index()}].m[{self.index(2)}]",
            f"t{n}[{self.index()}].u",
        ]
        return self.random.choice(choices)

    def index(self, size: int = 3) -> str:
        """An index of an array, sometimes a computed one."""
        constants = [str(i) for i in range(size)]
        own = [f"one + (({self.simple()}) & 1)"] if size == 3 else ["one"]
        return self.random.choice([*constants, *own, f"(unsigned){self.simple()} % {size}", f"({self.simple()}) & 1"])

    def simple(self) -> str:
        """A variable or a constant."""
        n = self.number
        number = str(self.random.choice([0, 1, 2, 3, 7, -1, -5, 100, 255, 1000]))
        return self.random.choice(
            [f"g{n}_{self.random.randrange(GLOBALS)}", self.random.choice(self.locals)[0], "w", number]
        )

    def expression(self, depth: int) -> str:
        """An expression."""
        r = self.random
        if depth == 0 or r.random() < 0.2:
            return r.choice([self.simple(), self.place()])
        one, two = self.expression(depth - 1), self.expression(depth - 1)
        form = r.randrange(14)
        if form < 4:
            return f"({one} {r.choice('+-*')} {two})"
        if form < 6:
            return f"({one} {r.choice(['==', '!=', '<', '<=', '>', '>='])} {two})"
        if form == 6:
            return f"({one} {r.choice(['&&', '||'])} {two})"
        if form == 7:
            return f"({one} ? {two} : {self.simple()})"
        if form == 8:
            return f"({r.choice(['!', '-', '~', '+'])} {one})"
        if form == 9:
            return f"(({r.choice(TYPES)}){one})"
        if form == 10:
            return f"({one} {r.choice(['/', '%'])} {r.choice(['1', '2', '3', '7', '-4'])})"
        if form == 11:
            return f"(({r.choice(['unsigned char', '_Bool'])}){one} {r.choice('&|^')} ({one} > {two}))"
        if form == 12:
            return f"((unsigned){one} {r.choice(['<<', '>>'])} {r.randint(0, 4)})"
        return f"({one} & {r.choice(['1', '3', '7', '255', '4'])})"

    def statement(self, depth: int) -> str:
        """A statement."""
        r, form = self.random, self.random.randrange(15)
        if form == 13:
            changed = r.choice(["&w", "p", f"&a{self.number}[1]"])
            # Whether an index is read before or after the call is open in C.
            target = self.place() if changed.startswith("&a") else f"g{self.number}_{r.randrange(GLOBALS)}"
            return f"{target} = h{self.number}({self.simple()}, {changed});"
        if depth == 0 or form < 5:
            return f"{self.place()} = {self.expression(2)};"
        if form == 5:
            return f"{self.place()} {r.choice(['+=', '-=', '*='])} {self.expression(1)};"
        if form == 6:
            return f"{self.place()}{r.choice(['++', '--'])};"
        if form < 9:
            other = f" else {{ {self.statement(depth - 1)} }}" if r.random() < 0.5 else ""
            return f"if ({self.expression(2)}) {{ {self.statement(depth - 1)} {self.statement(depth - 1)} }}{other}"
        if form < 11 and self.loops < 8:
            name, rounds = f"i{self.loops}", r.randint(1, 4)
            self.loops += 1
            inner = self.statement(depth - 1)
            leave = f"if ({self.expression(1)}) {r.choice(['break', 'continue'])};" if r.random() < 0.4 else ""
            if r.random() < 0.5:
                return f"for ({name} = 0; {name} < {rounds}; {name}++) {{ {leave} {inner} }}"
            return f"{name} = 0; do {{ {inner} }} while (++{name} < {rounds});"
        if form == 11:
            values = ("0", r.choice(["1", "1 ... 2", "1 ... 90"]), r.choice(["-1", "0xffffffff", "-9 ... -1", "100"]))
            cases = " ".join(f"case {k}: {self.statement(0)}{' break;' if r.random() < 0.6 else ''}" for k in values)
            return f"switch ({self.expression(1)}) {{ {cases} default: {self.statement(0)} }}"
        if form == 12:
            n = self.number
            more = [
                f"&b{n}[{self.index(2)}][{self.index()}]",
                f"&t{n}[{self.index()}].k",
                f"t{n}[1].m + ({self.index(2)})",
            ]
            return f"p = {r.choice(['&w', f'&a{n}[{self.index()}]', f'a{n} + 1', *more])};"
        return f"{self.place()} = {self.place()} = {self.expression(1)};"


def outcomes(generators: Sequence[Generator], texts: Sequence[str], folder: Path) -> list[list[int] | None]:
    """What the compiler's programs end with; None where the behaviour is undefined."""
    calls = list[str]()
    for g in generators:
        values = ", ".join(f"(long long){name}" for name in g.names())
        form = " ".join(["%lld"] * len(g.names()))
        calls.append(f'fprintf(stderr, "@{g.number}\\n"); f{g.number}(); printf("@{g.number} {form}\\n", {values});')
    source = "#include <stdio.h>\n" + "\n".join(texts) + "\nint main(void) {\n" + "\n".join(calls) + "\nreturn 0; }\n"
    path, binary = folder / "batch.c", folder / "batch"
    path.write_text(source)
    assert COMPILER is not None
    flags = ["-w", "-O0", "-std=gnu11", "-fsanitize=undefined", "-fno-sanitize=shift-base"]
    made = subprocess.run([COMPILER, *flags, str(path), "-o", str(binary)], capture_output=True, text=True, timeout=120)
    assert made.returncode == 0, made.stderr
    done = subprocess.run([str(binary)], check=False, capture_output=True, text=True, timeout=60)
    wrong = {int(part.split("\n", 1)[0]) for part in done.stderr.split("@")[1:] if "runtime error" in part}
    found = {int(line[1:].split()[0]): [int(w) for w in line.split()[1:]] for line in done.stdout.splitlines()}
    return [None if g.number in wrong else found.get(g.number) for g in generators]


def ends(main: Automaton) -> str:
    """`exit`, or how it fails: what the only run of a deterministic thread ends with."""
    state: dict[Var, Value] = {v.var: default_value(v.var.sort) for v in main.variables}
    for conjunct in conjuncts(main.init):
        if isinstance(conjunct, IsZero):
            const, parts = linear_parts(conjunct.total)
            ((var, factor),) = parts.items()
            assert isinstance(var, Var)
            state[var] = -const // factor
        elif isinstance(conjunct, Same):
            array, value = (
                (conjunct.left, conjunct.right) if isinstance(conjunct.left, Var) else (conjunct.right, conjunct.left)
            )
            assert isinstance(array, Var)
            state[array] = evaluate(value, {})
    here, edges = main.initial, dict[str, list[Edge]]()
    for edge in main.edges:
        edges.setdefault(edge.source, []).append(edge)
    for _ in range(MAX_STEPS):
        taken = [e for e in edges.get(here, ()) if holds(e.guard, state)]
        assert len(taken) == 1, (here, taken)
        if taken[0].label is not None and taken[0].label.action == EXIT:
            return EXIT
        if taken[0].failure is not None:
            return taken[0].failure.what
        state = _after(taken[0], state)
        here = taken[0].target
    return "endless"


def _after(edge: Edge, state: dict[Var, Value]) -> dict[Var, Value]:
    return state | {v: evaluate(t, state) for v, t in edge.updates}


def compare(generator: Generator, text: str, values: Sequence[int], folder: Path, random: Random) -> str:
    """What became of a function: `agrees`, `rejected`, or what is wrong.

    Every value is tested, and behind the tests one is tested to be what it is: the run must end with that assertion.
    The text is what a compiler has accepted, and has no directives, so that it is read as it is.
    """
    names = generator.names()
    place = random.randrange(len(values))
    tests = [f"if ({n} != {v}LL) reach_error();" for n, v in zip(names, values, strict=True)]
    planted = f"__sacheck_assert({names[place]} != {values[place]}LL);"
    checks = "\n".join([*tests, planted])
    main = f"{ENDS}\nint main(void) {{ f{generator.number}();\n{checks}\nreturn 0; }}\n"
    path = folder / "one.i"
    path.write_text(text + "\n" + main)
    try:
        program = load_program(str(path)).program
    except InputError as wrong:
        return "rejected " + wrong.diagnostics[0].code
    result = ends(program.threads[0])
    return "agrees" if result == planted else f"wrong: {result}"


def run(count: int, seed: int, large: int = LARGE[0]) -> tuple[Counter[str], list[str]]:
    """So many functions; the texts of those that do not agree. Arrays of more elements than `large` stay whole."""
    tally, wrong = Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as name, patch("sa.frontends.c.types.LARGE", (large, LARGE[1])):
        folder = Path(name)
        for first in range(0, count, BATCH):
            random = Random(f"{seed}-{first}")
            generators = [Generator(random, first + i) for i in range(min(BATCH, count - first))]
            texts = [g.declarations() + "\n" + g.function() for g in generators]
            for g, text, values in zip(generators, texts, outcomes(generators, texts, folder), strict=True):
                if values is None:
                    tally["undefined"] += 1
                    continue
                result = compare(g, text, values, folder, random)
                tally[result] += 1
                if result.startswith("wrong"):
                    wrong.append(f"/* {result} {values} */\n{text}")
    return tally, wrong


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--large", type=int, default=LARGE[0], help="arrays of more elements stay whole")
    options = parser.parse_args()
    tally, wrong = run(options.count, options.seed, options.large)
    for text in wrong[:5]:
        print(text, end="\n\n")
    print(dict(tally), file=sys.stderr)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C")
    main()
