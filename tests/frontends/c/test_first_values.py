"""What memory has that nobody has written is chosen when it is read, which changes nothing that a claim speaks of."""

from __future__ import annotations

from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest

from sa.frontends.c.parsing import parsed
from sa.frontends.c.read import read
from sa.frontends.c.translate import unit_of
from sa.frontends.flow.claims import Asked
from sa.frontends.flow.program import accesses, program_of
from sa.frontends.reading import USUAL
from sa.language.reading.keywords import keywords
from tests.frontends.c.concurrent import COMPILER, failures

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler is installed")


def text(random: Random) -> str:
    """Two threads over an array of the first one, some of which is written before it is read."""
    bodies = [" ".join(_statement(random) for _ in range(random.randint(1, 4))) for _ in range(2)]
    functions = "".join(f"void *f{i}(void *arg) {{ _Bool *q = arg; {b} return 0; }}\n" for i, b in enumerate(bodies))
    place = random.choice(["_Bool q[3];", "_Bool *q = malloc(3 * sizeof(_Bool));"])
    first = random.choice(["", "q[0] = 0;", "for (int i = 0; i < 3; i++) q[i] = i & 1;", "q[x & 1] = 1;"])
    create = " ".join(f"pthread_create(&t[{i}], 0, f{i}, q);" for i in range(2))
    end = " ".join(_statement(random) for _ in range(2))
    return (
        "#include <pthread.h>\n#include <assert.h>\n#include <stdlib.h>\nint x, y; pthread_mutex_t m;\n"
        f"{functions}int main(void) {{ pthread_t t[2]; {place} {first} {create}\n"
        f"pthread_join(t[0], 0); pthread_join(t[1], 0); {end} }}\n"
    )


def _statement(random: Random) -> str:
    at = random.choice(["q[0]", "q[1]", "q[x & 1]", "*q", "q[y]", "q[2]"])
    other = random.choice(["q[0]", "q[1]", "q[y]", "q[1 + (x & 1)]"])
    return random.choice(
        [
            f"{at} = {random.choice(['0', '1', other, 'x'])};",
            f"x = {at};",
            f"y = {at} + {other};",
            f"if ({at}) y = 1; else x = {other};",
            f"assert({at} == {other});",
            f"assert({at} || !{at});",
            f"pthread_mutex_lock(&m); {at} = !{other}; x = {at}; pthread_mutex_unlock(&m);",
        ]
    )


@pytest.mark.parametrize(
    ("count", "seed"),
    [(20, 0), pytest.param(5_000, 2, marks=pytest.mark.fuzz)],
)
def test_choosing_first_values_when_they_are_read_is_choosing_them_at_once(
    tmp_path: Path, count: int, seed: int
) -> None:
    decided = 0
    for number in range(count):
        source = text(Random(f"{seed}-{number}"))
        path = tmp_path / "prog.c"
        path.write_text(source)
        given = read(str(path), USUAL)
        found = []
        for lazy in (True, False):
            unit, _ = unit_of(parsed(given), USUAL)
            with patch("sa.frontends.flow.program.accesses", lambda t, w, e, _, lazy=lazy: accesses(t, w, e, lazy)):
                found.append(failures(program_of(unit, given.source, keywords(), Asked())))
        if None not in found:
            assert found[0] == found[1], source
            decided += bool(found[0])
    assert decided > count * 0.2
