"""`sacheck batch`: many questions, each by itself, over one machine or many."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, TextIO

import typer
from msgspec import Struct

from sa.base.clock import clock
from sa.base.diagnostic import InputError, error
from sa.cli.options import CacheOption, Many, Settings
from sa.cli.output import screen, write, write_json
from sa.cli.record import with_options
from sa.cli.session import WORKERS, check_outputs, run
from sa.cli.written import write_facts

if TYPE_CHECKING:
    from sa.app.batch import Unit
    from sa.processes.commands import Done
    from sa.report.batch import UnitJson

#: Megabytes for a unit where nothing is said of them.
MEGABYTES = 2048


class Units(Many, frozen=True):
    """The options of `batch`: each unit has a limit on memory."""

    memory: Annotated[
        int | None, typer.Option(metavar="MB", min=1, help="Stop a unit that uses more memory; it is undecided.")
    ] = MEGABYTES
    cache: CacheOption = True


class How(Struct, frozen=True):
    """How units are asked: how many at once, with which options, on which cluster, and where results are kept."""

    jobs: int
    options: tuple[str, ...]
    executor: str | None
    results: str | None
    shard: tuple[int, int]
    compilers: tuple[str, str, str]


@with_options(Units)
def batch(
    given: Units,
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Folders, files, `compile_commands.json`, manifests.")
    ],
    results: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write each result to a file at once; units that it has are not asked again."
        ),
    ] = None,
    shard: Annotated[str | None, typer.Option(metavar="I/N", help="Ask only the I-th of N parts of all units.")] = None,
    executor: Annotated[
        str | None, typer.Option(metavar="dask://HOST:PORT", help="Ask on the workers of a Dask cluster.")
    ] = None,
    cc: Annotated[str, typer.Option("--cc", metavar="CLANG", help="The clang for compile commands.")] = "clang",
    before: Annotated[str, typer.Option(metavar="LEVEL", help="What the first module is made with.")] = "-O0",
    after: Annotated[str, typer.Option(metavar="LEVEL", help="What the second one is made with.")] = "-O2",
) -> None:
    """Ask many questions, each in a process with limits of its own.

    A pair of modules of LLVM IR, and a file in a database of compile commands, is a unit for each function; a line of a
    manifest is a command such as `verify queue.c --races`.

    Exit status: 0 all correct, 1 something is incorrect, 2 wrong input, 3 undecided or not accepted, 4 internal error.
    """
    settings = given.settings_of_all({"--results": results})
    options = (*given.of_each, "--cache" if given.cache else "--no-cache")
    how = How(given.jobs, options, executor, results, _shard(shard), (cc, before, after))
    check_outputs(settings, paths)
    run(settings, lambda: _batch(paths, how, settings))


def _shard(text: str | None) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text or "1/1")
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise typer.BadParameter("a shard is `I/N` with 1 ≤ I ≤ N", param_hint="--shard")
    return int(found[1]), int(found[2])


def _batch(paths: Sequence[str], how: How, settings: Settings) -> int:
    from sa.app.batch import share_of
    from sa.report.batch import batch_json, batch_status, show_table

    started = clock()
    with TemporaryDirectory(prefix="sacheck-") as folder:
        units, refused = _units(paths, how, folder)
        share = share_of(units, *how.shard)
        if not units and not refused:
            raise InputError((error("SA922", f"nothing is asked in {', '.join(f'`{p}`' for p in paths)}"),))
        with _Results(how.results) as kept:
            done = [*refused] if how.shard[0] == 1 else []
            done += _answers(share, kept, how, folder, settings)
    seconds = clock() - started
    write_facts(settings, [unit.facts for unit in done])
    if settings.json:
        write_json(batch_json(done, seconds))
    else:
        write(show_table(done, seconds, screen()))
    return batch_status(done)


def _units(paths: Sequence[str], how: How, folder: str) -> tuple[list[Unit], list[UnitJson]]:
    """The units, and what is to be said of pairs and files that give none. Raises InputError."""
    from sa.app.batch import plan_of, unit_of_command, units_of_pair
    from sa.app.compile_check import compile_all
    from sa.report.batch import not_accepted

    plan = plan_of(paths, *how.compilers)
    made: list[Unit] = []
    refused: list[UnitJson] = []
    pairs: list[tuple[tuple[str, str], tuple[str, ...]]] = [(pair, ("refine", *pair)) for pair in plan.pairs]
    for found, asked in zip(compile_all(folder, plan.compiled, how.jobs), plan.compiled, strict=True):
        if isinstance(found, InputError):
            refused.append(not_accepted(asked.source, found.diagnostics))
        else:
            pairs.append((found, ("compile-check", asked.source)))
    for pair, told in pairs:
        try:
            made += units_of_pair(pair, told, how.options)
        except InputError as wrong:
            refused.append(not_accepted(told[-1], wrong.diagnostics))
    made += [unit_of_command(command, how.options) for command in plan.commands]
    return list({unit.key: unit for unit in made}.values()), refused


class _Results:
    """The file of results: what it has, and new lines at its end."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._file: TextIO | None = None
        self.known: dict[str, UnitJson] = {}

    def __enter__(self) -> _Results:
        from sa.report.batch import is_final, line_of, read_lines

        if self._path is None:
            return self
        try:
            old = Path(self._path).read_text(encoding="utf-8") if os.path.exists(self._path) else ""
            self.known = {unit.key: unit for unit in read_lines(old) if is_final(unit)}
            # Half a line, which a process that was killed has left, is no beginning of another one.
            if old and not old.endswith("\n"):
                from sa.app.replace_file import replace_file

                replace_file(self._path, "".join(map(line_of, self.known.values())))
            self._file = open(self._path, "a", encoding="utf-8")
        except (OSError, UnicodeDecodeError) as wrong:
            message = f"cannot use `{self._path}` for results: {wrong}"
            raise InputError((error("SA903", message),)) from None
        return self

    def keep(self, unit: UnitJson) -> None:
        """Write a line, at once."""
        from sa.report.batch import line_of

        if self._file is not None:
            self._file.write(line_of(unit))
            self._file.flush()

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


def _answers(units: Sequence[Unit], kept: _Results, how: How, folder: str, settings: Settings) -> list[UnitJson]:
    from sa.report.batch import Kind, show_progress, show_unit

    done = [kept.known[unit.key] for unit in units if unit.key in kept.known]
    left = [unit for unit in units if unit.key not in kept.known]
    found = Counter[Kind](unit.kind for unit in done)
    shows = sys.stderr.isatty() and not settings.json and not settings.quiet
    for unit in _asked(left, how, folder):
        kept.keep(unit)
        done.append(unit)
        found[unit.kind] += 1
        if shows:
            write("\r\x1b[K", sys.stderr)
        if not settings.json and (unit.kind is not Kind.CORRECT) and not settings.quiet:
            write(show_unit(unit, screen()))
        if shows:
            write(show_progress(len(done), len(units), found), sys.stderr)
    if shows:
        write("\r\x1b[K", sys.stderr)
    return done


def _asked(units: Sequence[Unit], how: How, folder: str) -> Iterator[UnitJson]:
    """Each unit's answer, as soon as it is known."""
    if not units:
        return
    by_key = {unit.key: unit for unit in units}
    for key, done in _on_cluster(by_key.values(), how) if how.executor else _here(units, how, folder):
        yield _result(by_key[key], done)


def _result(unit: Unit, done: Done) -> UnitJson:
    from sa.report.batch import Asked, unit_json

    files = {name: text.name for name, text in unit.texts.items()}
    asked = Asked(unit.key, unit.name, unit.subject, unit.told)
    return unit_json(asked, done.out, done.err, done.seconds, files)


def _command(unit: Unit, how: How) -> tuple[str, ...]:
    name, *arguments = unit.arguments
    return (name, "--json", *how.options, *arguments)


def _here(units: Sequence[Unit], how: How, folder: str) -> Iterator[tuple[str, Done]]:
    from sa.processes.forks import each

    _prepare()
    for unit, done in each(units, how.jobs, partial(_answer, how, folder)):
        yield unit.key, done


def _prepare() -> None:
    """Import what units need, once for all processes that are forked from this one."""
    import sa.app.refine
    import sa.app.verify
    import sa.frontends.c.load
    import sa.report.outcome_json
    import sa.report.verify_json  # noqa: F401
    from sa.cli.main import application
    from sa.frontends.load import prepare

    application()
    prepare()
    # What is there is neither garbage nor, for that, touched by the processes.
    gc.collect()
    gc.freeze()


def _answer(how: How, folder: str, unit: Unit) -> int:
    """In a process of its own: the command of a unit, which watches its limits as any command does."""
    from sa.cli.main import application

    WORKERS.set(True)
    command = _command(unit, how)
    if unit.texts:
        own = os.path.join(folder, unit.key)
        os.mkdir(own)
        os.chdir(own)
        for name, text in unit.texts.items():
            Path(name).write_text(text.slice.text, encoding="utf-8")
    try:
        application(command[0])([*command], prog_name="sacheck")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0


def _on_cluster(units: Iterable[Unit], how: How) -> Iterator[tuple[str, Done]]:
    from sa.processes.cluster import each_on

    given = {u.key: (_command(u, how), {n: text.slice.text for n, text in u.texts.items()}) for u in units}
    yield from each_on(str(how.executor).replace("dask://", "tcp://", 1), given)
