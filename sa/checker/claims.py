"""What a program claims of itself, as something bad that must not happen: made from the program, for certificates.

Claims come in this order: of each thread, then of each family, its checks that can fail, one claim each statement, and
its guarantees; then the invariants, then what
comes to an end. A guarantee is broken by a step, so each step that can break it gets an edge of its
own that fails, behind the thread's own edges.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from sa.automata import automaton
from sa.automata.family import Family, of_symbolic
from sa.automata.program import Ends, Guarantee, Program, claim_of
from sa.certificates.run import Bad, Failing
from sa.terms.build import FALSE, TRUE, land, lnot
from sa.terms.printer import show
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


class Claimed(Struct, frozen=True):
    """A claim: `what` names it for people. `threads` and `families` are the program's, for a guarantee with edges that
    fail. What is bad about copies is so about symbolic ones, or about the steps of a family's automaton. A `bound` is
    a limit of the translation (`Program.bounds`): while it can be reached nothing else is proved of the same program,
    which is the one that is asked about, or one `beside` it. A claim about infinite runs, `ends`, has nothing bad.
    """

    what: str
    bads: tuple[Bad, ...]
    threads: tuple[automaton.Automaton, ...]
    families: tuple[Family, ...] = ()
    bound: bool = False
    beside: int | None = None
    ends: Ends | None = None


def claimed(program: Program) -> tuple[Claimed, ...]:
    """All claims of a program, then those of programs beside it."""
    return (*_claims(program), *(replace(c, beside=n) for n, p in enumerate(program.beside) for c in _claims(p)))


def _claims(program: Program) -> Iterator[Claimed]:
    threads, families = program.threads, program.families
    for number, thread in enumerate(threads):
        yield from _checks(program, thread)
        for guarantee in program.guarantees:
            if guarantee.thread == thread.name:
                guarded, bads = _guaranteed(thread, guarantee)
                everyone = (*threads[:number], guarded, *threads[number + 1 :])
                yield Claimed(f"{thread.name}: its guarantee", bads, everyone, families)
    for number, family in enumerate(families):
        yield from _checks(program, family.thread)
        for guarantee in program.guarantees:
            if guarantee.thread == family.thread.name:
                guarded, bads = _guaranteed(family.thread, guarantee)
                others = (*families[:number], replace(family, thread=guarded), *families[number + 1 :])
                yield Claimed(f"{family.thread.name}: its guarantee", bads, threads, others)
    for invariant in program.invariants:
        said = of_symbolic(invariant.formula, invariant.copies, families)
        bads = tuple(Bad(None, formula) for formula in said)
        bound = invariant.origin in program.bounds
        yield Claimed(claim_of(invariant), bads, threads, families, bound)
    for ends in program.ends:
        name = ends.name if ends.of is None else f"{ends.of}: {ends.name}"
        yield Claimed(name, (), threads, families, ends=ends)


def _checks(program: Program, thread: automaton.Automaton) -> Iterator[Claimed]:
    failing = dict[automaton.Origin, list[automaton.Edge]]()
    for edge in thread.edges:
        if _fails(edge):
            failing.setdefault(automaton.innermost(edge.origin), []).append(edge)
    for origin, edges in failing.items():
        bads = tuple(Bad(Failing(thread.name, e), None) for e in edges)
        failure = edges[0].failure
        what = " ".join((origin.text if failure is None else failure.what).split()).removesuffix(";")
        bound = origin in program.bounds
        asserts = any(e.failure is not None and e.failure.fault is automaton.Fault.ASSERTION for e in edges)
        name = f"{thread.name}: {what}" if asserts else f"{thread.name}: {what} does not fail"
        yield Claimed(name, bads, program.threads, program.families, bound)


def _fails(edge: automaton.Edge) -> bool:
    return edge.label is not None and edge.label.action == automaton.FAIL


def _guaranteed(thread: automaton.Automaton, guarantee: Guarantee) -> tuple[automaton.Automaton, tuple[Bad, ...]]:
    own = next((e.target for e in thread.edges if _fails(e)), None)
    end = own or _unused({q.name for q in thread.locations})
    added, what = list[automaton.Edge](), automaton.Failure(automaton.Fault.GUARANTEE, show(guarantee.relation))
    for edge in thread.edges:
        after = dict(edge.updates)
        following: dict[Var, Term] = {
            primed(v): after.get(v, v) for v in automaton.variables_of(thread, automaton.Kind.GLOBAL)
        }
        broken = land(edge.guard, lnot(substitute(guarantee.relation, following)))
        if not _fails(edge) and broken is not FALSE:
            added.append(
                replace(edge, target=end, label=automaton.Label(automaton.FAIL), guard=broken, updates=(), failure=what)
            )
    places = thread.locations
    if own is None:
        places = (*places, automaton.Location(end, TRUE, None, thread.origin))
    guarded = replace(thread, locations=places, edges=(*thread.edges, *added))
    return guarded, tuple(Bad(Failing(thread.name, e), None) for e in added)


def _unused(taken: set[str]) -> str:
    name = "fail"
    while name in taken:
        name += "_"
    return name
