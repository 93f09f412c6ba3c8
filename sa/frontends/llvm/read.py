"""Files of LLVM IR as modules.

llvmlite parses and verifies a module and prints it in the one form that the grammar knows. A function is read when it
is asked for, so that what is not accepted in one of them is no matter to the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sa.base.diagnostic import InputError, error
from sa.base.source import Source, Span
from sa.frontends.llvm.built import Header, NotRead, read_line
from sa.frontends.llvm.debug import files_of
from sa.frontends.llvm.operands import is_same, without_casts
from sa.frontends.llvm.operations import simplified
from sa.frontends.llvm.syntax import (
    Block,
    Body,
    Cast,
    Defined,
    Function,
    GlobalVariable,
    Line,
    Local,
    Module,
    Signature,
    Type,
    Typed,
    refused,
)
from sa.language.read import MAX_BYTES, read_source

#: What is attached at the end of a line: `, !dbg !12`.
_ATTACHED = re.compile(r",? ?!([A-Za-z_][\w.]*) (!\d+|!\{[^{}]*\}|!DIExpression\([^()]*\))\s*$")
_LABEL = re.compile(r'^([-\w.$]+|"[^"]*"):')
_NAME = re.compile(r'@([-\w.$]+|"[^"]*")\(')
_GROUP = re.compile(r"^attributes #(\d+) = \{(.*)\}$")
_WORD = re.compile(r'"[^"]*"(?:="[^"]*")?|\w+(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|=\d+)?')
_ALIGN = re.compile(r", align (\d+)")
#: What follows a variable of a module behind its value: of these nothing but its alignment is of interest.
_BEHIND = re.compile(
    r'(, (align \d+|section "[^"]*"|partition "[^"]*"|comdat(\(\$([-\w.$]+|"[^"]*")\))?|no_sanitize_\w+|sanitize_\w+'
    r'|code_model "[^"]*"))*( #\d+)?$'
)


#: What LLVM makes records of, which are no instructions.
_DEBUGGED = re.compile(r"#dbg_|((tail|musttail|notail) )?call void @llvm\.dbg\.")


def read_module(path: str) -> Module:
    """The module in a file of text or bitcode. Raises InputError."""
    source = disassembled(path) if path.lower().endswith(".bc") else read_source(path)
    canonical = _printed(source)
    return _module(canonical, source, _layout(canonical, source))


def disassembled(path: str) -> Source:
    """The text that LLVM prints of a file of bitcode. Raises InputError."""
    binding = _binding()
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise InputError((error("SA016", f"`{path}` is larger than {MAX_BYTES} bytes"),))
        return Source(path, str(binding.parse_bitcode(data, binding.create_context())))
    except OSError as wrong:
        raise InputError((error("SA013", f"cannot read `{path}`: {wrong.strerror}"),)) from None
    except RuntimeError as wrong:
        said = str(wrong).strip().rpartition("\n")[2]
        raise InputError((error("SA741", f"`{path}` is no bitcode of LLVM: {said}"),)) from None


def _binding() -> Any:
    """LLVM. Raises InputError where it is not there."""
    try:
        from llvmlite import binding
    except ImportError:
        hint = "install it with `pip install 'sacheck[llvm]'`"
        raise InputError(
            (error("SA740", "LLVM IR is read with llvmlite, which is not installed", None, hint),)
        ) from None
    return binding


def _printed(source: Source) -> str:
    """The module as LLVM prints it, once it is parsed and verified."""
    plain = _DEBUG.sub(lambda found: " " * len(found[0]), source.text)
    if plain != source.text:
        # LLVM verifies a module with debug information as it parses it, and aborts where that fails.
        _verified(_VERSION.sub(lambda found: f"{found[1]}0", plain), source)
    return str(_verified(source.text, source))


#: What refers to debug information, and the version of it: LLVM leaves out what has another one.
_DEBUG = re.compile(
    r"^[ \t]*#dbg_.*|^[ \t]*((tail|musttail|notail) )?call void @llvm\.dbg\..*|^!llvm\.dbg\.cu = .*|,?[ \t]*!dbg !\d+",
    re.MULTILINE,
)
_VERSION = re.compile(r'(!"Debug Info Version", i32 )\d')


def _verified(text: str, source: Source) -> Any:
    """The module in a text. Raises InputError."""
    binding = _binding()
    try:
        # Names of types are told apart by numbers within a context.
        module = binding.parse_assembly(text, binding.create_context())
    except RuntimeError as wrong:
        raise _not_ir(str(wrong), source) from None
    try:
        module.verify()
    except RuntimeError as wrong:
        said = str(wrong).strip().partition("\n")[0]
        message = f"`{source.name}` is no valid LLVM IR: {said}"
        raise refused("SA741", message, Span(source, 0, 0), "have it verified: `opt -passes=verify`") from None
    return module


def _not_ir(said: str, source: Source) -> InputError:
    """The error for a text that LLVM does not parse, where it says that it is wrong."""
    found = re.search(r"<string>:(\d+):(\d+): error: (.*)", said)
    if found is None or not 1 <= int(found[1]) <= len(source.line_starts):
        return refused("SA741", f"`{source.name}` is not understood as LLVM IR", Span(source, 0, 0))
    start = min(source.line_starts[int(found[1]) - 1] + int(found[2]) - 1, len(source.text))
    return refused("SA741", f"this is not understood as LLVM IR: {found[3]}", Span(source, start, start + 1))


def _layout(canonical: str, source: Source) -> int:
    """The alignment of integers of 64 bits, in bytes.

    Raises InputError unless pointers have 64 bits, bytes are little endian, and integers are aligned as usual.
    """
    found = re.search(r'^target datalayout = "([^"]*)"', canonical, re.MULTILINE)
    # LangRef, Data Layout: without another word they are aligned to 32 bits.
    wide = 4
    if found is None:
        return wide
    for part in found[1].split("-"):
        field, _, rest = part.partition(":")
        sizes = rest.split(":")
        pointer = field in ("p", "p0") and sizes[0] != "64"
        address = field[:1] in ("A", "P", "G") and field[1:] not in ("", "0")
        own = field[:1] == "i" and field[1:] in ("8", "16", "32") and sizes[0] != field[1:]
        if field == "i64":
            wide = int(sizes[0]) // 8
        if field == "E" or pointer or address or own or field.startswith("ni"):
            where = re.search(r"target datalayout[^\n]*", source.text)
            span = Span(source, *((0, 0) if where is None else where.span()))
            message = f"`{part}` in the data layout: only 64-bit little-endian targets are accepted"
            raise refused("SA742", message, span, "compile for x86-64 or AArch64")
    return wide


def _module(canonical: str, source: Source, wide: int) -> Module:
    types, variables, declared = dict[str, Type](), dict[str, GlobalVariable](), dict[str, Signature]()
    defined, metadata, groups = dict[str, Body](), dict[str, str](), dict[int, tuple[str, ...]]()
    lines = iter(canonical.split("\n"))
    headers = list[tuple[str, Span]]()
    for line in lines:
        if line.startswith("define "):
            body = _body(line, lines, source)
            defined[body.name] = body
            headers.append((line.removesuffix("{"), body.span))
        elif line.startswith("declare "):
            headers.append((line, _place(source, line, "declare")))
        elif (group := _GROUP.match(line)) is not None:
            groups[int(group[1])] = tuple(_WORD.findall(group[2]))
        elif re.match(r"^%[^=]* = type ", line):
            _named(line, types)
        elif re.match(r"^@[^=]* = ", line):
            _variable(line, source, variables)
        elif (number := re.match(r"^(!\d+) = (.*)", line)) is not None:
            metadata[number[1]] = number[2]
    files = files_of(metadata)
    made = Module(source, types, variables, declared, defined, metadata, groups, wide, files)
    for header, span in headers:
        signature = _signature(header, span, made)
        if signature is not None:
            declared[signature.name] = signature
    return made


def _body(header: str, lines: Iterator[str], source: Source) -> Body:
    """A function as logical lines: one for each label and each instruction."""
    found = list[str]()
    for line in lines:
        text = line.strip()
        if text == "}":
            break
        if not text or text.startswith((";", "#dbg_")):
            continue
        if found and not found[-1].endswith("]") and found[-1].startswith("switch ") and "]" not in found[-1]:
            found[-1] += f" {text}"
            continue
        label = _LABEL.match(text)
        found.append(label[0] if label is not None else text)
    name = _NAME.search(header)
    span = _place(source, header, "define")
    places = _places(source, span, found)
    return Body("" if name is None else name[1].strip('"'), span, tuple(zip(found, places, strict=True)))


def _place(source: Source, header: str, word: str) -> Span:
    """Where a function is defined or declared in the user's text, its first line."""
    name = _NAME.search(header)
    at = None if name is None else re.search(rf"^[ \t]*{word}\b[^\n]*{re.escape(name[0])}[^\n]*", source.text, re.M)
    return Span(source, *((0, 0) if at is None else at.span()))


def _places(source: Source, header: Span, lines: Sequence[str]) -> list[Span]:
    """Where the lines of a function are in the user's text, if there are as many; else where it begins."""
    at, found, depth = header.end + 1, list[Span](), 0
    for text in source.text[at:].split("\n"):
        bare = re.sub(r'("[^"]*")|;.*', lambda m: m[1] or "", text).strip()
        if bare == "}":
            break
        if bare and not _DEBUGGED.match(bare) and not depth:
            start = at + len(text) - len(text.lstrip())
            found.append(Span(source, start, start + len(bare)))
        depth += (bare.count("[") - bare.count("]")) if bare.startswith("switch ") or depth else 0
        at += len(text) + 1
    labels = [bool(_LABEL.match(t)) for t in lines]
    same = labels == [bool(_LABEL.match(source.text[s.start : s.end])) for s in found]
    return found if same else [header] * len(lines)


def _named(line: str, types: dict[str, Type]) -> None:
    try:
        name, kind = read_line(line, "named")
    except NotRead:
        return
    types[name] = kind


def _variable(line: str, source: Source, variables: dict[str, GlobalVariable]) -> None:
    text = line
    while (attached := _ATTACHED.search(text)) is not None:
        text = text[: attached.start()]
    align = _ALIGN.search(text)
    behind = _BEHIND.search(text)
    text = text if behind is None else text[: behind.start()]
    try:
        name, words, constant, kind, first = read_line(text, "variable")
    except NotRead:
        return
    at = re.search(rf'^[ \t]*@"?{re.escape(name)}"? =[^\n]*', source.text, re.MULTILINE)
    span = Span(source, *((0, 0) if at is None else at.span()))
    variables[name] = GlobalVariable(name, words, constant, kind, first, 0 if align is None else int(align[1]), span)


def _signature(header: str, span: Span, module: Module) -> Signature | None:
    """What is said of a function before its body; None where that is not understood."""
    # A declaration has its attachments before its type.
    bare = re.sub(r"^declare( ![A-Za-z_][\w.]* !\d+)+", "declare", header.removesuffix("{").rstrip())
    text, _ = _without_attachments(bare)
    try:
        made: Header = read_line(text, "function")
    except NotRead:
        return None
    before, kind, name, arguments, variadic, words, groups = made
    attributes = (*words, *(w for g in groups for w in module.groups.get(g, ())))
    return Signature(name, before, kind, before, arguments, variadic, attributes, span)


def _without_attachments(text: str) -> tuple[str, Mapping[str, str]]:
    found = dict[str, str]()
    while (attached := _ATTACHED.search(text)) is not None:
        found[attached[1]] = attached[2]
        text = text[: attached.start()]
    return text, found


def function_of(module: Module, name: str) -> Function:
    """A function that the module defines. Raises InputError for what is not read in it."""
    body = module.defined[name]
    signature = module.declared.get(name)
    if signature is None:
        hint = "parameters and results are integers and pointers, without a personality or garbage collector"
        raise refused("SA743", f"the declaration of `{name}` is not accepted", body.span, hint)
    unnamed = sum(1 for p in signature.parameters if p.operand is None or _is_number(p))
    here, blocks, lines = str(unnamed), list[Block](), list[Line]()
    for text, span in body.lines:
        if (label := _LABEL.match(text)) is not None:
            if lines or blocks:
                blocks.append(Block(here, tuple(lines)))
            here, lines = label[1].strip('"'), []
            continue
        lines.extend(_lines(text, span, module))
    return without_casts(Function(signature, (*blocks, Block(here, tuple(lines)))))


def _is_number(parameter: object) -> bool:
    operand = getattr(parameter, "operand", None)
    return operand is not None and str(getattr(operand, "name", "")).isdigit()


def _lines(text: str, span: Span, module: Module) -> Iterator[Line]:
    """A line as an instruction, and perhaps what is said of its result. Raises InputError."""
    bare, attached = _without_attachments(text)
    try:
        result, instruction = read_line(bare, "instruction")
        if isinstance(instruction, Cast) and instruction.operation == "bitcast" and not is_same(instruction):
            raise NotRead(0)
    except NotRead:
        words = re.sub(r"^%\S+ = ", "", bare).split()
        told = next((w for w in words if w not in ("tail", "musttail", "notail")), "")
        message = f"this use of `{told}` is not accepted"
        raise refused("SA743", message, span, "docs/LLVM.md has a table of the instructions that are") from None
    made = simplified(instruction, module)
    if made.instruction is instruction:
        yield Line(result, instruction, attached, span, text)
        return
    yield from (Line(None, Defined(value), {}, span, text) for value in made.defined)
    yield Line(result, made.instruction, attached, span, text)
    if made.result and result is not None:
        yield Line(None, Defined(Typed(instruction.type, Local(result))), {}, span, text)
