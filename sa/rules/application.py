"""A rule that is applied to a claim: what it yields and what it asks for, or why it does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from sa.checker.obligation import Obligation
from sa.rules.facts import Fact


class Unfit(Exception):
    """A rule that does not fit its claim or what is cited: why."""


class Unshown(Unfit):
    """The same for what is cited without having been shown in the way that the rule needs."""


class Asked(Struct, frozen=True):
    """Side conditions. `aliases` say which program is meant by the sides `conc`, `abs` and those between them.

    `fault` says why it cannot even be asked for.
    """

    obligations: Iterable[Obligation]
    aliases: Mapping[str, str]
    fault: str | None = None


class Applied(Struct, frozen=True):
    """A rule, the fact that follows where all that is asked holds, and what is asked, to be gone through once."""

    rule: str
    fact: Fact
    asked: tuple[Asked, ...]
