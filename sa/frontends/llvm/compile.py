"""Files of C as LLVM IR, by the user's clang."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from sa.base.diagnostic import InputError, error

#: Seconds that the compiler may take.
_SECONDS = 120.0

#: Text instead of bitcode, with places and the names of variables. What is compiled without optimisation may still be
#: optimised later.
_AS_TEXT = ("-g", "-S", "-emit-llvm", "-fno-discard-value-names", "-Xclang", "-disable-O0-optnone")


def compile_to(target: str, source: str, compiler: str, flags: Sequence[str], folder: str | None = None) -> None:
    """Write the IR of a file of C, compiled in a folder.

    Raises InputError where the compiler is no clang, or rejects the file.
    """
    _compiled(source, compiler, (*flags, "-o", target), folder)


def ir_of(source: str, compiler: str, flags: Sequence[str], folder: str | None = None) -> tuple[str, str]:
    """The same as text, and what the compiler says beside it. Raises InputError."""
    made = _compiled(source, compiler, (*flags, "-o", "-"), folder)
    return made.stdout, made.stderr


def _compiled(source: str, compiler: str, flags: Sequence[str], folder: str | None) -> subprocess.CompletedProcess[str]:
    if "clang" not in _run([compiler, "--version"]).stdout:
        hint = "name one with `--cc`: only clang writes LLVM IR"
        raise InputError((error("SA749", f"`{compiler}` is not clang", None, hint),))
    made = _run([compiler, *_AS_TEXT, *flags, source], folder)
    if made.returncode:
        said = made.stderr.strip()[:2000]
        raise InputError((error("SA749", f"`{compiler}` rejects `{source}`: {said}"),))
    return made


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
