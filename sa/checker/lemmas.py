"""Checks proofs that something bad never happens by formulas that are inductive together.

They hold at the start, and every step of every thread keeps them; written invariants are part of them, since steps must
not be cut by these. Where a thread is, Boolean variables `at T.q` say: exactly one of a thread's is true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.base.limits import Limits, spend
from sa.certificates.threads import Lemmas
from sa.checker.ghosts import fault_of_ghosts, with_ghosts
from sa.checker.joint_locations import at_one_location, settled, written_of
from sa.checker.never import is_failing, program_fault, taking
from sa.checker.obligation import Case, Obligation, discharge
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.solvers import Z3, Solvers
from sa.checker.threads import apart
from sa.terms.build import FALSE, TRUE, boolean, conjoined, conjuncts, lnot, variable
from sa.terms.name import at_place
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var, has_quantifiers, sort_of


class Setting(Struct, frozen=True, eq=False):
    """What lemmas may rest on besides: what holds of shared variables at the `start`, and what is `known` of what never
    changes. Where `actors` are named only these take steps: what others do is the same under other names.
    """

    start: Term = TRUE
    known: tuple[Term, ...] = ()
    actors: frozenset[str] | None = None


ALONE = Setting()


def check_lemmas(
    made: Lemmas, bounds: Limits, seed: int = 0, solvers: Solvers = Z3, setting: Setting = ALONE
) -> Ruling:
    """Whether the formulas are inductive, and exclude what is bad.

    Raises LimitReached, and SolverDisagrees on an internal error.
    """
    threads = tuple(apart(t) for t in made.threads)
    fault = program_fault(made.threads) or fault_of_ghosts(made.ghosts, threads)
    threads = threads if fault else with_ghosts(made.ghosts, threads)
    fault = fault or _fault(made, threads)
    if fault is not None:
        return Rejected("well-formed lemmas", fault)
    lemmas = conjoined((*made.lemmas, *(f for t in threads for f in written_of(t))))
    claims = tuple(bad.claim for bad in made.never if bad.claim is not None)
    said = frozenset[Var]().union(*(f.free for f in (*lemmas, *claims)))
    named = {t.name: tuple(v for q in t.locations if (v := _at(t.name, q.name)) in said) for t in threads}
    session = solvers.session(bounds, [*(a.formula for a in made.axioms), *setting.known], seed)
    places = {t.name: t.initial for t in threads}
    inits = conjoined((setting.start, *(t.init for t in threads)))
    start = Obligation("initial lemma", "", inits, (Case((), conjoined(settled(c, places) for c in lemmas)),))
    failure = discharge(session, frozenset(), start)
    if failure is not None:
        return failure
    assumed = (*lemmas, *(f for t in threads for f in at_one_location(t, said)))
    with session.assuming(assumed):
        for obligation in _obligations(made, threads, lemmas, named, setting.actors):
            spend(bounds, 300)
            failure = discharge(session, frozenset(assumed), obligation)
            if failure is not None:
                return failure
    return Accepted()


def _fault(made: Lemmas, threads: Sequence[Automaton]) -> str | None:
    known = {v.var for t in threads for v in t.variables} | {_at(t.name, q.name) for t in threads for q in t.locations}
    for lemma in made.lemmas:
        if sort_of(lemma) != BOOL or has_quantifiers(lemma) or not lemma.free <= known:
            return "a lemma is not a formula over the variables and locations of the threads"
    return None


def _at(thread: str, place: str) -> Var:
    return variable(at_place(thread, place), BOOL)


def _obligations(
    made: Lemmas,
    threads: Sequence[Automaton],
    lemmas: tuple[Term, ...],
    named: dict[str, tuple[Var, ...]],
    actors: frozenset[str] | None,
) -> Iterator[Obligation]:
    about = dict[Var, list[Term]]()
    for lemma in lemmas:
        for v in lemma.free:
            about.setdefault(v, []).append(lemma)
    for original, thread in zip(made.threads, threads, strict=True):
        if actors is not None and thread.name not in actors:
            continue
        for written, edge in zip(original.edges, thread.edges, strict=True):
            where = f"{thread.name}, {edge.source} -> {edge.target}"
            here, there = _at(thread.name, edge.source), _at(thread.name, edge.target)
            now = (v if v is here else lnot(v) for v in named[thread.name])
            # What lemmas say of this very location, so that most of what is to be shown is seen to be known.
            said = (settled(c, {thread.name: edge.source}) for c in about.get(here, ()))
            after = {**dict(edge.updates), **{v: boolean(v is there) for v in named[thread.name]}}
            taken = conjoined((*now, *said, *taking(edge)))
            # All other lemmas say the same before and after.
            changed = dict.fromkeys(c for v in (here, there, *dict(edge.updates)) for c in about.get(v, ()))
            landed = conjoined(substitute(c, after) for c in changed)
            yield Obligation("inductive lemma", where, taken, (Case((), landed),), edge=edge)
            if any(is_failing(bad.failing, thread.name, written) for bad in made.never):
                yield Obligation("failing step", where, taken, (Case((), (FALSE,)),), edge=edge)
    for bad in made.never:
        if bad.claim is not None:
            yield Obligation("claim", "", (), (Case((), conjuncts(bad.claim)),))
