"""Finite proof scripts with their programs: each sort of evidence, the rejected scripts of specs/, random ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from tests.scripts.scripts import random_script

REJECTED = Path(__file__).parent.parent.parent / "specs" / "proofs" / "rejected"


class Finite(Struct, frozen=True):
    """The text of a script and those of its programs by alias.

    `enumerated` says that invariants of whole programs are to be shown by all states that these can reach.
    """

    name: str
    script: str
    programs: Mapping[str, str]
    enumerated: bool = False
    by_states: bool = False

    def write(self, folder: Path) -> Path:
        """Write the files and return the script's."""
        for alias, text in self.programs.items():
            (folder / f"{alias}.sa").write_text(text, encoding="utf-8")
        imports = "".join(f'import "{alias}.sa" as {alias};\n' for alias in self.programs)
        (folder / "script.sa").write_text(imports + self.script, encoding="utf-8")
        return folder / "script.sa"


_COUNT = "global x : 0..2 = 0; thread T1 { if (x < 2) { x := x + 1; } @a skip; } thread T2 { await x == 1; @b skip; }"
_READS = """global x : 0..2 = 0; thread T1 { local t : 0..2 = 0; t := x; if (t < 2) { x := t + 1; } @a skip; }
thread T2 { await x == 1; skip; @b skip; }"""
_KEEPS = "global x : 0..2; thread T { rely x' == x || x' == 2; @a(x) skip; }"
_LOCKED = """global busy : bool = false; global x : 0..1 = 0;
thread T1 { local a : bool = false; await !busy { busy := true; } x := 0; a := true; a := false; busy := false; }
thread T2 { local b : bool = false; await !busy { busy := true; } x := 1; b := true; b := false; busy := false; }"""
_SUMS = """global n, s : 0..4 = 0;
thread A { local t : 0..4 = 0; atomic { n := n + 1; t := t + 1; } atomic { s := s + 1; t := t + 1; } }
thread B { local t : 0..4 = 0; atomic { n := n + 1; t := t + 1; } atomic { s := s + 1; t := t + 1; } }"""

#: A script for each sort of evidence, named after it.
WRITTEN = (
    Finite(
        "relation, play, alone",
        """lemma one : low.T refines top.T; lemma wrong : low.T refines other.T; lemma alone : more.T1 refines less.T1;
        lemma late : low.T refines top.T inv low.x != 1;""",
        {
            "low": _KEEPS.replace("skip", "skip; skip"),
            "top": _KEEPS,
            "other": _KEEPS.replace("x' == x || x' == 2", "x' == x"),
            "more": "thread T1 { @a skip; @b skip; } thread T2 { @c skip; }",
            "less": "thread T1 { @a skip; } thread T2 { @c skip; }",
        },
    ),
    Finite("pairs", "theorem whole : low refines top;", {"low": _READS, "top": _COUNT}),
    Finite(
        "relation and play of whole programs",
        "lemma whole : low refines top choose init; lemma wrong : top refines other;",
        {"low": _READS, "top": _COUNT, "other": _COUNT.replace("@b", "@c")},
    ),
    Finite(
        "parallel, refinements",
        """lemma one : low.T1 refines top.T1; lemma two : low.T2 refines top.T2;
        theorem both : low refines top by parallel(one, two); theorem found : low refines top by auto;""",
        {"low": _READS, "top": _COUNT},
    ),
    Finite(
        "chain",
        """lemma one : low refines mid; lemma two : mid refines top; theorem all : low refines top by chain(one, two);
        theorem less : low refines top inv low.x <= 1 by chain(one, two);""",
        {
            "low": "global x : 0..2 = 0; thread T { skip; x := x + 1; @a(x) skip; }",
            "mid": "global x : 0..2 = 0; thread T { x := x + 1; @a(x) skip; }",
            "top": "global x : 0..2; thread T { havoc x; @a(x) skip; }",
        },
    ),
    Finite(
        "chain among others",
        "lemma one : low.T refines mid.T; lemma two : mid.T refines top.T; theorem all : low.T refines top.T by auto;",
        {"low": _KEEPS.replace("@a", "skip; @a"), "mid": _KEEPS, "top": _KEEPS.replace("@a", "skip; @a")},
    ),
    Finite(
        "preservation",
        """lemma one : low.T refines top.T; lemma above : top.T preserves x >= 0 && x != 1;
        lemma below : low.T preserves x != 1 by preservation(one, above);
        lemma wrong : low.T preserves x == 0 by preservation(one, above);""",
        {n: _KEEPS.replace("0..2;", "0..2 = 0;") for n in ("low", "top")},
    ),
    Finite(
        "parallel, invariants; threads",
        """lemma one : low.T1 preserves x <= 2; lemma two : low.T2 preserves x <= 2;
        theorem both : low preserves x <= 2 by parallel(one, two); lemma each : low preserves x <= 2 by parallel;
        lemma less : low preserves x <= 1 by parallel(one, two);""",
        {"low": _READS.replace("0..2", "0..3")},
    ),
    Finite(
        "keeps; fails thread by thread",
        """lemma all : low preserves (T1.a ==> x == 0) && (T2.b ==> x == 1);
        lemma each : low preserves (T1.a ==> x == 0) && (T2.b ==> x == 1) by parallel;""",
        {"low": _LOCKED},
    ),
    Finite("never", "lemma sums : low preserves n + s == A.t + B.t;", {"low": _SUMS}, enumerated=True),
    Finite("states", "lemma sums : low preserves n + s == A.t + B.t;", {"low": _SUMS}, by_states=True),
    Finite(
        "joint",
        "lemma same : low preserves T1.t == T2.t || x == 0;",
        {
            "low": """global x : 0..2 = 0; thread T1 { rely x' == x; local t : 0..2 = 0; t := 0; }
            thread T2 { rely x' == x; local t : 0..2 = 0; t := 0; }"""
        },
    ),
    Finite(
        "violation",
        """lemma never : low preserves x != 2; lemma alone : low.T1 preserves x == 0;
        lemma first : low preserves x == 1;""",
        {"low": _READS},
    ),
    Finite(
        "functions",
        """function f(int) : int; axiom forall i : int :: f(i) >= 0; lemma one : low.T refines top.T;
        lemma fine : low.T preserves f(x) + x >= 0; lemma wrong : low.T preserves f(x) == 0;
        lemma above : top.T preserves f(x) + x >= 0 && x <= 2;
        lemma carried : low.T preserves f(x) + x >= 0 by preservation(one, above);
        lemma lost : low.T preserves f(x) <= 1 by preservation(one, above);""",
        {n: _KEEPS.replace("0..2;", "0..2 = 0;") for n in ("low", "top")},
    ),
)


def rejected() -> Iterator[Finite]:
    """The scripts of specs/proofs/rejected, their integers made finite."""
    for path in sorted(REJECTED.glob("*.sa")):
        text = path.read_text(encoding="utf-8")
        files = re.findall(r'^import "([^"]+)" as (\w+);$', text, re.MULTILINE)
        programs = {alias: (REJECTED / file).read_text(encoding="utf-8") for file, alias in files}
        finite = {alias: re.sub(r": int\b", ": 0..3", program) for alias, program in programs.items()}
        yield Finite(path.stem, re.sub(r"^import .*$", "", text, flags=re.MULTILINE), finite)


def random(seeds: Iterable[int]) -> Iterator[Finite]:
    """Random scripts about random programs."""
    for seed in seeds:
        made = random_script(seed)
        yield Finite(f"seed {seed}", re.sub(r"^import .*$", "", made.script, flags=re.MULTILINE), made.programs)
