"""The plan of `refine` for whole programs, as data: pairs of threads, the two products, and blocks of steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from sa.engines.auxiliary_relations import Besides
from sa.engines.portfolio_of_goals import Depth
from sa.generation.visibility import Level
from sa.invariants.efforts import Effort as Needed
from sa.refinement.compositional import Effort
from sa.refinement.ghost_strategies import Ways


class Pairs(Struct, frozen=True):
    """The pairs are tried on this level of visibility.

    `besides`: with more related than is asked, if something is found there. They have so many times a round's seconds.
    """

    level: Level
    effort: Effort
    besides: Besides | None = None
    rounds: float = 1.0


class Met(Struct, frozen=True):
    """The pairs with what holds where two threads meet, at a glance.

    `closures`: in closures of environments, where more than one variable may change at once. `mirrored`: with ghosts
    of the concrete program that follow abstract variables. `met` is how much is done to know more. `besides`: with more
    related than is asked, if something is found there.
    """

    closures: bool
    mirrored: Ways | None = None
    met: Needed = Needed.NUMBERS
    besides: Besides | None = None


class Products(Struct, frozen=True):
    """The two products are compared to this depth, for so many times a round's seconds; if `once`, in one round.

    `large`: only where they are too large for a search of their locations, but not for runs, which come to few.
    """

    depth: Depth
    rounds: float = 1.0
    once: bool = False
    large: bool = False


class Blocks(Struct, frozen=True):
    """All of `REDUCED` with whole blocks of concrete steps as steps, for so many times a round's seconds.

    Where there is a depth, the products of the blocks are compared to it, and that is all.
    """

    rounds: float
    only: Depth | None = None


Tried: TypeAlias = Pairs | Met | Products | Blocks

#: What is tried, in order.
PLAN: tuple[Tried, ...] = (
    Pairs(Level.HIDDEN, Effort.GLANCE, rounds=0.25),
    # What is wrong mostly shows in a short run, and takes less than what proves.
    Products(Depth.SHORT_RUNS, 0.3),
    Pairs(Level.HIDDEN, Effort.GLANCE),
    Pairs(Level.HIDDEN, Effort.ANYWHERE),
    Pairs(Level.HIDDEN, Effort.GLANCE, Besides.SHOWN),
    # Where sections become blocks that the abstract side has as steps, this is all that is needed.
    Blocks(0.4, Depth.RESTING),
    Products(Depth.SHORT_RUNS, 0.5, large=True),
    Products(Depth.QUICK),
    # Differences that several threads are needed for, before what proves.
    Products(Depth.INCLUSION, 0.8),
    Products(Depth.INCLUSION, 1.5, large=True),
    # Runs that are long rather than intricate.
    Products(Depth.TRIALS, 0.5),
    Blocks(3.0),
    # It takes much work where it helps, and more where it does not.
    Blocks(4.0, Depth.RESTED),
    Pairs(Level.HIDDEN, Effort.BRIEF),
    # What is wrong often shows in a few random runs, and what is proved easily has been proved before.
    Products(Depth.BRIEF, 0.7, once=True),
    Products(Depth.RUNS, large=True),
    Pairs(Level.HIDDEN, Effort.BRIEF, Besides.REST),
    Pairs(Level.HIDDEN, Effort.BRIEF, Besides.PLAYS),
    Pairs(Level.HIDDEN, Effort.BRIEF, Besides.SAMPLES),
    Pairs(Level.HIDDEN, Effort.EXACT),
    Met(closures=True),
    Met(closures=True, besides=Besides.PLAYS),
    Met(closures=True, mirrored=Ways.FIRST),
    Met(closures=True, mirrored=Ways.FIRST, met=Needed.PLACES),
    Met(closures=True, mirrored=Ways.FIRST, met=Needed.ELEMENTS),
    Met(closures=True, met=Needed.NEEDS, besides=Besides.PLAYS),
    # What the pairs do not settle most often ends here.
    Products(Depth.BRIEF, 2.0),
    Met(closures=False, mirrored=Ways.FIRST),
    Met(closures=True, mirrored=Ways.OTHERS),
    Met(closures=True, mirrored=Ways.FIRST, met=Needed.NEEDS),
    Met(closures=True, mirrored=Ways.OTHERS, met=Needed.PLACES),
    Met(closures=False, mirrored=Ways.OTHERS),
    Met(closures=True, mirrored=Ways.OTHERS, met=Needed.NEEDS),
    Pairs(Level.HIDDEN, Effort.SHARPEN),
    Pairs(Level.LOCATIONS, Effort.SHARPEN),
    Pairs(Level.HIDDEN, Effort.PERSIST),
    Products(Depth.FULL),
)

#: The same where plays are to be found first.
PLAYS: tuple[Tried, ...] = (
    Products(Depth.QUICK),
    Products(Depth.INCLUSION),
    Products(Depth.INCLUSION, large=True),
    Products(Depth.RUNS, large=True),
    Products(Depth.PLAYS),
    Pairs(Level.HIDDEN, Effort.SHARPEN),
)

#: What is tried with blocks as steps: what proves.
REDUCED: tuple[Tried, ...] = tuple(t for t in PLAN if not isinstance(t, Blocks))

#: How deep a pair is looked into.
DEPTHS: Mapping[Effort, Depth] = {
    Effort.GLANCE: Depth.GLANCE,
    Effort.ANYWHERE: Depth.GLANCE,
    Effort.BRIEF: Depth.BRIEF,
    Effort.EXACT: Depth.GLANCE,
    Effort.SHARPEN: Depth.BRIEF,
    Effort.PERSIST: Depth.FULL,
}
