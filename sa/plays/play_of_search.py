"""A search that Duplicator lost, as a play: Spoiler's strategy, or one concrete run whatever Duplicator does."""

from __future__ import annotations

from sa.base.verdict import Reason, Unknown
from sa.certificates.play import PlainPlay
from sa.plays.positions import Survives
from sa.plays.single_run import course, pursue
from sa.plays.strategy import Refuter
from sa.simulation.algorithm_2_search import Search
from sa.simulation.endings import Loss, Lost
from sa.simulation.state import Lemma
from sa.terms.evaluate import State, Unevaluable


def play_of(search: Search, ending: Loss) -> PlainPlay | Unknown:
    """The play, or why there is none: lemmas may say more than concrete states do. Raises LimitReached."""
    refuter = Refuter(search.board, search.session, search)
    try:
        if isinstance(ending, Lost):
            return _play(refuter, ending.state, ending.lemma)
        return refuter.chosen(ending.state)
    except Survives as problem:
        return Unknown(Reason.BOUND, f"not proved, and no play found: {problem}")
    except Unevaluable as problem:
        return Unknown(Reason.UNSUPPORTED, f"a play depends on {problem}, which is not defined")


def _play(refuter: Refuter, state: State, lemma: Lemma) -> PlainPlay:
    search = refuter.search
    try:
        return refuter.position(search.initial, state, lemma)
    except Survives:
        stages = course(refuter, search.initial, state, lemma)
        return pursue(refuter, stages, search.initial, state)
