"""A proof script's surface syntax to a Script: who claims what, by which rule, from which earlier steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from sa.automata.automaton import Kind, Variable
from sa.automata.program import Axiom, Program, with_parameters
from sa.automata.proof import Rule, Script, Step
from sa.base.diagnostic import Diagnostic, InputError, Label, Severity, error
from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.claims import Programs, elaborate_claim
from sa.language.elaborate.context import Context, complain
from sa.language.elaborate.declarations import Imported, collect, declared_variables
from sa.language.elaborate.program import Elaborated, expectation
from sa.language.names import did_you_mean
from sa.lowering.draft import origin
from sa.terms.term import Term

_RULES = {rule.value: rule for rule in Rule}

# Declarations that make a program, and what they are called in messages.
_OF_PROGRAMS: Mapping[type[object], str] = {
    syntax.Global: "variables",
    syntax.Init: "initial states",
    syntax.Thread: "threads",
    syntax.AutomatonDeclaration: "threads",
    syntax.InvariantDeclaration: "invariants",
    syntax.RefinementBlock: "refinement blocks",
}


class ElaboratedScript(Struct, frozen=True):
    """A script, and warnings about its own text."""

    script: Script
    warnings: tuple[Diagnostic, ...]


def has_steps(module: syntax.Module) -> bool:
    """Whether a file is a proof script."""
    return any(isinstance(d, syntax.StepDeclaration) for d in module.declarations)


def elaborate_script(
    module: syntax.Module, imports: Mapping[str, Imported], programs: Mapping[str, Elaborated]
) -> ElaboratedScript:
    """The meaning of a script. `imports` and `programs` are the files behind its aliases. Raises InputError with
    all errors.
    """
    problems = list[Diagnostic]()
    try:
        script = _script(module, imports, programs, problems)
    except RecursionError:
        problems.append(error("SA012", "nested too deeply", module.declarations[0].span, "name parts of it"))
        raise InputError(tuple(problems)) from None
    if any(p.severity is Severity.ERROR for p in problems):
        raise InputError(tuple(dict.fromkeys(problems)))
    return ElaboratedScript(script, tuple(dict.fromkeys(problems)))


def _script(
    module: syntax.Module,
    imports: Mapping[str, Imported],
    programs: Mapping[str, Elaborated],
    problems: list[Diagnostic],
) -> Script:
    declared = collect(module, imports, problems)
    parameters = tuple(v for v in declared_variables(declared) if v.kind is Kind.PARAM)
    if has_steps(module):
        problems.extend(_of_a_program(module))
    else:
        hint = "such as `lemma name : conc refines abs;`; for a program there are `verify` and `refine`"
        place = module.declarations[0].span if module.declarations else Span(module.source, 0, 0)
        problems.append(error("SA603", "this file proves nothing: it has no `lemma` or `theorem`", place, hint))
    for alias, made in programs.items():
        problems.extend(_meaning_two_things(alias, made.program, parameters))
    steps = _steps(module, Programs(programs, declared.context))
    axioms = dict[Term, Axiom]()
    for axiom in declared.axioms:
        axioms.setdefault(axiom.formula, axiom)
    return Script(
        module.source,
        {alias: with_parameters(made.program, parameters) for alias, made in programs.items()},
        tuple(dict.fromkeys(declared.functions)),
        tuple(axioms.values()),
        steps,
        expectation(module, problems),
    )


def _of_a_program(module: syntax.Module) -> Iterator[Diagnostic]:
    for declaration in module.declarations:
        what = _OF_PROGRAMS.get(type(declaration))
        if what is not None:
            hint = "declare them in a file of their own and import it"
            yield error("SA602", f"a proof script has no {what}", declaration.span, hint)


def _meaning_two_things(alias: str, program: Program, parameters: tuple[Variable, ...]) -> Iterator[Diagnostic]:
    """Parameters are the same everywhere, so no program of a script may call something else by the name of one."""
    known = {p.var.name: p for p in parameters}
    for thread in program.threads:
        for v in (*program.variables, *thread.variables):
            clash = known.get(v.var.name)
            if clash is not None and v.kind is not Kind.PARAM:
                what = f"a local of `{alias}.{thread.name}`" if v.kind is Kind.LOCAL else f"a variable of `{alias}`"
                where = v.origin.span or thread.origin.span
                labels = () if clash.origin.span is None else (Label(clash.origin.span, "the parameter is here"),)
                message = f"`{v.var.name}` is {what}, and a parameter in this script"
                yield error("SA102", message, where, "parameters are the same in all programs: rename one", labels)


def _steps(module: syntax.Module, programs: Programs) -> tuple[Step, ...]:
    written = [d for d in module.declarations if isinstance(d, syntax.StepDeclaration)]
    every = {d.name.name for d in written}
    earlier, steps = dict[str, Span](), list[Step]()
    for declaration in written:
        name = declaration.name
        if name.name in earlier:
            message = f"the step `{name.name}` is declared twice"
            labels = (Label(earlier[name.name], "the first one is here"),)
            programs.context.problems.append(error("SA102", message, name.span, "rename one of them", labels))
        step = _step(declaration, earlier, every, programs)
        if step is not None:
            steps.append(step)
        earlier.setdefault(name.name, name.span)
    return tuple(steps)


def _step(
    written: syntax.StepDeclaration, earlier: Mapping[str, Span], every: set[str], programs: Programs
) -> Step | None:
    claim = elaborate_claim(written, programs)
    rule, cited = None, tuple[str, ...]()
    if written.by is not None:
        rule = _rule(written.by.rule, programs.context)
        cited = tuple(
            c.name for c in written.by.cited if _is_earlier(c, written.name, earlier, every, programs.context)
        )
    if claim is None:
        return None
    kind = "theorem" if written.theorem else "lemma"
    span = written.span
    heading = Span(span.source, span.start, written.name.span.end)
    stated = Span(span.source, written.claim.span.start, span.end)
    return Step(written.name.name, kind, claim, rule, cited, written.expect, origin(span), heading, stated)


def _rule(written: syntax.Identifier, context: Context) -> Rule | None:
    rule = _RULES.get(written.name)
    if rule is None:
        hint = did_you_mean(written.name, list(_RULES)) or f"the rules are {', '.join(_RULES)}"
        complain(context, "SA613", f"there is no rule `{written.name}`", written.span, hint)
    return rule


def _is_earlier(
    cited: syntax.Identifier,
    step: syntax.Identifier,
    earlier: Mapping[str, Span],
    every: set[str],
    context: Context,
) -> bool:
    if cited.name in earlier:
        return True
    if cited.name == step.name:
        complain(context, "SA612", f"`{step.name}` cites itself", cited.span, "a step depends on earlier ones")
    elif cited.name in every:
        message = f"`{cited.name}` comes after this step"
        complain(context, "SA612", message, cited.span, "a step depends on earlier ones: move it up")
    else:
        hint = did_you_mean(cited.name, list(earlier))
        complain(context, "SA611", f"there is no step `{cited.name}`", cited.span, hint)
    return False
