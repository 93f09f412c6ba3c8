"""Programs without threads as gcc's address sanitizer judges them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.frontends.c.judge.machine import Fault
from tests.frontends.c.judge.printing import HEADERS, structure, text
from tests.frontends.c.judge.syntax import Program

COMPILER = shutil.which("gcc")
FLAGS = ("-w", "-g", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
OPTIONS = "detect_stack_use_after_return=1:detect_leaks=1:halt_on_error=1"
#: What the sanitizers say, and the fault that it is; the first that is found.
WORDS = (
    ("heap-use-after-free", Fault.USE_AFTER_FREE),
    ("attempting double-free", Fault.DOUBLE_FREE),
    ("attempting free on address which was not malloc()-ed", Fault.BAD_FREE),
    ("alloc-dealloc-mismatch (INVALID vs free)", Fault.BAD_FREE),
    ("stack-use-after-return", Fault.DEAD_VARIABLE),
    ("stack-use-after-scope", Fault.DEAD_VARIABLE),
    ("null pointer", Fault.POINTER),
    ("SEGV on unknown address", Fault.POINTER),
    ("BUS on unknown address", Fault.POINTER),
    ("Assertion", Fault.ASSERTION),
    ("detected memory leaks", Fault.LEAK),
)


#: Pointers that are left behind on the stack would count as reachable.
WIPE = "static void wipe(void) { volatile char all[65536]; for (int i = 0; i < 65536; i++) all[i] = 0; }\n"


def sanitized(programs: Sequence[Program], folder: Path) -> list[Fault | None]:
    """How each program ends, None where nothing is wrong; all have the same structure."""
    source = [HEADERS, structure(programs[0].fields)]
    source += [_renamed(p, number) for number, p in enumerate(programs)]
    cases = "".join(f"case {n}: return main_{n}();\n" for n in range(len(programs)))
    source.append(f"{WIPE}static int chosen(int n) {{ switch (n) {{\n{cases}}} return 0; }}\n")
    source.append("int main(int count, char **given) { int result = chosen(atoi(given[1])); wipe(); return result; }\n")
    path, binary = folder / "all.c", folder / "all"
    path.write_text("".join(source))
    assert COMPILER is not None
    made = subprocess.run([COMPILER, *FLAGS, str(path), "-o", str(binary)], check=False, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return [_judged(binary, n) for n in range(len(programs))]


def _renamed(program: Program, number: int) -> str:
    """The program without what all share, its names its own."""
    shown = text(program).removeprefix(HEADERS).removeprefix(structure(program.fields))
    names = "|".join([v.name for v in program.statics] + [f.name for f in program.functions])
    return re.sub(rf"(?<!->)\b({names})\b", rf"\1_{number}", shown)


def _judged(binary: Path, number: int) -> Fault | None:
    environment = {**os.environ, "ASAN_OPTIONS": OPTIONS}
    done = subprocess.run(
        [str(binary), str(number)], check=False, capture_output=True, text=True, timeout=60, env=environment
    )
    if done.returncode == 0:
        return None
    found = [(done.stderr.find(words), fault) for words, fault in WORDS if words in done.stderr]
    assert found, done.stderr
    return min(found, key=lambda f: f[0])[1]
