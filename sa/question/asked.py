"""What engines are asked, and what they may answer.

An answer is evidence for the checker and no verdict. `Refuted` (of `verify`) and `Lost` (of `refine`) are all that an
engine can say which only looks for runs or plays, or only up to a bound: no type of its answers has room for a proof.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Automaton, Origin
from sa.automata.family import Family
from sa.automata.program import Axiom
from sa.base.budget import Shared
from sa.base.verdict import Unknown
from sa.certificates.families import CrowdRun
from sa.certificates.family_reduction import OfCrowds
from sa.certificates.goal import Goal
from sa.certificates.pairs import Simulation
from sa.certificates.play import Play
from sa.certificates.proof import OfThreads
from sa.certificates.run import Bad, Run
from sa.terms.build import TRUE
from sa.terms.interval import Interval
from sa.terms.term import Term, Var

#: Evidence that something bad never happens.
Proof: TypeAlias = OfThreads | OfCrowds


class Asked(Struct, frozen=True, eq=False):
    """Which of these bad things do the threads, by themselves, never do? Functions mean what the axioms say of them.

    Beside the threads run any number of copies of each of the `families`, and `init` is what then holds of the shared
    variables at the start. An engine that does not know families is never asked about them (`engines.portfolio`).
    """

    threads: tuple[Automaton, ...]
    bads: tuple[Bad, ...]
    axioms: tuple[Axiom, ...]
    shared: Shared = field(default_factory=Shared)
    families: tuple[Family, ...] = ()
    init: Term = TRUE


class Excluded(Struct, frozen=True):
    """Evidence that none of these bad things happens, and in words how it was found."""

    bads: tuple[Bad, ...]
    evidence: Proof
    how: str


class Refuted(Struct, frozen=True):
    """A run in which something bad happens, and in words how it was found."""

    bad: Bad
    evidence: Run | CrowdRun
    how: str

    @property
    def bads(self) -> tuple[Bad, ...]:
        """What the evidence is about, as of a proof."""
        return (self.bad,)


class Note(Struct, frozen=True):
    """What an engine says of the question besides: where precision was given up, how far it came.

    One that `is_wanted` is told whatever the answer is, since somebody asked for it.
    """

    words: str
    is_wanted: bool = False


class Disturbance(Struct, frozen=True):
    """A step of a thread, by its name, that changes what a claim depends on and is not known to keep it."""

    thread: str
    origin: Origin


class Open(Struct, frozen=True):
    """What an engine does not exclude, and what stands in the way.

    It fails by a step of a thread or, where there is none, by becoming false anywhere. `known` is what is known of
    that state about the variables that decide it, and `disturbed` are the steps of other threads that may change
    these there, or of any that may make it false.
    """

    bad: Bad
    thread: str | None
    origin: Origin | None
    known: tuple[tuple[Var, Interval], ...]
    disturbed: tuple[Disturbance, ...]


Settled: TypeAlias = Excluded | Refuted

#: What an engine may say about claims.
Said: TypeAlias = Settled | Note | Open


class GoalAsked(Struct, frozen=True, eq=False):
    """What engines of `refine` are asked: does this goal hold?"""

    goal: Goal
    shared: Shared = field(default_factory=Shared)


class Effort(Struct, frozen=True):
    """The size of the work behind an answer: pairs explored, lemmas learned, questions to the solver."""

    pairs: int = 0
    lemmas: int = 0
    solver_calls: int = 0


class Decision(Struct, frozen=True):
    """What came out for a goal, for a checker to confirm; which engine it is from, and the size of the work."""

    evidence: Simulation | Play | Unknown
    effort: Effort = Effort()
    strategy: str = ""


class Related(Struct, frozen=True):
    """Evidence that a goal holds."""

    evidence: Simulation
    effort: Effort = Effort()


class Lost(Struct, frozen=True):
    """A play that refutes a goal."""

    evidence: Play
    effort: Effort = Effort()


class Stuck(Struct, frozen=True):
    """An engine has no answer to a goal, and why."""

    evidence: Unknown
    effort: Effort = Effort()
