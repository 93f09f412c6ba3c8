"""Random programs of several threads that steer each other by flags and turns, and count beside that without bound."""

from __future__ import annotations

from random import Random


def steering_program(rng: Random) -> str:
    """Two to four threads and a few claims."""
    count = rng.choice((2, 3, 3, 4))
    header = (
        "global a, b, c : bool = false;\n"
        f"global turn : 0..{count - 1} = 0;\n"
        "global n, m : int = 0;\n"
        f"global f : bool[{count}] = false;\n"
    )
    threads = "".join(_thread(rng, i, count) for i in range(count))
    return header + threads + "".join(_claim(rng, i, count) for i in range(rng.randint(1, 3)))


def _thread(rng: Random, number: int, count: int) -> str:
    body = " ".join(_statement(rng, number, count) for _ in range(rng.randint(2, 5 if count < 4 else 3)))
    looped = f"while (true) {{ {body} }}" if rng.random() < 0.7 else body
    return f"thread T{number} {{ local k : int = 0; {looped} }}\n"


def _statement(rng: Random, number: int, count: int) -> str:
    flag, other = rng.sample("abc", 2)
    after = (number + 1) % count
    plain = (
        f"await !{flag} {{ {flag} := true; }} n := n + 1; m := m + 1; {flag} := false;",
        f"await {flag} {{ {flag} := false; }}",
        f"{flag} := true;",
        f"atomic {{ {flag} := !{flag}; {other} := {flag}; }}",
        f"await turn == {number}; n := n + 1; m := n; turn := {after};",
        f"await turn == {number} {{ turn := {after}; n := n + 1; }}",
        f"f[{number}] := true; n := n + 1; await f[{after}] {{ f[{after}] := false; m := m + 1; }}",
        f"atomic {{ f[{number}] := true; n := n + 1; }}",
        f"atomic {{ if (f[{after}]) {{ f[{after}] := false; n := n - 1; }} }}",
        "havoc n; m := n;",
        f"k := n; n := k + {rng.randint(0, 2)};",
        f"if ({flag}) {{ m := m + 1; }} else {{ n := n + 1; }}",
        f"k := k + 1; {flag} := k > {rng.randint(0, 3)};",
        f"assert n {rng.choice(('==', '<=', '>='))} m;",
        f"assert {flag} || !{other};",
        "assert k <= n;",
    )
    return rng.choice(plain)


def _claim(rng: Random, number: int, count: int) -> str:
    flag, other = rng.sample("abc", 2)
    indicators = " + ".join(f"(if f[{i}] then 1 else 0)" for i in range(count))
    said = rng.choice(
        (
            "n == m",
            "n >= m",
            "n >= 0",
            f"!({flag} && {other})",
            f"{flag} ==> n == m",
            f"n == {indicators}",
            f"n - m <= {rng.randint(0, 3)}",
            f"turn == {rng.randrange(count)} ==> !{flag}",
            f"f[{rng.randrange(count)}] ==> n > 0",
        )
    )
    return f"invariant i{number} : {said};\n"
