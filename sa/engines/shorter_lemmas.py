"""Lemmas in fewer words: the same states, said with what else is known of them in mind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sa.smt.session import Session
from sa.terms.build import disjuncts, land, lnot, lor
from sa.terms.cases import condition_in, decided
from sa.terms.solve import extended
from sa.terms.substitute import substitute
from sa.terms.term import Not, Term, subterms


def length(lemma: Term) -> tuple[int, int]:
    """How long a lemma is to read: its disjuncts, then its parts."""
    return len(disjuncts(lemma)), sum(1 for _ in subterms((lemma,)))


def shortened(session: Session, known: Sequence[Term], lemmas: Iterable[Term]) -> tuple[Term, ...]:
    """Lemmas that together with what is known exclude the same states. Raises LimitReached."""
    kept = sorted(lemmas, key=length)
    for place, lemma in enumerate(kept):
        # What is longer is said in terms of what is shorter, never both in terms of the other.
        kept[place] = _shorter(session, (*known, *kept[:place]), lemma)
    return tuple(dict.fromkeys(kept))


def _shorter(session: Session, known: Sequence[Term], lemma: Term) -> Term:
    defined = substitute(lemma, extended({}, known))
    parts = list(disjuncts(min(lemma, defined, key=length)))
    with session.assuming(known):
        for part in sorted(parts, key=length, reverse=True):
            others = [p for p in parts if p is not part]
            with session.assuming(lnot(p) for p in others):
                if session.implied(lnot(part), ()):
                    parts = others
                else:
                    parts[parts.index(part)] = _without_cases(session, part)
    return lor(*parts)


def _without_cases(session: Session, formula: Term) -> Term:
    """The formula, where the session's assumptions hold, without choices between terms that make no difference, or
    that are better made outside.
    """
    if isinstance(formula, Not):
        return lnot(_without_cases(session, formula.body))
    while (condition := condition_in(formula)) is not None:
        for case in (condition, lnot(condition)):
            here, elsewhere = (decided(formula, condition, (case is condition) == truth) for truth in (True, False))
            if session.implied(case, ()):
                shorter = here
            elif session.implied(lnot(elsewhere), ()):
                shorter = land(case, here)
            elif session.implied(elsewhere, ()):
                shorter = lor(lnot(case), here)
            else:
                continue
            if length(shorter)[1] < length(formula)[1]:
                formula = shorter
                break
        else:
            return formula
    return formula
