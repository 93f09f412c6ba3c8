"""`show`: the automata of a file."""

from __future__ import annotations

from difflib import get_close_matches

from sa.automata.automaton import Automaton
from sa.base.diagnostic import InputError, error
from sa.frontends.load import load_program
from sa.language.unparse import show_program
from sa.terms.sort import ArraySort


def show(path: str, thread: str | None, split: bool) -> tuple[Automaton, ...]:
    """The automata of all threads of a file, or of one; one for all copies of a family. Raises InputError."""
    loaded = load_program(path, split, families=True)
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


def as_text(path: str, split: bool) -> str:
    """A program as `.sa` text, whatever language the file is in. Raises InputError."""
    program = load_program(path, split, families=True).program
    local = (v for t in (*program.threads, *(f.thread for f in program.families)) for v in t.variables)
    whole = dict.fromkeys(v.var.name for v in (*program.variables, *local) if isinstance(v.var.sort, ArraySort))
    if whole:
        names = ", ".join(f"`{name}`" for name in whole)
        hint = "`show` without `--format sa` shows the automata"
        raise InputError((error("SA711", f"`.sa` text has no arrays as large as {names}", None, hint),))
    return show_program(program)
