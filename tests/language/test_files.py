"""Files and imports: what can be wrong with them is said, and nothing else happens."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from sa.base.diagnostic import InputError
from sa.base.source import span_text
from sa.language.load import load_program
from sa.language.loaded import Loaded
from sa.language.read import MAX_BYTES, read_source
from sa.terms.printer import show

T = "thread T { skip; }"


def write(folder: Path, **files: str) -> str:
    """Write files NAME.sa and give the path of the first."""
    for name, text in files.items():
        (folder / f"{name}.sa").write_text(text, encoding="utf-8")
    return str(folder / f"{next(iter(files))}.sa")


def codes(path: str) -> list[str]:
    """The codes of what is wrong with a file."""
    with pytest.raises(InputError) as wrong:
        load_program(path)
    return [d.code for d in wrong.value.diagnostics]


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "a.sa"
    path.write_bytes("\ufeffthread T {\r\n  skip; // ü\r\n}\r\n".encode())
    assert [t.name for t in load_program(str(path)).program.threads] == ["T"]


def test_what_cannot_be_read_is_a_coded_error(tmp_path: Path) -> None:
    path = tmp_path / "a.sa"
    assert codes(str(path)) == ["SA013"]
    assert codes(str(tmp_path)) == ["SA013"]
    assert codes("a\0b.sa") == ["SA013"]
    for data, code in ((b"\xff\xfe", "SA014"), (b"thread T { \0 }", "SA015"), (b" " * (MAX_BYTES + 1), "SA016")):
        path.write_bytes(data)
        assert codes(str(path)) == [code]


def loaded(folder: Path, main: str, other: str) -> Loaded:
    """A file that imports another one as `o`."""
    return load_program(write(folder, main='import "other.sa" as o; ' + main, other=other))


def test_constants_parameters_macros_functions_and_enumerations_are_imported(tmp_path: Path) -> None:
    other = "const N = 3; param A : int; define d(p) = p + N; enum C { R } function g(int) : int; axiom g(0) == 1;"
    main = "global c : o.C; global x : int = o.N + o.A; thread T { x := o.d(x) + o.g(o.A); c := o.R; }"
    program = loaded(tmp_path, main, other).program
    assert [v.var.name for v in program.variables] == ["A", "c", "x"]
    assert [f.name for f in program.functions] == ["g"]
    assert [show(a.formula) for a in program.axioms] == ["g(0) == 1"]


def test_the_texts_of_imports_are_among_the_sources(tmp_path: Path) -> None:
    assert len(loaded(tmp_path, T, "const N = 3;").sources) == 2


def test_variables_of_an_imported_file_are_its_own(tmp_path: Path) -> None:
    other = "global x : int; define free = x == 0; " + T
    path = write(tmp_path, main='import "other.sa" as o; thread U { assume o.free; assume o.x == 1; }', other=other)
    assert codes(path) == ["SA103", "SA103"]


def test_a_circle_of_imports_is_an_error_where_it_closes(tmp_path: Path) -> None:
    path = write(tmp_path, a='import "b.sa" as b; ' + T, b='import "a.sa" as a; ' + T)
    with pytest.raises(InputError) as wrong:
        load_program(path)
    (problem,) = wrong.value.diagnostics
    assert problem.code == "SA018"
    assert problem.span is not None
    assert span_text(problem.span) == 'import "a.sa" as a;'


def test_a_missing_import_is_reported_at_its_declaration(tmp_path: Path) -> None:
    path = write(tmp_path, a='import "b.sa" as b; ' + T)
    with pytest.raises(InputError) as wrong:
        load_program(path)
    (problem,) = wrong.value.diagnostics
    assert (problem.code, problem.span is not None) == ("SA013", True)


def test_a_parameter_of_both_files_is_one_and_must_have_one_type(tmp_path: Path) -> None:
    main = "param A : int; " + T
    assert [v.var.name for v in loaded(tmp_path, main, "param A : int;").program.variables] == ["A"]
    assert codes(write(tmp_path, main='import "other.sa" as o; ' + main, other="param A : bool;")) == ["SA102"]


def test_an_absolute_path_in_a_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "b.sa").write_text("const N = 1;\n")
    (tmp_path / "a.sa").write_text(f'import "{tmp_path}/b.sa" as b;\nthread T {{ skip; }}\n')
    with pytest.raises(InputError) as raised:
        load_program(str(tmp_path / "a.sa"))
    assert [d.code for d in raised.value.diagnostics] == ["SA019"]


def test_a_missing_file_is_told_with_one_of_a_similar_name(tmp_path: Path) -> None:
    (tmp_path / "peterson.sa").write_text("thread T { skip; }\n")
    for name, hint in (("petersen.sa", "peterson.sa"), ("other.sa", None)):
        with pytest.raises(InputError) as wrong:
            read_source(str(tmp_path / name))
        (problem,) = wrong.value.diagnostics
        assert problem.code == "SA013"
        assert problem.hint == (None if hint is None else f"did you mean `{tmp_path / hint}`?")


def test_an_enumeration_may_have_thousands_of_constructors(tmp_path: Path) -> None:
    """Each is a term that is looked up by its sort: reading them is no matter of their number squared."""
    path, names = tmp_path / "x.sa", ", ".join(f"c{n}" for n in range(20_000))
    path.write_text(f"enum E {{ {names} }}\nglobal x : E;\nthread T {{ x := c3; assert x == c3; }}\n")
    began = process_time()
    load_program(str(path))
    assert process_time() - began < 10
