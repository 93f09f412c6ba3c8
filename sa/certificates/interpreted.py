"""Goals in which functions without a body have a meaning, and what plays under a meaning say of them."""

from __future__ import annotations

from msgspec.structs import replace

from sa.certificates.goal import Goal
from sa.certificates.play import Interpreted, PlainPlay, Play
from sa.terms.map_terms import everywhere, terms_in
from sa.terms.meaning import Meaning, interpreted
from sa.terms.term import Call, Function, subterms


def functions_mentioned(goal: Goal) -> tuple[Function, ...]:
    """The functions without a body that a goal or its axioms mention, by name."""
    found = {t.function for t in subterms(terms_in(goal)) if isinstance(t, Call)}
    return tuple(sorted(found, key=lambda f: f.name))


def interpreted_goal(goal: Goal, meaning: Meaning) -> Goal:
    """The goal for one meaning of its functions. It needs no axioms: that the meaning satisfies them is checked."""
    return everywhere(replace(goal, axioms=()), lambda term: interpreted(term, meaning))


def plain_play(play: Play) -> PlainPlay:
    """A play without what functions mean in it."""
    return play.play if isinstance(play, Interpreted) else play


def goal_of(play: Play, goal: Goal) -> Goal:
    """The goal that the moves of a play are of."""
    return interpreted_goal(goal, play.meaning) if isinstance(play, Interpreted) else goal
