"""LLVM IR is compared function by function: a module by itself is no program."""

from __future__ import annotations

from typing import NoReturn

from sa.base.diagnostic import InputError, error


def load_program(path: str, split: bool = False) -> NoReturn:
    """Raises InputError."""
    hint = f"compare it with another module: `sacheck refine BEFORE.ll {path}`"
    raise InputError((error("SA748", f"`{path}` is LLVM IR, of which functions are compared", None, hint),))


load_script = load = load_program
