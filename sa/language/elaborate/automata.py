"""Automata written as locations and edges."""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.automaton import FAIL, Automaton, Location, Origin, Variable
from sa.automata.family import Family
from sa.automata.program import Guarantee
from sa.base.diagnostic import Label as Mark
from sa.base.diagnostic import error, warning
from sa.language import syntax
from sa.language.elaborate.context import PROGRAM, Context, complain, one_step
from sa.language.elaborate.execute import assumed, labelled, run_block
from sa.language.elaborate.locals import initial_local
from sa.language.elaborate.threads import (
    Surroundings,
    formulas,
    guarantees,
    identify,
    identity_name,
    identity_variable,
    refuse_relies,
    relies,
)
from sa.language.names import Scope, TermSymbol, declare, did_you_mean
from sa.lowering.draft import FAILED, Draft, add_step, assemble, fresh, origin
from sa.lowering.paths import Path
from sa.terms import build
from sa.terms.name import element
from sa.terms.term import Term


def automaton_name(written: syntax.AutomatonDeclaration) -> str:
    """`P`, or `T[2]` for a member of a family."""
    return element(written.name.name, written.index) if isinstance(written.index, int) else written.name.name


def make_family_of_automata(
    written: syntax.AutomatonDeclaration, around: Surroundings
) -> tuple[Family, tuple[Guarantee, ...]]:
    """The family of a declaration, and what every copy guarantees."""
    assert isinstance(written.index, syntax.AnyNumber)
    refuse_relies([i.span for i in written.items if isinstance(i, syntax.Rely)], around.problems)
    places = (i for i in written.items if isinstance(i, syntax.LocationDeclaration))
    refuse_relies([e.span for q in places for e in q.env], around.problems)
    identity = identity_variable(written.index, written.name)
    automaton, claimed = make_automaton(written, identity.var, around, identity)
    return Family(automaton, identity.var), claimed


def make_automaton(
    written: syntax.AutomatonDeclaration, holder: Term, around: Surroundings, identity: Variable | None = None
) -> tuple[Automaton, tuple[Guarantee, ...]]:
    """The automaton of a declaration, and what it guarantees. `holder` is its number for locks."""
    scope = Scope(around.scope)
    context = Context(scope, PROGRAM, around.problems, dict(around.ranges))
    if isinstance(written.index, syntax.AnyNumber):
        declare(scope, identity_name(written.index), TermSymbol(holder), around.problems)
    draft = Draft(around.problems, holder, taken=frozenset(v.var.name for v in around.shared))
    if identity is not None:
        identify(draft, identity)
    for item in written.items:
        if isinstance(item, syntax.Local):
            initial_local(item, draft, context)
    draft.init.append(formulas(tuple(i.formula for i in written.items if isinstance(i, syntax.Init)), context))
    places = _places(written, draft)
    for item in written.items:
        if isinstance(item, syntax.EdgeDeclaration):
            _edge(item, places, draft, context)
    if any(j.target == FAILED for j in draft.joints):
        draft.order.setdefault(FAILED, Origin(written.span, "a step that went wrong"))
    initial = _initial(written, places, context)
    env = relies(tuple(i for i in written.items if isinstance(i, syntax.Rely)), context)
    name = automaton_name(written)
    why = replace(origin(written.span), text=f"automaton {name}")
    names = {place: n for n, place in places.items()} | {FAILED: FAIL}
    around.several[name] = draft.several
    automaton = assemble(draft, name, around.shared, initial, around.init, env, names, why)
    claimed = tuple(i for i in written.items if isinstance(i, syntax.Guarantee))
    return _annotated(automaton, written, context), guarantees(name, claimed, context)


def _places(written: syntax.AutomatonDeclaration, draft: Draft) -> dict[str, int]:
    """A place for each location; one that only edges mention is declared by them, with a warning."""
    places = dict[str, int]()
    first = dict[str, syntax.Identifier]()
    for item in written.items:
        if isinstance(item, syntax.LocationDeclaration):
            name = item.name.name
            if name in places:
                marks = (Mark(first[name].span, "the first one is here"),)
                message = f"the location `{name}` is declared twice"
                draft.problems.append(error("SA102", message, item.name.span, None, marks))
                continue
            first[name] = item.name
            places[name] = FAILED if name == FAIL else fresh(draft)
            draft.order[places[name]] = Origin(item.span, f"location {name}")
    declared = sorted(places)
    for edge in (i for i in written.items if isinstance(i, syntax.EdgeDeclaration)):
        for end in (edge.source, edge.target):
            if end.name not in places:
                places[end.name] = FAILED if end.name == FAIL else fresh(draft)
                draft.order[places[end.name]] = Origin(end.span, f"location {end.name}")
                message = f"the location `{end.name}` is not declared, only mentioned by edges"
                hint = did_you_mean(end.name, declared) or f"add `location {end.name};`"
                draft.problems.append(warning("SA317", message, end.span, hint))
    return places


def _initial(written: syntax.AutomatonDeclaration, places: dict[str, int], context: Context) -> int:
    marked = [i for i in written.items if isinstance(i, syntax.LocationDeclaration) and i.initial]
    if len(marked) != 1:
        message = f"an automaton has exactly one initial location, this one has {len(marked)}"
        span = marked[1].span if marked else written.name.span
        complain(context, "SA309", message, span, "write `location q0 initial;`")
    return places[marked[0].name.name] if marked else FAILED


def _edge(edge: syntax.EdgeDeclaration, places: dict[str, int], draft: Draft, context: Context) -> None:
    execution = one_step(context, draft.holder, edge.checked)
    paths = [Path()]
    if edge.label is not None:
        paths = labelled(edge.label, paths, execution)
    if edge.guard is not None:
        paths = assumed(edge.guard, paths, execution)
    if edge.body is not None:
        paths = run_block(edge.body, paths, execution)
    source, target = places[edge.source.name], places[edge.target.name]
    add_step(draft, source, target, paths, execution.step.failures, origin(edge.span))


def _annotated(automaton: Automaton, written: syntax.AutomatonDeclaration, context: Context) -> Automaton:
    """The automaton with the invariants and environments that are written at its locations."""
    declared = {i.name.name: i for i in written.items if isinstance(i, syntax.LocationDeclaration)}
    locations = [_location(one, declared.get(one.name), context) for one in automaton.locations]
    return replace(automaton, locations=tuple(locations))


def _location(location: Location, declared: syntax.LocationDeclaration | None, context: Context) -> Location:
    if declared is None:
        return location
    inv = build.land(location.inv, formulas(declared.inv, context))
    env = relies(tuple(syntax.Rely(e, e.span) for e in declared.env), context)
    both = [e for e in (location.env, env) if e is not None]
    return replace(location, inv=inv, env=build.land(*both) if both else None)
