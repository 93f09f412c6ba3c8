"""What `verify` asks of a program: each check that can fail, each invariant, each guarantee, as something bad.

A guarantee is a relation that steps keep, so what is bad about it is taking a step that breaks it: such a step is given
an edge of its own that fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import (
    FAIL,
    Automaton,
    Edge,
    Failure,
    Fault,
    Kind,
    Label,
    Location,
    Origin,
    innermost,
    variables_of,
)
from sa.automata.family import Family, of_symbolic
from sa.automata.program import Ends, Guarantee, Program, Way, claim_of
from sa.base.verdict import Verdict
from sa.certificates.run import Bad, Failing
from sa.terms import build
from sa.terms.printer import show
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: What is claimed where a step cannot go wrong in this way.
_CLAIMED: Mapping[Fault, str] = {
    Fault.ASSERTION: "assertion",
    Fault.RANGE: "value in range",
    Fault.INDEX: "index in bounds",
    Fault.DIVISION: "no division by 0",
    Fault.TWICE: "different elements",
    Fault.LOCK: "lock held",
    Fault.START: "started once",
    Fault.FULL: "sequence not full",
    Fault.EMPTY: "sequence not empty",
    Fault.GUARANTEE: "guarantee",
    Fault.OVERFLOW: "no overflow",
    Fault.UNDEFINED: "defined",
    Fault.POINTER: "valid pointer",
    Fault.FREED: "no use after free",
    Fault.ENDED: "no use after lifetime",
    Fault.FREED_TWICE: "no double free",
    Fault.NOT_ALLOCATED: "valid free",
    Fault.DESTROYED: "no use after destruction",
    Fault.RAW: "no use before initialisation",
    Fault.IN_USE: "not in use at its end",
    Fault.FREED_IN_USE: "lock not held when freed",
    Fault.CONSTANT: "no write to a constant",
    Fault.LEAK: "no memory leak",
    Fault.REACHED: "never reached",
    Fault.RACE: "no data race",
    Fault.DEADLOCK: "no deadlock",
    Fault.LIMIT: "within the limits of the translation",
}


class Claim(Struct, frozen=True):
    """Something that a program claims about itself, in words and as what must not happen.

    `what` says it without the `thread` that it is about, if it is about one. `threads` and `families` are what it
    speaks of: the program's, and for a guarantee these with failing edges of its own. What is bad about copies is so
    about symbolic ones, or about the steps of a family's automaton. The `ways` in which it may be false are known of
    some. It is claimed of the program itself, or of the one with this number `beside` it. `faults` are the ways of
    going wrong that it excludes, where they have names. A claim about infinite runs, `ends`, has nothing bad.
    """

    what: str
    bads: tuple[Bad, ...]
    origin: Origin
    expect: Verdict | None
    threads: tuple[Automaton, ...]
    families: tuple[Family, ...] = ()
    ways: tuple[Way, ...] = ()
    beside: int | None = None
    faults: tuple[Fault, ...] = ()
    thread: str | None = None
    ends: Ends | None = None

    @property
    def name(self) -> str:
        """The claim with its thread."""
        return self.what if self.thread is None else f"{self.thread}: {self.what}"

    @property
    def kinds(self) -> tuple[str, ...]:
        """What sort of claim it is: `invariant`, the faults that it excludes, `termination` or `response`."""
        if self.ends is not None:
            return ("termination" if self.ends.until is None else "response",)
        return tuple(f.name.lower() for f in self.faults) or ("invariant",)


def programs_of(program: Program) -> tuple[tuple[int | None, Program], ...]:
    """The programs of which claims are made: the program itself, and those beside it with their numbers."""
    return ((None, program), *enumerate(program.beside))


def claims_of(program: Program) -> tuple[Claim, ...]:
    """All claims in the order of the text, those of programs beside it behind its own."""
    return tuple(replace(c, beside=n) for n, one in programs_of(program) for c in _claims_of(one))


def _claims_of(program: Program) -> tuple[Claim, ...]:
    claims = list[Claim]()
    for place, thread in enumerate(program.threads):
        claims.extend(_checks(thread, program.threads))
        for guarantee in program.guarantees:
            if guarantee.thread == thread.name:
                claims.append(_guarded(place, guarantee, program.threads))
    automata = tuple(f.thread for f in program.families)
    for place, thread in enumerate(automata):
        claims.extend(replace(c, threads=program.threads) for c in _checks(thread, automata))
        for guarantee in program.guarantees:
            if guarantee.thread == thread.name:
                made = _guarded(place, guarantee, automata)
                families = (replace(f, thread=t) for f, t in zip(program.families, made.threads, strict=True))
                claims.append(replace(made, threads=program.threads, families=tuple(families)))
    for invariant in program.invariants:
        said = of_symbolic(invariant.formula, invariant.copies, program.families)
        bads = tuple(Bad(None, formula) for formula in said)
        what = invariant.words or claim_of(invariant)
        faults = () if invariant.fault is None else (invariant.fault,)
        claims.append(
            Claim(what, bads, invariant.origin, invariant.expect, program.threads, ways=invariant.ways, faults=faults)
        )
    claims.extend(_endings(program))
    return tuple(c if c.families else replace(c, families=program.families) for c in claims)


def _endings(program: Program) -> Iterator[Claim]:
    """What is claimed of infinite runs."""
    for ends in program.ends:
        yield Claim(ends.name, (), ends.origin, ends.expect, program.threads, thread=ends.of, ends=ends)


def _checks(thread: Automaton, threads: tuple[Automaton, ...]) -> Iterator[Claim]:
    """The edges that fail, those of one statement together."""
    found = dict[Origin, list[Edge]]()
    for edge in thread.edges:
        if edge.label is not None and edge.label.action == FAIL:
            found.setdefault(innermost(edge.origin), []).append(edge)
    for origin, edges in found.items():
        yield _never(_claimed(edges), thread, edges, origin, threads)


def _claimed(edges: Iterable[Edge]) -> str:
    """What is claimed of steps that would fail: an assertion as it is written, else a few words and the statement."""
    failures = tuple(dict.fromkeys(e.failure or Failure(Fault.REACHED, e.origin.text) for e in edges))
    text = " ".join(failures[0].what.split()).removesuffix(";").removesuffix("{").rstrip()
    faults = {f.fault for f in failures}
    if Fault.ASSERTION in faults:
        return text
    if faults == {Fault.RACE}:
        return f"no {text.replace('`', '')}"
    words = dict.fromkeys(f"{_CLAIMED[f.fault]} ({f.detail})" if f.detail else _CLAIMED[f.fault] for f in failures)
    return f"{', '.join(words)}: {text}"


def _never(
    what: str, thread: Automaton, edges: Sequence[Edge], origin: Origin, threads: tuple[Automaton, ...]
) -> Claim:
    bads = tuple(Bad(Failing(thread.name, edge), None) for edge in edges)
    faults = tuple(dict.fromkeys(e.failure.fault for e in edges if e.failure is not None))
    return Claim(what, bads, origin, None, threads, faults=faults, thread=thread.name)


def _guarded(place: int, guarantee: Guarantee, threads: tuple[Automaton, ...]) -> Claim:
    """That no step breaks a guarantee, of the threads with an edge into failure wherever a step would."""
    thread = threads[place]
    end = _failure(thread)
    shared = variables_of(thread, Kind.GLOBAL)
    added, what = list[Edge](), Failure(Fault.GUARANTEE, show(guarantee.relation))
    for edge in thread.edges:
        broken = build.land(edge.guard, build.lnot(_kept(guarantee, edge, shared)))
        if broken is not build.FALSE and not (edge.label is not None and edge.label.action == FAIL):
            added.append(replace(edge, guard=broken, target=end, label=Label(FAIL), updates=(), failure=what))
    locations = thread.locations
    if end not in {q.name for q in locations}:
        locations = (*locations, Location(end, build.TRUE, None, thread.origin))
    guarded = replace(thread, locations=locations, edges=(*thread.edges, *added))
    everyone = (*threads[:place], guarded, *threads[place + 1 :])
    return _never(f"guarantee {show(guarantee.relation)}", guarded, added, guarantee.origin, everyone)


def _kept(guarantee: Guarantee, edge: Edge, shared: tuple[Var, ...]) -> Term:
    after = dict(edge.updates)
    return substitute(guarantee.relation, {primed(v): after.get(v, v) for v in shared})


def _failure(thread: Automaton) -> str:
    for edge in thread.edges:
        if edge.label is not None and edge.label.action == FAIL:
            return edge.target
    name, taken = "fail", {q.name for q in thread.locations}
    while name in taken:
        name += "_"
    return name
