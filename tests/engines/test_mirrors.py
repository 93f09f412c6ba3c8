"""Ghosts that follow abstract variables: what is related while a lock is held, for any number of copies."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from sa.base.limits import Limits, limits
from sa.base.verdict import Verdict
from sa.certificates.family_composition import CrowdComposition
from sa.certificates.family_composition_json import crowd_composition_json
from sa.certificates.ghosts import Ghost
from sa.certificates.shape import Entry, Json, Malformed
from sa.checker.family_question import FamilyQuestion, asked_of, with_ghosts
from sa.checker.judge import judge_refinement
from sa.checker.question import NoQuestion
from sa.checker.resources import Resources
from sa.checker.ruling import Accepted
from sa.checker.solvers import Z3
from sa.engines.met_pairs import Proving, Work, proved_in, texts_of
from sa.engines.options import Options
from sa.engines.outcome import Found, Outcome
from sa.engines.portfolio_of_goals import Depth
from sa.engines.refine import refine
from sa.invariants.efforts import Effort
from sa.question.families import crowds
from sa.refinement.auxiliary_variables import mirrors
from sa.refinement.ghost_strategies import Ways
from sa.terms import build
from sa.terms.printer import show
from sa.terms.term import Term
from tests.endtoend.asking import read

#: Payments in one step each, and under a lock: what is paid is shown after the balance was written.
PAID = """
param START : int; init START >= 0;
global balance : int = START;
thread T[*] { local n : int = 0;
  while (true) { havoc n; assume n > 0;
    atomic { if (balance >= n) { @paid(n) balance := balance - n; } else { @refused(n) skip; } } } }
"""
LOCKED = """
param START : int; init START >= 0;
global money : int = START; global busy : bool = false;
thread T[*] { local n, m : int = 0;
  while (true) { havoc n; assume n > 0;
    while (exchange(busy, true)) { skip; }
    m := money;
    if (m >= n) { money := m - n; @paid(n) skip; } else { @refused(n) skip; }
    busy := false; } }
"""


def _ask(abstract: str, concrete: str) -> Outcome:
    return refine(*read(abstract, concrete), Options(limits(120.0, None)))


def _followed(abstract: str, concrete: str) -> list[list[tuple[str, str, list[str]]]]:
    asked = crowds(*read(abstract, concrete))
    ways = mirrors(asked, texts_of(asked))
    return [[(g.var.name, show(g.start), [show(t) for _, t in g.steps]) for g in way.ghosts] for way in ways]


@pytest.fixture(scope="module")
def proved() -> Outcome:
    return _ask(PAID, LOCKED)


@pytest.mark.fuzz
def test_what_is_shown_after_it_was_written_is_proved(proved: Outcome) -> None:
    assert proved.verdict is Verdict.PROVED
    assert isinstance(proved.composition, CrowdComposition) and proved.composition.ghosts


def test_what_is_read_before_the_lock_is_taken_is_refuted() -> None:
    broken = LOCKED.replace("    while (exchange(busy, true)) { skip; }\n    m := money;", "    m := money;")
    assert _ask(PAID, broken).verdict is Verdict.REFUTED


def test_a_ghost_becomes_what_the_action_says() -> None:
    assert _followed(PAID, LOCKED) == [[("abs_balance", "START", ["abs_balance - n"])]]


def test_a_variable_that_becomes_what_no_action_tells_is_not_followed() -> None:
    assert _followed(PAID.replace("@paid(n)", "@paid(1)"), LOCKED.replace("@paid(n)", "@paid(1)")) == []


#: A ledger whose rows are shown after they were written, on the abstract side too.
LEDGER = """
global n, s : int = 0;
thread T[*] { local v, a, b : int = 0;
  while (true) { havoc v; @add(v) skip; atomic { n := n + 1; s := s + v; a := n; b := s; } @row(a, b) skip; } }
"""
WRITTEN = """
global rows, total, m : int = 0;
thread T[*] { local v, a, b : int = 0;
  while (true) {
    havoc v; @add(v) skip; lock(m); rows := rows + 1; total := total + v; a := rows; b := total; unlock(m);
    @row(a, b) skip;
  } }
"""


def test_a_step_without_an_action_is_guessed_to_be_answered_by_one_that_writes() -> None:
    ways = _followed(LEDGER, WRITTEN)
    assert len(ways) > 1
    assert ways[0] == [("abs_n", "0", ["abs_n + 1"]), ("abs_s", "0", ["abs_s + v"])]


def test_a_guess_is_proved_or_is_none() -> None:
    assert _ask(LEDGER, WRITTEN).verdict is Verdict.PROVED
    early = WRITTEN.replace("b := total; unlock(m);", "unlock(m); b := total;")
    assert _ask(LEDGER, early).verdict is Verdict.REFUTED


def test_what_actions_show_in_the_same_place_may_have_other_names() -> None:
    renamed = WRITTEN.replace("local v, a, b", "local amount, p, q").replace(
        "havoc v; @add(v)", "havoc amount; @add(amount)"
    )
    renamed = renamed.replace("total + v; a := rows; b := total", "total + amount; p := rows; q := total")
    renamed = renamed.replace("@row(a, b)", "@row(p, q)")
    assert _ask(LEDGER, renamed).verdict is Verdict.PROVED


def test_elements_of_arrays_are_followed_under_names_of_their_own() -> None:
    one_of_two = PAID.replace("balance : int = START", "balance : int[2] = START").replace("balance", "balance[1]")
    one_of_two = one_of_two.replace("global balance[1]", "global balance")
    locked = LOCKED.replace("money", "money[1]").replace("global money[1] : int", "global money : int[2]")
    ((ghost,),) = _followed(one_of_two, locked)
    assert ghost == ("abs_balance_1", "START", ["abs_balance_1 - n"])
    assert _ask(one_of_two, locked).verdict is Verdict.PROVED


def test_a_ghost_of_the_program_stays_one_beside_those_of_the_proof() -> None:
    with_own = LOCKED.replace("money := m - n;", "money := m - n; paid := paid + n;")
    assert _ask(PAID, "ghost global paid : int = 0;" + with_own).verdict is Verdict.PROVED


def test_a_compare_and_swap_is_followed_where_it_succeeds() -> None:
    abstract = "global n : int = 0; thread T[*] { local v : int = 0; atomic { n := n + 1; v := n; } @got(v) skip; }"
    swap = """
    global c : int = 0;
    thread T[*] { local o : int = 0; local ok : bool = false;
      while (!ok) { o := c; ok := cas(c, o, o + 1); } @got(o + 1) skip; }
    """
    ((ghost, *_), *_) = _followed(abstract, swap)
    assert ghost == ("abs_n", "0", ["if c == o then abs_n + 1 else abs_n"])
    assert _ask(abstract, swap).verdict is Verdict.PROVED


def _rulings(abstract: str, concrete: str, made: CrowdComposition) -> list[str]:
    asked = asked_of(*read(abstract, concrete), False)
    entry: Json = {"verdict": "proved", "composition": crowd_composition_json(made)}
    rulings = [j.ruling for j in judge_refinement(asked, Entry(entry), Resources(Limits(), 0, Z3))]
    return ["accepted" if isinstance(r, Accepted) else "" if r is None else r.obligation for r in rulings]


def _composition(outcome: Outcome | Found) -> CrowdComposition:
    assert isinstance(outcome.composition, CrowdComposition)
    return outcome.composition


@pytest.mark.fuzz
def test_the_proof_is_accepted_as_it_is_written(proved: Outcome) -> None:
    assert _rulings(PAID, LOCKED, _composition(proved)) == ["accepted"]


@pytest.mark.fuzz
def test_with_another_start_or_another_step_it_is_not(proved: Outcome) -> None:
    made = _composition(proved)
    (ghost,) = made.ghosts
    for other in (
        replace(ghost, start=build.ZERO),
        replace(ghost, steps=()),
        replace(ghost, steps=tuple((place, build.add(term, build.ONE)) for place, term in ghost.steps)),
    ):
        with_another = replace(made, ghosts=(other,))
        assert "accepted" not in _rulings(PAID, LOCKED, with_another)


@pytest.mark.fuzz
def test_what_is_related_besides_is_about_no_copy(proved: Outcome) -> None:
    made = _composition(proved)
    ((_, identity),) = made.copies
    about_one = replace(made, besides=(*made.besides, build.eq(identity, identity), build.le(build.ZERO, identity)))
    assert "accepted" not in _rulings(PAID, LOCKED, about_one)


def _asked() -> FamilyQuestion:
    asked = asked_of(*read(PAID + "function f(int) : int;", LOCKED + "function g(int) : int;"), False)
    assert isinstance(asked, FamilyQuestion)
    return asked


@pytest.mark.parametrize(
    ("name", "start", "step"),
    [
        ("money", build.ZERO, build.ZERO),
        ("n", build.ZERO, build.ZERO),
        ("balance", build.ZERO, build.ZERO),
        ("T.n", build.ZERO, build.ZERO),
        ("f", build.ZERO, build.ZERO),
        ("g", build.ZERO, build.ZERO),
        ("ghost", build.variable("n"), build.ZERO),
        ("ghost", build.variable("ghost"), build.ZERO),
        ("ghost", build.ZERO, build.variable("strange")),
        ("ghost", build.ZERO, build.TRUE),
    ],
)
def test_what_is_no_ghost_is_no_question(name: str, start: Term, step: Term) -> None:
    ghost = Ghost(build.variable(name), start, (((0, 0), step),))
    with pytest.raises(NoQuestion):
        with_ghosts(_asked(), (ghost,))


@pytest.mark.parametrize("place", [(0, 99), (1, 0), (-1, 0)])
def test_a_ghost_is_set_by_steps_that_exist(place: tuple[int, int]) -> None:
    with pytest.raises(NoQuestion):
        with_ghosts(_asked(), (Ghost(build.variable("ghost"), build.ZERO, ((place, build.ZERO),)),))


#: Two accounts under one lock: neither is as the other side has it while somebody moves money.
MOVED = """
global a, b : int = 0;
thread Move[i : *] { local d : int = 0; while (true) { havoc d; @move(d) atomic { a := a - d; b := b + d; } } }
thread Sum { local s : int = 0; while (true) { s := a + b; @sum(s) skip; } }
"""
LATER = """
global a, b, l : int = 0;
thread Move[i : *] { local d, t : int = 0;
  while (true) { havoc d; lock(l); t := a; a := t - d; t := b; b := t + d; @move(d) skip; unlock(l); } }
thread Sum { local s, t : int = 0;
  while (true) { lock(l); t := a; s := b; unlock(l); s := s + t; @sum(s) skip; } }
refinement r {
  abstract "abs.sa"; concrete "conc.sa"; relate conc.l == 0 ==> conc.a == abs.a && conc.b == abs.b;
}
"""


def test_two_accounts_are_related_while_nobody_moves_money() -> None:
    assert _ask(MOVED, LATER).verdict is Verdict.PROVED
    unlocked = LATER.replace("lock(l); t := a; s := b; unlock(l);", "t := a; s := b;")
    assert _ask(MOVED, unlocked).verdict is Verdict.REFUTED


#: Data of any kind that is published at a new place each time, by writers under a lock, for readers who take none.
SHOWN = """
global top : int = 0;
thread P[i : *] { local v : int = 0; while (true) { havoc v; @push(v) top := v; } }
thread Q[i : *] { local v : int = 0; while (true) { v := top; @peek(v) skip; } }
"""
COPIED = """
global val : int[*] = 0; global idx, l : int = 0;
thread P[i : *] { local v, k : int = 0;
  while (true) { havoc v; lock(l); k := idx; val[k + 1] := v; @push(v) idx := k + 1; unlock(l); } }
thread Q[i : *] { local v, k : int = 0; while (true) { k := idx; v := val[k]; @peek(v) skip; } }
"""


def test_what_is_published_at_a_new_place_each_time_is_read_without_a_lock() -> None:
    assert _ask(SHOWN, COPIED).verdict is Verdict.PROVED
    again = COPIED.replace("val[k + 1] := v; @push(v) idx := k + 1;", "val[k] := v; @push(v) skip;")
    assert _ask(SHOWN, again).verdict is not Verdict.PROVED


#: A counter that is reset, and a difference of two numbers in its place.
RESET = """
global n : int = 0;
thread T[i : *] { while (true) { @tick(n + 1) n := n + 1; } }
thread Reset { while (true) { @reset n := 0; } }
"""
SINCE = """
global base, cnt, l : int = 0;
thread T[i : *] { local c : int = 0;
  while (true) { lock(l); cnt := cnt + 1; c := cnt - base; @tick(c) skip; unlock(l); } }
thread Reset { while (true) { lock(l); @reset base := cnt; unlock(l); } }
"""


def test_what_two_steps_make_of_different_numbers_may_be_the_same() -> None:
    assert _ask(RESET, SINCE).verdict is Verdict.PROVED
    assert _ask(RESET, SINCE.replace("c := cnt - base;", "c := cnt - base + 1;")).verdict is Verdict.REFUTED


#: Payments that go to a box, which a cashier empties: how much there is in all is an equation between three numbers.
SUMMED = """
global sum : int = 0;
thread P[*] { local d : int = 0; while (true) { havoc d; @paid(d) sum := sum + d; } }
thread C { local t : int = 0; while (true) { t := sum; @bill(t) skip; } }
"""
BOXED = """
global box : int = 0;
thread P[*] { local d : int = 0; while (true) { havoc d; @paid(d) box := box + d; } }
thread C { local total, r : int = 0;
  while (true) { r := exchange(box, 0); total := total + r; @bill(total) skip; } }
"""


def test_equations_between_many_numbers_are_found() -> None:
    assert _ask(SUMMED, BOXED).verdict is Verdict.PROVED
    assert _ask(SUMMED, BOXED.replace("r := exchange(box, 0);", "r := box; box := 0;")).verdict is Verdict.REFUTED


#: A value that whoever comes first chooses; it is tested twice whether it is there, once without the lock.
ONCE = """
global made : bool = false; global val : int = 0;
thread T[*] { local r : int = 0;
  while (true) { atomic { if (!made) { havoc val; made := true; } r := val; } @use(r, r) skip; } }
"""
CHECKED_TWICE = """
global a, b, l : int = 0; global ready : bool = false;
thread T[*] { local v, r, s : int = 0;
  while (true) {
    if (!ready) { lock(l); if (!ready) { havoc v; a := v; b := v; ready := true; } unlock(l); }
    r := a; s := b; @use(r, s) skip;
  } }
"""


def test_what_is_chosen_may_be_what_the_concrete_thread_chose() -> None:
    assert _ask(ONCE, CHECKED_TWICE).verdict is Verdict.PROVED
    assert _ask(ONCE, CHECKED_TWICE.replace("if (!ready) { havoc", "if (true) { havoc")).verdict is Verdict.REFUTED


#: Threads that are no family: the least number so far, in one step or under a lock.
RANGE = """
global lo : int = 0;
thread W[i : 1..2] { local v : int = 0; while (true) { havoc v; @seen(v) skip; atomic { if (v < lo) { lo := v; } } } }
thread R { local a : int = 0; while (true) { a := lo; @least(a) skip; } }
"""
GUARDED = """
global least, l : int = 0;
thread W[i : 1..2] { local v : int = 0;
  while (true) { havoc v; @seen(v) skip; lock(l); if (v < least) { least := v; } unlock(l); } }
thread R { local a : int = 0; while (true) { lock(l); a := least; unlock(l); @least(a) skip; } }
"""


@pytest.fixture(scope="module")
def ranges() -> CrowdComposition:
    options = Options(limits(120.0, None))
    proving = Proving(True, Depth.GLANCE, Effort.NUMBERS, mirrored=Ways.ALL)
    found = proved_in(Work(crowds(*read(RANGE, GUARDED))), proving, options, options.limits)
    assert found is not None
    return _composition(found)


def test_threads_without_copies_have_ghosts_and_meetings_too(ranges: CrowdComposition) -> None:
    assert ranges.ghosts and not ranges.copies
    assert _rulings(RANGE, GUARDED, ranges) == ["accepted"]


def test_a_proof_about_threads_proves_nothing_of_other_threads(ranges: CrowdComposition) -> None:
    unlocked = GUARDED.replace("lock(l); a := least; unlock(l);", "a := least;")
    assert unlocked != GUARDED
    with pytest.raises(Malformed):
        _rulings(RANGE, unlocked, ranges)
    others_first = GUARDED.replace("lock(l); if (v < least) { least", "if (v < least) { lock(l); least")
    assert "accepted" not in _rulings(RANGE, others_first, ranges)


def test_threads_may_be_written_in_another_order() -> None:
    first, *threads = RANGE.strip().split("\nthread ")
    reordered = "\nthread ".join((first, *reversed(threads)))
    options = Options(limits(120.0, None))
    proving = Proving(True, Depth.GLANCE, Effort.NUMBERS, mirrored=Ways.ALL)
    found = proved_in(Work(crowds(*read(reordered, GUARDED))), proving, options, options.limits)
    assert found is not None
    assert _rulings(reordered, GUARDED, _composition(found)) == ["accepted"]


def test_without_its_ghosts_it_is_no_proof(ranges: CrowdComposition) -> None:
    with pytest.raises(Malformed):
        _rulings(RANGE, GUARDED, replace(ranges, ghosts=()))


def test_nothing_is_put_together_where_an_environment_is_declared(ranges: CrowdComposition) -> None:
    with pytest.raises(NoQuestion):
        _rulings(RANGE, GUARDED.replace("thread R {", "thread R { rely true;"), ranges)


def test_what_the_abstract_step_waits_for_is_claimed_where_the_concrete_one_is_taken() -> None:
    room = Path(__file__).parents[2] / "specs" / "family" / "refine" / "room"
    texts = ((room / name).read_text().partition("refinement")[0] for name in ("abs.sa", "first-takes.sa"))
    asked = crowds(*read(*texts))
    (made,) = mirrors(asked, texts_of(asked))
    claims = [show(bad.claim) for bad in made.claims if bad.claim is not None]
    assert claims == ["abs_readers == 0 || !at Writer.q2", "!abs_writing || !at Reader[#1].q6"]
