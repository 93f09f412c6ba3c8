"""Types from declarations of the parser's tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace
from pycparser import c_ast

from sa.frontends.c.body import Alias, Body, Constant, File, meaning
from sa.frontends.c.gnu import TYPE_OF
from sa.frontends.c.types import (
    BOOL,
    INT,
    UINT,
    VOID,
    Array,
    CType,
    Float,
    Function,
    Int,
    Pointer,
    Struct,
    alignment,
    bits_of,
    cell_count,
    cells_of,
    union_size,
)
from sa.frontends.c.values import Unsupported

#: The value of a constant expression.
Constants = Callable[[Body, Any], int]


def type_of(body: Body, node: Any, constant: Constants) -> CType:
    """The type that a declarator gives. Raises Unsupported."""
    match node:
        case c_ast.TypeDecl() | c_ast.Typename():
            inner = type_of(body, node.type, constant)
            if isinstance(inner, Struct) and "volatile" in (node.quals or []) and body.file.choices.visible:
                raise Unsupported("SA712", "a volatile structure is not compared", "make its fields volatile")
            if isinstance(inner, Struct) and "_Atomic" in (node.quals or []):
                return _atomic(body, inner)
            return _qualified(inner, node.quals or [])
        case c_ast.PtrDecl():
            return _qualified(Pointer(type_of(body, node.type, constant)), node.quals or [])
        case c_ast.ArrayDecl():
            size = None if node.dim is None else _size(body, node.dim, constant)
            return Array(type_of(body, node.type, constant), size)
        case c_ast.FuncDecl():
            return _function(body, node, constant)
        case c_ast.Struct() | c_ast.Union():
            return _struct(body, node, constant)
        case c_ast.Enum():
            return _enumeration(body, node, constant)
        case c_ast.IdentifierType():
            return _named(body, node.names)
        case _:
            raise Unsupported("SA710", f"this type is not accepted ({type(node).__name__})")


def _size(body: Body, node: Any, constant: Constants) -> int:
    try:
        size = constant(body, node)
    except Unsupported:
        raise Unsupported("SA711", "an array whose size is not constant", "give it a constant size") from None
    if size < 0:
        raise Unsupported("SA711", "an array with a negative size")
    return size


def _qualified(kind: CType, qualifiers: list[str]) -> CType:
    atomic, volatile = "_Atomic" in qualifiers, "volatile" in qualifiers
    if not (atomic or volatile):
        return kind
    match kind:
        case Int(_, _, _, was, before):
            return replace(kind, atomic=atomic or was, volatile=volatile or before)
        case Pointer(to, was, before):
            return Pointer(to, atomic or was, volatile or before)
        case Float() if atomic:
            raise Unsupported("SA710", "an atomic floating-point number is not accepted")
        case Float(name, bits, before):
            return Float(name, bits, volatile or before)
        case Array(of, size) if volatile:
            return Array(_qualified(of, ["volatile"]), size)
        case _:
            return kind


def _atomic(body: Body, kind: Struct) -> Struct:
    """The structure that is accessed as a whole. Raises Unsupported."""
    if kind.plainly is not None:
        return kind
    if body.file.choices.visible or kind.fields is None or kind.members is not None or kind.opaque:
        raise Unsupported("SA710", "an `_Atomic` structure or union is not accepted here", "make its fields atomic")
    if kind.atomically is None:
        fields = tuple((name, _synchronising(body, inner)) for name, inner in kind.fields)
        kind.atomically = Struct(kind.tag, fields, gaps=kind.gaps, plainly=kind, aligned=kind.aligned)
    return kind.atomically


def _synchronising(body: Body, kind: CType) -> CType:
    """The type of a part of an atomic structure: races on it are none. Raises Unsupported."""
    match kind:
        case Int() | Pointer():
            return _qualified(kind, ["_Atomic"])
        case Array(of, size) if size is not None:
            return Array(_synchronising(body, of), size)
        case Struct(fields=tuple(), members=None):
            return _atomic(body, kind)
        case _:
            raise Unsupported("SA710", "an `_Atomic` structure with such a member is not accepted")


def _function(body: Body, node: Any, constant: Constants) -> Function:
    result = type_of(body, node.type, constant)
    if node.args is None:
        return Function(result, None)
    kinds, variadic = list[CType](), False
    for parameter in node.args.params:
        if isinstance(parameter, c_ast.EllipsisParam):
            variadic = True
        elif isinstance(parameter, c_ast.ID):
            return Function(result, None)
        else:
            kinds.append(parameter_type(body, parameter.type, constant))
    if kinds == [VOID]:
        kinds = []
    return Function(result, tuple(kinds), variadic)


def parameter_type(body: Body, node: Any, constant: Constants) -> CType:
    """The type of a parameter; how many elements it says that there are means nothing (C11 6.7.6.3p7).

    Raises Unsupported.
    """
    if isinstance(node, c_ast.ArrayDecl):
        return Pointer(type_of(body, node.type, constant))
    return adjusted(type_of(body, node, constant))


def adjusted(kind: CType) -> CType:
    """The type of a parameter declared so (C11 6.7.6.3)."""
    match kind:
        case Array(of, _):
            return Pointer(of)
        case Function():
            return Pointer(kind)
        case _:
            return kind


def _struct(body: Body, node: Any, constant: Constants) -> Struct:
    name = node.name or f"?{id(node)}"
    if node.decls is None:
        for tags in reversed(body.tags):
            if name in tags:
                return tags[name]
        return body.file.tags.setdefault(name, Struct(name))
    scope = body.tags[-1] if len(body.tags) > 1 else body.file.tags
    known = scope.setdefault(name, Struct(name))
    if known.fields is not None:
        return known
    try:
        _complete(body, known, node, constant)
    except Unsupported as wrong:
        # A type is missed where something is made of it: a pointer to it may be handed on.
        known.refused = wrong
    return known


def _complete(body: Body, known: Struct, node: Any, constant: Constants) -> None:
    """Give a structure or a union the members that are declared. Raises Unsupported."""
    fields, gaps = list[tuple[str, CType]](), list[tuple[int, Int]]()
    for number, declared in enumerate(node.decls):
        if not isinstance(declared, c_ast.Decl):
            continue
        kind = type_of(body, declared.type, constant)
        if declared.bitsize is not None:
            kind = _bits(kind, constant(body, declared.bitsize))
            if declared.name is None:
                gaps.append((len(fields), kind))
                continue
            body.file.bit_fields = True
        if isinstance(kind, Array) and kind.size is None and number + 1 < len(node.decls):
            raise Unsupported("SA712", "an array without a size is not the last member")
        if declared.name is None and not isinstance(kind, Struct):
            continue
        if _innermost(kind) is known:
            raise Unsupported("SA719", f"`{node.name}` is a member of itself", "make the member a pointer")
        cell_count(kind)  # raises what a member is refused for
        asked = _aligned(body, declared, constant)
        if asked > alignment(kind):
            if isinstance(node, c_ast.Union):
                raise Unsupported("SA712", "an alignment of a member of a union", "align the whole union")
            gaps.append((len(fields), Int("alignment", 0, False, unit=8 * asked)))
            known.aligned = max(known.aligned, asked)
        fields.append((declared.name or f"?{number}", kind))
    if isinstance(node, c_ast.Union):
        _unite(body, known, tuple(fields))
    else:
        known.fields, known.gaps = tuple(fields), tuple(gaps)


def _aligned(body: Body, declared: c_ast.Decl, constant: Constants) -> int:
    """The alignment in bytes that a declaration asks for, 1 where it asks for none. Raises Unsupported."""
    found = 1
    for node in (a.alignment for a in declared.align or ()):
        named = isinstance(node, c_ast.Typename)
        found = max(found, alignment(type_of(body, node, constant)) if named else constant(body, node))
    return found


def _innermost(kind: CType) -> CType:
    """What arrays of arrays have as their elements."""
    while isinstance(kind, Array):
        kind = kind.of
    return kind


def _unite(body: Body, union: Struct, members: tuple[tuple[str, CType], ...]) -> None:
    """Make a structure a union of these members. Raises Unsupported."""
    size, choices = union_size(members), body.file.choices
    if not 1 <= size <= 8:
        raise Unsupported("SA712", "a union of more than 8 bytes is not accepted", "use a structure")
    scalars = [inner for _, kind in members for _, inner in cells_of(kind) if isinstance(inner, Int | Pointer)]
    if choices.races and any(s != 8 * size for s in map(bits_of, scalars)):
        # Parts beside each other are locations of their own (C11 3.14), while the whole union is one here.
        what = "a union with members of different sizes is not accepted with `--races`"
        raise Unsupported("SA712", what, "ask without `--races`, or give all members the size of the union")
    if choices.visible and any(s.volatile for s in scalars):
        raise Unsupported("SA712", "a volatile union is not accepted in `refine`")
    if any(isinstance(inner, Float) for _, kind in members for _, inner in cells_of(kind)):
        raise Unsupported("SA712", "a union with floating-point numbers is not accepted")
    whole = any(isinstance(s, Int) and s.atomic and s.bits == 8 * size for s in scalars)
    if any(s.atomic and not (isinstance(s, Int) and s.bits == 8 * size) for s in scalars):
        raise Unsupported(
            "SA712", "an atomic part of a union is not accepted", "make the whole union one atomic number"
        )
    union.members = members
    union.fields = (("?unit", Int(f"unsigned {8 * size} bits", 8 * size, False, atomic=whole)),)


def _bits(kind: CType, bits: int) -> Int:
    """The type of a bit field. Raises Unsupported."""
    if not isinstance(kind, Int) or kind.atomic or kind.volatile or not 0 <= bits <= min(kind.bits, 32):
        raise Unsupported("SA710", "a bit field of this type and size is not accepted", "use a field of its own")
    return Int(kind.name, bits, kind.signed, enumerators=kind.enumerators, unit=max(kind.bits, 8))


def _enumeration(body: Body, node: Any, constant: Constants) -> CType:
    """The type of an enumeration: `unsigned int` unless an enumerator is negative, as gcc and clang have it."""
    if node.name == TYPE_OF:
        return body.file.typed(body, node.values.enumerators[0].value.expr)
    if node.values is None:
        known = (tags[node.name] for tags in reversed(body.enumerations) if node.name in tags)
        return next(known, body.file.enumerations.get(node.name, INT))
    following, least, told = 0, 0, dict[int, str]()
    for enumerator in node.values.enumerators:
        if not isinstance(enumerator, c_ast.Enumerator):
            continue
        if enumerator.value is not None:
            following = constant(body, enumerator.value)
        names = body.scopes[-1] if len(body.scopes) > 1 else body.file.names
        names[enumerator.name] = Constant(following)
        least = min(least, following)
        told.setdefault(following, enumerator.name)
        following += 1
    kind = UINT if least >= 0 else INT
    made = Int(kind.name, kind.bits, kind.signed, enumerators=tuple(told.items()))
    if node.name is not None:
        scope = body.enumerations[-1] if len(body.enumerations) > 1 else body.file.enumerations
        scope[node.name] = made
    return made


_WORDS = {"signed", "unsigned", "short", "long", "int", "char"}


def _named(body: Body, names: list[str]) -> CType:
    words = [n for n in names if n not in ("const", "volatile", "register", "inline")]
    if words == ["void"]:
        return VOID
    if words == ["_Bool"] or words == ["bool"]:
        return BOOL
    if any(w in ("_Complex", "__float128", "_Float128", "__int128") for w in words):
        raise Unsupported("SA710", f"`{' '.join(words)}` is not accepted", "only integers of 1 to 8 bytes are")
    if words in (["float"], ["double"], ["long", "double"], ["double", "long"]):
        return Float(" ".join(sorted(words, reverse=True)), {"float": 32, "double": 64}.get(" ".join(words), 128))
    if set(words) <= _WORDS:
        return _integer(words)
    found = meaning(body, words[0])
    if isinstance(found, Alias):
        return found.type
    raise Unsupported("SA710", f"the type `{' '.join(names)}` is not known")


def _integer(words: list[str]) -> Int:
    signed = "unsigned" not in words
    if "char" in words:
        bits, name = 8, "char" if "signed" not in words else "signed char"
    elif "short" in words:
        bits, name = 16, "short"
    elif "long" in words:
        bits, name = 64, "long"
    else:
        bits, name = 32, "int"
    return Int(name if signed else f"unsigned {name}", bits, signed)


def library_types(file: File) -> None:
    """Mark the structures of the library: initialisers of them mean that they are new."""
    for name, found in file.names.items():
        if isinstance(found, Alias) and isinstance(found.type, Struct) and name != "timespec":
            found.type.opaque = True


def is_constant(body: Body, declared: Any) -> bool:
    """Whether an object that is declared so is `const`, itself or by a typedef: an array is if its elements are."""
    while isinstance(declared, c_ast.ArrayDecl):
        declared = declared.type
    if not isinstance(declared, c_ast.TypeDecl | c_ast.PtrDecl):
        return False
    inner = declared.type
    named = meaning(body, inner.names[0]) if isinstance(inner, c_ast.IdentifierType) else None
    return "const" in (declared.quals or ()) or (isinstance(named, Alias) and named.constant)
