"""What the passes of a compiler do to one function, each by itself: the modules that clang prints on its way."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from sa.base.diagnostic import InputError, error
from sa.frontends.llvm.compile import ir_of

#: How LLVM heads a module that it prints: `*** IR Dump After InstCombinePass on push ***`.
_HEAD = re.compile(r"^(?:; )?\*\*\* IR Dump (?:After|At) (\S+)[^\n]*\*\*\*[^\n]*\n", re.MULTILINE)


class Passed(Struct, frozen=True):
    """A module after a pass, as text; before the first one `name` is empty."""

    name: str
    text: str


def passes_of(source: str, compiler: str, flags: tuple[str, ...], function: str, folder: str | None) -> list[Passed]:
    """The module before all passes, and after each one that changes a function of it. Raises InputError."""
    start, _ = ir_of(source, compiler, (*flags, "-Xclang", "-disable-llvm-passes"), folder)
    words = ("-print-changed=quiet", "-print-module-scope", f"-filter-print-funcs={function}")
    options = [word for option in words for word in ("-mllvm", option)]
    # What is printed at the end has that function only: so the last module is made once more.
    last, _ = ir_of(source, compiler, flags, folder)
    _, told = ir_of(source, compiler, (*flags, "-w", *options), folder)
    found = [Passed("", start), *_printed(told), Passed("what is left", last)]
    if len(found) < 3:
        message = f"`{compiler}` does not print what its passes do"
        raise InputError((error("SA749", message, None, "use clang 13 or later"),))
    return found


def _printed(told: str) -> Iterator[Passed]:
    heads = list(_HEAD.finditer(told))
    for number, head in enumerate(heads):
        end = heads[number + 1].start() if number + 1 < len(heads) else len(told)
        text = told[head.end() : end]
        # A pass that deletes what it looks at, or leaves it as it is, prints a line and no module.
        if "\ndefine " in text:
            yield Passed(head[1], text)
