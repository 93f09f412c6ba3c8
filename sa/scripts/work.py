"""A step while it is worked on: what it may use, and what was settled so far, which stands if a limit ends it.

Side conditions are put to sessions of the step's own, so that its answers do not depend on what other steps asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.proof import Rule, Script, Step
from sa.base.clock import clock
from sa.base.verdict import Verdict
from sa.certificates.argument import Argument, Way
from sa.certificates.run import Run
from sa.checker.obligation import Obligation, discharge
from sa.engines.options import Options
from sa.engines.outcome import Result
from sa.generation.meanings import meanings
from sa.rules.annotated_programs import Stage, faults, others_start
from sa.rules.application import Applied
from sa.rules.facts import Fact, Side, sides_of
from sa.rules.statements import fact_of
from sa.scripts.counterexample import counterexample
from sa.scripts.result import Counterexample, Leaf
from sa.smt.session import Sat, Session
from sa.terms.meaning import Meaning, called

#: Solver resources for a first attempt at what speaks of functions: proofs come soon or not at all.
SOON = 1_000_000

_OTHER_WAYS = "so the rule does not show the claim, and no other rule was found that does"
_NO_VALUES = "the solver could not decide it, and no values were found for which it fails"
_NO_START = "it fails where the other threads of the program may not be able to start"
_NO_MEANING = "it fails if the axioms are consistent, which is not known"


class Work(Struct):
    """`facts` are what earlier steps say, `verdicts` what became of them. `session` assumes the axioms, `plain` none.

    `aliases` name the sides in counterexamples. `rule` is the one that is being applied, `way` its kind; `cited` are
    steps that were found for it, and `argument` is the evidence if there is any. `known` are meanings of functions and
    `brief` is a session for short attempts, once they were needed.
    """

    script: Script
    options: Options
    stage: Stage
    facts: Mapping[str, Fact]
    verdicts: Mapping[str, Verdict]
    step: Step
    session: Session
    plain: Session
    rule: str = ""
    way: Way | None = None
    argument: Argument | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    leaves: list[Leaf] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    run: Run | None = None
    known: list[Meaning] | None = None
    brief: Session | None = None
    cited: tuple[str, ...] = ()


def establish(work: Work, applied: Applied) -> bool:
    """Add a leaf for everything that a rule asks; whether all holds. Raises LimitReached."""
    work.rule = applied.rule
    all_hold = True
    for asked in applied.asked:
        work.aliases = asked.aliases
        if asked.fault is not None:
            add(work, Leaf("well-formed composition", "", Verdict.UNKNOWN, asked.fault, 0.0))
            all_hold = False
        all_hold &= settle(work, asked.obligations)
    return all_hold


def settle(work: Work, obligations: Iterable[Obligation]) -> bool:
    """Add a leaf for each obligation; those of one name that hold are told once, and so are those that fail.

    Whether all hold. Raises LimitReached: what was settled before stands.
    """
    all_hold = True
    for obligation in obligations:
        leaf = leaf_of(work, obligation)
        all_hold &= leaf.verdict is Verdict.PROVED
        add(work, leaf)
    return all_hold


def add(work: Work, leaf: Leaf) -> None:
    """Add a leaf, to the one of the same name and verdict if there is one."""
    for index, known in enumerate(work.leaves):
        if (known.name, known.verdict) == (leaf.name, leaf.verdict):
            more = replace(known, seconds=known.seconds + leaf.seconds, count=known.count + leaf.count)
            if leaf.verdict is Verdict.PROVED:
                work.leaves[index] = replace(more, where="")
            else:
                work.leaves[index] = replace(more, others=(*known.others, leaf.where))
            return
    work.leaves.append(leaf)


def leaf_of(work: Work, obligation: Obligation) -> Leaf:
    """What becomes of a side condition. Raises LimitReached.

    One of a rule that nobody asked for refutes nothing: there may be other ways to the claim.
    """
    started = clock()
    obligation = replace(obligation, cases=tuple(obligation.cases))
    leaf = _applied(work, obligation) if _speaks_of_functions(obligation) else _without(work, obligation)
    if leaf.verdict is Verdict.REFUTED and not _asks_for_a_rule(work.step):
        leaf = replace(leaf, verdict=Verdict.UNKNOWN, why=_OTHER_WAYS)
    if leaf.verdict is Verdict.REFUTED and not begins(work, *sides_of(fact_of(work.stage, work.step.claim))):
        leaf = replace(leaf, verdict=Verdict.UNKNOWN, why=_NO_START)
    return replace(leaf, seconds=clock() - started)


def _asks_for_a_rule(step: Step) -> bool:
    return bool(step.cited) or step.rule not in (None, Rule.AUTO)


def _speaks_of_functions(obligation: Obligation) -> bool:
    return any(called(t) for t in (*obligation.hypotheses, *(b for c in obligation.cases for b in c.body)))


def _without(work: Work, obligation: Obligation) -> Leaf:
    """Where no function occurs the axioms say nothing, unless they contradict each other."""
    failure = discharge(work.plain, frozenset(), obligation)
    if failure is None:
        return Leaf(obligation.name, obligation.where, Verdict.PROVED, "", 0.0)
    example = example_of(work, obligation)
    if example is None:
        return Leaf(obligation.name, obligation.where, Verdict.UNKNOWN, failure.why, 0.0)
    if work.script.axioms and example.fails is not None and _meanings(work):
        example = replace(example, fails=replace(example.fails, meaning=_meanings(work)[0]))
    certain = satisfiable(work)
    verdict, why = (Verdict.REFUTED, "") if certain else (Verdict.UNKNOWN, _NO_MEANING)
    return Leaf(obligation.name, obligation.where, verdict, why, 0.0, example=example)


def _applied(work: Work, obligation: Obligation) -> Leaf:
    """First a short attempt to prove it, then one to refute it by simple functions, then a long one to prove it."""
    if discharge(_soon(work), frozenset(), obligation) is None:
        return Leaf(obligation.name, obligation.where, Verdict.PROVED, "", 0.0)
    example = example_of(work, obligation)
    if example is not None:
        return Leaf(obligation.name, obligation.where, Verdict.REFUTED, "", 0.0, example=example)
    if discharge(work.session, frozenset(), obligation) is None:
        return Leaf(obligation.name, obligation.where, Verdict.PROVED, "", 0.0)
    return Leaf(obligation.name, obligation.where, Verdict.UNKNOWN, _NO_VALUES, 0.0)


def _soon(work: Work) -> Session:
    if work.brief is None:
        work.brief = work.session.again(SOON)
    return work.brief


def example_of(work: Work, obligation: Obligation) -> Counterexample | None:
    """Values, and functions where these occur, for which an obligation fails. Raises LimitReached."""
    choices: Iterable[Meaning | None] = _meanings(work) if _speaks_of_functions(obligation) else (None,)
    found = (counterexample(work.plain, obligation, work.aliases, work.way, meaning) for meaning in choices)
    return next((example for example in found if example is not None), None)


def _meanings(work: Work) -> list[Meaning]:
    if work.known is None:
        work.known = list(meanings(work.plain, work.script.functions, work.script.axioms))
    return work.known


def satisfiable(work: Work) -> bool:
    """Whether the axioms are known to be true of some functions. Raises LimitReached."""
    return not work.script.axioms or bool(_meanings(work)) or isinstance(_soon(work).check(()), Sat)


def begins(work: Work, *sides: Side) -> bool:
    """Whether threads are known to start in states only in which their programs do. Raises LimitReached."""
    conditions = (o for side in sides for o in others_start(work.stage.worlds, side))
    return all(discharge(work.session, frozenset(), o) is None for o in conditions)


def sound(work: Work, *sides: Side) -> bool:
    """Whether annotated threads are the written ones; what was inferred of them was checked before the first step."""
    wrong = [fault for side in sides for fault in faults(side)]
    for fault in wrong:
        add(work, Leaf("annotated threads", "", Verdict.UNKNOWN, fault, 0.0))
    return not wrong
