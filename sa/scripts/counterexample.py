"""Values for which a side condition fails: few changes and small numbers, in the user's names.

The values are the solver's and agreed with by evaluation (`smt.session`). What is false for them is looked up in the
obligation's clauses, so that it can be shown where it is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sa.automata.automaton import Origin
from sa.certificates.argument import Fails, Way
from sa.checker.obligation import Case, Obligation
from sa.rules.refutation import meant, variables_of
from sa.scripts.result import Counterexample, Shown
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.evaluate import Unevaluable, evaluate, holds
from sa.terms.meaning import Meaning, called, in_words
from sa.terms.name import Name, alone, of_thread, off_side, on_side
from sa.terms.sort import INT, Value, default_value, show_value
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: Solver resources for each wish: a wish that needs more is dropped.
RLIMIT = 400_000

#: Wishes are made for so many variables.
WISHES = 60

Values = Mapping[Var, Value]


def counterexample(
    session: Session,
    obligation: Obligation,
    aliases: Mapping[str, str],
    way: Way | None,
    meaning: Meaning | None,
) -> Counterexample | None:
    """Values for which the obligation fails, None where none are found. `session` assumes no axioms.

    `aliases` give the names of the sides `conc`, `abs` and those between them, `way` is what it is a condition of.
    Functions are what `meaning` says. Raises LimitReached.
    """
    plain = meant(obligation, meaning)
    question = (*plain.hypotheses, *(_refused(c) for c in plain.cases))
    if any(called(f) for f in question):
        return None
    values = smallest(session, question)
    if values is None or any(_possible(session, c, values) for c in plain.cases if c.choices):
        return None
    functions = () if meaning is None or plain == obligation else in_words(meaning)
    broken = _broken(session, plain, values)
    step = None if obligation.edge is None else obligation.edge.origin
    return Counterexample(
        tuple(_shown(plain, values, aliases)), functions, broken, step, way and _evidence(plain, values, way, meaning)
    )


def _evidence(obligation: Obligation, values: Values, way: Way, meaning: Meaning | None) -> Fails:
    known = {v: values.get(v, default_value(v.sort)) for v in variables_of(obligation)}
    return Fails(way, obligation.name, obligation.where, known, meaning)


def _refused(case: Case) -> Term:
    return build.forall(case.choices, build.lnot(build.land(*case.body)))


def _possible(session: Session, case: Case, values: Values) -> bool:
    """Whether the case may hold for these values after all: a quantifier is not evaluated, but asked about again."""
    known = {v: build.constant(x, v.sort) for v, x in values.items() if v not in case.choices}
    return not isinstance(session.check(substitute(b, known) for b in case.body), Unsat)


def smallest(session: Session, formulas: Iterable[Term]) -> Values | None:
    """A model in which little changes and numbers are small; None if the solver finds none. Raises LimitReached."""
    asked = tuple(formulas)
    first = session.check(asked)
    if not isinstance(first, Sat):
        return None
    brief = session.again(RLIMIT)
    best = first.values
    with brief.assuming(asked):
        kept = list[Term]()
        for wishes in list(_wishes(best))[:WISHES]:
            for wish in wishes:
                if holds(wish, best):
                    kept.append(wish)
                    break
                answer = brief.check((*kept, wish))
                if isinstance(answer, Sat):
                    best = {**best, **answer.values}
                    kept.append(wish)
                    break
    return best


def _wishes(values: Values) -> Iterator[tuple[Term, ...]]:
    """What would be nice, in order; of alternatives the first that is possible."""
    ordered = sorted(values, key=lambda v: v.key)
    yield from ((build.eq(v, _before(v)),) for v in ordered if v.primes and _before(v) in values)
    for v in ordered:
        if v.sort == INT:
            near = build.land(build.le(build.integer(-9), v), build.le(v, build.integer(9)))
            yield build.eq(v, build.ZERO), build.eq(v, build.ONE), near
        else:
            yield (build.eq(v, build.constant(default_value(v.sort), v.sort)),)


def _before(var: Var) -> Var:
    return build.variable(var.name, var.sort, var.primes - 1)


# ---------------------------------------------------------------- what is broken


def _broken(session: Session, obligation: Obligation, values: Values) -> Origin | None:
    """The first clause that is false, or without which there would be a way."""
    for clause in obligation.clauses:
        try:
            if not holds(clause.term, values):
                return clause.origin
        except Unevaluable:
            continue
    for case in obligation.cases if any(c.choices for c in obligation.cases) else ():
        known = {v: build.constant(x, v.sort) for v, x in values.items() if v not in case.choices}
        for clause in obligation.clauses:
            parts = frozenset(build.conjuncts(clause.term))
            rest = [substitute(b, known) for b in case.body if b not in parts]
            if len(rest) < len(case.body) and isinstance(session.check(rest), Sat):
                return clause.origin
    return None


# ---------------------------------------------------------------- what is shown


def _shown(obligation: Obligation, values: Values, aliases: Mapping[str, str]) -> Iterator[Shown]:
    """The variables in the order of their names, each with what it becomes."""
    updates = dict(obligation.edge.updates) if obligation.edge is not None else {}
    moving = any(v.primes for v in values) or bool(updates)
    rows = dict[str, Shown]()
    chosen = {c for case in obligation.cases for c in case.choices}
    for var in values:
        if not var.primes and var not in chosen:
            after = _after(var, updates, values) if moving else None
            name = user_name(var.name, aliases)
            said = None if after is None or after == values[var] else show_value(after, var.sort)
            rows[name] = Shown(name, show_value(values[var], var.sort), said)
    yield from (rows[name] for name in sorted(rows))


def _after(var: Var, updates: Mapping[Var, Term], values: Values) -> Value | None:
    if primed(var) in values:
        return values[primed(var)]
    if var in updates:
        try:
            return evaluate(updates[var], values)
        except Unevaluable:
            return None
    return None


def user_name(name: Name, aliases: Mapping[str, str]) -> Name:
    """A variable as the script writes it: `conc.x` with the alias of its side, `at T.CS` as it is."""
    if name.side is None:
        return name
    own = off_side(name) if name.owner is None else of_thread(off_side(alone(name)), name.owner[0])
    return on_side(own, aliases.get(name.side, name.side))
