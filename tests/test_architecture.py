"""The rooms of the house: who may import whom, sizes, docstrings, names. See docs/decisions/001."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

#: All rooms in order: a room imports itself and rooms above it in this list, as far as MAY_IMPORT allows.
ORDER = (
    "base",
    "terms",
    "automata",
    "lowering",
    "language",
    "frontends",
    "smt",
    "domains",
    "certificates",
    "processes",
    "conditions",
    "generation",
    "question",
    "transform",
    "explicit",
    "invariants",
    "hybrid",
    "ranking",
    "bounded",
    "game",
    "environments",
    "simulation",
    "plays",
    "values",
    "checker",
    "rules",
    "refinement",
    "engines",
    "weakest",
    "scripts",
    "report",
    "app",
    "lsp",
    "cli",
)
_DATA = {"base", "terms", "automata"}

#: What each room may import, and does import: an entry that nothing uses fails the build too.
MAY_IMPORT = {
    "base": set[str](),
    "terms": {"base"},
    "automata": {"base", "terms"},
    "lowering": _DATA,
    "language": _DATA | {"lowering"},
    "frontends": _DATA | {"language"},
    "smt": {"base", "terms"},
    "domains": {"base", "terms"},
    "certificates": {"terms", "automata"},
    "processes": {"base"},
    "conditions": _DATA | {"smt", "certificates"},
    "generation": _DATA | {"smt", "domains", "conditions"},
    "question": _DATA | {"smt", "certificates", "conditions"},
    "transform": _DATA | {"smt", "certificates"},
    "explicit": _DATA | {"certificates", "question"},
    "invariants": _DATA | {"smt", "domains", "certificates", "conditions", "generation", "question", "explicit"},
    "hybrid": _DATA | {"smt", "domains", "certificates", "conditions", "question", "explicit", "invariants"},
    "ranking": _DATA
    | {"smt", "domains", "certificates", "conditions", "explicit", "invariants", "hybrid", "transform"},
    "bounded": _DATA | {"smt", "certificates", "processes", "question", "explicit"},
    "game": {"terms", "automata", "smt", "certificates"},
    "environments": {"terms", "smt", "conditions", "game"},
    "simulation": _DATA | {"smt", "domains", "certificates", "game", "environments"},
    "plays": _DATA | {"smt", "domains", "certificates", "invariants", "game", "environments", "simulation"},
    "values": _DATA | {"smt", "certificates", "explicit", "game", "plays"},
    # A shared builder of obligations would share its bugs.
    "checker": _DATA | {"smt", "certificates"},
    # So are rules: what they ask for is asked again of certificates.
    "rules": _DATA | {"smt", "certificates", "checker"},
    "refinement": _DATA
    | {
        "smt",
        "domains",
        "certificates",
        "conditions",
        "generation",
        "question",
        "explicit",
        "invariants",
        "bounded",
        "game",
        "simulation",
        "plays",
        "values",
    },
    "engines": _DATA
    | {
        "smt",
        "certificates",
        "processes",
        "conditions",
        "generation",
        "question",
        "transform",
        "explicit",
        "values",
        "invariants",
        "hybrid",
        "ranking",
        "bounded",
        "game",
        "simulation",
        "plays",
        "checker",
        "refinement",
    },
    "weakest": _DATA
    | {"smt", "certificates", "conditions", "question", "game", "simulation", "checker", "refinement", "engines"},
    "scripts": _DATA
    | {
        "smt",
        "certificates",
        "processes",
        "conditions",
        "generation",
        "question",
        "bounded",
        "invariants",
        "checker",
        "rules",
        "refinement",
        "engines",
    },
    "report": _DATA | {"certificates", "transform", "checker", "engines", "weakest", "scripts"},
    "app": _DATA
    | {
        "language",
        "frontends",
        "certificates",
        "conditions",
        "generation",
        "question",
        "transform",
        "explicit",
        "bounded",
        "checker",
        "rules",
        "engines",
        "weakest",
        "scripts",
    },
    "lsp": {"base", "report", "app"},
    "cli": {"base", "frontends", "processes", "engines", "report", "app", "lsp"},
}

MOST_LINES_OF_A_FILE, MOST_LINES_OF_A_FUNCTION = 400, 60
NO_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "stuff", "core", "basics"}
TESTED = ("sa", "tests", "bench")


@cache
def parsed(text: str) -> ast.Module:
    """The syntax tree of a text, made once."""
    return ast.parse(text)


@cache
def imports(tree: ast.Module) -> tuple[str, ...]:
    """The modules that a module imports, wherever in it; looked for once."""
    return tuple(_imports(tree))


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")
            yield from (f"{node.module}.{alias.name}" for alias in node.names if node.module == "sa")


def room_of(module: str) -> str | None:
    """The room of a dotted module name, None outside of `sa`."""
    parts = module.split(".")
    inside = parts[0] == "sa" and len(parts) > 1 and not parts[1].startswith("__")
    return parts[1] if inside else None


def wrong_imports(room: str, text: str) -> list[str]:
    """What a module of a room imports against the table."""
    found = list[str]()
    for name in imports(parsed(text)):
        target = room_of(name)
        if name.startswith("."):
            found.append(f"relative import {name}")
        elif target is not None and target != room and target not in MAY_IMPORT[room]:
            found.append(f"sa.{room} imports sa.{target}")
        elif name.split(".")[0] == "z3" and room != "smt":
            found.append(f"sa.{room} imports z3")
    return found


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """All functions, methods and inner functions included."""
    return (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))


def too_long(text: str) -> list[str]:
    """The file or functions of it that are over the limits."""
    found = list[str]()
    lines = len(text.splitlines())
    if lines >= MOST_LINES_OF_A_FILE:
        found.append(f"{lines} lines")
    for function in functions(parsed(text)):
        size = (function.end_lineno or 0) - function.lineno + 1
        if size >= MOST_LINES_OF_A_FUNCTION:
            found.append(f"{function.name} has {size} lines")
    return found


def undocumented(text: str) -> list[str]:
    """The module, public classes and public functions at the top of it that lack a docstring."""
    tree = parsed(text)
    found = [] if ast.get_docstring(tree) else ["the module"]
    for node in tree.body:
        public = isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
        if public and not ast.get_docstring(node):
            found.append(node.name)
    return found


def bad_names(path: Path) -> list[str]:
    """The parts of a path that say nothing."""
    return [part for part in (*path.parts[:-1], path.stem) if part.lower() in NO_NAMES]


#: Folders of one machine, in halves so that this file does not find itself.
MACHINE = re.compile("|".join("/" + folder for folder in ("work/", "root/", r"home/\w", r"Users/\w", "tmp/venv")))


def machine_paths(text: str) -> list[str]:
    """Paths that exist on somebody's machine only."""
    return MACHINE.findall(text)


def sources(*roots: str) -> list[Path]:
    """The Python files under some folders, relative to the project."""
    return sorted(p.relative_to(ROOT) for root in roots for p in (ROOT / root).rglob("*.py"))


@cache
def tracked() -> Iterable[Path]:
    """The files under version control; all files where there is none (an unpacked archive)."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = listing.stdout.split("\0") if listing.returncode == 0 else []
    return [ROOT / n for n in names if n and (ROOT / n).is_file()] or [ROOT / p for p in sources(*TESTED)]


def faults(found: Callable[[Path, str], list[str]], *roots: str) -> dict[str, list[str]]:
    """What is found in the Python files under some folders, by file."""
    told = {str(path): found(path, (ROOT / path).read_text(encoding="utf-8")) for path in sources(*roots)}
    return {path: faults for path, faults in told.items() if faults}


def test_rooms_import_only_what_the_table_allows() -> None:
    """The import table holds."""
    assert faults(lambda path, text: wrong_imports(path.parts[1], text) if len(path.parts) > 2 else [], "sa") == {}


def test_rooms_import_all_that_the_table_allows() -> None:
    """The table says how the rooms hang together; rooms that are not there yet aside."""
    used: dict[str, set[str]] = {room: set() for room in ORDER}
    for path in sources("sa"):
        if len(path.parts) > 2:
            names = imports(parsed((ROOT / path).read_text(encoding="utf-8")))
            used[path.parts[1]] |= {room for room in map(room_of, names) if room is not None}
    unused = {room: MAY_IMPORT[room] - used[room] for room in ORDER if (ROOT / "sa" / room).is_dir()}
    assert {room: rooms for room, rooms in unused.items() if rooms} == {}


#: Files and folders of the project, as texts name them.
NAMED = re.compile(r"`((?:[a-z_]+/)*(?:[a-z_0-9]+\.py|[a-z_]+/[a-z_]+|[a-z_]+/))(?: [a-z ]+)?`")


def missing_files(text: str, known: set[str]) -> list[str]:
    """The files and folders in backquotes that do not exist, by the ends of their paths."""
    named = {found.rstrip("/") for found in NAMED.findall(text)}
    return sorted(n for n in named if not any(f"/{k}".endswith((f"/{n}", f"/{n}.py")) for k in known))


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.md")), ids=lambda p: p.stem)
def test_files_that_documents_name_exist(path: Path) -> None:
    """Documents move with the code."""
    files = [p.relative_to(ROOT) for p in tracked()]
    known = {str(part) for p in files for part in (p, *p.parents)}
    assert missing_files(path.read_text(encoding="utf-8"), known) == []


def test_files_and_functions_are_short() -> None:
    """No file and no function is longer than one can hold in mind."""
    assert faults(lambda _, text: too_long(text), *TESTED) == {}


def test_modules_and_public_names_have_docstrings() -> None:
    """Whoever opens a file reads first what it is."""
    assert faults(lambda _, text: undocumented(text), "sa") == {}


def test_names_say_what_is_inside() -> None:
    """No attic."""
    assert [p for p in sources(*TESTED) if bad_names(p)] == []


def test_tracked_files_know_no_machine() -> None:
    """Nothing depends on where a maintainer keeps the project."""
    texts = ((p, p.read_text(encoding="utf-8", errors="replace")) for p in tracked())
    assert [str(p.relative_to(ROOT)) for p, text in texts if machine_paths(text)] == []


def test_the_table_is_layered_and_names_every_room() -> None:
    """Every folder is a room, and rooms import only rooms before them."""
    folders = {p.parts[1] for p in sources("sa") if len(p.parts) > 2}
    assert folders <= set(ORDER)
    assert set(MAY_IMPORT) == set(ORDER)
    for room, allowed in MAY_IMPORT.items():
        assert allowed <= set(ORDER[: ORDER.index(room)])


def test_the_prohibitions_that_matter_most_stand_in_the_table() -> None:
    """The checker is independent, domains need no solver, nothing below the command line prints."""
    assert not (MAY_IMPORT["checker"] | MAY_IMPORT["rules"]) & {
        "conditions",
        "invariants",
        "simulation",
        "engines",
        "question",
        "refinement",
    }
    assert "smt" not in MAY_IMPORT["domains"]
    assert {room for room, allowed in MAY_IMPORT.items() if "report" in allowed} <= {"cli", "lsp"}


def test_the_judge_of_the_tests_shares_nothing_with_the_engines_but_data_and_syntax() -> None:
    judge = [p for p in sources("tests/oracle") if not p.name.startswith("test_")]
    assert len(judge) > 5
    rooms = {room_of(module) for path in judge for module in imports(parsed((ROOT / path).read_text()))}
    assert rooms - {None} <= {"base", "terms", "automata", "certificates", "language"}


@pytest.mark.parametrize(
    ("room", "text"),
    [
        ("checker", "from sa.simulation.fixpoint import solve"),
        ("checker", "import sa.conditions"),
        ("checker", "from sa import invariants"),
        ("checker", "def f():\n    from sa.invariants.weak import check"),
        ("domains", "from sa.smt import session"),
        ("base", "from sa.terms.term import Term"),
        ("simulation", "import z3"),
        ("app", "from sa.report.terminal import show_document"),
        ("terms", "from . import build"),
        ("smt", "from sa.cli.main import main"),
    ],
)
def test_a_forbidden_import_is_found(room: str, text: str) -> None:
    """The test above can fail."""
    assert wrong_imports(room, text)


@pytest.mark.parametrize(("room", "text"), [("smt", "import z3"), ("cli", "from sa.app.refine import refine")])
def test_an_allowed_import_is_not_found(room: str, text: str) -> None:
    """The test above does not fail on everything."""
    assert wrong_imports(room, text) == []


def test_long_files_and_functions_are_found() -> None:
    """The limits are where they are said to be."""
    assert too_long("x = 1\n" * MOST_LINES_OF_A_FILE)
    assert too_long("x = 1\n" * (MOST_LINES_OF_A_FILE - 1)) == []
    assert too_long("class A:\n  def f():\n" + "    x = 1\n" * (MOST_LINES_OF_A_FUNCTION - 1))
    assert too_long("def f():\n" + "    x = 1\n" * (MOST_LINES_OF_A_FUNCTION - 2)) == []


def test_missing_docstrings_and_empty_names_and_machine_paths_are_found() -> None:
    """The other tests can fail too."""
    assert undocumented("") == ["the module"]
    assert undocumented('"""A."""\ndef f(): ...\nclass A: ...\ndef _g(): ...') == ["f", "A"]
    assert bad_names(Path("sa/terms/utils.py")) == ["utils"]
    assert bad_names(Path("sa/helpers/terms.py")) == ["helpers"]
    missing = missing_files("`terms/nowhere.py`, `nowhere/` and `terms/name.py`", {"sa/terms/name.py"})
    assert missing == ["nowhere", "terms/nowhere.py"]
    assert machine_paths("see /" + "work/main/x") == ["/" + "work/"]
