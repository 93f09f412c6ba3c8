"""The environment of each thread, and of one copy that stands for all: all others, and all other copies.

From what is known of threads and copies, what their steps do to shared variables: to another one a copy does the same
(THEORY section 12). Nothing here is trusted: the checker asks whether it is so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Location, location_of, variables_of
from sa.automata.family import Family, identity_of, symbolic, symbolic_name
from sa.automata.program import Program
from sa.automata.rename import apart, own_local
from sa.certificates.family_composition import called
from sa.generation.closure import closure_of
from sa.generation.environment import Change, changes_of, environment_of
from sa.refinement.family_facts import Known, everybody, owned, with_identities
from sa.smt.session import Session
from sa.terms import build
from sa.terms.sort import BOOL, INT
from sa.terms.substitute import local_of, primed, substitute
from sa.terms.term import Ite, Select, Term, Var, has_quantifiers, sort_of, subterms


class Side(Struct, frozen=True):
    """The threads of a program and one copy of each family: what is claimed of them, and the same in fewer words."""

    strong: tuple[Automaton, ...]
    weak: tuple[Automaton, ...]


def side_of(known: Known, session: Session, closures: bool, extra: Iterable[Term]) -> Side:
    """The threads and one copy of each family with invariants, in environments that have all other copies in them.

    Environments are as exact as can be, or `closures`; these may speak of `extra` conditions. Raises LimitReached.
    """
    program = known.program
    copies = {f.thread.name: (f, own) for f, own in zip(program.families, known.identities, strict=True)}
    threads = with_identities(program, known.identities)
    strong, weak = list[Automaton](), list[Automaton]()
    for thread in threads:
        copy, shared, read = copies.get(thread.name), variables_of(thread, Kind.GLOBAL), _own_reads(program, thread)
        made, envs = dict[Others, Term](), dict[str, Term]()
        annotated = _annotated(known, thread, known.boxes.boxes, copies)
        for place in annotated.locations:
            others = _others(known, thread, place.name, copy)
            if others not in made:
                changes = tuple(_changes(known, thread, copy, dict(others)))
                if closures:
                    about = _about(thread, copies, extra)
                    made[others] = closure_of(session, changes, shared, _seen(known, thread, copy), about)
                else:
                    made[others] = environment_of(changes, shared)
            envs[place.name] = build.land(made[others], _own_elements(known, session, thread, place, read, copy))
        strong.append(_in_environments(annotated, envs))
        shorter = _annotated(known, thread, known.boxes.hulls, copies)
        # What holds of all elements is for the checker: in searches only those count that a thread reads.
        bare = tuple(replace(q, inv=_without_quantifiers(q.inv)) for q in shorter.locations)
        weak.append(_in_environments(replace(shorter, locations=bare), envs))
    return Side(tuple(strong), tuple(weak))


def _own_reads(program: Program, thread: Automaton) -> tuple[Term, ...]:
    """Terms that a thread reads of which its own variables say what they are: elements of shared arrays at an index
    that nobody else writes, `a[i]`, and `if i == 0 then a[0] else a[1]`.
    """
    shared, own = frozenset(variables_of(thread, Kind.GLOBAL)), owned(program, thread)

    def is_own(term: Term) -> bool:
        match term:
            case Select(array, index):
                return array in shared and index in own
            case Ite(condition):
                return condition.free <= own and term.free - own <= shared and bool(term.free - own)
            case _:
                return False

    terms = (t for e in thread.edges for t in (e.guard, *(value for _, value in e.updates)))
    return tuple(dict.fromkeys(t for t in subterms(terms) if is_own(t)))


def _in_environments(thread: Automaton, envs: Mapping[str, Term]) -> Automaton:
    return replace(thread, locations=tuple(replace(q, env=envs[q.name]) for q in thread.locations))


#: What is known of others at their locations: a thread by its name, one more copy of a family by the name of that.
Others: TypeAlias = tuple[tuple[tuple[str, str], Term], ...]


def _others(
    known: Known, observer: Automaton, place: str, copy: tuple[Family, Var] | None, own: frozenset[Var] = frozenset()
) -> Others:
    """What is known of all others while the observer is at a location: of what it has for itself only its `own`."""
    families = known.program.families
    identities: dict[Var, Term] = {} if copy is None else {identity_of(copy[0], symbolic_name(copy[0], 1)): copy[1]}
    seen = own.union(v.var for v in observer.variables if v.kind is not Kind.LOCAL)
    found = dict[tuple[str, str], Term]()
    for actor in everybody(known.program):
        family = next((f for f in families if f.thread is actor), None)
        me, met = called(families, observer.name, actor.name)
        mine: dict[Var, Term] = {local_of(v, me): v for v in own}
        theirs = {local_of(v, actor.name): local_of(v, actor.name) for v in variables_of(actor, Kind.LOCAL)}
        if family is not None:
            others = symbolic_name(family, 2)
            theirs = {local_of(v, met): local_of(v, others) for v in variables_of(actor, Kind.LOCAL)}
        names: dict[Var, Term] = {**theirs, **identities, **mine}
        spoken = seen | set(theirs.values())
        for (here, there), said in known.where(observer.name, actor.name).items():
            if here == place:
                told = build.conjuncts(substitute(said, names))
                found[actor.name, there] = build.land(*(c for c in told if c.free <= spoken))
    return tuple(found.items())


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


def _own_elements(
    known: Known,
    session: Session,
    observer: Automaton,
    place: Location,
    read: Iterable[Term],
    copy: tuple[Family, Var] | None,
) -> Term:
    """That what a thread reads through its own variables stays as it is, where that is so: what was published is not
    written again, and nobody else has the place. Raises LimitReached.
    """
    own = owned(known.program, observer)
    beside = dict(_others(known, observer, place.name, copy, frozenset(variables_of(observer, Kind.LOCAL))))
    steps = [(facts[e.source], e) for other, facts in _actors(known, observer, copy, beside) for e in other.edges]
    found = list[Term]()
    for element in read:
        parts = element.free - own
        written = [
            (substitute(element, {v: value for v, value in e.updates if v in parts}), (place.inv, fact, e.guard))
            for fact, e in steps
            if any(v in parts for v, _ in e.updates)
        ]
        after = substitute(element, {v: primed(v) for v in parts})
        if all(session.implied(build.eq(now, element), said) for now, said in written):
            found.append(build.eq(after, element))
        elif sort_of(element) == BOOL and all(session.implied(now, (element, *said)) for now, said in written):
            found.append(build.implies(element, after))
    return build.land(*found)


def _changes(
    known: Known, observer: Automaton, copy: tuple[Family, Var] | None, others: Mapping[tuple[str, str], Term]
) -> Iterable[Change]:
    """What all others do to shared variables, other copies of the observer's own family among them."""
    for other, facts in _actors(known, observer, copy, others):
        bare = {place: _without_quantifiers(fact) for place, fact in facts.items()}
        yield from changes_of(other, known.boxes.steps[other.name], bare)


def _without_quantifiers(formula: Term) -> Term:
    return build.land(*(c for c in build.conjuncts(formula) if not has_quantifiers(c)))


def _actors(
    known: Known, observer: Automaton, copy: tuple[Family, Var] | None, others: Mapping[tuple[str, str], Term]
) -> Iterator[tuple[Automaton, Mapping[str, Term]]]:
    """All others, other copies of the observer's own family among them, and what is known of each at its locations."""
    for thread in known.program.threads:
        if thread.name != observer.name:
            facts = {q.name: known.facts[thread.name, q.name] for q in thread.locations}
            yield apart(thread), _with(facts, thread.name, others)
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
        yield other, _with(facts, family.thread.name, others)


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
