"""Evidence for REFUTED: Spoiler's strategy as a finite tree of concrete states (THEORY section 4).

Every leaf is a loss for Duplicator that an evaluator sees, except where `Exhausted.SOLVER` marks a
set of answers that is infinite, whose emptiness is an unsatisfiability checked separately.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias, assert_never

from msgspec import Struct

from sa.automata.automaton import Edge
from sa.automata.program import Formula
from sa.automata.trace import Configuration, Move
from sa.terms.meaning import Meaning
from sa.terms.term import Term, Var


class Exhausted(Enum):
    """How it is known that the answers listed are all there are.

    Where they are enumerated UP_TO_WAITING, each one that is not listed ends in a state that silent steps lead to from
    the end of one that is listed and goes on: Duplicator may as well wait there (THEORY section 3). Closed goals only.
    """

    ENUMERATED = "enumerated"
    UP_TO_WAITING = "enumerated, up to silent steps"
    SOLVER = "checked by the solver"


class Obstacle(Enum):
    """Why an abstract edge does not answer a step."""

    GUARD = "its guard is false"
    LABEL = "its action differs"
    VALUE = "its value differs"
    INVARIANT = "the location's invariant would be broken"


class Refusal(Struct, frozen=True):
    """An abstract edge that cannot be taken from a state on the way to an answer, for the explanation."""

    edge: Edge
    at: Configuration
    obstacle: Obstacle


class Broken(Struct, frozen=True):
    """The states reached are not related: a conjunct of ι is false. Duplicator has lost."""

    formula: Formula
    concrete: Configuration
    abstract: Configuration


class Reply(Struct, frozen=True):
    """An abstract path that answers the step's label, and how Spoiler goes on from its end."""

    moves: tuple[Move, ...]
    then: Position | Broken


class Silent(Struct, frozen=True):
    """Silent abstract steps from any state at `source` lead to states at `target` only that `relation` allows.

    It is over the abstract variables and their primes, which stand for the state that is led to.
    """

    source: str
    target: str
    relation: Term


class Passed(Struct, frozen=True):
    """Abstract states that answers to one step pass or end in at `location`: before it, or after the action is `shown`.

    `states` is over the abstract variables. Silent steps count as shown from the beginning.
    """

    location: str
    shown: bool
    states: Term


class Region(Struct, frozen=True):
    """States of a pair of locations from which Spoiler wins, however many they are, all by the same step.

    `states` is over the variables of both sides, and so are the terms for the step's `choices`. Every answer breaks ι
    or ends in one of the regions `then`. With `silent`, what silent steps lead to is taken from there; with `passed`,
    all states that answers can pass are among these.
    """

    concrete: str
    abstract: str
    states: Term
    edge: int
    choices: tuple[tuple[Var, Term], ...]
    then: tuple[Region, ...]
    silent: tuple[Silent, ...]
    passed: tuple[Passed, ...] = ()


class Beyond(Struct, frozen=True):
    """Abstract states at a location that no step leaves, and that break ι after a move."""

    location: str
    states: Term


class Step(Struct, frozen=True):
    """Spoiler makes a component step. `replies` are all abstract answers but some that break ι; none helps.

    Where there are infinitely many, `others` are regions that those which are not listed end in, and `silent` says what
    silent steps lead to, or `passed` what answers pass; the solver shows it (`Exhausted.SOLVER`). Answers through
    states that are `beyond`, of which there may be infinitely many, are left out.
    """

    move: Move
    replies: tuple[Reply, ...]
    refusals: tuple[Refusal, ...]
    exhausted: Exhausted
    beyond: tuple[Beyond, ...] = ()
    others: tuple[Region, ...] = ()
    silent: tuple[Silent, ...] = ()
    passed: tuple[Passed, ...] = ()


class EnvironmentMove(Struct, frozen=True):
    """Spoiler moves both environments: one concrete step, a sequence of abstract ones; ι holds after it.

    `abstract` lists the states after each abstract environment step; `identity` says that some step is
    the identity and that the declared relation does not contain it.
    """

    concrete: Configuration
    abstract: tuple[Configuration, ...]
    identity: bool
    then: Position


class Unmatched(Struct, frozen=True):
    """The concrete environment makes a step that no sequence of abstract environment steps matches.

    `closure` is a reflexive and transitive relation over `abs.` globals, their primes and `abs.` locals that
    contains the abstract environment at the location, and still holds no match.
    """

    concrete: Configuration
    closure: Term
    exhausted: Exhausted


SpoilerMove: TypeAlias = Step | EnvironmentMove | Unmatched


class Position(Struct, frozen=True):
    """A pair of states and Spoiler's winning move from it."""

    concrete: Configuration
    abstract: Configuration
    move: SpoilerMove


class Uncovered(Struct, frozen=True):
    """A concrete initial state to which κ relates no abstract initial state."""

    concrete: Configuration
    exhausted: Exhausted


class BrokenAtStart(Struct, frozen=True):
    """Initial states that κ relates and ι does not."""

    broken: Broken


class Chosen(Struct, frozen=True):
    """With `choose init`: every abstract initial state that κ allows loses."""

    concrete: Configuration
    openings: tuple[Position | Broken, ...]
    exhausted: Exhausted


PlainPlay: TypeAlias = Position | Uncovered | BrokenAtStart | Chosen


class Interpreted(Struct, frozen=True):
    """A play of the goal in which functions without a body have this meaning, which satisfies all axioms."""

    meaning: Meaning
    play: PlainPlay


Play: TypeAlias = PlainPlay | Interpreted


class Loss(Enum):
    """What a play shows of the concrete runs in it, beyond that there is no simulation for κ and ι.

    BEHAVIOUR: no abstract run has the visible actions of one of them. RELATION: abstract runs have, and none keeps κ
    and ι, or not from the initial states that Spoiler takes. FORESIGHT: abstract runs have and keep κ and ι, but no
    answer is right for every continuation.
    """

    BEHAVIOUR = "behaviour"
    RELATION = "relation"
    FORESIGHT = "foresight"


def following(here: Position) -> tuple[Position | Broken, ...]:
    """What the moves at a position lead to."""
    match here.move:
        case Step(replies=replies):
            return tuple(r.then for r in replies)
        case EnvironmentMove(then=then):
            return (then,)
        case Unmatched():
            return ()
        case _:
            assert_never(here.move)
