"""Which clauses a refinement needs: each is left out, and the pair asked about without it.

Where the pair is proved without a clause, the clause spoke of states that no run reaches under the others, and it goes.
Where it is refuted, the play shows what the steps would do that the clause excludes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from sa.base.limits import LimitReached
from sa.base.verdict import Verdict
from sa.engines.outcome import Result
from sa.weakest.clauses import Clause

#: Clauses by the place where they are declared.
Declared = Mapping[str, tuple[Clause, ...]]


class Needed(Struct, frozen=True):
    """A clause at a place. `without` is the answer without it: REFUTED, or UNKNOWN; None where nobody asked."""

    place: str
    clause: Clause
    without: Result | None


def needed(declared: Declared, ask: Callable[[Declared], Result]) -> tuple[Declared, tuple[Needed, ...], Result | None]:
    """What is left, why each clause is, and the last proof without one that went. Stops at limits of `ask`."""
    kept, why, proof = {place: tuple(said) for place, said in declared.items()}, list[Needed](), None
    for place, clause in [(place, clause) for place, said in declared.items() for clause in said]:
        fewer = {**kept, place: tuple(c for c in kept[place] if c is not clause)}
        try:
            result: Result | None = ask(fewer)
        except LimitReached:
            result = None
        if result is not None and result.verdict is Verdict.PROVED:
            kept, proof = fewer, result
        else:
            why.append(Needed(place, clause, result))
    return kept, tuple(why), proof
