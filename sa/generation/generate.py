"""Generation: from plain threads to automata with invariants and environments, on one level of visibility.

`generate` gives what boxes can say. `strengthened` adds relational facts that somebody asks for; `automata` are the
threads with their invariants and environments, either as exact as elimination allows or as a closure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Location, location_of, variables_of
from sa.automata.remainders import with_remainders
from sa.automata.rename import apart, own_local
from sa.base.limits import Limits
from sa.conditions.environment import identity
from sa.domains.boxes import Boxes
from sa.domains.formula import in_ranges
from sa.domains.frame import Frame
from sa.domains.lattice import Domain, V
from sa.domains.thresholds import Thresholds
from sa.generation.algorithm_1_reach import Reach, Thread, effects_of, loosened, reach
from sa.generation.checks import verify
from sa.generation.closure import closure_of
from sa.generation.environment import Change, Seen, changes_of, relation_of
from sa.generation.modular import Annotation, Wanted, solve_modular
from sa.generation.steady import steady
from sa.generation.symmetry import rotation
from sa.generation.visibility import Exposed, Level, exposed
from sa.smt.horn import GivenUp, NoSolution
from sa.smt.session import Session
from sa.terms import build
from sa.terms.interval import sort_range
from sa.terms.sort import INT, ArraySort
from sa.terms.substitute import substitute, substitution
from sa.terms.term import Term, Var

#: Values of a variable that are told apart as long as possible.
FEW = 16

#: Boxes of one value before it gets coarser, and of a family's all values: what each of many members may have done is
#: a box of its own for each set of members.
BOXES, FAMILY = 2_000, 1_000

#: Solver resources for one question about the threads together.
RLIMIT = 40_000_000


class Generated(Struct, frozen=True):
    """What is known of threads that run together, all of it over the names of `apart` threads.

    `boxes` and `hulls` are invariants by thread and location, `seen` what boxes say of the shared variables alone;
    `facts` are relational invariants that were asked for, `relations` what by them a thread's environment keeps to;
    `steps` is what boxes say of a thread's edges, by number; `loosened` are the variables, locals by their plain names,
    of which widening has lost a bound.
    """

    exposure: Exposed
    boxes: Annotation
    hulls: Annotation
    seen: Annotation
    facts: Annotation
    relations: Mapping[str, tuple[Term, ...]]
    steps: Mapping[str, Mapping[int, Seen]]
    loosened: tuple[tuple[str, Var], ...]


def generate(
    threads: tuple[Automaton, ...],
    level: Level,
    bounds: Limits,
    avoid: Iterable[str] = (),
    copied: frozenset[str] = frozenset(),
) -> Generated:
    """Invariants of all threads by Algorithm 1 on boxes; ghosts get names not in `avoid`. Raises LimitReached.

    Of the threads whose names are among the `copied` there is any number.
    """
    exposure = exposed(threads, level, avoid)
    own = tuple(apart(t) for t in exposure.threads)
    separate, meant = with_remainders(own)
    names = rotation(separate)
    most = BOXES if names is None else max(10, FAMILY // len(separate))
    domain = Boxes(Frame(_variables(separate)), finite=_finite(separate), most=most)
    run = reach(domain, separate, build.land(*(t.init for t in separate)), bounds, names, copied)
    return _read(run, domain, exposure, own, meant)


def unbounded(known: Generated) -> Mapping[str, str]:
    """By thread, in words, where precision was given up for termination."""
    found = dict[str, list[str]]()
    for thread, var in known.loosened:
        found.setdefault(thread, []).append(f"`{var.name}`")
    return {t: f"in `{t}` no least or no greatest value was found for {', '.join(names)}" for t, names in found.items()}


def _variables(threads: Sequence[Automaton]) -> tuple[Var, ...]:
    """All variables but arrays, which boxes know nothing of: those with few values first, choices last."""
    own = dict.fromkeys(v for t in threads for v in t.variables)
    ranked = sorted(own, key=lambda v: (v.high is None and v.var.sort == INT, v.kind is Kind.LOCAL))
    choices = (c for t in threads for e in t.edges for c in e.choices)
    return tuple(dict.fromkeys(v.var for v in (*ranked, *choices) if not isinstance(v.var.sort, ArraySort)))


def _finite(threads: Sequence[Automaton]) -> Thresholds:
    """All values of the variables that have few."""
    found = dict[Var, frozenset[int]]()
    for variable in (v for t in threads for v in t.variables):
        low, high = variable.low, variable.high
        if low is not None and high is not None and high - low < FEW:
            found[variable.var] = frozenset(range(low - 1, high + 1))
    return found


def _read(
    run: Reach[V], domain: Domain[V], exposure: Exposed, own: Sequence[Automaton], meant: Mapping[Var, Term]
) -> Generated:
    """What was found; `own` are the threads apart, `meant` terms that some variables of boxes stand for."""
    boxes, hulls, seen = dict[tuple[str, str], Term](), dict[tuple[str, str], Term](), dict[tuple[str, str], Term]()
    steps = dict[str, dict[int, Seen]]()
    lost = set[tuple[str, Var]]()
    for index, thread in enumerate(run.threads):
        said = {
            q: (domain.to_formula(v), _hull(domain, v), _seen(domain, thread, v)) for q, v in run.values[index].items()
        }
        done = {
            number: Seen(domain.to_formula(effect.before), domain.to_formula(effect.after))
            for number, effect in effects_of(run, index)
        }
        # The other members of a family are its first one under other names.
        for name, turn in zip([t.name for t in own[index:]], ({}, *run.turns), strict=False):
            told = substitution({**meant, **{v: meant.get(w, w) for v, w in turn.items()}})
            for place, formulas in said.items():
                boxes[name, place], hulls[name, place], seen[name, place] = map(told, formulas)
            steps[name] = {n: Seen(told(s.before), told(s.after)) for n, s in done.items()}
            lost.update((name, turn.get(v, v)) for v in loosened(run, index))
    plain = tuple(
        (t.name, v.var)
        for t, o in zip(exposure.threads, own, strict=True)
        for v, w in zip(t.variables, o.variables, strict=True)
        if (t.name, w.var) in lost
    )
    return Generated(exposure, boxes, hulls, seen, dict.fromkeys(boxes, build.TRUE), {}, steps, plain)


def _seen(domain: Domain[V], thread: Thread, value: V) -> Term:
    return domain.to_formula(domain.forget(value, thread.private))


def _hull(domain: Domain[V], value: V) -> Term:
    box = domain.hull(value)
    if box is None:
        return build.FALSE
    return build.land(*(in_ranges(v, (values,)) for v, values in box.items() if values != sort_range(v.sort)))


def strengthened(
    known: Generated,
    wanted: Sequence[Wanted],
    keeps: Mapping[str, tuple[Term, ...]],
    bounds: Limits,
    rlimit: int = RLIMIT,
) -> Generated | NoSolution | GivenUp:
    """The same with relational invariants under which everything wanted holds.

    `keeps` is what is wanted of the environments of threads. What is known helps or is in the way: it is asked with
    and without. Raises LimitReached.
    """
    answer: Annotation | NoSolution | GivenUp = GivenUp("nothing was asked")
    for facts in (known.facts, {}) if any(f is not build.TRUE for f in known.facts.values()) else ({},):
        threads = tuple(
            replace(t, locations=tuple(replace(q, inv=_known(known, t.name, q, facts)) for q in t.locations))
            for t in (apart(t) for t in known.exposure.threads)
        )
        answer = solve_modular(threads, wanted, bounds, rlimit)
        if not isinstance(answer, GivenUp):
            break
    if isinstance(answer, NoSolution | GivenUp):
        return answer
    facts = {place: build.land(fact, answer[place]) for place, fact in known.facts.items()}
    names = dict.fromkeys((*known.relations, *keeps))
    relations = {n: tuple(dict.fromkeys((*known.relations.get(n, ()), *keeps.get(n, ())))) for n in names}
    return replace(known, facts=facts, relations=relations)


def _known(known: Generated, thread: str, place: Location, facts: Annotation) -> Term:
    """What questions about the threads start from: hulls are short, and facts were asked for."""
    return build.land(place.inv, known.hulls[thread, place.name], facts.get((thread, place.name), build.TRUE))


def changes(known: Generated) -> Mapping[str, tuple[Change, ...]]:
    """What each thread does to the shared variables."""
    found = dict[str, tuple[Change, ...]]()
    for thread in (apart(t) for t in known.exposure.threads):
        facts = {q.name: known.facts[thread.name, q.name] for q in thread.locations}
        found[thread.name] = changes_of(thread, known.steps[thread.name], facts)
    return found


def automata(known: Generated, session: Session | None = None, extra: Iterable[Term] = ()) -> tuple[Automaton, ...]:
    """The threads with their invariants, in environments as exact as can be, or in closures if a session is given.

    `extra` are conditions that closures may speak of. Raises LimitReached.
    """
    by_thread = changes(known)
    made = list[Automaton]()
    # Threads share their variables, so what one of them does is the same relation for all others.
    relations = dict[tuple[Var, ...], dict[str, tuple[Term, ...]]]()
    for thread in known.exposure.threads:
        others = tuple(c for name, found in by_thread.items() if name != thread.name for c in found)
        shared = variables_of(thread, Kind.GLOBAL)
        if session is None:
            if shared not in relations:
                relations[shared] = {n: tuple(relation_of(c, shared) for c in found) for n, found in by_thread.items()}
            of_others = (r for name, found in relations[shared].items() if name != thread.name for r in found)
            env = build.lor(identity(shared), *of_others)
        else:
            seen = build.lor(*(known.seen[thread.name, q.name] for q in thread.locations))
            env = closure_of(session, others, shared, seen, extra)
        made.append(_annotated(known, thread, build.land(env, *known.relations.get(thread.name, ()))))
    return tuple(made)


def verified(known: Generated, axioms: Sequence[Term], closures: bool, bounds: Limits) -> tuple[Automaton, ...]:
    """The threads in closures in which their invariants are stable, or in exact environments, after all checks.

    Raises NotGenerated and LimitReached.
    """
    session, made = Session(bounds, axioms), automata(known)
    if closures:
        made = steady(session, automata(known, session), made)
    verify(session, made)
    return made


def invariants(known: Generated) -> tuple[Automaton, ...]:
    """The threads with all invariants, in environments of which nothing is said."""
    return tuple(_annotated(known, thread, build.TRUE) for thread in known.exposure.threads)


def weakened(known: Generated, made: Sequence[Automaton]) -> tuple[Automaton, ...]:
    """The same automata with invariants that say less, in fewer words: hulls and facts."""
    written = {t.name: t for t in known.exposure.threads}
    return tuple(_with_invariants(known, t, written[t.name], known.hulls) for t in made)


def _annotated(known: Generated, thread: Automaton, env: Term) -> Automaton:
    placed = replace(thread, locations=tuple(replace(q, env=env) for q in thread.locations))
    return _with_invariants(known, placed, thread, known.boxes)


def _with_invariants(known: Generated, made: Automaton, thread: Automaton, boxes: Annotation) -> Automaton:
    plain: dict[Var, Term] = {own_local(thread.name, v): v for v in variables_of(thread, Kind.LOCAL)}

    def inv(name: str) -> Term:
        place = (thread.name, name)
        return build.land(
            location_of(thread, name).inv, substitute(build.land(boxes[place], known.facts[place]), plain)
        )

    return replace(made, locations=tuple(replace(q, inv=inv(q.name)) for q in made.locations))
