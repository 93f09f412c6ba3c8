"""What a refinement question asks, from two programs and a refinement block: the goals, made from the definitions.

Who refines whom, κ, ι, and in which environment are as LANGUAGE says; docs/CERTIFICATES.md says how goals, locations,
edges and conjuncts are named and numbered. The engine has its own reading of all this; here is the one that
certificates are judged by. Nothing is said about whether the goals hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import EXIT, Automaton, Kind, Label, Origin, Variable, variables_of
from sa.automata.program import Axiom, Formula, Program, Refinement, Related
from sa.automata.rename import on_side
from sa.automata.scheduler import serving
from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.checker.product import init_of_product, product, variables_of_product
from sa.checker.side import identity, side
from sa.smt.session import Session, Unsat
from sa.terms.build import conjuncts, eq, land, lnot, lor
from sa.terms.solve import solution
from sa.terms.substitute import local_of, primed, sided, substitute, substitution
from sa.terms.term import Term, Var


class NoQuestion(Exception):
    """The programs and the block do not make a question: says why."""


class Pair(Struct, frozen=True):
    """A concrete thread and the abstract one that it is to refine."""

    concrete: Automaton
    abstract: Automaton

    @property
    def name(self) -> str:
        """How the goal about the pair is called."""
        first, second = self.concrete.name, self.abstract.name
        return first if first == second else f"{first} refines {second}"


class Question(Struct, frozen=True):
    """Two programs whose threads are paired. `closed`: nobody declares an environment, so they are all there is."""

    abstract: Program
    concrete: Program
    block: Refinement | None
    pairs: tuple[Pair, ...]
    closed: bool

    @property
    def axioms(self) -> tuple[Axiom, ...]:
        """What is assumed of functions: the axioms of both programs."""
        return tuple(dict.fromkeys((*self.abstract.axioms, *self.concrete.axioms)))


def question(abstract: Program, concrete: Program, block: Refinement | None, whole: bool) -> Question:
    """The question about two programs; `whole` closes them whatever they declare. Raises NoQuestion.

    Families of any number make another kind of question (`family_question.py`).
    """
    if abstract.families or concrete.families:
        raise NoQuestion("the threads alone are not the program where there are families of any number")
    if block is not None and block.silent_exit:
        abstract, concrete = (_silent(p) for p in (abstract, concrete))
    pairs = tuple(_pairs(abstract, concrete, block))
    rely = block.rely if block is not None else ()
    declared = any(q.env is not None for t in (*abstract.threads, *concrete.threads) for q in t.locations)
    asked = Question(abstract, concrete, block, pairs, whole or not (rely or declared))
    theirs = {v.var.name: (v.var, v.kind is Kind.PARAM) for v in abstract.variables}
    if any(theirs.get(v.var.name, mine := (v.var, v.kind is Kind.PARAM)) != mine for v in concrete.variables):
        raise NoQuestion("a variable is declared differently on the two sides")
    said = () if block is None else (*map(_formula, block.relate or ()), *block.pre, *block.inv)
    if any(not any(_about(f, p, pairs) for p in pairs) for f in said):
        raise NoQuestion("a formula mentions locals of threads that are not paired")
    return asked


def thread_goals(asked: Question) -> tuple[Goal, ...]:
    """The goals about single threads in the environments that are declared. Raises NoQuestion."""
    rely = asked.block.rely if asked.block is not None else ()
    opened = [
        Pair(_opened(p.concrete, asked.concrete, rely), _opened(p.abstract, asked.abstract, rely)) for p in asked.pairs
    ]
    return tuple(_goal(asked, p, (own,), closed=False) for p, own in zip(opened, asked.pairs, strict=True))


def whole_goal(asked: Question) -> Goal:
    """The goal about the two compositions, where nobody else moves."""
    first = product([p.concrete for p in asked.pairs], [p.concrete.name for p in asked.pairs])
    second = product([p.abstract for p in asked.pairs], [p.concrete.name for p in asked.pairs])
    return _goal(asked, Pair(closed(first), closed(second)), asked.pairs, closed=True)


def pair_goal(asked: Question, number: int, concrete: Automaton, abstract: Automaton) -> Goal:
    """The goal about one pair of threads in a closed program, in environments and with invariants that are claimed.

    The automata's variables are named as in goals. That environments match is not part of it, and κ and ι are those of
    the threads as they are written.
    """
    own = asked.pairs[number]
    goal = _goal(asked, Pair(closed(own.concrete), closed(own.abstract)), (own,), closed=False)
    return replace(goal, concrete=concrete, abstract=abstract, added_identity=False, matched=False)


def asked_besides(asked: Question, formulas: Sequence[Term]) -> Question:
    """The question whether the formulas, too, hold at all times: who says yes says yes to `asked`.

    ι is conjoined with them, and κ is the same.
    """
    block = asked.block or Refinement("", None, None, None, (), (), (), (), False, False, None, Origin(None))
    more = tuple(Formula(t, Origin(None)) for t in formulas)
    return replace(asked, block=replace(block, inv=(*block.inv, *more))) if more else asked


def _silent(program: Program) -> Program:
    """The program with nothing to be seen of the ends of its threads."""

    return replace(program, threads=tuple(silently(t) for t in program.threads))


def silently(thread: Automaton) -> Automaton:
    """The thread with nothing to be seen of its end: of an exit that shows no value and after which it does nothing."""
    going_on = {e.source for e in thread.edges}
    ends = [e.label == Label(EXIT) and e.target not in going_on for e in thread.edges]
    edges = (replace(e, label=None) if end else e for e, end in zip(thread.edges, ends, strict=True))
    return replace(thread, edges=tuple(edges))


def _pairs(abstract: Program, concrete: Program, block: Refinement | None) -> Iterator[Pair]:
    written = {p.concrete: p.abstract for p in (block.pairings if block is not None else ())}
    left = {t.name: t for t in abstract.threads}
    if not concrete.threads or not set(written) <= {t.name for t in concrete.threads}:
        raise NoQuestion("there are no threads to compare, or those that are paired do not exist")
    for thread in concrete.threads:
        partner = left.pop(written.get(thread.name, thread.name), None)
        if partner is None:
            raise NoQuestion(f"no abstract thread is paired with the concrete thread {thread.name} alone")
        yield Pair(thread, partner)
    if left:
        raise NoQuestion(f"the abstract thread {next(iter(left))} has no partner")


def closed(automaton: Automaton) -> Automaton:
    """The automaton in an environment that changes nothing."""
    still = land(*(eq(primed(v), v) for v in variables_of(automaton, Kind.GLOBAL)))
    return replace(automaton, locations=tuple(replace(q, env=still) for q in automaton.locations))


def _opened(automaton: Automaton, program: Program, rely: tuple[Formula, ...]) -> Automaton:
    """The thread in its declared environment and the block's; alone in its program without one, nothing changes."""
    if not rely and all(q.env is None for q in automaton.locations):
        if len(program.threads) > 1:
            raise NoQuestion(f"the thread {automaton.name} has no rely, but others have")
        return closed(automaton)
    extra = [_here(f, automaton) for f in rely]
    places = (replace(q, env=land(*extra, *([] if q.env is None else [q.env]))) for q in automaton.locations)
    return replace(automaton, locations=tuple(places))


def _here(rely: Formula, automaton: Automaton) -> Term:
    """What a rely of a block says of this side: its conjuncts but those about globals that only the other side has."""
    rigid = frozenset(variables_of(automaton, Kind.PARAM))
    known = frozenset(w for v in variables_of(automaton, Kind.GLOBAL) for w in (v, primed(v)))
    said = [c for c in conjuncts(rely.term) if c.free <= rigid or c.free & known]
    if any(not c.free <= known | rigid for c in said):
        raise NoQuestion("a rely speaks of globals of both sides that one of them does not have")
    return land(*said)


def _goal(asked: Question, pair: Pair, own: Sequence[Pair], closed: bool) -> Goal:
    """The goal of a pair, or of the compositions of several; `own` are the threads that are in it."""
    first, second = reflexive(on_side(pair.concrete, "conc")), reflexive(on_side(pair.abstract, "abs"))
    kappa, iota = _related(asked, pair.concrete.variables, pair.abstract.variables, own, pair.abstract.init)
    return Goal(
        pair.name,
        first[0],
        second[0],
        kappa,
        iota,
        asked.axioms,
        closed,
        asked.block is not None and asked.block.choose_init,
        first[1] or second[1],
        loops_end=asked.block is not None and asked.block.loops_end,
        serving=serving(asked.concrete.scheduler),
    )


def related(asked: Question) -> tuple[tuple[Formula, ...], tuple[Formula, ...]]:
    """κ and ι of the goal about the two compositions."""
    names = [p.concrete.name for p in asked.pairs]
    first = variables_of_product([p.concrete for p in asked.pairs], names)
    abstract = [p.abstract for p in asked.pairs]
    return _related(asked, first, variables_of_product(abstract, names), asked.pairs, init_of_product(abstract, names))


def _related(
    asked: Question, concrete: Sequence[Variable], abstract: Sequence[Variable], own: Sequence[Pair], begun: Term
) -> tuple[tuple[Formula, ...], tuple[Formula, ...]]:
    block = asked.block
    shared = start = tuple(_equal(concrete, abstract, Kind.GLOBAL))
    if block is None or block.relate is None:
        # A local of the abstract side that has an initial value needs none from the other side.
        open_ = _without_value(begun, abstract)
        left = [v for v in abstract if v.var in open_]
        start = (*shared, *_equal(concrete, left, Kind.LOCAL))
    else:
        shared = start = _meant(asked, tuple(map(_formula, block.relate)), own)
    return (
        (*start, *(_meant(asked, block.pre, own) if block is not None else ())),
        (*shared, *(_meant(asked, block.inv, own) if block is not None else ())),
    )


def _equal(concrete: Sequence[Variable], abstract: Sequence[Variable], kind: Kind) -> Iterator[Formula]:
    others = {v.var for v in abstract if v.kind is kind and not v.of_scheduler}
    for mine in concrete:
        if mine.kind is kind and mine.var in others and not mine.of_scheduler:
            origin = Origin(mine.origin.span, f"`{mine.var.name}` is equal on both sides")
            yield Formula(eq(sided(mine.var, "conc"), sided(mine.var, "abs")), origin)


def _without_value(begun: Term, variables: Sequence[Variable]) -> frozenset[Var]:
    """The locals of which an initial condition does not say what they are, one after the other."""
    own, before = frozenset(v.var for v in variables if v.kind is Kind.LOCAL), None
    while own != before:
        before = own
        for formula in conjuncts(begun):
            found = solution(formula, own)
            if found is not None and not found[1].free & own:
                own -= {found[0]}
    return own


def _formula(related: Related) -> Formula:
    return Formula(related.term, related.origin)


def _meant(asked: Question, formulas: Sequence[Formula], own: Sequence[Pair]) -> tuple[Formula, ...]:
    """Formulas of a block as they are meant for some pairs: once, or with locals for each pair that has them all.

    In a composition of several locals have other names.
    """
    found = list[Formula]()
    for formula in formulas:
        meant = [p for p in own if _about(formula, p, asked.pairs)]
        if not any(formula.term.free & _locals(p).keys() for p in asked.pairs):
            meant = meant[:1]
        for pair in meant:
            names = _locals(pair) if len(own) > 1 else {}
            found.append(replace(formula, term=substitute(formula.term, names)))
    return tuple(found)


def _about(formula: Formula, pair: Pair, pairs: Sequence[Pair]) -> bool:
    """Whether all locals that the formula mentions are the pair's."""
    mentioned = formula.term.free & frozenset(v for p in pairs for v in _locals(p))
    return mentioned <= _locals(pair).keys()


def _locals(pair: Pair) -> dict[Var, Term]:
    """The locals of a pair as a block names them, and how they are called in the compositions."""
    return {
        sided(v, which): sided(local_of(v, pair.concrete.name), which)
        for thread, which in ((pair.concrete, "conc"), (pair.abstract, "abs"))
        for v in variables_of(thread, Kind.LOCAL)
    }


def reflexive(automaton: Automaton) -> tuple[Automaton, bool]:
    """The automaton with environments that may do nothing, and whether that had to be added anywhere."""
    s = side(automaton)
    still = substitution({primed(v): v for v in s.globals})
    session = Session(Limits())
    restless, places = dict[tuple[Term, Term], bool](), []
    for place in automaton.locations:
        assert place.env is not None
        said = place.env, place.inv
        if said not in restless:
            restless[said] = not isinstance(session.check((place.inv, lnot(still(place.env)))), Unsat)
        places.append(replace(place, env=lor(place.env, land(*identity(s)))) if restless[said] else place)
    return replace(automaton, locations=tuple(places)), any(restless.values())
