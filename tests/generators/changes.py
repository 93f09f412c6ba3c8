"""What optimisers do to a program, rightly or wrongly: changes of the trees of `texts`.

Each change takes a program and gives one that differs in one place, or the same one where it does not apply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

from msgspec.structs import replace

from tests.generators.texts import (
    ALWAYS,
    CHOOSES,
    STARTS,
    Block,
    Node,
    Text,
    Thread,
    names_of,
    random_label,
    random_node,
    random_rely,
    random_test,
    random_value,
)

Path = tuple[tuple[int, int], ...]


def _blocks(body: Block, path: Path = (), inside: bool = False) -> Iterator[tuple[Path, Block, bool]]:
    """All blocks of a thread with the way to them: (statement, which of its blocks), and whether within a step."""
    yield path, body, inside
    for i, node in enumerate(body):
        for j, block in enumerate(node.blocks):
            within = inside or node.head == ALWAYS or node.head.startswith("await")
            yield from _blocks(block, (*path, (i, j)), within)


def _with_block(body: Block, path: Path, new: Block) -> Block:
    if not path:
        return new
    (i, j), *rest = path
    node = body[i]
    blocks = tuple(_with_block(b, tuple(rest), new) if k == j else b for k, b in enumerate(node.blocks))
    return (*body[:i], replace(node, blocks=blocks), *body[i + 1 :])


Edit = Callable[[Random, list[str], Block, bool], Block | None]


def _edited(rng: Random, program: Text, edit: Edit) -> Text:
    """One block of one thread edited, where the edit applies."""
    i = rng.randrange(len(program.threads))
    thread = program.threads[i]
    places = list(_blocks(thread.body))
    rng.shuffle(places)
    for path, block, inside in places:
        new = edit(rng, names_of(program, thread), block, inside)
        if new:
            body = _with_block(thread.body, path, new)
            return _with_thread(program, i, replace(thread, body=body))
    return program


def _with_thread(program: Text, i: int, thread: Thread) -> Text:
    return replace(program, threads=(*program.threads[:i], thread, *program.threads[i + 1 :]))


def _splice(block: Block, i: int, count: int, *new: Node) -> Block:
    return (*block[:i], *new, *block[i + count :])


def _pick(rng: Random, block: Block, wanted: Callable[[Node], bool]) -> int | None:
    found = [i for i, n in enumerate(block) if wanted(n)]
    return rng.choice(found) if found else None


def _reorder(rng: Random, program: Text) -> Text:
    def edit(rng: Random, names: list[str], block: Block, inside: bool) -> Block | None:
        if len(block) < 2:
            return None
        i = rng.randrange(len(block) - 1)
        return _splice(block, i, 2, block[i + 1], block[i])

    return _edited(rng, program, edit)


def _remove(rng: Random, program: Text) -> Text:
    def edit(rng: Random, names: list[str], block: Block, inside: bool) -> Block | None:
        return _splice(block, rng.randrange(len(block)), 1) if len(block) > 1 else None

    return _edited(rng, program, edit)


def _repeat(rng: Random, program: Text) -> Text:
    def edit(rng: Random, names: list[str], block: Block, inside: bool) -> Block | None:
        i = rng.randrange(len(block))
        return _splice(block, i, 1, block[i], block[i])

    return _edited(rng, program, edit)


def _insert(rng: Random, program: Text) -> Text:
    def edit(rng: Random, names: list[str], block: Block, inside: bool) -> Block | None:
        return _splice(block, rng.randint(0, len(block)), 0, random_node(rng, names, 0, inside))

    return _edited(rng, program, edit)


def _silent_insert(rng: Random, program: Text) -> Text:
    def edit(rng: Random, names: list[str], block: Block, inside: bool) -> Block | None:
        own = [n for n in names if n in "rs"]
        text = f"havoc {rng.choice(own)};" if own and rng.random() < 0.4 else "skip;"
        return _splice(block, rng.randint(0, len(block)), 0, Node(text))

    return _edited(rng, program, edit)


def _other_constant(rng: Random, program: Text) -> Text:
    def edit(rng: Random, names: list[str], block: Block, inside: bool) -> Block | None:
        i = _pick(rng, block, lambda n: re.search(r"\b[012]\b", n.head) is not None)
        if i is None:
            return None
        spot = rng.choice(list(re.finditer(r"\b[012]\b", block[i].head)))
        if block[i].head[: spot.start()].endswith(("/ ", "% ", "[")):
            return None
        text = block[i].head[: spot.start()] + str(rng.randint(0, 2)) + block[i].head[spot.end() :]
        return _splice(block, i, 1, replace(block[i], head=text))

    return _edited(rng, program, edit)


def _fold(rng: Random, program: Text) -> Text:
    """A variable's value in the place of the variable, where it was assigned just before: right if nobody disturbs."""

    def edit(rng: Random, names: list[str], block: Block, inside: bool) -> Block | None:
        for i in range(len(block) - 1):
            known = re.fullmatch(r"(\w+) := ([012]);", block[i].head)
            if known and known[1] in names and ":=" in block[i + 1].head and not block[i + 1].blocks:
                left, _, right = block[i + 1].head.partition(":=")
                if "cas" in right or "fetch" in right:
                    continue
                new = left + ":=" + re.sub(rf"\b{known[1]}\b", known[2], right)
                return _splice(block, i + 1, 1, replace(block[i + 1], head=new))
        return None

    return _edited(rng, program, edit)


def _through_local(rng: Random, program: Text) -> Text:
    """An assigned value goes through a new local, read one step earlier: hoisting, or splitting a step."""
    if any("local t " in w for t in program.threads for w in t.locals):
        return program

    def edit(rng: Random, names: list[str], block: Block, inside: bool) -> Block | None:
        wanted = re.compile(r"([xyr]) := ([^;,]*);")
        i = _pick(rng, block, lambda n: wanted.fullmatch(n.head) is not None and "fetch" not in n.head)
        if inside or i is None or "cas" in block[i].head:
            return None
        found = wanted.fullmatch(block[i].head)
        assert found is not None
        return _splice(block, i, 1, Node(f"t := {found[2]};"), replace(block[i], head=f"{found[1]} := t;"))

    changed = _edited(rng, program, edit)
    threads = tuple(
        replace(t, locals=(*t.locals, "local t : -4..8 = 0;")) if t is not old else t
        for t, old in zip(changed.threads, program.threads, strict=True)
    )
    return replace(changed, threads=threads)


def _split_step(rng: Random, program: Text) -> Text:
    """The statements of an atomic block one after the other; `await` waits first."""

    def edit(rng: Random, names: list[str], block: Block, inside: bool) -> Block | None:
        i = _pick(rng, block, lambda n: n.head == ALWAYS or (n.head.startswith("await") and bool(n.blocks)))
        if inside or i is None:
            return None
        node, (first, *others) = block[i], block[i].blocks[0]
        waits = [] if node.head == ALWAYS else [Node(node.head.replace("await", "assume", 1) + ";")]
        first = replace(first, label=node.label if not first.blocks else "")
        return _splice(block, i, 1, *waits, first, *others)

    return _edited(rng, program, edit)


def _merge_steps(rng: Random, program: Text) -> Text:
    def edit(rng: Random, names: list[str], block: Block, inside: bool) -> Block | None:
        places = [
            i
            for i in range(len(block) - 1)
            if not block[i].blocks and not block[i + 1].blocks and not (block[i].label and block[i + 1].label)
        ]
        if inside or not places:
            return None
        i = rng.choice(places)
        pair = tuple(replace(n, label="") for n in block[i : i + 2])
        return _splice(block, i, 2, Node(ALWAYS, (pair,), block[i].label or block[i + 1].label))

    return _edited(rng, program, edit)


def _exchange_branches(rng: Random, program: Text) -> Text:
    """`if c A else B` becomes `if !c B else A`, now and then without the negation."""

    def edit(rng: Random, names: list[str], block: Block, inside: bool) -> Block | None:
        i = _pick(rng, block, lambda n: n.head.startswith("if") and len(n.blocks) == 2)
        if i is None:
            return None
        node = block[i]
        negated = node.head if "*" in node.head or rng.random() < 0.2 else f"if (!{node.head[3:]})"
        return _splice(block, i, 1, replace(node, head=negated, blocks=node.blocks[::-1]))

    return _edited(rng, program, edit)


def _unroll(rng: Random, program: Text) -> Text:
    def edit(rng: Random, names: list[str], block: Block, inside: bool) -> Block | None:
        i = _pick(rng, block, lambda n: n.head.startswith("while"))
        if i is None:
            return None
        node = block[i]
        test = node.head.removeprefix("while ")
        inner = rng.choice((node, node, Node("skip;")))
        return _splice(block, i, 1, Node(f"if {test}", ((*node.blocks[0], inner),)))

    return _edited(rng, program, edit)


def _join_branches(rng: Random, program: Text) -> Text:
    """What both branches end with, moved behind; or a statement behind, moved into both."""

    def edit(rng: Random, names: list[str], block: Block, inside: bool) -> Block | None:
        i = _pick(rng, block[:-1], lambda n: n.head.startswith("if") and len(n.blocks) == 2)
        if i is None:
            return None
        node, after = block[i], block[i + 1]
        return _splice(block, i, 2, replace(node, blocks=tuple((*b, after) for b in node.blocks)))

    return _edited(rng, program, edit)


def _resolve_choice(rng: Random, program: Text) -> Text:
    """`choose` becomes one of its branches, `havoc` a value, `if` one of its branches."""

    def edit(rng: Random, names: list[str], block: Block, inside: bool) -> Block | None:
        i = _pick(rng, block, lambda n: n.head in (CHOOSES, "if (*)") or n.head in ("havoc x;", "havoc y;", "havoc b;"))
        if i is None:
            return None
        node = block[i]
        if node.blocks:
            return _splice(block, i, 1, *rng.choice(node.blocks))
        value = rng.choice(("true", "false")) if node.head[6] == "b" else random_value(rng, names) + " % 2"
        return _splice(block, i, 1, replace(node, head=f"{node.head[6]} := {value};"))

    return _edited(rng, program, edit)


def _relabel(rng: Random, program: Text) -> Text:
    def edit(rng: Random, names: list[str], block: Block, inside: bool) -> Block | None:
        i = _pick(rng, block, lambda n: bool(n.label))
        return None if i is None else _splice(block, i, 1, replace(block[i], label=random_label(rng, names)))

    return _edited(rng, program, edit)


def _other_test(rng: Random, program: Text) -> Text:
    def edit(rng: Random, names: list[str], block: Block, inside: bool) -> Block | None:
        i = _pick(rng, block, lambda n: n.head.startswith(("if (", "while (")))
        if i is None:
            return None
        word, test = block[i].head.split(" ", 1)
        old = test[1:-1] if test != "(*)" else "true"
        new = rng.choice(
            (random_test(rng, names), f"{old} && {random_test(rng, names)}", f"{old} || {random_test(rng, names)}")
        )
        return _splice(block, i, 1, replace(block[i], head=f"{word} ({new})"))

    return _edited(rng, program, edit)


def _other_rely(rng: Random, program: Text) -> Text:
    i = rng.randrange(len(program.threads))
    thread = program.threads[i]
    if not thread.relies:
        return program
    new = random_rely(rng, [n for n, _ in program.starts])
    kept = thread.relies if rng.random() < 0.5 else thread.relies[1:]
    return _with_thread(program, i, replace(thread, relies=(*kept, new)))


def _other_start(rng: Random, program: Text) -> Text:
    if program.init:
        return replace(program, init="")
    i = rng.randrange(len(program.starts))
    name, _ = program.starts[i]
    return replace(program, starts=(*program.starts[:i], (name, rng.choice(STARTS[name])), *program.starts[i + 1 :]))


CHANGES: tuple[Callable[[Random, Text], Text], ...] = (
    _reorder,
    _reorder,
    _remove,
    _repeat,
    _insert,
    _silent_insert,
    _silent_insert,
    _other_constant,
    _fold,
    _fold,
    _through_local,
    _through_local,
    _through_local,
    _split_step,
    _split_step,
    _merge_steps,
    _merge_steps,
    _merge_steps,
    _exchange_branches,
    _unroll,
    _unroll,
    _join_branches,
    _resolve_choice,
    _resolve_choice,
    _resolve_choice,
    _relabel,
    _other_test,
    _other_rely,
    _other_start,
)
