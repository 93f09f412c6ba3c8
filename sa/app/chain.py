"""A sequence of programs, each of which refines the one before: a proof script with a step for each link and the chain.

The last is claimed to refine the first, with what all links relate by equality (Theorem 2; of threads with relies
Theorem 3). `prove` does the rest: each link has evidence of its own, and the chain its side conditions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from os.path import abspath, dirname, join, relpath

from msgspec import Struct

from sa.app.refine import Question, questions
from sa.automata.automaton import Kind
from sa.automata.program import Program, Refinement
from sa.automata.proof import Refines, Script
from sa.base.diagnostic import InputError, error
from sa.engines.judging import QuestionsDiffer
from sa.terms import build
from sa.terms.name import whole
from sa.terms.printer import show
from sa.terms.substitute import sided, unsided
from sa.terms.term import Term, Var

#: What a script is called that nobody asked to be written.
UNWRITTEN = "chain.sa"


class Chain(Struct, frozen=True):
    """The script of a chain: where it stands or would stand, its text, and the questions that its links are."""

    path: str
    text: str
    links: tuple[Question, ...]


def chain(paths: Sequence[str], script: str | None, split: bool) -> Chain:
    """The script for programs in files, the most abstract one first. Raises InputError."""
    if len(paths) < 3:
        hint = "name the programs in order, the most abstract one first: `sacheck refine --chain a.sa b.sa c.sa`"
        raise InputError((error("SA907", "a chain has three programs or more", None, hint),))
    links = [_link(first, second, split) for first, second in pairwise(paths)]
    path = script if script is not None else join(dirname(paths[-1]), UNWRITTEN)
    folder = dirname(abspath(path))
    lines = [f'import "{relpath(abspath(p), folder)}" as p{n};' for n, p in enumerate(paths, 1)]
    lines.append("")
    for number, link in enumerate(links, 1):
        lines += _step(f"lemma link{number}", f"p{number + 1}", f"p{number}", link, tuple(_clauses(link, number)), "")
    names = ", ".join(f"link{n}" for n in range(len(links), 0, -1))
    lines += _step("theorem all", f"p{len(paths)}", "p1", _ends(links), tuple(_common(links)), f" by chain({names})")
    return Chain(path, "\n".join(lines) + "\n", tuple(links))


def same_links(made: Chain, script: Script) -> None:
    """That the first steps of the script, as it was read, are the questions of the links. Raises QuestionsDiffer."""
    aliases = [f"p{number}" for number in range(1, len(made.links) + 2)]
    for link, step, abstract, concrete in zip(made.links, script.steps, aliases, aliases[1:], strict=False):
        sides = ((abstract, link.abstract), (concrete, link.concrete))
        same = all(script.programs[alias].source.text == program.source.text for alias, program in sides)
        pairs = {((concrete, mine), (abstract, theirs)) for mine, theirs in _pairs(link).items()}
        claim = step.claim
        if not same or not isinstance(claim, Refines) or {*zip(claim.left, claim.right, strict=True)} != pairs:
            raise QuestionsDiffer(f"{step.name} is not about the threads of its files")
        if _said(claim) != (_said(link.block) if link.block is not None else (None, [], [], [], False, False)):
            raise QuestionsDiffer(f"{step.name} does not relate what its files do")


def _said(clauses: Refines | Refinement) -> tuple[object, ...]:
    relate = None if clauses.relate is None else {r.term for r in clauses.relate}
    formulas = ([f.term for f in said] for said in (clauses.pre, clauses.inv, clauses.rely))
    return (relate, *formulas, clauses.choose_init, clauses.silent_exit)


def _link(abstract: str, concrete: str, split: bool) -> Question:
    asked = questions((abstract, concrete), split)
    if len(asked) > 1:
        hint = "leave the block for this chain, or write a proof script that cites both"
        message = f"`{concrete}` has several refinement blocks about `{abstract}`"
        raise InputError((error("SA908", message, None, hint),))
    return asked[0]


def _pairs(link: Question) -> dict[str, str]:
    """Which abstract thread each concrete one refines."""
    written = {p.concrete: p.abstract for p in (link.block.pairings if link.block is not None else ())}
    return {t.name: written.get(t.name, t.name) for t in link.concrete.threads}


def _ends(links: Sequence[Question]) -> dict[str, str]:
    """Which thread of the first program each of the last one refines."""
    pairs = _pairs(links[-1])
    for link in reversed(links[:-1]):
        further = _pairs(link)
        pairs = {name: further.get(middle, middle) for name, middle in pairs.items()}
    return pairs


def _step(
    head: str, left: str, right: str, paired: Question | dict[str, str], clauses: tuple[str, ...], rule: str
) -> Iterator[str]:
    """A step of the script; threads are named where their names differ."""
    pairs = paired if isinstance(paired, dict) else _pairs(paired)
    if any(first != second for first, second in pairs.items()):
        left, right = (
            " || ".join(f"{side}.{name}" for name in names) for side, names in ((left, pairs), (right, pairs.values()))
        )
    claim = f"{head} : {left} refines {right}{rule}"
    yield from [f"{claim};"] if not clauses else [f"{claim} {{", *(f"  {c};" for c in clauses), "}"]


def _clauses(link: Question, number: int) -> Iterator[str]:
    """What the block of a link says, in the names of the script."""
    block = link.block
    if block is None:
        return
    if block.relate is not None:
        yield from (f"relate {_shown(r.term, number)}" for r in block.relate)
    yield from (f"pre {_shown(f.term, number)}" for f in block.pre)
    yield from (f"inv {_shown(f.term, number)}" for f in block.inv)
    yield from (f"rely {show(f.term)}" for f in block.rely)
    yield from ["choose init"] if block.choose_init else []
    yield from ["silent exit"] if block.silent_exit else []


def _shown(formula: Term, number: int) -> str:
    aliases = {"conc": f"p{number + 1}", "abs": f"p{number}"}

    def name(var: Var) -> str:
        alias = aliases.get(str(var.name.side))
        return f"{alias}.{unsided(var).name}" if alias is not None else str(var.name)

    return show(formula, name)


def _common(links: Sequence[Question]) -> Iterator[str]:
    """What the chain relates: the default, if that is what all links say; else what each relates by equality."""
    kept = [_equal(link) for link in links]
    ends = _shared(links[0].abstract) & _shared(links[-1].concrete)
    every = frozenset.intersection(*kept)
    if every != ends or any(link.block is not None and link.block.relate is not None for link in links):
        yield f"relate {', '.join(sorted(every)) if every else 'true'}"
    if all(link.block is not None and link.block.silent_exit for link in links):
        yield "silent exit"


def _shared(program: Program) -> frozenset[str]:
    return frozenset(str(whole(v.var.name)) for v in program.variables if v.kind is Kind.GLOBAL)


def _equal(link: Question) -> frozenset[str]:
    """The globals that a link relates by equality, arrays as a whole."""
    if link.block is None or link.block.relate is None:
        return _shared(link.abstract) & _shared(link.concrete)
    said = {c for r in link.block.relate for c in build.conjuncts(r.term)}
    common = {v.var for v in link.abstract.variables} & {
        v.var for v in link.concrete.variables if v.kind is Kind.GLOBAL
    }
    missing = {str(whole(v.name)) for v in common if build.eq(sided(v, "conc"), sided(v, "abs")) not in said}
    return frozenset(str(whole(v.name)) for v in common) - missing
