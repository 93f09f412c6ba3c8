"""From a lost state to a lemma: the states that are lost for the same reasons.

The reasons are literals: the step is enabled, each abstract edge off the explored runs is refused, each run
ends in a state that breaks ι, an invariant or a lemma. Choices of the concrete step and environment steps
are then projected away around the state. What comes out implies that Duplicator loses, so a lemma found
without a cut exploration is exact: good for refutations too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from sa.game.board import Board, Pair
from sa.game.choices import Refusal, narrowed, reasons, refusal, settled
from sa.game.exploring import Exploration, explore
from sa.game.rounds import Challenge, Round, play_round
from sa.game.runs import Bounds, Run, start, undecided
from sa.simulation.state import PairState, View
from sa.smt.session import Session
from sa.terms import build
from sa.terms.evaluate import State, holds
from sa.terms.implicant import implicant
from sa.terms.term import Term


def answers_at(
    session: Session,
    board: Board,
    step: Challenge,
    location: str,
    state: State,
    pairs: Mapping[Pair, PairState],
    bounds: Bounds,
    thread: int | None = None,
) -> tuple[list[Round], list[tuple[Round, list[Term]]], Exploration]:
    """The rounds that are good in a state, those that are not with what they break, and the exploration.

    With a `thread` only those in which no other thread moves.

    Raises NotSettled.
    """
    if bounds.shared is not None:
        # A step that changes several shared variables at once may need as many answers.
        bounds = replace(bounds, shared=max(bounds.shared, len(step.edge.updates)))
    found = explore(board, start(board, location), step.label, state, bounds, session, thread)
    good, bad, refused = list[Round](), list[tuple[Round, list[Term]]](), list[Refusal]()
    for explored in found.runs:
        for run in _settled(session, board, step, explored, state, pairs, refused):
            answer = play_round(board, step, run)
            broken = [c for c in demands(answer, pairs) if not holds(c, state)]
            if broken:
                bad.append((answer, broken))
            else:
                good.append(play_round(board, step, undecided(board, location, run, step.label)))
    return good, bad, replace(found, refused=(*found.refused, *refused))


def _settled(
    session: Session,
    board: Board,
    step: Challenge,
    run: Run,
    state: State,
    pairs: Mapping[Pair, PairState],
    refused: list[Refusal],
) -> tuple[Run, ...]:
    """The run with terms for its open choices that are good in the state; none, and why, where no values are."""
    if not run.open:
        return (run,)
    wanted = tuple(demands(play_round(board, step, run), pairs))
    run, wanted = narrowed(run, wanted)
    if not run.open:
        return (run,)
    why = refusal(session, wanted, run, state)
    if why is not None:
        refused.extend((*run.decisions, why))
        return ()
    return settled(session, wanted, run, state, tuple(dict.fromkeys((*step.after.values(), *step.choices))))


def first_answers(
    session: Session,
    board: Board,
    step: Challenge,
    location: str,
    state: State,
    pairs: Mapping[Pair, PairState],
    bounds: Bounds,
    view: View,
) -> tuple[list[Round], list[tuple[Round, list[Term]]], Exploration, list[Round]]:
    """As `answers_at`, and of the good rounds those that are natural.

    Where the thread whose step it is has such an answer by itself, no others are looked at. Raises NotSettled.
    """
    thread = _thread_of(board, step)
    if thread is not None:
        good, bad, found = answers_at(session, board, step, location, state, pairs, bounds, thread)
        if sure := [a for a in good if natural(a, view)]:
            return good, bad, found, sure
    good, bad, found = answers_at(session, board, step, location, state, pairs, bounds)
    return good, bad, found, [a for a in good if natural(a, view)]


def _thread_of(board: Board, step: Challenge) -> int | None:
    """The thread whose step it is, of as many on both sides; None where it is not that of one of several threads."""
    places = board.concrete.locations[step.edge.source], board.abstract.locations[board.goal.abstract.initial]
    return board.concrete.movers[step.number] if len(places[0].parts) == len(places[1].parts) else None


def blame(rounds: Sequence[Round], step: Challenge, state: State, pairs: Mapping[Pair, PairState]) -> tuple[Term, ...]:
    """Literals under which none of the chosen answers is good. With others the states need not be lost."""
    broken = (next(c for c in demands(answer, pairs) if not holds(c, state)) for answer in rounds)
    return implicant((*step.enabled, *(build.lnot(b) for b in broken)), state, decide=False)


def possible(answer: Round, state: State) -> bool:
    """Whether an answer can be given in a state, whatever becomes of it later."""
    return all(holds(c, state) for c in answer.required)


def natural(answer: Round, view: View) -> bool:
    """Whether ι's equations hold after an answer by what is known, and not just in one state by accident."""
    return all(view.reduced(link) is build.TRUE for link in answer.links)


def demands(answer: Round, pairs: Mapping[Pair, PairState]) -> Iterator[Term]:
    """What must hold before a round for it to be good: its own conditions first, then the target's lemmas."""
    yield from answer.required
    target = pairs.get(answer.target)
    if target is not None:
        for lemma in target.lemmas:
            yield answer.before(lemma.number, lemma.formula)


def lost_cube(
    session: Session, step: Challenge, bad: Sequence[tuple[Round, list[Term]]], found: Exploration, state: State
) -> tuple[Term, ...]:
    """Literals over the state and the step's choices, true in `state`, under which no explored answer is good."""
    why = [*step.enabled, *(r for refused in found.refused for r in reasons(session, refused, state))]
    known = set(why)
    for answer, broken in bad:
        why.extend(answer.run.decisions)
        negated = [build.lnot(b) for b in broken]
        if not any(n in known for n in negated):
            # The first one broken is the most lasting: a condition of the round before a lemma, old before new.
            why.append(negated[0])
            known.add(negated[0])
    return implicant(why, state, decide=False)
