"""What functions without a body mean, as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from sa.certificates.shape import Entry, Json
from sa.terms.build import variable
from sa.terms.meaning import Meaning
from sa.terms.read_smtlib import Names
from sa.terms.smtlib import smtlib
from sa.terms.sort import Sort, enumerations
from sa.terms.term import Function, Term, Var, sort_of


def meaning_json(meaning: Meaning) -> Json:
    """Parameters and body of each function, under its name."""
    return {
        f.name: {"parameters": [p.name for p in parameters], "body": smtlib(body)}
        for f, (parameters, body) in meaning.bodies.items()
    }


def read_meaning(entry: Entry, functions: Sequence[Function]) -> Meaning | None:
    """What functions mean, of all or of none. Raises Malformed."""
    if entry.value == {}:
        return None
    said = entry.fields(*(f.name for f in functions))
    return Meaning({f: _body(part, f) for f, part in zip(functions, said, strict=True)})


def _body(entry: Entry, function: Function) -> tuple[tuple[Var, ...], Term]:
    parameters, body = entry.fields("parameters", "body")
    names = [p.text() for p in parameters.items()]
    if len(set(names)) < len(names) or len(names) != len(function.arguments) or any("'" in n for n in names):
        raise parameters.wrong(f"{len(function.arguments)} different names are expected")
    own = tuple(variable(n, sort) for n, sort in zip(names, function.arguments, strict=True))
    sorts: dict[str, Sort] = {s.name: s for s in enumerations((*function.arguments, function.result))}
    term = body.term(Names({p.name: p for p in own}, {}, sorts))
    if sort_of(term) != function.result:
        raise body.wrong(f"a value of {function.result.name} is expected")
    if not term.free <= set(own):
        raise body.wrong("a function depends on its parameters alone")
    return own, term
