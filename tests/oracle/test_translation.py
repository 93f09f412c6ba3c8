"""The automata of a program do, step by step, what the interpreter of its text does."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sa.automata.program import Program
from sa.base.source import Source
from sa.language.elaborate import elaborate
from sa.language.parser import parse
from tests.blocks import blocks
from tests.generators.programs import random_program
from tests.oracle.loading import Interpreted, interpreted
from tests.oracle.translation import Observation, disagreement, of_automata, of_interpreter

#: Values of an arbitrary int.
INTEGERS = range(-1, 3)
DEPTH, PAIRS = 14, 1500


def both(seed: int) -> tuple[Program, Interpreted]:
    """A random program, every fourth with two threads, elaborated and ready to be interpreted."""
    module = parse(Source(f"{seed}.sa", random_program(seed, 2 if seed % 4 == 0 else 1)))
    return elaborate(module, {}).program, interpreted(module, INTEGERS)


def difference(program: Program, text: Interpreted) -> list[Observation] | None:
    automata = of_automata(program, text.shared, INTEGERS)
    return disagreement(automata, of_interpreter(text), DEPTH, PAIRS)


def disagreeing(seeds: range) -> list[int]:
    return [seed for seed in seeds if difference(*both(seed)) is not None]


def test_random_programs_do_what_their_text_says() -> None:
    assert disagreeing(range(20)) == []


@pytest.mark.slow
@pytest.mark.parametrize("chunk", blocks(range(1, 20), 1))
def test_two_thousand_random_programs_do_what_their_text_says(chunk: int) -> None:
    assert disagreeing(range(100 * chunk, 100 * (chunk + 1))) == []


def spoiled(program: Program, number: int) -> Program:
    """The program without some edge of its first thread."""
    first, *others = program.threads
    thread = replace(first, edges=first.edges[:number] + first.edges[number + 1 :])
    return replace(program, threads=(thread, *others))


def test_edges_that_are_left_out_are_missed() -> None:
    """Not all: some can never be taken, lie behind a step that always fails, or beyond the depth."""
    noticed = []
    for seed in range(1, 16):
        program, text = both(seed)
        noticed += [difference(spoiled(program, i), text) is not None for i in range(len(program.threads[0].edges))]
    assert sum(noticed) > 0.5 * len(noticed)
