"""The questions that files and folders hold, each with the verdict that it expects."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from sa.app.files import files_in
from sa.base.diagnostic import InputError
from sa.base.verdict import Verdict
from sa.frontends.load import load
from sa.language.loaded import LoadedScript
from sa.language.read import read_source

#: What the first side of a pair is called: `abs.sa` beside `conc.sa`, `loop.before.c` beside `loop.after.c`.
_ABSTRACT, _CONCRETE, _BEFORE = "abs", "conc", ".before"

#: C has no word for it: a comment says what is expected.
_COMMENT = re.compile(r"^//\s*expect:\s*(proved|refuted|unknown)\s*$", re.MULTILINE)


class Command(Enum):
    """The command that decides a question."""

    REFINE = "refine"
    VERIFY = "verify"
    PROVE = "prove"


class Question(Struct, frozen=True):
    """A command with the files that it is given. `expected` is there where only a comment says it."""

    command: Command
    paths: tuple[str, ...]
    expected: Verdict | None = None


class Suite(Struct, frozen=True):
    """The questions, and the files that expect nothing."""

    questions: tuple[Question, ...]
    silent: tuple[str, ...]


def suite_of(paths: Iterable[str]) -> Suite:
    """What is asked in files and folders. A file with errors is a question too. Raises InputError for empty folders."""
    questions, silent = list[Question](), list[str]()
    for path in files_in(paths):
        found = _question(path)
        if found is None:
            silent.append(path)
        else:
            questions.append(found)
    return Suite(tuple(questions), tuple(silent))


def partner(path: str) -> str | None:
    """The abstract program beside a concrete one, by the names of the files; None where there is none."""
    folder, name = os.path.split(path)
    stem, suffix = os.path.splitext(name)
    base, dot, _ = stem.rpartition(".")
    names = [f"{_ABSTRACT}{suffix}"] if stem == _CONCRETE else [f"{base}{_BEFORE}{suffix}"] if dot else []
    found = (os.path.join(folder, n) for n in names if n != name)
    return next((p for p in found if os.path.isfile(p)), None)


def questions_of(paths: Iterable[str]) -> tuple[Question, ...]:
    """What files and folders ask, whether they expect something or not; the first side of a pair asks nothing alone.

    Raises InputError for empty folders.
    """
    found = dict.fromkeys(_asked(path)[0] for path in files_in(paths))
    firsts = {question.paths[0] for question in found if len(question.paths) == 2}
    return tuple(q for q in found if len(q.paths) == 2 or q.paths[0] not in firsts)


def _question(path: str) -> Question | None:
    """What a file asks, None where it expects nothing."""
    question, expecting = _asked(path)
    return question if expecting else None


def _asked(path: str) -> tuple[Question, bool]:
    """What a file asks, and whether it expects something: a file with errors expects that it has none."""
    abstract = partner(path)
    question = Question(Command.VERIFY, (path,)) if abstract is None else Question(Command.REFINE, (abstract, path))
    try:
        if not path.lower().endswith(".sa"):
            # Bitcode has no comments.
            comment = None if path.lower().endswith(".bc") else _COMMENT.search(read_source(path).text)
            return replace(question, expected=Verdict(comment[1].upper()) if comment else None), comment is not None
        loaded = load(path)
    except InputError:
        return question, True
    if isinstance(loaded, LoadedScript):
        script = loaded.script
        return Question(Command.PROVE, (path,)), any((script.expect, *(step.expect for step in script.steps)))
    program, blocks = loaded.program, loaded.blocks
    told = (program.expect, *(i.expect for i in program.invariants), *(b.written.expect for b in blocks))
    if any(block.abstract is not None for block in blocks):
        question = Question(Command.REFINE, (path,))
    return question, any(told)
