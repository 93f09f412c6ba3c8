"""What the replay of a play needs at hand: the goal's two sides, the answers known so far, a solver."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, field

from sa.automata.trace import Configuration
from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.certificates.play import Broken, Position
from sa.checker.answers import Answers
from sa.checker.legal import same
from sa.checker.ruling import Rejected
from sa.checker.side import Side, side
from sa.checker.solvers import Z3, Solvers
from sa.smt.solver import Solver
from sa.terms.evaluate import holds
from sa.terms.substitute import substitution
from sa.terms.term import Term, Var


class Replay(Struct, frozen=True, eq=False):
    """A goal whose play is being replayed. `closures` are those found to be sound, with their locations.

    `moves` are substitutions: regions by the hundred are left by the same step.
    """

    goal: Goal
    concrete: Side
    abstract: Side
    answers: Answers
    closures: set[object]
    session: Solver
    bounds: Limits
    moves: dict[frozenset[tuple[Var, Term]], Callable[[Term], Term]] = field(default_factory=dict)

    def after(self, values: Mapping[Var, Term]) -> Callable[[Term], Term]:
        """The substitution of values, which remembers what became of terms."""
        found = self.moves.get(key := frozenset(values.items()))
        if found is None:
            found = self.moves[key] = substitution(values)
        return found


def replay(goal: Goal, bounds: Limits, seed: int, solvers: Solvers = Z3) -> Replay:
    """The replay of a goal that is known to be well-formed."""
    concrete, abstract = side(goal.concrete), side(goal.abstract)
    session = solvers.session(bounds, [a.formula for a in goal.axioms], seed)
    return Replay(goal, concrete, abstract, Answers(abstract, bounds), set(), session, bounds)


def place(concrete: Configuration, abstract: Configuration) -> str:
    """Where in the play something is, in words."""
    return f"({concrete.location}, {abstract.location})"


def outcome_fault(
    r: Replay, then: Position | Broken, concrete: Configuration, abstract: Configuration
) -> Rejected | None:
    """What is wrong with how the play goes on from the states reached; a position's own move is not looked at."""
    where = place(concrete, abstract)
    if not same(then.concrete, concrete) or not same(then.abstract, abstract):
        return Rejected("outcome", "the play continues from states other than those reached", where)
    if isinstance(then, Broken):
        if then.formula not in r.goal.iota:
            return Rejected("broken", "the formula said to be broken is not part of ι", where)
        if holds(then.formula.term, {**concrete.values, **abstract.values}):
            return Rejected("broken", "the formula said to be broken holds", where)
    return None
