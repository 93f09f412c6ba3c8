"""Each class of corruption of a certificate, with the obligation that finds it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sa.app.certificate import refinement_certificate, verification_certificate
from sa.app.certify import CertifyRequest, Choice, certify
from sa.app.refine import RefineRequest, refine
from sa.app.verify import VerifyRequest, verify
from sa.base.diagnostic import InputError
from sa.base.limits import Limits
from sa.certificates.document import digest
from sa.checker.judgement import worst
from sa.checker.ruling import Accepted, Rejected, Ruling, Undecided
from sa.engines.options import Options
from sa.engines.verify import Options as VerifyOptions
from tests.certificates.by_threads import by_threads
from tests.certificates.mutation import INVARIANTS

#: A loop whose bound is copied into a local first, which only a rely that keeps `n` allows.
ABSTRACT = "global x, n : int; thread A { rely x' == x RELY; while (x < n) { x := x + 1; } @end(x) skip; }"
CONCRETE = """
global x, n : int;
thread A { local k : int; rely x' == x RELY; k := n; while (x < k) { x := x + 1; } @end(x) skip; }
"""
#: A flag that keeps two threads apart; the proof needs to know where threads are.
LOCKED = """
global busy : bool = false;
thread A { await !busy { busy := true; } CS: skip; busy := false; }
thread B { await !busy { busy := true; } CS: skip; busy := false; }
invariant alone : !(at A.CS && at B.CS);
"""
#: One thread counts what the other waits for.
PAIR = (
    """
global x : 0..2 = 0;
thread A { x := 1; }
thread B { await x == 1; @go(x) skip; }
""",
    """
global x : 0..2 = 0;
thread A { skip; x := 1; }
thread B { local t : 0..2 = 0; await x == 1; t := x; @go(t) skip; }
""",
)

Change = Callable[[Any], None]


def _refined(folder: Path, abstract: str, concrete: str) -> Any:
    (folder / "abs.sa").write_text(abstract)
    (folder / "conc.sa").write_text(concrete)
    request = RefineRequest((str(folder / "abs.sa"), str(folder / "conc.sa")), False, Options(Limits()))
    return json.loads(refinement_certificate(str(folder / "c.json"), request, list(refine(request))))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Any]]:
    """Sources with their certificates."""
    made = {name: tmp_path_factory.mktemp(name) for name in ("proved", "refuted", "composed", "locked", "overtaken")}
    locked, overtaken = made["locked"] / "p.sa", made["overtaken"] / "p.sa"
    locked.write_text(LOCKED)
    overtaken.write_text(LOCKED.replace("await !busy { busy := true; }", "await !busy;"))
    found = {
        "proved": _refined(made["proved"], *(t.replace("RELY", "&& n' == n") for t in (ABSTRACT, CONCRETE))),
        "refuted": _refined(made["refuted"], *(t.replace(" RELY", "") for t in (ABSTRACT, CONCRETE))),
        "composed": _refined(made["composed"], *PAIR),
    }
    for name, file in (("locked", locked), ("overtaken", overtaken)):
        request = VerifyRequest(str(file), False, VerifyOptions(Limits(), 0, portfolio=INVARIANTS))
        found[name] = json.loads(verification_certificate(str(file.parent / "c.json"), request, verify(request)))
    first(found["locked"])["proofs"][0]["proof"] = by_threads()
    return {name: (made[name], document) for name, document in found.items()}


def ruling(folder: Path, document: Any, change: Change | None = None) -> Ruling:
    """What becomes of a changed certificate."""
    changed = json.loads(json.dumps(document))
    if change is not None:
        change(changed)
    (folder / "c.json").write_text(json.dumps(changed))
    return worst(certify(CertifyRequest(str(folder / "c.json"), None, Choice.Z3, False, Limits())))


def first(document: Any) -> Any:
    return document["questions"][0]


def relation(document: Any) -> Any:
    return first(document)["goals"][0]["relation"]


def positions(document: Any) -> Any:
    return first(document)["goals"][0]["play"]["strategy"]["positions"]


def keeps(document: Any) -> Any:
    return first(document)["proofs"][0]["proof"]["keeps"]


def annotation(document: Any) -> Any:
    return first(document)["composition"]["pairs"][1]["concrete"]


def test_without_a_change_all_of_them_are_accepted(folders: dict[str, tuple[Path, Any]]) -> None:
    for name, (folder, document) in folders.items():
        assert ruling(folder, document) == Accepted(), name
    assert "composition" in first(folders["composed"][1])
    assert keeps(folders["locked"][1])["threads"][0]["ghosts"]


def _drop_lemmas(document: Any) -> None:
    for pair in relation(document)["pairs"]:
        pair["lemmas"] = []


def _put(path: Callable[[Any], Any], key: str | int, value: Any) -> Change:
    def change(document: Any) -> None:
        path(document)[key] = value

    return change


def _exchange_places(document: Any) -> None:
    one, other = relation(document)["pairs"][-2:]
    one["concrete"], other["concrete"] = other["concrete"], one["concrete"]


def _false_where_lemmas_are(document: Any) -> None:
    relation(document)["pairs"][-1]["lemmas"].append("false")


def _narrow_closures(document: Any) -> None:
    closure = relation(document)["closure"]
    relation(document)["closure"] = {q: f"(and {t} (= |abs.n'| 0))" for q, t in closure.items()}


def _stay_instead(document: Any) -> None:
    for answer in relation(document)["answers"]:
        answer["paths"] = [{"edges": [], "witnesses": {}}]


def _no_answers(document: Any) -> None:
    for answer in relation(document)["answers"]:
        answer["paths"] = []


def _one_value(document: Any) -> None:
    positions(document)[0]["concrete"]["values"]["conc.x"] += 1


def _no_replies(document: Any) -> None:
    for position in positions(document):
        if "step" in position["move"]:
            position["move"]["step"]["replies"] = []


def _another_obstacle(document: Any) -> None:
    for position in positions(document):
        for refusal in position["move"].get("step", {}).get("refusals", ()):
            refusal["obstacle"] = "invariant"


def _in_a_circle(document: Any) -> None:
    for number, position in enumerate(positions(document)):
        if "environment" in position["move"]:
            position["move"]["environment"]["then"] = number


def _wider_environment(document: Any) -> None:
    for place in first(document)["composition"]["pairs"][1]["abstract"]["locations"].values():
        place["env"] = "true"


def _narrower_environment(document: Any) -> None:
    for place in annotation(document)["locations"].values():
        place["env"] = "(= |x'| x)"


def _false_invariants(document: Any) -> None:
    for place in annotation(document)["locations"].values():
        place["inv"] = "false"


CASES: list[tuple[str, str, Change, str]] = [
    ("proved", "dropped lemmas", _drop_lemmas, "step"),
    ("proved", "strengthened Ψ", _false_where_lemmas_are, "step"),
    ("proved", "weakened environment", _narrow_closures, "closure contains the environment"),
    ("proved", "wrong answers", _stay_instead, "well-formed evidence"),
    ("proved", "no answers", _no_answers, "step"),
    ("proved", "swapped locations", _exchange_places, "well-formed evidence"),
    ("proved", "changed verdict", _put(first, "verdict", "refuted"), "well-formed certificate"),
    ("proved", "evidence left out", _put(lambda d: first(d)["goals"], 0, None), "well-formed certificate"),
    ("proved", "another edge", _put(lambda d: relation(d)["answers"][0], "edge", 1), "well-formed evidence"),
    ("proved", "an unknown name", _put(lambda d: relation(d)["closure"], "q0", "secret"), "well-formed certificate"),
    ("proved", "a question more", lambda d: d["questions"].append(first(d)), "well-formed certificate"),
    ("proved", "another command", _put(lambda d: d, "command", "verify"), "well-formed certificate"),
    ("proved", "sides exchanged", lambda d: d["files"].reverse(), "well-formed certificate"),
    ("proved", "another source's hash", _put(lambda d: d["sources"], "abs.sa", "0" * 64), "sources"),
    ("proved", "hash left out", lambda d: d["sources"].pop("abs.sa"), "sources"),
    ("refuted", "changed value", _one_value, "outcome"),
    ("refuted", "answers left out", _no_replies, "all answers"),
    ("refuted", "a circle", _in_a_circle, "well-formed certificate"),
    ("refuted", "another reason", _another_obstacle, "refusal"),
    ("refuted", "changed verdict", _put(first, "verdict", "proved"), "well-formed certificate"),
    ("composed", "narrower environment", _narrower_environment, "compatible"),
    ("composed", "wider environment", _wider_environment, "closure contains the environment"),
    ("composed", "false invariants", _false_invariants, "initial invariant"),
    ("composed", "a thread left out", lambda d: first(d)["composition"]["pairs"].pop(), "well-formed certificate"),
    (
        "locked",
        "dropped invariant",
        _put(lambda d: keeps(d)["threads"][0]["locations"]["CS"], "inv", "true"),
        "inductive invariant",
    ),
    ("locked", "no proof", _put(first, "proofs", []), "evidence"),
    (
        "locked",
        "another claim",
        _put(lambda d: first(d)["claims"][0], "claim", "invariant x"),
        "well-formed certificate",
    ),
    ("locked", "witnesses left out", _put(lambda d: keeps(d)["never"][0], "witnesses", []), "claim"),
    ("overtaken", "a step left out", lambda d: first(d)["runs"][0]["run"]["turns"].pop(), "end"),
    ("overtaken", "another ending", _put(lambda d: first(d)["runs"][0]["run"], "ending", "stopped"), "end"),
    ("overtaken", "no run", _put(first, "runs", []), "evidence"),
]


@pytest.mark.parametrize(("name", "what", "change", "obligation"), CASES)
def test_a_corruption_is_rejected(
    folders: dict[str, tuple[Path, Any]], name: str, what: str, change: Change, obligation: str
) -> None:
    folder, document = folders[name]
    found = ruling(folder, document, change)
    assert isinstance(found, Rejected), what
    assert found.obligation == obligation, found


def ghosts(document: Any, *, name: str = "g", start: str = "(= g 0)", other: str = "(= g 0)") -> None:
    """Give both threads a ghost."""
    for thread, said in zip(keeps(document)["threads"], (start, other), strict=True):
        thread["ghosts"].append({"name": name, "sort": "Int", "low": None, "high": None})
        thread["start"].append(said)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: ghosts(d, other="(= g 1)"),
        lambda d: ghosts(d, start="(= (mod g 2) 5)"),
        lambda d: ghosts(d, start="(= (* g g) 2)"),
        lambda d: ghosts(d, start="(<= g 0)"),
        lambda d: ghosts(d, start="false"),
        lambda d: ghosts(d, name="A.t", start="(= A.t 0)", other="(= A.t 0)"),
        lambda d: ghosts(d, name="busy"),
        lambda d: ghosts(d, name="g'"),
    ],
    ids=["two beginnings", "no number", "no root", "no value", "false", "a local's name", "a global's name", "a prime"],
)
def test_ghosts_cannot_make_a_program_that_never_begins(folders: dict[str, tuple[Path, Any]], change: Change) -> None:
    """From initial states that do not exist anything follows."""
    folder, document = folders["locked"]
    assert isinstance(ruling(folder, document, change), Rejected)
    assert ruling(folder, document, ghosts) == Accepted()


def test_axioms_that_contradict_each_other_prove_nothing(tmp_path: Path) -> None:
    texts = [t.replace("RELY", "&& n' == n") for t in (ABSTRACT, CONCRETE)]
    document = _refined(tmp_path, *texts)
    for name, text in zip(("abs.sa", "conc.sa"), texts, strict=True):
        wrong = f"function f(int) : int; axiom forall a : int :: f(a) == a && f(a) == a + 1; {text}"
        (tmp_path / name).write_text(wrong)
        document["sources"][name] = digest(wrong)
    assert ruling(tmp_path, document) == Rejected("axioms", "they contradict each other")


def test_a_written_invariant_that_cuts_steps_proves_nothing(tmp_path: Path) -> None:
    """Without the step to 1 nothing but 0 is ever shown; the engine refuses such programs."""
    text = """
    automaton A {
      global x : int = 0;
      location a initial { inv INV; env unchanged x; }
      location b { env unchanged x; }
      edge a -> a { x := 1; }
      edge a -> b @shown when x == 0 { }
    }
    """
    sources = [text.replace("INV", "true").replace("x := 1", "x := 0"), text.replace("INV", "true")]
    document = _refined(tmp_path, sources[0], sources[0])
    cut = text.replace("INV", "x == 0")
    (tmp_path / "conc.sa").write_text(cut)
    document["sources"]["conc.sa"] = digest(cut)
    found = ruling(tmp_path, document)
    assert isinstance(found, Rejected)
    assert found.obligation == "written invariant"
    with pytest.raises(InputError):
        _refined(tmp_path, sources[0], cut)


def test_a_source_that_changed_is_another_text(folders: dict[str, tuple[Path, Any]]) -> None:
    folder, document = folders["proved"]
    text = (folder / "conc.sa").read_text()
    (folder / "conc.sa").write_text(text + "// a remark\n")
    found = ruling(folder, document)
    (folder / "conc.sa").write_text(text)
    assert isinstance(found, Rejected)
    assert (found.obligation, found.where) == ("sources", "conc.sa")


@pytest.mark.parametrize("part", [0, 1, 100, -1])
def test_a_truncated_certificate_is_none(folders: dict[str, tuple[Path, Any]], part: int) -> None:
    folder, document = folders["proved"]
    text = json.dumps(document)
    (folder / "c.json").write_text(text[: part if part >= 0 else len(text) // 2])
    with pytest.raises(InputError) as wrong:
        certify(CertifyRequest(str(folder / "c.json"), None, Choice.Z3, False, Limits()))
    assert wrong.value.diagnostics[0].code == "SA910"


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "null",
        '{"format": "something else"}',
        '{"format": 1}',
        '{"format": "sacheck-certificate/2"}',
        '{"format": "sacheck-certificate/1"}',
        '{"format": "sacheck-certificate/1", "format": "sacheck-certificate/1"}',
        "[" * 100_000,
        "9" * 10_000,
        "1e400",
        "NaN",
    ],
    ids=lambda text: text[:30],
)
def test_other_files_are_no_certificates(tmp_path: Path, text: str) -> None:
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(InputError) as wrong:
        certify(CertifyRequest(str(tmp_path / "c.json"), None, Choice.Z3, False, Limits()))
    assert wrong.value.diagnostics[0].code == "SA910"


@pytest.mark.parametrize("name", ["../abs.sa", "/abs.sa", "a/../abs.sa", "", "C:\\abs.sa", "a\\b"])
def test_a_certificate_names_no_file_outside_of_its_folder(folders: dict[str, tuple[Path, Any]], name: str) -> None:
    folder, document = folders["proved"]

    def change(changed: Any) -> None:
        changed["sources"][name] = changed["sources"].pop("abs.sa")

    with pytest.raises(InputError) as wrong:
        ruling(folder, document, change)
    assert wrong.value.diagnostics[0].code == "SA910"


def test_an_unknown_verdict_is_not_settled(folders: dict[str, tuple[Path, Any]]) -> None:
    folder, document = folders["proved"]

    def change(changed: Any) -> None:
        changed["questions"][0] = {"verdict": "unknown", "goals": [None]}

    assert isinstance(ruling(folder, document, change), Undecided)


@pytest.mark.parametrize("count", [60, pytest.param(500, marks=pytest.mark.fuzz)])
def test_damaged_text_is_rejected_or_no_certificate_and_never_a_bug(
    folders: dict[str, tuple[Path, Any]], count: int
) -> None:
    rng = Random(count)
    for name, (folder, document) in folders.items():
        text = json.dumps(document)
        for _ in range(count):
            damaged = text
            for _ in range(rng.choice((1, 1, 3))):
                at, length = rng.randrange(len(damaged)), rng.choice((0, 1, 1, 8))
                piece = rng.choice(("", "0", "-", "9" * 30, '"', "{", "[", "true", "null", "(", ")", "|", "\x00", "é"))
                damaged = damaged[:at] + piece + damaged[at + length :]
            (folder / "c.json").write_text(damaged)
            assert _end(folder / "c.json") <= {"SA910", "SA912", "SA015", "judged"}, name


def _end(path: Path) -> set[str]:
    """The codes of what is wrong with a certificate as a file; `judged` if nothing is."""
    try:
        worst(certify(CertifyRequest(str(path), None, Choice.Z3, False, Limits())))
    except InputError as wrong:
        return {d.code for d in wrong.diagnostics}
    return {"judged"}
