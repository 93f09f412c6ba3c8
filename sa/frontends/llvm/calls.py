"""Calls: functions that the module does not define are visible, with their arguments and results; intrinsics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from sa.frontends.flow.actions import Show, Sync
from sa.frontends.flow.graph import Begin, End, Havoc, Live, Range, Set
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm import unresolved
from sa.frontends.llvm.analysis import callee_of, is_defined, overflowing
from sa.frontends.llvm.body import (
    EXIT,
    POISON,
    UNDEF,
    Body,
    Leaf,
    Pair,
    Plain,
    bit,
    bits_of,
    canonical,
    emit,
    fresh,
    key_of,
    refused,
    register,
    undefined,
)
from sa.frontends.llvm.counting import overflow
from sa.frontends.llvm.given import as_shown, asked, is_null, seen
from sa.frontends.llvm.library import is_fact, is_library, is_opaque
from sa.frontends.llvm.promises import arguments_of, is_promise, words_of
from sa.frontends.llvm.uses import any_value, definite
from sa.frontends.llvm.values import Pointer, pointer, typed
from sa.terms import build
from sa.terms.term import Term

#: What may be said of a function that is called, and of a call: nothing follows from it that is not modelled.
_HARMLESS = frozenset({
    "nounwind", "nofree", "norecurse", "nobuiltin", "builtin", "noinline", "cold", "hot", "mustprogress", "uwtable",
    "noundef", "signext", "zeroext", "dso_local", "local_unnamed_addr", "unnamed_addr", "noreturn", "nocallback",
    "optsize", "minsize", "noredzone", "nonlazybind", "fastcc", "ccc",
})  # fmt: skip

#: What may be said of a pointer that is an argument.
_POINTER = ("nonnull", "align", "dereferenceable", "dereferenceable_or_null")

#: What may be said of an argument.
_ARGUMENT = frozenset({"noundef", "signext", "zeroext", "inreg", "noext"})


def called(body: Body, name: str, call: s.Call, announced: bool) -> None:
    """A call; if it is `announced`, what may be `undef` is chosen once the call is seen. Raises InputError."""
    callee = callee_of(call)
    if (operation := overflowing(call)) is not None:
        _overflow(body, name, operation, call)
        return
    if callee.startswith("llvm."):
        _intrinsic(body, callee, call)
        return
    words, arguments = _checked(body, callee, call)
    through = () if callee else _callee(body, call)
    made_sure = [_made_sure(body, argument) for argument in arguments]
    if announced:
        emit(body, Begin())
        emit(body, Show(f"will_call_{callee}", through))
        emit(body, End())
    emit(body, Begin())
    given = zip(arguments, made_sure, strict=True)
    values = (*through, *(term for argument, known in given for term in _given(body, argument, known)))
    # A function of any number of arguments may tell values of several types apart.
    kinds = "_".join(key_of(bits_of(a.type, body)) for a in arguments)
    kind = f"_{kinds}" if call.variadic or not callee else ""
    result = "" if callee or isinstance(call.type, s.VoidType) else f"_gives_{key_of(bits_of(call.type, body))}"
    emit(body, Show(f"call_{callee}{kind}{result}", values, Sync.CALL))
    emit(body, End())
    if "noreturn" in words:
        undefined(body, build.TRUE, "a return from what does not return")
    if not isinstance(call.type, s.VoidType):
        _result(body, name, call, words)


def _callee(body: Body, call: s.Call) -> tuple[Term, ...]:
    """The pointer to the function that is called, as others see it: it must not be null. Raises InputError."""
    at = pointer(body, call.callee)
    null = build.FALSE if body.facts.null_is_valid else is_null(body, at)
    undefined(body, build.lor(at.poison, at.undef, null), "a call through a value that points to no function")
    return as_shown(body, replace(at, poison=build.FALSE, undef=build.FALSE))


def _result(body: Body, name: str, call: s.Call, words: Sequence[str]) -> None:
    """What a call returns: the environment chooses it. Raises InputError."""
    callee, bits = callee_of(call), bits_of(call.type, body)
    low, high = canonical(bits)
    emit(body, Begin())
    made = register(body, f"%{name}", Range(low, high), f"%{name}")
    emit(body, Havoc(made, Range(low, high)))
    null = build.eq(made, build.ZERO) if "nonnull" in words else build.FALSE
    if is_defined(call, body.unit.module):
        emit(body, Show(f"result_of_{callee}", (made,)))
        emit(body, End())
        undefined(body, null, "a result that is null")
        body.known[name] = Plain(made, None)
        return
    kind = register(body, f"kind.%{name}", Range(0, UNDEF), f"kind of %{name}")
    emit(body, Havoc(kind, Range(0, UNDEF)))
    emit(body, Show(f"result_of_{callee}", (made, kind)))
    if null is not build.FALSE:
        emit(body, Set(kind, build.ite(build.land(null, build.eq(kind, build.ZERO)), build.integer(POISON), kind)))
    emit(body, End())
    body.known[name] = Leaf(made, kind, bits)


def _checked(body: Body, callee: str, call: s.Call) -> tuple[tuple[str, ...], list[s.Argument]]:
    """What is said of a call, and its arguments with all that is said of them.

    Raises InputError if it is not visible, or more is known of it than is modelled.
    """
    module = body.unit.module
    declared = module.declared.get(callee)
    if declared is None and (callee or not isinstance(call.callee, s.Local)):
        raise refused(body, "a call of a function whose declaration is not read")
    follows = any(_is_given(operand, body) for operand in body.shapes)
    if is_library(callee) and not is_opaque(callee, follows):
        hint = "call a function of another name: LLVM knows what this one does"
        raise refused(body, f"a call of `@{callee}`, a function of the library,", hint)
    if declared is not None:
        _called_as_declared(body, callee, call, declared)
    if call.bundles:
        raise refused(body, f"a call with `{call.bundles[0].tag}`", "leave it out in both files")
    words = words_of(call, module)
    for word in words:
        if word == "nonnull" and isinstance(call.type, s.PointerType):
            continue
        if word.startswith('"') or word.partition("(")[0] in _HARMLESS:
            continue
        if not is_promise(word) and not is_fact(callee, word):
            raise refused(body, f"a call of a function that is `{word}`", "leave out the attribute in both files")
    arguments = list(arguments_of(call, module))
    for argument in arguments:
        for word in argument.attributes:
            pointed = isinstance(argument.type, s.PointerType) and word.partition("(")[0] in _POINTER
            promised = is_promise(word, True) or is_fact(callee, word, of_argument=True)
            if word not in _ARGUMENT and not pointed and not promised:
                raise refused(body, f"an argument that is `{word}`", "leave out the attribute in both files")
    return words, arguments


def _called_as_declared(body: Body, callee: str, call: s.Call, declared: s.Signature) -> None:
    """Raises InputError where a function is called by another type than the declared one."""
    types = [a.type for a in call.arguments], [p.type for p in declared.parameters]
    alike = call.type == declared.result and call.variadic == declared.variadic
    alike = alike and (types[0][: len(types[1])] if call.variadic else types[0]) == types[1]
    if not alike:
        raise refused(
            body, f"a call of `@{callee}` with another type than the one declared", "call it as it is declared"
        )


def _made_sure(body: Body, argument: s.Argument) -> Pointer | Term | None:
    """A pointer of which all is so that is said of it, or the number of an argument that must be one."""
    assert argument.operand is not None
    if isinstance(argument.type, s.PointerType):
        words = [w for w in argument.attributes if w.partition("(")[0] in (*_POINTER, "noundef")]
        _is_not_followed(body, argument.operand, words)
        return asked(body, pointer(body, argument.operand), words, "an argument that must not be") if words else None
    if "noundef" in argument.attributes:
        return definite(body, s.Typed(argument.type, argument.operand), "an argument that must not be poison")
    return None


def _is_not_followed(body: Body, operand: s.Operand, words: Sequence[str]) -> None:
    """Raises InputError for `dereferenceable` of what a parameter points to and is accessed: it may be freed then."""
    base = pointer(body, operand).base
    roots: frozenset[s.Operand] = frozenset((base,))
    if isinstance(base, s.Local):
        roots = body.facts.roots.get(base.name, roots)
    if any(w.startswith("dereferenceable") for w in words) and any(_is_given(r, body) for r in roots):
        what = "`dereferenceable` of an argument that the function also accesses"
        raise refused(body, what, "declare it for a parameter instead: the called function may free memory")


def _is_given(root: s.Operand, body: Body) -> bool:
    """Whether a pointer leads to what a parameter points to, as far as it is accessed."""
    return isinstance(root, s.Local) and root in body.shapes and root.name not in body.facts.own


def _given(body: Body, argument: s.Argument, known: Pointer | Term | None) -> tuple[Term, ...]:
    """What others see of an argument."""
    assert argument.operand is not None
    if isinstance(known, Pointer):
        return as_shown(body, known)
    if known is not None:
        return (known,)
    return seen(body, s.Typed(argument.type, argument.operand))


def _overflow(body: Body, name: str, operation: str, call: s.Call) -> None:
    """`llvm.sadd.with.overflow` and the like: a number, and whether it overflows, poison where an operand is."""
    if name in body.facts.may_undef:
        raise refused(body, "what overflows of a value that may be `undef`", "freeze it")
    one, two = (a.operand for a in call.arguments)
    if not isinstance(call.arguments[0].type, s.IntType) or one is None or two is None:
        raise refused(body, f"`@{callee_of(call)}`", "use integers")
    declared = body.unit.module.declared.get(callee_of(call))
    said = [*call.result, *(() if declared is None else declared.result_attributes)]
    said += [w for a in (*call.arguments, *(() if declared is None else declared.parameters)) for w in a.attributes]
    if said:
        raise refused(body, f"`{said[0]}` at `@{callee_of(call)}`", "leave out the attribute in both files")
    bits = bits_of(call.arguments[0].type, body)
    a, b = (typed(body, s.Typed(s.IntType(bits), operand)) for operand in (one, two))
    number, wrong = overflow(operation, a.term, b.term, bits, body.registers)
    parts = list[Plain]()
    for place, term, width in ((0, number, bits), (1, bit(wrong), 1)):
        var = register(body, f"%{name}.{place}", Range(*canonical(width)), f"%{name}.{place}")
        emit(body, Set(var, term))
        poison = None
        if name in body.facts.may_poison:
            poison = register(body, f"poison.%{name}.{place}", Range(0, 1), f"%{name} is poison")
            emit(body, Set(poison, bit(build.lor(a.poison, b.poison))))
        parts.append(Plain(var, poison))
    body.known[name] = Pair(*parts)


def _intrinsic(body: Body, callee: str, call: s.Call) -> None:
    """An intrinsic without a value. Raises InputError."""
    match callee.split(".")[1:]:
        case ["donothing"] | ["experimental", "noalias", "scope", "decl"]:
            return
        case ["trap"]:
            # The program ends: what is in memory is not seen any more.
            emit(body, Begin())
            emit(body, Show("trap", (), Sync.NONE))
            emit(body, End(), EXIT)
            body.here = fresh(body)
        case ["memcpy" | "memmove" | "memset", *_]:
            unresolved.moved(body, callee, call)
        case ["sideeffect"]:
            # Others take it for something that they see (LangRef, `llvm.sideeffect`).
            groups = (word for group in call.groups for word in body.unit.module.groups.get(group, ()))
            if "memory(none)" not in (*call.attributes, *groups):
                emit(body, Begin())
                emit(body, Show("sideeffect", ()))
                emit(body, End())
        case ["assume"] if call.arguments[0].operand is not None:
            operand = call.arguments[0].operand
            for bundle in call.bundles:
                _assumed(body, bundle)
            holds = definite(body, s.Typed(s.IntType(1), operand), "an assumption of poison")
            undefined(body, build.eq(holds, build.ZERO), "an assumption that does not hold")
        case ["lifetime", *_]:
            slot = call.arguments[-1].operand
            known = body.known.get(slot.name) if isinstance(slot, s.Local) else None
            if isinstance(slot, s.Local) and slot.name in body.facts.own:
                emit(body, Live(f"%{slot.name}"))
                return
            if not isinstance(slot, s.Local) or slot.name not in body.facts.slots:
                raise refused(body, "the lifetime of memory that is no variable")
            if isinstance(known, Leaf):
                any_value(body, known)
        case _:
            raise refused(body, f"`@{callee}`", "docs/LLVM.md has a table of what is")


def _assumed(body: Body, bundle: s.Bundle) -> None:
    """What a bundle of `llvm.assume` says: each tag is an attribute that its operand has (LangRef, Assume Bundles)."""
    match bundle.tag, bundle.operands:
        case ("nonnull" | "noundef" as tag, [s.Typed(s.PointerType(), at)]):
            asked(body, pointer(body, at), (tag, "noundef"), "an assumption that does not hold")
        case ("noundef", [value]):
            definite(body, value, "an assumption of poison")
        case ("align" | "dereferenceable" as tag, [s.Typed(s.PointerType(), at), s.Typed(_, s.Number(number)), *rest]):
            place = pointer(body, at)
            _is_not_followed(body, at, (tag,))
            match tag, rest:
                case "align", [s.Typed(_, s.Number(distance))]:
                    place = replace(place, offset=build.sub(place.offset, build.integer(distance)))
                case _ if rest:
                    raise refused(body, f"`{tag}` with these operands", "leave it out in both files")
            if tag == "align" and (number <= 0 or number & (number - 1)):
                raise refused(body, "an alignment that is no power of 2", "leave it out in both files")
            asked(body, place, (f"{tag}({number})", "noundef"), "an assumption that does not hold")
        case _:
            raise refused(body, f"an assumption of `{bundle.tag}`", "leave it out in both files")


def called_in(function: s.Function) -> Iterator[s.Call]:
    """The calls of a function."""
    instructions = (line.instruction for block in function.blocks for line in block.lines)
    yield from (i for i in instructions if isinstance(i, s.Call))
