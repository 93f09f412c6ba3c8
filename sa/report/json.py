"""The same as the terminal shows, and all of the play, as JSON with stable keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sa.automata.automaton import Automaton, Origin
from sa.automata.program import Formula
from sa.automata.trace import Configuration, Move
from sa.base.diagnostic import Diagnostic
from sa.base.source import Span, position
from sa.base.verdict import EXIT_INTERNAL, EXIT_STATUS, Unknown, Verdict
from sa.certificates.goal import Goal
from sa.certificates.play import (
    Broken,
    BrokenAtStart,
    Chosen,
    Drift,
    Play,
    Position,
    Refusal,
    Reply,
    SpoilerMove,
    Step,
    Uncovered,
    Unmatched,
)
from sa.certificates.shape import plain
from sa.engines.outcome import Outcome, Result
from sa.report.explain import Why, action, bare, refused
from sa.report.story import Event, story
from sa.report.terminal import domain
from sa.terms.build import FALSE
from sa.terms.printer import show
from sa.terms.sort import Value
from sa.terms.term import Var

Json = dict[str, Any]

OUTCOME_FORMAT = "sacheck-outcome/1"
STOPPED_FORMAT = "sacheck-stopped/1"
DIAGNOSTICS_FORMAT = "sacheck-diagnostics/1"


def diagnostics_json(diagnostics: Iterable[Diagnostic], status: int) -> Json:
    """Diagnostics and the exit status of the command that found them."""
    return {"format": DIAGNOSTICS_FORMAT, "status": status, "diagnostics": [diagnostic_json(d) for d in diagnostics]}


def diagnostic_json(diagnostic: Diagnostic) -> Json:
    """One diagnostic."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "span": span_json(diagnostic.span),
        "labels": [{"span": span_json(label.span), "text": label.text} for label in diagnostic.labels],
        "hint": diagnostic.hint,
    }


def span_json(span: Span | None) -> Json | None:
    """A place: lines and columns from 1, the end exclusive."""
    if span is None:
        return None
    start, end = position(span.source, span.start), position(span.source, span.end)
    return {
        "file": span.source.name,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    }


def outcomes_json(
    outcomes: Sequence[Outcome], unknown: Unknown | None, noticed: Iterable[Diagnostic], status: int
) -> Json:
    """The answers of one `refine`; `unknown` says why there are no more of them, `noticed` is about the files."""
    verdicts = [o.verdict for o in outcomes] + ([Verdict.UNKNOWN] if unknown else [])
    worst = next((v for v in (Verdict.REFUTED, Verdict.UNKNOWN) if v in verdicts), Verdict.PROVED)
    return {
        "format": OUTCOME_FORMAT,
        "verdict": worst.value,
        "status": status,
        "outcomes": [_outcome(o) for o in outcomes],
        "unknown": unknown_json(unknown),
        "warnings": [diagnostic_json(d) for d in noticed],
    }


def stopped_json(unknown: Unknown) -> Json:
    """A command without an answer."""
    return {
        "format": STOPPED_FORMAT,
        "verdict": Verdict.UNKNOWN.value,
        "status": EXIT_STATUS[Verdict.UNKNOWN],
        "unknown": unknown_json(unknown),
    }


def internal_error_json(what: str) -> Json:
    """A bug of sacheck."""
    return {"format": STOPPED_FORMAT, "verdict": None, "status": EXIT_INTERNAL, "internal_error": what}


def unknown_json(unknown: Unknown | None) -> Json | None:
    """Why there is no answer; None where there is one."""
    return {"reason": unknown.reason.name.lower(), "detail": unknown.detail} if unknown else None


def _outcome(outcome: Outcome) -> Json:
    return {
        "name": outcome.name,
        "verdict": outcome.verdict.value,
        "expected": outcome.expected.value if outcome.expected else None,
        "claim": outcome.claim,
        "goals": [result_json(r) for r in outcome.results],
        "composed": outcome.composition is not None,
        "environments": [
            {"thread": i.thread, "concrete": show(i.concrete), "abstract": show(i.abstract)} for i in outcome.inferred
        ],
        "notes": list(outcome.notes),
        "warnings": [diagnostic_json(d) for d in outcome.warnings],
        "seconds": dict(outcome.seconds),
    }


def result_json(result: Result) -> Json:
    """The answer to one goal."""
    return {
        "name": result.goal.name,
        "concrete": result.goal.concrete.name,
        "abstract": result.goal.abstract.name,
        "verdict": result.verdict.value,
        "domain": domain(result.goal),
        "closed": result.goal.closed,
        "statistics": {
            "seconds": dict(result.statistics.seconds),
            "pairs": result.statistics.pairs,
            "lemmas": result.statistics.lemmas,
            "solver_calls": result.statistics.solver_calls,
            "strategy": result.statistics.strategy,
        },
        "unknown": unknown_json(result.unknown),
        "play": play_json(result.play, result.goal) if result.play else None,
        "escapes": result.escapes,
        "notes": list(result.notes),
    }


def play_json(play: Play, goal: Goal) -> Json:
    """A play: the main line as it is told to the user, and Spoiler's strategy as a flat list of positions.

    Positions refer to each other by index, since a strategy may be deeper than JSON readers like.
    """
    told = story(play, goal)
    return {
        "start": {"concrete": _state(told.concrete), "abstract": _state(told.abstract) if told.abstract else None},
        "steps": [
            {
                "concrete": _event(scene.concrete),
                "abstract": [_event(e) for e in scene.abstract],
                "answered": scene.answered,
                "other_answers": list(scene.others),
            }
            for scene in told.scenes
        ],
        "ending": {
            "text": told.ending.headline,
            "reasons": [_why(w) for w in told.ending.reasons],
            "checked_by_solver": told.ending.solver,
        },
        "identity_step": told.identity,
        "strategy": _strategy(play, goal),
    }


def _event(event: Event) -> Json:
    before, after = event.before.values, event.after.values
    changed = {v: after[v] for v in after if before.get(v) != after[v]}
    return {
        "kind": "step" if event.edge else "environment",
        "action": event.action,
        "place": origin_json(event.edge.origin) if event.edge else None,
        "changed": values_json(changed),
    }


def _why(why: Why) -> Json:
    return {"span": span_json(why.span), "place": why.place, "text": why.text, "values": list(why.values)}


def origin_json(origin: Origin) -> Json:
    """Where a declaration comes from."""
    return {"span": span_json(origin.span), "text": origin.text}


def _state(at: Configuration) -> Json:
    return {"location": at.location, "values": values_json(at.values)}


def values_json(values: Mapping[Var, Value]) -> Json:
    """Values by the names that their own side gives the variables."""
    return {bare(v): _value(v, values[v]) for v in sorted(values, key=lambda v: v.key)}


def _value(var: Var, value: Value) -> object:
    return plain(value, var.sort)


def _strategy(play: Play, goal: Goal) -> Json:
    positions = list[Position]()

    numbers = dict[int, int]()

    def number(position: Position) -> int:
        if id(position) not in numbers:
            numbers[id(position)] = len(positions)
            positions.append(position)
        return numbers[id(position)]

    def then(target: Position | Broken) -> Json:
        return {"position": number(target)} if isinstance(target, Position) else {"broken": _broken(target)}

    root: Json
    match play:
        case Position():
            root = {"kind": "position", **then(play)}
        case Uncovered(concrete, exhausted):
            root = {"kind": "uncovered", "concrete": _state(concrete), "exhausted": exhausted.value}
        case BrokenAtStart(broken):
            root = {"kind": "broken_at_start", **then(broken)}
        case Chosen(concrete, openings, exhausted):
            openings_json = [then(o) for o in openings]
            root = {"kind": "chosen", "concrete": _state(concrete), "openings": openings_json}
            root["exhausted"] = exhausted.value
    nodes = list[Json]()
    while len(nodes) < len(positions):  # `then` appends to `positions`
        here = positions[len(nodes)]
        nodes.append({"concrete": _state(here.concrete), "abstract": _state(here.abstract)})
        nodes[-1]["move"] = _spoiler(here, here.move, goal.abstract, then)
    return {**root, "positions": nodes}


def _spoiler(here: Position, move: SpoilerMove, abstract: Automaton, then: Any) -> Json:
    match move:
        case Drift(concrete, states, identity, target):
            after = {"concrete": _state(concrete), "abstract": [_state(s) for s in states]}
            return {"kind": "environment", **after, "identity": identity, "then": then(target)}
        case Unmatched(concrete, closure, exhausted):
            most = {"closure": show(closure), "exhausted": exhausted.value}
            return {"kind": "unmatched", "concrete": _state(concrete), **most}
        case Step(step, replies, refusals, exhausted, beyond):
            asked = action(step.edge.label, {**here.concrete.values, **step.choices})
            return {
                "kind": "step",
                "step": _move(step),
                "action": asked,
                "replies": [_reply(r, then) for r in replies],
                "refusals": [_refusal(r, abstract, asked) for r in refusals],
                "exhausted": exhausted.value,
                "beyond": None if beyond is FALSE else show(beyond),
            }


def _reply(reply: Reply, then: Any) -> Json:
    return {"moves": [_move(m) for m in reply.moves], "then": then(reply.then)}


def _refusal(refusal: Refusal, abstract: Automaton, asked: str | None) -> Json:
    why = refused(refusal, abstract, asked)
    return {"at": _state(refusal.at), "obstacle": refusal.obstacle.name.lower(), **_why(why)}


def _move(move: Move) -> Json:
    place = origin_json(move.edge.origin)
    return {"place": place, "choices": values_json(move.choices), "after": _state(move.after)}


def _broken(broken: Broken) -> Json:
    states = {"concrete": _state(broken.concrete), "abstract": _state(broken.abstract)}
    return {"formula": _formula(broken.formula), **states}


def _formula(formula: Formula) -> Json:
    return {"text": show(formula.term), "place": origin_json(formula.origin)}
