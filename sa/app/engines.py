"""The engines as a list for people and programs."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from sa.engines.crowds import CROWDS
from sa.engines.engine import ClaimEngine, GoalEngine, answers
from sa.engines.portfolio_of_claims import CLAIMS
from sa.engines.portfolio_of_goals import engines_of_goals

#: What is said of engines that know nothing but families.
_CROWD = ", for families of any number"


class Listed(Struct, frozen=True):
    """An engine: its name for `--engine`, the verdicts that its evidence can be for, and what it does in words."""

    name: str
    answers: tuple[str, ...]
    about: str


def listed(command: Literal["verify", "refine"]) -> tuple[Listed, ...]:
    """The engines of a command, in the order in which they are asked; for families alone at the end."""
    match command:
        case "verify":
            known = {turn.engine.name for turn in CLAIMS}
            crowds = (_listed(turn.engine) for turn in CROWDS if turn.engine.name not in known)
            return (*(_listed(t.engine) for t in CLAIMS), *(replace(c, about=c.about + _CROWD) for c in crowds))
        case "refine":
            return tuple(map(_listed, engines_of_goals()))


def _listed(engine: ClaimEngine | GoalEngine) -> Listed:
    return Listed(engine.name, tuple(v.value for v in answers(engine)), engine.about)
