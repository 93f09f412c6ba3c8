"""The answer to a refinement question, as a value that reports are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.program import Program
from sa.base.caveat import Said
from sa.base.diagnostic import Diagnostic
from sa.base.verdict import Unknown, Verdict
from sa.certificates.goal import Goal
from sa.certificates.pairs import Simulation
from sa.certificates.play import Loss, Play
from sa.certificates.preservation import Kept, Preserving
from sa.certificates.reduced import ReducedThreads
from sa.certificates.run import Run
from sa.certificates.threads import Composition
from sa.engines.tried import Tried
from sa.terms.term import Term


class Statistics(Struct, frozen=True):
    """Work done on a goal. `seconds` by phase: `simulate`, `check`; sizes are of the final relation."""

    seconds: Mapping[str, float]
    pairs: int = 0
    lemmas: int = 0
    solver_calls: int = 0
    strategy: str = ""


class Result(Struct, frozen=True):
    """The answer to one goal. Exactly one of `relation` (PROVED), `play` (REFUTED), `unknown` is given.

    `loss` says, for REFUTED, what the play shows of its concrete runs (None: not determined). `notes` are remarks for
    the user. Where something is to be preserved in the environment of the goal, too, `preservation` may take the place
    of the play.
    """

    goal: Goal
    verdict: Verdict
    relation: Simulation | None
    play: Play | None
    unknown: Unknown | None
    statistics: Statistics
    loss: Loss | None = None
    notes: tuple[str, ...] = ()
    preservation: Preservation | None = None


class Inferred(Struct, frozen=True):
    """What a thread's environment was found to be, in the concrete and in the abstract program.

    `asked` are the parts that the proof had to ask for; the names are those of the programs.
    """

    thread: str
    concrete: Term
    abstract: Term
    asked: tuple[Term, ...]


class Proposal(Struct, frozen=True):
    """A refinement block with which the answer is PROVED, as text; what it claims, and what it does not any more."""

    block: str
    claim: str
    given_up: tuple[str, ...]


class Preservation(Struct, frozen=True):
    """Whether a closed program preserves that runs end, or that nobody is stuck: where not, a `run` that shows so.

    It goes on for ever without a visible action, or ends where nobody can step. No abstract run from a related start
    that shows the same actions does so, too. It may be one of these `threads`: one that is compared in its environment,
    and that environment. `evidence` is about the `goal`.
    """

    kept: Kept
    verdict: Verdict
    how: str = ""
    run: Run | None = None
    unknown: Unknown | None = None
    evidence: Preserving | None = None
    goal: Goal | None = None
    threads: tuple[Automaton, ...] = ()

    @property
    def claim(self) -> str:
        """What is claimed, in words."""
        return _PRESERVED[self.kept]


_PRESERVED = {
    Kept.TERMINATION: "where it can go on for ever without a visible action, so can the first one",
    Kept.PROGRESS: "where it is stuck, the first one is stuck or at its end",
}


class Outcome(Struct, frozen=True):
    """The answer to a whole question: its goals' results, the combined verdict, what it claims, warnings.

    `expected` is the verdict that the specs themselves expect, if they say so. `composition` puts the goals' proofs
    together where they are pairs of threads in `inferred` environments; `notes` say how the answer was arrived at.
    Where it is not PROVED, a `proposal` may say with which relation it would be, and `escape` show a visible behaviour
    that escapes whatever is related. A play about families of any number is one with so many `copies` of each.
    `tried` are the engines that were asked, each once for each goal. `families`: it is about any number of copies.
    `said` is what it assumes and does not check. Where that was asked, `preservation` is a part of the verdict, and the
    run is one of the `concrete` program. `units` are the units of work that were done.
    """

    name: str
    verdict: Verdict
    claim: str
    results: tuple[Result, ...]
    warnings: tuple[Diagnostic, ...]
    expected: Verdict | None
    seconds: Mapping[str, float]
    composition: Composition | None = None
    inferred: tuple[Inferred, ...] = ()
    notes: tuple[str, ...] = ()
    proposal: Proposal | None = None
    escape: Result | None = None
    copies: tuple[int, ...] = ()
    tried: tuple[Tried, ...] = ()
    families: bool = False
    said: Said = Said()
    units: int = 0
    preservation: Preservation | None = None
    concrete: Program | None = None
    reduced: tuple[ReducedThreads, ...] = ()


class Found(Struct, frozen=True):
    """The results that answer a question about whole programs, and how they came about.

    `hopeful` says of pairs that are not proved that smaller environments might help, `lost` that larger ones do not,
    and `imprecise` where precision was given up for them. `copies` is how many there are of each family in a play.
    Where the concrete threads are `reduced`, all of this is about threads whose steps are their blocks, or blocks of
    those.
    """

    results: tuple[Result, ...]
    composition: Composition | None = None
    inferred: tuple[Inferred, ...] = ()
    notes: tuple[str, ...] = ()
    hopeful: bool = True
    lost: bool = False
    imprecise: tuple[str, ...] = ()
    copies: tuple[int, ...] = ()
    reduced: tuple[ReducedThreads, ...] = ()

    @property
    def is_answer(self) -> bool:
        """Whether it settles the question."""
        return self.composition is not None or combined(self.results) is not Verdict.UNKNOWN


def combined(results: Sequence[Result]) -> Verdict:
    """The verdict about a question from those about its goals."""
    verdicts = {r.verdict for r in results}
    for verdict in (Verdict.REFUTED, Verdict.UNKNOWN):
        if verdict in verdicts:
            return verdict
    return Verdict.PROVED if results else Verdict.UNKNOWN
