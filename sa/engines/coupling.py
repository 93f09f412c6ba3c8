"""Couplings of closed programs: looked for by plays against them, and kept where the refinement is proved with them.

A coupling is first held against plays on small values. Each play shows an answer that it does not allow, and it is made
to say less there. When no such play is left the question is asked with it like one that somebody has written. It may
then be too weak for the pairs of threads, so others that exclude the same states are tried too, and equations between
counters of the two sides that a first search finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Kind, Origin, variables_of
from sa.automata.program import Formula, Program, Refinement, Related
from sa.automata.rename import own_local
from sa.base.budget import Budget
from sa.base.clock import clock
from sa.base.diagnostic import InputError
from sa.base.limits import LimitReached, share
from sa.base.verdict import Reason, Verdict
from sa.certificates.goal import Goal
from sa.certificates.interpreted import plain_play
from sa.certificates.play import Loss
from sa.engines.goals import decisions
from sa.engines.options import Options
from sa.engines.outcome import Outcome, Result
from sa.engines.portfolio_of_goals import TACTICS, Depth, portfolio
from sa.engines.refine import refine
from sa.engines.results import result_of
from sa.question.goals import closes, goals, is_large, pairings, thread_goals
from sa.refinement.counters import counters
from sa.refinement.coupling import Coupling, Part, coupling_of, equations_of, varied, weakened
from sa.smt.session import Session, Unsat
from sa.terms import build
from sa.terms.substitute import sided, substitute
from sa.terms.term import Term, Var

#: How often a coupling is made to say less, and how many of them are asked about in earnest.
ROUNDS, ASKED = 40, 5

#: What each of them may use of the time that is left, and what the search for a play.
SHARE, SHARE_OF_A_PLAY = 0.5, 0.1

#: Lemmas of the search for equations between counters, and what it may use of the time that is left.
LEMMAS, SHARE_OF_COUNTERS = 12, 0.2

_NOWHERE = Origin(None)


class Coupled(Struct, frozen=True):
    """A coupling with which the refinement is proved: the block that says it, and the answer.

    `said` are its equations with their conditions, `given_up` those of the question that it does not keep, or only
    under a condition.
    """

    block: Refinement
    outcome: Outcome
    said: tuple[tuple[Term, Term], ...]
    given_up: tuple[Term, ...]


class Escaping(Struct, frozen=True):
    """A visible behaviour that escapes, whatever the relation: the goal that relates nothing, refuted."""

    result: Result


def couple(
    abstract: Program, concrete: Program, block: Refinement | None, options: Options
) -> Coupled | Escaping | None:
    """A coupling for two closed programs with which one refines the other, or a behaviour that escapes.

    None where neither was found.
    """
    if why_none(abstract, concrete, block) is not None:
        return None
    asking = _Asking(abstract, concrete, block, options, _plain(abstract, concrete, block))
    try:
        return _found(asking)
    except LimitReached as limit:
        if limit.reason not in (Reason.TIMEOUT, Reason.WORK):
            raise
        return None
    except InputError:
        # What was inferred says nothing of some pair of threads: it is no question that anybody asked.
        return None


def why_none(abstract: Program, concrete: Program, block: Refinement | None) -> str | None:
    """Why no coupling is looked for, in words; None where one is."""
    if not closes(abstract, concrete, block):
        return "relies are declared, and a relation is inferred for programs without them only"
    if is_large(concrete) or is_large(abstract):
        return "the programs have too many joint locations"
    if block is not None and block.choose_init:
        return "the abstract side chooses its initial values (`choose init`)"
    return None


class _Asking(Struct, frozen=True):
    """The question that a coupling is looked for. `plain` are locals in products as blocks name them.

    `pre` is to hold at the start with any coupling.
    """

    abstract: Program
    concrete: Program
    block: Refinement | None
    options: Options
    plain: Mapping[Var, Term]
    pre: tuple[Term, ...] = ()


def _found(asking: _Asking) -> Coupled | Escaping | None:
    (goal,) = goals(asking.abstract, asking.concrete, asking.block, whole=True)
    session = Session(asking.options.limits, tuple(a.formula for a in goal.axioms))
    asking = replace(asking, pre=tuple(_initially(asking, goal, session)))
    coupling = _possible_at_start(coupling_of(goal), goal, session)
    nothing = _goal(asking, replace(coupling, parts=()))
    if (lost := _play(nothing, asking.options, Depth.QUICK)) is not None and lost.loss is Loss.BEHAVIOUR:
        return Escaping(lost)
    asked = set[tuple[tuple[Term, Term], ...]]()
    pending = _candidates(asking, _descended(asking, coupling))
    while len(asked) < ASKED:
        candidate = next(pending, None)
        if candidate is None:
            break
        coupling, said = candidate, _said(asking, candidate)
        if said in asked:
            continue
        asked.add(said)
        block = _block(asking, coupling)
        own = replace(asking.options, limits=share(asking.options.limits, SHARE))
        outcome = refine(asking.abstract, asking.concrete, block, own)
        if outcome.verdict is Verdict.PROVED:
            return Coupled(block, outcome, said, tuple(_given_up(goal, coupling)))
        play = next((r.play for r in outcome.results if r.play is not None), None)
        if play is not None and (less := weakened(coupling, plain_play(play))) is not None:
            pending = chain([_descended(asking, less)], pending)
    return None


def _candidates(asking: _Asking, base: Coupling) -> Iterator[Coupling]:
    """Couplings against which no play is found quickly, those that say more first."""
    for more in _more(base, _goal(asking, base), asking.options):
        yield _descended(asking, more)
    yield base
    for other in varied(base):
        yield _descended(asking, other)


def _descended(asking: _Asking, coupling: Coupling) -> Coupling:
    """The coupling made to say less until no play against it is found quickly.

    Plays of a thread alone refute nothing: others might help. But they are found sooner, and what they show is true of
    the threads together as a rule.
    """
    for _ in range(ROUNDS):
        block = _block(asking, coupling)
        whole = _goal(asking, coupling)
        alone = thread_goals(asking.abstract, asking.concrete, block) if len(asking.concrete.threads) > 1 else ()
        asked = ((whole, Depth.QUICK), *((goal, Depth.BRIEF) for goal in alone))
        lost = next((r for goal, depth in asked if (r := _play(goal, asking.options, depth)) is not None), None)
        less = None if lost is None or lost.play is None else weakened(coupling, plain_play(lost.play))
        if less is None:
            return coupling
        coupling = less
    return coupling


def _play(goal: Goal, options: Options, depth: Depth) -> Result | None:
    """A play against a goal, judged, if one is found before a proof and soon."""
    started = clock()
    budget = Budget(share(options.limits, SHARE_OF_A_PLAY), options.seed)
    for decision in decisions(goal, budget, portfolio(depth)):
        result = result_of(goal, decision, clock() - started, options)
        if result.verdict is not Verdict.UNKNOWN:
            return result if result.verdict is Verdict.REFUTED else None
    return None


def _goal(asking: _Asking, coupling: Coupling) -> Goal:
    (goal,) = goals(asking.abstract, asking.concrete, _block(asking, coupling), whole=True)
    return goal


def _plain(abstract: Program, concrete: Program, block: Refinement | None) -> dict[Var, Term]:
    """The locals of paired threads as their product names them, and as a block does."""
    found = dict[Var, Term]()
    for pair in pairings(abstract, concrete, block):
        for thread, side in ((pair.concrete, "conc"), (pair.abstract, "abs")):
            for v in variables_of(thread, Kind.LOCAL):
                found[sided(own_local(pair.concrete.name, v), side)] = sided(v, side)
    return found


def _block(asking: _Asking, coupling: Coupling) -> Refinement:
    """The block that relates the two programs as the coupling says; all else is as in the block that is written."""
    related = tuple(Related(build.implies(c, e), _NOWHERE) for c, e in _said(asking, coupling))
    start = tuple(Formula(t, _NOWHERE) for t in asking.pre)
    if asking.block is None:
        return Refinement("inferred", None, None, related, start, (), (), (), False, False, None, _NOWHERE)
    return replace(asking.block, relate=related, pre=start, inv=(), expect=None)


def _said(asking: _Asking, coupling: Coupling) -> tuple[tuple[Term, Term], ...]:
    """What a coupling says, as a block says it."""
    return tuple((c, substitute(e, asking.plain)) for c, e in equations_of(coupling))


def _initially(asking: _Asking, goal: Goal, session: Session) -> Iterator[Term]:
    """What κ says that initial states do not decide."""
    starts, said = (goal.concrete.init, goal.abstract.init), set[Term]()
    for part in (c for f in goal.kappa for c in build.conjuncts(f.term)):
        decided = isinstance(session.check((*starts, build.lnot(part))), Unsat)
        term = substitute(part, asking.plain)
        if not decided and term not in said and not isinstance(session.check((*starts, part)), Unsat):
            said.add(term)
            yield term


def _possible_at_start(coupling: Coupling, goal: Goal, session: Session) -> Coupling:
    """The coupling without equations that no initial states satisfy."""
    starts = (goal.concrete.init, goal.abstract.init)
    kept = (p for p in coupling.parts if not isinstance(session.check((*starts, p.equation)), Unsat))
    return replace(coupling, parts=tuple(kept))


def _given_up(goal: Goal, coupling: Coupling) -> Iterator[Term]:
    kept = {p.equation for p in coupling.parts if p.condition is build.TRUE}
    yield from (c for f in goal.iota for c in build.conjuncts(f.term) if c not in kept)


def _more(coupling: Coupling, goal: Goal, options: Options) -> Iterator[Coupling]:
    """The coupling with equations between counters of the two sides that hold along a short search."""
    known = {p.equation for p in coupling.parts}
    said = frozenset[Var]().union(*(t.free for t in known))
    if not all(set(variables_of(a, Kind.GLOBAL)) - said for a in (goal.concrete, goal.abstract)):
        return
    new = tuple(
        Part(t)
        for t in counters(goal, share(options.limits, SHARE_OF_COUNTERS), replace(TACTICS[0], lemmas=LEMMAS, each=1))
        if t not in known
    )
    if new:
        yield replace(coupling, parts=(*coupling.parts, *new))
