"""Undefined behaviour that only the second of two C files has refutes; what only the first one has is answered."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner, Result

from sa.app.overflow import OTHERWISE
from sa.app.refine import Answer, RefineRequest, refine
from sa.base.limits import limits
from sa.cli.main import application
from sa.engines.options import Options
from sa.frontends.reading import Reading

GREATEST = 2**31 - 1

#: A computation that is undefined for some `x` between -128 and 127, and one that never is and shows the same.
UNDEFINED = {
    "overflow": ("emit(x + 2147483600 > 2147483647 - 47);", "emit(x > 0);"),
    "division": ("emit(100 / (x - 5) == 1000);", "emit(0);"),
    "remainder": ("emit(100 % (x + 5) == 1000);", "emit(0);"),
    "pointer": ("int *p = x == 4 ? 0 : &g; *p = 0; emit(g);", "g = 0; emit(g);"),
    "index": ("emit(t[x & 3]);", "emit(0);"),
}
HEADS = "void emit(int); int g; static const int t[3] = {{0, 0, 0}};\n"
PROGRAM = HEADS + "signed char input(void);\nint main(void) {{ int x = input(); {} return 0; }}\n"
FUNCTION = HEADS + "int f(signed char c) {{ int x = c; {} return 0; }}\n"


def compared(before: str, after: str, folder: Path, function: str | None) -> Answer:
    paths = folder / "before.c", folder / "after.c"
    for path, text in zip(paths, (before, after), strict=True):
        path.write_text(text)
    asked = Options(limits(60.0, None))
    names = (str(paths[0]), str(paths[1]))
    (found,) = refine(RefineRequest(names, False, asked, reading=Reading(function=function)))
    return found


def sacheck(*arguments: str) -> Result:
    return CliRunner().invoke(application(), [*arguments])


@pytest.mark.parametrize("kind", UNDEFINED)
@pytest.mark.parametrize(("text", "function"), [(PROGRAM, None), (FUNCTION, "f")], ids=["program", "function"])
def test_undefined_behaviour_of_the_second_file_refutes(
    kind: str, text: str, function: str | None, tmp_path: Path
) -> None:
    undefined, defined = (text.format(body) for body in UNDEFINED[kind])
    outcome = compared(defined, undefined, tmp_path, function).outcome
    assert outcome.verdict.value == "REFUTED"
    assert kind != "overflow" or kind not in {c.kind for c in outcome.said.assumptions}
    assert (OTHERWISE in outcome.notes) == (kind == "overflow" and function is None)
    assert compared(undefined, undefined, tmp_path, function).outcome.verdict.value == "PROVED"


@pytest.mark.parametrize("kind", UNDEFINED)
def test_undefined_behaviour_of_the_first_function_permits_everything(kind: str, tmp_path: Path) -> None:
    undefined, defined = (FUNCTION.format(body) for body in UNDEFINED[kind])
    assert compared(undefined, defined, tmp_path, "f").outcome.verdict.value == "PROVED"


def test_a_program_without_the_overflow_of_the_first_one_is_compared_without_bounds(tmp_path: Path) -> None:
    undefined, defined = (PROGRAM.format(body) for body in UNDEFINED["overflow"])
    outcome = compared(undefined, defined, tmp_path, None).outcome
    assert outcome.verdict.value == "PROVED"
    assert "overflow" in {c.kind for c in outcome.said.assumptions}
    assert "overflow" in {c.kind for c in outcome.said.not_checked}


@pytest.mark.parametrize("options", [(), ("--function", "f")], ids=["program", "function"])
def test_the_certificate_says_how_an_answer_was_read(options: tuple[str, ...], tmp_path: Path) -> None:
    text = FUNCTION if options else PROGRAM
    files = [str(tmp_path / name) for name in ("before.c", "after.c")]
    for path, body in zip(files, reversed(UNDEFINED["overflow"]), strict=True):
        Path(path).write_text(text.format(body))
    written = tmp_path / "evidence.json"
    assert sacheck("refine", *options, *files, "--certificate", str(written)).exit_code == 1
    assert sacheck("certify", str(written)).exit_code == 0
    document = json.loads(written.read_text())
    (entry,) = document["questions"]
    for reading in ([], [*entry["reading"], "races"]):
        entry["reading"] = reading
        written.write_text(json.dumps(document))
        assert sacheck("certify", str(written)).exit_code != 0


def value(tree: object, x: int) -> int | None:
    """What an expression is, None where some part of it overflows."""
    match tree:
        case (op, one, two):
            first, second = value(one, x), value(two, x)
            if first is None or second is None:
                return None
            made = first + second if op == "+" else first - second
            return made if -GREATEST - 1 <= made <= GREATEST else None
        case "x":
            return x
        case int():
            return tree
        case _:
            raise AssertionError(tree)


def written(tree: object) -> str:
    return f"({written(tree[1])} {tree[0]} {written(tree[2])})" if isinstance(tree, tuple) else f"{tree}"


def expression(random: Random, depth: int) -> object:
    if depth == 0 or random.random() < 0.2:
        return random.choice(["x", "x", "x", 1, 7, 100, 100, GREATEST - 100])
    return (random.choice("+-"), expression(random, depth - 1), expression(random, depth - 1))


def test_random_functions_are_compared_as_their_values_say(tmp_path: Path) -> None:
    """All numbers that a character can be are tried."""
    random, seen = Random(1), set[tuple[str, bool]]()
    for _ in range(24):
        first, other = expression(random, 3), expression(random, 3)
        # One that computes the same is rare.
        trees = first, random.choice([other, ("-", ("+", first, "x"), "x"), ("+", first, 0)])
        pairs = [(value(trees[0], x), value(trees[1], x)) for x in range(-128, 128)]
        expected = "PROVED" if all(a is None or a == b for a, b in pairs) else "REFUTED"
        before, after = (f"int f(signed char c) {{ int x = c; return {written(t)}; }}" for t in trees)
        assert compared(before, after, tmp_path, "f").outcome.verdict.value == expected, (before, after)
        seen.add((expected, any(a is None or b is None for a, b in pairs)))
    assert len(seen) == 4
