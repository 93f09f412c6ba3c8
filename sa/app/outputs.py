"""What a command may write: no file that it reads, no source, and no file twice."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import combinations

from msgspec import Struct

from sa.base.diagnostic import InputError, error
from sa.frontends.load import KINDS

#: The code of an output that would destroy a file.
DESTROYS = "SA919"

#: Answers never take the place of these, even if the command does not read them.
_SOURCES = (*KINDS, ".h")

#: The options whose files are sources themselves.
_WRITES_SOURCES = ("--export", "--script")


class Output(Struct, frozen=True):
    """A file to write, and the option that names it."""

    option: str
    path: str


def refuse_loss(outputs: Sequence[Output], inputs: Iterable[str]) -> None:
    """That no output is an input, an existing source or another output. Raises InputError with all that are.

    Files are the same by whatever names and links they are reached.
    """
    if not outputs:
        return
    read, wrong = tuple(inputs), list[str]()
    for output in outputs:
        if any(_same(output.path, other) for other in read):
            wrong.append(f"`{output.option} {output.path}` would replace a file that is read")
        elif output.option not in _WRITES_SOURCES and _is_source(output.path):
            wrong.append(f"`{output.option} {output.path}` would replace a source")
    for one, two in combinations(outputs, 2):
        if _same(one.path, two.path) and not _same(one.path, os.devnull):
            wrong.append(f"`{one.option}` and `{two.option}` are one file")
    if wrong:
        raise InputError(tuple(error(DESTROYS, message, None, "name another file") for message in wrong))


def _same(one: str, two: str) -> bool:
    """Whether two paths lead to one file, or would if it existed."""
    try:
        return os.path.samefile(one, two)
    except (OSError, ValueError):
        return os.path.realpath(one) == os.path.realpath(two)


def _is_source(path: str) -> bool:
    target = os.path.realpath(path)
    return os.path.isfile(target) and os.path.splitext(target)[1].lower() in _SOURCES
