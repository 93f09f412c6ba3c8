"""Evidence thread by thread about two threads that a flag keeps apart, written out."""

from __future__ import annotations

from typing import Any


def by_threads() -> Any:
    """Evidence that they are never inside together: a ghost of each says where it is."""
    threads = []
    for name, me, you in (("A", "at_A", "at_B"), ("B", "at_B", "at_A")):
        ranges = f"(<= 0 {me}) (<= 0 {you}) (<= {me} 4) (<= {you} 4)"
        outside = f"(or (and (<= 3 {you}) (<= {you} 4)) (= {you} 0))"
        free = f"(or (and (<= 1 {you}) (<= {you} 2) busy) (and (not busy) {outside}))"
        held = f"{outside} busy"
        said = {"q0": free, "CS": held, "q2": held, "q3": free, "exit": free}
        locations = {
            place: {"inv": f"(and (= {me} {number}) {ranges} {what})", "env": "true"}
            for number, (place, what) in enumerate(said.items())
        }
        ghosts = [{"name": ghost, "sort": "Int", "low": 0, "high": 4} for ghost in ("at_A", "at_B")]
        edges = {str(number): {me: str(number + 1)} for number in range(4)}
        start = ["(= at_A 0)", "(= at_B 0)"]
        threads.append({"thread": name, "ghosts": ghosts, "start": start, "locations": locations, "edges": edges})
    return {"keeps": {"threads": threads, "never": [{"claim": 0, "bad": 0, "witnesses": ["A", "B"]}]}}
