"""Lipton's reduction as a transform: closed threads become threads whose steps are blocks, with the way back.

Facts are found first, on the threads as they are written; then movers under these facts, phases and cuts, and blocks
are composed. Nothing here is believed: what is shown of the composed threads is evidence only together with the facts
and the phases (`certificates.reduced`), and runs are replayed step by step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import FAIL, Automaton, Edge
from sa.automata.program import Axiom
from sa.automata.ranges import within
from sa.automata.rename import apart
from sa.base.budget import Shared
from sa.base.limits import Limits, part_of
from sa.certificates.reduced import Composed, Phase, Reduced
from sa.certificates.run import Bad, Failing, Run
from sa.smt.session import Session, Unsat
from sa.terms import build
from sa.terms.name import at_place
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var
from sa.transform.blocks import Composition, composed
from sa.transform.expand import expanded
from sa.transform.facts import Facts, Progress, Proved, facts_at_cuts, facts_of, facts_of_turns, lemmas_of, simplified
from sa.transform.flags import facts_under_flags
from sa.transform.movers import Mover, Movers, movers_of
from sa.transform.phases import Cuts, Moves, Why, cuts_of

#: So many joint locations of the written threads there must be for one of the blocks.
GAIN = 2

#: The part of the work that is left for blocks of blocks.
AGAIN = 0.6

#: Cuts that more facts might do without.
AVOIDABLE = Why.MOVES, Why.BLOCKS

#: Resources of the solver for each question: steps that commute mostly do for simple reasons.
RLIMIT = 200_000


class Reduction(Struct, frozen=True, eq=False):
    """A program with composed blocks, and what it rests on. `again` is a reduction of the composed threads, if any.

    Facts and movers are about threads with names of their own.
    """

    threads: tuple[Automaton, ...]
    bads: tuple[Bad, ...]
    axioms: tuple[Axiom, ...]
    facts: Facts
    lemmas: tuple[Term, ...]
    movers: Movers
    cuts: tuple[Cuts, ...]
    made: tuple[Composition, ...]
    again: Reduction | None = None

    @property
    def blocks(self) -> tuple[Automaton, ...]:
        """The threads whose steps are blocks of the written ones."""
        return tuple(c.thread for c in self.made)

    @property
    def composed(self) -> tuple[Automaton, ...]:
        """The threads whose steps are blocks, those that were reduced last."""
        return self.blocks if self.again is None else self.again.composed

    def bads_of(self, bad: Bad) -> tuple[Bad, ...]:
        """Something bad as the composed threads have it: all blocks that end in the failing step, or the claim."""
        return (
            tuple(bads_of_blocks(self.made, bad))
            if self.again is None
            else self.again.all_of(tuple(bads_of_blocks(self.made, bad)))
        )

    def all_of(self, bads: tuple[Bad, ...]) -> tuple[Bad, ...]:
        """The same of several bad things."""
        return tuple(dict.fromkeys(b for bad in bads for b in self.bads_of(bad)))

    @property
    def known(self) -> tuple[Term, ...]:
        """What facts say of the composed threads, one formula for each location and fact about shared variables."""
        return tuple(facts_at_cuts(self.facts, self.blocks)) if self.again is None else self.again.known

    def evidence(self, bads: tuple[Bad, ...], inner: tuple[Composed, ...]) -> Reduced:
        """What is shown of the composed threads as evidence about the written ones."""
        phases = tuple(tuple(phases_of(*its).values()) for its in zip(self.threads, self.cuts, strict=True))
        if self.again is None:
            return Reduced(self.threads, phases, self.lemmas, inner, bads, self.axioms)
        below = self.again.evidence(
            tuple(dict.fromkeys(b for bad in bads for b in bads_of_blocks(self.made, bad))), inner
        )
        return Reduced(self.threads, phases, self.lemmas, (below,), bads, self.axioms)

    def run(self, run: Run) -> Run | None:
        """A run of the composed threads as one of the written ones. Raises Unevaluable."""
        reached = run if self.again is None else self.again.run(run)
        return None if reached is None else expanded(self.threads, self.made, reached)


class Commuting(Struct, frozen=True, eq=False):
    """What is known of the steps of threads with names of their own, whatever is asked of them."""

    facts: Facts
    movers: Movers


def commuting(
    threads: tuple[Automaton, ...],
    axioms: tuple[Axiom, ...],
    bounds: Limits,
    seed: int = 0,
    alone: bool = False,
    progress: Progress | None = None,
    proved: Proved | None = None,
) -> Commuting:
    """Which steps of closed threads commute with those of others, and by which facts. Raises LimitReached.

    What each thread knows `alone` is soon found; otherwise pairs of locations that exclude each other are looked for,
    too. A search that a limit ended goes on from its `progress`. What is `proved` already is used, too.
    """
    session, separate = Session(bounds, [a.formula for a in axioms], seed, RLIMIT), tuple(map(apart, threads))
    if alone:
        facts = facts_of_turns(separate) or facts_of(separate, session, joint=False, progress=progress)
    else:
        facts = facts_under_flags(separate, session) or facts_of(separate, session, progress=progress)
    if proved is not None and not facts.turns:
        facts = replace(facts, proved=proved, found={})
    return Commuting(facts, movers_of(facts, session))


def reduction(
    threads: tuple[Automaton, ...],
    bads: tuple[Bad, ...],
    axioms: tuple[Axiom, ...],
    bounds: Limits,
    seed: int = 0,
    known: Commuting | None = None,
) -> Reduction:
    """The reduction of closed threads that keeps what is bad about them. Raises LimitReached.

    What is `known` of their steps is the same for all that may be asked of them.
    """
    known = commuting(threads, axioms, bounds, seed) if known is None else known
    facts, movers = known.facts, known.movers
    session = Session(bounds, [a.formula for a in axioms], seed, RLIMIT)
    claims = [b.claim for b in bads if b.claim is not None]
    cuts = tuple(
        cuts_of(t, moves_of(facts, movers, n, claims, session), asked_for(t, separate, bads))
        for n, (t, separate) in enumerate(zip(threads, facts.threads, strict=True))
    )
    made = tuple(composed(t, phases_of(t, c), bounds) for t, c in zip(threads, cuts, strict=True))
    return Reduction(threads, bads, axioms, facts, lemmas_of(facts, session), movers, cuts, made)


def reduced(
    threads: tuple[Automaton, ...],
    bads: tuple[Bad, ...],
    axioms: tuple[Axiom, ...],
    bounds: Limits,
    seed: int = 0,
    shared: Shared | None = None,
    proved: Proved | None = None,
) -> Reduction:
    """First by what each thread knows alone, and what is `proved`; then its blocks, of which there are fewer than of
    steps, by what excludes pairs of their locations, if there is work left for that. Raises LimitReached.

    What is found is kept in `shared`: whoever asks again goes on from there.
    """
    kept = Shared() if shared is None else shared
    first = _stage(axioms, bounds, seed, kept, threads, bads, alone=True, proved=proved)
    if not first.facts.lost or not _may_gain(first):
        return first
    if not is_gain(threads, first.blocks):
        return _stage(axioms, bounds, seed, kept, threads, bads, proved=proved)
    with part_of(bounds, AGAIN) as left:
        second = _stage(axioms, left, seed, kept, first.blocks, first.all_of(bads))
        return replace(first, again=second) if is_gain(first.blocks, second.blocks) else first
    return first


def _stage(
    axioms: tuple[Axiom, ...],
    bounds: Limits,
    seed: int,
    shared: Shared,
    threads: tuple[Automaton, ...],
    bads: tuple[Bad, ...],
    alone: bool = False,
    proved: Proved | None = None,
) -> Reduction:
    key = threads, alone, proved is None
    progress = shared.once(("progress", *key), Progress)
    known = shared.once(("commuting", *key), lambda: commuting(threads, axioms, bounds, seed, alone, progress, proved))
    return shared.once(("reduction", *key, bads), lambda: reduction(threads, bads, axioms, bounds, seed, known))


def facts_in(threads: tuple[Automaton, ...], session: Session, only_alone: bool = False) -> Facts:
    """Facts about turns where these say all; else of each thread by itself, unless more hold where it is seen that
    locations exclude each other and `only_alone` is not wanted.
    """
    if (turns := facts_of_turns(threads)) is not None:
        return turns
    alone = facts_of(threads, session, joint=False)
    if only_alone or not alone.lost:
        return alone
    joint = facts_under_flags(threads, session) or facts_of(threads, session)
    return joint if joint.true != alone.true else alone


def places(threads: Sequence[Automaton]) -> int:
    """The joint locations, as far as each thread comes to its own."""
    return prod(len({t.initial, *(e.target for e in t.edges)}) for t in threads)


def _may_gain(made: Reduction) -> bool:
    """Whether more facts might do without enough cuts: all others are there whatever is known."""
    needed = (
        replace(t, edges=tuple(e for e in t.edges if c.why.get(e.target) not in AVOIDABLE))
        for t, c in zip(made.blocks, made.cuts, strict=True)
    )
    return is_gain(made.blocks, tuple(needed))


def is_gain(threads: Sequence[Automaton], composed: Sequence[Automaton]) -> bool:
    """Whether blocks are worth looking at in place of the threads that they are made of."""
    return GAIN * places(composed) <= places(threads)


def phases_of(thread: Automaton, cuts: Cuts) -> Mapping[str, Phase]:
    """The phase of each location, in their order; those that no step leads to are cut."""
    return {q.name: cuts.phases.get(q.name, Phase.CUT) for q in thread.locations}


def asked_for(thread: Automaton, separate: Automaton, bads: Sequence[Bad]) -> Mapping[str, Why]:
    """Where failing steps lead, and the places of claims."""
    asked = {e.target: Why.FAILURE for e in thread.edges if e.label is not None and e.label.action == FAIL}
    spoken = frozenset[Var]().union(*(b.claim.free for b in bads if b.claim is not None))
    asked |= {q.name: Why.CLAIM for q in thread.locations if _at(separate, q.name) in spoken}
    return asked


def _at(thread: Automaton, place: str) -> Var:
    return build.variable(at_place(thread.name, place), BOOL)


def moves_of(facts: Facts, movers: Movers, number: int, claims: Sequence[Term], session: Session) -> Moves:
    """Steps that may be inside of blocks: they move, and no claim that is false becomes true without or with them."""
    thread = facts.threads[number]
    before, after = set[int](), set[int]()
    for k, edge in enumerate(thread.edges):
        kind = movers.kinds[number, k]
        left_out, added = _noticed(facts, number, edge, claims, session)
        if kind in (Mover.BOTH, Mover.RIGHT) and not left_out:
            before.add(k)
        if kind in (Mover.BOTH, Mover.LEFT) and not added:
            after.add(k)
    return Moves(frozenset(before), frozenset(after), lambda place: _goes_on(facts, number, place, session))


def _noticed(facts: Facts, number: int, edge: Edge, claims: Sequence[Term], session: Session) -> tuple[bool, bool]:
    """Whether a claim may be true again if the step is left out of a run, and if it is added to one."""
    thread, changed = facts.threads[number], dict(edge.updates)
    here: dict[Var, Term] = {_at(thread, q.name): build.boolean(q.name == edge.source) for q in thread.locations}
    there: dict[Var, Term] = {_at(thread, q.name): build.boolean(q.name == edge.target) for q in thread.locations}
    taken = (*facts.at((number, edge.source)), edge.guard, *map(within, edge.choices))
    left_out = added = False
    for claim in claims:
        before, after = substitute(claim, here), substitute(substitute(claim, there), changed)
        if before is not after:
            left_out = left_out or possible_with(session, (*taken, before, build.lnot(after)))
            added = added or possible_with(session, (*taken, after, build.lnot(before)))
    return left_out, added


def possible_with(session: Session, formulas: Sequence[Term]) -> bool:
    """Whether formulas may be true together; if in doubt they may."""
    left = simplified(formulas)
    return left is not None and not isinstance(session.check(left), Unsat)


def _goes_on(facts: Facts, number: int, place: str, session: Session) -> bool:
    """Whether some step from a location is always possible."""
    leaving = [e for e in facts.threads[number].edges if e.source == place]
    if any(not e.choices and e.guard is build.TRUE for e in leaving):
        return True
    none = (
        build.forall(tuple(c.var for c in e.choices), build.lnot(build.land(e.guard, *map(within, e.choices))))
        for e in leaving
    )
    return not possible_with(session, (*facts.at((number, place)), *none))


def bads_of_blocks(made: Sequence[Composition], bad: Bad) -> Iterator[Bad]:
    """Something bad as blocks have it: all that end in the failing step, or the claim."""
    if bad.failing is not None:
        for block in made:
            for edge, parts in zip(block.thread.edges, block.parts, strict=True):
                named = bad.failing.thread in (None, block.thread.name)
                if named and edge.label is not None and bad.failing.edge in (None, parts[-1].edge):
                    yield Bad(Failing(block.thread.name, edge), None)
    if bad.claim is not None:
        yield Bad(None, bad.claim)
