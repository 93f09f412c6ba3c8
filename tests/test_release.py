"""What is released: a wheel and a source distribution that install into an empty environment and work there."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import sa

ROOT = Path(__file__).parents[1]
PROGRAM = "global x : int = 0;\nthread T { x := x + 1; }\ninvariant small : x <= 1;\n"


def run(*command: str | Path, cwd: Path, status: int = 0) -> str:
    """What a command writes; it must end with this status."""
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def environment(folder: Path, *installed: str | Path) -> Path:
    """The programs of a new virtual environment with these packages and nothing else."""
    run(sys.executable, "-m", "venv", folder, cwd=ROOT)
    run(folder / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", *installed, cwd=ROOT)
    return folder / "bin"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the source distribution of what is committed or about to be; the wheel is made from the latter."""
    folder = tmp_path_factory.mktemp("built")
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).splitlines()
    with tarfile.open(folder / "tree.tar", "w") as tree:
        for name in listed:
            if (ROOT / name).is_file():
                tree.add(ROOT / name, f"tree/{name}")
    run("tar", "xf", "tree.tar", cwd=folder)
    tools = environment(folder / "tools", "build", "hatchling>=1.25")
    run(tools / "python", "-m", "build", "--no-isolation", "-o", folder / "dist", folder / "tree", cwd=folder)
    (wheel,), (source,) = (folder / "dist").glob("*.whl"), (folder / "dist").glob("*.tar.gz")
    return wheel, source


@pytest.mark.fuzz
def test_the_wheel_works_in_an_empty_environment(built: tuple[Path, Path], tmp_path: Path) -> None:
    programs = environment(tmp_path / "empty", built[0])
    (tmp_path / "p.sa").write_text(PROGRAM)
    assert run(programs / "sacheck", "--version", cwd=tmp_path) == f"sacheck {sa.__version__}\n"
    told = run(programs / "sacheck", "verify", "p.sa", "--report", "p.html", "--certificate", "p.json", cwd=tmp_path)
    assert told.startswith("PROVED")
    assert (tmp_path / "p.html").read_text().startswith("<!DOCTYPE html>")
    assert run(programs / "sacheck", "certify", "p.json", cwd=tmp_path).startswith("ACCEPTED")
    (tmp_path / "p.sa").write_text(PROGRAM.replace("<= 1", "<= 0"))
    run(programs / "sacheck", "verify", "p.sa", cwd=tmp_path, status=1)
    asked = "import sacheck; print(sacheck.verify('p.sa').verdict.value)"
    assert run(programs / "python", "-c", asked, cwd=tmp_path) == "REFUTED\n"


@pytest.mark.fuzz
def test_the_wheel_has_the_program_and_the_source_distribution_all_that_tests_need(built: tuple[Path, Path]) -> None:
    wheel = {name.split("/")[0] for name in zipfile.ZipFile(built[0]).namelist()}
    assert wheel == {"sa", "sacheck", f"sacheck-{sa.__version__}.dist-info"}
    with tarfile.open(built[1]) as source:
        names = {name.partition("/")[2] for name in source.getnames()}
    assert {"README.md", "CHANGELOG.md", "LICENSE", "tests/test_release.py", "grammar/sa.lark"} <= names


def test_the_changelog_has_the_version() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert re.fullmatch(rf"{re.escape(sa.__version__)} - \d{{4}}-\d{{2}}-\d{{2}}", headings[1])


def test_the_editors_extension_has_the_same_version() -> None:
    assert f'"version": "{sa.__version__}"' in (ROOT / "editors/vscode/package.json").read_text()
