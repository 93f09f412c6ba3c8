"""Families of any number in `refine`: one copy that stands for all, in an environment that has all other copies in it.

Of each program: what boxes say of two copies, conjunctions of what copies compare and assign, and from these what the
steps of threads and of one more copy do to shared variables. To another one a copy does the same, so that is the
environment of each (THEORY section 12). Where two of them never are at once, joint invariants of the threads and two
copies tell. Nothing here is trusted: the checker asks whether it is so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, location_of, variables_of
from sa.automata.family import Family, crowd, identity_of, symbolic, symbolic_name
from sa.automata.program import Axiom, Program
from sa.automata.rename import apart, own_local
from sa.base.budget import Budget
from sa.base.limits import Limits
from sa.certificates.crowd_composition import CrowdComposition, Met, called, known_of_two
from sa.certificates.crowd_composition import Known as Meetings
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.certificates.threads import Annotated
from sa.generation.closure import closure_of, own_elements
from sa.generation.environment import Change, changes_of, environment_of
from sa.generation.generate import Generated, generate
from sa.generation.visibility import Level
from sa.invariants.affine_clauses import affine_equations
from sa.invariants.conjunctions import conjunctions, under
from sa.invariants.crowd_apart import apart_from_each_other, own_clauses, own_parameters, predicate_at
from sa.invariants.crowd_candidates import applied, candidates
from sa.invariants.crowd_meetings import Effort, meetings
from sa.invariants.crowd_needs import always_or_while_told, while_told
from sa.invariants.preconditions import needed_for
from sa.question.asked import Asked, Decision
from sa.question.families import Crowds, with_one_copy
from sa.question.goals import goals
from sa.refinement.missing import conditions_of
from sa.smt.horn import Clause
from sa.smt.session import Session
from sa.terms import build
from sa.terms.sort import INT
from sa.terms.substitute import local_of, substitute
from sa.terms.term import Or, Select, Term, Var, subterms

#: Solver resources for each question whether a candidate stays.
SOON = 500_000


class Known(Struct, frozen=True):
    """What is known of the threads of a program and of two copies of each family, over the names of `apart` threads.

    `boxes` come from the fixed point, `facts` are conjunctions by thread and location, of the first copy of a family.
    `met` is what is known where two of them meet. `wished` are formulas over shared variables that may always hold, or
    while something else does: what they need is looked at, too.
    """

    program: Program
    identities: tuple[Var, ...]
    boxes: Generated
    facts: Mapping[tuple[str, str], Term]
    met: tuple[Met, ...] = ()
    wished: tuple[Term, ...] = ()

    def where(self, observer: str, actor: str) -> Meetings:
        """By locations of an observer and an actor what is known of both."""
        return known_of_two(self.met, observer, actor)


class Side(Struct, frozen=True):
    """The threads of a program and one copy of each family: what is claimed of them, and the same in fewer words."""

    strong: tuple[Automaton, ...]
    weak: tuple[Automaton, ...]


def known_of(program: Program, identities: tuple[Var, ...], wished: tuple[Term, ...], bounds: Limits) -> Known:
    """Invariants of the threads of a program and of its copies; those that are `wished` too. Raises LimitReached."""
    pairs = crowd(program.families, tuple(2 for _ in program.families))
    boxes = generate((*program.threads, *pairs), Level.HIDDEN, bounds)
    return _with_facts(Known(program, identities, boxes, {}, wished=wished), bounds)


def met_of(known: Known, effort: Effort, bounds: Limits) -> Known:
    """The same with what is known where two of them meet, if there is something. Raises LimitReached."""
    program = known.program
    asked = Asked(program.threads, (), program.axioms, families=program.families, init=program.init)
    met = tuple(meetings(asked, effort, Budget(bounds, 0)))
    return _with_facts(replace(known, met=met), bounds) if met else known


def _everybody(program: Program) -> tuple[Automaton, ...]:
    return (*program.threads, *(f.thread for f in program.families))


def _with_facts(known: Known, bounds: Limits) -> Known:
    """What threads and copies compare and assign, as far as it holds. Raises LimitReached."""
    program, boxes = known.program, known.boxes
    session = Session(bounds, tuple(a.formula for a in program.axioms), rlimit=SOON)
    asked = Asked(program.threads, (), program.axioms, families=program.families, init=program.init)
    s = apart_from_each_other(asked)
    names, own = own_parameters(s), [identity_of(f, symbolic_name(f, 1)) for f in program.families]
    hulls = {predicate_at(t.name, q.name): boxes.hulls[t.name, q.name] for t in s.observers for q in t.locations}
    offered, also = dict[str, Sequence[Term]](), _of_one(known)
    wished = always_or_while_told(s.observers, known.wished)
    for thread in s.observers:
        said = candidates(tuple(v.var for v in thread.variables), s.observers, own, ())
        said += (*while_told(s.observers, said), *applied(s.observers, tuple(v.var for v in thread.variables)))
        needed = dict[str, list[Term]]()
        for at, formula in needed_for(thread, wished):
            needed.setdefault(at, []).append(formula)
        for place in thread.locations:
            more = (*also.get((thread.name, place.name), ()), *wished, *needed.get(place.name, ()))
            offered[predicate_at(thread.name, place.name)] = (*more, *said)
    clauses = tuple(under(names, hulls, _where_met(known, own_clauses(s))))
    equal = affine_equations(names, clauses, bounds)
    offered = {name: (*equal[name], *said) for name, said in offered.items()}
    found = conjunctions(session, names, clauses, offered, bounds)
    facts = dict[tuple[str, str], Term]()
    for thread in s.observers:
        for place in thread.locations:
            name = predicate_at(thread.name, place.name)
            facts[thread.name, place.name] = _shorter(session, hulls[name], found[name])
    return replace(known, facts=facts)


def _of_one(known: Known) -> Mapping[tuple[str, str], Sequence[Term]]:
    """What is known of meetings and speaks of one of the two, by its name and location: it may hold of it alone."""
    found = dict[tuple[str, str], dict[Term, None]]()
    of = {name: name for name in (t.name for t in known.program.threads)}
    of |= {f.thread.name: symbolic_name(f, 1) for f in known.program.families}
    locals_of = {t.name: frozenset(variables_of(t, Kind.LOCAL)) for t in _everybody(known.program)}
    for observer in _everybody(known.program):
        own = {local_of(v, of[observer.name]) for v in locals_of[observer.name]}
        shared = {v.var for v in observer.variables if v.kind is not Kind.LOCAL}
        for actor in _everybody(known.program):
            for (here, _), said in known.where(observer.name, actor.name).items():
                own_part = (c for c in build.conjuncts(said) if c.free and c.free <= own | shared)
                found.setdefault((of[observer.name], here), {}).update(dict.fromkeys(own_part))
    return {spot: tuple(some) for spot, some in found.items()}


def _where_met(known: Known, clauses: Iterable[Clause]) -> Iterator[Clause]:
    """The clauses, with what is known where a step is of somebody else than the observer."""
    of = {symbolic_name(f, 1): f.thread.name for f in known.program.families}
    for clause in clauses:
        said: Term = build.TRUE
        if known.met and len(clause.body) == 2:
            (one, here), (two, there) = (a.predicate.rsplit(" at ", 1) for a in clause.body)
            said = known.where(of.get(one, one), of.get(two, two)).get((here, there), build.TRUE)
        if said is not build.FALSE:
            yield replace(clause, constraint=build.land(clause.constraint, said)) if said.free else clause


def _shorter(session: Session, known: Term, said: Term) -> Term:
    """The conjuncts that do not follow from what is known and from those before them, equations first."""
    kept = list[Term]()
    for part in sorted(build.conjuncts(said), key=lambda c: (len(c.free) > 2, isinstance(c, Or), c.key)):
        if not session.implied(part, (known, *kept)):
            kept.append(part)
    return build.land(*kept)


def side_of(known: Known, session: Session | None, extra: Iterable[Term]) -> Side:
    """The threads and one copy of each family with invariants, in environments that have all other copies in them.

    Environments are as exact as can be, or closures if a session is given; these may speak of `extra` conditions.
    Raises LimitReached.
    """
    program = known.program
    copies = {f.thread.name: (f, own) for f, own in zip(program.families, known.identities, strict=True)}
    threads = with_identities(program, known.identities)
    strong, weak = list[Automaton](), list[Automaton]()
    for thread in threads:
        copy, shared, read = copies.get(thread.name), variables_of(thread, Kind.GLOBAL), _own_reads(thread)
        made, envs = dict[Others, tuple[tuple[Change, ...], Term]](), dict[str, Term]()
        annotated = _annotated(known, thread, known.boxes.boxes, copies)
        for place in annotated.locations:
            others = _others(known, thread, place.name, copy)
            if others not in made:
                changes = tuple(_changes(known, thread, copy, dict(others)))
                if session is None:
                    made[others] = changes, environment_of(changes, shared)
                else:
                    about = _about(thread, copies, extra)
                    made[others] = changes, closure_of(session, changes, shared, _seen(known, thread, copy), about)
            changes, env = made[others]
            own = build.TRUE if session is None else own_elements(session, changes, shared, read, place.inv)
            envs[place.name] = build.land(env, own)
        strong.append(_in_environments(annotated, envs))
        weak.append(_in_environments(_annotated(known, thread, known.boxes.hulls, copies), envs))
    return Side(tuple(strong), tuple(weak))


def _own_reads(thread: Automaton) -> tuple[Select, ...]:
    """Reads of shared arrays without bounds through the thread's own variables."""
    shared, own = (frozenset(variables_of(thread, kind)) for kind in (Kind.GLOBAL, Kind.LOCAL))
    terms = (t for e in thread.edges for t in (e.guard, *(value for _, value in e.updates)))
    read = (t for t in subterms(terms) if isinstance(t, Select) and t.array in shared and t.index in own)
    return tuple(dict.fromkeys(read))


def _in_environments(thread: Automaton, envs: Mapping[str, Term]) -> Automaton:
    return replace(thread, locations=tuple(replace(q, env=envs[q.name]) for q in thread.locations))


#: What is known of others at their locations: a thread by its name, one more copy of a family by the name of that.
Others: TypeAlias = tuple[tuple[tuple[str, str], Term], ...]


def _others(known: Known, observer: Automaton, place: str, copy: tuple[Family, Var] | None) -> Others:
    """What is known of all others while the observer is at a location, but for what it has for itself."""
    families = known.program.families
    identities: dict[Var, Term] = {} if copy is None else {identity_of(copy[0], symbolic_name(copy[0], 1)): copy[1]}
    seen = frozenset(v.var for v in observer.variables if v.kind is not Kind.LOCAL)
    found = dict[tuple[str, str], Term]()
    for actor in _everybody(known.program):
        family = next((f for f in families if f.thread is actor), None)
        theirs = {local_of(v, actor.name): local_of(v, actor.name) for v in variables_of(actor, Kind.LOCAL)}
        if family is not None:
            _, met = called(families, observer.name, actor.name)
            others = symbolic_name(family, 2)
            theirs = {local_of(v, met): local_of(v, others) for v in variables_of(actor, Kind.LOCAL)}
        names: dict[Var, Term] = {**theirs, **identities}
        spoken = seen | set(theirs.values())
        for (here, there), said in known.where(observer.name, actor.name).items():
            if here == place:
                told = build.conjuncts(substitute(said, names))
                found[actor.name, there] = build.land(*(c for c in told if c.free <= spoken))
    return tuple(found.items())


def with_identities(program: Program, identities: Sequence[Var]) -> tuple[Automaton, ...]:
    """The threads of a program and one copy of each family, its identity a parameter."""
    crowded = Crowds(program, program, None, tuple(identities))
    return with_one_copy(crowded).concrete.threads


def _seen(known: Known, thread: Automaton, copy: tuple[Family, Var] | None) -> Term:
    """What is known of shared variables wherever the thread is, and of a copy's identity."""
    name = thread.name if copy is None else symbolic_name(copy[0], 1)
    positive = build.TRUE if copy is None else build.le(build.ONE, copy[1])
    facts = [dict.fromkeys(build.conjuncts(known.facts[name, q.name])) for q in thread.locations]
    shared = frozenset(variables_of(thread, Kind.GLOBAL))
    always = (f for f in facts[0] if f.free <= shared and all(f in some for some in facts))
    boxes = build.lor(*(known.boxes.seen[name, q.name] for q in thread.locations))
    return build.land(positive, boxes, *always)


def _about(thread: Automaton, copies: Mapping[str, tuple[Family, Var]], extra: Iterable[Term]) -> Iterable[Term]:
    """Conditions that the environment may speak of: for a copy also whether shared numbers are its identity."""
    if thread.name in copies:
        _, own = copies[thread.name]
        numbers = (v for v in variables_of(thread, Kind.GLOBAL) if v.sort == INT)
        written = {v for e in thread.edges for v, t in e.updates if own in t.free}
        for var in (v for v in numbers if v in written):
            yield build.eq(var, own)
            yield build.ne(var, own)
    known = frozenset(v.var for v in thread.variables if v.kind is not Kind.LOCAL)
    yield from (c for c in extra if c.free <= known)


def _changes(
    known: Known, observer: Automaton, copy: tuple[Family, Var] | None, others: Mapping[tuple[str, str], Term]
) -> Iterable[Change]:
    """What all others do to shared variables, other copies of the observer's own family among them."""
    for thread in known.program.threads:
        if thread.name != observer.name:
            facts = {q.name: known.facts[thread.name, q.name] for q in thread.locations}
            yield from changes_of(apart(thread), known.boxes.steps[thread.name], _with(facts, thread.name, others))
    for family in known.program.families:
        other, first = apart(symbolic(family, 2)), symbolic_name(family, 1)
        identity = identity_of(family, other.name)
        different = [build.le(build.ONE, identity)]
        if copy is not None:
            rigid = next(v for v in observer.variables if v.var == copy[1])
            other = replace(other, variables=(rigid, *other.variables))
            different += (build.le(build.ONE, copy[1]), build.ne(identity, copy[1]))
        own = variables_of(family.thread, Kind.LOCAL)
        names: dict[Var, Term] = {local_of(v, first): local_of(v, other.name) for v in own}
        facts = {q.name: build.land(*different, substitute(known.facts[first, q.name], names)) for q in other.locations}
        yield from changes_of(other, known.boxes.steps[other.name], _with(facts, family.thread.name, others))


def _with(facts: Mapping[str, Term], actor: str, others: Mapping[tuple[str, str], Term]) -> Mapping[str, Term]:
    return {place: build.land(fact, others.get((actor, place), build.TRUE)) for place, fact in facts.items()}


def _annotated(
    known: Known,
    thread: Automaton,
    boxes: Mapping[tuple[str, str], Term],
    copies: Mapping[str, tuple[Family, Var]],
) -> Automaton:
    name, plain = thread.name, dict[Var, Term]()
    if thread.name in copies:
        family, own = copies[thread.name]
        name = symbolic_name(family, 1)
        plain |= {own_local(name, v): v for v in variables_of(family.thread, Kind.LOCAL)}
        plain[identity_of(family, name)] = own
    else:
        plain |= {own_local(name, v): v for v in variables_of(thread, Kind.LOCAL)}

    def inv(place: str) -> Term:
        said = build.land(boxes[name, place], known.facts[name, place])
        return build.land(location_of(thread, place).inv, substitute(said, plain))

    return replace(thread, locations=tuple(replace(q, inv=inv(q.name)) for q in thread.locations))


class Pairs(Struct, frozen=True):
    """The pairs of threads, and of copies that stand for all, in their environments."""

    asked: Crowds
    abstract: Side
    concrete: Side
    goals: tuple[Goal, ...]
    met: tuple[tuple[Met, ...], tuple[Met, ...]]


def pairs_of(asked: Crowds, abstract: Known, concrete: Known, closures: bool, bounds: Limits) -> Pairs:
    """The goals about pairs, in closures or in environments as exact as can be. Raises LimitReached and InputError."""
    one = with_one_copy(asked)
    axioms = _axioms(asked)
    session = Session(bounds, tuple(a.formula for a in axioms)) if closures else None
    extra = conditions_of((*one.abstract.threads, *one.concrete.threads))
    first, second = (side_of(known, session, extra) for known in (abstract, concrete))
    programs = (replace(one.abstract, threads=first.weak), replace(one.concrete, threads=second.weak))
    made = tuple(replace(g, matched=False) for g in goals(*programs, one.block, whole=False))
    return Pairs(asked, first, second, made, (concrete.met, abstract.met))


def composition_of(pairs: Pairs, decisions: Sequence[Decision]) -> CrowdComposition | None:
    """The proof of the whole; None where a pair was not shown."""
    relations = tuple(d.evidence for d in decisions if isinstance(d.evidence, Relation))
    if len(relations) < len(pairs.goals):
        return None
    one = with_one_copy(pairs.asked)
    concrete, abstract = (
        {t.name: Annotated(t, made) for t, made in zip(p.threads, side.strong, strict=True)}
        for p, side in ((one.concrete, pairs.concrete), (one.abstract, pairs.abstract))
    )
    places = {g.concrete.name: place for place, g in enumerate(pairs.goals)}
    families = zip(pairs.asked.concrete.families, pairs.asked.identities, strict=True)
    return CrowdComposition(
        tuple(concrete[g.concrete.name] for g in pairs.goals),
        tuple(abstract[g.abstract.name] for g in pairs.goals),
        pairs.goals,
        relations,
        _axioms(pairs.asked),
        copies=tuple((places[f.thread.name], own) for f, own in families),
        met=pairs.met,
    )


def _axioms(asked: Crowds) -> tuple[Axiom, ...]:
    return tuple(dict.fromkeys((*asked.abstract.axioms, *asked.concrete.axioms)))
