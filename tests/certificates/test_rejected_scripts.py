"""Forged certificates of proof scripts: false claims said to be proved, true ones said to be refuted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from sa.app.certificate import proof_certificate
from sa.app.certify import CertifyRequest, Choice, certify
from sa.app.prove import ProveRequest, prove
from sa.base.limits import Limits
from sa.checker.judgement import worst
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.engines.options import Options

Change = Callable[[Any], None]


class Forge(Struct, frozen=True):
    """A script with its true certificate, to be changed."""

    folder: Path
    document: Any

    def ruling(self, change: Change | None = None) -> Ruling:
        """What becomes of it after a change."""
        changed = json.loads(json.dumps(self.document))
        if change is not None:
            change(changed["questions"][0])
        (self.folder / "c.json").write_text(json.dumps(changed))
        return worst(certify(CertifyRequest(str(self.folder / "c.json"), None, Choice.Z3, False, Limits())))

    @property
    def verdicts(self) -> list[str]:
        """What `prove` says of the steps."""
        return [s["verdict"] for s in self.document["questions"][0]["steps"]]


def forge(folder: Path, script: str, **programs: str) -> Forge:
    """The certificate of a script about programs by alias."""
    for alias, text in programs.items():
        (folder / f"{alias}.sa").write_text(text)
    imports = "".join(f'import "{alias}.sa" as {alias};\n' for alias in programs)
    (folder / "script.sa").write_text(imports + script)
    request = ProveRequest(str(folder / "script.sa"), False, Options(Limits()))
    return Forge(folder, json.loads(proof_certificate(str(folder / "c.json"), request, prove(request))))


def said(number: int, verdict: str, evidence: Any, cited: tuple[str, ...] | None = None) -> Change:
    """A step is said to have this verdict, and so the script, if all steps before it are proved."""

    def change(script: Any) -> None:
        step = script["steps"][number]
        step |= {"verdict": verdict, "evidence": evidence}
        step |= {} if cited is None else {"cited": list(cited)}
        verdicts = [s["verdict"] for s in script["steps"]]
        script["verdict"] = next((v for v in ("refuted", "unknown") if v in verdicts), "proved")

    return change


def both(*changes: Change) -> Change:
    """One change after the other."""

    def change(script: Any) -> None:
        for each in changes:
            each(script)

    return change


def fails(way: str, condition: str, where: str = "", values: Any = None, functions: Any = None) -> Any:
    """Evidence that a side condition fails."""
    rest = {"where": where, "values": values or {}, "functions": functions or {}}
    return {"fails": {"by": way, "condition": condition, **rest}}


def rejected(ruling: Ruling, obligation: str, why: str = "") -> None:
    assert isinstance(ruling, Rejected)
    assert obligation == ruling.obligation and why in ruling.why, ruling


# ---------------------------------------------------------------- refuted, though true

INVARIANTS = """
lemma x1 : low.T1 preserves x <= 1;
lemma x2 : low.T2 preserves x <= 1;
lemma xy2 : low.T2 preserves x <= 1 && y <= 1;
"""
TWO = "global x, y : 0..3 = 0; thread T1 { if (x < 1) { x := 1; } } thread T2 { y := 1; }"
IMPLIED = fails("parallel", "the parts imply the claim", "", {"x": 0, "y": 2})


def test_what_is_left_to_find_is_not_refuted_by_steps_that_it_does_not_follow_from(tmp_path: Path) -> None:
    claim = "theorem found : low.T1 || low.T2 preserves x <= 1 && y <= 1 by auto;"
    forged = forge(tmp_path, INVARIANTS + claim, low=TWO)
    assert forged.ruling() == Accepted() and forged.verdicts[-1] == "proved"
    rejected(
        forged.ruling(said(3, "refuted", IMPLIED, ("x1", "x2"))), "well-formed certificate", "cites different steps"
    )
    rejected(forged.ruling(said(3, "refuted", IMPLIED, ())), "well-formed certificate", "another rule")


def test_what_follows_from_cited_steps_is_not_refuted_thread_by_thread(tmp_path: Path) -> None:
    # What is claimed of T1 is disturbed by T2 where `a` is true, which it never is.
    programs = """
    global x : 0..1 = 0; global p, q : int; init p == q;
    thread T1 { local a : bool = false; await p * p != q * q; a := true; }
    thread T2 { x := 1; }
    """
    claim = "low.T1 || low.T2 preserves (a ==> x == 0) && p == q"
    steps = f"""
    lemma one : low.T1 preserves !a && p == q;
    lemma two : low.T2 preserves p == q;
    theorem cited : {claim} by parallel(one, two);
    theorem apart : {claim} by parallel;
    """
    forged = forge(tmp_path, steps, low=programs)
    assert forged.ruling() == Accepted() and forged.verdicts == ["proved"] * 3 + ["refuted"]
    evidence = forged.document["questions"][0]["steps"][3]["evidence"]
    assert evidence["fails"]["by"] == "threads"
    rejected(forged.ruling(said(2, "refuted", evidence)), "well-formed certificate", "another rule")


#: While a thread holds the lock nobody else changes x, which the claim does not say.
LOCKED = """
global busy : bool = false; global x : 0..1 = 0;
thread T1 { local a : bool = false; await !busy { busy := true; } x := 0; a := true; a := false; busy := false; }
thread T2 { local b : bool = false; await !busy { busy := true; } x := 1; b := true; b := false; busy := false; }
"""


def test_a_direct_claim_is_not_refuted_because_it_is_not_shown_of_each_thread(tmp_path: Path) -> None:
    claim = "low preserves (T1.a ==> x == 0) && (T2.b ==> x == 1)"
    forged = forge(tmp_path, f"lemma direct : {claim}; lemma apart : {claim} by parallel;", low=LOCKED)
    assert forged.verdicts == ["proved", "refuted"] and forged.ruling() == Accepted()
    evidence = forged.document["questions"][0]["steps"][1]["evidence"]
    assert evidence["fails"]["condition"] == "non-interference"
    rejected(forged.ruling(said(0, "refuted", evidence)), "condition", "there is no such condition")


def test_a_function_does_not_depend_on_what_a_step_leads_to(tmp_path: Path) -> None:
    # Some other value than f(0) there always is; a function that says that it is the value there is none.
    steps = """function f(int) : int;
    lemma refined : low.T refines top.T pre top.x != f(0) inv top.x != f(0);
    lemma kept : top.T preserves x * x >= 0;
    theorem down : low.T preserves u * u >= 0 by preservation(refined, kept);
    """
    programs = {
        "low": "global u : int; thread T { rely true; @a skip; }",
        "top": "global x : int; thread T { rely true; @a skip; }",
    }
    forged = forge(tmp_path, steps, **programs)
    functions = {"f": {"parameters": ["abs.x"], "body": "|abs.x'|"}}
    values = {"abs.x": 0, "abs.x'": 1, "conc.u": 0, "conc.u'": 0}
    evidence = fails("preservation", "the environment is followed", "q0, q0", values, functions)
    rejected(forged.ruling(said(2, "refuted", evidence)), "well-formed certificate", "its parameters alone")


def test_a_play_does_not_use_an_environment_that_was_inferred_of_the_abstract_side(tmp_path: Path) -> None:
    programs = {
        "low": "thread T { @a skip; }",
        "top": "global u : 0..1 = 0; thread T { await u == 0; @a skip; } thread U { if (u == 1) { u := 1; } }",
    }
    forged = forge(tmp_path, "lemma one : low.T refines top.T;", **programs)
    assert forged.ruling() == Accepted() and forged.verdicts == ["proved"]

    def coarse(script: Any) -> None:
        for thread in script["programs"]["top"]["threads"]:
            for place in thread["locations"].values():
                place |= {"inv": "(and (<= 0 u) (<= u 1))", "env": "true"}

    start = {"at": "q0", "values": {}}
    before, after = ({"at": "q0", "values": {"abs.u": u}} for u in (0, 1))
    step = {"edge": 0, "choices": {}, "after": {"at": "exit", "values": {}}, "replies": [], "refusals": []}
    step |= {"after": {"at": "q1", "values": {}}, "exhausted": "enumerated", "beyond": []}
    environment_move = {"concrete": start, "abstract": [after], "identity": False, "then": 0}
    positions = [
        {"concrete": start, "abstract": after, "move": {"step": step}},
        {"concrete": start, "abstract": before, "move": {"environment": environment_move}},
    ]
    play = {"play": {"strategy": {"start": 1, "positions": positions}}}
    rejected(forged.ruling(both(coarse, said(0, "refuted", play))), "play", "was inferred")


STARTS = {
    "low": "global x : 0..9; thread T1 { if (x > 4) { @b skip; } @a skip; } THREAD",
    "top": "global x : 0..9; thread T1 { @a skip; } thread T2 { }",
}
STARTED = "lemma kept : low.T1 preserves x <= 4; lemma refined : low.T1 refines top.T1;"


def started(folder: Path, thread: str) -> Forge:
    programs = {alias: text.replace("THREAD", thread) for alias, text in STARTS.items()}
    return forge(folder, STARTED, **programs)


def by_itself(x: int) -> tuple[Change, Change, Change]:
    """What would refute the steps if T1 could start with this value of x."""
    values = fails("threads", "initially", "q0", {"x": x})
    shot = {"shared": {"x": x}, "threads": {"T1": {"at": "q0", "locals": {}}}}
    run = {"violation": {"thread": 0, "run": {"start": shot, "turns": [], "ending": "violated"}}}
    here, there = ({"at": "q0", "values": {f"{side}.x": x}} for side in ("conc", "abs"))
    after = {"at": "q1", "values": {"conc.x": x}}
    silent = {"edge": 0, "choices": {}, "after": after, "refusals": [], "exhausted": "enumerated", "beyond": []}
    shown = {**silent, "edge": 2, "after": {"at": "q2", "values": {"conc.x": x}}, "replies": []}
    last = {"concrete": after, "abstract": there, "move": {"step": shown}}
    first = {"concrete": here, "abstract": there}
    first |= {"move": {"step": {**silent, "replies": [{"moves": [], "then": {"position": 0}}]}}}
    play = {"alone": {"strategy": {"start": 1, "positions": [last, first]}}}
    return said(0, "refuted", values), said(0, "refuted", run), said(1, "refuted", play)


def test_threads_start_in_states_only_in_which_all_of_their_program_do(tmp_path: Path) -> None:
    forged = started(tmp_path, "thread T2 { local y : 0..4 = x; }")
    assert forged.ruling() == Accepted() and forged.verdicts == ["proved", "proved"]
    initially, violated, played = by_itself(5)
    rejected(forged.ruling(initially), "initially", "not values of its variables")
    rejected(forged.ruling(violated), "initial state")
    rejected(forged.ruling(played), "concrete initial state")


def test_where_it_is_not_known_how_the_others_start_nothing_is_refuted(tmp_path: Path) -> None:
    square = "automaton T2 { local y : 0..2; init y * y == x; location q0 initial; }"
    forged = started(tmp_path, square)

    def coarse(script: Any) -> None:
        script["programs"]["low"]["invariants"]["T1"] = {}
        for place in script["programs"]["low"]["threads"][0]["locations"].values():
            place["inv"] = "(and (<= 0 x) (<= x 9))"

    initially, violated, played = (both(coarse, change) for change in by_itself(5))
    for change in (initially, violated):
        rejected(forged.ruling(both(change, said(1, "unknown", None))), "the others can start")
    rejected(forged.ruling(both(said(0, "unknown", None), played)), "the others can start")
    alone = started(tmp_path, "thread T2 { local y : 0..9 = x; }")
    assert alone.verdicts == ["refuted", "refuted"] and alone.ruling() == Accepted()
    assert all(alone.ruling(change) == Accepted() for change in by_itself(5))


def test_that_values_are_there_does_not_depend_on_which_are_tried_first(tmp_path: Path) -> None:
    programs = {
        "low": "global u : 0..1; thread T1 { @a skip; } thread T2 { @b skip; }",
        "top": "global x : 0..2; thread T1 { @a skip; } thread T2 { @b skip; }",
    }
    steps = """
    lemma one : low.T1 refines top.T1 pre top.x <= 1;
    lemma two : low.T2 refines top.T2 pre top.x >= 1;
    theorem together : low refines top pre top.x <= 1 pre top.x >= 1 by parallel(one, two);
    """
    forged = forge(tmp_path, steps, **programs)
    assert forged.ruling() == Accepted() and forged.verdicts == ["proved"] * 3

    def apart(script: Any) -> None:
        for step, first in zip(script["steps"], ("0", "2"), strict=False):
            step["evidence"]["relation"]["openings"] = [{"abs.x": first}]

    assert forged.ruling(apart) == Accepted()
    evidence = fails("parallel", "initial coverage of the composition", "", {"conc.u": 0})
    assert isinstance(forged.ruling(both(apart, said(2, "refuted", evidence))), Rejected)


def test_threads_of_a_claim_start_together_whoever_else_there_is(tmp_path: Path) -> None:
    # T1 does not know that x is a square; both together do.
    program = """global x : 0..9; thread T1 { rely x' == x; @a skip; }
    automaton T2 { local y : 0..2; init y * y == x; location q0 initial { env x' == x; } }"""
    forged = forge(tmp_path, "lemma both : low.T1 || low.T2 preserves x != 5;", low=program)
    assert forged.ruling() == Accepted() and forged.verdicts == ["proved"]
    initially, violated, _ = by_itself(5)
    for change in (initially, violated):
        rejected(forged.ruling(change), "the others can start")


# ---------------------------------------------------------------- proved, though false


def same(names: tuple[str, ...], edges: tuple[tuple[str, int], ...], lemma: str = "true") -> Any:
    """The relation of locations of the same names, where each edge is answered by the one of its number."""
    answers = [{"concrete": q, "abstract": q, "edge": n, "paths": [{"edges": [n], "witnesses": {}}]} for q, n in edges]
    pairs = [{"concrete": q, "abstract": q, "lemmas": [lemma]} for q in names]
    return {"pairs": pairs, "answers": answers, "closure": dict.fromkeys(names, "true"), "openings": [{}]}


def test_declared_environments_are_not_followed_by_inferred_ones(tmp_path: Path) -> None:
    # Others may change x on the left; on the right there are no others.
    programs = {
        "low": "global x : 0..1 = 0; thread T1 { rely true; @a skip; } thread T2 { rely true; @b skip; }",
        "top": "global x : 0..1 = 0; thread T1 { @a skip; } thread T2 { @b skip; }",
    }
    steps = "lemma one : low.T1 refines top.T1; theorem whole : low refines top;"
    forged = forge(tmp_path, steps, **programs)
    assert forged.verdicts == ["unknown", "unknown"]

    def coarse(script: Any) -> None:
        for thread in script["programs"]["top"]["threads"]:
            for place in thread["locations"].values():
                place |= {"inv": "(and (<= 0 x) (<= x 1))", "env": "true"}

    relation = same(("q0", "q1", "exit"), (("q0", 0), ("q1", 1)))
    for evidence in ({"relation": relation}, {"pairs": [relation]}):
        change = both(coarse, said(0, "proved", evidence), said(1, "proved", {"pairs": [relation, relation]}))
        rejected(forged.ruling(change), "rule", "declares relies")


def test_claims_are_not_about_variables_that_a_certificate_makes_up(tmp_path: Path) -> None:
    # T2's step would change a ghost that nothing on the right changes; a state after it would not be related.
    programs = {
        "low": "global x : 0..1 = 0; thread T1 { if (x == 1) { @b skip; } } thread T2 { x := 1; }",
        "top": "global x : 0..1 = 0; thread T1 { if (x == 1) { skip; } } thread T2 { x := 1; }",
    }
    forged = forge(tmp_path, "lemma one : low.T1 refines top.T1;", **programs)
    assert forged.verdicts == ["unknown"]
    ranges = "(<= 0 x) (<= x 1)"

    def haunted(script: Any) -> None:
        for alias, program in script["programs"].items():
            for thread in program["threads"]:
                thread["ghosts"] = [{"name": "g", "sort": "Bool", "low": None, "high": None}]
                thread["start"] = ["(not g)"]
                for name, place in thread["locations"].items():
                    if thread["thread"] == "T1":
                        known = "(or g (= x 0))" if alias == "low" else "(not g)"
                        moved = "(or (= x |x'|) |g'|)" if alias == "low" else "(not |g'|)"
                        place |= {"inv": f"(and {ranges} {known})", "env": f"(and (or (not g) |g'|) {moved})"}
                    else:
                        inv = "(= x 0) (not g)" if name == "q0" else "(= x 1)" if alias == "low" else "(= x 1) (not g)"
                        place |= {"inv": f"(and {ranges} {inv})", "env": "(and (= x |x'|) (= g |g'|))"}
                if thread["thread"] == "T2" and alias == "low":
                    thread["edges"] = {"0": {"g": "true"}}

    relation = same(("q0", "q2", "exit"), (("q0", 0), ("q0", 1), ("q2", 3)), "(= conc.x 0)")
    relation["answers"][0]["paths"] = []
    change = both(haunted, said(0, "proved", {"relation": relation}))
    rejected(forged.ruling(change), "well-formed threads", "it has no variable g")


def test_a_start_is_answered_by_one_of_the_program_in_whatever_way_a_pair_is_shown(tmp_path: Path) -> None:
    # The left program starts with 1, the right one with 0 or 2, which only its other thread says.
    first = "automaton T1 { global x : 0..3; location q0 initial; location q1; edge q0 -> q1 @a(x) { x := x; } }"
    other = "automaton T2 { global x : 0..3; local l : int; init INIT; location q0 initial; }"
    programs = {
        "low": f"{first}\n{other.replace('INIT', 'x == 1 && l == 1')}",
        "top": f"{first}\n{other.replace('INIT', 'x == l * l && l != 1 && l != -1')}",
    }
    forged = forge(tmp_path, "lemma one : low.T1 refines top.T1;", **programs)
    assert "proved" not in forged.verdicts

    def coarse(script: Any) -> None:
        for program in script["programs"].values():
            program["invariants"] = {"T1": {}, "T2": {}}
            for place in program["threads"][0]["locations"].values():
                place |= {"inv": "(and (<= 0 x) (<= x 3))", "env": "(= x |x'|)"}

    relation = same(("q0", "q1"), (("q0", 0),))
    for evidence in ({"relation": relation}, {"pairs": [relation]}):
        rejected(forged.ruling(both(coarse, said(0, "proved", evidence))), "the others can start")


def test_a_condition_may_fail_whatever_became_of_the_steps_that_are_cited(tmp_path: Path) -> None:
    # The chains are not shown, but it is known what they are made of, and that one disturbs the other.
    program = "global x, y : 0..2 = 0; thread T1 { x := 1; } thread T2 { y := 1; }"
    steps = """
    lemma a1 : low.T1 refines mid.T1; lemma b1 : mid.T1 refines top.T1;
    lemma a2 : low.T2 refines mid.T2; lemma b2 : mid.T2 refines top.T2;
    lemma c1 : low.T1 refines top.T1 inv low.x == 0 by chain(a1, b1);
    lemma c2 : low.T2 refines top.T2 inv low.x == 0 by chain(a2, b2);
    theorem beside : low refines top inv low.x == 0 by parallel(c1, c2);
    """
    forged = forge(tmp_path, steps, **dict.fromkeys(("low", "mid", "top"), program))
    assert forged.verdicts[4:] == ["refuted", "refuted", "refuted"]
    assert forged.ruling() == Accepted()
