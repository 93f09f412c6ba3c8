"""What boxes find of remainders that a program asks for, and what environments say of versions."""

from __future__ import annotations

from random import Random

from sa.base.limits import Limits
from sa.base.source import Source
from sa.generation.generate import generate, verified
from sa.generation.visibility import Level
from sa.language.elaborate import program
from sa.smt.session import Session
from sa.terms import build
from sa.terms.substitute import primed
from tests.parts import for_each

SEQLOCK = """
global a, s : int = 0;
thread W { local v : int; while (true) { havoc v; s := s + 1; a := v; s := s + 1; } }
thread R { local u, x : int = 0; while (true) { u := s; if (u % 2 == 0) { x := a; if (s == u) { @read(x) skip; } } } }
"""


def test_while_its_version_is_even_and_the_same_what_a_sequence_lock_protects_does_not_change() -> None:
    threads = program(Source("seqlock.sa", SEQLOCK)).threads
    limits = Limits()
    _, reader = verified(generate(threads, Level.HIDDEN, limits), (), True, limits)
    a, s = build.variable("a"), build.variable("s")
    same = (build.eq(primed(s), s), build.eq(build.mod(s, 2), build.ZERO))
    for place in reader.locations:
        assert place.env is not None
        assert Session(limits).implied(build.eq(primed(a), a), (place.env, *same))
        assert not Session(limits).implied(build.eq(primed(a), a), (place.env, same[0]))


def _step(rng: Random) -> str:
    number, divisor = rng.choice(("x", "y", "t")), rng.choice((2, 3))
    value = rng.choice((f"{number} + {rng.randint(-3, 3)}", f"x - 2 * y + {rng.randint(0, 2)}", "0", f"y % {divisor}"))
    test = f"{rng.choice(('x', 'y', 'x + y', 't - x'))} % {divisor} == {rng.randint(0, 2)}"
    return rng.choice((f"{number} := {value};", f"if ({test}) {{ {number} := {value}; }}", f"await {test};"))


@for_each("seed", range(60))
def test_what_is_found_is_inductive_and_environments_allow_what_others_do(seed: int) -> None:
    rng = Random(seed)
    threads = " ".join(
        f"thread {name} {{ local t : int = 1; while (true) {{ {' '.join(_step(rng) for _ in range(3))} }} }}"
        for name in ("P", "Q")
    )
    made = program(Source("random.sa", f"global x, y : int = 0; {threads}")).threads
    limits = Limits()
    # Raises where the solver finds otherwise.
    verified(generate(made, Level.HIDDEN, limits), (), seed % 2 == 0, limits)
