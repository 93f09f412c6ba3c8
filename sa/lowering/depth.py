"""How deeply terms may be nested. Later phases recurse over them, so there is a cap."""

from __future__ import annotations

from sa.terms.term import Term, children

#: Terms, and the syntax trees that they are made of, may not be nested deeper.
MAX_DEPTH = 150


def too_deep_term(term: Term) -> bool:
    """Whether a term is nested deeper than the cap; merged statements can make such terms."""
    level = {term}
    for _ in range(MAX_DEPTH):
        level = {part for t in level for part in children(t)}
        if not level:
            return False
    return True
