"""Lipton's reduction where there are families of any number: copies become copies whose steps are blocks.

Threads and a few symbolic copies of each family are looked at as a closed program. Steps that commute with those of
another copy commute with those of any, and facts that one more copy leaves true are true of any number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.family import different, symbolic
from sa.automata.rename import apart
from sa.base.limits import Limits
from sa.certificates.family_reduction import SPOKEN, Crowd, CrowdReduced, OfCrowds
from sa.certificates.run import Bad
from sa.smt.session import Session
from sa.terms import build
from sa.terms.term import Term
from sa.transform.blocks import Composition, composed
from sa.transform.facts import Apart, Proved, facts_of, lemmas_of
from sa.transform.flags import facts_under_flags
from sa.transform.movers import movers_of
from sa.transform.phases import Cuts, Moves, Why, cuts_of
from sa.transform.reduce import RLIMIT, asked_for, bads_of_blocks, moves_of, phases_of

#: Symbolic copies of each family that are looked at: those that facts speak of, and one that disturbs them.
COPIES = SPOKEN + 1


class CrowdReduction(Struct, frozen=True, eq=False):
    """A program with families whose steps are blocks, and what that rests on."""

    written: Crowd
    cuts: tuple[Cuts, ...]
    made: tuple[Composition, ...]
    lemmas: tuple[Term, ...]

    @property
    def blocks(self) -> Crowd:
        """The program whose steps are blocks."""
        once, made = len(self.written.threads), tuple(c.thread for c in self.made)
        of_families = zip(self.written.families, made[once:], strict=True)
        return replace(self.written, threads=made[:once], families=tuple(replace(f, thread=t) for f, t in of_families))

    def bads_of(self, bad: Bad) -> tuple[Bad, ...]:
        """Something bad as blocks have it: all that end in the failing step, or the claim."""
        return tuple(dict.fromkeys(bads_of_blocks(self.made, bad)))

    def evidence(self, bads: tuple[Bad, ...], inner: tuple[OfCrowds, ...]) -> CrowdReduced:
        """What is shown of blocks as evidence about the written program."""
        about = self.written
        phases = tuple(tuple(phases_of(*its).values()) for its in zip(each_once(about), self.cuts, strict=True))
        return CrowdReduced(about.threads, about.families, phases, self.lemmas, inner, about.init, bads, about.axioms)


def each_once(program: Crowd) -> tuple[Automaton, ...]:
    """The threads, and what each copy of a family does."""
    return (*program.threads, *(f.thread for f in program.families))


def crowd_reduction(
    program: Crowd, bads: tuple[Bad, ...], proved: Proved | None, joint: bool, bounds: Limits, seed: int
) -> CrowdReduction:
    """The reduction of threads and families that keeps what is bad about them. Raises LimitReached.

    `proved` is about `symbolic_threads`. Where `joint` is wanted, locations of two threads that exclude each other are
    looked for, too.
    """
    everyone = tuple(map(apart, symbolic_threads(program, COPIES)))
    session = Session(bounds, [a.formula for a in program.axioms], seed, RLIMIT)
    always = _identities(program, everyone)
    under_flags = facts_under_flags(everyone, session, always) if joint else None
    facts = under_flags or facts_of(everyone, session, joint, always=always)
    facts = replace(facts, proved=proved, found={})
    once, families = len(program.threads), len(program.families)
    # No step of a third copy is looked at, since it is as one of the second.
    movers = movers_of(replace(facts, threads=facts.threads[: once + SPOKEN * families]), session)
    claims = [b.claim for b in bads if b.claim is not None]
    cuts, made = list[Cuts](), list[Composition]()
    for number, thread in enumerate(each_once(program)):
        alike = (number, number + families) if number >= once else (number,)
        moves = _of_all([moves_of(facts, movers, n, claims, session) for n in alike])
        found = cuts_of(thread, moves, _asked(thread, [everyone[n] for n in alike], bads))
        cuts.append(found)
        made.append(composed(thread, phases_of(thread, found), bounds))
    spoken = frozenset(t.name for t in everyone[: once + SPOKEN * families])
    lemmas = tuple(f for f in lemmas_of(facts, session) if _threads_of(f) <= spoken)
    return CrowdReduction(program, tuple(cuts), tuple(made), lemmas)


def symbolic_threads(program: Crowd, count: int) -> tuple[Automaton, ...]:
    """The threads, the first copy of each family, the second one, and so on; all know how shared variables begin."""
    copies = (symbolic(f, n) for n in range(1, count + 1) for f in program.families)
    return tuple(replace(t, init=build.land(t.init, program.init)) for t in (*program.threads, *copies))


def _identities(program: Crowd, everyone: Sequence[Automaton]) -> Apart:
    """What is known of the identities of two of them."""
    known = different(program.families, [COPIES] * len(program.families))
    return {
        frozenset({n, m}): build.land(*(f for f in known if _threads_of(f) <= {one.name, other.name}))
        for (n, one), (m, other) in combinations(enumerate(everyone), 2)
    }


def _of_all(moves: Sequence[Moves]) -> Moves:
    """How steps move in each of some copies."""
    before = frozenset[int].intersection(*(m.before for m in moves))
    after = frozenset[int].intersection(*(m.after for m in moves))
    return Moves(before, after, moves[0].goes_on)


def _asked(thread: Automaton, copies: Sequence[Automaton], bads: Sequence[Bad]) -> Mapping[str, Why]:
    asked = dict[str, Why]()
    for copy in copies:
        asked |= asked_for(thread, copy, bads)
    return asked


def _threads_of(formula: Term) -> frozenset[str]:
    return frozenset(v.name.thread for v in formula.free if v.name.thread is not None)
