"""Which answer to try first. A good guess saves work; a bad one costs work, never soundness.

What wins for good is the best guess, then an abstract edge that is the same statement as the concrete one, then
staying.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Edge, Origin, edges_from, innermost, mover
from sa.certificates.goal import Goal
from sa.game.board import Board, Side
from sa.game.choices import asked_for
from sa.game.rounds import Challenge, Round
from sa.game.runs import Choice, Run, changes_links, extend, may_follow, start
from sa.terms import build
from sa.terms.evaluate import State, evaluate
from sa.terms.name import off_side
from sa.terms.substitute import substitute, unsided
from sa.terms.term import Term, Var

#: What makes two edges the same statement on different sides.
Shape: TypeAlias = tuple[str | None, tuple[Term, ...]]


def shape_of(edge: Edge) -> Shape:
    """Label, guard and updates with the side's prefix taken off the names."""
    terms = [edge.guard, *(t for pair in edge.updates for t in pair)]
    if edge.label is not None:
        terms.extend(edge.label.values)
    names = {v: unsided(v) for t in terms for v in t.free}
    action = None if edge.label is None else edge.label.action
    return action, tuple(substitute(t, names) for t in terms)


class Preference(Struct, frozen=True):
    """How answers on a board are preferred: to `winning` locations first; `late` ones stay as long as they may."""

    board: Board
    winning: frozenset[str]
    late: bool
    _shapes: dict[int, Shape] = field(default_factory=dict)
    _silent: dict[tuple[str, tuple[int, ...]], Run] = field(default_factory=dict)

    def alike(self, one: Edge, other: Edge) -> bool:
        """Whether edges of the board are the same statement."""
        return self._shape(one) == self._shape(other)

    def silent(self, begin: str, run: Run, number: int, edge: Edge) -> Run:
        """A run without choices or turns from a location, and an edge of that kind: the same for all steps."""
        key = begin, (*run.edges, number)
        found = self._silent.get(key)
        if found is None:
            found = self._silent[key] = extend(self.board, run, number, edge, (), None)[1]
        return found

    def _shape(self, edge: Edge) -> Shape:
        # By identity: the board keeps its edges, and comparing them takes longer than making their shapes.
        found = self._shapes.get(id(edge))
        if found is None:
            found = self._shapes[id(edge)] = shape_of(edge)
        return found


def preference(board: Board, late: bool) -> Preference:
    """The preference for answers on a board."""
    return Preference(board, answering_all(board.goal), late)


def answering_all(goal: Goal) -> frozenset[str]:
    """Abstract locations that every concrete action leaves as they are: who is there has won."""
    asked = {(e.label.action, len(e.label.values)) for e in goal.concrete.edges if e.label is not None}

    def answers(edge: Edge) -> bool:
        chosen = {c.var for c in edge.choices if c.low is None and c.high is None}
        free = edge.label is not None and set(edge.label.values) <= chosen and len(chosen) == len(edge.label.values)
        return free and edge.target == edge.source and edge.guard is build.TRUE and not edge.updates

    return frozenset(
        place
        for place, edges in edges_from(goal.abstract).items()
        if edges and asked <= {(e.label.action, len(e.label.values)) for e in edges if e.label and answers(e)}
    )


def proposals(liking: Preference, step: Challenge, location: str, solved: Mapping[Var, Term]) -> Iterator[Run]:
    """Answers worth trying before the solver has shown a state that needs one; `solved` are the facts there."""
    board = liking.board
    stay = start(board, location)
    if (won := _won(liking, step, stay, solved)) is not None:
        yield won
        return
    if liking.late and step.label is None and not _touches_links(board, step.edge):
        yield stay
        return
    run = _ahead(liking, step, stay, solved)
    if run is not None:
        yield run
    elif step.label is not None or _touches_links(board, step.edge):
        yield from _behind_tests(liking, step, stay, solved)
    elif not _touches_namesakes(board, step.edge):
        yield stay


def _won(liking: Preference, step: Challenge, stay: Run, solved: Mapping[Var, Term]) -> Run | None:
    """The run of one silent step to a winning location, if what it asks for is asked of the concrete step, too."""
    board, winning = liking.board, liking.winning
    known = set(build.conjuncts(substitute(step.edge.guard, solved)))
    for number, edge in board.abstract.edges[stay.location] if step.label is None else ():
        if edge.target in winning and edge.target != stay.location and edge.label is None and not edge.choices:
            run = liking.silent(stay.location, stay, number, edge)
            wanted = build.conjuncts(substitute(edge.guard, solved))
            if all(c in known or c is build.TRUE for c in wanted):
                return run
    return None


def _ahead(liking: Preference, step: Challenge, stay: Run, solved: Mapping[Var, Term]) -> Run | None:
    """The run to the same statement, past at most a few that only the abstract thread can see."""
    board, run = liking.board, stay
    thread = _mover(board.concrete, step.edge)
    for _ in range(LOOK_AHEAD):
        edges = board.abstract.edges[run.location]
        # Those of the same thread are preferred, so the others are seldom looked at.
        own = [numbered for numbered in edges if _mover(board.abstract, numbered[1]) == thread]
        for some in (own, [numbered for numbered in edges if numbered not in own]):
            same = ((e, m) for n, e in some if (m := _matching(liking, step, stay, run, n, e, solved)) is not None)
            found = min(same, key=lambda pair: _strangeness(board, step, pair[0]), default=None)
            if found is not None:
                return found[1]
        if len(edges) != 1 or not _private(board, edges[0][1]):
            return None
        run = liking.silent(stay.location, run, *edges[0])
    return None


def _behind_tests(liking: Preference, step: Challenge, stay: Run, solved: Mapping[Var, Term]) -> Iterator[Run]:
    """The shortest runs to the same statement past tests: one of them is right where its tests succeed."""
    board, pending, explored, found = liking.board, [stay], 0, set[Origin]()
    while pending and explored < TESTS_PASSED:
        run = pending.pop(0)
        explored += 1
        here = board.abstract.edges[run.location]
        for number, edge in sorted(here, key=lambda pair: _strangeness(board, step, pair[1])):
            longer = _matching(liking, step, stay, run, number, edge, solved)
            if longer is not None:
                # The same statement again, in other words after a step of another thread, is no new answer.
                if innermost(edge.origin) not in found:
                    yield longer
                found.add(innermost(edge.origin))
            elif edge.label is None and not edge.choices and not changes_links(board, edge):
                pending.append(liking.silent(stay.location, run, number, edge))


def _matching(
    liking: Preference, step: Challenge, stay: Run, run: Run, number: int, edge: Edge, solved: Mapping[Var, Term]
) -> Run | None:
    """The run with an edge that is the same statement as the step, None if it is not."""
    if not may_follow(edge, step.label, run) or (edge.label is None) != (step.label is None):
        return None
    choice = _chosen(step, edge)
    if choice is None:
        return None
    if edge.label is None and not choice:
        longer = liking.silent(stay.location, run, number, edge)
    else:
        longer = extend(liking.board, run, number, edge, choice, step.label)[1]
    same = liking.alike(edge, step.edge) or _same_effect(liking.board, step, edge, run, longer, solved)
    return longer if same else None


def _chosen(step: Challenge, edge: Edge) -> Choice | None:
    """Values for an edge's choices: what the step's label asks for, or those of the step's, where there are as many."""
    asked = {} if step.label is None else asked_for(edge, step.label)
    if len(edge.choices) == len(step.edge.choices):
        asked = {mine.var: theirs for mine, theirs in zip(edge.choices, step.choices, strict=True)} | asked
    if any(mine.var not in asked for mine in edge.choices):
        return None
    return tuple((mine.var, asked[mine.var]) for mine in edge.choices)


def _strangeness(board: Board, step: Challenge, edge: Edge) -> tuple[bool, bool]:
    """How an edge that is the same statement may still differ from the step: another thread, another branch."""
    thread, branch = _place(board.concrete, step.edge)
    other, further = _place(board.abstract, edge)
    return thread != other, branch != further


def _place(side: Side, edge: Edge) -> tuple[int | None, int]:
    """Whose step an edge is, and how many there are before it that this thread could make in its stead."""
    thread = _mover(side, edge)
    alike = (
        e
        for _, e in side.edges[edge.source]
        if e.guard is edge.guard and e.updates == edge.updates and e.label == edge.label and _mover(side, e) == thread
    )
    return thread, next(n for n, e in enumerate(alike) if e is edge)


def _mover(side: Side, edge: Edge) -> int | None:
    """Whose step an edge is; None where it is that of nobody or of several."""
    return mover(side.locations[edge.source], side.locations[edge.target])


def _same_effect(
    board: Board, step: Challenge, edge: Edge, before: Run, after: Run, solved: Mapping[Var, Term]
) -> bool:
    """Whether the facts make the two statements the same: equal tests, equal variables given equal values.

    Behind equal tests it is enough to write the same where both write, or that the facts hold again: one of two
    counters may be ahead.
    """
    kept = build.conjuncts(substitute(board.abstract.locations[edge.target].inv, after.values))
    test = substitute(build.land(*(c for c in after.condition[len(before.condition) :] if c not in kept)), solved)
    asked = substitute(step.edge.guard, solved)
    if test is not build.TRUE and test is not asked:
        return False
    if not edge.updates and not step.edge.updates:
        # What is shown is the same, or there is a test of it.
        return edge.label is not None or test is not build.TRUE
    mine = {_plain(v): substitute(after.values[v], solved) for v, _ in edge.updates}
    theirs = {_plain(v): substitute(t, solved) for v, t in step.edge.updates}
    if mine == theirs:
        return True
    if len(board.concrete.locations[step.edge.source].parts) > 1:
        return False
    if test is asked and edge.label is None and _computes_alike(mine.values(), theirs.values(), test):
        return True
    if test is build.TRUE:
        # Without a test the other side may write something beside, but not less.
        return asked is build.TRUE and theirs.keys() <= mine.keys() and _writes_alike(edge, step.edge)
    return _writes_alike(edge, step.edge) or _keeps(step, after, solved)


def _computes_alike(mine: Collection[Term], theirs: Collection[Term], test: Term) -> bool:
    """Whether what is computed of theirs is some, and all of it among mine, whatever the variables are called.

    A copy is only computed behind a test.
    """
    computed = {t for t in theirs if t.free and (test is not build.TRUE or not isinstance(t, Var))}
    return bool(computed) and computed <= set(mine)


def _writes_alike(one: Edge, other: Edge) -> bool:
    """Whether variables that both edges write get the same value in the same words; one of both may write nothing."""
    if not one.updates or not other.updates:
        return one.guard is not build.TRUE and other.guard is not build.TRUE
    names = {v: unsided(v) for edge in (one, other) for pair in edge.updates for t in pair for v in t.free}
    first, second = ({names[v]: substitute(t, names) for v, t in e.updates} for e in (one, other))
    both = first.keys() & second.keys()
    return bool(both) and all(first[v] is second[v] for v in both)


def _keeps(step: Challenge, run: Run, solved: Mapping[Var, Term]) -> bool:
    """Whether facts about what both sides change hold again after a step and its answer, and there is one."""
    ours = {v: t for v, t in run.values.items() if t is not v}
    later = {**ours, **step.after}
    facts = [(v, t) for v, t in solved.items() if {v, *t.free} & later.keys()]
    return any({v, *t.free} & ours.keys() and {v, *t.free} & step.after.keys() for v, t in facts) and all(
        substitute(substitute(v, later), solved) is substitute(substitute(t, later), solved) for v, t in facts
    )


#: How many private statements of the abstract thread a proposal passes, and how many runs it looks at past tests.
LOOK_AHEAD = 8
TESTS_PASSED = 24


def _private(board: Board, edge: Edge) -> bool:
    """Whether a step is always possible and nobody but its thread can tell."""
    plain = edge.label is None and edge.guard is build.TRUE and not edge.choices
    return plain and not any(v in board.links for v, _ in edge.updates)


def _touches_links(board: Board, edge: Edge) -> bool:
    """Whether a concrete step changes what ι speaks of."""
    watched = frozenset[Var]().union(*(t.free for t in board.links.values()), *(t.free for t in board.residual))
    return any(v in watched and t is not v for v, t in edge.updates)


def _touches_namesakes(board: Board, edge: Edge) -> bool:
    """Whether a concrete step changes a variable that the abstract thread has too."""
    theirs = frozenset(_plain(v) for v in (*board.abstract.globals, *board.abstract.locals))
    return any(_plain(v) in theirs and t is not v for v, t in edge.updates)


def _plain(var: Var) -> str:
    return off_side(var.name)


def best(liking: Preference, step: Challenge, answers: Mapping[Round, int], state: State) -> Round:
    """The answer to prefer among good ones, of each of which is known how many ties between the sides it loses.

    To win for good comes first, then ending in the same statement, of the same thread and branch if there are several,
    then losing few ties, then making no turns of cycles, then passing few tests, then leaving few variables different
    that have the same name on both sides, then being short. Where answers come late the shortest is preferred.
    """
    if liking.late:
        return min(answers, key=lambda a: (len(a.run.turns) + len(a.run.edges), a.run.edges))
    board, winning = liking.board, liking.winning
    edges = board.abstract.automaton.edges
    after = {
        _plain(v): evaluate(step.after.get(v, v), state) for v in (*board.concrete.globals, *board.concrete.locals)
    }

    def rank(answer: Round) -> tuple[bool, bool, tuple[bool, bool], int, int, int, int, int, tuple[int, ...]]:
        run = answer.run
        path = [edges[n] for n in run.edges]
        same = bool(path) and liking.alike(path[-1], step.edge) and all(_private(board, e) for e in path[:-1])
        strange = _strangeness(board, step, path[-1]) if same else (True, True)
        tests = sum(e.guard is not build.TRUE for e in (path[:-1] if same else path))
        pairs = ((after.get(_plain(v)), evaluate(t, state)) for v, t in run.values.items())
        apart = sum(mine is not None and mine != theirs for mine, theirs in pairs)
        return (
            run.location not in winning,
            not same,
            strange,
            answers[answer],
            len(run.turns),
            tests,
            apart,
            len(path),
            run.edges,
        )

    return min(answers, key=rank)
