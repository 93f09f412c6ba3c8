"""Programs that were answered wrongly once: each is the smallest that shows the mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.engines.verification import within_bounds
from sa.engines.verify import Options, verify
from sa.frontends.load import load_program

HEAD = "#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\n#include <stdlib.h>\n"
NONDET = "extern int __VERIFIER_nondet_int(void);\n"

ARGUMENTS_BEFORE_THE_REGION = """atomic_int x;
void __VERIFIER_atomic_add(int v) { x = x + v; }
void *t(void *a) { __VERIFIER_atomic_add(x + 1); return 0; }
int main(void) {
  pthread_t p; pthread_create(&p, 0, t, 0); __VERIFIER_atomic_add(x + 1); pthread_join(p, 0); assert(x == 3);
}
"""
ATOMIC_ARITHMETIC_WRAPS = """atomic_int x = 2147483647;
void *t(void *a) { atomic_fetch_add(&x, 1); return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); assert(x > 0); }
"""
ONE_ROUND_ONLY = """int x;
void *t(void *a) { x++; assert(x == 1); return 0; }
int main(void) {
  pthread_t p; int c;
  do { pthread_create(&p, 0, t, 0); c = __VERIFIER_nondet_int(); c = c ? 1 : 2; } while (c == 0);
}
"""
JOIN_BESIDE_ANY_NUMBER = """int x;
void *t(void *a) { x++; assert(x == 1); x--; return 0; }
int main(void) {
  pthread_t p;
  while (__VERIFIER_nondet_int()) { pthread_create(&p, 0, t, 0); pthread_join(p, 0); }
}
"""
PLAIN_NUMBER_OF_BYTES = "int main(void) { int *c = malloc(4); if (!c) return 0; *c = 1; return 0; }\n"
HOLD = {
    "blocks side by side": "#include <string.h>\n"
    "int a[4] = {1, 2};\nint main(void) { memcpy(a + 2, a, 2 * sizeof(int)); memmove(a, a + 1, 2 * sizeof(int));"
    " assert(a[0] == 2 && a[2] == 1 && a[3] == 2); }\n",
    "other signedness": "int main(void) { int x = -1; unsigned *p = (unsigned *)&x; assert(*p == 4294967295u); }\n",
    "enumeration by its tag": "enum n { M = -1 };\nint main(void) { enum n y = 0; assert(y - 1 < 0); }\n",
    "extern inside": "int x = 1;\nint main(void) { int x = 2; { extern int x; x = 9; } assert(x == 2); }\n",
    "room for a long": "int main(void) { int *p = malloc(sizeof(long)); p[1] = 3; assert(p[1] == 3); }\n",
    "label of an error path": "int f(int x) { if (x) goto ERROR; return 0; ERROR: return -1; }\n"
    "int main(void) { assert(f(1) == -1); }\n",
    "own function of a known name": "int rand(void) { return 4; }\nint main(void) { assert(rand() == 4); }\n",
    "address as a number": "int main(void) { assert((unsigned long)(void *)-1 > 5); }\n",
    "alignment": "struct t { char c; long l; };\nint main(void) { assert(_Alignof(struct t) == 8); }\n",
    "claims that fold": "int main(void) { int x = 1; assert(x == 1); }\n",
}
FAIL = {
    "blocks that overlap": "#include <string.h>\n"
    "int a[4];\nint main(void) { memcpy(a, a + 1, 2 * sizeof(int)); assert(a[0] == 0); }\n",
    "blocks of a length that overlap": "#include <string.h>\n"
    "char a[4];\nint main(void) { int n = __VERIFIER_nondet_int(); if (n >= 0 && n < 3) memcpy(a + 1, a, n); }\n",
    "index in a structure": "struct { int a[2]; int b; } g;\n"
    "int main(void) { int i = __VERIFIER_nondet_int(); if (i >= 0 && i <= 2) g.a[i] = 1; }\n",
    "defined elsewhere": "extern int limit;\nint main(void) { assert(limit == 0); }\n",
    "structure in a list": "struct p { int x, y; };\nstruct q { struct p a; int b; };\n"
    "int main(void) { struct p s = {1, 2}; struct q v = {s, 3}; assert(v.b != 3 || v.a.y != 2); }\n",
}


def answer(folder: Path, text: str, seconds: float = 20.0) -> str:
    """The verdict, or the code of the error."""
    file = folder / "p.c"
    file.write_text(HEAD + NONDET + text)
    try:
        outcome = verify(load_program(str(file), families=True).program, Options(limits(seconds, None)))
        verdict = within_bounds(outcome).verdict
    except InputError as wrong:
        return wrong.diagnostics[0].code
    return "nothing" if verdict is None else verdict.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ARGUMENTS_BEFORE_THE_REGION, {"REFUTED"}),
        (ATOMIC_ARITHMETIC_WRAPS, {"REFUTED"}),
        (ONE_ROUND_ONLY, {"PROVED", "UNKNOWN"}),
        (JOIN_BESIDE_ANY_NUMBER, {"SA721", "PROVED", "UNKNOWN"}),
        (PLAIN_NUMBER_OF_BYTES, {"PROVED"}),
        *((text, {"PROVED"}) for text in HOLD.values()),
        *((text, {"REFUTED"}) for text in FAIL.values()),
    ],
    ids=["arguments", "wraps", "one round", "join", "bytes", *HOLD, *FAIL],
)
def test_what_was_answered_wrongly_is_not(tmp_path: Path, text: str, expected: set[str]) -> None:
    # Where it need not be known, it is the wrong answer that must not come.
    assert answer(tmp_path, text, 4.0 if "UNKNOWN" in expected else 20.0) in expected
