"""A script's surroundings: programs that it imports, written to a folder."""

from __future__ import annotations

from pathlib import Path

GCD = """\
param A, B : int;
global a : int = A;
global b : int = B;
function gcd(int, int) : int;
axiom forall x : int :: gcd(x, x) == x;
"""
ABSTRACT = (
    GCD
    + """\
global f : bool[2];
thread T1 { local m : int = 0; CS: a := a - b; }
thread T2 { local n : int = 0; b := b - a; }
"""
)
CONCRETE = (
    GCD
    + """\
global f : bool[2];
global k : 0..3;
enum Phase { Early, Late }
global phase : Phase;
const N = 5;
define larger(p) = p > N;
define going = larger(a);
thread T1 { local m : int = 0; local x : int = 0; local seen : bool[2]; x := b; a := a - x; }
thread T2 { local n : int = 0; local x : int = 0; x := a; b := b - x; }
"""
)
FAMILY = "global a : int; global b : int; thread T[i : 1..2] { local m : int; a := i; }"
OTHER = "global g : int; thread U { skip; } thread V { skip; }"
IMPORTS = 'import "abs.sa" as abs;\nimport "conc.sa" as conc;\n'


def write(folder: Path, text: str, **files: str) -> str:
    """Write a script and the programs that it may import; the script's path."""
    named = {"abs": ABSTRACT, "conc": CONCRETE, "family": FAMILY, "other": OTHER, "script": text} | files
    for name, content in named.items():
        (folder / f"{name}.sa").write_text(content, encoding="utf-8")
    return str(folder / "script.sa")
