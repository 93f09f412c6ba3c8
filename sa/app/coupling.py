"""Couplings as text: a block that can be pasted, read back, and asked about like one that was written."""

from __future__ import annotations

from os.path import abspath, dirname, relpath

from msgspec.structs import replace

from sa.automata.automaton import EXIT, FAIL, Origin
from sa.automata.program import Program, Refinement
from sa.base.diagnostic import InputError
from sa.base.limits import allot
from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.certificates.play import Loss
from sa.engines.coupling import Coupled, Escaping, couple
from sa.engines.coupling import why_none as why_none
from sa.engines.options import Options
from sa.engines.outcome import Outcome, Proposal
from sa.language.elaborate import Block, elaborate_refinement
from sa.language.names import Scope
from sa.language.parser import parse
from sa.language.syntax import RefinementBlock
from sa.terms import build
from sa.terms.name import ABSTRACT, CONCRETE, measured
from sa.terms.printer import Namer, plain_name, show
from sa.terms.substitute import sided
from sa.terms.term import Term

#: Units for a proposal that somebody asked for; the least and the most for one that nobody asked for.
ASKED, LEAST, MOST = 120_000_000, 2_000_000, 20_000_000


def proposed(
    outcome: Outcome,
    abstract: Program,
    concrete: Program,
    block: Refinement | None,
    options: Options,
    units: float,
) -> tuple[Outcome, Outcome | None, Refinement | None]:
    """The outcome with a coupling that is proposed, or a behaviour that escapes whatever is related, if one was found.

    Then the outcome with the coupling, and the block that says it. So many units of work are spent at most.
    """
    if outcome.verdict is Verdict.PROVED or any(r.loss is Loss.BEHAVIOUR for r in outcome.results):
        return outcome, None, None
    match couple(abstract, concrete, block, replace(options, limits=allot(options.limits, units))):
        case None:
            return outcome, None, None
        case Escaping(result):
            return replace(outcome, escape=result), None, None
        case Coupled() as found:
            if _is_empty(found.block, concrete):
                return outcome, None, None
            text = block_text(found, abstract, concrete)
            read = _read(text, abstract, concrete)
            if read is None or not _same(read, found.block):
                return outcome, None, None
            name = _namer(abstract, concrete)
            proposal = Proposal(text, found.outcome.claim, tuple(show(t, name) for t in found.given_up))
            return replace(outcome, proposal=proposal), replace(found.outcome, proposal=proposal), read


def _is_empty(block: Refinement, concrete: Program) -> bool:
    """Whether a block relates nothing of programs that show nothing: a proof with it would say nothing."""
    related = build.land(*(r.term for r in block.relate or ()))
    automata = (*concrete.threads, *(f.thread for f in concrete.families))
    shown = {e.label.action for a in automata for e in a.edges if e.label is not None} - {EXIT, FAIL}
    return related is build.TRUE and not shown


def units_for(spent: float, asked: bool) -> float:
    """Units for a proposal: what nobody `asked` for may take as long as the answer itself, within bounds."""
    return ASKED if asked else min(max(spent, LEAST), MOST)


def _beside(abstract: Program, concrete: Program) -> str:
    return relpath(abspath(abstract.source.name), dirname(abspath(concrete.source.name)))


def block_text(found: Coupled, abstract: Program, concrete: Program) -> str:
    """The block that says a coupling; the abstract file is as the concrete one's folder sees it."""
    block, name = found.block, _namer(abstract, concrete)
    lines = [f'abstract "{_beside(abstract, concrete)}";', f'concrete "{concrete.source.name.rpartition("/")[2]}";']
    lines += [f"relate {_implied(condition, equations, name)};" for condition, equations in found.said]
    lines += [f"pre {show(f.term, name)};" for f in block.pre]
    lines += [f"inv {show(f.term, name)};" for f in block.inv]
    lines += [f"thread {p.concrete} refines {p.abstract};" for p in block.pairings]
    lines += ["silent exit;"] if block.silent_exit else []
    return "\n".join([f"refinement {block.name} {{", *(f"  {line}" for line in lines), "}"])


def _namer(abstract: Program, concrete: Program) -> Namer:
    """Variables of both sides as a block names them."""
    sides = ((ABSTRACT, abstract), (CONCRETE, concrete))
    declared = ((side, v) for side, p in sides for v in (*p.variables, *(v for t in p.threads for v in t.variables)))
    lengths = {sided(v.var, side) for side, v in declared if v.sequence}
    return lambda var: f"len({measured(var.name)})" if var in lengths else plain_name(var)


def _implied(condition: Term, equations: Term, name: Namer) -> str:
    if condition is build.TRUE:
        return show(equations, name)
    left, right = (f"({text})" if "==>" in text else text for text in (show(t, name) for t in (condition, equations)))
    return f"{left} ==> {right}"


def _read(text: str, abstract: Program, concrete: Program) -> Refinement | None:
    """The block that a text means for two programs; None if it means none."""
    try:
        (written,) = parse(Source("the inferred block", text)).declarations
    except InputError:
        return None
    assert isinstance(written, RefinementBlock)
    block = Block(written.name.name, None, None, written, Scope(None, {}), Origin(written.span))
    meaning, problems = elaborate_refinement(block, abstract, concrete)
    return None if problems else meaning


def _same(first: Refinement, second: Refinement) -> bool:
    """Whether two blocks say the same of the two sides."""

    def said(block: Refinement) -> tuple[object, ...]:
        related = build.land(*(r.term for r in block.relate or ()))
        pairs = [(p.concrete, p.abstract) for p in block.pairings]
        return related, [f.term for f in block.pre], [f.term for f in block.inv], pairs, block.silent_exit

    return said(first) == said(second)
