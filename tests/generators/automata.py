"""Random refinement goals over small finite automata, for judging the symbolic engine by the oracle.

A goal is a random abstract automaton and a concrete one that differs from it in a few places. Each comes
with tags that name its features and with the oracle's decision, because of the goals that the initial pairs
decide more than half are thrown away. The same seed gives the same goal.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Variable
from sa.automata.program import Formula
from sa.certificates.goal import Goal
from sa.terms.build import TRUE, eq, implies, integer, land, le, lor, sub, variable
from sa.terms.sort import INT
from sa.terms.substitute import primed, sided
from sa.terms.term import Term, Var
from tests.generators.drafts import (
    NOWHERE,
    Arrow,
    Draft,
    built,
    of_kind,
    random_arrow,
    random_constant,
    random_environment,
    random_guard,
    random_variable,
)
from tests.oracle.explicit import all_states, environment_closure, environment_steps, explicit
from tests.oracle.game import Decision, decide, decided_at_start


class Sample(Struct, frozen=True):
    """A goal, what the oracle says of it, and the features that it has."""

    seed: int
    goal: Goal
    decision: Decision
    tags: frozenset[str]


def random_goal(seed: int) -> Sample:
    """The goal of this seed."""
    rng = Random(seed)
    while True:
        goal, tags = _candidate(rng, f"sample {seed}")
        decision = decide(goal)
        # Fewer of those that the start decides, and somewhat fewer of those that hold.
        if rng.random() < (0.4 if decided_at_start(decision) else 0.75 if decision.simulated else 1.0):
            if not _is_transitive(goal.abstract):
                tags.add("non-transitive environment")
            return Sample(seed, goal, decision, frozenset(tags))


def _candidate(rng: Random, name: str) -> tuple[Goal, set[str]]:
    closed = rng.random() < 0.3
    abstract, env_tags = random_draft(rng, closed)
    concrete = abstract
    for _ in range(rng.choice((2, 3, 3, 4))):
        concrete, abstract = rng.choice(CLOSED_CHANGES if closed else CHANGES)(rng, concrete, abstract)
    choose = rng.random() < 0.15
    iota, iota_tag = random_iota(rng, concrete, abstract)
    kappa, kappa_tags = random_kappa(rng, concrete, abstract, iota)
    goal = Goal(
        name,
        built(concrete, "Concrete", "conc"),
        built(abstract, "Abstract", "abs"),
        tuple(Formula(t, NOWHERE) for t in kappa),
        tuple(Formula(t, NOWHERE) for t in iota),
        (),
        closed,
        choose,
        False,
    )
    tags = env_tags | {iota_tag} | kappa_tags | _features(concrete, abstract, closed, choose)
    return goal, tags - {""}


def _is_transitive(automaton: Automaton) -> bool:
    x = explicit(automaton)
    return all(len(environment_closure(x, s)) == len(environment_steps(x, s)) for s in all_states(x))


def random_draft(rng: Random, closed: bool) -> tuple[Draft, set[str]]:
    """A connected automaton of 2 to 4 locations over one or two globals; and the kinds of its environment."""
    shared = tuple(random_variable(rng, n, Kind.GLOBAL) for n in ("g", "h")[: rng.choice((1, 1, 2))])
    own = (random_variable(rng, "l", Kind.LOCAL),) if rng.random() < 0.35 else ()
    params = (Variable(variable("P"), Kind.PARAM, 0, 1),) if rng.random() < 0.15 else ()
    variables = (*params, *shared, *own)
    size = rng.choice((2, 3, 3, 4, 4))
    init = land(*(eq(v.var, random_constant(rng, v)) for v in (*shared, *own) if rng.random() < 0.7))
    identity = land(*(eq(primed(v.var), v.var) for v in shared))
    env, kinds = (identity, "identity") if closed else random_environment(rng, shared, (*params, *shared))
    envs, tags = [env] * size, {kinds}
    if not closed and rng.random() < 0.4:
        other, kind = random_environment(rng, shared, (*params, *shared))
        envs[rng.randrange(size)] = other
        tags |= {kind, "env by location"}
    empty = Draft(variables, init, (TRUE,) * size, tuple(envs), ())
    tree = [random_arrow(rng, empty, rng.randrange(i), i) for i in range(1, size)]
    more = [random_arrow(rng, empty, rng.randrange(size), rng.randrange(size)) for _ in range(rng.randint(1, 4))]
    draft = replace(empty, arrows=(*tree, *more))
    if rng.random() < 0.2:
        q = rng.randrange(1, size)
        draft = replace(draft, inv=_put(draft.inv, q, random_guard(rng, (*shared, *own))))
    return draft, {t for t in tags if t != "identity"}


def random_iota(rng: Random, concrete: Draft, abstract: Draft) -> tuple[tuple[Term, ...], str]:
    """ι: equality of the shared globals, sometimes of one only, weaker than equality, or with more."""
    pairs = _both(concrete, abstract, Kind.GLOBAL)
    equal = [eq(c, a) for c, a in pairs]
    shape = rng.choices(("equal", "fewer", "weaker", "more"), (6, 1, 1, 1))[0]
    if shape == "fewer" and len(equal) > 1:
        return tuple(equal[:-1]), "weak iota"
    ints = [(c, a) for c, a in pairs if c.sort == INT]
    if shape == "weaker" and ints:
        c, a = ints[0]
        return (*(e for e in equal if e is not eq(c, a)), le(a, c)), "weak iota"
    if shape == "more":
        local = [(c, a) for c, a in _both(concrete, abstract, Kind.LOCAL) if c.sort == INT]
        if local:
            c, a = local[0]
            return (*equal, le(sub(a, c), integer(1))), "local iota"
    return tuple(equal), ""


def random_kappa(
    rng: Random, concrete: Draft, abstract: Draft, iota: tuple[Term, ...]
) -> tuple[tuple[Term, ...], set[str]]:
    """κ: ι and equality of equal locals, sometimes with less or with a further condition."""
    locals_equal = [eq(c, a) for c, a in _both(concrete, abstract, Kind.LOCAL)]
    shape = rng.random()
    if shape < 0.15 and locals_equal:
        return iota, {"weak kappa"}
    own = of_kind(abstract, Kind.GLOBAL, Kind.LOCAL)
    if shape < 0.22:
        v, w = rng.choice(own), rng.choice(own)
        premise = eq(sided(v.var, "abs"), random_constant(rng, v))
        return (*iota, *locals_equal, implies(premise, eq(sided(w.var, "abs"), random_constant(rng, w)))), {
            "strong kappa"
        }
    if shape > 0.96:
        return (*iota[:-1], *locals_equal), {"kappa without iota"}
    return (*iota, *locals_equal), set()


def _both(concrete: Draft, abstract: Draft, kind: Kind) -> list[tuple[Var, Var]]:
    shared = [v.var for v in of_kind(concrete, kind) if v in abstract.variables]
    return [(sided(v, "conc"), sided(v, "abs")) for v in shared]


Change = Callable[[Random, Draft, Draft], tuple[Draft, Draft]]


def _drop(rng: Random, draft: Draft) -> Draft:
    i = rng.randrange(len(draft.arrows))
    return replace(draft, arrows=draft.arrows[:i] + draft.arrows[i + 1 :]) if len(draft.arrows) > 1 else draft


def _extend(rng: Random, draft: Draft) -> Draft:
    size = len(draft.inv)
    return replace(draft, arrows=(*draft.arrows, random_arrow(rng, draft, rng.randrange(size), rng.randrange(size))))


def _swap(draft: Draft, old: Arrow, *new: Arrow) -> Draft:
    i = draft.arrows.index(old)
    return replace(draft, arrows=(*draft.arrows[:i], *new, *draft.arrows[i + 1 :]))


def _split(rng: Random, draft: Draft) -> Draft:
    """A silent step before some edge, or its update in a silent step after it."""
    if len(draft.inv) > 4:
        return draft
    arrow, middle = rng.choice(draft.arrows), len(draft.inv)
    if arrow.choices or rng.random() < 0.5:
        first, second = Arrow(arrow.source, middle, None), replace(arrow, source=middle)
    else:
        first, second = (
            replace(arrow, target=middle, updates=()),
            Arrow(middle, arrow.target, None, (), TRUE, arrow.updates),
        )
    wider = replace(draft, inv=(*draft.inv, TRUE), env=(*draft.env, draft.env[arrow.source]))
    return _swap(wider, arrow, first, second)


def _through_local(rng: Random, draft: Draft) -> Draft:
    """Some assigned value goes through a local temporary, read one silent step earlier."""
    arrows = [a for a in draft.arrows if a.updates and not a.choices]
    if not arrows or len(draft.inv) > 4 or any(v.var.name == "t" for v in draft.variables):
        return draft
    arrow, middle = rng.choice(arrows), len(draft.inv)
    ((target, value),) = arrow.updates
    like = next(v for v in draft.variables if v.var is target)
    temporary = Variable(variable("t", target.sort), Kind.LOCAL, like.low, like.high)
    first = Arrow(arrow.source, middle, None, (), TRUE, ((temporary.var, value),))
    second = replace(arrow, source=middle, updates=((target, temporary.var),))
    wider = replace(
        draft,
        variables=(*draft.variables, temporary),
        init=land(draft.init, eq(temporary.var, random_constant(rng, temporary))),
        inv=(*draft.inv, TRUE),
        env=(*draft.env, draft.env[arrow.source]),
    )
    return _swap(wider, arrow, first, second)


def _stutter(rng: Random, draft: Draft) -> Draft:
    """A silent loop at one location, or a silent cycle through two."""
    size = len(draft.inv)
    p, q = rng.randrange(size), rng.randrange(size)
    loop = (Arrow(p, q, None), Arrow(q, p, None)) if p != q and rng.random() < 0.4 else (Arrow(p, p, None),)
    return replace(draft, arrows=(*draft.arrows, *loop))


def _reguard(rng: Random, draft: Draft) -> Draft:
    """A guard replaced, strengthened or weakened."""
    arrow = rng.choice(draft.arrows)
    if arrow.choices:
        return draft
    other = random_guard(rng, draft.variables)
    guard = rng.choice((other, land(arrow.guard, other), land(arrow.guard, other), lor(arrow.guard, other)))
    return _swap(draft, arrow, replace(arrow, guard=guard))


def _constrain(rng: Random, draft: Draft) -> Draft:
    """A guard strengthened."""
    arrow = rng.choice(draft.arrows)
    return _swap(draft, arrow, replace(arrow, guard=land(arrow.guard, random_guard(rng, draft.variables))))


def _revalue(rng: Random, draft: Draft) -> Draft:
    """Another random edge between the ends of an edge, with the same action."""
    arrow = rng.choice(draft.arrows)
    other = random_arrow(rng, draft, arrow.source, arrow.target)
    return _swap(draft, arrow, replace(other, action=arrow.action, values=arrow.values))


def _retarget(rng: Random, draft: Draft) -> Draft:
    """An edge that leads elsewhere."""
    arrow = rng.choice(draft.arrows)
    return _swap(draft, arrow, replace(arrow, target=rng.randrange(len(draft.inv))))


def _havoc(rng: Random, draft: Draft) -> Draft:
    """An assignment of a value becomes an assignment of any value."""
    arrows = [a for a in draft.arrows if a.updates and not a.choices]
    if not arrows:
        return draft
    arrow = rng.choice(arrows)
    target = arrow.updates[0][0]
    like = next(v for v in draft.variables if v.var is target)
    choice = Variable(variable("pick", target.sort), Kind.LOCAL, like.low, like.high)
    return _swap(draft, arrow, replace(arrow, updates=((target, choice.var),), choices=(choice,)))


def _decoy(rng: Random, draft: Draft) -> Draft:
    """A second way to do what some edge does, that leads elsewhere: an answer that may be wrong."""
    arrow, elsewhere = rng.choice(draft.arrows), rng.randrange(len(draft.inv))
    return replace(draft, arrows=(*draft.arrows, replace(arrow, target=elsewhere)))


def _rely(rng: Random, draft: Draft) -> Draft:
    """More environment at one location."""
    shared, q = of_kind(draft, Kind.GLOBAL), rng.randrange(len(draft.inv))
    more, _ = random_environment(rng, shared, shared)
    return replace(draft, env=_put(draft.env, q, lor(draft.env[q], more)))


def _unite(rng: Random, draft: Draft) -> Draft:
    """An invariant weakened away, or one more start."""
    if rng.random() < 0.5:
        return replace(draft, inv=(TRUE,) * len(draft.inv))
    v = rng.choice(of_kind(draft, Kind.GLOBAL))
    return replace(draft, init=lor(draft.init, land(draft.init, eq(v.var, random_constant(rng, v)))))


def _on_concrete(change: Callable[[Random, Draft], Draft]) -> Change:
    return lambda rng, concrete, abstract: (change(rng, concrete), abstract)


def _on_abstract(change: Callable[[Random, Draft], Draft]) -> Change:
    return lambda rng, concrete, abstract: (concrete, change(rng, abstract))


#: Changes that keep the refinement, or break it, as it happens; `_rely` is not for closed goals.
CLOSED_CHANGES: tuple[Change, ...] = (
    *map(_on_concrete, (_drop, _split, _split, _through_local, _stutter, _constrain)),
    *map(_on_concrete, (_reguard, _revalue, _extend, _retarget)),
    *map(_on_abstract, (_decoy, _decoy, _decoy, _extend, _havoc, _stutter, _split, _reguard, _unite, _drop)),
)
CHANGES: tuple[Change, ...] = (*CLOSED_CHANGES, _on_concrete(_rely), _on_abstract(_rely))


def _put(items: tuple[Term, ...], place: int, item: Term) -> tuple[Term, ...]:
    return (*items[:place], item, *items[place + 1 :])


def _features(concrete: Draft, abstract: Draft, closed: bool, choose: bool) -> set[str]:
    tests = {
        "closed": closed,
        "open": not closed,
        "choose init": choose,
        "values": any(a.values for d in (concrete, abstract) for a in d.arrows),
        "concrete choices": any(a.choices for a in concrete.arrows),
        "abstract choices": any(a.choices for a in abstract.arrows),
        "locals on both sides": all(of_kind(d, Kind.LOCAL) for d in (concrete, abstract)),
        "silent cycle": any(_has_silent_cycle(d) for d in (concrete, abstract)),
        "abstract silent cycle": _has_silent_cycle(abstract),
        "invariants": any(i is not TRUE for d in (concrete, abstract) for i in d.inv),
        "params": bool(of_kind(concrete, Kind.PARAM)),
        "bool or enum": any(v.var.sort != INT for v in concrete.variables),
        "different environments": set(concrete.env) != set(abstract.env),
    }
    return {name for name, found in tests.items() if found}


def _has_silent_cycle(draft: Draft) -> bool:
    reach = {(a.source, a.target) for a in draft.arrows if a.action is None}
    for _ in draft.inv:
        reach |= {(p, r) for p, q in reach for q2, r in reach if q == q2}
    return any(p == q for p, q in reach)
