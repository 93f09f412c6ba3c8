"""Tiny automata and relations as short texts, so that a counterexample can be read, and back.

A thread is written `"2x3; init 2; env 2>1; 0 a 1: 1>0 2>0"`: two locations, three shared values, the initial
valuations, what the environment may do (everywhere, or `env 1: ...` at one location; the identity is understood
unless it says `only`), and an edge from location 0 to 1 with label `a` (`t` is silent) and its moves. With two
local values the size is `2x3x2` and a valuation `shared.local`. `inv 1: 0 2` is an invariant that is not true.
A relation is a list of pairs `0~1`, or `=`. A state is written `location:valuation`.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.scripts.finite import Automaton, Edge, Mask, Rows, bits, explicit, full, mask_of
from tests.scripts.game import Refinement, greatest, related, standard

LABEL_NAMES = ("t", "a", "b")


def thread(text: str) -> Automaton:
    """The automaton of a text."""
    size, *parts = (part.strip() for part in text.split(";"))
    n, shared, own = (*map(int, size.split("x")), 1)[:3]
    every = full(shared * own)
    init, inv, edges = every, [every] * n, []
    env = [tuple(1 << g for g in range(shared))] * n
    for part in parts:
        head, _, tail = part.partition(":") if ":" in part else part.partition(" ")
        words = head.split()
        if words[0] == "init":
            init = valuations(tail, own)
        elif words[0] == "inv":
            inv[int(words[1])] = valuations(tail, own)
        elif words[0] == "env":
            for q in range(n) if len(words) == 1 else (int(words[1]),):
                env[q] = _moves(tail, shared, 1, "only" not in tail)
        else:
            label = LABEL_NAMES.index(words[1])
            edges.append(Edge(int(words[0]), label, _moves(tail, shared * own, own, False), int(words[2])))
    return Automaton(shared, own, init, tuple(inv), tuple(env), tuple(edges))


def valuations(text: str, own: int = 1) -> Mask:
    """A set of valuations."""
    return mask_of(_valuation(word, own) for word in text.split())


def _valuation(word: str, own: int) -> int:
    g, _, local = word.partition(".")
    return int(g) * own + int(local or 0)


def _moves(text: str, size: int, own: int, identity: bool) -> Rows:
    rows = [1 << v if identity else 0 for v in range(size)]
    for word in text.replace("only", "").split():
        before, after = word.split(">")
        rows[_valuation(before, own)] |= 1 << _valuation(after, own)
    return tuple(rows)


def relation(text: str, a: Automaton, b: Automaton) -> Rows:
    """A relation between the valuations of two automata."""
    if text == "=":
        return equality(a, b)
    rows = [0] * a.valuations
    for word in text.split():
        v, w = word.split("~")
        rows[_valuation(v, a.own)] |= 1 << _valuation(w, b.own)
    return tuple(rows)


def equality(a: Automaton, b: Automaton) -> Rows:
    """Equal shared values, whatever the locals."""
    return tuple(
        mask_of(v // a.own * b.own + i for i in range(b.own)) & full(b.valuations) for v in range(a.valuations)
    )


def states(text: str, a: Automaton) -> Mask:
    """A set of states."""
    return mask_of(_state(word, a) for word in text.split())


def _state(word: str, a: Automaton) -> int:
    q, _, v = word.partition(":")
    return int(q) * a.valuations + _valuation(v, a.own)


def refinement(concrete: str, abstract: str, kappa: str = "=", iota: str = "=", theta: str = "greatest") -> Refinement:
    """A claim; θ is a list of pairs of states, the greatest weak simulation, or `ι`: all pairs that ι relates."""
    a, b = thread(concrete), thread(abstract)
    i = relation(iota, a, b)
    return Refinement(a, b, relation(kappa, a, b), i, _theta(theta, a, b, i))


def _theta(text: str, a: Automaton, b: Automaton, iota: Rows) -> Rows:
    x1, x2 = explicit(a), explicit(b)
    if text == "greatest":
        return greatest(x1, x2, iota, standard(x1, x2))
    if text == "ι":
        return related(x1, x2, iota)
    rows = [0] * len(x1.env)
    for word in text.split():
        s1, s2 = word.split("~")
        rows[_state(s1, a)] |= 1 << _state(s2, b)
    return tuple(rows)


def written(a: Automaton) -> str:
    """The text of an automaton."""
    size = f"{len(a.inv)}x{a.shared}" + (f"x{a.own}" if a.own > 1 else "")
    parts = [size, f"init {written_valuations(a.init, a.own)}"]
    parts += [f"inv {q}: {written_valuations(m, a.own)}" for q, m in enumerate(a.inv) if m != full(a.valuations)]
    if len(set(a.env)) == 1:
        parts += [f"env {_written_environment(a.env[0])}"] if _written_environment(a.env[0]) else []
    else:
        parts += [f"env {q}: {t}" for q, t in enumerate(map(_written_environment, a.env)) if t]
    parts += [f"{e.source} {LABEL_NAMES[e.label]} {e.target}: {_written_moves(e.targets, a.own)}" for e in a.edges]
    return "; ".join(parts)


def _written_environment(rows: Rows) -> str:
    reflexive = all(row >> g & 1 for g, row in enumerate(rows))
    others = [row & ~(1 << g) if reflexive else row for g, row in enumerate(rows)]
    return ("" if reflexive else "only ") + _written_moves(others, 1)


def _written_moves(rows: Sequence[Mask], own: int) -> str:
    return " ".join(f"{_name(v, own)}>{_name(w, own)}" for v, row in enumerate(rows) for w in bits(row))


def _name(v: int, own: int) -> str:
    return f"{v // own}.{v % own}" if own > 1 else str(v)


def written_valuations(mask: Mask, own: int) -> str:
    """The text of a set of valuations."""
    return " ".join(_name(v, own) for v in bits(mask))


def written_states(mask: Mask, a: Automaton) -> str:
    """The text of a set of states."""
    return " ".join(f"{s // a.valuations}:{_name(s % a.valuations, a.own)}" for s in bits(mask))


def written_relation(rows: Rows, a: Automaton, b: Automaton) -> str:
    """The text of a relation between valuations."""
    if rows == equality(a, b):
        return "="
    return " ".join(f"{_name(v, a.own)}~{_name(w, b.own)}" for v, row in enumerate(rows) for w in bits(row))


def written_refinement(r: Refinement) -> str:
    """The call of `refinement` that makes it."""
    a, b = r.concrete, r.abstract
    given = [repr(written(a)), repr(written(b))]
    kappa, iota = written_relation(r.kappa, a, b), written_relation(r.iota, a, b)
    given += [f"kappa={kappa!r}"] if kappa != "=" else []
    given += [f"iota={iota!r}"] if iota != "=" else []
    names = [name for name in ("greatest", "ι") if _theta(name, a, b, r.iota) == r.theta]
    pairs = [(s1, s2) for s1, row in enumerate(r.theta) for s2 in bits(row)]
    theta = (
        names[0] if names else " ".join(f"{written_states(1 << s, a)}~{written_states(1 << t, b)}" for s, t in pairs)
    )
    given += [f"theta={theta!r}"] if theta != "greatest" else []
    return f"refinement({', '.join(given)})"
