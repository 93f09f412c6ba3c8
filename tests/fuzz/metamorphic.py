"""Questions whose answers are tied to each other: `python -m tests.fuzz.metamorphic --count 2000`.

A law changes a question so that an answer must stay, whatever it is: a thread refines itself, names and order do not
matter, code that is never reached does not, and so on. PROVED where REFUTED was, or the other way round, breaks the
law; an answer that is lost (UNKNOWN) is counted only.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable
from random import Random
from time import perf_counter

from msgspec import Struct, field
from msgspec.structs import replace

from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.options import Options
from sa.engines.refine import refine
from tests.endtoend.asking import read
from tests.generators.changes import CHANGES
from tests.generators.texts import Block, Node, Text, Thread, random_rely, random_text, written

#: Seconds for one question.
TIMEOUT = 10.0

#: Names that sort otherwise than the old ones.
NAMES = {"x": "u9", "y": "m", "b": "z_", "c": "A0", "f": "e", "l": "k_", "r": "d", "s": "B", "T1": "Z", "T2": "A"} | {
    "Color": "Kind", "Red": "Yes", "Green": "No", "p": "o", "q": "n"
}  # fmt: skip


class Pair(Struct, frozen=True):
    """An abstract and a concrete program, lines of a refinement block, whether they are written with other names."""

    abstract: Text
    concrete: Text
    block: tuple[str, ...] = ()
    renamed: bool = False

    def texts(self) -> tuple[str, str]:
        """The two files."""
        block = "refinement r {\n" + "".join(f"  {line}\n" for line in self.block) + "}\n" if self.block else ""
        texts = written(self.abstract), written(self.concrete) + block
        return (_renamed(texts[0]), _renamed(texts[1])) if self.renamed else texts


class Law(Struct, frozen=True):
    """`change` makes another question, None where it does not apply; answers in `kept` must not become others."""

    name: str
    change: Callable[[Random, Pair], Pair | None]
    kept: frozenset[Verdict]


def _renamed(text: str) -> str:
    return re.sub(r"\b[A-Za-z]\w*\b", lambda word: NAMES.get(word[0], word[0]), text)


def _rename(rng: Random, pair: Pair) -> Pair:
    return replace(pair, renamed=True)


def _reorder(rng: Random, pair: Pair) -> Pair:
    def reordered(program: Text) -> Text:
        starts, threads = list(program.starts), list(program.threads)
        rng.shuffle(starts)
        # A lock holds the number of its thread.
        if "lock(" not in written(program):
            rng.shuffle(threads)
        return replace(program, starts=tuple(starts), threads=tuple(threads))

    return replace(pair, abstract=reordered(pair.abstract), concrete=reordered(pair.concrete))


def _each(program: Text, change: Callable[[Thread], Thread]) -> Text:
    return replace(program, threads=tuple(change(t) for t in program.threads))


def _with_unreachable_code(rng: Random, pair: Pair) -> Pair:
    def longer(thread: Thread) -> Thread:
        return replace(thread, body=(*thread.body, Node("return;"), *thread.body))

    if rng.random() < 0.5:
        return replace(pair, abstract=_each(pair.abstract, longer))
    return replace(pair, concrete=_each(pair.concrete, longer))


def _with_stronger_start(rng: Random, pair: Pair) -> Pair | None:
    """What all initial states of the concrete program satisfy anyway."""
    known = [(n, s.removeprefix(" = ")) for n, s in pair.concrete.starts if s and n not in "f"]
    if not known:
        return None
    name, value = rng.choice(known)
    return replace(pair, block=(*pair.block, f"pre conc.{name} == {value};"))


def _with_smaller_environment(rng: Random, pair: Pair) -> Pair | None:
    names = [n for n, _ in pair.concrete.starts]
    if not all(t.relies for t in pair.concrete.threads):
        return None
    extra = random_rely(rng, names)
    return replace(pair, concrete=_each(pair.concrete, lambda t: replace(t, relies=(*t.relies, extra))))


def _with_larger_environment(rng: Random, pair: Pair) -> Pair | None:
    if not all(t.relies for t in pair.concrete.threads):
        return None
    return replace(pair, concrete=_each(pair.concrete, lambda t: replace(t, relies=t.relies[1:] or ("true",))))


def _unrolled(block: Block) -> Block:
    def unrolled(node: Node) -> Node:
        inner = replace(node, blocks=tuple(_unrolled(b) for b in node.blocks))
        if not node.head.startswith("while"):
            return inner
        return replace(inner, head="if" + node.head.removeprefix("while"), blocks=((*inner.blocks[0], inner),))

    return tuple(unrolled(node) for node in block)


def _with_loops_unrolled(rng: Random, pair: Pair) -> Pair | None:
    changed = replace(pair, concrete=_each(pair.concrete, lambda t: replace(t, body=_unrolled(t.body))))
    if rng.random() < 0.5:
        changed = replace(pair, abstract=_each(pair.abstract, lambda t: replace(t, body=_unrolled(t.body))))
    return None if changed == pair else changed


def _with_another_seed(rng: Random, pair: Pair) -> Pair:
    return pair


BOTH = frozenset({Verdict.PROVED, Verdict.REFUTED})
ANOTHER_SEED = Law("another seed", _with_another_seed, BOTH)
LAWS = (
    Law("renaming", _rename, BOTH),
    Law("reordering of declarations", _reorder, BOTH),
    Law("unreachable code", _with_unreachable_code, BOTH),
    Law("a stronger κ that covers the start", _with_stronger_start, frozenset({Verdict.PROVED})),
    Law("a smaller concrete environment", _with_smaller_environment, frozenset({Verdict.PROVED})),
    Law("a larger concrete environment", _with_larger_environment, frozenset({Verdict.REFUTED})),
    Law("unrolled loops", _with_loops_unrolled, BOTH),
    ANOTHER_SEED,
)
REFLEXIVITY = "reflexivity"


class Tally(Struct):
    """How often a law was tried on an answer that it keeps, how often the answer was lost, and where it was broken."""

    tried: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    broken: list[tuple[int, str, str]] = field(default_factory=list)
    verdicts: Counter[Verdict | None] = field(default_factory=Counter)


def random_pair(seed: int) -> Pair:
    """A program and a changed copy of it."""
    rng = Random(seed)
    is_open = rng.random() < 0.6
    abstract = random_text(rng, is_open, 2 if rng.random() < (0.2 if is_open else 0.5) else 1)
    concrete = abstract
    for change in rng.choices(CHANGES, k=rng.choice((1, 2, 4, 6))):
        concrete = change(rng, concrete)
    return Pair(abstract, concrete)


def answer(pair: Pair, seed: int = 0) -> Verdict | None:
    """The tool's verdict, None where it refuses the question."""
    try:
        return refine(*read(*pair.texts()), Options(limits(TIMEOUT, None), seed)).verdict
    except InputError:
        return None


def try_laws(seed: int, tally: Tally) -> None:
    """Reflexivity, and every law that applies, on the pair of a seed."""
    pair = random_pair(seed)
    itself = answer(Pair(pair.concrete, pair.concrete))
    if itself is not None:
        _record(tally, seed, REFLEXIVITY, Verdict.PROVED, itself)
    before = answer(pair)
    tally.verdicts[before] += 1
    for number, law in enumerate(LAWS):
        changed = law.change(Random(f"{seed} {number}"), pair) if before in law.kept else None
        if changed is not None and before is not None:
            after = answer(changed, seed + 1 if law is ANOTHER_SEED else 0)
            _record(tally, seed, law.name, before, after)


def _record(tally: Tally, seed: int, law: str, before: Verdict, after: Verdict | None) -> None:
    tally.tried[law] += 1
    if after is Verdict.UNKNOWN:
        tally.lost[law] += 1
    elif after is not before:
        tally.broken.append((seed, law, f"{before.value} became {after.value if after else 'an error'}"))


def main() -> None:
    """Prints the table of `results.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    given = parser.parse_args()
    tally, started = Tally(), perf_counter()
    for seed in range(given.seed, given.seed + given.count):
        known = len(tally.broken)
        try_laws(seed, tally)
        for broken in tally.broken[known:]:
            print(*broken, flush=True)
    print("| law | tried | broken | answer lost |\n|---|---:|---:|---:|")
    broken_laws = Counter(law for _, law, _ in tally.broken)
    for name in (REFLEXIVITY, *(law.name for law in LAWS)):
        print(f"| {name} | {tally.tried[name]} | {broken_laws[name]} | {tally.lost[name]} |")
    verdicts = ", ".join(f"{n} {v.value if v else 'refused'}" for v, n in tally.verdicts.most_common())
    print(f"\n{given.count} pairs ({verdicts}) in {perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
