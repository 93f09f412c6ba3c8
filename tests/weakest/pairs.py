"""Pairs of threads for `--weakest-rely`: from texts, and random ones over few values."""

from __future__ import annotations

from pathlib import Path
from random import Random

from msgspec.structs import replace

from sa.automata.program import Program
from sa.base.limits import limits
from sa.certificates.goal import Goal
from sa.engines.options import Options
from sa.frontends.load import load_program
from sa.question.goals import goals
from sa.terms import build
from sa.terms.term import Term
from sa.weakest.infer import Weakest, weakest

OPTIONS = Options(limits(None, None))


def programs(folder: Path, head: str, abstract: str, concrete: str) -> tuple[Program, Program]:
    """Two programs with one thread each: declarations, and the thread's statements."""
    made = list[Program]()
    for name, body in (("abs", abstract), ("conc", concrete)):
        path = folder / f"{name}.sa"
        path.write_text(f"{head}\nthread T {{ {body} }}\n", encoding="utf-8")
        made.append(load_program(str(path)).program)
    return made[0], made[1]


def found(folder: Path, head: str, abstract: str, concrete: str, options: Options = OPTIONS) -> Weakest:
    """The weakest environment of two threads without a refinement block."""
    (answer,) = weakest(*programs(folder, head, abstract, concrete), None, options)
    return answer


def undeclared(program: Program) -> Program:
    """The program without its relies."""
    return _with(program, None)


def open_goal(abstract: Program, concrete: Program) -> Goal:
    """The goal about two programs of one thread whose environments may do anything."""
    (goal,) = goals(_with(abstract, build.TRUE), _with(concrete, build.TRUE), None, whole=False)
    return goal


def _with(program: Program, env: Term | None) -> Program:
    threads = (replace(t, locations=tuple(replace(q, env=env) for q in t.locations)) for t in program.threads)
    return replace(program, threads=tuple(threads))


HEAD = "global x : 0..1; global y : 0..2;"
LOCAL = "local r, s : 0..1 = 0;"
_PLAIN = ("x := 0;", "x := 1;", "x := r;", "r := x;", "s := x;", "s := r;", "r := 1;", "y := r;", "y := x;", "y := 2;")
_OTHER = (
    "@a(r) skip;",
    "@b(s) skip;",
    "if (y == 0) { x := r; }",
    "if (r == 1) { y := 1; } else { r := x; }",
    "await y > 0;",
    "if (*) { s := 1; }",
)


def random_bodies(seed: int) -> tuple[str, str]:
    """An abstract body, and one that a careless optimiser makes of it."""
    rng = Random(seed)
    body = [rng.choice(_PLAIN if rng.random() < 0.65 else _OTHER) for _ in range(rng.randint(2, 4))]
    changed = list(body)
    for _ in range(rng.randint(1, 2)):
        changed = _changed(rng, changed)
    end = ["@end(r, s) skip;"] if rng.random() < 0.7 else []
    return " ".join([LOCAL, *body, *end]), " ".join([LOCAL, *changed, *end])


#: What an optimiser might put in the place of a read.
_FORWARDED = {"r := x;": ("r := s;", "r := 1;"), "s := x;": ("s := r;",), "y := x;": ("y := r;", "y := s;")}


def _changed(rng: Random, body: list[str]) -> list[str]:
    at = rng.randrange(max(1, len(body)))
    first, here, rest = body[:at], body[at : at + 1], body[at + 1 :]
    match rng.randrange(8):
        case 0 | 1 | 2 if rest:
            return [*first, rest[0], *here, *rest[1:]]
        case 3 | 4:
            reads = [n for n, statement in enumerate(body) if statement in _FORWARDED]
            if reads:
                read = rng.choice(reads)
                return [*body[:read], rng.choice(_FORWARDED[body[read]]), *body[read + 1 :]]
            return body
        case 5:
            return [*first, *here, *here, *rest]
        case 6:
            return [*first, rng.choice(("r := x;", "s := x;", "x := x;", "x := r;")), *here, *rest]
        case _:
            return [*first, *rest]
