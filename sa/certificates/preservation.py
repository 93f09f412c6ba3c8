"""What a refinement may have to preserve beside visible actions, and evidence that it does or does not."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from sa.automata.trace import Configuration
from sa.certificates.ends import Finite, Lasso, Ranked
from sa.certificates.relation import Relation
from sa.certificates.run import Run
from sa.certificates.states import States
from sa.certificates.threads import Joint, Keeps, Lemmas
from sa.terms.term import Term


class Kept(Enum):
    """That runs end, or that nobody is stuck."""

    TERMINATION = "termination"
    PROGRESS = "progress"


class PairRank(Struct, frozen=True):
    """The rank at a pair of locations: numbers over `conc.` and `abs.` variables, the first one counts most."""

    concrete: str
    abstract: str
    terms: tuple[Term, ...]


class Following(Struct, frozen=True):
    """A weak simulation that preserves termination: `ranks` by pair, all of one length; or progress, without any.

    A concrete step that is answered by staying lowers the rank: one of its numbers, from 0 or more, while none before
    it gets larger (Liang, Feng and Shao 2014). Where the concrete side is stuck, so is the abstract one.
    """

    relation: Relation
    ranks: tuple[PairRank, ...]


class Parting(Struct, frozen=True):
    """A concrete run that can go on for ever silently, while the abstract ones with the same visible actions end.

    `lasso` is one of the goal's concrete side as the only thread. `ended` says why the abstract runs that go along
    with it (`checker.followers`) come to an end once they have shown what it shows.
    """

    lasso: Lasso
    ended: Ranked | Finite


class ByItself(Struct, frozen=True):
    """The concrete program ends in every run, or is never stuck, whatever the abstract one does."""

    proof: Ranked | Finite | Keeps | Joint | Lemmas | States


class Node(Struct, frozen=True):
    """A concrete state beside a set of abstract ones, and a rank; states and sets by their numbers."""

    concrete: int
    beside: int
    rank: int


class Matched(Struct, frozen=True):
    """That each concrete run is matched, state by state (THEORY 15).

    Beside a concrete state stand abstract ones to which a run from a related start leads with the same visible actions.
    From each of the `endless` abstract states a silent step leads to one of them. Where none of these stands beside it,
    a silent concrete step lowers the rank.
    """

    concrete: tuple[Configuration, ...]
    abstract: tuple[Configuration, ...]
    sets: tuple[tuple[int, ...], ...]
    nodes: tuple[Node, ...]
    endless: tuple[int, ...]


class Unmatched(Struct, frozen=True):
    """A run of the goal's concrete side as the only thread: it ends in a silent cycle, or stuck.

    No abstract run from a related start with the same visible actions goes on for ever silently, or is still.
    """

    run: Run


class ThreadByThread(Struct, frozen=True):
    """Each thread with a declared environment preserves it: evidence for each goal, in their order."""

    parts: tuple[Following, ...]


class PartingThread(Struct, frozen=True):
    """The thread of the goal with this number does not: a run of it beside its environment, whose steps are seen."""

    number: int
    parting: Parting


#: What speaks for or against it.
Preserving: TypeAlias = Following | Parting | ByItself | Matched | Unmatched | ThreadByThread | PartingThread
