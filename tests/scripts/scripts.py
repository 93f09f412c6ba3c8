"""Random proof scripts about random finite programs: three levels of two threads, and steps that apply every rule.

Nothing is made to hold: conditions fail in most scripts. The same seed gives the same texts.
"""

from __future__ import annotations

from random import Random

from msgspec import Struct
from msgspec.structs import replace

from tests.generators.changes import CHANGES
from tests.generators.texts import Text, Thread, random_test, random_text, written

ALIASES = ("low", "mid", "top")


class Scripted(Struct, frozen=True):
    """A script and its programs by alias; `is_open` if threads declare what others do."""

    seed: int
    script: str
    programs: dict[str, str]
    is_open: bool


def random_script(seed: int) -> Scripted:
    """The script of a seed."""
    rng = Random(seed)
    is_open = rng.random() < 0.4
    top = _small(random_text(rng, is_open, 2))
    mid = _changed(rng, top)
    low = _changed(rng, mid)
    top, mid, low = (_starting_at_a_local(rng, text) for text in (top, mid, low))
    texts = dict(zip(ALIASES, (low, mid, top), strict=True))
    imports = "".join(f'import "{alias}.sa" as {alias};\n' for alias in ALIASES)
    steps = [*_refinements(rng, texts), *_invariants(rng, texts)]
    return Scripted(seed, imports + "".join(steps), {a: written(t) for a, t in texts.items()}, is_open)


def _small(text: Text) -> Text:
    return replace(text, threads=tuple(replace(t, body=t.body[:3]) for t in text.threads))


def _starting_at_a_local(rng: Random, text: Text) -> Text:
    """Now and then a thread says by a local of its own how a shared variable starts."""
    first, second = text.threads
    if rng.random() < 0.85 or "x" not in dict(text.starts):
        return text
    said = rng.choice(("local m : 0..1 = x;", "local m : 1..2 = x;", "local m : 0..2 = 2 - x;"))
    starts = tuple((n, "" if n == "x" else start) for n, start in text.starts)
    return replace(text, starts=starts, threads=(first, replace(second, locals=(*second.locals, said))))


def _changed(rng: Random, text: Text) -> Text:
    """The program after a few changes, its threads with their names and relies."""
    other = text
    for change in rng.choices(CHANGES, k=rng.choice((0, 1, 1, 2))):
        other = change(rng, other)
    kept = zip(other.threads, text.threads, strict=False)
    threads: tuple[Thread, ...] = tuple(replace(t, name=old.name) for t, old in kept)
    return replace(other, threads=threads) if len(threads) == len(text.threads) else text


def _refinements(rng: Random, texts: dict[str, Text]) -> list[str]:
    common = [n for n, _ in texts["low"].starts if all(n in dict(t.starts) for t in texts.values())]
    every = [n for n in common if rng.random() < 0.8] or common[:1]
    steps = list[str]()
    for lower, upper in (("low", "mid"), ("mid", "top")):
        said = [_clauses(rng, every, common, lower, upper) for _ in range(3)]
        if rng.random() < 0.7:
            said = [said[0]] * 3
        steps += [f"lemma {lower}{k} : {lower}.T{k} refines {upper}.T{k}{said[k - 1]};\n" for k in (1, 2)]
        steps.append(
            f"lemma {lower} : {_both(lower)} refines {_both(upper)}{said[2]} by parallel({lower}1, {lower}2);\n"
        )
    said = [_clauses(rng, every, common, "low", "top") for _ in range(3)]
    steps += [f"lemma c{k} : low.T{k} refines top.T{k}{said[k - 1]} by chain(low{k}, mid{k});\n" for k in (1, 2)]
    steps.append(f"lemma chained : {_both('low')} refines {_both('top')}{said[2]} by chain(low, mid);\n")
    steps.append(f"lemma beside : {_both('low')} refines {_both('top')}{said[2]} by parallel(c1, c2);\n")
    return steps


def _both(alias: str) -> str:
    return f"{alias}.T1 || {alias}.T2"


def _clauses(rng: Random, every: list[str], common: list[str], lower: str, upper: str) -> str:
    related = every if rng.random() < 0.8 else [n for n in common if rng.random() < 0.6] or common[:1]
    found = f" relate {', '.join(related)}" if related else ""
    if "x" in common and rng.random() < 0.15:
        found += f" inv {rng.choice((f'{lower}.x >= {upper}.x', f'{upper}.x <= 1', f'{lower}.x != 2'))}"
    if "x" in common and rng.random() < 0.1:
        found += f" pre {rng.choice((f'{upper}.x == 0', f'{lower}.x == {upper}.x'))}"
    return found


def _invariants(rng: Random, texts: dict[str, Text]) -> list[str]:
    names = [n for n, _ in texts["low"].starts if n != "f" and all(n in dict(t.starts) for t in texts.values())]
    if not names:
        return []
    claim, less = random_test(rng, names), random_test(rng, names)
    less = less if rng.random() < 0.5 else f"({claim} || {less})"
    below = claim if rng.random() < 0.7 else less
    strong = "strong " if rng.random() < 0.3 else ""
    again = strong if rng.random() < 0.9 else ""
    steps = list[str]()
    for k in (1, 2):
        steps.append(f"lemma i{k} : top.T{k} preserves {again}{claim};\n")
        steps.append(f"lemma p{k} : mid.T{k} preserves {strong}{below} by preservation(mid{k}, i{k});\n")
        steps.append(f"lemma l{k} : top.T{k} preserves {strong}{less} by parallel(i{k});\n")
    steps.append(f"lemma both : {_both('top')} preserves {strong}{less} by parallel(i1, i2);\n")
    steps.append(f"lemma same : {_both('top')} preserves {strong}{claim} by parallel;\n")
    steps.append(f"lemma again : {_both('mid')} preserves {strong}{below} by parallel(p1, p2);\n")
    steps.append(f"lemma down : {_both('low')} preserves {strong}{below} by preservation(chained, same);\n")
    return steps
