"""What the search knows: pairs with their facts, lemmas and answers. The only mutable data of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct, field

from sa.base.budget import Shared
from sa.certificates.goal import Goal
from sa.domains import affine
from sa.domains.affine import Space
from sa.environments.moves import EnvironmentMove
from sa.game.board import Pair
from sa.game.rounds import Challenge, Round
from sa.terms import build
from sa.terms.solve import extended
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


class LostStep(Struct, frozen=True, eq=False):
    """Spoiler wins by a component step: in every state (with choices) of `cube`, no answer is good."""

    challenge: Challenge
    cube: tuple[Term, ...]


class LostMatch(Struct, frozen=True, eq=False):
    """Spoiler wins by a concrete environment step that nothing matches: `cube` is over the state and its primes."""

    cube: tuple[Term, ...]


class LostEnvironment(Struct, frozen=True, eq=False):
    """Spoiler wins because the environments can lead to states that another lemma excludes."""

    lemma: Lemma


#: What is true at each location of the concrete and of the abstract side, whatever the other side does.
Facts: TypeAlias = tuple[Mapping[str, tuple[Term, ...]], Mapping[str, tuple[Term, ...]]]

NO_FACTS: Facts = ({}, {})


def given(shared: Shared, goal: Goal) -> Facts:
    """What whoever asks the question knows of the sides of the goal."""
    known: Facts = shared.made.get(("given", goal), NO_FACTS)
    return known


def give(shared: Shared, goal: Goal, known: Facts) -> None:
    """Have that known where this goal is searched."""
    shared.once(("given", goal), lambda: known)


Cause: TypeAlias = LostStep | LostMatch | LostEnvironment


class Lemma(Struct, frozen=True, eq=False):
    """The states of `cube` are lost for Duplicator at the pair: its negation is part of Ψ.

    `raw` is the cube before the environments' moves were taken into account, where not all states from which they
    lead into it are known to be in `cube`; None where they are.

    Causes refer to lemmas with smaller numbers only, which is why plays made from them are finite.
    """

    number: int
    pair: Pair
    cube: tuple[Term, ...]
    formula: Term
    cause: Cause
    raw: tuple[Term, ...] | None


class View(Struct, frozen=True, eq=False):
    """What is known of a pair where one of its steps is enabled: the facts, and formulas with them put in.

    `equations` are those facts of which the definitions are not made.
    """

    facts: Space
    definitions: Mapping[Var, Term]
    equations: tuple[Term, ...]
    _memo: dict[Term, Term] = field(default_factory=dict)

    def reduced(self, formula: Term) -> Term:
        """The formula with the variables that the facts define replaced."""
        found = self._memo.get(formula)
        if found is None:
            found = self._memo[formula] = substitute(formula, self.definitions)
        return found


class PairState(Struct):
    """What is known of a pair of locations.

    `facts` hold wherever the chosen answers lead (forward); lemmas exclude what is lost (backward). `views` are
    the facts at each step, None where they say that it is not enabled. `known` is true of either side by itself.
    `users` are the steps, of this and other pairs, with an answer that ends here.
    """

    pair: Pair
    base: tuple[Term, ...]
    moves: EnvironmentMove
    steps: dict[int, Challenge]
    known: tuple[Term, ...] = ()
    facts: Space | None = None
    views: dict[int, View | None] = field(default_factory=dict)
    lemmas: list[Lemma] = field(default_factory=list)
    rounds: dict[int, list[Round]] = field(default_factory=dict)
    users: dict[tuple[Pair, int], None] = field(default_factory=dict)
    _equations: tuple[Term, ...] | None = None

    @property
    def equations(self) -> tuple[Term, ...]:
        """The facts as formulas."""
        if self._equations is None:
            self._equations = affine.formulas(self.facts or affine.EVERYTHING)
        return self._equations

    def learn(self, facts: Space) -> None:
        """Take these facts for all that is known."""
        self.facts, self._equations = facts, None
        self.views.clear()


def hypotheses(state: PairState) -> tuple[Term, ...]:
    """Ψ of the pair as far as it is known, facts included."""
    return (*state.base, *state.known, *state.equations, *(lemma.formula for lemma in state.lemmas))


def view_of(here: Space, known: tuple[Term, ...]) -> View:
    """The view with these facts; other equations that are known define variables too, as products, say."""
    return View(here, extended(affine.definitions(here), known), affine.formulas(here, defining=False))


def dead(state: PairState) -> bool:
    """Whether a lemma excludes every state of the pair."""
    return any(lemma.formula is build.FALSE for lemma in state.lemmas)
