"""Programs as small trees of statements over a few variables with small ranges, and their text."""

from __future__ import annotations

from random import Random

from msgspec import Struct
from msgspec.structs import replace

ENUM = "enum Color { Red, Green }\n"
TYPES = {"x": "0..2", "y": "0..1", "b": "bool", "c": "Color", "f": "0..1[2]", "l": "0..2"}
STARTS = {
    "x": ("", " = 0", " = 1"),
    "y": ("", " = 0"),
    "b": ("", " = false"),
    "c": ("", " = Red"),
    "f": (" = 0",),
    "l": (" = 0",),
}
CHOOSES, ALWAYS = "choose", "atomic"


class Node(Struct, frozen=True):
    """A statement: its text if it is simple, otherwise `head`, such as `if (b)`, and the blocks behind it."""

    head: str
    blocks: tuple[Block, ...] = ()
    label: str = ""


Block = tuple[Node, ...]


class Thread(Struct, frozen=True):
    """A thread: what its environment does, its locals with initial values, its statements."""

    name: str
    relies: tuple[str, ...]
    locals: tuple[str, ...]
    body: Block


class Text(Struct, frozen=True):
    """A program to be: variables with their initial values, threads."""

    starts: tuple[tuple[str, str], ...]
    init: str
    threads: tuple[Thread, ...]


def written(program: Text) -> str:
    """The text of a program."""
    names = [n for n, _ in program.starts]
    lines = [ENUM] if "c" in names else []
    lines += [f"global {n} : {TYPES[n]}{start};\n" for n, start in program.starts]
    lines += [f"init {program.init};\n"] if program.init else []
    return "".join(lines) + "".join(_thread_text(t) for t in program.threads)


def _thread_text(thread: Thread) -> str:
    head = [*(f"rely {r};" for r in thread.relies), *thread.locals]
    body = [_node_text(n) for n in thread.body]
    return f"thread {thread.name} {{\n" + "".join(f"  {line}\n" for line in (*head, *body)) + "}\n"


def _node_text(node: Node) -> str:
    if not node.blocks:
        return f"{node.label}{node.head}"
    inner = ["{ " + " ".join(_node_text(n) for n in block) + " }" for block in node.blocks]
    between = " or " if node.head == CHOOSES else " else "
    return f"{node.label}{node.head} " + between.join(inner)


def random_text(rng: Random, is_open: bool, count: int) -> Text:
    names = rng.sample(list(TYPES), rng.choice((1, 2, 2) if is_open or count > 1 else (2, 2, 3)))
    if not {"x", "y"} & set(names):
        names[0] = "x"
    starts = tuple((n, rng.choice(STARTS[n])) for n in names)
    init = random_test(rng, [n for n in names if n != "f"]) if rng.random() < 0.15 else ""
    if init:
        starts = tuple((n, "" if n not in "fl" else s) for n, s in starts)
    threads = []
    for number in range(count):
        own = rng.sample(("r", "s"), rng.choice((0, 1, 1) if count == 1 else (0, 0, 1)))
        relies = tuple(random_rely(rng, names) for _ in range(rng.choice((1, 1, 2)))) if is_open else ()
        kinds = {"r": ("0..2", (" = 0", " = 1", "")), "s": ("bool", (" = false", ""))}
        locals_ = tuple(f"local {n} : {kinds[n][0]}{rng.choice(kinds[n][1])};" for n in own)
        body = tuple(random_node(rng, [*names, *own], 2) for _ in range(rng.randint(2, 5 if count == 1 else 3)))
        threads.append(Thread(f"T{number + 1}", relies, locals_, body))
    return Text(starts, init, tuple(threads))


def random_rely(rng: Random, names: list[str]) -> str:
    ints = [n for n in names if n in "xyl"]
    v = rng.choice(ints or names)
    w = rng.choice(names)
    options = [f"unchanged {w}", f"unchanged {', '.join(names)}", f"unchanged {v}"]
    if ints:
        options += [f"{v}' >= {v}", f"{v}' == {v} || {v}' == {v} + 1", f"{v} == 0 ==> {v}' == {v}", f"{v}' != 1"]
        options += [f"{v} <= old({v}) || {v} == 2", f"{v}' == ({v} + 1) % 2", f"{v}' <= {v}"]
    if "b" in names:
        options += [f"b ==> {v}' == {v} && b'", f"b' ==> {v}' == {v}", f"b == b' || {v}' == {v}"]
    return rng.choice(options)


def names_of(program: Text, thread: Thread) -> list[str]:
    return [n for n, _ in program.starts] + [w.split()[1] for w in thread.locals]


def random_node(rng: Random, names: list[str], depth: int, inside: bool = False) -> Node:
    if depth > 0 and rng.random() < 0.35:
        kinds = ["if", "if", CHOOSES] + ([] if inside else ["while", ALWAYS, ALWAYS, "await"])
        match rng.choice(kinds):
            case "if":
                blocks = tuple(_block(rng, names, depth - 1, inside) for _ in range(rng.randint(1, 2)))
                return Node(f"if ({'*' if rng.random() < 0.1 and not inside else random_test(rng, names)})", blocks)
            case "while":
                return Node(f"while ({random_test(rng, names)})", (_block(rng, names, depth - 1, inside),))
            case "choose":
                return Node(CHOOSES, tuple(_block(rng, names, depth - 1, inside) for _ in range(2)))
            case "await":
                return Node(
                    f"await {random_test(rng, names)}", (_block(rng, names, depth - 1, True),), random_label(rng, names)
                )
            case _:
                return Node(ALWAYS, (_block(rng, names, depth, True),), random_label(rng, names))
    node = _simple(rng, names)
    return node if inside else replace(node, label=random_label(rng, names))


def _block(rng: Random, names: list[str], depth: int, inside: bool) -> Block:
    return tuple(random_node(rng, names, depth, inside) for _ in range(rng.randint(1, 2)))


def random_label(rng: Random, names: list[str]) -> str:
    if rng.random() < 0.7:
        return ""
    return f"@{rng.choice('pq')}{rng.choice(('', f'({random_value(rng, names)})'))} "


def _simple(rng: Random, names: list[str]) -> Node:
    ints = [n for n in names if n in "xyr"]
    bools = [n for n in names if n in "bs"]
    v = rng.choice(ints) if ints else ""
    options = [
        f"havoc {rng.choice(names)};",
        "skip;",
        f"assume {random_test(rng, names)};",
        f"assert {random_test(rng, names)};",
    ]
    if ints:
        options += [f"{v} := {random_value(rng, names)}{rng.choice((' % 2', ' % 2', ''))};" for _ in range(5)]
        w = rng.choice([n for n in ("x", "y") if n in names] or [v])
        if w != v:
            options += [f"{v} := fetch_add({w}, 1);", f"{v}, {w} := {w} % 2, {v} % 2;"]
            options += [f"{v} := cas({w}, {rng.randint(0, 1)}, {rng.randint(0, 1)});"]
    if bools:
        options += [f"{rng.choice(bools)} := {random_test(rng, names)};"] * 3
    if "c" in names:
        options += ["c := Red;", "c := Green;", f"c := if {random_test(rng, names)} then Red else Green;"]
    if "f" in names:
        options += ["f[0] := 1;", f"f[1] := {random_value(rng, names)} % 2;", f"f[{v or 0} % 2] := 1 - f[0];"]
    if "l" in names:
        options += ["lock(l);", "unlock(l);", "l := 0;"]
    return Node(rng.choice(options))


def random_value(rng: Random, names: list[str]) -> str:
    ints = [n for n in names if n in "xyrl"] + (["f[0]", "f[1]"] if "f" in names else [])
    v = rng.choice(ints) if ints else "1"
    return rng.choice((v, v, "0", "1", "2", f"({v} + 1)", f"(2 - {v})", f"({v} * 2)", f"(({v} + 1) / 2)"))


def random_test(rng: Random, names: list[str]) -> str:
    ints = [n for n in names if n in "xyrl"]
    options = [n for n in names if n in "bs"] + [f"!{n}" for n in names if n in "bs"]
    options += [f"c == {k}" for k in ("Red", "Green")] if "c" in names else []
    options += ["f[0] == 0", "f[0] == f[1]"] if "f" in names else []
    for v in ints:
        options += [f"{v} == {rng.randint(0, 2)}", f"{v} < {rng.randint(1, 2)}", f"{v} != {random_value(rng, names)}"]
    atom = rng.choice(options or ["true"])
    return atom if rng.random() < 0.8 else f"({atom} {rng.choice(('&&', '||'))} {rng.choice(options or ['false'])})"
