"""Hierarchies of threads beside the tables of Rasin's thesis (2017, chapter 9): `python -m bench.hierarchical [NAME…]`.

`mat` sums the corners of a matrix with two columns, a thread a row; `pas` makes the rows of Pascal's triangle; `long`
is the longest rising subsequence; `chain` and `ring` are `fib_bench`, where each thread adds its neighbour twice. The
thesis prints no sizes, inputs or bounds: they are ours, and each bound is the least one. In the rows `any` the inputs
are parameters, so there is no finite set of states; the thesis has none of these. A broken program's bound is less by
one. The thesis' figures are of its machine; time here is of the processor.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from math import comb
from pathlib import Path

ANSWERS = {0: "proved", 1: "refuted", 3: "unknown"}
TIMEOUT = 60

#: Seconds of CoMuS by number of threads, proofs and refutations; None where its time was over.
THESIS: Mapping[str, Mapping[int, tuple[float | None, float | None]]] = {
    "mat": {
        2: (2.83, 1.25),
        3: (13.18, 2.92),
        4: (36.33, 4.94),
        5: (70.75, 15.26),
        6: (215.04, 17.64),
        7: (578.25, 23.52),
    },
    "pas": {2: (0.72, 1.27), 3: (13.93, 8.45), 4: (131.65, 18.04), 5: (None, 50.48)},
    "long": {2: (0.53, 0.43), 3: (6.98, 8.95), 4: (42.39, 54.03), 5: (197.49, 414.33), 6: (3077.29, 2389.44)},
}

#: The same for `fib_bench`, of which the thesis has proofs alone.
FIB: Mapping[str, Mapping[int, float | None]] = {
    "ring": {2: 6.23, 3: 111.32, 4: None},
    "chain": {2: 1.98, 3: 7.31, 4: 20.21, 5: 53.71, 6: 123.53, 7: 307.3, 8: 680.99},
}


def _round(body: str) -> str:
    return f"local k : 0..2 = 0; while (k < 2) {{ {body} k := k + 1; }}"


def fib(ring: bool, any_start: bool, n: int, less: int) -> str:
    """Each of n threads adds its neighbour's number to its own, twice."""
    last = "v[0]" if ring else "1"
    most = 8 if ring and n == 2 else 2 ** (n + 1) - 1
    if any_start:
        starts = f"init M >= 1 && {' && '.join(f'v[{i}] <= M' for i in range(n))};"
        head = f"param M : int; global v : int[{n}]; {starts}"
        bound = f"{2**n - 1} * M + {2**n - less}"
    else:
        head, bound = f"global v : int[{n}] = 1;", str(most - less)
    added = [*(f"v[{i + 1}]" for i in range(n - 1)), last]
    others = "".join(f"thread T{i} {{ {_round(f'v[{i}] := v[{i}] + {added[i]};')} }}\n" for i in range(1, n))
    return f"{head}\nthread Main {{ {_round('v[0] := v[0] + v[1];')} assert v[0] <= {bound}; }}\n{others}"


def matrix(any_input: bool, n: int, less: int) -> str:
    """Thread i sums row i from the right; each cell waits for the one below."""
    cells = 2 * n
    if any_input:
        limits = " && ".join(f"a[{k}] <= MOST" for k in range(cells))
        head = f"param MOST : int; param a : int[{cells}]; init MOST >= 0 && {limits};"
    else:
        head = f"const MOST = 3; global a : 0..3[{cells}];"

    def row(i: int) -> str:
        below = f"await done[{i + 1}] > 2 - j; " if i + 1 < n else ""
        more = f" + s[{2 * i + 1} + j]" if i + 1 < n else ""
        check = f" assert s[0] <= {cells} * MOST - {less};" if i == 0 else ""
        cell = (
            f"acc := acc + a[{2 * i - 1} + j]; s[{2 * i - 1} + j] := acc{more}; done[{i}] := done[{i}] + 1; j := j - 1;"
        )
        name = "Main" if i == 0 else f"Row{i}"
        return (
            f"thread {name} {{ local acc : int = 0; local j : 0..2 = 2; while (j > 0) {{ {below}{cell} }}{check} }}\n"
        )

    return f"{head}\nglobal s : int[{cells}] = 0; global done : 0..2[{n}] = 0;\n{''.join(row(i) for i in range(n))}"


def pascal(n: int, less: int) -> str:
    """Thread i makes row i of Pascal's triangle; a cell waits for those above."""

    def cell(i: int, j: int) -> str:
        made = f"await done[{i - 1}] > {j}; " if 0 < j < i and i > 1 else ""
        value = f"b[{i - 1}][{j - 1}] + b[{i - 1}][{j}]" if 0 < j < i else "1"
        flat = value.replace("][", ",")
        for r in range(n + 1):
            for c in range(r + 1):
                flat = flat.replace(f"b[{r},{c}]", f"b[{r * (r + 1) // 2 + c}]")
        return f"{made}b[{i * (i + 1) // 2 + j}] := {flat}; done[{i}] := done[{i}] + 1; "

    def row(i: int) -> str:
        most = max(comb(n, j) for j in range(n + 1)) - less
        checks = "".join(f"assert b[{n * (n + 1) // 2 + j}] <= {most}; " for j in range(n + 1)) if i == n else ""
        return f"thread {'Main' if i == n else f'Row{i}'} {{ {''.join(cell(i, j) for j in range(i + 1))}{checks}}}\n"

    size = (n + 1) * (n + 2) // 2
    rows = "".join(row(i) for i in range(1, n + 1))
    return f"global b : int[{size}] = 0; global done : 0..{n + 1}[{n + 1}] = 0;\n{rows}"


def rising(n: int, less: int) -> str:
    """Thread i finds the longest rising subsequence that ends at i."""

    def thread(i: int) -> str:
        tries = "".join(
            f"await done[{j}]; if (a[{j}] < a[{i}] && l[{j}] + 1 > m) {{ m := l[{j}] + 1; }} " for j in range(i)
        )
        check = f" assert m <= {n - less};" if i == n - 1 else ""
        name = "Main" if i == n - 1 else f"Cell{i}"
        return f"thread {name} {{ local m : int = 1; {tries}l[{i}] := m; done[{i}] := true;{check} }}\n"

    threads = "".join(thread(i) for i in range(n))
    return f"global a : 0..{n}[{n}]; global l : int[{n}] = 0; global done : bool[{n}] = false;\n{threads}"


#: The families, with their numbers of threads.
FAMILIES: Mapping[str, tuple[Callable[[int, int], str], range]] = {
    "mat": (lambda n, less: matrix(False, n, less), range(2, 8)),
    "pas": (pascal, range(2, 6)),
    "long": (rising, range(2, 7)),
    "ring": (lambda n, less: fib(True, False, n, less), range(2, 7)),
    "chain": (lambda n, less: fib(False, False, n, less), range(2, 9)),
    "chain, any start": (lambda n, less: fib(False, True, n, less), range(2, 9)),
    "mat, any input": (lambda n, less: matrix(True, n, less), range(2, 8)),
}


def row(name: str, threads: int, timeout: int = TIMEOUT) -> str:
    """A line of the table."""
    make, _ = FAMILIES[name]
    ours = [asked(make(threads, less), timeout) for less in (0, 1)]
    proof, bug = THESIS.get(name, {}).get(threads, ("", ""))
    if name in FIB:
        proof = FIB[name].get(threads, "")
    thesis = ["time-out" if t is None else f"{t} s" if t else "" for t in (proof, bug)]
    return f"| {name} | {threads} | {ours[0]} | {thesis[0]} | {ours[1]} | {thesis[1]} |"


def asked(text: str, timeout: int) -> str:
    """What `verify` says of a text, and how long it takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.sa"
        path.write_text(text)
        command = ("sacheck", "verify", "--quiet", "--no-cache", "--timeout", str(timeout), str(path))
        done = subprocess.run((sys.executable, "-m", *command), capture_output=True, check=False)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return f"{ANSWERS.get(done.returncode, f'status {done.returncode}')}, {seconds:.1f} s"


def main() -> None:
    """The table, as Markdown: of all families, or of those that are named."""
    print("| program | threads | as it is | thesis | broken | thesis |")
    print("|---|---|---|---|---|---|")
    for name in sys.argv[1:] or FAMILIES:
        for threads in FAMILIES[name][1]:
            print(row(name, threads), flush=True)


if __name__ == "__main__":
    main()
