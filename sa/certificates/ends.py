"""Evidence about infinite runs of a closed program: why something comes to an end, or a run in which it does not.

Variables are those of the threads' product, locals as `T.x`. What a reason asks of states is a `Condition`: it holds
by itself, or it is shown never to fail by a proof of the ordinary kind, of which it is something bad.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom, Ends
from sa.certificates.proof import OfThreads
from sa.certificates.run import Bad, Run
from sa.certificates.states import States
from sa.terms.build import conjuncts, constant, eq, forall, implies, land, variable
from sa.terms.name import at_place
from sa.terms.sort import BOOL, Value
from sa.terms.term import Term, Var


class Point(Struct, frozen=True):
    """A place of each thread of a part, and the values of some variables that nobody else writes."""

    places: tuple[str, ...]
    values: tuple[tuple[Var, Value], ...] = ()


#: A step between two points: the number of the first, of the thread, of its edge, and of the second.
Passage: TypeAlias = tuple[int, int, int, int]


class Lowered(Struct, frozen=True):
    """No step within these points raises the rank, which has a form at each of them, and nobody else does.

    `strict` steps lower it, from 0 or more. `then` is about the cycles that are left without them.
    """

    points: tuple[int, ...]
    ranks: tuple[Term, ...]
    strict: tuple[Passage, ...]
    then: tuple[Stage, ...]


class Helped(Struct, frozen=True):
    """This thread can always step at these points, and has no step between them: nobody stays there who is fair."""

    points: tuple[int, ...]
    thread: int


class Resting(Struct, frozen=True):
    """No thread that the claim is about has a step between these points."""

    points: tuple[int, ...]


Stage: TypeAlias = Lowered | Helped | Resting


class Part(Struct, frozen=True):
    """Why these threads, by their numbers, take finitely many steps together.

    `points` are all that they can be at. There is a stage for each strongly connected component with a cycle.
    """

    threads: tuple[int, ...]
    points: tuple[Point, ...]
    stages: tuple[Stage, ...]


class Settled(Struct, frozen=True):
    """What holds at locations of a thread from some moment on, if the thread stays among these locations for ever.

    The locations, by their numbers, are a strongly connected component of the steps that are left. Each step that is
    left establishes the formula where it leads to, and no other thread that is left makes it false there.
    """

    thread: int
    locations: tuple[int, ...]
    formulas: tuple[tuple[int, Term], ...]


class Round(Struct, frozen=True):
    """Steps of a thread that no run takes for ever, if all that earlier rounds exclude are taken finitely often.

    The locations, by their numbers, are a strongly connected component of the steps that are left. No step that is
    left, of any thread, raises the rank; the `strict` ones of this thread, by their edges, lower it, from 0 or more.
    The others are left where they do not lower it.
    """

    thread: int
    locations: tuple[int, ...]
    ranks: tuple[Term, ...]
    strict: tuple[int, ...]


class Spot(Struct, frozen=True):
    """What holds at last wherever a thread is at a location: one of those that it passes for ever, or where it rests.

    Where it `passes`, each step from there that is left needs the formula, to be taken, or for what earlier spots say
    of where it leads. Where it rests, it can take none of its steps infinitely often, and the formula follows from it.
    Steps of others that are left `keep` the formula true once it is so, which is of no use where the thread passes; or
    they keep it false.
    """

    thread: int
    location: int
    passes: bool
    formula: Term
    keep: bool


class Unjust(Struct, frozen=True):
    """Steps of a thread that no fair run takes for ever: one of the others would always be able to step, and would not.

    Whenever the thread takes one of the `strict` steps, not every other thread is at a location that it passes for
    ever or rests at, with what the `spots` say of it.
    """

    thread: int
    locations: tuple[int, ...]
    strict: tuple[int, ...]
    spots: tuple[Spot, ...]


class Unanswered(Struct, frozen=True):
    """That what `leads` claims is fulfilled: no fair run leaves it open for ever. The last thing that is said.

    What is `kept` holds where the claim begins to be open, and as long as it stays so. All threads would be at
    locations that they pass for ever or rest at, with what the `spots` say of them; that never happens.
    """

    kept: Term
    spots: tuple[Spot, ...]


#: What is said thread by thread, each of the steps that are left behind those before it.
Elimination: TypeAlias = Settled | Round | Unjust | Unanswered


class Ranked(Struct, frozen=True):
    """That something comes to an end: for all threads together, or thread by thread in rounds.

    `proofs` show the conditions that do not hold by themselves.
    """

    threads: tuple[Automaton, ...]
    ends: Ends
    reason: Part | tuple[Elimination, ...]
    proofs: tuple[OfThreads, ...]
    axioms: tuple[Axiom, ...]


class Finite(Struct, frozen=True):
    """The same where the reachable states are finitely many: all of them, not reduced, and nothing bad about them."""

    threads: tuple[Automaton, ...]
    ends: Ends
    states: States


class Lasso(Struct, frozen=True):
    """A run in which it does not come to an end, since the steps of its cycle are taken again and again.

    `again` holds where the cycle begins and when it is through, so that it can be taken once more, with the same
    choices. A run without a cycle stands still at its end.
    """

    run: Run
    again: Term

    @property
    def stem(self) -> int:
        """The number of steps before the cycle."""
        return len(self.run.turns) if self.run.cycle is None else self.run.cycle


Ending: TypeAlias = Ranked | Finite | Lasso


class Condition(Struct, frozen=True):
    """In each reachable state in which threads are at these places and the premise holds, the conclusion holds.

    It is so for all values of the choices.
    """

    places: tuple[tuple[str, str], ...]
    premise: tuple[Term, ...]
    choices: tuple[Var, ...]
    conclusion: Term


def bad_of(condition: Condition) -> Bad:
    """That a condition fails, as something bad."""
    at = (variable(at_place(t, q), BOOL) for t, q in condition.places)
    chosen = frozenset(condition.choices)
    premise = condition.premise
    if condition.conclusion.free.isdisjoint(chosen):
        # What is said of choices may be left out, which asks for more.
        premise = tuple(f for p in premise for f in conjuncts(p) if f.free.isdisjoint(chosen))
    claim = forall(condition.choices, implies(land(*premise), condition.conclusion))
    return Bad(None, implies(land(*at), claim))


def values_of_point(point: Point) -> tuple[Term, ...]:
    """That the variables have the values of a point."""
    return tuple(eq(v, constant(x, v.sort)) for v, x in point.values)
