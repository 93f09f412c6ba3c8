"""What is wrong with the rules about invariants when something is missing: the smallest case of each.

Found and shrunk by `tests.scripts.shrinking`; the notation is that of `tests.scripts.writing`.
"""

from __future__ import annotations

from typing import Any

from tests.scripts.invariant_rules import Invariant, Invariants, Programs
from tests.scripts.writing import states, thread, valuations


def invariant(text: str, lam: str, inductive: str) -> Invariant:
    """λ as valuations, J as states."""
    a = thread(text)
    return Invariant(a, valuations(lam, a.own), states(inductive, a))


def invariants(texts: list[str], lams: list[str]) -> Invariants:
    """Threads, each with its λ."""
    automata = tuple(map(thread, texts))
    return Invariants(automata, tuple(valuations(lam, a.own) for lam, a in zip(lams, automata, strict=False)))


def programs(texts: list[str], intervals: bool) -> Programs:
    """Threads to be analysed."""
    return Programs(tuple(map(thread, texts)), intervals)


#: By rule and by what it lacks.
CASES: dict[tuple[str, str], Any] = {
    # J is empty, the start is not in it.
    ("strong invariant", "without initiation"): invariant("1x2; init 0; env 0>1; 0 t 0: 1>0", "", ""),
    # The component step leads out of J and of λ.
    ("strong invariant", "without consecution"): invariant("1x3; init 1; env 2>0; 0 t 0: 1>2", "1", "0:1"),
    # The environment step leads out of J and of λ.
    ("strong invariant", "without stability"): invariant("1x2; init 1; env 1>0; 0 t 0: 1>1", "1", "0:1"),
    # J is everything, λ nothing.
    ("strong invariant", "without implication"): invariant("1x2; init 0; env 0>1; 0 t 0: 0>0", "", "0:0 0:1"),
    # J is empty, the start is not in it.
    ("weak invariant", "without initiation"): invariant("1x2; init 0; env 1>0; 0 t 0: 0>1", "", ""),
    # The component step leads out of J and of λ.
    ("weak invariant", "without consecution"): invariant("1x3; init 1; env 2>0; 0 t 0: 1>2", "1", "0:1"),
    # The environment keeps λ but leaves J: from there a component step violates λ.
    ("weak invariant", "without stability"): invariant("1x3; init 0; env 0>1; 0 t 0: 1>2", "0 1", "0:0"),
    # J is everything, λ nothing.
    ("weak invariant", "without implication"): invariant("1x3; init 2; env 2>0; 0 t 0: 2>1", "", "0:0 0:1 0:2"),
    # The first sets 1, which the second's environment at location 0 never does; the second then sets 0.
    ("theorem 1, n = 2", "without compatibility"): invariants(
        ["1x3; init 2; env 0>1; 0 t 0: 2>1", "2x3; init 2; env 1: 0>1; 0 t 1: 1>0"], ["1 2", "1 2"]
    ),
    # λ1 is false from the start.
    ("theorem 1, n = 2", "without local invariant 1"): invariants(
        ["2x2; init 1; env 1: 0>1; 0 t 1: 1>0", "1x2; init 1; env 0>1 1>0"], ["", "1"]
    ),
    # λ2 is false from the start.
    ("theorem 1, n = 2", "without local invariant 2"): invariants(
        ["1x2; init 1; env 0>1 1>0", "1x2; init 1; env 0>1; 0 t 0: 1>0"], ["1", ""]
    ),
    # One step changes shared and local value together: λ1 still holds, λ2 does not.
    ("theorem 1, n = 2", "without noninterference"): invariants(
        ["1x2x2; init 1.1; env 0>1; 0 t 0: 1.1>0.0", "1x2; init 1; env 0>1 1>0"], ["0.0 1.1", "1"]
    ),
    # λ2 asks for the local value 1, which a step of the first would change.
    ("theorem 1, n = 2", "without the frame"): invariants(
        ["1x3; init 1; env 1>0; 0 t 0: 1>1", "1x3x2; init 1.1; env 1>0"], ["0 1", "0.1 1.1"]
    ),
    # The third sets 0, which the second's environment never does; the second then sets 1.
    ("theorem 1, n = 3", "without compatibility"): invariants(
        ["1x3; init 2; env 0>2", "1x3; init 2; env 0>2; 0 t 0: 0>1", "1x3; init 2; env 0>2; 0 t 0: 2>0"],
        ["0 2", "0 2", "0 2"],
    ),
    # λ1 is false from the start.
    ("theorem 1, n = 3", "without local invariant 1"): invariants(
        ["1x2; init 0; env 1>0; 0 t 0: 0>1", "1x2; init 0; env 0>1 1>0", "1x2; init 0; env 0>1 1>0"], ["", "0", "0"]
    ),
    # λ2 is false from the start.
    ("theorem 1, n = 3", "without local invariant 2"): invariants(
        ["1x2; init 0; env 0>1 1>0", "1x2; init 0; env 1>0; 0 t 0: 0>1", "1x2; init 0; env 0>1 1>0"], ["0", "", "0"]
    ),
    # λ3 is false from the start.
    ("theorem 1, n = 3", "without local invariant 3"): invariants(
        ["1x2; init 0; env 0>1 1>0", "1x2; init 0; env 0>1 1>0", "1x2; init 0; env 1>0; 0 t 0: 0>1"], ["0", "0", ""]
    ),
    # One step changes shared and local value together: λ1 still holds, the others do not.
    ("theorem 1, n = 3", "without noninterference"): invariants(
        ["1x2x2; init 1.0; env 0>1; 0 t 0: 1.0>0.1", "1x2; init 1; env 0>1 1>0", "1x2; init 1; env 0>1 1>0"],
        ["0.1 1.0", "1", "1"],
    ),
    # The second's step is no environment step of the third.
    ("composition of compatible automata", "without compatibility"): invariants(
        ["1x2; init 1; env 0>1", "1x2; init 1; env 0>1; 0 t 0: 1>0", "1x2; init 1; env 0>1"], []
    ),
    # The second's step is no environment step of the third.
    ("composition of compatible automata", "the first compatible with the third only"): invariants(
        ["1x2; init 1; env 0>1", "1x2; init 1; env 0>1; 0 t 0: 1>0", "1x2; init 1; env 0>1"], []
    ),
    # All invariants stay false; they do not contain the initial states.
    ("theorem 6", "Init not put into Inv"): programs(["1x2; init 1; 0 t 0: 1>0", "1x2; init 1"], False),
    # What the second thread's step put into the first's environment is thrown away.
    ("theorem 6", "the other environment reset"): programs(["1x2; init 1", "1x2; init 1; 0 t 0: 1>0"], False),
    # The first round finds no new state, but a new environment step of the second thread.
    ("theorem 6", "stops on no new states"): programs(["1x2; init 0 1; 0 t 0: 1>0", "1x2; init 1"], False),
    # A step that changes nothing shared is no environment step of the other thread.
    ("theorem 6", "not made reflexive"): programs(["1x2; init 1; 0 t 0: 1>0", "1x2; init 1; 0 t 0: 1>1"], False),
}
