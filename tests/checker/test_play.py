"""A play is accepted when every move is possible, every leaf a loss and no answer left out."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Label, Variable
from sa.automata.trace import Configuration, Move
from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.certificates.play import (
    Broken,
    BrokenAtStart,
    Chosen,
    EnvironmentMove,
    Exhausted,
    Play,
    Position,
    Reply,
    Step,
    Uncovered,
    Unmatched,
)
from sa.checker.check import check
from sa.checker.ruling import Accepted
from sa.terms.build import TRUE, add, call, eq, le, lor, lt, mul, variable
from sa.terms.sort import BOOL, INT, Value
from sa.terms.substitute import primed
from sa.terms.term import Function, Term, Var
from tests.checker.example import automaton, edge, formula, number, shared

C, A, P = variable("conc.x"), variable("abs.x"), variable("abs.pick")
ENUMERATED, SOLVER = Exhausted.ENUMERATED, Exhausted.SOLVER
SAME = formula(eq(C, A))


def failed(claim: Goal, play: Play) -> str:
    """What is wrong with the play, nothing where it is accepted."""
    ruling = check(claim, play, Limits())
    return "" if isinstance(ruling, Accepted) else ruling.obligation


def at(place: str, var: Var, value: Value) -> Configuration:
    return Configuration(place, {var: value})


def env(x: Var, step: int) -> Term:
    """`x` stays or grows by `step`."""
    return lor(eq(primed(x), x), eq(primed(x), add(x, number(step))))


BY_ONE, BY_TWO = env(A, 1), env(C, 2)
BELOW_TWO = lt(A, number(2))


def concrete() -> Automaton:
    """Shows `x`, which starts at 0."""
    return automaton("Concrete", shared(C), "p0 p1", BY_TWO, eq(C, number(0)), (edge("p0 p1", Label("out", (C,))),))


def abstract(*more: Edge, relation: Term = BY_ONE, guard: Term = BELOW_TWO) -> Automaton:
    """Shows `x` as long as it is below 2."""
    first = edge("q0 q1", Label("out", (A,)), guard)
    return automaton("Abstract", shared(A), "q0 q1", relation, le(number(0), A), (first, *more))


def goal(one: Automaton | None = None, other: Automaton | None = None) -> Goal:
    return Goal("play", one or concrete(), other or abstract(), (SAME,), (SAME,), (), False, False, False)


def show(value: int, *replies: Reply, exhausted: Exhausted = ENUMERATED) -> Position:
    """Spoiler shows `x`."""
    out = concrete().edges[0]
    move = Move(out, {}, at("p1", C, value))
    return Position(at("p0", C, value), at("q0", A, value), Step(move, replies, (), exhausted))


def environment_move(*steps: int, to: int = 2, then: Position | None = None, identity: bool = False) -> Position:
    """Spoiler lets both environments move, from 0."""
    states = tuple(at("q0", A, s) for s in steps)
    return Position(
        at("p0", C, 0), at("q0", A, 0), EnvironmentMove(at("p0", C, to), states, identity, then or show(to))
    )


def test_a_drift_to_where_the_answer_is_forbidden_wins() -> None:
    assert failed(goal(), environment_move(1, 2)) == ""


@pytest.mark.parametrize("steps", [(2,), (1,), (), (1, 2, 4), (-1,)])
def test_the_abstract_environment_moves_by_its_own_steps_to_related_states(steps: tuple[int, ...]) -> None:
    assert failed(goal(), environment_move(*steps))


def test_the_concrete_environment_moves_by_one_step() -> None:
    assert failed(goal(), environment_move(1, 2, 3, 4, to=4)) == "concrete environment step"


def test_an_environment_move_says_truly_whether_it_uses_an_added_identity() -> None:
    added = replace(goal(), added_identity=True)
    assert failed(added, environment_move(1, 1, 2)) == "environment step"
    assert failed(added, environment_move(1, 1, 2, identity=True)) == ""
    assert failed(added, environment_move(1, 2, identity=True)) == "environment step"
    assert failed(goal(), environment_move(1, 1, 2, identity=True)) == "environment step"


def test_a_drift_continues_from_the_states_it_reaches() -> None:
    assert failed(goal(), environment_move(1, 2, then=show(3))) == "outcome"


def test_a_step_that_has_an_answer_is_not_won() -> None:
    assert failed(goal(), show(0)) == "all answers"


def test_a_play_starts_at_initial_states_that_are_related() -> None:
    assert failed(goal(), show(2)) == "concrete initial state"
    start = show(0)
    assert failed(goal(), replace(start, abstract=at("q0", A, 1))) == "start"
    assert failed(goal(), replace(start, abstract=at("q0", A, -1))) == "abstract initial state"
    assert failed(goal(), replace(start, abstract=at("q1", A, 0))) == "abstract initial state"


def test_a_state_is_a_state() -> None:
    start = show(0)
    for wrong in (at("p9", C, 0), Configuration("p0", {}), at("p0", C, False), Configuration("p0", {C: 0, A: 0})):
        assert failed(goal(), replace(start, concrete=wrong)) == "concrete initial state"


def test_a_step_is_possible() -> None:
    start = show(0)
    assert isinstance(start.move, Step)
    good = start.move.move
    other = edge("p0 p1", Label("out", (number(7),)))
    for wrong in (
        replace(good, edge=other),
        replace(good, after=at("p1", C, 1)),
        replace(good, after=at("p0", C, 0)),
        replace(good, choices={C: 1}),
    ):
        assert failed(goal(), replace(start, move=replace(start.move, move=wrong))) == "component step"


def test_an_answer_that_breaks_the_relation_is_lost() -> None:
    spoils = abstract(edge("q0 q1", Label("out", (A,)), TRUE, ((A, number(5)),)), guard=lt(A, number(0)))
    assert failed(goal(other=spoils), show(0)) == ""
    end = at("q1", A, 5)
    broken = Broken(SAME, at("p1", C, 0), end)
    listed = Reply((Move(spoils.edges[1], {}, end),), broken)
    assert failed(goal(other=spoils), show(0, listed)) == ""
    assert failed(goal(other=spoils), show(0, replace(listed, then=replace(broken, formula=formula(TRUE))))) == "broken"
    assert failed(goal(other=spoils), show(0, replace(listed, moves=()))) == "answer"


def test_what_holds_is_not_broken() -> None:
    end = at("q1", A, 0)
    reply = Reply((Move(abstract().edges[0], {}, end),), Broken(SAME, at("p1", C, 0), end))
    assert failed(goal(), show(0, reply)) == "broken"


def test_answers_through_silent_cycles_are_all_there_are() -> None:
    around = (edge("q0 q1", None), edge("q1 q0", None))
    assert failed(goal(other=abstract(*around, guard=lt(A, number(0)))), show(0)) == ""
    way_out = edge("q1 q1", Label("out", (A,)))
    assert failed(goal(other=abstract(*around, way_out, guard=lt(A, number(0)))), show(0)) == "all answers"


def test_an_answer_behind_one_that_is_won_may_be_left_out() -> None:
    """Both sides show `x` and go on silently; then the concrete side alone shows it again."""
    twice = (edge("p0 p1", Label("out", (C,))), edge("p1 p2", Label("out", (C,))))
    first = automaton("Concrete", shared(C), "p0 p1 p2", eq(primed(C), C), eq(C, number(0)), twice)
    second = abstract(edge("q1 q1", None, lt(A, number(1)), ((A, add(A, number(1))),)), guard=TRUE)
    closed = replace(goal(first, second), closed=True, iota=())
    last = Position(at("p1", C, 0), at("q1", A, 0), Step(Move(twice[1], {}, at("p2", C, 0)), (), (), ENUMERATED))
    reply = Reply((Move(second.edges[0], {}, at("q1", A, 0)),), last)

    def shown(how: Exhausted, *replies: Reply) -> Position:
        return Position(at("p0", C, 0), at("q0", A, 0), Step(Move(twice[0], {}, at("p1", C, 0)), replies, (), how))

    assert failed(closed, shown(ENUMERATED, reply)) == "all answers"
    assert failed(closed, shown(Exhausted.UP_TO_WAITING, reply)) == ""
    assert failed(closed, shown(Exhausted.UP_TO_WAITING)) == "all answers"
    assert failed(replace(closed, closed=False), shown(Exhausted.UP_TO_WAITING, reply)) == "all answers"
    # What breaks ι is lost for another reason, and says nothing of what comes behind it.
    above = formula(lt(C, A))
    late = Reply((Move(second.edges[0], {}, at("q1", A, 0)),), Broken(above, at("p1", C, 0), at("q1", A, 0)))
    assert failed(replace(closed, iota=(above,)), shown(Exhausted.UP_TO_WAITING, late)) == "all answers"


def test_answers_without_end_are_not_enumerated() -> None:
    counts = edge("q0 q0", None, TRUE, ((A, add(A, number(1))),))
    assert failed(goal(other=abstract(counts, guard=lt(A, number(0)))), show(0)) == "enumeration"


def test_a_play_in_a_circle_proves_nothing() -> None:
    stays = concrete().edges[0]
    loops = replace(concrete(), edges=(replace(stays, target="p0"),))
    again = replace(abstract().edges[0], target="q0")
    answers = replace(abstract(), edges=(again,))
    replies: list[Reply] = []
    step = Step(Move(loops.edges[0], {}, at("p0", C, 0)), replies, (), ENUMERATED)  # type: ignore[arg-type]
    start = Position(at("p0", C, 0), at("q0", A, 0), step)
    replies.append(Reply((Move(again, {}, at("q0", A, 0)),), start))
    assert failed(goal(loops, answers), start) == "end"


def test_a_play_may_be_deep_and_its_positions_shared() -> None:
    loops = replace(concrete(), edges=(*concrete().edges, edge("p0 p0", None)))
    still = abstract(guard=lt(A, number(0)))
    here = show(0)
    step = Step(Move(loops.edges[1], {}, at("p0", C, 0)), (), (), ENUMERATED)
    for _ in range(5_000):
        here = replace(here, move=replace(step, replies=(Reply((), here), Reply((), here))))
    assert failed(goal(loops, still), here) == ""


def picks(choice: Variable, guard: Term = TRUE, shown: Term = A) -> Automaton:
    """Silently sets `x` to anything, again and again, and shows it doubled."""
    edges = (
        edge("q0 q0", None, guard, ((A, choice.var),), (choice,)),
        edge("q0 q1", Label("out", (shown,)), TRUE, ((A, number(0)),)),
    )
    return automaton("Abstract", shared(A), "q0 q1", BY_ONE, le(number(0), A), edges)


ANYTHING = Variable(P, Kind.LOCAL)


def shows(value: int) -> Automaton:
    first = edge("p0 p1", Label("out", (number(value),)))
    return automaton("Concrete", shared(C), "p0 p1", BY_TWO, eq(C, number(0)), (first,))


@pytest.mark.parametrize(("value", "fault"), [(3, ""), (4, "all answers")])
def test_infinitely_many_answers_are_excluded_by_the_solver(value: int, fault: str) -> None:
    even = picks(ANYTHING, shown=mul(number(2), A))
    start = show(0, exhausted=SOLVER)
    assert isinstance(start.move, Step)
    move = replace(start.move, move=replace(start.move.move, edge=shows(value).edges[0]))
    assert failed(goal(shows(value), even), replace(start, move=move)) == fault


def test_infinitely_many_answers_cannot_be_enumerated() -> None:
    even = picks(ANYTHING, shown=mul(number(2), A))
    start = show(0)
    assert isinstance(start.move, Step)
    move = replace(start.move, move=replace(start.move.move, edge=shows(3).edges[0]))
    assert failed(goal(shows(3), even), replace(start, move=move)) == "enumeration"


def test_a_choice_beyond_its_range_is_no_answer() -> None:
    few = Variable(P, Kind.LOCAL, 0, 3)
    for value, fault in ((3, "all answers"), (4, "")):
        start = show(0)
        assert isinstance(start.move, Step)
        move = replace(start.move, move=replace(start.move.move, edge=shows(value).edges[0]))
        for how in (ENUMERATED, SOLVER):
            play = replace(start, move=replace(move, exhausted=how))
            assert failed(goal(shows(value), picks(few)), play) == fault


def unmatched(closure: Term, how: Exhausted = SOLVER, to: int = 2) -> Position:
    return Position(at("p0", C, 0), at("q0", A, 0), Unmatched(at("p0", C, to), closure, how))


def test_an_environment_step_that_cannot_be_matched_wins() -> None:
    down = goal(other=abstract(relation=le(primed(A), A)))
    assert failed(down, unmatched(le(primed(A), A))) == ""
    assert failed(down, unmatched(le(primed(A), A), ENUMERATED)) == ""
    assert failed(down, unmatched(le(primed(A), A), to=0)) == "unmatched"
    assert failed(down, unmatched(le(primed(A), A), to=1)) == "concrete environment step"
    assert failed(down, unmatched(TRUE)) == "unmatched"


def test_a_match_is_excluded_by_a_true_closure_only() -> None:
    up = goal()
    assert failed(up, unmatched(eq(primed(A), A))) == "closure contains the environment"
    assert failed(up, unmatched(env(A, 1))) == "closure is transitive"
    assert failed(up, unmatched(le(A, primed(A)))) == "unmatched"
    assert failed(up, unmatched(eq(primed(C), C))) == "unmatched"


def test_a_closed_goal_needs_no_match() -> None:
    down = goal(other=abstract(relation=le(primed(A), A)))
    assert failed(replace(down, closed=True), unmatched(le(primed(A), A))) == "unmatched"


@pytest.mark.parametrize("how", [ENUMERATED, SOLVER])
def test_an_initial_state_without_partner_wins(how: Exhausted) -> None:
    above = replace(abstract(), init=lt(number(0), A))
    assert failed(goal(other=above), Uncovered(at("p0", C, 0), how)) == ""
    assert failed(goal(), Uncovered(at("p0", C, 0), how)) == "initial coverage"
    assert failed(goal(other=above), Uncovered(at("p0", C, 1), how)) == "concrete initial state"


def test_partners_without_number_are_excluded_by_the_solver() -> None:
    loose = replace(goal(other=replace(abstract(), init=lt(A, number(-5)))), kappa=(formula(lt(C, A)),))
    assert failed(loose, Uncovered(at("p0", C, 0), SOLVER)) == ""
    assert failed(loose, Uncovered(at("p0", C, 0), ENUMERATED)) == "enumeration"


def test_initial_states_that_violate_the_relation_win() -> None:
    loose = replace(goal(), kappa=())
    broken = Broken(SAME, at("p0", C, 0), at("q0", A, 3))
    assert failed(loose, BrokenAtStart(broken)) == ""
    assert failed(goal(), BrokenAtStart(broken)) == "start"
    assert failed(loose, BrokenAtStart(replace(broken, abstract=at("q0", A, 0)))) == "broken"
    assert failed(replace(loose, choose_init=True), BrokenAtStart(broken)) == "start"


def test_where_the_abstract_side_chooses_all_its_choices_lose() -> None:
    deaf = replace(goal(other=abstract(guard=lt(A, number(0)))), kappa=(), choose_init=True)
    assert failed(deaf, Chosen(at("p0", C, 0), (show(0),), SOLVER)) == ""
    assert failed(deaf, Chosen(at("p0", C, 0), (), SOLVER)) == "all openings"
    assert failed(deaf, show(0)) == "start"
    assert failed(replace(deaf, choose_init=False), Chosen(at("p0", C, 0), (show(0),), SOLVER)) == "start"
    hears = replace(deaf, abstract=abstract())
    assert failed(hears, Chosen(at("p0", C, 0), (show(0),), SOLVER)) == "all answers"


def test_what_has_no_value_is_not_evidence() -> None:
    f = Function("f", (INT,), BOOL)
    secret = goal(other=abstract(guard=call(f, (A,))))
    assert failed(secret, show(0)) == "evaluation"


def test_a_goal_that_is_none_is_not_refuted() -> None:
    wild = replace(goal(), iota=(formula(eq(primed(C), A)),))
    assert failed(wild, show(0)) == "well-formed goal"


def test_what_is_no_move_is_not_passed_over() -> None:
    with pytest.raises(AssertionError):
        check(goal(), replace(show(0), move=None), Limits())  # type: ignore[arg-type]
    with pytest.raises(AssertionError):
        check(goal(), None, Limits())  # type: ignore[arg-type]
