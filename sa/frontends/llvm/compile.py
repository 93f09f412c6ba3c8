"""Files of C as LLVM IR, by the user's clang."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from sa.base.diagnostic import InputError, error

#: Seconds that the compiler may take.
_SECONDS = 120.0

#: Text instead of bitcode, with the names of variables; without optimisation functions may still be optimised later.
_AS_TEXT = ("-S", "-emit-llvm", "-fno-discard-value-names", "-Xclang", "-disable-O0-optnone")


def compile_to(target: str, source: str, compiler: str, flags: Sequence[str], folder: str | None = None) -> None:
    """Write the IR of a file of C, compiled in a folder.

    Raises InputError where the compiler is no clang, or rejects the file.
    """
    if "clang" not in _run([compiler, "--version"]).stdout:
        hint = "name one with `--cc`: only clang writes LLVM IR"
        raise InputError((error("SA749", f"`{compiler}` is not clang", None, hint),))
    made = _run([compiler, *_AS_TEXT, *flags, source, "-o", target], folder)
    if made.returncode:
        said = made.stderr.strip()[:2000]
        raise InputError((error("SA749", f"`{compiler}` rejects `{source}`: {said}"),))


def _run(command: Sequence[str], folder: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            env=environment,
            errors="replace",
            cwd=folder,
        )
    except (OSError, subprocess.TimeoutExpired) as wrong:
        hint = "install clang, or name it with `--cc`"
        raise InputError((error("SA749", f"`{command[0]}` cannot be run: {wrong}", None, hint),)) from wrong
