"""Names: parts are data, the text is how they are printed, and both say the same."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sa.terms import build
from sa.terms.name import (
    ABSTRACT,
    CONCRETE,
    Name,
    alone,
    at_place,
    chosen,
    element,
    in_goal,
    named,
    of_thread,
    off_side,
    on_side,
    staged,
    unchosen,
    whole,
)
from sa.terms.substitute import local_of, primed, sided, unsided

PARTS = ("base", "position", "thread", "side", "choice", "stage", "place")


def parts_of(name: Name) -> dict[str, object]:
    """The parts that a name has."""
    return {p: getattr(name, p) for p in PARTS if getattr(name, p) not in (None, "")}


def test_a_name_prints_its_parts_from_the_outside_in() -> None:
    """Side, thread, base, position, choice, stage."""
    name = staged(on_side(of_thread(element("x", 3), "T[1]"), CONCRETE), 2)
    assert name == "conc.T[1].x[3]@2"
    assert parts_of(name) == {"side": CONCRETE, "thread": "T[1]", "base": "x", "position": 3, "stage": "2"}
    assert chosen(element("x", 3), 1) == "x_3?1"
    assert at_place("T", "CS") == "at T.CS"
    assert in_goal(on_side("x", ABSTRACT), "T", "T refines U") == "T in T refines U.abs.x"


@pytest.mark.parametrize("thread", [None, "T", "T[1]", "T|U"])
@pytest.mark.parametrize("side", [None, CONCRETE, ABSTRACT, "mid1"])
@pytest.mark.parametrize("base", ["x", element("x", 0), chosen("x", 2), staged("x", 1), staged(chosen("x", 1), "2")])
def test_a_printed_name_is_read_as_the_same_parts(base: str, side: str | None, thread: str | None) -> None:
    """What tests and certificates write as text means what it says."""
    name = named(base)
    name = name if thread is None else of_thread(name, thread)
    name = name if side is None else on_side(name, side)
    assert parts_of(named(str(name))) == parts_of(name)
    assert parts_of(pickle.loads(pickle.dumps(name))) == parts_of(name)


@pytest.mark.parametrize("text", ["", "x", "x'", "a b", "1", "~0", "x?", "x?y", "x[", "at T", "é.ü", "x..y", ".x", "@"])
def test_every_text_is_a_name_that_prints_as_it(text: str) -> None:
    """Also what nobody would write."""
    assert named(text) == text


@pytest.mark.parametrize(
    ("undo", "do"),
    [
        (off_side, lambda n: on_side(n, ABSTRACT)),
        (whole, lambda n: element(n, 7)),
        (unchosen, lambda n: chosen(n, 1)),
        (alone, lambda n: in_goal(n, "T", "G")),
    ],
)
def test_parts_that_are_taken_off_leave_the_name_as_it_was(
    undo: Callable[[Name], Name], do: Callable[[Name], Name]
) -> None:
    """Each on its own."""
    assert undo(do(named("x"))) == "x"
    assert undo(named("x")) == "x"


def test_a_name_keeps_its_parts_through_terms() -> None:
    """Priming and renaming change nothing else."""
    var = primed(sided(local_of(build.variable("x[3]"), "T"), CONCRETE))
    assert var is build.variable("conc.T.x[3]", primes=1)
    assert (var.name.side, var.name.thread, var.name.base, var.name.position) == (CONCRETE, "T", "x", 3)
    assert unsided(var).name == "T.x[3]"


#: Marks of the C front end before its names for cells, copies of families that invariants speak of, names as they are
#: written in C and in source that is being edited, modules and threads of a composition.
OTHERS = (
    *(
        "sa/frontends",
        "sa/language/unparse.py",
        "sa/report/render_values.py",
        "sa/language/outline.py",
        "sa/cli/lsp.py",
    ),
    *("sa/language/mentions.py", "sa/lsp/asking.py", "sa/automata/automaton.py"),
)

TAKEN_APART = re.compile(
    r"(?<!source)\.name\.(partition|rpartition|startswith|endswith|removeprefix|removesuffix|split)\(|\{\w+(\.var)?\.name\}[@?|\[]"
)


def test_names_are_taken_apart_in_one_file() -> None:
    """Everywhere else their parts are read."""
    root = Path(__file__).parents[2]
    files = (p.relative_to(root).as_posix() for p in (root / "sa").rglob("*.py"))
    asked = [f for f in files if f != "sa/terms/name.py" and not any(f.startswith(o) for o in OTHERS)]
    found = [
        (f, line) for f in asked for line in (root / f).read_text("utf-8").splitlines() if TAKEN_APART.search(line)
    ]
    assert [f for f, line in found if "entry.name" not in line] == []
