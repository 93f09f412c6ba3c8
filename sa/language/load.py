"""A file and what it imports to a program, or to a proof script."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from os.path import realpath

from msgspec import Struct

from sa.automata.automaton import Kind
from sa.base.caveat import Said, assuming
from sa.base.diagnostic import Diagnostic, InputError, error
from sa.base.source import Source, Span, line_text, position
from sa.language import syntax
from sa.language.elaborate import Elaborated, elaborate
from sa.language.elaborate.declarations import Imported
from sa.language.elaborate.exports import visible_elsewhere
from sa.language.loaded import Loaded, LoadedScript
from sa.language.names import ModuleSymbol, Scope
from sa.language.parser import parse
from sa.language.read import beside, read_source

#: Schedulers of the library that leave open who is next: a run that refutes may take another order each time.
ANY_ORDER = frozenset({"cooperative", "fairthreads", "systemc"})


class _File(Struct, frozen=True):
    """A file that was read, and the meaning of what it imports by alias."""

    module: syntax.Module
    imports: Mapping[str, Elaborated]
    sources: tuple[Source, ...]


def load_program(path: str, split: bool = False) -> Loaded:
    """Read, parse and elaborate a file and its imports. Raises InputError with all their errors."""
    return _program(_read(path, split, ()), split)


def load_script(path: str, split: bool = False) -> LoadedScript:
    """The same for a proof script; `split` is meant for the programs. Raises InputError."""
    return _script(_read(path, split, ()))


def script_of(path: str, text: str, split: bool = False) -> LoadedScript:
    """The proof script of a text that would stand in a file. Raises InputError."""
    return _script(_parsed(Source(path, text), split, ()))


def load_text(path: str, text: str, split: bool = False) -> Loaded | LoadedScript:
    """A text that would stand at `path`, as an editor has it, as what it is. Raises InputError."""
    return _loaded(_parsed(Source(path, text), split, ()), split)


def load(path: str, split: bool = False) -> Loaded | LoadedScript:
    """A program or a proof script: a file with steps is a script. Raises InputError."""
    return _loaded(_read(path, split, ()), split)


def _loaded(file: _File, split: bool) -> Loaded | LoadedScript:
    from sa.language.elaborate.script import has_steps

    return _script(file) if has_steps(file.module) else _program(file, split)


def _program(file: _File, split: bool) -> Loaded:
    result = elaborate(file.module, _exported(file.imports), split)
    programs = tuple((alias, made.program) for alias, made in file.imports.items())
    return Loaded(
        result.program, result.warnings, file.sources, result.blocks, programs, result.lints, _said(file.module)
    )


def _said(module: syntax.Module) -> Said:
    """Which scheduler the threads of a cooperative program have."""
    used = (d for d in module.declarations if isinstance(d, syntax.UsesScheduler))
    check = "declare a scheduler that takes one order: `scheduler NAME { … }`"
    return Said(
        tuple(
            assuming(
                "scheduler", f"the scheduler `{d.name.name}` may resume the threads that are ready in any order", check
            )
            if d.name.name in ANY_ORDER
            else assuming("scheduler", f"the scheduler `{d.name.name}`", check)
            for d in used
        )
    )


def _script(file: _File) -> LoadedScript:
    # Programs need nothing of this.
    from sa.language.elaborate.script import elaborate_script

    result = elaborate_script(file.module, _exported(file.imports), file.imports)
    of_programs = (w for made in file.imports.values() for w in made.warnings)
    return LoadedScript(result.script, tuple(dict.fromkeys((*result.warnings, *of_programs))), file.sources)


def _read(path: str, split: bool, above: tuple[str, ...]) -> _File:
    return _parsed(read_source(path), split, above)


def _parsed(source: Source, split: bool, above: tuple[str, ...]) -> _File:
    module, path = parse(source), source.name
    here = (*above, realpath(path))
    sources, imports, problems = {source.name: source}, dict[str, Elaborated](), list[Diagnostic]()
    missing = set[str]()
    for declaration in module.declarations:
        if isinstance(declaration, syntax.Import):
            try:
                file = _imported(declaration, path, split, here)
                imports[declaration.alias.name] = elaborate(file.module, _exported(file.imports), split, imported=True)
            except InputError as wrong:
                problems.extend(wrong.diagnostics)
                missing.add(declaration.alias.name)
            else:
                sources |= {s.name: s for s in file.sources if s.name not in sources}
    made = _File(module, imports, tuple(sources.values()))
    if problems:
        raise InputError(tuple(dict.fromkeys((*problems, *_own_errors(made, split, missing)))))
    return made


def _own_errors(file: _File, split: bool, missing: Set[str]) -> Iterator[Diagnostic]:
    """The errors of a file itself that have nothing to do with the imports that are missing."""
    try:
        _loaded(file, split)
    except InputError as wrong:
        for found in wrong.diagnostics:
            words = "" if found.span is None else line_text(found.span.source, _line_of(found.span))
            if found.span is not None and missing.isdisjoint(re.findall(r"\w+", words)):
                yield found


def _line_of(span: Span) -> int:
    return position(span.source, span.start).line


def _imported(declaration: syntax.Import, path: str, split: bool, above: tuple[str, ...]) -> _File:
    target = beside(path, declaration.path, declaration.span)
    if realpath(target) in above:
        circle = " imports ".join(f"`{p}`" for p in (*above[above.index(realpath(target)) :], realpath(target)))
        raise InputError((error("SA018", f"a file imports itself: {circle}", declaration.span),))
    try:
        return _read(target, split, above)
    except InputError as wrong:
        if all(d.span is None for d in wrong.diagnostics):
            first = wrong.diagnostics[0]
            raise InputError((error(first.code, first.message, declaration.span, first.hint),)) from wrong
        raise


def _exported(imports: Mapping[str, Elaborated]) -> dict[str, Imported]:
    """What files may use of their imports: everything but variables that change, and what depends on them."""
    return {alias: _visible(made) for alias, made in imports.items()}


def _visible(made: Elaborated) -> Imported:
    names = Scope(None, {n: visible_elsewhere(s) for n, s in made.scope.symbols.items()})
    program = made.program
    parameters = tuple(v for v in program.variables if v.kind is Kind.PARAM)
    return Imported(ModuleSymbol(names), parameters, program.functions, program.axioms)
