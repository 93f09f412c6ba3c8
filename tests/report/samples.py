"""Hand-made automata, goals and plays: what the reports are tested on."""

from __future__ import annotations

from sa.automata.automaton import Automaton, Edge, Kind, Label, Location, Origin, Variable
from sa.automata.program import Formula
from sa.automata.trace import Configuration, Move
from sa.base.source import Source, Span
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.goal import Goal
from sa.certificates.play import (
    Broken,
    BrokenAtStart,
    EnvironmentMove,
    Exhausted,
    Loss,
    Obstacle,
    Play,
    Position,
    Refusal,
    Reply,
    Step,
    Uncovered,
    Unmatched,
)
from sa.certificates.relation import Relation
from sa.engines.outcome import Outcome, Result, Statistics
from sa.terms import build

ABSTRACT = Source(
    "hoist/abs.sa",
    """\
global x : int;
param n : int;
thread Main {
  local t : int;
  local i : int = 0;
  while (i < n) {
    t := x + 1;
    @print(t) i := i + t;
  }
}
""",
)
CONCRETE = Source(
    "hoist/conc.sa",
    """\
global x : int;
param n : int;
thread Main {
  local t : int;
  local i : int = 0;
  t := x + 1;
  while (i < n) {
    @print(t) i := i + t;
  }
}
""",
)
N = build.variable("n")


def span(source: Source, text: str) -> Span:
    """The first occurrence of `text`."""
    start = source.text.index(text)
    return Span(source, start, start + len(text))


def _var(side: str, name: str) -> build.Var:
    return build.variable(f"{side}.{name}")


def _automaton(side: str, source: Source) -> Automaton:
    x, t, i = (_var(side, name) for name in "xti")
    same = build.eq(build.variable(f"{side}.x", primes=1), x)
    hoisted = side == "conc"

    def edge(
        start: str,
        end: str,
        text: str,
        guard: build.Term = build.TRUE,
        label: Label | None = None,
        **updates: build.Term,
    ) -> Edge:
        changed = tuple((_var(side, name), term) for name, term in updates.items())
        return Edge(start, end, label, guard, changed, (), Origin(span(source, text)))

    test, leave = build.lt(i, N), build.le(N, i)
    assign = {"t": build.add(x, build.ONE)}
    add = {"i": build.add(i, t)}
    if hoisted:
        edges = (
            edge("q0", "q1", "t := x + 1;", **assign),
            edge("q1", "q2", "i < n", test),
            edge("q1", "q3", "i < n", leave),
            edge("q2", "q1", "@print(t) i := i + t;", label=Label("print", (t,)), **add),
            edge("q3", "q4", "thread Main", label=Label("exit")),
        )
    else:
        edges = (
            edge("q0", "q1", "i < n", test),
            edge("q0", "q3", "i < n", leave),
            edge("q1", "q2", "t := x + 1;", **assign),
            edge("q2", "q0", "@print(t) i := i + t;", label=Label("print", (t,)), **add),
            edge("q3", "q4", "thread Main", label=Label("exit")),
        )
    locations = tuple(Location(f"q{k}", build.TRUE, same, Origin(span(source, "while"))) for k in range(5))
    variables = (
        Variable(x, Kind.GLOBAL),
        Variable(N, Kind.PARAM),
        Variable(t, Kind.LOCAL),
        Variable(i, Kind.LOCAL),
    )
    init = build.eq(i, build.ZERO)
    return Automaton("Main", variables, locations, "q0", init, edges, Origin(span(source, "thread Main")))


def goal(name: str = "Main refines Main") -> Goal:
    """Hoisting `t := x + 1` out of a loop."""
    equal = Formula(build.eq(_var("conc", "x"), _var("abs", "x")), Origin(span(CONCRETE, "x : int"), "x is related"))
    concrete, abstract = _automaton("conc", CONCRETE), _automaton("abs", ABSTRACT)
    return Goal(name, concrete, abstract, (equal,), (equal,), (), False, False, False)


def at(side: str, location: str, **values: int) -> Configuration:
    """A state with n = 5."""
    found: dict[build.Var, int] = {_var(side, name): value for name, value in values.items()}
    return Configuration(location, {N: 5, **found})


def _move(g: Goal, side: str, number: int, after: Configuration) -> Move:
    return Move((g.concrete if side == "conc" else g.abstract).edges[number], {}, after)


def escaping_play(g: Goal) -> Play:
    """x changes after the hoisted read: the concrete thread prints 1, the abstract one would print 3."""
    c0 = at("conc", "q0", x=0, t=0, i=0)
    a0 = at("abs", "q0", x=0, t=0, i=0)
    c1 = at("conc", "q1", x=0, t=1, i=0)
    c2, a2 = at("conc", "q1", x=2, t=1, i=0), at("abs", "q0", x=2, t=0, i=0)
    c3 = at("conc", "q2", x=2, t=1, i=0)
    a3 = at("abs", "q1", x=2, t=0, i=0)
    c4 = at("conc", "q1", x=2, t=1, i=1)
    a4 = at("abs", "q2", x=2, t=3, i=0)
    refusals = (
        Refusal(g.abstract.edges[1], a2, Obstacle.GUARD),
        Refusal(g.abstract.edges[4], a3, Obstacle.LABEL),
        Refusal(g.abstract.edges[3], a4, Obstacle.VALUE),
    )
    last = Position(c3, a3, Step(_move(g, "conc", 3, c4), (), refusals, Exhausted.ENUMERATED))
    broken = Broken(g.iota[0], c3, at("abs", "q1", x=9, t=0, i=0))
    replies = (
        Reply((), Position(c3, a2, Step(_move(g, "conc", 3, c4), (), refusals, Exhausted.ENUMERATED))),
        Reply((_move(g, "abs", 0, a3),), Position(c3, a3, EnvironmentMove(c3, (a3,), False, last))),
        Reply((_move(g, "abs", 0, a3), _move(g, "abs", 2, a4)), broken),
    )
    third = Position(c2, a2, Step(_move(g, "conc", 1, c3), replies, (), Exhausted.ENUMERATED))
    second = Position(c1, a0, EnvironmentMove(c2, (a2,), True, third))
    reply = Reply((), second)
    return Position(c0, a0, Step(_move(g, "conc", 0, c1), (reply,), (), Exhausted.ENUMERATED))


def unmatched_play() -> Play:
    """The concrete environment changes what the abstract one may not."""
    c0, a0 = at("conc", "q0", x=0, t=0, i=0), at("abs", "q0", x=0, t=0, i=0)
    still = build.eq(build.variable("abs.x", primes=1), _var("abs", "x"))
    return Position(c0, a0, Unmatched(at("conc", "q0", x=7, t=0, i=0), still, Exhausted.SOLVER))


def uncovered_play() -> Play:
    """A concrete initial state without a partner."""
    return Uncovered(at("conc", "q0", x=-1, t=0, i=0), Exhausted.SOLVER)


def broken_start(g: Goal) -> Play:
    """Initial states that κ relates and ι does not."""
    return BrokenAtStart(Broken(g.iota[0], at("conc", "q0", x=1, t=0, i=0), at("abs", "q0", x=2, t=0, i=0)))


def result(g: Goal, answer: Play | Unknown | Relation, loss: Loss | None = None, pairs: int = 12) -> Result:
    """A result with some statistics."""
    statistics = Statistics({"simulate": 0.18, "check": 0.03}, pairs, 9, 31, "lemmas")
    match answer:
        case Relation():
            return Result(g, Verdict.PROVED, answer, None, None, statistics, None)
        case Unknown():
            return Result(g, Verdict.UNKNOWN, None, None, answer, statistics, None)
        case _:
            return Result(g, Verdict.REFUTED, None, answer, None, statistics, loss)


def outcome(verdict: Verdict, *results: Result, expected: Verdict | None = None) -> Outcome:
    """The results under one name."""
    claim = "Every run of the concrete threads has an abstract run with the same visible actions."
    seconds = {"load": 0.1, "simulate": 0.18, "check": 0.03}
    return Outcome("hoist/conc.sa refines hoist/abs.sa", verdict, claim, results, (), expected, seconds)


def outcomes() -> dict[str, Outcome]:
    """One outcome of each kind, by name."""
    g = goal()
    proved = Relation((), (), (), ())
    stuck = Unknown(Reason.TIMEOUT, "14 pairs were explored, the last at conc.sa:8")
    two = goal("Second refines Second")
    return {
        "proved": outcome(Verdict.PROVED, result(g, proved), result(two, proved, pairs=1)),
        "escapes": outcome(Verdict.REFUTED, result(g, escaping_play(g), Loss.BEHAVIOUR), result(two, proved)),
        "unmatched": outcome(Verdict.REFUTED, result(g, unmatched_play(), Loss.FORESIGHT), expected=Verdict.PROVED),
        "uncovered": outcome(Verdict.REFUTED, result(g, uncovered_play())),
        "broken_start": outcome(Verdict.REFUTED, result(g, broken_start(g))),
        "unknown": outcome(Verdict.UNKNOWN, result(g, stuck), result(two, proved)),
    }
