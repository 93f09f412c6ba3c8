"""Variables and values of runs in the words of the language that the program is written in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Shown
from sa.automata.program import Program
from sa.report.decisions import of_kernel
from sa.report.explain import bare
from sa.report.formulas import Whole, content, wholes_of
from sa.terms.sort import ArraySort, ArrayValue, Sort, Value, show_value
from sa.terms.term import Var

#: The words by which variables that the translation made up are known, and those for what is so from the start.
_TRACKED = frozenset({"not allocated", "never written"})
_BEFORE = _TRACKED | {"alive"}


class Told(Struct, frozen=True):
    """How variables are told, by thread; under None those that no thread is named for. `wholes` by their variables.

    Some are `hidden`, which the translation made up. Those `of_scheduler` belong to its lane in a run.
    """

    by_thread: Mapping[str | None, Mapping[Var, Shown]]
    wholes: Mapping[str | None, Mapping[Var, Whole]]
    hidden: frozenset[Var] = frozenset()
    of_scheduler: frozenset[Var] = frozenset()


def told_in_run(program: Program, details: bool = True) -> Told:
    """The same as `told` for a run, in which a scheduler's decisions say what its variables mean."""
    how = told(program, details)
    kept = frozenset(v.var for v in program.variables if v.of_scheduler)
    return replace(how, hidden=how.hidden | of_kernel(program), of_scheduler=kept)


def told(program: Program, details: bool = True) -> Told:
    """How the variables of a program are told; without `details` those that the translation made up are not."""
    threads = (*program.threads, *(f.thread for f in program.families))
    by_thread: dict[str | None, Mapping[Var, Shown]] = {
        t.name: {v.var: v.shown for v in t.variables if v.shown is not None} for t in threads
    }
    by_thread[None] = {v: s for own in by_thread.values() for v, s in own.items()}
    wholes: dict[str | None, Mapping[Var, Whole]] = {t.name: wholes_of(t.variables) for t in threads}
    wholes[None] = wholes_of(program.variables)
    return Told(by_thread, wholes, frozenset() if details else _made_up(by_thread[None]))


def told_of(automaton: Automaton, details: bool = True) -> Told:
    """How the variables of one side of a refinement are told: without the side."""
    shown = {v.var: v.shown or Shown(bare(v.var)) for v in automaton.variables}
    return Told({None: shown}, {None: wholes_of(automaton.variables)}, frozenset() if details else _made_up(shown))


def _made_up(shown: Mapping[Var, Shown]) -> frozenset[Var]:
    """Variables that follow others, and fields with names that C reserves (7.1.3)."""
    return frozenset(v for v, s in shown.items() if s.about or re.search(r"(^|[.:])__", s.name))


def values_told(values: Mapping[Var, Value], thread: str | None, how: Told) -> list[tuple[str, str]]:
    """Variables with their values, in their order: `x` and `3`, of a sequence `q` and `{1, 2}`."""
    told = dict[str, str]()
    for v, value in values.items():
        if v in how.hidden:
            continue
        whole = whole_of(v, thread, how)
        if whole is not None and (text := content(whole, values)) is not None:
            told[whole.name] = text
        else:
            name, _, text = value_of(v, value, thread, how).rpartition(" = ")
            told[name] = text
    return list(told.items())


def changes_told(
    old: Mapping[Var, Value], new: Mapping[Var, Value], thread: str | None, how: Told
) -> list[tuple[str, str, str]]:
    """What became of variables: `x`, `2` and `3`; `?` where there was no value."""
    told = dict[str, tuple[str, str]]()
    for v, value in new.items():
        if v in how.hidden:
            continue
        whole = whole_of(v, thread, how)
        before, after = (None, None) if whole is None else (content(whole, old), content(whole, new))
        if whole is not None and before is not None and after is not None:
            if before != after:
                told[whole.name] = before, after
        elif v not in old:
            name, _, text = value_of(v, value, thread, how).rpartition(" = ")
            told[name] = "?", text
        else:
            told |= {name: (first, last) for name, first, last in _changes_of(v, old[v], value, thread, how)}
    return [(name, before, after) for name, (before, after) in told.items()]


def whole_of(var: Var, thread: str | None, how: Told) -> Whole | None:
    """The sequence that a variable is a part of."""
    return how.wholes.get(thread, how.wholes[None]).get(var) or how.wholes[None].get(var)


def _shown(var: Var, thread: str | None, how: Told) -> Shown:
    found = how.by_thread.get(thread, how.by_thread[None]).get(var)
    return found if found is not None else Shown(var.name)


def name_of(var: Var, thread: str | None, how: Told) -> str | None:
    """The name of a variable; None where the translation made it up."""
    return None if var in how.hidden else _element(_shown(var, thread, how), None)


def value_of(var: Var, value: Value, thread: str | None, how: Told) -> str:
    """A variable with its value: `x = 3`."""
    shown = _shown(var, thread, how)
    if isinstance(value, ArrayValue) and not value.entries:
        return f"{_element(shown, '…')} = {_word(value.default, _inner(var.sort), shown)}"
    return f"{_element(shown, None)} = {_word(value, var.sort, shown)}"


def word_of(var: Var, value: Value, how: Told) -> str:
    """The word for a value of a shared variable."""
    return _word(value, var.sort, _shown(var, None, how))


def is_before(var: Var, value: Value, how: Told) -> bool:
    """Whether a value says no more than that nothing has happened yet: to an object, or to memory without a value."""
    words = {word for _, word in _shown(var, None, how).values}
    return bool(words & _TRACKED) and word_of(var, value, how) in _BEFORE


def _changes_of(var: Var, old: Value, new: Value, thread: str | None, how: Told) -> Iterator[tuple[str, str, str]]:
    """What became of a variable, of an array element by element."""
    shown = _shown(var, thread, how)
    if isinstance(old, ArrayValue) and isinstance(new, ArrayValue):
        sort = _inner(var.sort)
        if old.default != new.default:
            yield _element(shown, "…"), _word(old.default, sort, shown), _word(new.default, sort, shown)
        for index in sorted({i for i, _ in (*old.entries, *new.entries)}):
            if old[index] != new[index]:
                yield _element(shown, str(index)), _word(old[index], sort, shown), _word(new[index], sort, shown)
    elif old != new:
        yield _element(shown, None), _word(old, var.sort, shown), _word(new, var.sort, shown)


def _inner(sort: Sort) -> Sort:
    return sort.element if isinstance(sort, ArraySort) else sort


def _element(shown: Shown, index: str | None) -> str:
    """The name, with an index where the variable is an array."""
    if "[]" in shown.name:
        return shown.name.replace("[]", "" if index is None else f"[{index}]", 1)
    return shown.name if index is None else f"{shown.name}[{index}]"


def _word(value: Value, sort: Sort, shown: Shown) -> str:
    if type(value) is int:
        for known, word in shown.values:
            if known == value:
                return word
        if shown.letters and 32 <= value < 127 and chr(value) not in "'\\":
            return f"'{chr(value)}'"
    return show_value(value, sort)
