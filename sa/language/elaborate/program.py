"""A file's surface syntax to a Program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.family import Family
from sa.automata.program import Guarantee, Program
from sa.automata.ranges import within as in_range
from sa.base.diagnostic import Diagnostic, InputError, Severity, error
from sa.base.source import Source, Span
from sa.base.verdict import Verdict
from sa.language import syntax
from sa.language.elaborate.automata import automaton_name, make_automaton, make_family_of_automata
from sa.language.elaborate.blocks import Block
from sa.language.elaborate.context import PROGRAM, Context
from sa.language.elaborate.control import check_procedure
from sa.language.elaborate.cooperative import resolved, scheduler_used, written_out
from sa.language.elaborate.declarations import Imported, collect, declared_variables
from sa.language.elaborate.endings import ends, progress
from sa.language.elaborate.invariants import invariants
from sa.language.elaborate.lint import shared_steps
from sa.language.elaborate.split import split_procedure, split_thread
from sa.language.elaborate.starting import declare_states
from sa.language.elaborate.threads import Surroundings, is_any_number, make_family, make_thread, members
from sa.language.names import ProcedureSymbol, Scope, find
from sa.language.parser import parse
from sa.lowering.draft import Draft, origin
from sa.terms import build
from sa.terms.name import whole
from sa.terms.term import Term


class Elaborated(Struct, frozen=True):
    """A program, its refinement blocks as they wait for their two sides, warnings, and the file's names.

    `lints` are remarks about style that no answer depends on.
    """

    program: Program
    blocks: tuple[Block, ...]
    warnings: tuple[Diagnostic, ...]
    lints: tuple[Diagnostic, ...]
    scope: Scope


def program(source: Source, split: bool = False) -> Program:
    """The program of a text without imports. Raises InputError with all errors."""
    return elaborate(parse(source), {}, split).program


def elaborate(
    module: syntax.Module, imports: Mapping[str, Imported], split: bool = False, imported: bool = False
) -> Elaborated:
    """The meaning of a file. `imports` has the files behind its aliases. Raises InputError with all errors.

    A file that is `imported` need not have threads.
    With `split`, statements that touch several shared locations are split into steps that touch one each.
    """
    problems = list[Diagnostic]()
    try:
        result = _elaborate(module, imports, split, problems)
        _check_no_steps(module, problems)
        if not imported:
            _check_content(module, result, problems)
    except RecursionError:
        problems.append(error("SA012", "nested too deeply", _first_span(module), "name parts of it"))
        raise InputError(tuple(problems)) from None
    if any(p.severity is Severity.ERROR for p in problems):
        raise InputError(tuple(dict.fromkeys(problems)))
    return replace(result, warnings=tuple(dict.fromkeys(problems)))


def _first_span(module: syntax.Module) -> Span | None:
    return module.declarations[0].span if module.declarations else None


def _elaborate(
    module: syntax.Module, imports: Mapping[str, Imported], split: bool, problems: list[Diagnostic]
) -> Elaborated:
    used, written = scheduler_used(module), written_out(module, problems)
    added, module = _globals(written) - _globals(module), written
    declared = collect(module, imports, problems)
    handles, begun = declare_states(module, declared.context)
    declared.variables.extend(v for handle in handles.values() for v in handle.variables)
    variables = tuple(
        replace(v, of_scheduler=True) if whole(v.var.name) in added else v for v in declared_variables(declared)
    )
    init = build.land(*(in_range(v) for v in variables), *declared.init, *begun)
    scope = declared.context.scope
    if split:
        procedures = {n: s for n, s in scope.symbols.items() if isinstance(s, ProcedureSymbol)}
        scope.symbols.update({name: split_procedure(symbol) for name, symbol in procedures.items()})
    around = Surroundings(scope, problems, declared.context.ranges, variables, init, handles)
    threads, families, guarantees = _threads(module, around, split)
    _check_procedures(module, around)
    blocks = tuple(_block(d, scope) for d in module.declarations if isinstance(d, syntax.RefinementBlock))
    made = Program(
        module.source,
        variables,
        tuple(declared.functions),
        tuple(declared.axioms),
        init,
        threads,
        (*invariants(module, declared, threads, families, around.several), *progress(module, threads, problems)),
        guarantees,
        expectation(module, problems),
        families,
        several=frozenset((thread, name) for thread, names in around.several.items() for name in names),
        ends=ends(module, declared, threads, around.several),
        scheduler=None if used is None else resolved(used, written, declared, variables, threads),
    )
    lints = () if split or used is not None else tuple(_lints(module, scope))
    return Elaborated(made, blocks, (), lints, scope)


def _globals(module: syntax.Module) -> frozenset[str]:
    return frozenset(n.name for d in module.declarations if isinstance(d, syntax.Global) for n in d.names)


def _check_procedures(module: syntax.Module, around: Surroundings) -> None:
    for declaration in module.declarations:
        symbol = find(around.scope, declaration.name.name) if isinstance(declaration, syntax.Procedure) else None
        if isinstance(symbol, ProcedureSymbol):
            draft = Draft(around.problems, build.ONE, taken=frozenset(v.var.name for v in around.shared))
            context = Context(around.scope, PROGRAM, around.problems, dict(around.ranges), threads=around.handles)
            check_procedure(symbol, draft, context)


def _threads(
    module: syntax.Module, around: Surroundings, split: bool
) -> tuple[tuple[Automaton, ...], tuple[Family, ...], tuple[Guarantee, ...]]:
    made = list[tuple[Automaton, tuple[Guarantee, ...]]]()
    families = list[tuple[Family, tuple[Guarantee, ...]]]()
    first = dict[str, Span]()
    any_number = any(is_any_number(d) for d in module.declarations)

    def holder() -> Term:
        # Positive numbers are those of copies, so the others have negative ones.
        return build.integer(-len(made) - 1 if any_number else len(made) + 1)

    for declaration in module.declarations:
        if isinstance(declaration, syntax.Thread):
            written = split_thread(declaration, around.scope) if split else declaration
            if is_any_number(written):
                if _is_new(written.name.name, declaration.name.span, first, around.problems, any_number=True):
                    families.append(make_family(written, around))
                continue
            for member in members(written, around):
                if _is_new(member.name, declaration.name.span, first, around.problems):
                    made.append(make_thread(member, holder(), around))
        elif isinstance(declaration, syntax.AutomatonDeclaration):
            name = automaton_name(declaration)
            if not _is_new(name, declaration.name.span, first, around.problems, is_any_number(declaration)):
                continue
            if is_any_number(declaration):
                families.append(make_family_of_automata(declaration, around))
            else:
                made.append(make_automaton(declaration, holder(), around))
    claimed = tuple(g for _, guaranteed in (*made, *families) for g in guaranteed)
    return tuple(t for t, _ in made), tuple(f for f, _ in families), claimed


def _lints(module: syntax.Module, scope: Scope) -> Iterator[Diagnostic]:
    for declaration in module.declarations:
        if isinstance(declaration, syntax.Thread | syntax.Procedure):
            yield from shared_steps(declaration.body, scope)


def _is_new(
    name: str, span: Span, first: dict[str, Span], problems: list[Diagnostic], any_number: bool = False
) -> bool:
    """Whether no thread has the name. A family of any number has copies with all names such as `T[1]`."""
    family = f"{name.partition('[')[0]}[*]"
    clash = any_number and any(known.partition("[")[0] == name for known in first)
    if name in first or family in first or clash:
        problems.append(error("SA102", f"the thread `{name}` is declared twice", span, "rename one of them"))
        return False
    first[family if any_number else name] = span
    return True


def expectation(module: syntax.Module, problems: list[Diagnostic]) -> Verdict | None:
    """What a file says that the command on it will answer."""
    found = [d for d in module.declarations if isinstance(d, syntax.Expect)]
    if len(found) > 1:
        problems.append(error("SA011", "a second `expect` in one file", found[1].span))
    return found[0].verdict if found else None


def _block(written: syntax.RefinementBlock, scope: Scope) -> Block:
    return Block(written.name.name, written.abstract, written.concrete, written, scope, origin(written.span))


def _check_no_steps(module: syntax.Module, problems: list[Diagnostic]) -> None:
    """Where a program is needed, a proof script is none."""
    first = next((d for d in module.declarations if isinstance(d, syntax.StepDeclaration)), None)
    if first is not None:
        hint = "put threads into a file that the script imports"
        problems.append(error("SA601", "this is a proof script, not a program", first.span, hint))


def _check_content(module: syntax.Module, result: Elaborated, problems: list[Diagnostic]) -> None:
    """A file has a thread, or it is a refinement between two other files."""
    alone = [b for b in result.blocks if b.abstract is None or b.concrete is None]
    if result.program.threads or result.program.families or any(p.severity is Severity.ERROR for p in problems):
        return
    if alone:
        hint = 'name both sides: `abstract "a.sa"; concrete "c.sa";`'
        problems.append(error("SA017", "no thread is declared here", alone[0].origin.span, hint))
    elif not result.blocks:
        hint = "a program has at least one `thread` or `automaton`"
        problems.append(error("SA017", "no thread is declared", Span(module.source, 0, 0), hint))
