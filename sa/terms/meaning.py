"""Functions without a body, given one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from sa.terms import build
from sa.terms.printer import show
from sa.terms.substitute import rebuild, substitute
from sa.terms.term import Call, Forall, Function, Term, Var, subterms


class Meaning(Struct, frozen=True):
    """What functions are: parameters and a body without functions, for each of them."""

    bodies: Mapping[Function, tuple[tuple[Var, ...], Term]]


def interpreted(term: Term, meaning: Meaning) -> Term:
    """The term with every function replaced by what it means."""
    if not called(term):
        return term
    match term:
        case Call(function, arguments) if function in meaning.bodies:
            parameters, body = meaning.bodies[function]
            return substitute(body, dict(zip(parameters, (interpreted(a, meaning) for a in arguments), strict=True)))
        case Forall(binders, body):
            return build.forall(binders, interpreted(body, meaning))
        case _:
            return rebuild(term, lambda t: interpreted(t, meaning))


def called(term: Term) -> bool:
    """Whether a function without a body occurs."""
    return next(calls(term), None) is not None


def calls(term: Term) -> Iterator[Call]:
    """The applications of functions in a term, each once."""
    return (t for t in subterms((term,)) if isinstance(t, Call))


def in_words(meaning: Meaning) -> tuple[str, ...]:
    """`gcd(x, y) = if x > y then 0 else 1`, one line each function."""
    return tuple(
        f"{f.name}({', '.join(p.name for p in parameters)}) = {show(body)}"
        for f, (parameters, body) in sorted(meaning.bodies.items(), key=lambda item: item[0].name)
    )
