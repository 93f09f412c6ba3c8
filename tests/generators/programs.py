"""Random `.sa` programs as text: all kinds of statements over small variables, for judging the elaboration.

Every program is well formed. Names are fresh, so nothing is shadowed; the same seed gives the same text.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from msgspec import Struct, field

HEADER = """const N = 2;
enum Color {{ Red, Green }}
param P : 0..1;
define big(p) = p >= N;
function next(v : int) : int = if v < N then v + 1 else 0;
global x : 0..3 = {x};
global y : 0..2{y};
global n : int = {n};
global b : bool = false;
global c : Color = Red;
global f : 0..2[2] = 0;
global l : 0..2 = 0;
init x != 3 || y == 0;
"""

INTS = ("x", "y", "n")


class Writer(Struct):
    """What a thread's text may mention, and how much of it is still to come."""

    rng: Random
    ints: list[str]
    bools: list[str]
    budget: int
    fresh: int = 0
    named: int = 0
    loops: int = 0
    locals: list[str] = field(default_factory=list)


def random_program(seed: int, threads: int = 1) -> str:
    """The text of a program with this many threads."""
    rng = Random(seed)
    header = HEADER.format(x=rng.randint(0, 2), y=rng.choice(("", " = 1", " = P")), n=rng.randint(-1, 2))
    size = rng.randint(3, 9) if threads == 1 else rng.randint(2, 4)
    return header + "".join(_thread(rng, f"T{i + 1}", size) for i in range(threads))


def _thread(rng: Random, name: str, size: int) -> str:
    w = Writer(rng, list(INTS), ["b"], size)
    head = ["local r : 0..3 = 1;", "local s : bool = false;", "local m : int = x;"][: rng.randint(0, 3)]
    for line, names, kind in zip(head, ("r", "s", "m"), (w.ints, w.bools, w.ints), strict=False):
        kind.append(names)
        w.locals.append(line)
    if rng.random() < 0.2:
        w.ints.append("q")
        w.locals.append("local q : 0..1;")
    body = _block(w, 2, inside=False)
    # A local at the top of a thread is part of the initial state, where nothing may fail.
    first = rng.choice(("havoc x, b;", "havoc y, c;", "havoc n;", "skip;"))
    lines = [*w.locals, *([first] if rng.random() < 0.6 or (body and body[0].startswith("local")) else []), *body]
    return f"thread {name} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _block(w: Writer, depth: int, inside: bool) -> list[str]:
    """Some statements; locals declared among them are forgotten at the end. `inside` of one atomic step."""
    ints, bools, lines = list(w.ints), list(w.bools), []
    for _ in range(w.rng.randint(1, 3) if depth < 2 else w.budget):
        if w.budget <= 0:
            break
        w.budget -= 1
        lines.append(_statement(w, depth, inside))
    w.ints, w.bools = ints, bools
    return lines


def _braces(w: Writer, depth: int, inside: bool) -> str:
    return "{ " + " ".join(_block(w, depth - 1, inside)) + " }"


def _statement(w: Writer, depth: int, inside: bool) -> str:
    kinds: list[Callable[[Writer], str]] = [_assign, _assign, _assign, _pair, _havoc, _plain, _check, _atomics, _local]
    nested: list[Callable[[Writer, int, bool], str]] = [_if, _if, _choose]
    if not inside:
        nested += [_atomic, _atomic, _await, _while]
    if depth > 0 and w.rng.random() < 0.45:
        return w.rng.choice(nested)(w, depth, inside)
    if w.loops and not inside and w.rng.random() < 0.15:
        return f"if ({_bool(w, 1)}) {{ {w.rng.choice(('break', 'continue', 'return'))}; }}"
    text = w.rng.choice(kinds)(w)
    if inside or text.startswith("local"):
        return text
    return _with_label(w, text)


def _with_label(w: Writer, text: str) -> str:
    if w.rng.random() < 0.3:
        text = f"@{w.rng.choice(('go', 'tell'))}{w.rng.choice(('', f'({_int(w, 1)})'))} {text}"
    if w.rng.random() < 0.1:
        w.named += 1
        text = f"L{w.named}: {text}"
    return text


def _place(w: Writer) -> str:
    return w.rng.choice([*w.ints, "f[0]", f"f[{_index(w)}]"])


def _index(w: Writer) -> str:
    """Now and then outside of the array."""
    return w.rng.choice(("P", "P", "y", "x % 2", w.rng.choice(w.ints)))


def _assign(w: Writer) -> str:
    kind = w.rng.random()
    if kind < 0.7:
        place = _place(w)
        # Mostly a value that fits; otherwise the step may fail, and there is nothing behind it.
        fits = w.rng.random() < 0.8 and place not in ("n", "m")
        bound = 2 if place == "q" else 3
        return f"{place} := {_int(w, 2)}{f' % {bound}' if fits else ''};"
    if kind < 0.9:
        return f"{w.rng.choice(w.bools)} := {_bool(w, 2)};"
    return f"c := {w.rng.choice(('Red', 'Green', f'if {_bool(w, 0)} then Green else c'))};"


def _pair(w: Writer) -> str:
    first, second = w.rng.sample(w.ints, 2)
    return f"{first}, {second} := {_int(w, 1)} % 2, {_int(w, 1)} % 2;"


def _havoc(w: Writer) -> str:
    return f"havoc {w.rng.choice([*w.ints, *w.bools, 'c', 'f[1]', 'y, b'])};"


def _plain(w: Writer) -> str:
    return "skip;"


def _check(w: Writer) -> str:
    kind = w.rng.choice(("assume", "assume", "assert"))
    return f"{kind} {_bool(w, 1)}{w.rng.choice(('', ' || b', ' || x != 1', ' || y < 2'))};"


def _atomics(w: Writer) -> str:
    kind, result = w.rng.choice(("cas", "cas", "add", "lock", "unlock")), w.rng.choice(w.ints)
    target = w.rng.choice([v for v in ("x", "y", "n", "f[0]") if v != result])
    match kind:
        case "cas":
            return f"{w.rng.choice([result, *w.bools])} := cas({target}, {_int(w, 0)}, {_int(w, 1)});"
        case "add":
            return f"{result} := fetch_add({target}, {w.rng.choice(('1', '-1', '2', 'y' if result != 'y' else '1'))});"
        case _:
            return f"{kind}(l);"


def _local(w: Writer) -> str:
    name = f"t{w.fresh}"
    w.fresh += 1
    kind = w.rng.choice(("int", "0..3", "bool"))
    value = _bool(w, 1) if kind == "bool" else _int(w, 1)
    (w.bools if kind == "bool" else w.ints).append(name)
    return f"local {name} : {kind}{f' = {value}' if kind == 'int' or w.rng.random() < 0.7 else ''};"


def _if(w: Writer, depth: int, inside: bool) -> str:
    text = f"if ({'*' if w.rng.random() < 0.15 else _bool(w, 1)}) {_braces(w, depth, inside)}"
    if w.rng.random() < 0.25:
        text += f" else if ({_bool(w, 1)}) {_braces(w, depth, inside)}"
    return text + (f" else {_braces(w, depth, inside)}" if w.rng.random() < 0.5 else "")


def _choose(w: Writer, depth: int, inside: bool) -> str:
    return "choose " + " or ".join(_braces(w, depth, inside) for _ in range(w.rng.randint(2, 3)))


def _atomic(w: Writer, depth: int, inside: bool) -> str:
    w.budget += 2
    return _with_label(w, f"atomic {_braces(w, depth + 1, True)}")


def _await(w: Writer, depth: int, inside: bool) -> str:
    return _with_label(w, f"await {_bool(w, 1)} {_braces(w, depth, True) if w.rng.random() < 0.6 else ';'}")


def _while(w: Writer, depth: int, inside: bool) -> str:
    w.loops += 1
    w.budget += 1
    text = f"while ({'*' if w.rng.random() < 0.15 else _bool(w, 1)}) {_braces(w, depth, inside)}"
    w.loops -= 1
    return text


def _int(w: Writer, depth: int) -> str:
    if depth == 0 or w.rng.random() < 0.35:
        return w.rng.choice([*w.ints, *w.ints, "f[1]", "P", "N", *map(str, range(4))])
    inner = [_int(w, depth - 1) for _ in range(2)]
    return w.rng.choice(
        (
            f"({inner[0]} + {inner[1]})",
            f"({inner[0]} - {inner[1]})",
            f"({inner[0]} + 1)",
            f"(2 * {inner[0]})",
            f"({inner[0]} / {w.rng.choice(('2', '-2', '3'))})",
            f"({inner[0]} % {w.rng.choice(('2', '3', '-3'))})",
            f"(-{inner[0]})",
            f"next({inner[0]})",
            f"f[{_index(w)}]",
            f"(if {_bool(w, 0)} then {inner[0]} else {inner[1]})",
        )
    )


def _bool(w: Writer, depth: int) -> str:
    order = w.rng.choice(("==", "!=", "<", "<=", ">", ">="))
    atom = w.rng.choice(
        [f"{_int(w, min(depth, 1))} {order} {_int(w, 0)}", *w.bools, "c == Green", f"big({_int(w, 0)})"]
    )
    if depth == 0 or w.rng.random() < 0.5:
        return atom if atom in w.bools else f"({atom})"
    other = _bool(w, depth - 1)
    return (
        f"(({atom}) {w.rng.choice(('&&', '||', '==>', '<==>'))} ({other}))" if w.rng.random() < 0.8 else f"(!({atom}))"
    )
