"""The questions that files and folders hold, each with the verdict that it expects."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from sa.app.files import files_in
from sa.base.diagnostic import InputError, error
from sa.base.source import Source, Span
from sa.base.verdict import Verdict
from sa.frontends.load import load
from sa.language.loaded import LoadedScript
from sa.language.read import read_source

#: What the first side of a pair is called: `abs.sa` beside `conc.sa`, `loop.before.c` beside `loop.after.c`.
_ABSTRACT, _CONCRETE, _BEFORE = "abs", "conc", ".before"

#: C and LLVM IR have no word for it: a comment says what is expected.
_COMMENT = re.compile(r"^(?://|;)\s*expect:\s*(proved|refuted|unknown)\s*$", re.MULTILINE)

#: A comment that says with which options a file is asked.
_OPTIONS = re.compile(r"^(?://|;)\s*options:[ \t]*(.*?)[ \t]*$", re.MULTILINE)

#: The options that belong to a question: they change what is claimed. Others say how to search and where to write.
_ASKING = frozenset(
    (
        "--deadlock",
        "--entry",
        "--fair",
        "--function",
        "--heap",
        "--no-finite-loops",
        "--overflow",
        "--preserve",
        "--property",
        "--races",
    )
) | {"--split"}


class Command(Enum):
    """The command that decides a question."""

    REFINE = "refine"
    VERIFY = "verify"
    PROVE = "prove"


class Question(Struct, frozen=True):
    """A command with the files and options that it is given. `expected` is there where only a comment says it."""

    command: Command
    paths: tuple[str, ...]
    expected: Verdict | None = None
    options: tuple[str, ...] = ()


class Suite(Struct, frozen=True):
    """The questions, and the files that expect nothing."""

    questions: tuple[Question, ...]
    silent: tuple[str, ...]


def suite_of(paths: Iterable[str]) -> Suite:
    """What is asked in files and folders. A file with errors is a question too.

    Raises InputError for empty folders, and for options that are none of a question.
    """
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

    Raises InputError as `suite_of` does.
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
        # Bitcode has no comments.
        source = None if path.lower().endswith(".bc") else read_source(path)
    except InputError:
        return question, True
    question = question if source is None else replace(question, options=options_in(source))
    if not path.lower().endswith(".sa"):
        comment = None if source is None else _COMMENT.search(source.text)
        return replace(question, expected=Verdict(comment[1].upper()) if comment else None), comment is not None
    try:
        loaded = load(path)
    except InputError:
        return question, True
    if isinstance(loaded, LoadedScript):
        script = loaded.script
        asked = replace(question, command=Command.PROVE, paths=(path,))
        return asked, any((script.expect, *(step.expect for step in script.steps)))
    program, blocks = loaded.program, loaded.blocks
    told = (program.expect, *(i.expect for i in program.invariants), *(b.written.expect for b in blocks))
    if any(block.abstract is not None for block in blocks):
        question = replace(question, command=Command.REFINE, paths=(path,))
    return question, any(told)


def options_in(source: Source) -> tuple[str, ...]:
    """The options with which a comment has a file asked. Raises InputError for those that are none of a question."""
    found = _OPTIONS.search(source.text)
    if found is None:
        return ()
    words = found[1].split()
    for word in words:
        name = word.partition("=")[0]
        if name.startswith("-") and name not in _ASKING:
            start = source.text.index(word, found.start(1))
            hint = f"a file can set {', '.join(sorted(_ASKING))}"
            raise InputError(
                (error("SA924", f"a file cannot set `{name}`", Span(source, start, start + len(word)), hint),)
            )
    return tuple(words)
