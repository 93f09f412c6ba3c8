"""`batch`: many questions, each by itself; what is finished stays finished."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sa.app.batch import share_of, units_of_pair
from sa.cli.main import application
from tests.cli.test_compile_check import CLANG

pytest.importorskip("llvmlite")

RIGHT = "define i32 @{name}(i32 noundef %x) {{\n  %y = add i32 %x, {n}\n  ret i32 %y\n}}\n"
OTHER = "define i32 @{name}(i32 noundef %x) {{\n  %y = sub i32 %x, -{n}\n  ret i32 %y\n}}\n"
REFUSED = "define float @half(float %x) {\n  ret float %x\n}\n"


def modules(folder: Path, right: int, wrong: int = 0, more: str = "") -> Path:
    """A folder with two modules of functions, some of which are miscompiled."""
    names = [f"f{n}" for n in range(right + wrong)]
    before = [RIGHT.format(name=name, n=n + 1) for n, name in enumerate(names)]
    after = [OTHER.format(name=name, n=n + 1 + (n >= right)) for n, name in enumerate(names)]
    folder.mkdir()
    (folder / "m.before.ll").write_text("\n".join([*before, more]))
    (folder / "m.after.ll").write_text("\n".join(["; lines move", *after, more]))
    return folder


def batch(*arguments: object) -> tuple[int, str]:
    """The exit status and all that is written."""
    result = CliRunner().invoke(application(), ["batch", "--no-cache", *map(str, arguments)])
    return result.exit_code, result.output


def in_numbers(*arguments: object) -> dict[str, Any]:
    """How many units there are of each kind."""
    found: dict[str, Any] = json.loads(batch("--json", *arguments)[1])
    return found


def lines(path: Path) -> list[dict[str, Any]]:
    """A file of results."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_each_function_of_a_pair_of_modules_is_a_unit_and_the_table_counts_them(tmp_path: Path) -> None:
    folder = modules(tmp_path / "ir", 2, 1, REFUSED)
    status, told = batch(folder, "-j", 2)
    assert status == 1
    assert [line.split()[:2] for line in told.splitlines()[-5:]] == [
        ["2", "correct"],
        ["1", "incorrect"],
        ["1", "not"],
        ["1", "SA744"],
        ["4", "in"],
    ]


def test_places_are_those_of_the_users_files(tmp_path: Path) -> None:
    folder, sarif = modules(tmp_path / "ir", 3, 1), tmp_path / "found.sarif"
    batch(folder, "--sarif", sarif, "--quiet")
    (result,) = json.loads(sarif.read_text())["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("ir/m.after.ll")
    text = (folder / "m.after.ll").read_text().splitlines()
    assert "@f3" in "".join(text[place["region"]["startLine"] - 4 : place["region"]["startLine"]])


def test_what_has_a_result_is_not_asked_again_and_half_a_line_is_no_result(tmp_path: Path) -> None:
    folder, results = modules(tmp_path / "ir", 3), tmp_path / "results.jsonl"
    batch(folder, "--results", results)
    first = results.read_text()
    whole, half = first.splitlines(keepends=True)[:2], first.splitlines()[2][:50]
    results.write_text("".join(whole) + half)
    assert in_numbers(folder, "--results", results)["kinds"] == {"correct": 3}
    assert results.read_text().startswith("".join(whole))
    assert Counter(line["name"] for line in lines(results)) == Counter(
        json.loads(x)["name"] for x in first.splitlines()
    )


def test_a_function_that_is_changed_is_asked_again_and_so_it_is_with_other_limits(tmp_path: Path) -> None:
    folder, results = modules(tmp_path / "ir", 2), tmp_path / "results.jsonl"
    batch(folder, "--results", results)
    changed = folder / "m.after.ll"
    changed.write_text(changed.read_text().replace("sub i32 %x, -2", "sub i32 %x, -7"))
    assert in_numbers(folder, "--results", results)["kinds"] == {"correct": 1, "incorrect": 1}
    assert len(lines(results)) == 3
    in_numbers(folder, "--results", results, "--timeout", 50)
    assert len(lines(results)) == 5


def test_shards_are_a_partition_that_depends_on_each_unit_alone(tmp_path: Path) -> None:
    folder = modules(tmp_path / "ir", 6)
    pair = str(folder / "m.before.ll"), str(folder / "m.after.ll")
    units = units_of_pair(pair, ("refine", *pair), ())
    parts = [share_of(units, number, 3) for number in (1, 2, 3)]
    assert sorted(u.name for part in parts for u in part) == sorted(u.name for u in units)
    assert share_of(units[2:], 2, 3) == tuple(u for u in parts[1] if u in units[2:])


def test_a_line_of_a_manifest_is_a_command(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.sa", tmp_path / "bad.sa"
    good.write_text("global x : int = 0;\nthread T { x := 1; assert(x == 1); }\n")
    bad.write_text("global x : int = 0;\nthread T { x := 1; assert(x == 2); }\n")
    manifest = tmp_path / "questions.txt"
    manifest.write_text(f"# two questions\nverify {good}\n\nverify {bad} --why\n")
    found = in_numbers(manifest)
    assert (found["kinds"], found["incorrect"]) == ({"correct": 1, "incorrect": 1}, [f"verify {bad} --why"])


@pytest.mark.parametrize("line", ["explain SA744", "verify 'a.sa"])
def test_another_line_is_an_error_with_its_place(tmp_path: Path, line: str) -> None:
    manifest = tmp_path / "questions.txt"
    manifest.write_text(f"# nothing\n{line}\n")
    status, told = batch(manifest)
    assert status == 2
    assert "questions.txt:2:1: error SA922" in told


@pytest.mark.parametrize("text", ["{", "[1]", '[{"file": "a.c"}]', "7"])
def test_a_database_that_is_none_is_an_error(tmp_path: Path, text: str) -> None:
    database = tmp_path / "compile_commands.json"
    database.write_text(text)
    status, told = batch(database)
    assert (status, "error SA922" in told) == (2, True)


@pytest.mark.fuzz
@pytest.mark.skipif(CLANG is None, reason="clang is not installed")
def test_a_database_of_compile_commands_is_compiled_in_two_ways_with_its_flags(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "one.h").write_text("#define ONE 1\n")
    (tmp_path / "one.c").write_text('#include "one.h"\nint f(int x) { return x + ONE + TWO; }\n')
    (tmp_path / "two.c").write_text("int g(void) { return missing; }\n")
    commands = [
        {"directory": str(tmp_path), "file": "one.c", "command": "cc -Ihere -DTWO=2 -O3 -c one.c -o one.o"},
        {"directory": str(tmp_path), "file": "two.c", "arguments": ["cc", "-c", "two.c"]},
    ]
    database = tmp_path / "compile_commands.json"
    database.write_text(json.dumps(commands))
    found = in_numbers(database, "--cc", CLANG)
    assert found["kinds"] == {"correct": 1, "not accepted": 1}


def started(*arguments: object) -> subprocess.Popen[str]:
    """A batch in a process of its own."""
    command = [sys.executable, "-m", "sa", "batch", "--no-cache", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def until_there_are(path: Path, count: int) -> None:
    """Wait for so many results."""
    for _ in range(600):
        if path.exists() and path.read_text().count("\n") >= count:
            return
        time.sleep(0.1)
    raise AssertionError("it has no results")


@pytest.mark.fuzz
def test_a_batch_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    folder, results = modules(tmp_path / "ir", 14), tmp_path / "results.jsonl"
    process = started(folder, "--results", results)
    until_there_are(results, 3)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = lines(results)
    assert 3 <= len(before) < 14
    assert in_numbers(folder, "--results", results)["kinds"] == {"correct": 14}
    assert lines(results)[: len(before)] == before
    assert len(lines(results)) == 14


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A cluster of two workers on this machine, one command at a time each."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made:
        yield made


@pytest.mark.fuzz
def test_a_cluster_gives_the_same_table_and_a_lost_worker_costs_its_units_only(tmp_path: Path, cluster: Any) -> None:
    folder, results = modules(tmp_path / "ir", 8, 1, REFUSED), tmp_path / "results.jsonl"
    process = started(folder, "--results", results, "--executor", cluster.scheduler_address.replace("tcp", "dask"))
    until_there_are(results, 2)
    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == 1
    kinds = Counter(line["kind"] for line in lines(results))
    assert kinds == {"correct": 8, "incorrect": 1, "not accepted": 1}
    assert in_numbers(folder)["kinds"] == dict(kinds)


def test_a_cluster_that_is_not_there_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("sa.processes.cluster._SECONDS", 1)
    status, told = batch(modules(tmp_path / "ir", 1), "--executor", "dask://127.0.0.1:9")
    assert (status, "error SA923" in told) == (2, True)
