"""Random refinement questions about families of any number, over few values, and the same with so many copies.

The texts with so many copies are ordinary programs: who judges them need not know what families of any number are.
Some units of a concrete copy do what the abstract ones do in more steps, some only where nobody disturbs them, some
never; identities are compared, shown, and now and then tested like numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from msgspec import Struct

#: Units of the abstract side, each with what may stand for it on the concrete side. `ID` is the copy's identity.
_UNITS: tuple[tuple[str, ...], ...] = (
    (
        "x := (x + 1) % 3;",
        "ok := false; while (!ok) { r := x; ok := cas(x, r, (r + 1) % 3); }",
        "await o == 0 { o := ID; } r := x; x := (r + 1) % 3; o := 0;",
        "ok := true; while (ok) { ok := exchange(l, true); } r := x; x := (r + 1) % 3; l := false;",
        "r := x; x := (r + 1) % 3;",
        "r := x; await x == r { x := (r + 1) % 3; }",
    ),
    ("x := V;", "r := V; x := r;", "if (x != V) { x := V; }", "x := V; x := V;", "atomic { r := x; x := V; }"),
    ("await b { b := false; }", "ok := false; while (!ok) { ok := cas(b, true, false); }", "await b; b := false;"),
    ("b := true;", "if (!b) { b := true; }", "b := true; b := true;"),
    ("@a(x) skip;", "r := x; @a(r) skip;", "r := x; if (r == x) { @a(r) skip; } else { @a(x) skip; }", "@a(V) skip;"),
    ("await o == 0 { o := ID; }", "ok := false; while (!ok) { ok := cas(o, 0, ID); }", "await o == 0; o := ID;"),
    (
        "await o == ID { o := 0; }",
        "if (o == ID) { o := 0; } else { await false; }",
        "o := 0;",
        "await o != 0 { o := 0; }",
    ),
    ("@me(ID) skip;", "r := ID; @me(r) skip;", "@me(o) skip;", "@me(V) skip;"),
    ("if (ID == 1) { x := V; }", "skip; if (ID == 1) { x := V; }", "if (ID == 2) { x := V; }", "x := V;"),
    ("await o != ID { x := V; }", "await o != ID; x := V;", "await o == 0 { x := V; }"),
    ("havoc b;", "b := true;", "b := !b;", "havoc b; havoc b;"),
    ("skip;", "r := x; r := 0;", "await true;", "b := b;"),
    ("await x == V { b := true; }", "await x == V; b := true;", "r := x; await r == V; b := true;"),
    ("choose { x := V; } or { b := false; }", "x := V;", "b := false;", "choose { b := false; } or { x := V; }"),
)

_RELATED = ("", "", "", "relate x;", "relate x, b;", "relate x, b, o;", "relate x; inv conc.o == abs.o;")


class FamilyPair(Struct, frozen=True):
    """The shared part, families by name with an abstract and a concrete body each, and threads of both sides."""

    shared: str
    families: tuple[tuple[str, str, str], ...]
    others: tuple[str, str]
    block: str

    def texts(self) -> tuple[str, str]:
        """The abstract and the concrete program with any number of copies, the concrete one with the block."""
        return self._side(0, None), f"{self._side(1, None)}\n{self.block}"

    def with_copies(self, counts: Sequence[int]) -> tuple[str, str]:
        """Ordinary programs with so many copies of each family."""
        return self._side(0, counts), f"{self._side(1, counts)}\n{self.block}"

    def _side(self, which: int, counts: Sequence[int] | None) -> str:
        made, first = list[str](), 1
        for place, (name, *bodies) in enumerate(self.families):
            count = None if counts is None else counts[place]
            bounds = "*" if count is None else f"{first}..{first + count - 1}"
            own = "local r : int = 0; local ok : bool = false;"
            body = bodies[which].replace("ID", "i")
            if count != 0:
                made.append(f"thread {name}[i : {bounds}] {{ {own} {body} }}")
            first += count or 0
        if not made and not self.others[0]:
            made.append("thread Nobody { skip; }")
        shared = f"{self.shared} global l : bool = false;" if which else self.shared
        return "\n".join((shared, self.others[which], *made))


def random_family_pair(seed: int) -> FamilyPair:
    """The question of a seed."""
    rng = Random(f"family pair {seed}")
    shared = f"global x : int = {rng.randint(0, 2)}; global b : bool = {rng.choice(('true', 'false'))};"
    shared += " global o : int = 0;"
    names = ("T", "S") if rng.random() < 0.15 else ("T",)
    families = tuple((name, *_bodies(rng, rng.choice((1, 1, 2, 2, 3)), True)) for name in names)
    others = ("", "")
    if rng.random() < 0.35:
        own = "local r : int = 0; local ok : bool = false;"
        bodies = _bodies(rng, rng.choice((1, 2)), False)
        others = (f"thread U {{ {own} {bodies[0]} }}", f"thread U {{ {own} {bodies[1]} }}")
    said = rng.choice(_RELATED)
    silent = "silent exit;" if rng.random() < 0.5 else ""
    return FamilyPair(shared, families, others, f"refinement asked {{ {said} {silent} }}")


def _bodies(rng: Random, length: int, own: bool) -> tuple[str, str]:
    """An abstract and a concrete body; threads that are there once have -1 for an identity."""
    abstract, concrete = list[str](), list[str]()
    careless = rng.random() < 0.2
    for _ in range(length):
        unit = rng.choice(_UNITS)
        value = str(rng.randint(0, 2))
        other = str(rng.randint(0, 2)) if careless and rng.random() < 0.3 else value
        abstract.append(unit[0].replace("V", value))
        chosen = (
            unit[0]
            if rng.random() < 0.35
            else rng.choice(unit[1:] if careless else unit[1:3] if len(unit) < 6 else unit[1:4])
        )
        concrete.append(chosen.replace("V", other))
    if careless and rng.random() < 0.3:
        concrete.insert(rng.randint(0, length), rng.choice(_UNITS)[0].replace("V", "1"))
    made = [" ".join(units) if own else " ".join(units).replace("ID", "-1") for units in (abstract, concrete)]
    if rng.random() < 0.3:
        made = [f"while (*) {{ {m} }}" for m in made]
    return made[0], made[1]
