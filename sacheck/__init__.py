"""The package `sa` by the name of its command: `import sacheck`, `python -m sacheck`."""

from sa import __version__
from sa.api import (
    Answer,
    Asked,
    File,
    InputError,
    Reason,
    Verdict,
    batch,
    certify,
    generate,
    load,
    prove,
    refine,
    verify,
    weakest_rely,
)

__all__ = [
    "Answer",
    "Asked",
    "File",
    "InputError",
    "Reason",
    "Verdict",
    "__version__",
    "batch",
    "certify",
    "generate",
    "load",
    "prove",
    "refine",
    "verify",
    "weakest_rely",
]
