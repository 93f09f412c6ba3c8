"""What is related besides what is asked, so that pairs of threads know enough of each other.

Where the two sides name their globals differently nothing relates them, and what others do to the one side tells a
thread nothing of the other. Equations between globals are conjoined with ι: who refines with them refines without
them, for the claim is weaker then. Which equations these are need not be right: plays on small values show where they
say too much, and there they are asked for under a condition, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice, permutations, product

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Origin, variables_of
from sa.automata.program import Formula, Refinement
from sa.base.limits import spend
from sa.certificates.goal import Goal, iota_of
from sa.certificates.interpreted import plain_play
from sa.certificates.play import Play
from sa.engines.options import Options
from sa.engines.outcome import Found
from sa.refinement.coupling import Coupling, Part, conditions, equations_of, weakened
from sa.smt.session import Session, Unsat
from sa.terms import build
from sa.terms.name import off_side
from sa.terms.printer import show
from sa.terms.solve import solution
from sa.terms.sort import INT, ArraySort
from sa.terms.term import Bool, Int, IsZero, Same, Term, Var, sort_of
from sa.values.search_bounds import Sought


class Besides(Enum):
    """Where it comes from what is related besides what is asked.

    That what both sides show of their globals is equal at all times; that abstract locks are free, as if what they
    protect were one step; equations less plays against them; or random runs.
    """

    SHOWN = "shown"
    REST = "rest"
    PLAYS = "plays"
    SAMPLES = "samples"


#: Equations that are begun with, and plays against them.
EQUATIONS, PLAYS = 32, 32

#: Numbers of a side of which differences are looked at, and elements at places that are compared with something.
FEW, READINGS = 3, 100

#: Steps in which a play is looked for, values that are tried for choices without a range, and abstract states that are
#: looked at for one answer: abstract threads that go around silently have any number of them.
STEPS, VALUES, STATES = 20_000, 4, 100


def block_besides(block: Refinement | None, formulas: tuple[Term, ...]) -> Refinement:
    """The block, or what is meant where there is none, with formulas that are to hold at all times."""
    more = tuple(map(_formula, formulas))
    if block is None:
        return Refinement("", None, None, None, (), more, (), (), False, False, None, Origin(None))
    return replace(block, inv=(*block.inv, *more))


def _formula(term: Term) -> Formula:
    return Formula(term, Origin(None))


def always_shown(goal: Goal) -> tuple[Term, ...]:
    """That globals are equal of which the two sides show the same terms with one action, wherever they show it."""
    concrete, abstract = (_shown(a) for a in (goal.concrete, goal.abstract))
    pairs = ((value, abstract[place]) for place, value in concrete.items() if place in abstract)
    said = (build.eq(one, other) for one, other in pairs if sort_of(one) == sort_of(other))
    known = frozenset(f.term for f in goal.iota)
    return tuple(dict.fromkeys(f for f in said if f is not build.TRUE and f not in known))


def _shown(automaton: Automaton) -> Mapping[tuple[str, int, int], Term]:
    """By action, the number of its values and the place of one, the term over globals that is shown there."""
    shared, found = frozenset(variables_of(automaton, Kind.GLOBAL)), dict[tuple[str, int, int], set[Term]]()
    for label in (e.label for e in automaton.edges if e.label is not None):
        for place, value in enumerate(label.values):
            found.setdefault((label.action, len(label.values), place), set()).add(value)
    single = [(place, term) for place, terms in found.items() if len(terms) == 1 for term in terms]
    return {place: term for place, term in single if term.free and term.free <= shared}


def at_rest(goal: Goal) -> tuple[Term, ...]:
    """That abstract variables which ι does not read have their first values: steps give them these, and others."""
    read, written = iota_of(goal).free, dict[Var, set[Term]]()
    for edge in goal.abstract.edges:
        for var, value in edge.updates:
            written.setdefault(var, set()).add(value)
    shared = frozenset(variables_of(goal.abstract, Kind.GLOBAL)) - read
    begun = (solution(c, shared) for c in build.conjuncts(goal.abstract.init))
    return tuple(
        build.eq(var, value)
        for var, value in dict.fromkeys(said for said in begun if said is not None)
        if isinstance(value, Int | Bool) and value in written.get(var, ()) and len(written[var]) > 1
    )


def related_besides(wholes: Sequence[Goal], options: Options) -> tuple[Term, ...]:
    """Formulas over globals of both sides that may hold besides what goals about two whole programs ask.

    The goals have few threads first: there plays are short. No formulas where nothing came of it. Raises LimitReached.
    """
    parts = tuple(map(Part, _equal_at_start(wholes[-1], options)))
    equated = frozenset(v for p in parts for v in p.equation.free)
    coupling = Coupling(parts, conditions(wholes[-1].concrete, equated))
    for goal in wholes:
        less = _kept_by(goal, coupling, options)
        if less is None:
            return ()
        coupling = less
    return _said(coupling)


def _said(coupling: Coupling) -> tuple[Term, ...]:
    said = (build.implies(c, e) for c, e in equations_of(replace(coupling, parts=_telling(coupling))))
    return tuple(f for f in said if f is not build.TRUE)


def _kept_by(goal: Goal, coupling: Coupling, options: Options) -> Coupling | None:
    """What is left of a coupling where plays show that it says too much; None if nothing is. Raises LimitReached."""
    for _ in range(PLAYS):
        said = _said(coupling)
        if not said:
            return None
        spend(options.limits, 800)
        play = _play(replace(goal, iota=(*goal.iota, *map(_formula, said))), options)
        if play is None:
            return coupling
        less = weakened(coupling, plain_play(play), iota_of(goal))
        if less is None:
            return None
        coupling = less
    return None


def _telling(coupling: Coupling) -> tuple[Part, ...]:
    """Equations of variables, under conditions too; others only where they always hold and those do not say it."""
    always = [p for p in coupling.parts if p.condition is build.TRUE]
    equal = {p.equation.free for p in always if len(p.equation.free) == 2}
    plain = (p for p in coupling.parts if len(p.equation.free) == 2)
    return (*plain, *(p for p in always if len(p.equation.free) > 2 and not any(e <= p.equation.free for e in equal)))


def with_besides(found: Found, formulas: tuple[Term, ...]) -> Found:
    """What was proved with formulas besides what was asked, as the answer to that."""
    assert found.composition is not None
    shown = ", ".join(f"`{show(t)}`" for t in formulas)
    note = f"proved with a stronger relation than asked for, which adds: {shown}"
    return replace(found, composition=replace(found.composition, besides=formulas), notes=(*found.notes, note))


def _equal_at_start(goal: Goal, options: Options) -> Iterator[Term]:
    """Equations between globals of the two sides of which ι has none, where they begin with the same value.

    An equation that ι asks for under a condition is none: it may hold at all times. What equals its namesake is not
    compared with others.
    """
    session = Session(options.limits, tuple(a.formula for a in goal.axioms), options.seed)
    start = (*(f.term for f in goal.kappa), goal.concrete.init, goal.abstract.init)
    told = frozenset(v for c in build.conjuncts(iota_of(goal)) if isinstance(c, IsZero | Same) for v in c.free)
    mine, theirs = ([v for v in variables_of(a, Kind.GLOBAL) if v not in told] for a in (goal.concrete, goal.abstract))
    places = [v for v in variables_of(goal.concrete, Kind.GLOBAL) if v.sort == INT and v.name.position is None]
    true = [e for e in _equations(mine, theirs, places) if isinstance(session.check((*start, build.lnot(e))), Unsat)]
    namesakes = [e for e in true if len({off_side(v.name) for v in e.free}) == 1]
    named = frozenset(v for e in namesakes for v in e.free)
    return islice((e for e in true if e in namesakes or len(e.free) > 2 or e.free.isdisjoint(named)), EQUATIONS)


def _equations(mine: Sequence[Var], theirs: Sequence[Var], places: Sequence[Var]) -> Iterator[Term]:
    """Equations between variables of one sort, arrays but at one of the places, numbers with differences of two, and
    others with what an array has at one of the places: which element is meant is often a variable itself.
    """
    for x, y in product(mine, theirs):
        if x.sort == y.sort and (x.name.position is None) == (y.name.position is None):
            yield build.eq(x, y)
    numbers, others = ([v for v in side if v.sort == INT and v.name.position is None] for side in (mine, theirs))
    for x, y in product(mine, theirs):
        if x.sort == y.sort == ArraySort(INT, INT):
            yield from (build.eq(x, build.store(y, k, build.select(x, k))) for k in places)
    if len(numbers) <= FEW and len(others) <= FEW:
        yield from (build.eq(build.sub(x, y), z) for x, y in permutations(numbers, 2) for z in others)
        yield from (build.eq(x, build.sub(y, z)) for x in numbers for y, z in permutations(others, 2))
    yield from islice((e for k in places for y in theirs for e in _current(mine, k, y)), READINGS)


def _current(variables: Sequence[Var], place: Var, other: Var) -> Iterator[Term]:
    """That another variable is what an array has at a place; for short arrays, each element under a condition."""
    elements = dict[str, list[Term]]()
    for v in variables:
        if (position := v.name.position) is not None and v.sort == other.sort:
            here = build.eq(place, build.integer(position))
            elements.setdefault(v.name.base, []).append(build.implies(here, build.eq(v, other)))
        elif isinstance(v.sort, ArraySort) and v.sort.element == other.sort:
            yield build.eq(build.select(v, place), other)
    if other.name.position is None:
        yield from (build.land(*each) for each in elements.values())


def _play(goal: Goal, options: Options) -> Play | None:
    """A short play against a goal on small values, which need not be one on others. Raises LimitReached."""
    # Loaded only where pairs of threads are not enough as they are.
    from sa.values.search import suspected

    return suspected(goal, options.limits, Sought(STEPS, states=STATES, pool=VALUES, plays=True))
