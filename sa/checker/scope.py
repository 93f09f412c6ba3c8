"""What the formulas of a goal and of a relation may mention, and whether what they name exists.

Nothing is said here of truth. A fault in the goal is a mistake of whoever built it; it is looked for because
a variable with two meanings would make the obligations mean something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sa.automata.automaton import Automaton, Edge, Kind, variables_of
from sa.certificates.goal import Goal, iota_of, kappa_of
from sa.certificates.relation import TURN, AbstractPath, EdgeAnswer, Relation, Turns
from sa.checker.path import at_position
from sa.checker.side import Side, state_variables
from sa.terms.sort import BOOL
from sa.terms.substitute import primed
from sa.terms.term import Term, Var, has_quantifiers, sort_of


def goal_fault(goal: Goal) -> str | None:
    """The first thing that is wrong with the goal itself."""
    return next(_goal_faults(goal), None)


def _goal_faults(goal: Goal) -> Iterator[str]:
    both = (*goal.concrete.variables, *goal.abstract.variables)
    owners = {v.var: v.kind for v in both}
    own = [*goal.concrete.variables, *(v for v in goal.abstract.variables if v.kind is not Kind.PARAM)]
    extra = [v for v in goal.abstract.variables if v.kind is Kind.PARAM and v.var not in {w.var for w in own}]
    names = [v.var.name for v in (*own, *extra)]
    if len(set(names)) < len(names) or any("'" in n for n in names):
        yield "one name stands for two variables"
    if any(owners[v.var] is not v.kind or v.var.primes for v in both):
        yield "a variable has two kinds"
    for automaton in (goal.concrete, goal.abstract):
        yield from automaton_faults(automaton, frozenset(names))
    if not _over(kappa_of(goal), owners) or not _over(iota_of(goal), owners):
        yield "κ or ι mentions a variable that neither side has"
    if any(a.formula.free for a in goal.axioms):
        yield "an axiom is not closed"


def automaton_faults(automaton: Automaton, names: frozenset[str]) -> Iterator[str]:
    """What is wrong with an automaton whose environments are given; `names` are those that no choice may have."""
    places = {q.name for q in automaton.locations}
    if len(places) < len(automaton.locations) or automaton.initial not in places:
        yield f"{automaton.name}: a location does not exist, or twice"
    variables = frozenset(v.var for v in automaton.variables)
    if len({v.name for v in variables}) < len(automaton.variables):
        yield f"{automaton.name}: two variables have the same name"
    rigid = frozenset(variables_of(automaton, Kind.PARAM))
    nexts = frozenset(primed(v) for v in variables_of(automaton, Kind.GLOBAL))
    if not _over(automaton.init, variables):
        yield f"{automaton.name}: Init mentions a variable that does not exist"
    moving = variables | nexts
    for q in automaton.locations:
        if q.env is None or not _over(q.env, moving) or not _over(q.inv, variables):
            yield f"{automaton.name}: Inv or Env of {q.name} is missing or mentions a variable that does not exist"
    seen = set[tuple[object, ...]]()
    for edge in automaton.edges:
        if edge.source not in places or edge.target not in places:
            yield f"{automaton.name}: an edge leads from or to a location that does not exist"
        said = edge.label, edge.guard, edge.updates, edge.choices
        # A step of one of several threads is in many edges.
        if said not in seen:
            seen.add(said)
            yield from _edge_faults(automaton.name, edge, variables, rigid, names)


def _edge_faults(
    name: str, edge: Edge, variables: frozenset[Var], rigid: frozenset[Var], names: frozenset[str]
) -> Iterator[str]:
    chosen = [c.var.name for c in edge.choices]
    if len(set(chosen)) < len(chosen) or not names.isdisjoint(chosen) or any("'" in c for c in chosen):
        yield f"{name}: a choice of an edge from {edge.source} has a name that is used for something else"
    scope = variables | {c.var for c in edge.choices}
    shown = edge.label.values if edge.label else ()
    if not _over(edge.guard, scope) or any(not v.free <= scope for v in shown):
        yield f"{name}: an edge from {edge.source} mentions a variable that does not exist"
    targets = [v for v, _ in edge.updates]
    if len(set(targets)) < len(targets) or not variables - rigid >= set(targets):
        yield f"{name}: an edge from {edge.source} updates a variable that it may not update, or updates one twice"
    if any(not t.free <= scope or sort_of(t) != v.sort for v, t in edge.updates):
        yield f"{name}: an edge from {edge.source} assigns a value that does not exist"


def relation_fault(concrete: Side, abstract: Side, relation: Relation) -> str | None:
    """The first thing that makes a relation unreadable as evidence."""
    return next(_relation_faults(concrete, abstract, relation), None)


def _relation_faults(concrete: Side, abstract: Side, relation: Relation) -> Iterator[str]:
    pairs = [(p.concrete, p.abstract) for p in relation.pairs]
    known = frozenset(pairs)
    if len(known) < len(pairs) or any(p not in concrete.locations or q not in abstract.locations for p, q in pairs):
        yield "a pair of locations does not exist, or occurs twice"
    params = {*concrete.params, *abstract.params}
    both = {*state_variables(concrete), *state_variables(abstract), *params}
    for pair in relation.pairs:
        if not all(_is_formula(lemma, both) for lemma in pair.lemmas):
            yield f"a lemma at ({pair.concrete}, {pair.abstract}) is not a formula over the variables of both sides"
    yield from _closure_faults(abstract, relation, {q for _, q in pairs})
    answered = [(a.concrete, a.abstract, a.edge) for a in relation.answers]
    due = {(p, q, number) for p, q in pairs if p in concrete.outgoing for number, _ in concrete.outgoing[p]}
    if len(set(answered)) < len(answered) or set(answered) != due:
        yield "the edges answered differ from those that leave the pairs"
    else:
        for answer in relation.answers:
            edge = concrete.automaton.edges[answer.edge]
            sees = {*both, *(c.var for c in edge.choices)}
            yield from (
                f"{fault}, in an answer at ({answer.concrete}, {answer.abstract}) to edge {answer.edge}"
                for path in answer.answers
                for fault in _path_faults(abstract, known, answer, edge, path, sees)
            )
    starts = {*state_variables(concrete), *params}
    for opening in relation.openings:
        given = [v for v, _ in opening]
        if not _is_substitution(opening, {*state_variables(abstract)}, starts) or len(set(given)) < len(given):
            yield "an opening does not give abstract variables as terms over the concrete state"


def _closure_faults(abstract: Side, relation: Relation, used: set[str]) -> Iterator[str]:
    places = [q for q, _ in relation.closure]
    if len(set(places)) < len(places) or not used <= set(places) <= set(abstract.locations):
        yield "there is not one closure for each abstract location"
    for _, closure in relation.closure:
        fault = closure_fault(abstract, closure)
        if fault is not None:
            yield fault


def closure_fault(abstract: Side, closure: Term) -> str | None:
    """Why a formula is not one over abstract variables, parameters and the globals' next values."""
    moving = {*abstract.params, *state_variables(abstract), *(primed(v) for v in abstract.globals)}
    return None if _is_formula(closure, moving) else "a closure is not a relation over the abstract globals"


def _path_faults(
    abstract: Side,
    pairs: frozenset[tuple[str, str]],
    answer: EdgeAnswer,
    edge: Edge,
    path: AbstractPath,
    sees: set[Var],
) -> Iterator[str]:
    edges = abstract.automaton.edges
    if not all(type(i) is int and 0 <= i < len(edges) for i in path.edges):
        yield "an edge does not exist"
        return
    taken = [edges[i] for i in path.edges]
    here = answer.abstract
    for step in taken:
        if step.source != here:
            yield "the path is not connected"
        here = step.target
    labels = [e.label for e in taken if e.label is not None]
    shown = [(x.action, [sort_of(v) for v in x.values]) for x in labels]
    if shown != ([(edge.label.action, [sort_of(v) for v in edge.label.values])] if edge.label else []):
        yield "the path does not have the label of the step"
    if (edge.target, here) not in pairs:
        yield "the path ends in a pair that the relation does not have"
    chosen = [at_position(c, i) for i, e in enumerate(taken) for c in e.choices]
    names = [c.name for c in chosen]
    if len(set(names)) < len(names) or not {v.name for v in sees}.isdisjoint(names):
        yield "a choice of the path has a name that is used for something else"
    given = [v for v, _ in path.witnesses]
    if not _is_substitution(path.witnesses, set(chosen), sees) or len(set(given)) < len(given):
        yield "a witness is not for a choice of the path, or mentions a variable that it may not mention"
    places = [answer.abstract, *(e.target for e in taken)]
    yield from (fault for turns in path.turns for fault in _turns_faults(abstract, turns, places, sees))


def _turns_faults(abstract: Side, turns: Turns, places: Sequence[str], sees: set[Var]) -> Iterator[str]:
    edges = abstract.automaton.edges
    if not turns.cycle or not all(type(i) is int and 0 <= i < len(edges) for i in turns.cycle):
        yield "an edge of a cycle does not exist"
        return
    if type(turns.position) is not int or not 0 <= turns.position < len(places):
        yield "turns are made at a place that the path does not have"
        return
    cycle = [edges[i] for i in turns.cycle]
    here = [*(e.source for e in cycle), places[turns.position]]
    if here[0] != here[-1] or [e.target for e in cycle] != [*here[1:-1], here[0]]:
        yield "a cycle is not one at the place where it is taken"
    if any(e.label is not None or e.choices for e in cycle):
        yield "a cycle has a visible action or a choice"
    if TURN in sees:
        yield "a variable has the name that counts turns"
    own = {*abstract.params, *state_variables(abstract), TURN}
    given = [v for v, _ in turns.after]
    if not _is_substitution(turns.after, {*state_variables(abstract)}, own) or len(set(given)) < len(given):
        yield "what turns change is not given over the abstract variables"
    if not _is_substitution([(TURN, turns.count)], {TURN}, sees):
        yield "how many turns are made is not given over the states of both sides"


def _is_substitution(items: Iterable[tuple[Var, Term]], targets: set[Var], sees: set[Var]) -> bool:
    return all(v in targets and sort_of(t) == v.sort and t.free <= sees and not has_quantifiers(t) for v, t in items)


def _over(formula: Term, variables: Iterable[Var]) -> bool:
    return sort_of(formula) == BOOL and formula.free <= frozenset(variables)


def _is_formula(formula: Term, variables: set[Var]) -> bool:
    # No quantifiers: a bound name that is also a variable's would be read differently by the solver.
    return sort_of(formula) == BOOL and formula.free <= variables and not has_quantifiers(formula)
