"""`show`: the automata of a file."""

from __future__ import annotations

from difflib import get_close_matches

from sa.automata.automaton import Automaton
from sa.base.diagnostic import InputError, error
from sa.frontends.load import load_program
from sa.frontends.reading import USUAL, Reading
from sa.language.unparse import show_program
from sa.terms.sort import INT, ArraySort, Sort


def show(path: str, thread: str | None, split: bool, reading: Reading = USUAL) -> tuple[Automaton, ...]:
    """The automata of all threads of a file, or of one; one for all copies of a family. Raises InputError."""
    loaded = load_program(path, split, families=True, reading=reading)
    families = tuple(f.thread for f in loaded.program.families)
    threads = (*loaded.program.threads, *families)
    if thread is None:
        return threads
    found = tuple(a for a in threads if a.name == thread)
    if not found:
        close = get_close_matches(thread, [a.name for a in threads], 1)
        hint = f"did you mean `{close[0]}`?" if close else f"it has {', '.join(f'`{a.name}`' for a in threads)}"
        raise InputError((error("SA904", f"`{path}` has no thread `{thread}`", None, hint),))
    return found


def as_text(path: str, split: bool, reading: Reading = USUAL) -> str:
    """A program as `.sa` text, whatever language the file is in. Raises InputError."""
    program = load_program(path, split, families=True, reading=reading).program
    local = (v for t in (*program.threads, *(f.thread for f in program.families)) for v in t.variables)
    nested = (v.var for v in (*program.variables, *local) if not _is_written(v.var.sort))
    names = dict.fromkeys(f"`{v.name}`" for v in nested)
    if names:
        hint = "`show` without `--format sa` shows the automata"
        raise InputError((error("SA711", f"`.sa` text has no arrays of arrays, as {', '.join(names)}", None, hint),))
    return show_program(program)


def _is_written(sort: Sort) -> bool:
    """Whether the language has a type for it."""
    return not isinstance(sort, ArraySort) or (sort.index == INT and not isinstance(sort.element, ArraySort))
