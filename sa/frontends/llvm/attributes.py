"""Attributes of functions and parameters: what they promise has to be evident, or modelled, or it is refused.

A promise that is broken is undefined behaviour or poison (LangRef, Parameter and Function Attributes). Where each
function evidently keeps it, it says nothing, so that it makes no difference which of the two files has it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from sa.base.diagnostic import InputError
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.addresses import name_of
from sa.frontends.llvm.analysis import callee_of
from sa.frontends.llvm.calls import called_in
from sa.frontends.llvm.integers import range_in
from sa.frontends.llvm.objects import Access, shared
from sa.frontends.llvm.observed import kept_by, observed
from sa.frontends.llvm.promises import binds, visible_calls
from sa.frontends.llvm.resolved import unresolved_in
from sa.frontends.llvm.shapes import Shape
from sa.frontends.llvm.unit import Side

#: What changes nothing of what a function does, at functions and results.
HARMLESS = frozenset({
    "noinline", "alwaysinline", "inlinehint", "optnone", "optsize", "minsize", "cold", "hot", "mustprogress",
    "nounwind", "norecurse", "nofree", "nocallback", "uwtable", "ssp", "sspstrong", "sspreq",
    "nonlazybind", "local_unnamed_addr", "unnamed_addr", "dso_local", "dso_preemptable", "internal", "private",
    "linkonce_odr", "weak_odr", "weak", "linkonce", "hidden", "protected", "default", "noundef", "signext", "zeroext",
    "noredzone", "noimplicitfloat", "nocf_check", "fastcc", "ccc", "nocreateundeforpoison", "nodivergencesource",
    "nooutline",
})  # fmt: skip

#: What changes nothing of a parameter, or is modelled.
OF_PARAMETERS = frozenset({"noundef", "signext", "zeroext", "inreg", "nofree", "noext"})

#: What is said of pointers that both functions are given alike: it need not be used, but must not be added.
_SAID_BEFORE = re.compile(r"(nonnull|align\(\d+\)|dereferenceable(_or_null)?\(\d+\))$")


def check_attributes(side: Side, source: s.Signature, said: Collection[int]) -> None:
    """Raises InputError for an attribute that is neither modelled nor evidently kept.

    The second function may say of its parameters what the `source` says. Of the pointers with numbers in `said` all
    that is said is modelled.
    """
    signature = side.function.signature
    words = (*signature.words, *signature.attributes)
    # Constants always have the same values, and `memory` says nothing of them.
    if "null_pointer_is_valid" in set(source.attributes) - set(signature.attributes):
        raise _refused("null_pointer_is_valid", source)
    all_ = shared(side.module, side.function, side.facts)
    found = [a for a in all_ if not _is_constant(a, side.module)]
    pointed = isinstance(signature.result, s.PointerType)
    for word in words:
        if not (pointed and _SAID_BEFORE.match(word)) and not _is_kept(word, side, source, found):
            raise _refused(word, signature)
    for number, (parameter, other) in enumerate(zip(signature.parameters, source.parameters, strict=False)):
        own = [a for a in found if a.place.base == parameter.operand]
        for word in parameter.attributes:
            if word in OF_PARAMETERS or word.startswith('"'):
                continue
            if (word == "nocapture" or word.startswith("captures(")) and not _keeps(side, parameter.operand):
                continue
            if word == "returned" and _returns(side.function) == {parameter.operand}:
                continue
            if _SAID_BEFORE.match(word) and (number in said or word in other.attributes):
                continue
            if "noundef" in parameter.attributes and range_in([word]) is not None:
                continue
            if word in ("readonly", "readnone", "writeonly") and _is_so(word, own) and not _hands_on(side):
                continue
            if side.source and binds(word, True) and _acts(side):
                continue
            raise _refused(f"{word}` at the parameter `%{name_of(parameter, number)}", signature)


def _refused(word: str, signature: s.Signature) -> InputError:
    hint = "leave it out in both files: what is then proved holds without it"
    return s.refused("SA746", f"the attribute `{word}` is not accepted here", signature.span, hint)


def _returns(function: s.Function) -> set[s.Operand | None]:
    """All that a function returns."""
    ends = (b.lines[-1].instruction for b in function.blocks)
    return {None if end.value is None else end.value.operand for end in ends if isinstance(end, s.Return)}


def _hands_on(side: Side) -> bool:
    """Whether a pointer may leave the function."""
    calls = (c for c in called_in(side.function) if not callee_of(c).startswith("llvm."))
    given = any(isinstance(a.type, s.PointerType) for c in calls for a in c.arguments)
    return given or any(True for _ in unresolved_in(side.module, side.function, side.facts))


def _acts(side: Side) -> bool:
    """Whether functions are called, or memory is accessed that is not resolved to objects: that may do anything."""
    unresolved = unresolved_in(side.module, side.function, side.facts)
    return any(True for _ in (*visible_calls(side.function), *unresolved))


def _may_access_null(side: Side, source: s.Signature) -> bool:
    """Whether it is modelled that there may be an object at null: nobody asks what is in the bounds of that."""
    own = side.function.signature
    words = [w for p in (*own.parameters, *source.parameters) for w in p.attributes]
    asks = any("dereferenceable" in w for w in words) or observed(side.function, side.module).bounds
    alike = {"null_pointer_is_valid" in side.module.declared[n].attributes for n in side.module.defined}
    return not asks and alike == {True}


def _keeps(side: Side, parameter: s.Operand | None) -> bool:
    """Whether a pointer may be known to others once the function has returned."""
    return _hands_on(side) or parameter in kept_by(side.function)


def _is_kept(word: str, side: Side, source: s.Signature, found: list[Access]) -> bool:
    """Whether a function evidently keeps a promise, or the first one makes it and calls functions that may break it."""
    name = re.match(r"[\w.]+", word)
    if word.startswith('"') or name is None or name[0] in HARMLESS:
        return True
    lines = [line.instruction for b in side.function.blocks for line in b.lines]
    if word in side.function.signature.result_attributes and range_in([word]) is not None:
        return True
    if name[0] == "null_pointer_is_valid":
        return _may_access_null(side, source)
    calls = name[0] != "noreturn" and _acts(side)
    if calls and side.source:
        return binds(word)
    if calls and not (binds(word) and word in (*source.words, *source.attributes)):
        # What others do is not known, unless the first function calls them, too.
        return False
    match name[0]:
        case "willreturn":
            return True
        case "noreturn":
            return not any(isinstance(i, s.Return) for i in lines)
        case "nosync":
            quiet = not any(isinstance(i, s.Fence) for i in lines)
            return quiet and not any(a.atomic for a in found)
        case "readnone" | "readonly" | "writeonly":
            return _is_so(word, found) and not any(isinstance(i, s.Fence) for i in lines)
        case "memory":
            return not any(isinstance(i, s.Fence) for i in lines) and _keeps_to(word, found)
        case _:
            return False


def _is_so(word: str, found: list[Access]) -> bool:
    """What a parameter or a function is said to do with memory: atomic accesses do both."""
    if word == "readnone":
        return not found
    return not any(a.atomic or a.writes == (word == "readonly") for a in found)


def _is_constant(access: Access, module: s.Module) -> bool:
    """Whether a variable is read that is constant in this module and wherever else it is defined."""
    base = access.place.base
    variable = module.variables.get(base.name) if isinstance(base, s.Global) else None
    return variable is not None and variable.constant and not access.writes and not access.atomic


def _keeps_to(word: str, found: list[Access]) -> bool:
    """`memory(read, argmem: readwrite, …)`."""
    said = dict[str, str]()
    for part in word.removeprefix("memory(").removesuffix(")").split(","):
        where, _, how = part.strip().rpartition(": ")
        said[where] = how
    others = said.get("", "none")
    through, by_name = ([a for a in found if isinstance(a.place.base, s.Local) is p] for p in (True, False))
    parts = ((through, said.get("argmem", others)), (by_name, others))
    return all(how == "readwrite" or _is_so(_AS[how], own) for own, how in parts)


_AS: Mapping[str, str] = {"none": "readnone", "read": "readonly", "write": "writeonly"}


def points_somewhere(source: s.Signature, shapes: Mapping[int, Shape]) -> Iterator[int]:
    """The pointer parameters that can be followed to what is accessed, by what is said of them."""
    for number, parameter in enumerate(source.parameters):
        # What is not aligned as accesses say cannot be followed, either.
        align = max(_said("align", parameter), 1)
        shape = shapes.get(number)
        somewhere = _said("dereferenceable", parameter)
        if somewhere or "nonnull" in parameter.attributes:
            somewhere = max(somewhere, _said("dereferenceable_or_null", parameter))
        if shape is not None and somewhere >= shape.ends[0] and align >= shape.align:
            yield number


def promised(source: s.Signature, shapes: Mapping[int, Shape]) -> Mapping[int, Shape]:
    """What parameters point to if they can be followed, with what is said of them."""
    made = dict[int, Shape]()
    for number, shape in shapes.items():
        parameter = source.parameters[number]
        size = max(_said(word, parameter) for word in ("dereferenceable", "dereferenceable_or_null"))
        align = min(max(shape.align, _said("align", parameter)), shape.aligns[-1])
        there = min(max(shape.ends[0], size), shape.size)
        ends = sorted({there, *(end for end in shape.ends if end > there)})
        starts = (0,) if size else shape.starts
        aligns = sorted({align, *(a for a in shape.aligns if a > align)})
        made[number] = Shape(shape.scalars, shape.size, align, tuple(aligns), starts, tuple(ends))
    return made


def _said(word: str, parameter: s.Argument) -> int:
    """The greatest number that an attribute of a parameter says, 0 without one."""
    found = (re.match(rf"{word}\((\d+)\)$", w) for w in parameter.attributes)
    return max((int(m[1]) for m in found if m is not None), default=0)
