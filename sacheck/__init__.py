"""The package `sa` by the name of its command: `import sacheck`, `python -m sacheck`."""

from sa import __version__
from sa.api import Answer, File, InputError, Reason, Verdict, certify, generate, load, prove, refine, verify

__all__ = [
    "Answer",
    "File",
    "InputError",
    "Reason",
    "Verdict",
    "__version__",
    "certify",
    "generate",
    "load",
    "prove",
    "refine",
    "verify",
]
