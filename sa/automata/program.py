"""A whole `.sa` file after elaboration: declarations, threads as automata, and what is claimed of them."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Fault, Origin, Variable
from sa.automata.family import Copy, Family
from sa.automata.ranges import within
from sa.automata.scheduler import Scheduler
from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.terms import build
from sa.terms.term import Function, Term


class Axiom(Struct, frozen=True):
    """A closed formula about functions, assumed by every obligation."""

    formula: Term
    origin: Origin


class Way(Struct, frozen=True):
    """A way in which a claim may be false: where the formula holds that is so, and the words say what it means."""

    formula: Term
    words: str


class Invariant(Struct, frozen=True):
    """A named invariant claim over the program's variables; weak unless `strong`.

    It is meant for any `copies` of its families, different or not, and may mention their identities. The `ways` in
    which it may be false are told to users who did not write it. What goes wrong then may have a name, its `fault`; the
    claim is then called by these `words`.
    """

    name: str
    formula: Term
    strong: bool
    expect: Verdict | None
    origin: Origin
    copies: tuple[Copy, ...] = ()
    ways: tuple[Way, ...] = ()
    fault: Fault | None = None
    words: str = ""


class Ends(Struct, frozen=True):
    """That something comes to an end in every run that goes on as long as it can.

    Without `until`: these threads take finitely many steps. With it: at or behind each state with `since` there is one
    with `until`. Formulas are those of invariants. Of `fair` runs alone: a thread that can take a step from some
    moment on takes one. Runs with a state in which `apart` is true do not count. What is claimed of one thread is
    claimed `of` it.
    """

    name: str
    threads: tuple[str, ...]
    origin: Origin
    expect: Verdict | None = None
    fair: bool = False
    since: Term = build.TRUE
    until: Term | None = None
    apart: Term = build.FALSE
    of: str | None = None


#: The invariant that `progress` claims: a word of the language, so that no other one has the name.
PROGRESS = "progress"


def claim_of(invariant: Invariant) -> str:
    """How the claim is called that an invariant makes."""
    return PROGRESS if invariant.name == PROGRESS else f"invariant {invariant.name}"


class Guarantee(Struct, frozen=True):
    """A relation over present and next values that every step of a thread, or of each copy in a family, keeps."""

    thread: str
    relation: Term
    origin: Origin


class Formula(Struct, frozen=True):
    """A formula written by the user, with its place."""

    term: Term
    origin: Origin


class Related(Struct, frozen=True):
    """`relate x` or `relate conc.x == abs.y`: a formula over both sides, variables named `conc.` and `abs.`."""

    term: Term
    origin: Origin


class Pairing(Struct, frozen=True):
    """`thread Concrete refines Abstract`."""

    concrete: str
    abstract: str
    origin: Origin


class Refinement(Struct, frozen=True):
    """A refinement block. Formulas over both sides name their variables `conc.x` and `abs.x`; parameters are plain.

    `relate` is None where the block leaves the default (equal names). `rely` is over the plain global
    names and their primes and holds for both sides. What is to be preserved beside visible actions is `termination` or
    `progress`. Where `loops_end`, an abstract run that goes on for ever silently is undefined.
    A function that is called may be `opaque`: it does less than the programs let it do, so that a play says nothing.
    """

    name: str
    abstract: str | None
    concrete: str | None
    relate: tuple[Related, ...] | None
    pre: tuple[Formula, ...]
    inv: tuple[Formula, ...]
    rely: tuple[Formula, ...]
    pairings: tuple[Pairing, ...]
    choose_init: bool
    silent_exit: bool
    expect: Verdict | None
    origin: Origin
    preserve: str | None = None
    loops_end: bool = False
    opaque: str | None = None


class Program(Struct, frozen=True):
    """An elaborated file.

    `variables` are the globals and parameters; `init` is over them and is part of every thread's `init`.
    `threads` each carry those globals plus their own locals. `expect` is the file's own expectation.
    Invariants may mention Boolean variables named `at T.CS`: that thread T is at its location CS.
    Refinement blocks are not here: what they mean depends on two programs (`language.elaborate.blocks`).
    Beside the threads run any number of copies of each of the `families`: whoever looks at the threads alone has to
    refuse a program that has any.
    The last thread of an `open` one is its environment.
    Failing steps with one of the origins in `bounds` say that a limit of the translation was reached: what is shown
    while one of them can be taken is not shown of the user's program. `several` are threads with names that more than
    one of their locals has in the text.
    What is claimed of programs `beside` this one is claimed of it, too: their runs stand for some of its runs.
    Threads that run one at a time have a `scheduler`.
    """

    source: Source
    variables: tuple[Variable, ...]
    functions: tuple[Function, ...]
    axioms: tuple[Axiom, ...]
    init: Term
    threads: tuple[Automaton, ...]
    invariants: tuple[Invariant, ...]
    guarantees: tuple[Guarantee, ...]
    expect: Verdict | None
    families: tuple[Family, ...] = ()
    bounds: tuple[Origin, ...] = ()
    open: bool = False
    beside: tuple[Program, ...] = ()
    several: frozenset[tuple[str, str]] = frozenset()
    ends: tuple[Ends, ...] = ()
    scheduler: Scheduler | None = None


def with_parameters(program: Program, parameters: Iterable[Variable]) -> Program:
    """The program with parameters that it need not mention: all threads know them and their ranges."""
    known = {v.var for v in program.variables}
    new = tuple(p for p in parameters if p.var not in known)
    if not new:
        return program
    ranges = build.land(*(within(p) for p in new))

    def knowing(thread: Automaton) -> Automaton:
        locations = tuple(replace(q, inv=build.land(q.inv, ranges)) for q in thread.locations)
        init = build.land(thread.init, ranges)
        return replace(thread, variables=(*new, *thread.variables), locations=locations, init=init)

    threads, init = tuple(map(knowing, program.threads)), build.land(program.init, ranges)
    return replace(program, variables=(*new, *program.variables), threads=threads, init=init)


def one_of(program: Program, place: int | None) -> Program:
    """The program itself, or the one with this number beside it."""
    return program if place is None else program.beside[place]
