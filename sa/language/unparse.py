"""Programs and automata as `.sa` text in the form of locations and edges, which is read back as the same automata.

Origins are not kept: what is printed is a text of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Label, Location, Variable
from sa.automata.family import Family, identity_of
from sa.automata.program import PROGRESS, Guarantee, Invariant, Program
from sa.base.verdict import Verdict
from sa.terms import build
from sa.terms.name import element, whole
from sa.terms.printer import show
from sa.terms.sort import Sort, enumerations
from sa.terms.substitute import primed, substitute
from sa.terms.term import And, Function, IsZero, Le, Not, Or, Same, Term, Var

#: Formulas whose text is longer are broken into cases.
_WIDTH = 100


def show_program(program: Program, comments: Mapping[str, Sequence[str]] | None = None) -> str:
    """The text of a whole program, with comments at the head of threads."""
    lines = [*_enumerations(program)]
    lines += _declarations(program.variables)
    lines += [_function(f) for f in program.functions]
    lines += [f"axiom {show(a.formula)};" for a in program.axioms]
    known = _bounds(program.variables)
    lines += _formula("init", program.init, known)
    known |= set(build.conjuncts(program.init))
    for thread in program.threads:
        guarantees = tuple(g for g in program.guarantees if g.thread == thread.name)
        noted = (comments or {}).get(thread.name, ())
        own = tuple(f"terminates{_asked(e.expect)};" for e in program.ends if e.of == thread.name)
        lines += ["", *_automaton(thread, known, guarantees, noted, own)]
    for family in program.families:
        guarantees = tuple(g for g in program.guarantees if g.thread == family.thread.name)
        lines += ["", *_family(family, known, guarantees)]
    if program.invariants:
        lines += ["", *(_invariant(i, program.families) for i in program.invariants)]
    lines += _ends(program)
    if program.expect is not None:
        lines += ["", f"expect {_verdict(program.expect)};"]
    return "\n".join(lines) + "\n"


def _ends(program: Program) -> Iterator[str]:
    """What is claimed of infinite runs; of single threads they say so themselves."""
    if any(e.fair for e in program.ends):
        yield "fair;"
    for end in program.ends:
        if end.until is not None:
            yield f"leads {show(end.since)} ~> {show(end.until)}{_asked(end.expect)};"
        elif end.of is None:
            yield f"terminates{_asked(end.expect)};"


def _automaton(
    automaton: Automaton,
    known: set[Term],
    guarantees: tuple[Guarantee, ...],
    comments: Sequence[str] = (),
    ends: Sequence[str] = (),
) -> Iterator[str]:
    bounds = _bounds(automaton.variables)
    yield f"automaton {automaton.name} {{"
    yield from (f"  // {comment}" for comment in comments)
    local = tuple(v for v in automaton.variables if v.kind is Kind.LOCAL)
    for line in (*_declarations(local), *_formula("init", automaton.init, known | bounds)):
        yield f"  {line}"
    for guarantee in guarantees:
        yield f"  guarantee {show(guarantee.relation)};"
    yield from (f"  {line}" for line in ends)
    common = _common(automaton)
    yield from (f"  {line}" for line in _relation("rely", common))
    for location in automaton.locations:
        yield from _location(location, location.name == automaton.initial, bounds, common)
    ranged = {v.var for v in automaton.variables if v.low is not None}
    for edge in automaton.edges:
        yield f"  {_edge(edge, ranged)}"
    yield "}"


def _family(family: Family, known: set[Term], guarantees: tuple[Guarantee, ...]) -> Iterator[str]:
    """The automaton of every copy; its head declares the identity."""
    thread, identity = family.thread, family.identity
    named = replace(thread, name=f"{thread.name}[{identity.name} : *]")
    plain = replace(named, variables=tuple(v for v in thread.variables if v.var is not identity))
    yield from _automaton(plain, known | {build.le(build.ONE, identity)}, guarantees)


def _common(automaton: Automaton) -> tuple[Term, ...]:
    """What the environments of all locations have in common."""
    relations = [build.conjuncts(q.env) for q in automaton.locations if q.env is not None]
    if len(relations) < len(automaton.locations):
        return ()
    first, *others = relations or [()]
    shared = tuple(c for c in first if all(c in other for other in others))
    # A thread whose environment may do anything everywhere says so once.
    return shared or ((build.TRUE,) if all(q.env is build.TRUE for q in automaton.locations) else ())


def _relation(keyword: str, conjuncts: Sequence[Term]) -> list[str]:
    """A relation, its conjuncts declared one by one; variables that do not change are listed."""
    still = [v for c in conjuncts for v in c.free if not v.primes and c is build.eq(primed(v), v)]
    rest = [c for c in conjuncts if not any(c is build.eq(primed(v), v) for v in still)]
    lines = [f"{keyword} unchanged {', '.join(v.name for v in still)};"] if still else []
    return lines + [_declared(keyword, c) for c in rest]


def _declared(keyword: str, formula: Term) -> str:
    """A declaration of a formula, its cases one below the other if it is long."""
    line = f"{keyword} {show(formula)};"
    if len(line) <= _WIDTH or not isinstance(formula, Or):
        return line
    cases = map(_case, formula.args)
    return f"{keyword} " + "\n      || ".join(cases) + ";"


def _case(formula: Term) -> str:
    text = show(formula)
    return text if isinstance(formula, And | Not | Le | IsZero | Same | Var) else f"({text})"


def _location(location: Location, initial: bool, bounds: set[Term], common: tuple[Term, ...]) -> Iterator[str]:
    head = f"  location {location.name}{' initial' if initial else ''}"
    items = _formula("inv", location.inv, bounds)
    if location.env is not None:
        own = [c for c in build.conjuncts(location.env) if c not in common]
        items += _relation("env", own) if own or common else ["env true;"]
    if not items:
        yield f"{head};"
        return
    if len(items) == 1 and "\n" not in items[0]:
        yield f"{head} {{ {items[0]} }}"
        return
    yield f"{head} {{"
    yield from (f"    {item}" for item in items)
    yield "  }"


def _edge(edge: Edge, ranged: set[Var]) -> str:
    text = f"edge {edge.source} -> {edge.target}"
    inner = edge.choices and edge.label is not None and _mentions(edge.label, edge.choices)
    if edge.label is not None and not inner:
        text += f" {_label(edge.label)}"
    body = list[str]()
    if edge.choices:
        body += [_declaration("local", c) for c in edge.choices]
        if edge.guard is not build.TRUE:
            body.append(f"assume {show(edge.guard)};")
    elif edge.guard is not build.TRUE:
        text += f" when {show(edge.guard)}"
    label = f"{_label(edge.label)} " if inner and edge.label is not None else ""
    if edge.updates:
        places = ", ".join(v.name for v, _ in edge.updates)
        body.append(f"{label}{places} := {', '.join(show(t) for _, t in edge.updates)};")
    elif label:
        body.append(f"{label}skip;")
    if any(v in ranged for v, _ in edge.updates):
        text += " checked"
    return f"{text} {{ {' '.join(body)} }}" if body else f"{text};"


def _mentions(label: Label, choices: tuple[Variable, ...]) -> bool:
    return any(c.var in value.free for c in choices for value in label.values)


def _label(label: Label) -> str:
    return f"@{label.action}({', '.join(show(v) for v in label.values)})" if label.values else f"@{label.action}"


def _formula(keyword: str, formula: Term, known: set[Term]) -> list[str]:
    """A declaration of a formula without the conjuncts that are known anyway; none if nothing is left."""
    rest = build.land(*(c for c in build.conjuncts(formula) if c not in known))
    return [] if rest is build.TRUE else [_declared(keyword, rest)]


def _bounds(variables: Iterable[Variable]) -> set[Term]:
    result = set[Term]()
    for v in variables:
        if v.low is not None and v.high is not None:
            result |= {build.le(build.integer(v.low), v.var), build.le(v.var, build.integer(v.high))}
    return result


def _declarations(variables: tuple[Variable, ...]) -> list[str]:
    """One line for each variable, or for all elements of an array."""
    lines = list[str]()
    names = {v.var.name for v in variables}
    for variable in variables:
        name = variable.var.name
        if name.position is None:
            lines.append(_declaration(variable.kind.value, variable))
        elif name.position == 0:
            size = next(n for n in range(1, len(names) + 1) if element(name, n) not in names)
            lines.append(_declaration(variable.kind.value, variable, whole(name), f"[{size}]"))
    return lines


def _declaration(keyword: str, variable: Variable, name: str | None = None, size: str = "") -> str:
    ghost = "ghost " if variable.ghost else ""
    bounded = variable.low is not None
    written = f"{variable.low}..{variable.high}" if bounded else variable.var.sort.name
    return f"{ghost}{keyword} {name or variable.var.name} : {written}{size};"


def _enumerations(program: Program) -> list[str]:
    variables = (v.var.sort for v in program.variables)
    automata = (*program.threads, *(f.thread for f in program.families))
    local = (v.var.sort for t in automata for v in t.variables)
    called = (s for f in program.functions for s in (*f.arguments, f.result))
    return _enumeration_lines((*variables, *local, *called))


def _enumeration_lines(sorts: Iterable[Sort]) -> list[str]:
    used = dict.fromkeys(enumerations(sorts))
    return [f"enum {s.name} {{ {', '.join(s.constructors)} }}" for s in used]


def _function(function: Function) -> str:
    return f"function {function.name}({', '.join(s.name for s in function.arguments)}) : {function.result.name};"


def _invariant(invariant: Invariant, families: Sequence[Family]) -> str:
    if invariant.name == PROGRESS:
        return f"progress{_asked(invariant.expect)};"
    known = {f.thread.name: f for f in families}
    bound, names = list[str](), dict[Var, Term]()
    for copy in invariant.copies:
        name = copy.name.removeprefix(f"{copy.family}[").removesuffix("]")
        bound.append(f"{name} : {copy.family}")
        names[identity_of(known[copy.family], copy.name)] = build.variable(name)
    about = f"forall {', '.join(bound)} :: " if bound else ""
    strength = "strong " if invariant.strong else ""
    formula = show(substitute(invariant.formula, names))
    return f"{strength}invariant {invariant.name} : {about}{formula}{_asked(invariant.expect)};"


def _asked(expect: Verdict | None) -> str:
    return f" expect {_verdict(expect)}" if expect is not None else ""


def _verdict(verdict: Verdict) -> str:
    return verdict.value.lower()
