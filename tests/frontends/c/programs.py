"""Small programs of C, and what became of them."""

from __future__ import annotations

from pathlib import Path

from sa.app.verify import VerifyRequest, verify
from sa.automata.automaton import Fault
from sa.automata.program import Program
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.verify import Options
from sa.frontends.load import load_program
from sa.frontends.reading import USUAL, Reading

HEADERS = "#include <pthread.h>\n#include <assert.h>\n#include <stdatomic.h>\n"


def program(folder: Path, text: str) -> Program:
    """The program of a text, the usual headers before it."""
    path = folder / "prog.c"
    path.write_text(HEADERS + text)
    return load_program(str(path)).program


def verdict(folder: Path, text: str, seconds: float = 20.0, reading: Reading = USUAL) -> Verdict | None:
    """What `verify` answers; None where nothing is claimed."""
    path = folder / "prog.c"
    path.write_text(HEADERS + text)
    return verify(VerifyRequest(str(path), False, Options(limits(seconds, None)), reading)).outcome.verdict


def faults(folder: Path, text: str, reading: Reading = USUAL, seconds: float = 20.0) -> set[Fault]:
    """How steps of a program go wrong that `verify` reaches. All that it does not reach is proved."""
    path = folder / "prog.c"
    path.write_text(HEADERS + text)
    outcome = verify(VerifyRequest(str(path), False, Options(limits(seconds, None)), reading)).outcome
    assert all(f.verdict is not Verdict.UNKNOWN for f in outcome.findings)
    last = (f.run.turns[-1].move.edge for f in outcome.findings if f.run is not None)
    return {edge.failure.fault for edge in last if edge.failure is not None}


def threads(*bodies: str, shared: str = "", end: str = "") -> str:
    """A program with a thread for each body, all of them joined before the end."""
    names = [f"f{number}" for number in range(len(bodies))]
    functions = "".join(f"void *{n}(void *arg) {{\n{b}\nreturn 0;\n}}\n" for n, b in zip(names, bodies, strict=True))
    create = "".join(f"pthread_create(&t[{i}], 0, {n}, 0);\n" for i, n in enumerate(names))
    join = "".join(f"pthread_join(t[{i}], 0);\n" for i in range(len(bodies)))
    return f"{shared}\n{functions}int main(void) {{\npthread_t t[{len(bodies)}];\n{create}{join}{end}\nreturn 0;\n}}\n"
