"""Attributes of functions and parameters: what they promise has to be evident, or modelled, or it is refused.

A promise that is broken is undefined behaviour or poison (LangRef, Parameter and Function Attributes). Where each
function evidently keeps it, it says nothing, so that it makes no difference which of the two files has it. Where the
first function may break one, that is left out of account: it then counts as more defined than it is, so that what is
proved is so, and a play is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from sa.base.diagnostic import InputError
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.addresses import name_of
from sa.frontends.llvm.analysis import callee_of, locals_in
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

#: Promises that a function makes for itself: where it breaks one it is undefined, or gives poison.
_OF_FUNCTIONS = frozenset({
    "memory", "readnone", "readonly", "writeonly", "nosync", "noreturn", "noalias",
})  # fmt: skip
_OF_POINTERS = frozenset({"readnone", "readonly", "writeonly", "captures", "nocapture", "returned", "noalias"})

#: What callers keep or break: the values and the memory that they give, and whether they read it afterwards. A call by
#: value is one of a function that makes the copy and gives a pointer to it.
_OF_CALLERS = frozenset({"range", "writable", "dead_on_return", "byval"})

#: What is said of pointers that both functions are given alike: it need not be used, but must not be added.
_SAID_BEFORE = re.compile(r"(nonnull|align\(\d+\)|dereferenceable(_or_null)?\(\d+\))$")


def check_attributes(side: Side, first: Side, said: Collection[int]) -> str | None:
    """A promise of the first function that is left out of account, where it may break one: then a play is no answer.

    Raises InputError for an attribute that is neither modelled nor evidently kept. The second function may say of its
    parameters what the `first` says. Of the pointers with numbers in `said` all that is said is modelled.
    """
    signature, source = side.function.signature, first.function.signature
    # Constants always have the same values, and `memory` says nothing of them.
    if "null_pointer_is_valid" in set(source.attributes) - set(signature.attributes):
        raise _refused("null_pointer_is_valid", source)
    found = [a for a in shared(side.module, side.function, side.facts) if not _is_constant(a, side.module)]
    left = None
    pointed = isinstance(signature.result, s.PointerType)
    for word in (*signature.words, *signature.attributes):
        if not (pointed and _SAID_BEFORE.match(word)) and not _is_kept(word, side, source, found):
            if not (side.source and _name(word) in _OF_FUNCTIONS):
                raise _refused(word, signature)
            left = left or word
    for number, (parameter, other) in enumerate(zip(signature.parameters, source.parameters, strict=False)):
        for word in parameter.attributes:
            before = None if number in said and _SAID_BEFORE.match(word) else other
            if _is_kept_of(word, side, parameter, before, found):
                continue
            if not _is_left_out(word, side, first, other):
                raise _refused(f"{word}` at the parameter `%{name_of(parameter, number)}", signature)
            left = left or word
    return left and f"@{signature.name} {left}"


def _is_kept_of(
    word: str, side: Side, parameter: s.Argument, other: s.Argument | None, found: Sequence[Access]
) -> bool:
    """Whether what is said of a parameter is modelled, or evidently kept; without `other`, all is modelled."""
    if other is None or word in OF_PARAMETERS or word.startswith('"'):
        return True
    if _SAID_BEFORE.match(word) and word in other.attributes:
        return True
    if "noundef" in parameter.attributes and range_in([word]) is not None:
        return True
    if side.source and binds(word, True) and _acts(side):
        return True
    match _name(word):
        case "nocapture" | "captures":
            return not _keeps(side, parameter.operand)
        case "returned":
            return _returns(side.function) == {parameter.operand}
        case "readonly" | "readnone" | "writeonly":
            own = [a for a in found if a.place.base == parameter.operand]
            return _is_so(word, own) and (not _hands_on(side) or _is_unused(side, parameter.operand))
        case _:
            return False


def _is_left_out(word: str, side: Side, first: Side, other: s.Argument) -> bool:
    """Whether a promise about a parameter may be left out of account.

    One of the first function alone may: without it, the function is more defined. So may one that both make and that
    only the caller keeps or breaks, for then it is broken for both of them.
    """
    alike = word in other.attributes and (side.source or "%" not in word or side.module.types == first.module.types)
    if _name(word) in _OF_CALLERS:
        return alike
    return side.source and _name(word) in _OF_POINTERS


def _name(word: str) -> str:
    """An attribute without what is in its parentheses."""
    return word.partition("(")[0]


def _is_unused(side: Side, parameter: s.Operand | None) -> bool:
    """Whether a function never names a parameter."""
    lines = (line.instruction for block in side.function.blocks for line in block.lines)
    return isinstance(parameter, s.Local) and all(parameter.name not in locals_in(i) for i in lines)


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
    return not _is_unused(side, parameter) and (_hands_on(side) or parameter in kept_by(side.function))


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
