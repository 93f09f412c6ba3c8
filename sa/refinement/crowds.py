"""Families of any number in `refine`: one copy that stands for all, in an environment that has all other copies in it.

Of each program: what boxes say of two copies, conjunctions of what copies compare and assign, and from these what the
steps of threads and of one more copy do to shared variables. To another one a copy does the same, so that is the
environment of each (THEORY section 12). Where two of them never are at once, joint invariants of the threads and two
copies tell. Nothing here is trusted: the checker asks whether it is so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, location_of, variables_of
from sa.automata.family import Family, crowd, identity_of, symbolic, symbolic_name
from sa.automata.program import Axiom, Program
from sa.automata.rename import apart, own_local
from sa.base.budget import Budget
from sa.base.limits import Limits
from sa.certificates.crowd import CrowdComposition, CrowdJoint, meetings
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.certificates.threads import Annotated
from sa.generation.closure import closure_of
from sa.generation.environment import Change, Seen, changes_of, environment_of
from sa.generation.generate import Generated, generate
from sa.generation.visibility import Level
from sa.invariants.conjunctions import conjunctions, under
from sa.invariants.crowd import by_counts
from sa.invariants.crowd_apart import apart_from_each_other, own_clauses, own_parameters, predicate_at
from sa.invariants.crowd_candidates import candidates
from sa.question.asked import Asked, Decision
from sa.question.families import Crowds, with_one_copy
from sa.question.goals import goals
from sa.refinement.missing import conditions_of
from sa.smt.horn import Clause
from sa.smt.session import Session
from sa.terms import build
from sa.terms.sort import INT
from sa.terms.substitute import local_of, substitute
from sa.terms.term import Or, Term, Var

#: Solver resources for each question whether a candidate stays.
SOON = 500_000


class Known(Struct, frozen=True):
    """What is known of the threads of a program and of two copies of each family, over the names of `apart` threads.

    `boxes` come from the fixed point, `facts` are conjunctions by thread and location, of the first copy of a family.
    `joints` show where two of them never are at once.
    """

    program: Program
    identities: tuple[Var, ...]
    boxes: Generated
    facts: Mapping[tuple[str, str], Term]
    joints: tuple[CrowdJoint, ...] = ()

    def never(self, observer: str, actor: str) -> frozenset[tuple[str, str]]:
        """Locations of two threads or copies that are never met, those of the observer first."""
        found = set[tuple[str, str]]()
        for joint in self.joints:
            known = meetings(joint.threads, joint.families)
            for (one, here), (two, there) in (known[bad] for bad in joint.never):
                found.update({(here, there)} if (one, two) == (observer, actor) else ())
                found.update({(there, here)} if (two, one) == (observer, actor) else ())
        return frozenset(found)


class Side(Struct, frozen=True):
    """The threads of a program and one copy of each family: what is claimed of them, and the same in fewer words."""

    strong: tuple[Automaton, ...]
    weak: tuple[Automaton, ...]


def known_of(program: Program, identities: tuple[Var, ...], bounds: Limits) -> Known:
    """Invariants of the threads of a program and of its copies. Raises LimitReached."""
    pairs = crowd(program.families, tuple(2 for _ in program.families))
    boxes = generate((*program.threads, *pairs), Level.HIDDEN, bounds)
    return _with_facts(Known(program, identities, boxes, {}), bounds)


def apart_of(known: Known, bounds: Limits) -> Known:
    """The same with what is known of places that two of them never meet at, if there are such. Raises LimitReached."""
    program = known.program
    acting = {(t.name, e.source) for t in _everybody(program) for e in t.edges if _writes(t, e)}
    wanted = tuple(
        bad for bad, (one, two) in meetings(program.threads, program.families).items() if one in acting or two in acting
    )
    asked = Asked(program.threads, wanted, program.axioms, families=program.families, init=program.init)
    found = by_counts(asked, Budget(bounds, 0), lambda event: None) if wanted else iter(())
    joints = tuple(e.evidence for e in found if isinstance(e.evidence, CrowdJoint))
    return _with_facts(replace(known, joints=joints), bounds) if joints else known


def _everybody(program: Program) -> tuple[Automaton, ...]:
    return (*program.threads, *(f.thread for f in program.families))


def _writes(thread: Automaton, edge: Edge) -> bool:
    return not frozenset(variables_of(thread, Kind.GLOBAL)).isdisjoint(v for v, _ in edge.updates)


def _with_facts(known: Known, bounds: Limits) -> Known:
    """What threads and copies compare and assign, as far as it holds. Raises LimitReached."""
    program, boxes = known.program, known.boxes
    session = Session(bounds, tuple(a.formula for a in program.axioms), rlimit=SOON)
    asked = Asked(program.threads, (), program.axioms, families=program.families, init=program.init)
    s = apart_from_each_other(asked)
    names, own = own_parameters(s), [identity_of(f, symbolic_name(f, 1)) for f in program.families]
    hulls = {predicate_at(t.name, q.name): boxes.hulls[t.name, q.name] for t in s.observers for q in t.locations}
    offered = dict[str, Sequence[Term]]()
    for thread in s.observers:
        said = candidates(tuple(v.var for v in thread.variables), s.observers, own, ())
        offered |= {predicate_at(thread.name, q.name): said for q in thread.locations}
    clauses = (c for c in own_clauses(s) if not _is_never(known, c))
    found = conjunctions(session, names, tuple(under(names, hulls, clauses)), offered, bounds)
    facts = dict[tuple[str, str], Term]()
    for thread in s.observers:
        for place in thread.locations:
            name = predicate_at(thread.name, place.name)
            facts[thread.name, place.name] = _shorter(session, hulls[name], found[name])
    return replace(known, facts=facts)


def _is_never(known: Known, clause: Clause) -> bool:
    """Whether a step is of somebody who is never there while the observer is where it is."""
    if not known.joints or len(clause.body) < 2:
        return False
    firsts = {symbolic_name(f, 1): f.thread.name for f in known.program.families}
    spots = []
    for atom in clause.body:
        name, _, place = atom.predicate.rpartition(" at ")
        spots.append((firsts.get(name, name), place))
    (observer, here), (actor, there) = spots
    return (here, there) in known.never(observer, actor)


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
        copy, shared, made = copies.get(thread.name), variables_of(thread, Kind.GLOBAL), dict[Absent, Term]()
        envs = dict[str, Term]()
        for place in thread.locations:
            absent = _absent(known, thread.name, place.name)
            if absent not in made:
                changes = tuple(_changes(known, thread, copy, absent))
                if session is None:
                    made[absent] = environment_of(changes, shared)
                else:
                    about = _about(thread, copies, extra)
                    made[absent] = closure_of(session, changes, shared, _seen(known, thread, copy), about)
            envs[place.name] = made[absent]
        strong.append(_annotated(known, thread, envs, known.boxes.boxes, copies))
        weak.append(_annotated(known, thread, envs, known.boxes.hulls, copies))
    return Side(tuple(strong), tuple(weak))


#: By names of threads and families with their locations where nobody of them is.
Absent: TypeAlias = frozenset[tuple[str, str]]


def _absent(known: Known, observer: str, place: str) -> Absent:
    """Where no other thread and no other copy is while the observer is at a location."""
    if not known.joints:
        return frozenset()
    names = [t.name for t in _everybody(known.program)]
    return frozenset((n, there) for n in names for here, there in known.never(observer, n) if here == place)


def _present(thread: Automaton, name: str, steps: Mapping[int, Seen], absent: Absent) -> Mapping[int, Seen]:
    return {number: s for number, s in steps.items() if (name, thread.edges[number].source) not in absent}


def with_identities(program: Program, identities: Sequence[Var]) -> tuple[Automaton, ...]:
    """The threads of a program and one copy of each family, its identity a parameter."""
    crowded = Crowds(program, program, None, tuple(identities))
    return with_one_copy(crowded).concrete.threads


def _seen(known: Known, thread: Automaton, copy: tuple[Family, Var] | None) -> Term:
    """What boxes say of shared variables wherever the thread is, and of a copy's identity."""
    name = thread.name if copy is None else symbolic_name(copy[0], 1)
    positive = build.TRUE if copy is None else build.le(build.ONE, copy[1])
    return build.land(positive, build.lor(*(known.boxes.seen[name, q.name] for q in thread.locations)))


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


def _changes(known: Known, observer: Automaton, copy: tuple[Family, Var] | None, absent: Absent) -> Iterable[Change]:
    """What all others do to shared variables, other copies of the observer's own family among them."""
    for thread in known.program.threads:
        if thread.name != observer.name:
            facts = {q.name: known.facts[thread.name, q.name] for q in thread.locations}
            steps = _present(thread, thread.name, known.boxes.steps[thread.name], absent)
            yield from changes_of(apart(thread), steps, facts)
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
        steps = _present(other, family.thread.name, known.boxes.steps[other.name], absent)
        yield from changes_of(other, steps, facts)


def _annotated(
    known: Known,
    thread: Automaton,
    envs: Mapping[str, Term],
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

    return replace(thread, locations=tuple(replace(q, inv=inv(q.name), env=envs[q.name]) for q in thread.locations))


class Pairs(Struct, frozen=True):
    """The pairs of threads, and of copies that stand for all, in their environments."""

    asked: Crowds
    abstract: Side
    concrete: Side
    goals: tuple[Goal, ...]
    apart: tuple[tuple[CrowdJoint, ...], tuple[CrowdJoint, ...]]


def pairs_of(asked: Crowds, abstract: Known, concrete: Known, closures: bool, bounds: Limits) -> Pairs:
    """The goals about pairs, in closures or in environments as exact as can be. Raises LimitReached and InputError."""
    one = with_one_copy(asked)
    axioms = _axioms(asked)
    session = Session(bounds, tuple(a.formula for a in axioms)) if closures else None
    extra = conditions_of((*one.abstract.threads, *one.concrete.threads))
    first, second = (side_of(known, session, extra) for known in (abstract, concrete))
    programs = (replace(one.abstract, threads=first.weak), replace(one.concrete, threads=second.weak))
    made = tuple(replace(g, matched=False) for g in goals(*programs, one.block, whole=False))
    return Pairs(asked, first, second, made, (concrete.joints, abstract.joints))


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
        apart=pairs.apart,
    )


def _axioms(asked: Crowds) -> tuple[Axiom, ...]:
    return tuple(dict.fromkeys((*asked.abstract.axioms, *asked.concrete.axioms)))
