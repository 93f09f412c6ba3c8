"""Random refinement questions as text: an abstract program, a changed copy of it, and what relates the two.

Variables have small ranges, so that the oracle can decide the goals. The same seed gives the same texts.
"""

from __future__ import annotations

from random import Random

from msgspec import Struct
from msgspec.structs import replace

from tests.generators.changes import CHANGES
from tests.generators.texts import Text, names_of, random_rely, random_text, written


class Question(Struct, frozen=True):
    """Two texts; the concrete one contains the refinement block, if there is one. `tags` name what is in it."""

    seed: int
    abstract: str
    concrete: str
    tags: frozenset[str]


def random_question(seed: int) -> Question:
    """The question of a seed."""
    rng = Random(seed)
    is_open = rng.random() < 0.55
    count = 2 if rng.random() < (0.15 if is_open else 0.55) else 1
    abstract = random_text(rng, is_open, count)
    concrete, done = abstract, set[str]()
    for change in rng.choices(CHANGES, k=rng.choice((2, 3, 4, 6))):
        changed = change(rng, concrete)
        if changed != concrete:
            concrete = changed
            done.add(change.__name__.strip("_").replace("_", " "))
    if rng.random() < 0.3:
        abstract, concrete = concrete, abstract
    block, said = _refinement(rng, abstract, concrete) if rng.random() < 0.4 else ("", set[str]())
    if "pairing" in said:
        first = concrete.threads[0]
        concrete = replace(concrete, threads=(replace(first, name="Other"), *concrete.threads[1:]))
    tags = done | said | {"open" if is_open else "closed", f"threads {count}"}
    return Question(seed, written(abstract), written(concrete) + block, frozenset(tags))


def _refinement(rng: Random, abstract: Text, concrete: Text) -> tuple[str, set[str]]:
    """A refinement block, and what it uses."""
    shared = [n for n, _ in abstract.starts]
    lines, tags = list[str](), set[str]()
    one = len(abstract.threads) == 1
    locals_ = [set(names_of(p, p.threads[0])) & {"r", "s"} for p in (abstract, concrete)]
    common = sorted(locals_[0] & locals_[1]) if one else []
    if rng.random() < 0.5:
        tags.add("relate")
        kept = [n for n in shared if n in "fl" or rng.random() < 0.8]
        related = [rng.choice((n, n, f"conc.{n} == abs.{n}")) if n not in "f" else n for n in [*kept, *common[:1]]]
        if "x" in kept and rng.random() < 0.3:
            weak = ("conc.x <= abs.x", "2 * conc.x == 2 * abs.x", "conc.x == 2 - abs.x", "2 * conc.x == abs.x")
            related[kept.index("x")] = rng.choice(weak)
        if "b" in kept and rng.random() < 0.2:
            related[kept.index("b")] = rng.choice(("conc.b ==> abs.b", "conc.b == !abs.b"))
        if "r" in common and "x" in shared and rng.random() < 0.3:
            related.append("conc.x >= abs.r")
        lines += [f"relate {r};" for r in related or shared[:1]]
    if common and rng.random() < 0.4:
        tags.add("pre")
        lines.append(f"pre conc.{common[0]} == abs.{common[0]};")
    if {"x", "y"} & set(shared) and rng.random() < 0.3:
        tags.add("inv")
        v = "x" if "x" in shared else "y"
        lines.append(f"inv {rng.choice((f'conc.{v} <= 1', f'abs.{v} >= 0', f'conc.{v} != 1'))};")
    for words, chance in (("choose init", 0.3), ("silent exit", 0.3)):
        if rng.random() < chance:
            tags.add(words)
            lines.append(words + ";")
    if abstract.threads[0].relies and rng.random() < 0.3:
        tags.add("block rely")
        lines.append(f"rely {random_rely(rng, shared)};")
    if rng.random() < 0.3:
        tags.add("pairing")
        lines.append(f"thread Other refines {abstract.threads[0].name};")
    return "refinement r {\n" + "".join(f"  {line}\n" for line in lines) + "}\n", tags
