"""A file of C as a program."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from msgspec.structs import replace
from pycparser import c_ast

from sa.automata.automaton import Origin
from sa.automata.components import reachable
from sa.base.diagnostic import InputError, Severity, error
from sa.base.source import Span
from sa.frontends.c import sequencing
from sa.frontends.c.allocators import WORDS, allocators, have_constants, parameters_of
from sa.frontends.c.attributes import changing
from sa.frontends.c.body import (
    ENTRY,
    EXIT,
    RETURNED,
    Alias,
    Body,
    File,
    InMemory,
    InRegister,
    complain,
    emit,
    fresh,
    object_of,
)
from sa.frontends.c.calls import call
from sa.frontends.c.caveats import UNSET, promise
from sa.frontends.c.declare import adjusted, is_constant, library_types, type_of
from sa.frontends.c.expressions import constant, static_type
from sa.frontends.c.gnu import promised, without_return
from sa.frontends.c.initial import completed, first_values, literal
from sa.frontends.c.jumps import enter_blocks, jumps
from sa.frontends.c.library import library
from sa.frontends.c.non_escaping import private
from sa.frontends.c.observable_accesses import end_of_life, is_alone
from sa.frontends.c.operations import store
from sa.frontends.c.parsing import Parsed, names_said
from sa.frontends.c.places import origin
from sa.frontends.c.scopes import block, end_with_blocks
from sa.frontends.c.statements import enclosed, keeps, statement, whole
from sa.frontends.c.syntax_tree import nodes_of
from sa.frontends.c.threads import LAST, last_function
from sa.frontends.c.types import INT, Function, Struct, Void, is_scalar, key_of, plain, range_of, words_of
from sa.frontends.c.unused_results import without_taker
from sa.frontends.c.values import Unsupported, Value
from sa.frontends.flow.graph import (
    ANY,
    Havoc,
    Live,
    Node,
    Procedure,
    Range,
    Register,
    Set,
    Skip,
    Storage,
    Store,
    Unit,
    base,
    outgoing,
)
from sa.frontends.flow.terms import written_by
from sa.frontends.reading import TRACKING, Reading
from sa.terms import build
from sa.terms.term import Int as Number
from sa.terms.term import Var


def unit_of(read: Parsed, choices: Reading) -> tuple[Unit, File]:
    """The unit of a file, and the file with what was noticed. Raises InputError with all errors."""
    try:
        return _unit_of(read, choices)
    except RecursionError:
        raise InputError((error("SA703", "nested too deeply", Span(read.text.source, 0, 0)),)) from None


def _unit_of(read: Parsed, choices: Reading) -> tuple[Unit, File]:
    text, nodes, said = read.text, read.nodes, read.said
    file, entry = File(text, choices, call, literal, enclosed, static_type), choices.entry
    declarations = _body(file, "?", None, frozenset())
    file.problems += changing(text)
    file.assigned = read.assigned
    for node in library(said | {"strlen", "strnlen"} if choices.races else said).ext:
        _declare(declarations, node, library=True)
    library_types(file)
    file.library = frozenset(file.bodies)
    file.endless = without_return(text.text)
    for word in promised(text.text, text.source.name.endswith(".i")):
        file.granted[promise(word)] = None
    if choices.function is not None:
        file.private = private(nodes, text.text)
    file.reallocates = "realloc" in said
    for node in nodes:
        _declare(declarations, node, library=False)
    if entry not in file.bodies or entry in file.library:
        if wrong := [p for p in file.problems if p.severity is Severity.ERROR]:
            raise InputError(tuple(dict.fromkeys(wrong)))
        raise _without(entry, file, Span(text.source, 0, 0))
    if not said.isdisjoint(WORDS):
        file.allocators = allocators({n: b for n, b in file.bodies.items() if n not in file.library or n in WORDS})
    _procedures(file, entry)
    sequencing.check(file, nodes)
    if file.cleans and file.leaves:
        hint = "clean up before the thread ends"
        message = "what `pthread_cleanup_push` says is not done where a thread ends by itself"
        file.problems.append(error("SA716", message, Span(text.source, 0, 0), hint))
    if any(p.severity is Severity.ERROR for p in file.problems):
        raise InputError(tuple(dict.fromkeys(file.problems)))
    return Unit(
        tuple(file.objects.values()),
        file.procedures | {n: _pointed_to(file, n) for n in file.addressed if n not in file.procedures},
        entry,
        choices.heap,
        ends=choices.deadlock,
        shows=choices.visible,
        reuses=file.frees and file.compared,
        tracks=choices.only in TRACKING,
        last=LAST if file.finishing else None,
    ), file


def _without(entry: str, file: File, span: Span) -> InputError:
    """There is no function that a program, or a comparison of functions, begins with."""
    own = sorted(set(file.bodies) - file.library)
    near = get_close_matches(entry, own, 1)
    if near:
        hint = f"did you mean `{near[0]}`?"
    elif own:
        name = own[0]
        hint = f"`--entry {name}` starts from another function; `refine --function {name}` compares one of each file"
    else:
        hint = "the file defines no function"
    return InputError((error("SA720", f"there is no function `{entry}` to start from", span, hint),))


def _procedures(file: File, entry: str) -> None:
    """Translate the functions that are reached. A call through a pointer knows all whose address is taken anywhere."""
    objects, strings, problems = dict(file.objects), file.strings, list(file.problems)
    static = dict(file.static)
    while True:
        addressed, finishing = frozenset(file.addressed), frozenset(file.finishing)
        file.wanted, done, views = [entry], 0, len(file.views)
        if finishing:
            file.bodies[LAST], file.names[LAST] = last_function(file.finishing), Function(Void(), ())
            file.library |= {LAST}
            file.wanted.append(LAST)
        while done < len(file.wanted):
            name = file.wanted[done]
            done += 1
            file.procedures[name] = _procedure(file, name)
        known = finishing == frozenset(file.finishing) and not (file.prints_members and views < len(file.views))
        if known and (not file.indirect or addressed == frozenset(file.addressed)):
            return
        file.objects, file.strings, file.problems = dict(objects), strings, list(problems)
        file.static = dict(static)
        file.procedures.clear()


def _pointed_to(file: File, name: str) -> Procedure:
    """A function that has an address and is not called as it is: no step of it is ever taken."""
    return Procedure(name, (), None, (), (), (), ENTRY, EXIT, _body(file, name, None, frozenset()).origin)


def _body(file: File, name: str, node: Any, addressed: frozenset[str]) -> Body:
    where = Origin(None) if node is None else origin(node, file.text)
    return Body(file, name, name in file.library, addressed, where)


def _declare(body: Body, node: Any, library: bool) -> None:
    """A declaration of the file."""
    file = body.file
    body.origin = origin(node, file.text)
    try:
        match node:
            case c_ast.Typedef():
                known = file.names.get(node.name)
                if library or not (isinstance(known, Alias) and isinstance(known.type, Struct) and known.type.opaque):
                    file.names[node.name] = Alias(type_of(body, node.type, constant), is_constant(body, node.type))
            case c_ast.FuncDef():
                kind = type_of(body, node.decl.type, constant)
                file.names[node.decl.name] = kind if isinstance(kind, Function) else Function(Void(), None)
                file.bodies[node.decl.name] = node
                if not library:
                    file.library -= {node.decl.name}
            case c_ast.Decl():
                _global(body, node)
            case _:
                return
    except Unsupported as wrong:
        # Preprocessed text has headers in it: what they declare is missed where it is used, and nowhere else.
        of_header = isinstance(node, c_ast.Typedef | c_ast.Decl) and body.origin.span is not None
        preprocessed = of_header and body.origin.span is not None and body.origin.span.source.name.endswith(".i")
        if not library and body.origin.span is not None and not preprocessed:
            complain(file, node, wrong)
        elif preprocessed and isinstance(node, c_ast.Decl):
            file.names.pop(node.name, None)


def _global(body: Body, node: c_ast.Decl) -> None:
    """A variable or function of the file."""
    file = body.file
    if node.name is None:
        type_of(body, node.type, constant)
        return
    kind = completed(body, type_of(body, node.type, constant), node.init)
    if isinstance(kind, Function):
        if not isinstance(file.names.get(node.name), Function) or node.name not in file.bodies:
            file.names[node.name] = kind
        return
    known = file.objects.get(node.name)
    where = origin(node, file.text)
    if "extern" in node.storage and known is None and where.span is None:
        file.names[node.name] = InMemory(base(node.name), kind, "index")
        return
    file.names[node.name] = InMemory(base(node.name), kind, "index")
    outside = "extern" in node.storage and node.init is None
    if known is not None and node.init is None and (outside or node.name not in file.outside):
        return
    whole(kind, node.name)
    file.initialisers += [] if node.init is None else [node.init]
    # Itself may be named in its initialiser. What is defined in another file may have any value.
    file.outside = file.outside | {node.name} if outside else file.outside - {node.name}
    initial = None if outside else {} if node.init is None else first_values(body, kind, node.init)
    # What others may assign to keeps its value by its type only, where a function is called some time.
    assigned = file.assigned if file.choices.function is None or "static" in node.storage else {node.name}
    if initial and keeps(body, assigned, node, kind) and isinstance(initial.get(0), Number):
        file.constants[base(node.name)] = Value(initial[0], plain(kind))
    storage = Storage.THREAD if "_Thread_local" in node.storage else Storage.STATIC
    kept = is_constant(body, node.type)
    file.objects[node.name] = object_of(node.name, kind, storage, where, initial, kept)


def _procedure(file: File, key: str) -> Procedure:
    """A function of the file, or a copy of one for some calls."""
    copied = file.copies.get(key)
    name = key if copied is None else copied.function
    node = file.bodies[name]
    kind = file.names[name]
    assert isinstance(kind, Function)
    body = _body(file, name, node.decl, frozenset(_addressed(node.body)))
    body.assigned = names_said((node.body,))[0]
    body.ignored = without_taker(node.body)
    where = body.origin
    if is_scalar(kind.result):
        body.result, body.returns = build.variable("__return"), kind.result
        body.registers[body.result] = Register(body.result, range_of(kind.result), where, temporary=True)
    elif isinstance(kind.result, Struct):
        # What is returned lies in an object of the activation; its address is the result.
        body.result, body.returns = build.variable("__return"), kind.result
        body.registers[body.result] = Register(body.result, ANY, where, temporary=True)
        body.objects[RETURNED] = object_of(RETURNED, kind.result, Storage.AUTO, where, None)
    with block(body):
        parameters = _parameters(body, node)
        if copied is not None:
            body.wanted = copied.wanted
            have_constants(body, copied)
        if body.result is not None and name == "main":
            # Its end without `return` returns 0 (C11 5.1.2.2.3).
            emit(body, Set(body.result, build.ZERO))
        body.jumps = jumps(node.body)
        statement(body, node.body)
        emit(body, Skip(), EXIT)
    enter_blocks(body)
    if not is_alone(body):
        end_with_blocks(body, name == file.choices.entry)
    if is_alone(body):
        if body.ended and body.labels:
            hint = "declare what has its address taken at the beginning of the function"
            message = "`goto` beside variables of inner blocks is not supported when functions are compared alone"
            complain(file, node, Unsupported("SA718", message, hint))
        if name != file.choices.entry:
            _ending(body)
    if _is_read_unset(body):
        file.granted[UNSET] = None
    return Procedure(
        key,
        tuple(parameters),
        body.result,
        tuple(body.registers.values()),
        tuple(body.objects.values()),
        tuple(body.steps),
        ENTRY,
        EXIT,
        where,
        name in file.library,
        name,
    )


def _is_read_unset(body: Body) -> bool:
    """Whether a variable may be read before it has a value, which C leaves undefined (6.3.2.1)."""
    unset = [(s.target, s.op.var) for s in body.steps if isinstance(s.op, Havoc) and s.op.unset]
    following = outgoing(body.steps) if unset else {}

    def behind(at: tuple[Node, Var]) -> Iterator[tuple[Node, Var]]:
        return ((s.target, at[1]) for s in following.get(at[0], ()) if written_by(s.op) is not at[1])

    return not reachable(unset, behind).isdisjoint(body.reads)


def _ending(body: Body) -> None:
    """What an activation has does not live longer than it, other than what it returns."""
    end = body.here = fresh(body)
    body.steps = [replace(s, target=end) if s.target == EXIT else s for s in body.steps]
    end_of_life(body, frozenset({RETURNED}))
    emit(body, Skip(), EXIT)


def _parameters(body: Body, node: c_ast.FuncDef) -> list[Any]:
    """Parameters are registers; one whose address is taken is stored in an object first."""
    found, alone = list[Any](), is_alone(body)
    for index, parameter in enumerate(parameters_of(node)):
        own = adjusted(type_of(body, parameter.type, constant))
        if isinstance(own, Struct):
            found.append(_given(body, parameter.name, own))
            continue
        taken = parameter.name in body.addressed
        counts = index == 0 and own == INT and body.name == "main" == body.file.choices.entry and not alone
        changes = counts and parameter.name in body.assigned and not taken
        var = build.variable(f"__{parameter.name}" if taken or changes else parameter.name)
        # How many arguments there are is no negative number (C11 5.1.2.2.1).
        range_ = Range(0, 2**31 - 1) if counts else range_of(own)
        body.registers[var] = Register(var, range_, body.origin, taken or changes, words_of(own))
        body.number_of_arguments = var if counts else body.number_of_arguments
        found.append(var)
        if changes:
            own_var = build.variable(parameter.name)
            body.registers[own_var] = Register(own_var, range_of(own), body.origin, words=words_of(own))
            emit(body, Set(own_var, var))
            body.scopes[-1][parameter.name] = InRegister(own_var, own)
            continue
        if taken:
            body.objects[parameter.name] = object_of(parameter.name, own, Storage.AUTO, body.origin, None)
            emit(body, Live(parameter.name))
            emit(body, Store(base(parameter.name), var, key_of(own), "index"))
            body.scopes[-1][parameter.name] = InMemory(base(parameter.name), own, "index")
        else:
            body.scopes[-1][parameter.name] = InRegister(var, own)
    return found


def _given(body: Body, name: str, kind: Struct) -> Var:
    """A structure given by value: its address is given, and it is copied."""
    var = build.variable(f"__{name}")
    body.registers[var] = Register(var, ANY, body.origin, temporary=True)
    body.objects[name] = object_of(name, kind, Storage.AUTO, body.origin, None)
    emit(body, Live(name))
    place = InMemory(base(name), kind, "index")
    store(body, place, Value(var, kind))
    body.scopes[-1][name] = place
    return var


def _addressed(node: Any) -> Iterator[str]:
    """Names whose address is taken somewhere in a function."""
    for here in nodes_of(node):
        if isinstance(here, c_ast.UnaryOp) and here.op == "&" and isinstance(here.expr, c_ast.ID):
            yield here.expr.name
