"""What joint invariants of threads and copies may be made of, for each choice of locations.

That is what is in balance, what steps need so that claims hold after them, what would be so if nobody else wrote it,
and how many copies there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, islice, permutations, zip_longest
from typing import TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Automaton, Kind, Variable, copies_of, variables_of
from sa.automata.family import symbolic_name
from sa.certificates.run import Bad
from sa.conditions.never import at_places, mentioned
from sa.invariants.constants import constants
from sa.invariants.family_candidates import applied, candidates
from sa.invariants.family_clauses import System, balanced, counters, identities, places_of, predicate, variables
from sa.invariants.houdini import atoms_of
from sa.invariants.place_invariants import equations
from sa.invariants.weakest_preconditions import preconditions, tested, undisturbed
from sa.terms import build
from sa.terms.sort import BOOL, INT
from sa.terms.substitute import local_of, substitute
from sa.terms.term import IsZero, Le, Not, Same, Select, Term, Var

#: Formulas by the predicate that they are offered to.
Offered: TypeAlias = Mapping[str, Sequence[Term]]

#: So many formulas at most for each choice of locations, and so many that depend on a truth value.
OFFERED, DEPENDENT = 700, 80

#: Sums of so many summands at most have parts that are bounded, and so many bounds there are at most.
SUMMED, PARTS = 7, 160

#: So many tests at most of which it is supposed that one copy at a time passes them.
ALONE = 12


def needed(s: System, bads: Sequence[Bad]) -> Offered:
    """Formulas for each choice of locations."""
    guessed = (*undisturbed(s.apart), *tested(s.apart), *islice(_of_one_only(s), ALONE))
    somewhere = dict.fromkeys((*_claimed(bads), *preconditions(bads, _written(s), s.apart), *guessed))
    # What may be said of counters is said below.
    counted = frozenset(counters(s))
    compared = candidates([v for v in variables(s) if v not in counted], s.apart, identities(s), bads)
    alone, summed = tuple(numbers_of(s)), tuple(islice(parts_of_sums(s), PARTS))
    shared = _shared(s.apart)
    said = [f for f in (*alone, *compared) if isinstance(f, IsZero | Le) and f.free and f.free <= shared.keys()]
    others = [f for f in compared if isinstance(f, Not) and f.free and f.free <= shared.keys()]
    flags = [f for v in shared if v.sort == BOOL for f in (v, build.lnot(v))]
    told = _told(s.apart)
    numbers = tuple(islice(_dependent(told, [f for f in alone if isinstance(f, Le)]), DEPENDENT))
    next_ones = dict.fromkeys(n for t in s.apart for n in _shared_turns(t))
    dependent = (*_dependent(next_ones, flags), *islice(_dependent(told, said), DEPENDENT))
    own_tests = {t.name: _own_tests(t) for t in s.apart}
    kept_alone = tuple(equations([t for t in s.apart if t.name not in _further(s)], init=s.asked.init))
    # Claims may speak of more copies than there are here, and of where they are.
    known, placed = frozenset(variables(s)), _Placed({f: mentioned(f) for f in (*somewhere, *summed)})
    offered = dict[str, Sequence[Term]]()
    for places in places_of(s):
        here = {t.name: q for t, q in zip(s.apart, places, strict=True)}
        said_here = (placed.at(f, here) for f in somewhere)
        needs = (f for f in said_here if f.free and f.free <= known)
        own_of = [own_tests[t].get(q, ()) for t, q in here.items()]
        own = [test for tests in own_of for test in tests]
        turns = [t for t in own if not t.free.isdisjoint(shared)]
        each = (f for tests in own_of for f in islice(_dependent(tests, (*flags, *turns, *said, *others)), DEPENDENT))
        apart = (build.lor(build.lnot(one), build.lnot(other)) for one, other in combinations(own, 2))
        kept = [f for f in (at_places(e, here) for e in kept_alone) if f.free]
        protected = (build.implies(test, f) for f in kept for test in told)
        more = _in_turn(numbers, needs, compared, each, dependent, (*kept, *protected))
        parts = (placed.at(f, here) for f in summed)
        offered[predicate(places)] = _different((balanced(s, places), alone, parts, apart, more), OFFERED)
    return offered


class _Placed(Struct, frozen=True, eq=False):
    """Formulas where threads are at locations: the same wherever those are that they do not mention."""

    names: Mapping[Term, tuple[str, ...]]
    known: dict[tuple[Term, tuple[str | None, ...]], Term] = field(default_factory=dict)

    def at(self, formula: Term, here: Mapping[str, str]) -> Term:
        """The formula where each thread is at its location."""
        key = formula, tuple(here.get(name) for name in self.names[formula])
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = at_places(formula, here)
        return found


def _shared(threads: Sequence[Automaton]) -> dict[Var, None]:
    return dict.fromkeys(v for t in threads for v in variables_of(t, Kind.GLOBAL))


def _told(threads: Sequence[Automaton]) -> list[Term]:
    """What may be so or not, so that other things hold: flags, and that a lock is free."""
    shared, declared = _shared(threads), {v.var: v for t in threads for v in t.variables}
    return [*(test for v in shared for test in _two_sided(declared[v])), *_taken(threads, frozenset(shared))]


def while_told(threads: Sequence[Automaton], compared: Sequence[Term]) -> tuple[Term, ...]:
    """What may hold of shared numbers while a flag is up or down: orders, comparisons, and bounds that are tested."""
    shared = _shared(threads)
    numbers = [v for v in shared if v.sort == INT]
    orders = (build.le(one, two) for one, two in permutations(numbers, 2))
    tested_bounds = dict.fromkeys(
        c for t in threads for e in t.edges for a in atoms_of(e.guard) if len(a.free) == 1 for c in _constants(a)
    )
    limits = map(build.integer, tested_bounds)
    bounds = (f for c in limits for v in numbers for f in (build.le(c, v), build.le(v, c)))
    made = (f for f in compared if isinstance(f, IsZero) and f.free and f.free <= shared.keys())
    said = tuple(dict.fromkeys((*islice(orders, DEPENDENT), *made, *bounds)))
    found, told = dict[Term, None](), _told(threads)
    for test in told:
        others = [f for f in said if f.free.isdisjoint(test.free)]
        found.update(dict.fromkeys(islice(_dependent((test,), others), 2 * DEPENDENT)))
    # What is remembered is right while it is there and nobody is at work on it.
    remembered = applied(threads, tuple(shared))
    for tests in (*((t,) for t in told), *combinations(told, 2)):
        found.update(dict.fromkeys(build.implies(build.land(*tests), f) for f in remembered))
    return tuple(found)


def always_or_while_told(threads: Sequence[Automaton], formulas: Iterable[Term]) -> tuple[Term, ...]:
    """Formulas over shared variables, and the same while a flag is up or down or a lock is free."""
    told = _told(threads)
    under = (build.implies(test, f) for f in formulas for test in told if test.free.isdisjoint(f.free))
    return tuple(dict.fromkeys((*formulas, *under)))


def _constants(test: Term) -> Iterator[int]:
    """What a test of one number compares it with."""
    body = test.body if isinstance(test, Not) else test
    if isinstance(body, IsZero | Le):
        const, parts = build.linear_parts(body.total)
        yield from (-const * c for c in parts.values() if c in (1, -1))


def _different(kinds: Iterable[Iterable[Term]], most: int) -> tuple[Term, ...]:
    """The first so many different formulas; others are not even made."""
    found = dict[Term, None]()
    for formula in chain.from_iterable(kinds):
        found[formula] = None
        if len(found) == most:
            break
    return tuple(found)


def _in_turn(*kinds: Iterable[Term]) -> Iterator[Term]:
    """One formula of each kind, then the next: where there are too many, none is left out for those of another kind."""
    return (formula for some in zip_longest(*kinds) for formula in some if formula is not None)


def _of_one_only(s: System) -> Iterator[Term]:
    """That what a copy tests of something shared and its own does not hold of two copies: a token, its turn. Nor of one
    copy and of the next one, whose own variable will be what the shared one is now.
    """
    for family, count in zip(s.asked.families, s.counts, strict=True):
        one, two = symbolic_name(family, 1), symbolic_name(family, 2)
        own = variables_of(family.thread, Kind.LOCAL)
        others: dict[Var, Term] = {local_of(v, one): local_of(v, two) for v in own}
        for thread in (t for t in s.apart if t.name == one):
            for test in dict.fromkeys(a for e in thread.edges for a in atoms_of(e.guard)):
                body = test.body if isinstance(test, Not) else test
                mixed = not test.free.isdisjoint(others) and not test.free <= others.keys()
                if mixed and (isinstance(body, Select) or isinstance(test, IsZero | Le)):
                    same = substitute(test, others)
                    ones = (test, same) if count > 1 else (test,)
                    pairs = combinations(ones, 2)
                    next_ones = ((t, n) for n in _now(thread, test) for t in ones)
                    yield from (build.lor(build.lnot(t), build.lnot(u)) for t, u in (*pairs, *next_ones))


def _claimed(bads: Sequence[Bad]) -> Iterator[Term]:
    for bad in bads:
        if bad.claim is not None:
            yield from build.conjuncts(bad.claim)


def _written(s: System) -> tuple[Automaton, ...]:
    """The threads as claims know them: a copy's failing steps are those of its family."""
    own = {t.name: t for t in s.asked.threads}
    for family, count in zip(s.asked.families, s.counts, strict=True):
        own |= {symbolic_name(family, n): family.thread for n in range(1, count + 1)}
    return tuple(own[t.name] for t in s.apart)


def numbers_of(s: System) -> Iterator[Term]:
    """That no copy counts, or at most one, or none of one kind or none of another."""
    for one in counters(s):
        yield from (build.at_most_zero(one), build.le(one, build.ONE))
    for one, other in combinations(counters(s), 2):
        yield build.lor(build.at_most_zero(one), build.at_most_zero(other))
        yield build.le(build.add(one, other), build.ONE)


def parts_of_sums(s: System) -> Iterator[Term]:
    """That some of what is in balance is bounded by 0, or by what copies test: `left + #(at L, v <= 0) >= 0`."""
    if s.counted is None or not any(c.free for count in s.counted.counts for _, c in count.held):
        return
    rigid = frozenset(v.var for t in s.apart for v in t.variables if v.kind is Kind.PARAM)
    tested_of = (a for count in s.counted.counts for _, c in count.held for a in atoms_of(c))
    bounds = dict.fromkeys((build.ZERO, *(b for a in tested_of for b in _compared_with(a, rigid))))
    for total in (e.total for e in s.counted.equations if isinstance(e, IsZero)):
        const, parts = build.linear_parts(total)
        every = tuple(dict.fromkeys((*bounds, *(build.sub(build.integer(-const), b) for b in bounds))))
        sizes = range(1, len(parts)) if len(parts) <= SUMMED else ()
        for some in (some for size in sizes for some in combinations(parts.items(), size)):
            part = build.add(*(build.scale(c, p) for p, c in some))
            yield from (f for b in every for f in (build.le(b, part), build.le(part, b)))


def _compared_with(test: Term, rigid: frozenset[Var]) -> Iterator[Term]:
    """What a test of one number compares it with: a constant, or parameters."""
    body = test.body if isinstance(test, Not) else test
    if isinstance(body, IsZero | Le):
        const, parts = build.linear_parts(body.total)
        moving = [(p, c) for p, c in parts.items() if not p.free <= rigid]
        if len(moving) == 1 and moving[0][1] in (1, -1):
            fixed = build.linear(const, {p: c for p, c in parts.items() if p.free <= rigid})
            yield build.scale(-moving[0][1], fixed)


def _two_sided(variable: Variable) -> Iterator[Term]:
    """A truth value, or that a number with two values has the first one."""
    if variable.var.sort == BOOL:
        yield variable.var
    elif variable.low is not None and variable.high == variable.low + 1:
        yield build.eq(variable.var, build.integer(variable.low))


def _dependent(tests: Iterable[Term], formulas: Sequence[Term]) -> Iterator[Term]:
    """Comparisons of shared numbers that hold while something is true, or while it is not."""
    told = tuple(tests)
    for formula in formulas:
        for test in told:
            # Of one variable a comparison says what there is to say.
            if test.free == formula.free:
                continue
            yield build.implies(test, formula)
            # That something is not one of many values says little.
            if not isinstance(test, Same):
                yield build.implies(build.lnot(test), formula)


def _taken(threads: Sequence[Automaton], shared: frozenset[Var]) -> Iterator[Term]:
    """What a shared variable equals where it is tested and written in one step: that a lock is free."""
    found = dict[Term, None]()
    for edge in (e for t in threads for e in t.edges):
        written = frozenset(v for v, _ in edge.updates)
        found |= dict.fromkeys(
            a
            for a in atoms_of(edge.guard)
            if isinstance(a, IsZero) and a.free <= shared and len(a.free) == 1 and not a.free.isdisjoint(written)
        )
    yield from found


def _further(s: System) -> frozenset[str]:
    """The names of all copies but the first one of each family."""
    counted = zip(s.asked.families, s.counts, strict=True)
    return frozenset(symbolic_name(f, n) for f, count in counted for n in range(2, count + 1))


def _own_tests(thread: Automaton) -> Mapping[str, tuple[Term, ...]]:
    """By location, the thread's own truth values that may be either there, and what it tests of its own variables, of
    others together with them, too: whether it is its turn.
    """
    own = dict.fromkeys(variables_of(thread, Kind.LOCAL))
    tests = [a for e in thread.edges for a in atoms_of(e.guard) if not a.free.isdisjoint(own)]
    known = constants(thread, frozenset(own))
    flags = (v for v in own if v.sort == BOOL)
    alone = (t.body if isinstance(t, Not) else t for t in tests if t.free <= own.keys())
    every = dict.fromkeys((*flags, *alone, *_turns(thread, tests)))
    return {place: tuple(t for t in every if not t.free & own.keys() <= here.keys()) for place, here in known.items()}


def _turns(thread: Automaton, tests: Sequence[Term]) -> tuple[Term, ...]:
    """Tests of shared variables and own ones together, also where the shared one was read before."""
    own = frozenset(variables_of(thread, Kind.LOCAL))
    now = (n for t in tests for n in _now(thread, t))
    mixed = (t for t in (*tests, *now) if not (t.free <= own or t.free.isdisjoint(own)))
    return tuple(dict.fromkeys(t for t in mixed if isinstance(t, IsZero | Le | Select)))


def _shared_turns(thread: Automaton) -> Iterator[Term]:
    """What will be tested of who reads a shared variable next."""
    shared = frozenset(variables_of(thread, Kind.GLOBAL))
    tests = dict.fromkeys(a for e in thread.edges for a in atoms_of(e.guard) if isinstance(a, Select))
    yield from (n for t in tests for n in _now(thread, t) if n.free <= shared)


def _now(thread: Automaton, test: Term) -> Iterator[Term]:
    """A test of a variable that some step gives the value of a shared one, as a test of that."""
    read = ((copy, original) for copy, some in copies_of(thread).items() if copy in test.free for original in some)
    now = (substitute(test, {copy: original}) for copy, original in read)
    yield from (f for f in now if f.free)
