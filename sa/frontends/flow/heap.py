"""Allocation: the objects that each site can make, and the steps that make one.

A site that runs at most once makes one object. Any other makes up to a number of them, in their order; one more is the
failing step `BOUND`, which as all `BOUNDS` says something of the translation and not of the program. Where a program
compares addresses, a site may also give out again what was freed, of any site with objects of the same kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec.structs import replace

from sa.automata.components import on_cycles
from sa.frontends.flow.graph import (
    ANY,
    Allocate,
    Begin,
    Cell,
    End,
    Fail,
    Graph,
    Live,
    Load,
    Object,
    Range,
    Register,
    Set,
    Step,
    Storage,
    Store,
    Test,
    base,
    fresh,
    outgoing,
)
from sa.frontends.flow.lives import Recycle
from sa.terms import build

#: What is wrong where a site has made all its objects, and where a limit of the library or of inlining is reached.
BOUND = "more objects than --heap"
DEEPER = "deeper recursion than is inlined"
GROWN = "more scalars than `realloc` can copy here"
PARTLY = "memory whose size is no multiple of that of what is in it"
KEYS = "more keys than the translation has"
MESSAGES = "more messages of errors at one place than the translation has"
ROUNDS = "more iterations of a block than are kept apart where the address of a variable is stored"
READING = "more read locks at once than the translation has"
BYTE = "a byte of an object of a larger type"
OTHER_TYPE = "an object of another type"
END = "the end of an array within another object"
STRIDE = "pointer arithmetic with elements of another size than those of the object"
#: What is behind a wait for one of any number of threads happens here as soon as it may.
JOINED = "after a join of any number of threads"
#: Copies of a family may wait for a condition: on which one they are blocked is not known.
WAITING_COPIES = "a condition variable on which any number of threads may wait"
#: How many threads a creation makes at most, and how many there are, where families are replaced by a few threads.
MOST_COPIES, MOST_BOUNDED = 3, 12
#: A creation that is taken a limited number of times is reached once more.
MORE_COPIES = f"more threads than are looked at, {MOST_COPIES} for each creation and {MOST_BOUNDED} in all"
#: What is wrong with an owner's cell where there is none, which is how the words of the library are known; and there.
LOCK, LOCK_JOINED = "lock", "a lock after a join of any number of threads"
OTHER_FUNCTION = "a thread that runs another function"

BOUNDS = frozenset({
    BOUND, OTHER_FUNCTION, GROWN, PARTLY, DEEPER, KEYS, MESSAGES, ROUNDS, READING, BYTE, OTHER_TYPE, END, STRIDE,
    JOINED, WAITING_COPIES, MORE_COPIES, LOCK_JOINED,
})  # fmt: skip


def allocated(graph: Graph, family: bool, most: int, reuses: bool) -> None:
    """Replace allocations by elementary steps, in place. Copies of a family take from one supply.

    Where addresses are to be used again, `reuses`, memory that has ended may be allocated as well as fresh memory.
    """
    following = outgoing(graph.steps)
    loops = on_cycles((graph.entry,), {n: [s.target for s in out] for n, out in following.items()})
    steps = list[Step]()
    made = 0
    for step in graph.steps:
        if not isinstance(step.op, Allocate):
            steps.append(step)
            continue
        made += 1
        several = family or step.source in loops
        names = _objects(graph, step.op.name, made, most if several else 1)
        steps += _chosen(graph, step, names, family) if several else _single(graph, step, names[0])
        if reuses:
            steps.append(Step(step.source, Recycle(step.op.var, names[0]), step.target, step.origin))
    graph.steps = steps


def told_apart(threads: Iterable[Graph], objects: Iterable[Object]) -> tuple[Object, ...]:
    """The objects with names for users: what one line allocates several times is `malloc@7`, `malloc@7#2`."""
    made = {s.op.name for graph in threads for s in graph.steps if isinstance(s.op, Live)}
    names, met, every = dict[str, str](), Counter[str](), tuple(objects)
    for obj in every:
        if obj.storage is Storage.HEAP and obj.told and obj.name in made:
            met[obj.told] += 1
            names[obj.name] = obj.told if met[obj.told] == 1 else f"{obj.told}#{met[obj.told]}"
    return tuple(replace(o, told=names.get(o.name, o.told)) for o in every)


def _objects(graph: Graph, name: str, site: int, number: int) -> list[str]:
    template = graph.objects[name]
    names = [f"{name}_{site}_{k}" if number > 1 or site > 1 else f"{name}_" for k in range(1, number + 1)]
    for own in names:
        graph.objects[own] = replace(template, name=own)
    return names


def _single(graph: Graph, step: Step, name: str) -> list[Step]:
    assert isinstance(step.op, Allocate)
    after = fresh(graph)
    return [
        Step(step.source, Live(name), after, step.origin),
        Step(after, Set(step.op.var, base(name)), step.target, step.origin),
    ]


def _chosen(graph: Graph, step: Step, names: list[str], family: bool) -> list[Step]:
    """The next object of the site, which a counter says."""
    assert isinstance(step.op, Allocate)
    storage = Storage.STATIC if family else Storage.AUTO
    counter = f"{names[0]}__used"
    cell = Cell("", Range(0, len(names)), "count", build.ZERO, True)
    graph.objects[counter] = Object(counter, (cell,), storage, step.origin)
    used = build.variable(f"__used{len(graph.registers)}")
    graph.registers[used] = Register(used, ANY, step.origin, temporary=True)
    start, loaded, after = fresh(graph), fresh(graph), fresh(graph)
    steps = [
        Step(step.source, Begin(), start, step.origin),
        Step(start, Load(used, base(counter), "count", "heap"), loaded, step.origin),
        Step(after, End(), step.target, step.origin),
    ]
    for number, name in enumerate(names):
        one, two, three = fresh(graph), fresh(graph), fresh(graph)
        steps += [
            Step(loaded, Test(build.eq(used, build.integer(number))), one, step.origin),
            Step(one, Live(name), two, step.origin),
            Step(two, Set(step.op.var, base(name)), three, step.origin),
            Step(three, Store(base(counter), build.integer(number + 1), "count", "heap"), after, step.origin),
        ]
    none = fresh(graph)
    steps.append(Step(loaded, Test(build.le(build.integer(len(names)), used)), none, step.origin))
    steps.append(Step(none, Fail(BOUND), fresh(graph), step.origin))
    return steps
