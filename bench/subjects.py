"""The rows of Table 1 (paper, Appendix A) and where their specs are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SPECS = Path(__file__).resolve().parent.parent / "specs"
PAPER = SPECS / "paper"
CLOSED = SPECS / "closed"


@dataclass(frozen=True, slots=True)
class Subject:
    """A folder of `specs/paper` and the seconds that the paper reports, one figure for each pair of threads."""

    folder: str
    paper_seconds: tuple[float, ...]


SUBJECTS = (
    Subject("gcd", (3.299, 2.709)),
    Subject("peterson", (0.937,)),
    Subject("invariant-hoisting", (1.661,)),
    Subject("strength-reduction", (156.518,)),
    Subject("induction-variable-elimination", (218.695,)),
    Subject("dead-code-elimination", (14.413,)),
    Subject("constant-folding", (5.481,)),
    Subject("if-optimization-1", (49.015,)),
    Subject("if-optimization-2", (48.997,)),
    Subject("cross-jumping", (415.490,)),
    Subject("branch-elimination", (19.412,)),
    Subject("loop-unrolling", (10.412,)),
)


def folders_with_pairs(root: Path) -> Iterator[Path]:
    """Every folder under `root` with an abstract and a concrete file, in order."""
    for concrete in sorted(root.rglob("conc.sa")):
        if (concrete.parent / "abs.sa").exists():
            yield concrete.parent


def twins_of(subject: Subject, root: Path = PAPER) -> tuple[Path, ...]:
    """The broken and fixed twins in the subject's folder."""
    own = root / subject.folder
    return tuple(folder for folder in folders_with_pairs(own) if folder != own)
