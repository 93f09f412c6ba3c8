"""What a question about two programs claims, in words, and which shared variables the claim does not relate."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from difflib import get_close_matches

from sa.automata.automaton import Automaton, Kind, Variable
from sa.automata.program import Formula
from sa.base.diagnostic import Diagnostic, Label, warning
from sa.certificates.goal import Goal
from sa.terms import build
from sa.terms.name import Name, measured, off_side, whole
from sa.terms.printer import show
from sa.terms.substitute import unsided
from sa.terms.term import Term, Var

#: How many formulas, and how many names, a sentence lists.
FORMULAS, NAMES = 3, 6

#: How much alike names are, of which one may be meant for the other.
ALIKE = 0.75

#: How variables of C programs begin that say what a thread is at.
_AT = "__at_"


#: What a proof shows of whole programs, and what is decided: a play may refute the second where the first is true.
_RUNS = "every run of the concrete program has an abstract run with the same visible actions"
_FOLLOWED = "the abstract program can follow each run of the concrete one step by step, with the same visible actions"


def claim_of(goals: Sequence[Goal], alone: bool, followed: bool = False) -> str:
    """The claim of a question with these goals; `alone` where relies that are declared are left out.

    `followed` where it is said that runs are followed step by step, since no more than that was refuted.
    """
    if not all(goal.closed for goal in goals):
        return "each thread refines its abstract one in every environment that keeps to its rely"
    claim = _FOLLOWED if followed else _RUNS
    sides = [side for goal in goals for side in (goal.concrete, goal.abstract)]
    lengths, wholes = _grouped(v for side in sides for v in side.variables)
    kept = _kept([formula for goal in goals for formula in goal.iota], lengths, wholes)
    claim = f"{claim}, and after each step {kept}" if kept else claim
    # κ says all that ι says, and perhaps more.
    always = {c for goal in goals for f in goal.iota for c in build.conjuncts(f.term)}
    more = (f for goal in goals for f in goal.kappa)
    begun = _kept([f for f in more if not always.issuperset(build.conjuncts(f.term))], lengths, wholes)
    claim = f"{claim}; the two runs begin in states where {begun}" if begun else claim
    return f"{claim}; no other thread interferes, and the declared relies are not used" if alone else claim


def _kept(iota: Sequence[Formula], lengths: AbstractSet[Name], wholes: Mapping[Name, AbstractSet[Name]]) -> str:
    """What ι or κ says: variables that are equal on both sides, then other formulas. An array or a sequence is equal if
    all of its variables are, which `wholes` has.
    """
    equal, others = dict[Name, None](), dict[str, None]()
    for part in (c for f in iota for c in build.conjuncts(f.term)):
        name = _equal(part)
        if name is not None:
            equal[name] = None
        else:
            others[show(part, lambda v: _measure(v.name, lengths))] = None
    told = _written(equal, lengths, wholes)
    threads = [name for name in told if name.startswith(_AT)]
    named = [name for name in told if name not in threads]
    listed = [f"{_listed(named, NAMES)} {'is' if len(named) == 1 else 'are'} equal on both sides"] if named else []
    running = ["the same threads run"] if threads else []
    return " and ".join((*listed, *running, *([_listed(list(others), FORMULAS)] if others else [])))


def _grouped(variables: Iterable[Variable]) -> tuple[AbstractSet[Name], Mapping[Name, AbstractSet[Name]]]:
    """The lengths of sequences among variables of either side, and the names behind each array and sequence."""
    known = {off_side(v.var.name): v for v in variables}
    lengths = frozenset(name for name, v in known.items() if v.sequence)
    wholes = dict[Name, set[Name]]()
    for name in known:
        wholes.setdefault(_whole(name, lengths), set()).add(name)
    return lengths, wholes


def _whole(name: Name, lengths: AbstractSet[Name]) -> Name:
    """The array or the sequence that a variable is part of, or the variable itself."""
    return measured(name) if name in lengths else whole(name)


def _measure(name: Name, lengths: AbstractSet[Name]) -> str:
    """A variable as formulas of the language write it."""
    return f"len({measured(name)})" if off_side(name) in lengths else name


def _equal(formula: Term) -> Name | None:
    """The name of the variable that a formula says to be equal on both sides."""
    mentioned = sorted(formula.free, key=lambda v: v.key)
    if len(mentioned) != 2 or unsided(mentioned[0]) is not unsided(mentioned[1]):
        return None
    return unsided(mentioned[0]).name if formula is build.eq(mentioned[0], mentioned[1]) else None


def _listed(words: list[str], most: int) -> str:
    if len(words) > most:
        words = [*words[:most], f"{len(words) - most} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def unrelated(goals: Sequence[Goal]) -> tuple[list[Variable], list[Variable]]:
    """The concrete and the abstract globals that ι of no goal mentions, without ghosts."""
    said = frozenset[Var]().union(*(f.term.free for goal in goals for f in goal.iota))

    def of(automaton: Automaton) -> Iterator[Variable]:
        for v in automaton.variables:
            if v.kind is Kind.GLOBAL and not v.ghost and v.var not in said:
                yield v

    first = {v.var: v for goal in goals for v in of(goal.concrete)}
    second = {v.var: v for goal in goals for v in of(goal.abstract)}
    return list(first.values()), list(second.values())


def _written(
    names: Collection[Name], lengths: AbstractSet[Name], wholes: Mapping[Name, AbstractSet[Name]]
) -> Mapping[str, None]:
    """What variables are called in the text: arrays and sequences of which all are there by one name."""
    groups = {name: _whole(name, lengths) for name in names}
    return dict.fromkeys(g if wholes[g] <= groups.keys() else _measure(n, lengths) for n, g in groups.items())


def about_unrelated(goals: Sequence[Goal]) -> tuple[str, ...]:
    """Remarks on globals that the relation does not mention."""
    first, second = unrelated(goals)
    sides = (
        ("concrete", first, (v for goal in goals for v in goal.concrete.variables)),
        ("abstract", second, (v for goal in goals for v in goal.abstract.variables)),
    )
    found = []
    for side, variables, every in sides:
        names = list(_written([off_side(v.var.name) for v in variables if not v.internal], *_grouped(every)))
        if names:
            what = f"the {side} {_listed([f'`{n}`' for n in names], NAMES)}"
            fine = " (fine for implementation variables)" if side == "concrete" else ""
            found.append(f"{what} {'is' if len(names) == 1 else 'are'} not in the relation{fine}")
    return tuple(found)


def about_parameters(goals: Sequence[Goal]) -> Iterator[str]:
    """A remark on parameters that only the abstract side has: who chooses their values."""
    mine = {v.var for goal in goals for v in goal.concrete.variables if v.kind is Kind.PARAM}
    own = (v.var for goal in goals for v in goal.abstract.variables if v.kind is Kind.PARAM and v.var not in mine)
    names = list(dict.fromkeys(f"`{whole(v.name)}`" for v in own))
    if names and any(goal.choose_init for goal in goals):
        yield f"the abstract side chooses {_listed(names, NAMES)} at the start, since it says `choose init`"
    elif names:
        listed = _listed(names, NAMES)
        yield f"the claim is for all values of the abstract {listed} (`choose init` lets the abstract side choose)"


def misspelled(goals: Sequence[Goal]) -> Iterator[Diagnostic]:
    """Warnings about globals of one side that are called almost as one that only the other side has."""
    first, second = unrelated(goals)
    mine, theirs = ({str(whole(unsided(v.var).name)): v for v in side} for side in (first, second))
    for name, variable in mine.items():
        if name in theirs:
            continue
        close = get_close_matches(name, [str(n) for n in theirs if n not in mine], 1, ALIKE)
        if close:
            span = theirs[close[0]].origin.span
            labels = () if span is None else (Label(span, "this may be meant"),)
            message = f"`{name}` is not in the relation, and the abstract side has no variable of this name"
            hint = f"did you mean `{close[0]}`? variables of different names are related by `relate conc.x == abs.y;`"
            yield warning("SA513", message, variable.origin.span, hint, labels)
