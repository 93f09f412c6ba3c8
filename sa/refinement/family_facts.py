"""What is known of the threads of a program and of copies of families, so that one stands for all.

What boxes say of two copies, conjunctions of what copies compare and assign; and where two of them never are at once,
which joint invariants of the threads and two copies tell (THEORY section 12).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.automata.family import crowd, identity_of, symbolic_name
from sa.automata.program import Program
from sa.base.budget import Budget
from sa.base.limits import Limits
from sa.certificates.family_composition import Known as Meetings
from sa.certificates.family_composition import Met, known_of_two
from sa.certificates.run import Bad
from sa.generation.generate import Generated, generate
from sa.generation.visibility import Level
from sa.invariants.conjunctions import conjunctions, under
from sa.invariants.efforts import Effort
from sa.invariants.family_candidates import applied, candidates
from sa.invariants.family_candidates_by_location import always_or_while_told, while_told
from sa.invariants.family_meetings import meetings
from sa.invariants.family_thread_modular import apart_from_each_other, own_clauses, own_parameters, predicate_at
from sa.invariants.indexed import at_own_places, everywhere
from sa.invariants.karr_clauses import affine_equations
from sa.invariants.partition_by_flags import flags_of
from sa.invariants.weakest_preconditions import needed_for
from sa.question.asked import Asked
from sa.question.families import Crowds, with_one_copy
from sa.smt.horn import Clause
from sa.smt.session import Session
from sa.terms import build
from sa.terms.substitute import local_of
from sa.terms.term import Forall, Or, Term, Var

#: Solver resources for each question whether a candidate stays.
SOON = 500_000


class Known(Struct, frozen=True):
    """What is known of the threads of a program and of two copies of each family, over the names of `apart` threads.

    `boxes` come from the fixed point, `facts` are conjunctions by thread and location, of the first copy of a family.
    `met` is what is known where two of them meet. `wished` are formulas over shared variables that may always hold, or
    while something else does: what they need is looked at, too. With `elements` facts may be about all elements of
    arrays. What is `likely` of one alone, numbers of copies say. `claims` are what is to be known.
    """

    program: Program
    identities: tuple[Var, ...]
    boxes: Generated
    facts: Mapping[tuple[str, str], Term]
    met: tuple[Met, ...] = ()
    wished: tuple[Term, ...] = ()
    elements: bool = False
    likely: Mapping[tuple[str, str], Term] = {}
    claims: tuple[Bad, ...] = ()

    def where(self, observer: str, actor: str) -> Meetings:
        """By locations of an observer and an actor what is known of both."""
        return known_of_two(self.met, observer, actor)


def known_of(
    program: Program,
    identities: tuple[Var, ...],
    wished: tuple[Term, ...],
    bounds: Limits,
    claims: tuple[Bad, ...] = (),
) -> Known:
    """Invariants of the threads of a program and of its copies; those that are `wished` too. Raises LimitReached."""
    pairs = crowd(program.families, tuple(2 for _ in program.families))
    boxes = generate((*program.threads, *pairs), Level.HIDDEN, bounds)
    return _with_facts(Known(program, identities, boxes, {}, wished=wished, claims=claims), bounds)


def met_of(known: Known, effort: Effort, bounds: Limits) -> Known:
    """The same with what is known where two of them meet, if there is something. Raises LimitReached."""
    program = known.program
    asked = Asked(program.threads, known.claims, program.axioms, families=program.families, init=program.init)
    alone = {at: build.land(known.boxes.hulls[at], said) for at, said in known.facts.items()}
    told = tuple(meetings(asked, effort, Budget(bounds, 0), alone))
    met = tuple(t.met for t in told if t.met is not None)
    likely = dict[tuple[str, str], Term]()
    for spot, said in ((spot, said) for t in told for spot, said in t.alone.items()):
        likely[spot] = build.land(likely.get(spot, build.TRUE), said)
    return _with_facts(replace(known, met=met, likely=likely), bounds) if met else known


def with_elements(known: Known, bounds: Limits) -> Known:
    """The same with what holds of all elements of arrays. Raises LimitReached."""
    return _with_facts(replace(known, elements=True), bounds)


def owned(program: Program, thread: Automaton) -> frozenset[Var]:
    """The variables of a thread or copy that nobody else writes, no other copy either."""
    others = (*(t for t in program.threads if t.name != thread.name), *(f.thread for f in program.families))
    shared = frozenset(variables_of(thread, Kind.GLOBAL))
    written = frozenset(v for t in others for e in t.edges for v, _ in e.updates)
    return frozenset(v.var for v in thread.variables if v.kind is not Kind.PARAM) - (written & shared)


def everybody(program: Program) -> tuple[Automaton, ...]:
    """All threads, and the automata of families."""
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
    shared = tuple(dict.fromkeys(v for t in s.observers for v in variables_of(t, Kind.GLOBAL)))
    of_all = tuple(everywhere(s.observers, shared)) if known.elements else ()
    for thread in s.observers:
        said = candidates(tuple(v.var for v in thread.variables), s.observers, own, ())
        said += (*while_told(s.observers, said), *applied(s.observers, tuple(v.var for v in thread.variables)))
        needed = dict[str, list[Term]]()
        for at, formula in needed_for(thread, wished):
            needed.setdefault(at, []).append(formula)
        said = (*of_all, *at_own_places(thread, owned(program, thread), of_all), *said)
        for place in thread.locations:
            more = (*also.get((thread.name, place.name), ()), *wished, *needed.get(place.name, ()))
            offered[predicate_at(thread.name, place.name)] = (*more, *said)
    clauses = tuple(under(names, hulls, _where_met(known, own_clauses(s))))
    equal = affine_equations(names, clauses, bounds)
    offered = {name: (*equal[name], *said) for name, said in offered.items()}
    found = conjunctions(session, names, clauses, offered, bounds, flags=flags_of(s.observers))
    facts = dict[tuple[str, str], Term]()
    for thread in s.observers:
        for place in thread.locations:
            name = predicate_at(thread.name, place.name)
            facts[thread.name, place.name] = _shorter(session, hulls[name], found[name])
    return replace(known, facts=facts)


def _of_one(known: Known) -> Mapping[tuple[str, str], Sequence[Term]]:
    """What is known of meetings and speaks of one of the two, by its name and location: it may hold of it alone. And
    what is likely.
    """
    found = {spot: dict.fromkeys(build.conjuncts(said)) for spot, said in known.likely.items()}
    of = {name: name for name in (t.name for t in known.program.threads)}
    of |= {f.thread.name: symbolic_name(f, 1) for f in known.program.families}
    locals_of = {t.name: frozenset(variables_of(t, Kind.LOCAL)) for t in everybody(known.program)}
    for observer in everybody(known.program):
        own = {local_of(v, of[observer.name]) for v in locals_of[observer.name]}
        shared = {v.var for v in observer.variables if v.kind is not Kind.LOCAL}
        for actor in everybody(known.program):
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
    """The conjuncts that do not follow from what is known and from those before them, equations first, and at the end
    what holds of all elements: searches do not look at that.
    """
    kept = list[Term]()

    def order(part: Term) -> tuple[bool, bool, bool, str]:
        return isinstance(part, Forall), len(part.free) > 2, isinstance(part, Or), part.key

    for part in sorted(build.conjuncts(said), key=order):
        if not session.implied(part, (known, *kept)):
            kept.append(part)
    return build.land(*kept)


def with_identities(program: Program, identities: Sequence[Var]) -> tuple[Automaton, ...]:
    """The threads of a program and one copy of each family, its identity a parameter."""
    crowded = Crowds(program, program, None, tuple(identities))
    return with_one_copy(crowded).concrete.threads
