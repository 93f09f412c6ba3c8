"""`batch`: the questions in folders, in a database of compile commands, or in a manifest, each by itself."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any

from msgspec import Struct

from sa import __version__
from sa.app.compile_check import Compilation
from sa.app.suite import questions_of
from sa.base.diagnostic import InputError, error
from sa.base.source import Span
from sa.frontends.llvm.slices import Slice, parts_of, slices_of
from sa.frontends.load import KINDS, source_of
from sa.frontends.reading import is_llvm
from sa.language.read import read_source

#: The commands that a line of a manifest may have.
COMMANDS = ("refine", "verify", "prove", "compile-check")

#: What may be the name of a file in a program: `#include "queue.h"`, `abstract "queue.sa"`.
_QUOTED = re.compile(r'[<"]([^<>"\n]{1,200})[>"]')

#: What a database of compile commands is called.
_DATABASE = "compile_commands.json"


class Text(Struct, frozen=True):
    """A text that stands for a user's file."""

    name: str
    slice: Slice


class Unit(Struct, frozen=True):
    """A command, as it is run, and as a user would type it. `texts` stand for its files, by the names that it uses.

    `subject` is the file that it is about. Two units with one `key` have the same answer.
    """

    name: str
    subject: str
    arguments: tuple[str, ...]
    told: tuple[str, ...]
    key: str
    texts: Mapping[str, Text] = {}


class Plan(Struct, frozen=True):
    """What is asked: pairs of modules of LLVM IR, files that are compiled first, and other commands."""

    pairs: tuple[tuple[str, str], ...] = ()
    compiled: tuple[Compilation, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()


def plan_of(paths: Iterable[str], compiler: str, before: str, after: str) -> Plan:
    """What files, folders, databases and manifests ask. Raises InputError."""
    plain, compiled, commands = list[str](), list[Compilation](), list[tuple[str, ...]]()
    for path in paths:
        if os.path.basename(path) == _DATABASE:
            compiled.extend(_of_database(path, compiler, before, after))
        elif os.path.isdir(path) or os.path.splitext(path)[1].lower() in KINDS:
            plain.append(path)
        else:
            commands.extend(_of_manifest(path))
    questions = questions_of(plain) if plain else ()
    pairs = tuple((q.paths[0], q.paths[1]) for q in questions if len(q.paths) == 2 and all(map(is_llvm, q.paths)))
    # A module of LLVM IR without a partner asks nothing.
    others = tuple((q.command.value, *q.options, *q.paths) for q in questions if not any(map(is_llvm, q.paths)))
    return Plan(pairs, tuple(compiled), (*others, *commands))


def units_of_pair(paths: tuple[str, str], told: tuple[str, ...], options: Sequence[str]) -> tuple[Unit, ...]:
    """A unit for each function that both modules define; a user asks with `told`. Raises InputError."""
    first, second = (parts_of(source_of(path).text) for path in paths)
    # What stands for bitcode is a text.
    names = tuple(os.path.splitext(os.path.basename(path))[0] + ".ll" for path in paths)
    if names[0] == names[1]:
        names = (f"before.{names[0]}", f"after.{names[1]}")
    found, (command, *files) = list[Unit](), told
    for function in first.functions:
        if function in second.functions:
            slices = slices_of((first, second), function)
            texts = {n: Text(p, s) for n, p, s in zip(names, paths, slices, strict=True)}
            arguments = ("refine", "--function", function, *names)
            key = key_of(arguments, [s.content for s in slices], options)
            asked = (command, "--function", function, *files)
            found.append(Unit(shlex.join(asked), files[-1], arguments, asked, key, texts))
    return tuple(found)


def unit_of_command(arguments: Sequence[str], options: Sequence[str]) -> Unit:
    """The unit of another command. Its key has the texts of all files that it names, and of those that these name."""
    texts = [f"{path}\n{text}" for path, text in _read_by(arguments).items()]
    subject = next((word for word in reversed(arguments) if os.path.isfile(word)), arguments[0])
    told = tuple(arguments)
    return Unit(shlex.join(told), subject, told, told, key_of(arguments, texts, options))


def key_of(arguments: Sequence[str], texts: Iterable[str], options: Sequence[str]) -> str:
    """A hash of what a unit means: its command, its texts, how it is asked, and the version."""
    parts = (__version__, *arguments, "", *options, "", *texts)
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def share_of(units: Sequence[Unit], number: int, of: int) -> tuple[Unit, ...]:
    """The units of a shard, by their keys: what others ask beside them is no matter."""
    return tuple(unit for unit in units if int(unit.key[:12], 16) % of == number - 1)


def _read_by(arguments: Sequence[str]) -> Mapping[str, str]:
    """The texts of the files that a command reads: what a text has in quotes may be the name of another one."""
    folders = [word[2:] for word in arguments if word.startswith("-I") and word != "-I"]
    folders += [after for word, after in pairwise(arguments) if word == "-I"]
    found, pending = dict[str, str](), [word for word in arguments if os.path.isfile(word)]
    while pending:
        path = os.path.normpath(pending.pop())
        if path not in found:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                found[path] = file.read()
            places = (os.path.dirname(path), *folders)
            named = {os.path.join(p, m) for m in _QUOTED.findall(found[path]) for p in places}
            pending.extend(sorted(other for other in named if os.path.isfile(other)))
    return dict(sorted(found.items()))


def _of_manifest(path: str) -> Iterator[tuple[str, ...]]:
    """The commands of a manifest: a line each, as one would type them behind `sacheck`. Raises InputError."""
    source, start = read_source(path), 0
    for line in source.text.splitlines(keepends=True):
        text, span = line.strip(), Span(source, start, start + len(line.rstrip()))
        start += len(line)
        if not text or text.startswith("#"):
            continue
        try:
            words = shlex.split(text)
        except ValueError as wrong:
            raise InputError((error("SA922", f"this line is no command: {wrong}", span),)) from None
        if words[0] not in COMMANDS:
            hint = f"a line begins with {', '.join(f'`{c}`' for c in COMMANDS)}"
            raise InputError((error("SA922", f"`{words[0]}` is no command of a batch", span, hint),))
        yield tuple(words)


def _of_database(path: str, compiler: str, before: str, after: str) -> Iterator[Compilation]:
    """The files of a database of compile commands (Clang, JSON Compilation Database). Raises InputError."""
    source = read_source(path)
    try:
        entries = json.loads(source.text)
        for entry in entries:
            yield _compiled(entry, compiler, before, after)
    except (ValueError, KeyError, TypeError, AttributeError) as wrong:
        message = f"`{path}` is no database of compile commands: {wrong}"
        hint = "CMake writes one with `-DCMAKE_EXPORT_COMPILE_COMMANDS=ON`"
        raise InputError((error("SA922", message, Span(source, 0, 0), hint),)) from None


def _compiled(entry: Mapping[str, Any], compiler: str, before: str, after: str) -> Compilation:
    words = list(entry["arguments"]) if "arguments" in entry else shlex.split(entry["command"])
    folder, file = entry["directory"], entry["file"]
    flags = tuple(_flags(words[1:], file))
    path = os.path.normpath(os.path.relpath(os.path.join(folder, file)))
    return Compilation(path, compiler, before, after, flags, folder)


def _flags(words: Sequence[str], file: str) -> Iterator[str]:
    """What a command says of the language, without outputs, levels of optimisation and the file itself."""
    skip = False
    for word in words:
        if skip or word in ("-o", "-MF", "-MT", "-MQ"):
            skip = not skip
        elif word != file and word not in ("-c", "-S") and not word.startswith(("-O", "-M", "-o", "-g", "-flto")):
            yield word
