"""Where answers are infinitely many: regions of pairs that Spoiler wins, read off the lemmas (THEORY section 4).

A lemma says of all states of its cube that they are lost by one step. Here that is asked again of the solver, with
every answer, and with the choices of the step as terms; what is left is offered as evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Label
from sa.automata.components import reachable
from sa.base.limits import spend
from sa.certificates.play import Region, Silent
from sa.game import choices
from sa.game.board import Board, Pair, reduce
from sa.game.rounds import Challenge, Round, play_round
from sa.game.runs import Run, extend, may_follow, start
from sa.plays.silent_closure import silence
from sa.simulation.algorithm_2_search import Search
from sa.simulation.state import Lemma, LostStep
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.name import staged
from sa.terms.sort import default_value
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: Runs that are followed for one set of answers, edges in one, and regions that are made of one lemma.
RUNS, LENGTH, PIECES = 200, 12, 4

#: The most lemmas that regions are made of.
LEMMAS = 120


class Regions(Struct):
    """The regions of a search, as they are asked for."""

    board: Board
    session: Session
    search: Search
    _made: dict[int, tuple[Region, ...]] = field(default_factory=dict[int, tuple[Region, ...]])
    _silent: tuple[Silent, ...] | None = None

    def lost(self, concrete: str, number: int) -> tuple[Region, ...]:
        """The regions at a concrete location that older lemmas than this number give. Raises LimitReached."""
        pairs = (s for pair, s in self.search.pairs.items() if pair[0] == concrete)
        older = sorted((m for s in pairs for m in s.lemmas if m.number < number), key=lambda m: m.number)
        return tuple(r for lemma in older for r in self._of(lemma)) if len(older) <= LEMMAS else ()

    def silent(self) -> tuple[Silent, ...]:
        """What silent steps lead to from wherever they may begin; nothing where they soon end. Raises LimitReached."""
        if self._silent is None:
            sources = tuple(self.board.abstract.locations)
            has_cycle = any(_comes_back(self.board, q) for q in sources)
            self._silent = silence(self.session, self.board, sources) if has_cycle else ()
        return self._silent

    def excludes(self, step: Challenge, location: str, known: Sequence[Term], then: Sequence[Region]) -> bool:
        """Whether all answers from the states that are known break ι or end in the regions. Raises LimitReached."""
        for run in self._ends(step, location, known):
            if run is None:
                return False
            answer = play_round(self.board, step, run)
            if not isinstance(self.session.check((*known, *self._survives(answer, then))), Unsat):
                return False
        return True

    def _of(self, lemma: Lemma) -> tuple[Region, ...]:
        if lemma.number not in self._made:
            spend(self.session.bounds, 1200)
            self._made[lemma.number] = tuple(self._pieces(lemma))
        return self._made[lemma.number]

    def _pieces(self, lemma: Lemma) -> Iterator[Region]:
        cause = lemma.cause
        if not isinstance(cause, LostStep):
            return
        step, known = cause.challenge, tuple[Term, ...]()
        then = self.lost(step.edge.target, lemma.number)
        for _ in range(PIECES):
            reply = self.session.check((*cause.cube, *known))
            if not isinstance(reply, Sat):
                return
            state = {v: reply.values.get(v, default_value(v.sort)) for v in (*self.board.variables, *step.choices)}
            given = choices.picked(step.choices, (*cause.cube, *known), state)
            states = build.land(*(substitute(c, given) for c in cause.cube))
            if self._is_lost(lemma.pair, states, _with(step, given), then):
                yield Region(*lemma.pair, states, step.number, tuple(given.items()), then, self.silent())
            if not given:
                return
            known = (*known, build.lnot(states))

    def _is_lost(self, pair: Pair, states: Term, step: Challenge, then: Sequence[Region]) -> bool:
        first, second = self.board.concrete.locations[pair[0]].inv, self.board.abstract.locations[pair[1]].inv
        base = (*self.board.residual, reduce(self.board, first), reduce(self.board, second))
        return self.excludes(step, pair[1], build.conjoined((states, *base)), then)

    def _survives(self, answer: Round, then: Sequence[Region]) -> Iterator[Term]:
        yield from answer.required
        for region in then:
            if (region.concrete, region.abstract) == answer.target:
                yield build.lnot(substitute(reduce(self.board, region.states), answer.updates))

    def _ends(self, step: Challenge, location: str, known: Sequence[Term]) -> Iterator[Run | None]:
        """All answers as runs with open choices; None where there may be more."""
        begin = start(self.board, location)
        if self.silent():
            for run in self._jumps(begin):
                if step.label is None:
                    yield run
                else:
                    yield from (end for r in self._longer(step, run, known, False) for end in self._jumps(r))
            return
        pending, looked_at = [begin], 0
        while pending:
            run = pending.pop()
            looked_at += 1
            if looked_at > RUNS or len(run.edges) > LENGTH:
                yield None
                return
            if run.labelled == (step.label is not None):
                yield run
            pending.extend(self._longer(step, run, known, True))

    def _longer(self, step: Challenge, run: Run, known: Sequence[Term], silently: bool) -> Iterator[Run]:
        for number, edge in self.board.abstract.edges[run.location]:
            if may_follow(edge, step.label, run) and (silently or edge.label is not None):
                depth = len(run.edges)
                names = tuple((c.var, build.variable(staged(c.var.name, depth), c.var.sort)) for c in edge.choices)
                _, longer = extend(self.board, run, number, edge, names, step.label)
                if not isinstance(self.session.check((*known, *longer.condition)), Unsat):
                    yield longer

    def _jumps(self, run: Run) -> Iterator[Run]:
        """The run with silent steps at its end, as `silent` says what they lead to."""
        depth = f"s{len(run.edges)}"
        fresh: dict[Var, Term] = {v: build.variable(staged(v.name, depth), v.sort) for v in run.values}
        for said in self.silent():
            if said.source == run.location:
                scope = {**run.values, **{primed(v): t for v, t in fresh.items()}}
                inv = substitute(self.board.abstract.locations[said.target].inv, fresh)
                condition = build.conjoined((*run.condition, substitute(said.relation, scope), inv))
                yield Run(run.edges, run.choices, said.target, fresh, condition, (), run.labelled)


def _with(step: Challenge, given: dict[Var, Term]) -> Challenge:
    """The step with terms for its choices."""
    label = step.edge.label
    if label is not None:
        label = Label(label.action, tuple(substitute(t, given) for t in label.values))
    after = {v: substitute(t, given) for v, t in step.after.items()}
    return Challenge(step.number, replace(step.edge, label=label), (), after)


def _comes_back(board: Board, location: str) -> bool:
    """Whether silent steps lead from a location back to it."""

    def after(place: str) -> list[str]:
        return [e.target for _, e in board.abstract.edges[place] if e.label is None]

    return location in reachable(after(location), after)
