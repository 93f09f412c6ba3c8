"""Files asked of others: `python -m bench.peers FOLDER|FILE... [--seconds 60]`, beside `python -m bench.cases`.

`spin` is SPIN on the program in Promela (`bench.promela`), with partial-order reduction, compilation included;
`spacer` is Z3's Horn solver on one predicate over all counters and variables, one rule for each edge. Both share
sacheck's front end and none of its engines. Seconds are processor time, of the peer alone.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import z3
from rich.console import Console

from bench.cases import Found, Row, cases, expected_of, line, summary
from bench.promela import promela
from sa.automata.automaton import FAIL, Kind
from sa.automata.ranges import within
from sa.base.limits import Unsupported
from sa.certificates.run import Bad, Failing
from sa.explicit.transition_system import Whole, whole
from sa.frontends.load import load_program
from sa.smt.translate import Translator
from sa.terms import build
from sa.terms.term import Term, Var

RESULTS = Path(__file__).resolve().parent / "results" / "peers.json"


def closed(path: Path) -> Whole:
    """A program with all that it claims, taken together. Raises Unsupported for what peers do not know."""
    program = load_program(str(path)).program
    claimed = [i.formula for i in program.invariants]
    result = whole(program.threads, Bad(Failing(), build.land(*claimed) if claimed else None))
    if result.partial or program.guarantees:
        raise Unsupported("functions without a body, or guarantees")
    return result


def spin(path: Path, seconds: float) -> Found:
    """Generate a verifier, compile it, run it."""
    text = promela(closed(path))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.pml").write_text(text)

        def run(*command: str) -> str:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds * 4)
            return done.stdout + done.stderr

        before = _children()
        said = run("spin", "-a", "model.pml")
        if "rror" in said:
            return Found("CRASHED", _children() - before, 0.0, said.strip()[-80:])
        flags = ("-O2", "-w", "-DSAFETY", "-DMEMLIM=6000", "-DVECTORSZ=4096")
        run("gcc", *flags, "-o", "pan", "pan.c")
        said = run("sh", "-c", f"ulimit -t {max(1, round(seconds))}; exec ./pan -E -m5000000 -w22")
        states = next((words.split()[0] for words in said.splitlines() if "states, stored" in words), "")
        return Found(_spins(said), _children() - before, 0.0, f"{states} states" if states else "")


def _spins(said: str) -> str:
    if "assertion violated" in said:
        return "REFUTED"
    complete = "max search depth too small" not in said and "Search not completed" not in said
    return "PROVED" if "errors: 0" in said and complete else "UNKNOWN"


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def spacer(path: Path, seconds: float) -> Found:
    """One predicate over counters and variables, one query."""
    asked = closed(path)
    started = time.process_time()
    solver, failed = _horn(asked, seconds)
    try:
        answer = str(solver.query(failed()))
    except z3.Z3Exception as problem:
        answer = str(problem)
    verdict = {"sat": "REFUTED", "unsat": "PROVED"}.get(answer, "UNKNOWN")
    return Found(verdict, time.process_time() - started, 0.0, "")


def _horn(asked: Whole, seconds: float) -> tuple[z3.Fixedpoint, z3.FuncDeclRef]:
    translator = Translator(z3.main_ctx())
    solver = z3.Fixedpoint()
    solver.set("engine", "spacer")
    solver.set("timeout", int(seconds * 1000))
    declared = set[Var]()

    def said(term: Term) -> z3.ExprRef:
        for variable in term.free - declared:
            declared.add(variable)
            solver.declare_var(translator.translate(variable))
        return translator.translate(term)

    reach = z3.Function("Reach", *[said(v).sort() for v in asked.order], z3.BoolSort())
    failed = z3.Function("Bad", z3.BoolSort())
    solver.register_relation(reach)
    solver.register_relation(failed)

    def at(values: Mapping[Var, Term]) -> z3.BoolRef:
        return reach(*[said(values.get(v, v)) for v in asked.order])

    started = [build.eq(c, build.integer(q)) for c, q in zip(asked.counters, asked.start, strict=True)]
    ranges = build.land(*(within(v) for v in asked.variables if v.kind is not Kind.PARAM))
    solver.rule(at({}), [said(asked.init), said(ranges), *map(said, started)])
    for thread, here in ((i, arcs) for i, places in enumerate(asked.arcs) for arcs in places):
        counter = asked.counters[thread]
        for arc in here:
            before = [at({}), said(build.eq(counter, build.integer(arc.source))), said(arc.guard)]
            if arc.edge.label is not None and arc.edge.label.action == FAIL:
                solver.rule(failed(), before)
            else:
                solver.rule(at({**arc.updates, counter: build.integer(arc.target)}), before)
    if asked.claim is not build.TRUE:
        solver.rule(failed(), [at({}), said(build.lnot(asked.claim))])
    return solver, failed


PEERS: Mapping[str, Callable[[Path, float], Found]] = {"spin": spin, "spacer": spacer}


def asked(peer: str, path: Path, seconds: float) -> Found:
    """The answer of a peer in a process of its own; `unsupported` where it cannot be asked."""
    command = [sys.executable, "-m", "bench.peers", "--alone", peer, "--seconds", str(seconds), str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds * 5)
    except subprocess.TimeoutExpired:
        return Found("UNKNOWN", seconds, 0.0, "no end")
    if not done.stdout.strip():
        return Found("CRASHED", 0.0, 0.0, done.stderr.strip().splitlines()[-1][:80] if done.stderr.strip() else "")
    return Found(**json.loads(done.stdout.splitlines()[-1]))


def _alone(peer: str, path: Path, seconds: float) -> None:
    sys.setrecursionlimit(100_000)
    try:
        found = PEERS[peer](path, seconds)
    except Unsupported as missing:
        found = Found("unsupported", 0.0, 0.0, str(missing))
    print(json.dumps({"verdict": found.verdict, "seconds": found.seconds, "memory": 0.0, "how": found.how}))


def programs(paths: list[Path]) -> Iterator[Path]:
    """The questions for `verify` among the cases."""
    for path in cases(paths):
        file = path if path.is_file() else path / "prog.sa"
        if file.exists() and "\nrefinement " not in f"\n{file.read_text()}":
            yield file


def main() -> int:
    """Run, print, store."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description="The same files asked of others.")
    parser.add_argument("paths", nargs="+", type=Path, metavar="FOLDER|FILE")
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time for each case (60)")
    parser.add_argument("--peer", choices=sorted(PEERS), action="append", help="only this one")
    parser.add_argument("--alone", choices=sorted(PEERS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone is not None:
        _alone(options.alone, options.paths[0], options.seconds)
        return 0
    console, stored = Console(width=150), dict[str, list[dict[str, object]]]()
    for peer in options.peer or sorted(PEERS):
        rows = [_told(console, peer, file, options.seconds) for file in programs([p.resolve() for p in options.paths])]
        console.print(f"{peer}: {summary(rows)}", highlight=False)
        stored[peer] = [
            {"name": r.name, "verdict": r.found.verdict, "seconds": round(r.found.seconds, 2)} for r in rows
        ]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(stored, indent=1) + "\n")
    return 0


def _told(console: Console, peer: str, file: Path, seconds: float) -> Row:
    row = Row("/".join(file.with_suffix("").parts[-2:]), expected_of(file), asked(peer, file, seconds))
    console.print(f"{peer:7} {line(row)}", highlight=False, markup=False, soft_wrap=True)
    return row


if __name__ == "__main__":
    raise SystemExit(main())
