"""The search for a weak simulation (Algorithm 2): pairs on demand, facts forward, lemmas backward (THEORY section 4).

From the initial pair, every concrete step is given an answer that is good as far as is known. Affine facts
flow along the chosen answers. A state in which no answer is good becomes a lemma, which re-opens the steps
that led there: they look for other answers first and pass the blame on second. The search ends when every
step of every pair is answered, or when an initial state is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sa.base.budget import Event, Report, unheard
from sa.base.limits import spend
from sa.base.verdict import Reason
from sa.certificates.goal import matches_environments
from sa.domains import affine
from sa.domains.affine import Space
from sa.environments.closure import Closure
from sa.environments.matching import Mismatch, mismatch
from sa.environments.moves import STILL, EnvironmentMove, abstract_closure, environment_move, lift
from sa.game import board as boards
from sa.game.board import Board, Pair
from sa.game.choices import NotSettled
from sa.game.opening import Cover, Covered, NotCovered, cover
from sa.game.rounds import Challenge, Round, challenge, play_round
from sa.simulation import learning, preference
from sa.simulation.agenda import Agenda, DriftTask, MatchTask, StepTask, Task
from sa.simulation.endings import Answered, Ending, GaveUp, Loss, Lost, LostChoices, Patience, Stuck, Tactics
from sa.simulation.forward import after
from sa.simulation.loop_couplings import lost_ties, ties_after
from sa.simulation.state import (
    NO_FACTS,
    Cause,
    Facts,
    Lemma,
    LostEnvironment,
    LostMatch,
    LostStep,
    PairState,
    View,
    hypotheses,
    view_of,
)
from sa.simulation.widening import is_drift, wider_than
from sa.smt.session import Sat, Session, Unsat
from sa.smt.small_models import pleasant
from sa.terms import build
from sa.terms.evaluate import State, Unevaluable, evaluate
from sa.terms.implicant import implicant
from sa.terms.project import project
from sa.terms.sort import Value, default_value
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: Units for each equation and variable at a pair: to propose answers, explore them, follow what is known.
PROPOSED, EXPLORED, FOLLOWED = 4, 5, 3


class Search:
    """One run of the search on a board."""

    def __init__(
        self, board: Board, session: Session, tactics: Tactics, report: Report = unheard, known: Facts = NO_FACTS
    ) -> None:
        self.board = board
        self.session = session
        self.pairs: dict[Pair, PairState] = {}
        self.closures: dict[str, Closure] = {}
        self.stuck, self.lemma_count = False, 0
        self.exact = True  # whether Duplicator really loses in all states that the lemmas exclude
        self.tactics = tactics
        self._report, self.known = report, known
        self._drifts: dict[object, EnvironmentMove] = {}
        self._challenges: dict[int, Challenge] = {}
        self._agenda, self._begun = Agenda((board.concrete.order, board.abstract.order)), False
        #: A lemma of the initial pair of which nobody knows yet whether it excludes an initial state.
        self._unasked: Lemma | None = None
        self._ending: Ending | None = None
        goal = board.goal
        self.initial: Pair = (goal.concrete.initial, goal.abstract.initial)
        self.anywhere = tactics.anywhere
        self._liking = preference.preference(board, tactics.late)
        self._changing = (*board.concrete.globals, *board.abstract.globals)
        self.opening = tuple(boards.reduce(board, t) for t in boards.initial_condition(board))

    @property
    def goes_on(self) -> bool:
        """Whether a limit cut it short, or what is made of its ending: `run` goes on from there."""
        return self._begun and not self.stuck

    def run(self, report: Report | None = None) -> Ending:
        """Search until an ending, from where the last run was cut short. Raises LimitReached."""
        if report is not None:
            self._report = report
        if self._ending is None:
            try:
                self._ending = self._run()
            except GaveUp as problem:
                self.stuck, self._ending = True, problem.ending
            except Unevaluable as problem:
                self.stuck = True
                self._ending = Stuck(Reason.UNSUPPORTED, f"a state depends on {problem}, which is not defined")
        return self._ending

    def _run(self) -> Ending:
        if not self._begun:
            opening = affine.meet(affine.EVERYTHING, (r for t in self.opening for r in affine.rows_of(t)))
            if self.board.goal.choose_init and (lost := self._all_lost()) is not None:
                return lost
            if opening is not None:
                self._flow(self.initial, opening)
            self._begun = True
        if self._unasked is not None and (loss := self._lost(self._unasked)) is not None:
            return loss
        while self._agenda:
            spend(self.session.bounds, 450)
            with self._agenda.taken() as task:
                loss = self._perform(task)
            if loss is not None:
                return loss
        return Answered()

    def propose(self, pair: Pair, number: int, answers: Iterable[Round]) -> None:
        """Answers to a step at a pair that are tried before others."""
        state = self._state(pair)
        state.rounds.setdefault(number, [])
        for answer in answers:
            self._add(state, number, answer)

    def forget(self) -> None:
        """Take any state for possible at each pair that was met: what flowed so far may not be all."""
        for state in self.pairs.values():
            state.learn(affine.EVERYTHING)

    # ---- tasks -------------------------------------------------------------------------------------

    def _perform(self, task: Task) -> Loss | None:
        match task:
            case StepTask(pair, edge):
                return self._check_step(self.pairs[pair], edge)
            case DriftTask(pair, lemma):
                return self._check_drift(self.pairs[pair], lemma)
            case MatchTask(pair):
                return self._check_match(self.pairs[pair])

    # ---- pairs and facts ---------------------------------------------------------------------------

    def _state(self, pair: Pair) -> PairState:
        state = self.pairs.get(pair)
        if state is None:
            base = boards.base(self.board, pair)
            steps = {n: self.challenge(n) for n, _ in self.board.concrete.edges[pair[0]]}
            first, second = (side.get(place, ()) for side, place in zip(self.known, pair, strict=True))
            known = build.conjoined(boards.reduce(self.board, f) for f in (*first, *second))
            state = self.pairs[pair] = PairState(pair, base, self.moves_at(pair), steps, known)
        return state

    def challenge(self, number: int) -> Challenge:
        """A concrete edge as a step to be answered."""
        found = self._challenges.get(number)
        if found is None:
            edge = self.board.goal.concrete.edges[number]
            found = self._challenges[number] = challenge(self.board, number, edge)
        return found

    def moves_at(self, pair: Pair) -> EnvironmentMove:
        """What the environments may do at a pair."""
        if self.board.goal.closed:
            return STILL
        first, second = self.board.concrete.locations[pair[0]], self.board.abstract.locations[pair[1]]
        key = (first.env, first.inv, second.env, second.inv)
        found = self._drifts.get(key)
        if found is None:
            found = self._drifts[key] = environment_move(self.session, self.board, pair, self.closure(pair[1]))
        return found

    def closure(self, location: str) -> Closure:
        """The closure of the abstract environment at a location."""
        place = self.board.abstract.locations[location]
        for other, closure in self.closures.items():
            same = self.board.abstract.locations[other]
            if same.env is place.env and same.inv is place.inv:
                return self.closures.setdefault(location, closure)
        return self.closures.setdefault(location, abstract_closure(self.session, self.board, location))

    def _flow(self, pair: Pair, space: Space) -> None:
        """States of this space reach the pair: weaken its facts and look at its steps again."""
        state = self._state(pair)
        known = affine.meet(space, (r for t in state.base for r in affine.rows_of(t)))
        if known is None or build.FALSE in state.known:
            return
        moving = self._changing if self.anywhere else state.moves.moving
        settled = affine.meet(affine.forget(known, moving), (r for t in state.base for r in affine.rows_of(t)))
        if settled is None:
            return
        weaker = settled if state.facts is None else affine.grown(state.facts, settled)
        if weaker == state.facts:
            return
        state.learn(weaker)
        for number in state.steps:
            self._agenda.post(StepTask(pair, number))
        if matches_environments(self.board.goal):
            self._agenda.post(MatchTask(pair))
        for lemma in state.lemmas:
            if lemma.raw is not None:
                self._agenda.post(DriftTask(pair, lemma))

    # ---- steps -------------------------------------------------------------------------------------

    def _view(self, state: PairState, number: int) -> View | None:
        if number not in state.views:
            assert state.facts is not None
            enabled = state.steps[number].enabled
            here = affine.meet(state.facts, (r for t in enabled for r in affine.rows_of(t)))
            possible = here is not None and build.FALSE not in enabled
            state.views[number] = view_of(here, state.known) if possible and here is not None else None
        return state.views[number]

    def _check_step(self, state: PairState, number: int) -> Loss | None:
        view, step = self._view(state, number), state.steps[number]
        if view is None:
            return None
        rounds = state.rounds.setdefault(number, [])
        if not rounds and self.tactics.patience is not Patience.GIVEN:
            self._count(view, PROPOSED)
            fresh = list[Round]()
            for run in preference.proposals(self._liking, step, state.pair[1], view.definitions):
                answer = play_round(self.board, step, run)
                # Where staying loses a tie, a state shows whether there is a better answer.
                if run.edges or all(view.reduced(t) is build.TRUE for t in ties_after(self.board, self.pairs, answer)):
                    # A pair that is new asks what environments do there, which may be cut short: all of them or none.
                    self._state(answer.target)
                    fresh.append(answer)
            for answer in fresh:
                self._add(state, number, answer)
        # The facts of the view are at least those of the pair.
        known = (*state.base, *state.known, *(m.formula for m in state.lemmas), *view.equations, *step.enabled)
        facts = {c for t in known for c in build.conjuncts(view.reduced(t))}
        if build.FALSE in facts:
            return None
        gaps = list[Term]()
        for answer in rounds:
            wanted = (view.reduced(d) for d in learning.demands(answer, self.pairs))
            gaps.append(build.lor(*(build.lnot(w) for w in wanted if w not in facts)))
            if gaps[-1] is build.FALSE:
                break
        reply = self.session.check((*facts, *gaps))
        if isinstance(reply, Sat):
            model = self._complete(reply.values, view.definitions, step.choices)
            return self._extend_or_learn(state, step, view, model)
        if not isinstance(reply, Unsat):
            raise GaveUp(Reason.SOLVER, reply.why)
        for answer in rounds:
            self._count(view, FOLLOWED)
            for space in after(view.facts, answer):
                self._flow(answer.target, space)
        return None

    def _count(self, view: View, units: int) -> None:
        spend(self.session.bounds, units * len(view.facts) * len(self.board.variables))

    def _add(self, state: PairState, number: int, answer: Round) -> None:
        target = self._state(answer.target)
        state.rounds[number].append(answer)
        target.users[(state.pair, number)] = None

    def _complete(self, values: State, solved: Mapping[Var, Term], more: Iterable[Var]) -> dict[Var, Value]:
        model = dict[Var, Value]()
        for var in (*self.board.variables, *more):
            if var not in solved:
                model[var] = values.get(var, default_value(var.sort))
        for var, term in solved.items():
            model[var] = evaluate(term, model)
        return model

    def _extend_or_learn(self, state: PairState, step: Challenge, view: View, model: State) -> Loss | None:
        self._count(view, EXPLORED)
        chosen, patience = state.rounds[step.number], self.tactics.patience
        given = [a for a in chosen if learning.possible(a, model)] if patience is not Patience.NONE else []
        fixed = patience is Patience.GIVEN or (patience is Patience.FIXED and chosen)
        # An answer that chooses a value may be right with another one.
        if fixed or (given and not any(choice for a in given for choice in a.run.choices)):
            self.exact = False
            return self._lose(state, step, learning.blame(chosen, step, model, self.pairs), model)
        try:
            good, bad, found, sure = learning.first_answers(
                self.session, self.board, step, state.pair[1], model, self.pairs, self.tactics.bounds, view
            )
        except NotSettled as problem:
            raise GaveUp(Reason.SOLVER, str(problem)) from problem
        if patience is Patience.FULL and chosen and not sure:
            self.exact = False
            return self._lose(state, step, learning.blame(chosen, step, model, self.pairs), model)
        if good:
            lost = lost_ties(self.board, self.pairs, sure or good, model)
            self._add(state, step.number, preference.best(self._liking, step, lost, model))
            self._agenda.post(StepTask(state.pair, step.number))
            return None
        self.exact = self.exact and found.exhausted
        return self._lose(state, step, learning.lost_cube(self.session, step, bad, found, model), model)

    def _lose(self, state: PairState, step: Challenge, cube: tuple[Term, ...], model: State) -> Loss | None:
        raw = cube if not step.choices else project(implicant(cube, model), step.choices, model)[0]
        self._agenda.post(StepTask(state.pair, step.number))
        return self._learn(state, LostStep(step, cube), raw, model)

    # ---- lemmas ------------------------------------------------------------------------------------

    def _learn(self, state: PairState, cause: Cause, raw: tuple[Term, ...], model: State) -> Loss | None:
        self.exact = self.exact and state.moves.exact
        lifted, complete = lift(state.moves, raw, model)
        lemma = self._new_lemma(state, cause, lifted if complete else raw, None if complete else raw)
        if not complete:
            self._agenda.post(DriftTask(state.pair, lemma))
        return self._lost(lemma)

    def _new_lemma(self, state: PairState, cause: Cause, cube: tuple[Term, ...], raw: tuple[Term, ...] | None) -> Lemma:
        if self.lemma_count >= self.tactics.lemmas + self.tactics.each * len(self.pairs):
            raise GaveUp(Reason.BOUND, f"{self.lemma_count} lemmas did not decide it")
        self.lemma_count += 1
        counts = {"pairs": len(self.pairs), "lemmas": self.lemma_count, "questions": self.session.calls}
        self._report(Event(self.tactics.name, {**counts, "open": len(self._agenda)}))
        lemma = Lemma(self.lemma_count, state.pair, cube, build.lnot(build.land(*cube)), cause, raw)
        state.lemmas.append(lemma)
        if state.pair == self.initial:
            self._unasked = lemma
        for pair, number in state.users:
            if self.pairs[pair].facts is not None:
                self._agenda.post(StepTask(pair, number))
        return lemma

    def opening_cover(self) -> Cover:
        """Coverage as the goal asks for it: with `choose init`, by partners that are not lost as far as is known."""
        if not self.board.goal.choose_init:
            return cover(self.session, self.board)
        lemmas = self.pairs[self.initial].lemmas if self.initial in self.pairs else []
        wanted = [*(f.term for f in self.board.goal.iota), *(lemma.formula for lemma in lemmas)]
        return cover(self.session, self.board, wanted)

    def _lost(self, lemma: Lemma) -> Loss | None:
        loss = self._excluded(lemma) if lemma.pair == self.initial else None
        self._unasked = None
        return loss

    def _excluded(self, lemma: Lemma) -> Loss | None:
        """Whether a lemma of the initial pair excludes an initial state."""
        if self.board.goal.choose_init:
            return self._all_lost()
        reply = self.session.check((*self.opening, *lemma.cube))
        if isinstance(reply, Unsat):
            return None
        if not isinstance(reply, Sat):
            raise GaveUp(Reason.SOLVER, reply.why)
        found = pleasant(self.session, (*self.opening, *lemma.cube), self.board.variables)
        return Lost(self._complete(reply.values if found is None else found, {}, ()), lemma)

    def _all_lost(self) -> LostChoices | None:
        match self.opening_cover():
            case Covered():
                return None
            case NotCovered(state, True):
                return LostChoices(state)
            case _:
                raise GaveUp(
                    Reason.SOLVER,
                    "it is not known whether every initial state is related to an abstract one that can answer",
                )

    def _check_drift(self, state: PairState, lemma: Lemma) -> Loss | None:
        cube = lemma.raw
        assert cube is not None
        there = {v: primed(v) for v in state.moves.moving}
        reached = tuple(substitute(c, there) for c in cube)
        reply = self.session.check((*hypotheses(state), state.moves.relation, *reached))
        if isinstance(reply, Unsat):
            return None
        if not isinstance(reply, Sat):
            raise GaveUp(Reason.SOLVER, reply.why)
        before = self._complete(reply.values, {}, ())
        after = {v: reply.values.get(p, before[v]) for v, p in there.items()}
        lifted, _ = lift(state.moves, cube, before, after)
        wider = wider_than(lifted, [m.cube for m in state.lemmas if is_drift(m.cause, lemma)])
        self.exact = self.exact and wider is lifted
        self._agenda.post(DriftTask(state.pair, lemma))
        return self._lost(self._new_lemma(state, LostEnvironment(lemma), wider, None))

    def _check_match(self, state: PairState) -> Loss | None:
        found = mismatch(self.session, self.board, state.pair, hypotheses(state), self.closure(state.pair[1]))
        match found:
            case None:
                return None
            case Mismatch(cube, values):
                self._agenda.post(MatchTask(state.pair))
                model = self._complete(values, {}, ())
                raw, _ = project(cube, [primed(v) for v in self.board.concrete.globals], {**model, **values})
                return self._learn(state, LostMatch(cube), raw, model)
            case why:
                raise GaveUp(Reason.SOLVER, why)
