"""Invariants that speak of locations and locals, shown by any rule: no run of the whole program violates them.

Random threads of a few steps, and a copy that stutters; the judge looks for a run among all small states.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from sa.automata.proof import Preserves
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.certificates.run import Bad
from sa.engines.options import Options
from sa.language.load import load_script
from sa.rules.annotated_programs import side_of
from sa.rules.theorem_1_parallel_invariants import apart_formula
from sa.scripts.prove import Prepared, prepare, prove
from sa.scripts.result import StepResult
from tests.bounded.finding import run_into

STEPS = (
    "x := 0;",
    "x := 1;",
    "y := 2;",
    "y := x;",
    "x := y;",
    "skip;",
    "m := x;",
    "await x == 0;",
    "await y != 2 { y := y + 1; }",
    "if (y == 1) { x := 2; }",
    "if (m == 1) { y := m; }",
)


def _programs(rng: Random) -> tuple[str, str]:
    """Two threads, and the same with steps between that do nothing."""
    threads = [[rng.choice(STEPS) for _ in range(3)] for _ in range(2)]
    loops = [rng.random() < 0.4 for _ in threads]
    texts = []
    for stutters in (False, True):
        text = "global x, y : 0..2 = 0;\n"
        for number, (steps, loop) in enumerate(zip(threads, loops, strict=True), 1):
            body = " ".join(
                ("skip; " if stutters and rng.random() < 0.5 else "") + f"L{i}: {s}" for i, s in enumerate(steps)
            )
            text += f"thread T{number} {{ local m : 0..2 = 0; {f'while (true) {{ {body} }}' if loop else body} }}\n"
        texts.append(text)
    return texts[0], texts[1]


def _formula(rng: Random, threads: tuple[int, ...]) -> str:
    """Mostly implied by where a thread is."""

    def atom() -> str:
        thread, value = rng.choice(threads), rng.randrange(3)
        local = f"T{thread}.m" if len(threads) > 1 else "m"
        left = rng.choice(("x", "y", "x", "y", local))
        return rng.choice((f"at T{thread}.L{value}", f"{left} == {value}", f"{left} <= {value}", f"{left} >= {value}"))

    weak = " || ".join(atom() for _ in range(3))
    place = f"at T{rng.choice(threads)}.L{rng.randrange(3)}"
    return rng.choice((f"({place} ==> {weak})", f"!({place} && {atom()})", f"({weak})"))


def _script(rng: Random) -> str:
    alone = [_formula(rng, (k,)) for k in (1, 2)]
    anywhere = [_formula(rng, (1, 2)) for _ in range(4)]
    steps = ['import "p.sa" as p;', 'import "q.sa" as q;']
    steps += [f"lemma i{k} : p.T{k} preserves {alone[k - 1]};" for k in (1, 2)]
    steps += [f"lemma t{k} : q.T{k} refines p.T{k} relate x, y;" for k in (1, 2)]
    steps += [
        "theorem r : q refines p relate x, y by parallel(t1, t2);",
        f"theorem put_together : p preserves {anywhere[0]} by parallel(i1, i2);",
        f"theorem direct : p preserves {anywhere[1]};",
        f"theorem thread_by_thread : p preserves {anywhere[2]} by parallel;",
        f"theorem carried : q preserves {anywhere[1]} by preservation(r, direct);",
        f"theorem carried_too : q preserves {anywhere[2]} by preservation(r, thread_by_thread);",
        f"theorem found : q preserves {anywhere[3]} by auto;",
    ]
    return "\n".join(steps) + "\n"


def _is_wrong(prepared: Prepared, result: StepResult) -> bool:
    """Whether a run says otherwise: it violates what is proved, or there is none that violates what one refutes."""
    claim = result.step.claim
    decided = result.verdict is Verdict.PROVED or result.run is not None
    if not isinstance(claim, Preserves) or len(claim.side) < 2 or not decided:
        return False
    side = side_of(prepared.stage.worlds, claim.side)
    bad = Bad(None, apart_formula(claim.formula, side.threads))
    run = run_into(tuple(t.thread for t in side.threads), bad)
    return (run is not None) is (result.verdict is Verdict.PROVED)


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(100, 300), marks=pytest.mark.fuzz)], ids=str)
def test_no_run_violates_what_is_proved_of_locations(seeds: range, tmp_path: Path) -> None:
    rules = Counter[str]()
    for seed in seeds:
        rng = Random(seed)
        for name, text in zip("pq", _programs(rng), strict=True):
            (tmp_path / f"{name}.sa").write_text(text)
        (tmp_path / "s.sa").write_text(_script(rng))
        prepared = prepare(load_script(str(tmp_path / "s.sa")).script, Options(limits(30.0, None)))
        for result in prove(prepared):
            assert not _is_wrong(prepared, result), (seed, result.step.name)
            rules[result.rule] += result.verdict is Verdict.PROVED
    assert rules["Theorem 5"], rules
