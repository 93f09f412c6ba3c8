"""What a refinement may have to preserve beside visible actions, and evidence that it does or does not."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from sa.certificates.ends import Finite, Lasso, Ranked
from sa.certificates.relation import Relation
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


class AllStates(Struct, frozen=True):
    """Both sides have few states: whoever judges looks at all of them."""


class ThreadByThread(Struct, frozen=True):
    """Each thread with a declared environment preserves it: evidence for each goal, in their order."""

    parts: tuple[Following, ...]


class PartingThread(Struct, frozen=True):
    """The thread of the goal with this number does not: a run of it beside its environment, whose steps are seen."""

    number: int
    parting: Parting


#: What speaks for or against it.
Preserving: TypeAlias = Following | Parting | ByItself | AllStates | ThreadByThread | PartingThread
