"""Claims of proof scripts: whose threads they are about, and their formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Origin
from sa.automata.program import Formula, Related
from sa.automata.proof import Claim, Member, Preserves, Refines
from sa.base.source import span_text
from sa.language import syntax
from sa.language.elaborate.clauses import Said, elaborate_clauses
from sa.language.elaborate.context import FORMULA, INVARIANT, RELY, Context, complain, within
from sa.language.elaborate.expressions import boolean
from sa.language.elaborate.program import Elaborated
from sa.language.elaborate.scripted_names import invariant_names, names_about, over
from sa.language.elaborate.sides import ABSTRACT, CONCRETE, Side, names_of_both, plain_names, thread_name
from sa.language.names import did_you_mean
from sa.terms.build import land
from sa.terms.name import at_place
from sa.terms.substitute import sided
from sa.terms.term import Term


class Programs(Struct, frozen=True):
    """The imported programs by alias, and the place of the script's own expressions."""

    by_alias: Mapping[str, Elaborated]
    context: Context


def elaborate_claim(written: syntax.StepDeclaration, programs: Programs) -> Claim | None:
    """What a step claims; None after an error."""
    match written.claim:
        case syntax.RefinesClaim():
            return _refines(written.claim, written.clauses, programs)
        case syntax.PreservesClaim():
            if written.clauses.span is not None:
                hint = "these clauses relate two sides, and `preserves` is about one"
                complain(programs.context, "SA614", "a `preserves` claim has no clauses", written.clauses.span, hint)
            return _preserves(written.claim, programs)


# ---------------------------------------------------------------- sides


def _members(side: syntax.Side, programs: Programs) -> tuple[Member, ...] | None:
    """The threads of a side, at least one, of one program and each once; None after an error."""
    groups = [_named(name, programs) for name in side.threads]
    known = [g for g in groups if g is not None]
    if len(known) < len(groups):
        return None
    members, seen = [m for group in known for m in group], set[Member]()
    for group, name in zip(known, side.threads, strict=True):
        if group[0][0] != members[0][0]:
            hint = "threads that run together belong to one file"
            message = f"`{group[0][0]}` is another program than `{members[0][0]}`"
            complain(programs.context, "SA606", message, name.span, hint)
            return None
        if not seen.isdisjoint(group):
            again = next(m for m in group if m in seen)
            message = f"the thread `{again[0]}.{again[1]}` is already on this side"
            complain(programs.context, "SA607", message, name.span, "a thread occurs once on a side")
            return None
        seen.update(group)
    return tuple(members)


def _named(name: syntax.ThreadName, programs: Programs) -> tuple[Member, ...] | None:
    """The thread behind a name, or all threads of a program behind its alias."""
    full = thread_name(name, programs.context)
    if full is None:
        return None
    alias, _, thread = full.partition(".")
    program = programs.by_alias.get(alias)
    if program is None:
        hint: str | None = did_you_mean(alias, list(programs.by_alias)) or 'import it: `import "FILE.sa" as NAME;`'
        complain(programs.context, "SA604", f"no imported program is called `{alias}`", name.span, hint)
        return None
    threads = [t.name for t in program.program.threads]
    wanted = [thread] if thread else threads
    if not threads or not set(wanted) <= set(threads):
        hint = did_you_mean(thread, threads)
        if hint is None and threads:
            hint = f"its threads are: {', '.join(f'`{t}`' for t in threads)}"
        message = f"`{alias}` has no thread `{thread}`" if thread else f"`{alias}` has no threads"
        complain(programs.context, "SA605", message, name.span, hint)
        return None
    return tuple((alias, t) for t in wanted)


def _threads(members: tuple[Member, ...], programs: Programs) -> tuple[Automaton, ...]:
    by_name = {t.name: t for t in programs.by_alias[members[0][0]].program.threads}
    return tuple(by_name[name] for _, name in members)


def _paired(
    claim: syntax.RefinesClaim, left: tuple[Member, ...], right: tuple[Member, ...], context: Context
) -> tuple[Member, ...] | None:
    """The right side in the order of the left one; None where no thread can be told which one it refines."""
    if left[0][0] == right[0][0]:
        hint = "import the file a second time, under another name"
        complain(context, "SA609", "both sides are of the same import", claim.right.span, hint)
        return None
    if len(left) != len(right):
        message = f"{_count(left)} cannot refine {_count(right)} one by one"
        hint = "name as many threads on the right as on the left"
        complain(context, "SA608", message, claim.span, hint)
        return None
    if len(left) > 1 and _is_whole(claim.left) and _is_whole(claim.right):
        theirs = {name: (alias, name) for alias, name in right}
        if theirs.keys() != {name for _, name in left}:
            listed = " || ".join(f"{a}.{t}" for a, t in right)
            hint = f"say which one refines which, in order: `… refines {listed}`"
            complain(context, "SA610", "the threads of these programs have different names", claim.span, hint)
            return None
        return tuple(theirs[name] for _, name in left)
    return right


def _is_whole(side: syntax.Side) -> bool:
    return len(side.threads) == 1 and "." not in side.threads[0].name


def _count(members: tuple[Member, ...]) -> str:
    return "one thread" if len(members) == 1 else f"{len(members)} threads"


# ---------------------------------------------------------------- formulas


def _refines(claim: syntax.RefinesClaim, clauses: syntax.Clauses, programs: Programs) -> Refines | None:
    left, right = _members(claim.left, programs), _members(claim.right, programs)
    if left is None or right is None:
        return None
    ordered = _paired(claim, left, right, programs.context)
    if left[0][0] == right[0][0]:
        return None
    sides = (_side(left, CONCRETE, programs), _side(right, ABSTRACT, programs))
    said = _said(clauses, sides, (left[0][0], right[0][0]), programs)
    if ordered is None:
        return None
    _check_locals(said, _threads(left, programs), _threads(ordered, programs), programs.context)
    return Refines(left, ordered, said.relate, said.pre, said.inv, said.rely, clauses.choose_init, clauses.silent_exit)


def _side(members: tuple[Member, ...], meant: str, programs: Programs) -> Side:
    alias = members[0][0]
    threads, program = _threads(members, programs), programs.by_alias[alias].program
    local = (v for t in threads for v in t.variables if v.kind is Kind.LOCAL)
    names = {t.name for t in threads}
    several = frozenset((thread, name) for thread, name in program.several if thread in names)
    return Side(alias, meant, (*program.variables, *local), several)


def _said(clauses: syntax.Clauses, sides: tuple[Side, Side], aliases: tuple[str, str], programs: Programs) -> Said:
    base = programs.context
    first, second = (programs.by_alias[a].scope for a in aliases)
    about = names_about(sides, (first, second))
    names, ranges = names_of_both(sides)
    scopes = (over(base.scope, about | names, aliases), over(base.scope, about | plain_names(sides), aliases))
    formulas, relies = (replace(within(base, s), ranges=base.ranges | ranges) for s in scopes)
    return elaborate_clauses(clauses, sides, replace(formulas, mode=FORMULA), replace(relies, mode=RELY))


def _check_locals(said: Said, left: tuple[Automaton, ...], right: tuple[Automaton, ...], context: Context) -> None:
    """A formula with locals is meant for each position that has them, so there must be one."""
    own = [
        frozenset(
            sided(v.var, side)
            for thread, side in ((concrete, CONCRETE), (abstract, ABSTRACT))
            for v in thread.variables
            if v.kind is Kind.LOCAL
        )
        for concrete, abstract in zip(left, right, strict=True)
    ]
    known = frozenset(v for names in own for v in names)
    formulas: tuple[Formula | Related, ...] = (*(said.relate or ()), *said.pre, *said.inv)
    for formula in formulas:
        mentioned = formula.term.free & known
        if mentioned and not any(mentioned <= names for names in own):
            hint = "the locals in a formula belong to one thread and the one that it refines"
            message = "this mentions locals of threads that are not paired"
            complain(context, "SA408", message, formula.origin.span, hint)


def _preserves(claim: syntax.PreservesClaim, programs: Programs) -> Preserves | None:
    members = _members(claim.side, programs)
    if members is None:
        return None
    alias, threads = members[0][0], _threads(members, programs)
    names, ranges = invariant_names(programs.by_alias[alias], threads)
    context = replace(
        within(programs.context, over(programs.context.scope, names, (alias,))),
        mode=INVARIANT,
        ranges=programs.context.ranges | ranges,
        locations=frozenset(at_place(t.name, q.name) for t in threads for q in t.locations),
    )
    formula = boolean(claim.formula, context)
    return None if formula is None else Preserves(members, formula, claim.strong, _parts(claim, formula, context))


def _parts(claim: syntax.PreservesClaim, formula: Term, context: Context) -> tuple[Formula, ...]:
    """The conjuncts of a formula with their places; the formula itself if they mean something else one by one."""
    apart = replace(context, problems=[])
    pieces = [(boolean(written, apart), written.span) for written in _conjuncts(claim.formula)]
    parts = tuple(Formula(t, Origin(span, span_text(span))) for t, span in pieces if t is not None)
    whole = Formula(formula, Origin(claim.formula.span, span_text(claim.formula.span)))
    return parts if land(*(p.term for p in parts)) is formula else (whole,)


def _conjuncts(written: syntax.Expression) -> Iterator[syntax.Expression]:
    """What `&&` joins at the top of a formula."""
    match written:
        case syntax.Chain(operands, operators) if set(operators) == {"&&"}:
            for operand in operands:
                yield from _conjuncts(operand)
        case _:
            yield written
