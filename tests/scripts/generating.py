"""Algorithm 1 on sets, repaired as THEORY section 5 says, and each repair undone on request (Theorem 6)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from tests.scripts.finite import Automaton, Mask, bits, full, shared_part, widened


class Repairs(Struct, frozen=True):
    """What the printed algorithm lacks; and whether sets are kept as intervals of valuations (a coarse domain)."""

    start: bool = True
    resets_what_it_fills: bool = True
    waits_for_environments: bool = True
    reflexive: bool = True
    intervals: bool = False


Environment = list[Mask]


def generate(threads: Sequence[Automaton], repairs: Repairs) -> tuple[Automaton, ...]:
    """The threads with invariants and environments: one environment per thread, the same at all locations."""
    invs = [[0] * len(t.inv) for t in threads]
    envs: list[Environment] = [[0] * t.shared for t in threads]
    if repairs.start:
        for t, inv in zip(threads, invs, strict=True):
            inv[0] = _kept(t.init, repairs)
    while True:
        before = [list(inv) for inv in invs], [list(env) for env in envs]
        for t, inv, env in zip(threads, invs, envs, strict=True):
            _reach(t, inv, env, repairs)
        for i in range(len(threads)):
            _fill(i, threads, invs, envs, repairs)
        stable = before[0] == invs, before[1] == envs
        if stable[0] and (stable[1] or not repairs.waits_for_environments):
            break
    return tuple(_finished(t, inv, env, repairs) for t, inv, env in zip(threads, invs, envs, strict=True))


def _kept(valuations: Mask, repairs: Repairs) -> Mask:
    """The set as the domain keeps it."""
    if not valuations or not repairs.intervals:
        return valuations
    low = (valuations & -valuations).bit_length() - 1
    return full(valuations.bit_length()) & ~full(low)


def _reach(t: Automaton, inv: list[Mask], env: Environment, repairs: Repairs) -> None:
    """Adds what component and environment steps lead to."""
    changed = True
    while changed:
        before = list(inv)
        for e in t.edges:
            for v in bits(inv[e.source]):
                inv[e.target] |= e.targets[v]
        for q, mask in enumerate(inv):
            moved = mask
            for v in bits(mask):
                moved |= widened(env[v // t.own], t.own) << (v % t.own)
            inv[q] = _kept(moved, repairs)
        changed = inv != before


def _fill(i: int, threads: Sequence[Automaton], invs: list[list[Mask]], envs: list[Environment], r: Repairs) -> None:
    """The environment of thread i from the edges of the others that change a shared value."""
    others = [j for j in range(len(threads)) if j != i]
    for j in [i] if r.resets_what_it_fills else others:
        envs[j][:] = [0] * threads[j].shared
    for j in others:
        for e in threads[j].edges:
            if _changes_shared(e.targets, threads[j].own):
                for v in bits(invs[j][e.source]):
                    envs[i][v // threads[j].own] |= shared_part(e.targets[v], threads[j].own)


def _changes_shared(targets: Sequence[Mask], own: int) -> bool:
    return any(shared_part(after, own) & ~(1 << v // own) for v, after in enumerate(targets))


def _finished(t: Automaton, inv: Sequence[Mask], env: Environment, repairs: Repairs) -> Automaton:
    rows = tuple(row | 1 << g for g, row in enumerate(env)) if repairs.reflexive else tuple(env)
    return replace(t, inv=tuple(inv), env=(rows,) * len(inv))


def saturated(automata: Sequence[Automaton]) -> tuple[Automaton, ...]:
    """The automata with their environments and invariants widened until every two are compatible."""
    invs = [list(a.inv) for a in automata]
    envs = [[list(rows) for rows in a.env] for a in automata]
    changed = True
    while changed:
        changed = False
        for i, a in enumerate(automata):
            for e in a.edges:
                for v in bits(invs[i][e.source]):
                    after = shared_part(e.targets[v] & invs[i][e.target], a.own)
                    for j, b in enumerate(automata):
                        if j != i and after:
                            changed = _admit(b, invs[j], envs[j], v // a.own, after) or changed
    return tuple(
        replace(a, inv=tuple(inv), env=tuple(map(tuple, env))) for a, inv, env in zip(automata, invs, envs, strict=True)
    )


def _admit(b: Automaton, inv: list[Mask], env: list[list[Mask]], g: int, after: Mask) -> bool:
    changed = False
    for q, mask in enumerate(inv):
        here = mask >> (g * b.own) & full(b.own)
        if here:
            wider = mask
            for local in bits(here):
                wider |= widened(after, b.own) << local
            changed = changed or wider != mask or after & ~env[q][g] != 0
            inv[q] = wider
            env[q][g] |= after
    return changed
