"""Threads and families of threads to automata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Origin, Variable
from sa.automata.family import Family
from sa.automata.program import Guarantee
from sa.base.diagnostic import Diagnostic, error
from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.context import FORMULA, PROGRAM, RELATION, RELY, Context, Handle, complain, within
from sa.language.elaborate.control import thread_body
from sa.language.elaborate.expressions import boolean, constant_integer, relation
from sa.language.elaborate.starting import OVER, beginning, own_state
from sa.language.elaborate.types import MAX_SIZE
from sa.language.names import Scope, TermSymbol, VariableSymbol, declare
from sa.lowering.control import add_statements
from sa.lowering.draft import Draft, assemble, finish, location_names, origin
from sa.terms import build
from sa.terms.interval import Interval
from sa.terms.name import element
from sa.terms.sort import INT
from sa.terms.term import Term, Var


class Surroundings(Struct, frozen=True):
    """What all threads of a file share: its names, its variables, their initial states, what starts threads.

    `several` has, by thread, the names that stand for more than one of its locals.
    """

    scope: Scope
    problems: list[Diagnostic]
    ranges: dict[Var, Interval]
    shared: tuple[Variable, ...]
    init: Term
    handles: Mapping[str, Handle] = field(default_factory=dict)
    several: dict[str, set[str]] = field(default_factory=dict)


class Member(Struct, frozen=True):
    """One thread to be made: `index` is what its family's name for the index, or for the identity, stands for."""

    name: str
    index: Term | None
    thread: syntax.Thread
    identity: Variable | None = None


def members(thread: syntax.Thread, around: Surroundings) -> Iterator[Member]:
    """The threads that a declaration stands for, which is not one of any number."""
    family = thread.family
    assert not isinstance(family, syntax.AnyNumber)
    if family is None:
        yield Member(thread.name.name, None, thread)
        return
    context = Context(around.scope, PROGRAM, around.problems, around.ranges)
    low, high = constant_integer(family.low, context), constant_integer(family.high, context)
    if low is None or high is None:
        return
    if low > high:
        complain(context, "SA206", f"the family {low}..{high} is empty", family.span)
    elif high - low >= MAX_SIZE:
        complain(context, "SA207", f"a family has at most {MAX_SIZE} threads", family.span)
    else:
        yield from (Member(element(thread.name.name, i), build.integer(i), thread) for i in range(low, high + 1))


def is_any_number(declaration: syntax.Declaration) -> bool:
    """Whether this is `thread T[i : *]` or `automaton T[i : *]`."""
    match declaration:
        case syntax.Thread(_, syntax.AnyNumber()) | syntax.AutomatonDeclaration(_, syntax.AnyNumber()):
            return True
        case _:
            return False


def make_family(thread: syntax.Thread, around: Surroundings) -> tuple[Family, tuple[Guarantee, ...]]:
    """A family of any number: one automaton with the identity as a local. What every copy guarantees."""
    assert isinstance(thread.family, syntax.AnyNumber)
    refuse_relies([r.span for r in thread.relies], around.problems)
    identity = identity_variable(thread.family, thread.name)
    member = Member(thread.name.name, identity.var, replace(thread, relies=()), identity)
    automaton, claimed = make_thread(member, identity.var, around)
    return Family(automaton, identity.var), claimed


def refuse_relies(declared: Sequence[Span], problems: list[Diagnostic]) -> None:
    """Report environments that a family of any number declares."""
    if declared:
        hint = "the environment of a copy is inferred; it includes the other copies of its family"
        problems.append(error("SA320", "a family of any number declares no environment", declared[0], hint))


def identity_name(family: syntax.AnyNumber) -> syntax.Identifier:
    """The name of a copy's identity."""
    return family.name or syntax.Identifier("self", family.span)


def identity_variable(family: syntax.AnyNumber, thread: syntax.Identifier) -> Variable:
    """The local that holds it."""
    name = identity_name(family)
    why = Origin(name.span, f"the identity of a copy of {thread.name}")
    return Variable(build.variable(name.name, INT), Kind.LOCAL, origin=why)


def identify(draft: Draft, identity: Variable) -> None:
    """Give an automaton an identity of its own, which is positive."""
    draft.locals[identity.var.name] = identity
    draft.init.append(build.le(build.ONE, identity.var))


def make_thread(member: Member, holder: Term, around: Surroundings) -> tuple[Automaton, tuple[Guarantee, ...]]:
    """The automaton of a thread, and what it guarantees. `holder` is its number for locks."""
    thread = member.thread
    scope = Scope(around.scope)
    context = Context(scope, PROGRAM, around.problems, dict(around.ranges), threads=around.handles)
    if member.index is not None and thread.family is not None:
        family = thread.family
        name = identity_name(family) if isinstance(family, syntax.AnyNumber) else family.name
        declare(scope, name, TermSymbol(member.index), around.problems)
    taken = frozenset(v.var.name for v in around.shared)
    draft = Draft(around.problems, holder, taken=taken)
    if member.identity is not None:
        identify(draft, member.identity)
    body = thread_body(thread.body, draft, context)
    handle = around.handles.get(thread.name.name)
    state = own_state(handle, member.index)
    waits = (beginning(state, thread),) if handle is not None and handle.started and state is not None else ()
    start = add_statements(draft, (*waits, *body))
    open_scope = _with_locals(draft, scope)
    env = relies(thread.relies, within(context, open_scope))
    why = replace(origin(thread.span), text=f"thread {member.name}")
    finish(draft, start, why, () if state is None else ((state, build.integer(OVER)),))
    names = location_names(draft)
    around.several[member.name] = draft.several
    automaton = assemble(draft, member.name, around.shared, start, around.init, env, names, why)
    return automaton, guarantees(member.name, thread.guarantees, within(context, open_scope))


def _with_locals(draft: Draft, scope: Scope) -> Scope:
    """A scope in which the thread's locals are known, so that messages about relies can name them."""
    hidden = {n for n, s in scope.symbols.items() if isinstance(s, TermSymbol)}
    return Scope(scope, {name: VariableSymbol(v) for name, v in draft.locals.items() if name not in hidden})


def relies(declared: tuple[syntax.Rely, ...], context: Context) -> Term | None:
    """The conjunction of relies; None if there is none."""
    terms = [relation(r.relation, replace(context, mode=RELY, undefined=None)) for r in declared]
    return build.land(*(t for t in terms if t is not None)) if declared else None


def guarantees(thread: str, declared: tuple[syntax.Guarantee, ...], context: Context) -> tuple[Guarantee, ...]:
    """The guarantees of a thread."""
    inner = replace(context, mode=RELATION, undefined=None)
    pairs = [(relation(g.relation, inner), g.span) for g in declared]
    return tuple(Guarantee(thread, term, Origin(span, origin(span).text)) for term, span in pairs if term is not None)


def formulas(declared: tuple[syntax.Expression, ...], context: Context) -> Term:
    """The conjunction of formulas about one state."""
    terms = [boolean(e, replace(context, mode=FORMULA, undefined=None)) for e in declared]
    return build.land(*(t for t in terms if t is not None))
