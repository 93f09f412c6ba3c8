"""Operands are evaluated in no order: what is undefined for that is an error, and an order that matters is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.frontends.c.load import load_with
from sa.frontends.reading import Reading

BEFORE = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
int g, h, table[4], *gp = &g;
_Atomic int a, b;
struct node { struct node *next; int n; } first, *head = &first;
int __VERIFIER_nondet_int(void);
int two(int x, int y) { return x + y; }
int next(void) { return ++g; }
int plain(int x) { int y = x; y++; return y; }
int look(void) { return h; }
void put(int *p) { *p = 3; }
void *idle(void *p) { a = 1; b = 1; return p; }
"""

UNDEFINED = {
    "changed and read": "i = i++ + 1;",
    "changed twice": "i = i++;",
    "changed in a choice": "i = j ? i++ : 0;",
    "changed by an index": "table[i] = i++;",
    "an argument beside a change": "j = two(i++, i);",
    "two changes": "j = i++ + i++;",
    "a compound assignment of what changes": "i += i++;",
    "a static variable": "g = g-- - g;",
    "deep inside": "while (j < 3 && two(1, (i = 2) * 3 + i)) j++;",
}

DEFINED = {
    "a step": "i++; i += 1; i = i + 1;",
    "a sequence point at a comma": "i = (i++, i) + 1;",
    "a sequence point at &&": "j = i++ && i; i = i++ && j;",
    "a sequence point at ?": "j = i++ ? i : 0;",
    "a change before a call": "i = two(i++, 1);",
    "different variables": "while (i < 2) table[i++] = j--;",
    "a list": "head->next = head; head = head->next;",
    "a size": "j = sizeof(i++) + i;",
    "an address": "j = two(i++, &i != 0);",
}

MATTERS = {
    "a call that changes a variable": "j = g + next();",
    "two calls with effects": "j = two(next(), next());",
    "a pointer to a variable that changes": "j = *gp + (g = 2);",
    "an index that a call changes": "table[g] = next();",
    "an index that an inlined store changes": "j = (table[0] = 1) + table[i];",
    "an initialiser": "int t[2] = {next(), g}; j = t[0];",
    "a local variable that a pointer leads to": "int *p = &i; j = (*p = 2) + i;",
    "calls of what is not defined": "extern int is_on(void), toggle(void); j = is_on() + toggle();",
    "an end beside a failure": "j = 1 / i + (exit(0), 1);",
}

IRRELEVANT = {
    "numbers of the function": "j = i * j + plain(i) - plain(j);",
    "reads": "j = g + h * table[i] + *gp + look();",
    "any values": "j = __VERIFIER_nondet_int() + __VERIFIER_nondet_int();",
    "allocation": "int *p = malloc(4); i = p != 0;",
    "assertions": "assert(i < 100 && g < 100);",
    "a sequence point": "j = g && next();",
    "no order on the left": "g = next(); i = next();",
}


def _said(folder: Path, body: str, threads: bool = False) -> list[str]:
    creating = "pthread_t t; pthread_create(&t, 0, idle, 0);" if threads else ""
    path = folder / "prog.c"
    path.write_text(f"{BEFORE}int main(void) {{ int i = 1, j = 1; {creating}\n{body}\nreturn 0; }}\n")
    program = load_with(str(path), Reading(overflow="wrap"))
    return [c.text for c in program.said.assumptions if c.kind == "evaluation-order"]


@pytest.mark.parametrize("body", UNDEFINED.values(), ids=UNDEFINED)
def test_a_change_in_no_order_is_an_error(body: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as wrong:
        _said(tmp_path, body)
    (only,) = wrong.value.diagnostics
    assert only.code == "SA733" and only.span is not None and only.hint


@pytest.mark.parametrize("body", DEFINED.values(), ids=DEFINED)
def test_a_change_behind_a_sequence_point_is_accepted(body: str, tmp_path: Path) -> None:
    _said(tmp_path, body)


@pytest.mark.parametrize("body", MATTERS.values(), ids=MATTERS)
def test_an_order_that_may_matter_is_named_with_its_line(body: str, tmp_path: Path) -> None:
    (text,) = _said(tmp_path, body)
    assert "(line 17 of prog.c)" in text


@pytest.mark.parametrize("body", IRRELEVANT.values(), ids=IRRELEVANT)
def test_nothing_is_said_of_an_order_that_nobody_can_tell(body: str, tmp_path: Path) -> None:
    assert _said(tmp_path, body) == []


@pytest.mark.parametrize("reads", ["a + b", "atomic_load(&a) - atomic_load(&b)", "a * g"])
def test_the_order_of_atomic_reads_matters_beside_other_threads_only(reads: str, tmp_path: Path) -> None:
    assert len(_said(tmp_path, f"j = {reads};", threads=True)) == 1
    assert _said(tmp_path, "j = g + h; j = a + j;", threads=True) == []
    if "atomic_load" not in reads:
        assert _said(tmp_path, f"j = {reads};") == []
