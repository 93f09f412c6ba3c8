"""A file and what it imports to a program."""

from __future__ import annotations

from dataclasses import dataclass
from os.path import dirname, join, realpath

from sa.automata.automaton import Kind
from sa.automata.program import Program
from sa.base.diagnostic import Diagnostic, InputError, error
from sa.base.source import Source
from sa.language import syntax
from sa.language.elaborate import Block, Elaborated, elaborate
from sa.language.elaborate.declarations import Imported
from sa.language.elaborate.exports import visible_elsewhere
from sa.language.names import ModuleSymbol, Scope
from sa.language.parser import parse
from sa.language.read import read_source


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file's program, what was noticed, all texts that were read (the file's own first).

    `blocks` are the file's refinement blocks: `elaborate_refinement` gives them a meaning once both
    programs are known. `imports` are the imported files by alias. `lints` are remarks about style, such as
    steps that touch several shared locations; no answer depends on them.
    """

    program: Program
    warnings: tuple[Diagnostic, ...]
    sources: tuple[Source, ...]
    blocks: tuple[Block, ...] = ()
    imports: tuple[tuple[str, Program], ...] = ()
    lints: tuple[Diagnostic, ...] = ()


def load_program(path: str, split: bool = False) -> Loaded:
    """Read, parse and elaborate a file and its imports. Raises InputError with all errors of the first wrong file."""
    result, sources, imports = _load(path, split, ())
    programs = tuple((alias, program) for alias, program in imports.items())
    return Loaded(result.program, result.warnings, tuple(sources), result.blocks, programs, result.lints)


def _load(path: str, split: bool, above: tuple[str, ...]) -> tuple[Elaborated, list[Source], dict[str, Program]]:
    source = read_source(path)
    module = parse(source)
    here = (*above, realpath(path))
    sources, programs, imported = [source], dict[str, Program](), dict[str, Imported]()
    for declaration in module.declarations:
        if isinstance(declaration, syntax.Import):
            result, texts = _import(declaration, dirname(path), split, here)
            sources.extend(t for t in texts if t.name not in {s.name for s in sources})
            programs[declaration.alias.name] = result.program
            imported[declaration.alias.name] = _exported(result)
    return elaborate(module, imported, split, imported=bool(above)), sources, programs


def _import(
    declaration: syntax.Import, folder: str, split: bool, above: tuple[str, ...]
) -> tuple[Elaborated, list[Source]]:
    target = join(folder, declaration.path)
    if realpath(target) in above:
        circle = " imports ".join(f"`{p}`" for p in (*above[above.index(realpath(target)) :], realpath(target)))
        raise InputError((error("SA018", f"a file imports itself: {circle}", declaration.span),))
    try:
        result, sources, _ = _load(target, split, above)
    except InputError as wrong:
        if all(d.span is None for d in wrong.diagnostics):
            first = wrong.diagnostics[0]
            raise InputError((error(first.code, first.message, declaration.span, first.hint),)) from wrong
        raise
    return result, sources


def _exported(result: Elaborated) -> Imported:
    """What another file may use: everything but variables that change, and what depends on them."""
    names = Scope(None, {n: visible_elsewhere(s) for n, s in result.scope.symbols.items()})
    program = result.program
    parameters = tuple(v for v in program.variables if v.kind is Kind.PARAM)
    return Imported(ModuleSymbol(names), parameters, program.functions, program.axioms)
