"""The product encoding: one step of any thread after the other, as a comparison for runs in rounds (`bench.bounded`).

Where a thread is is a number; one of all steps of all threads may be taken at each moment, and nothing is known of
their order. Numbers are bits of some width, as in the engine.
"""

from __future__ import annotations

from sa.base.limits import LimitReached, Limits
from sa.explicit.system import Act, System
from sa.smt.bitblast import Circuit, Model, Signal
from sa.smt.view import View
from sa.smt.words import Bit, Word
from sa.terms.sort import INT
from sa.terms.term import Var


def steps_needed(s: System, most: int, width: int, bounds: Limits) -> tuple[int | None, int, int]:
    """After how many steps something bad is reached, if so; the steps that were looked at, and the clauses for them."""
    c = Circuit(bounds, bits=True)
    now: dict[Var, Signal] = {q: c.words.constant(place) for q, place in zip(s.counters, s.start, strict=True)}
    for v in s.variables.values():
        span = (v.low, v.high) if v.low is not None and v.high is not None else (-(2**width), 2**width - 1)
        now[v.var] = c.fresh(v.var.key, v.var.sort, *(span if v.var.sort == INT else (None, None)))
    c.require(View(c, now).bit(s.init))
    acts = [(i, place, act) for i, places in enumerate(s.acts) for place, here in enumerate(places) for act in here]
    done = 0
    try:
        for done in range(most + 1):
            if isinstance(c.check(_bad(c, s, now, acts)), Model):
                return done, done, c.required
            _step(c, s, now, acts, width)
    except LimitReached:
        pass
    return None, done, c.required


def _bad(c: Circuit, s: System, now: dict[Var, Signal], acts: list[tuple[int, int, Act]]) -> Bit:
    found = [c.no(View(c, now).bit(claim)) for claim in s.claims if claim is not None]
    for i, place, act in acts:
        if act.bads:
            seen = View(c, {**now, **_choices(c, act, 8)})
            found.append(c.every((_is_at(c, s, now, i, place), seen.bit(act.condition))))
    return c.some(found)


def _is_at(c: Circuit, s: System, now: dict[Var, Signal], thread: int, place: int) -> Bit:
    here = now[s.counters[thread]]
    assert isinstance(here, Word)
    return c.equal(here, c.words.constant(place))


def _choices(c: Circuit, act: Act, width: int) -> dict[Var, Signal]:
    found = dict[Var, Signal]()
    for v in act.choices:
        low, high = (-(2**width) if v.low is None else v.low), (2**width - 1 if v.high is None else v.high)
        found[v.var] = c.fresh(v.var.key, v.var.sort, *((low, high) if v.var.sort == INT else (None, None)))
    return found


def _step(c: Circuit, s: System, now: dict[Var, Signal], acts: list[tuple[int, int, Act]], width: int) -> None:
    """One step of any thread, or none."""
    taken, before, bits = dict(now), dict(now), list[Bit]()
    for i, place, act in acts:
        if act.bads:
            continue
        bit = c.fresh_bit("taken")
        seen = View(c, {**before, **_choices(c, act, width)})
        c.require(c.no(bit), _is_at(c, s, before, i, place))
        c.require(c.no(bit), seen.bit(act.condition))
        for other in bits:
            c.require(c.no(bit), c.no(other))
        bits.append(bit)
        for v, term in act.updates.items():
            value = seen.signal(term)
            if isinstance(value, Word):
                declared = s.variables[v]
                low, high = declared.low, declared.high
                bounded = (low, high) if low is not None and high is not None else (-(2**width), 2**width - 1)
                value, fits = c.narrow(value, *bounded) if v.sort == INT else (value, True)
                c.require(c.no(bit), fits)
            taken[v] = c.choose(bit, value, taken[v])
        taken[s.counters[i]] = c.choose(bit, c.words.constant(act.arc.target), taken[s.counters[i]])
    now.update(taken)
