"""The end of a function of the IR: what it returns, as others see it."""

from __future__ import annotations

from sa.frontends.flow.actions import Show, Sync
from sa.frontends.flow.graph import Begin, End, Range, Test
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import may_be_undef
from sa.frontends.llvm.body import (
    DEFINED,
    EXIT,
    POISON,
    UNDEF,
    Body,
    Leaf,
    Value,
    bits_of,
    canonical,
    chosen,
    emit,
    refused,
    undefined,
)
from sa.frontends.llvm.given import as_shown, asked, seen
from sa.frontends.llvm.integers import between, range_in
from sa.frontends.llvm.memory import poisoned
from sa.frontends.llvm.uses import definite, not_poison
from sa.frontends.llvm.values import pointer, typed
from sa.terms import build
from sa.terms.term import Term


def returned(body: Body, value: s.Typed | None, commits: bool) -> None:
    """The end of the function. What may be `undef` is chosen only when it is sure that the function returns."""
    if value is None:
        emit(body, Begin())
        _shown(body, ())
        return
    if isinstance(value.operand, s.Aggregate):
        _returned_parts(body, value.operand, commits)
        return
    bits = bits_of(value.type, body)
    if isinstance(value.type, s.PointerType):
        _returned_pointer(body, value.operand, commits)
        return
    said = body.function.signature.result_attributes
    whole, inside = "noundef" in said, range_in(said)
    found = definite(body, value, "a result that must not be poison") if whole else build.ZERO
    if whole and inside is not None:
        undefined(body, build.lnot(between(found, *inside)), "a result outside of its range")
    if commits:
        _commits(body)
    if whole:
        emit(body, Begin())
        _shown(body, (found,))
        return
    # A way for each kind of value: what is arbitrary is a choice, and nothing else.
    emit(body, Begin())
    known = body.known.get(value.operand.name) if isinstance(value.operand, s.Local) else None
    if inside is not None and may_be_undef(value.operand, body.facts):
        raise refused(body, "the range of a result that may be `undef`", "declare the result `noundef`")
    if isinstance(known, Leaf):
        term: Term = known.var
        kinds = {kind: build.eq(known.kind, build.integer(kind)) for kind in (DEFINED, POISON, UNDEF)}
    else:
        number = typed(body, value)
        if inside is not None:
            number = Value(number.term, build.lor(number.poison, build.lnot(between(number.term, *inside))))
        term, kinds = number.term, {DEFINED: build.lnot(number.poison), POISON: number.poison}
    here = body.here
    for kind, holds in kinds.items():
        if holds is build.FALSE:
            continue
        body.here = here
        emit(body, Test(holds))
        range_ = Range(*canonical(bits))
        made = term if kind == DEFINED else chosen(body, range_) if kind == UNDEF else poisoned(body, bits)
        _shown(body, (made,))


def _returned_parts(body: Body, whole: s.Aggregate, commits: bool) -> None:
    """The end of a function that returns a structure or array: all of its scalars are seen."""
    if "noundef" in body.function.signature.result_attributes:
        for part in whole.elements:
            not_poison(body, part)
    if commits:
        _commits(body)
    emit(body, Begin())
    _shown(body, tuple(term for part in whole.elements for term in seen(body, part)))


def _commits(body: Body) -> None:
    """It is seen that the function returns, before it is seen what."""
    emit(body, Begin())
    emit(body, Show("will return", ()))
    emit(body, End())


def _returned_pointer(body: Body, operand: s.Operand, commits: bool) -> None:
    """The end of a function that returns a pointer, of which more may be said."""
    words = body.function.signature.result_attributes
    checked = asked(body, pointer(body, operand), words, "a result that must not be poison")
    if commits:
        _commits(body)
    emit(body, Begin())
    _shown(body, as_shown(body, checked))


def _shown(body: Body, values: tuple[Term, ...]) -> None:
    """The region ends in which it is chosen what is returned."""
    emit(body, Show("returns", values, Sync.END))
    emit(body, End(), EXIT)
