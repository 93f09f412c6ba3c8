"""What is proved of the threads that a transform has made, as proofs about the threads as they are written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from sa.certificates.run import Bad
from sa.certificates.threads import Joint, Lemmas
from sa.question.asked import Excluded


class Made(Protocol):
    """What a transform has made."""

    def evidence(self, proof: Joint | Lemmas, bads: tuple[Bad, ...]) -> Joint | Lemmas:
        """A proof about the threads that were made as one about the written ones."""


def taken_back(
    made: Made, open_: dict[Bad, Bad], bads: tuple[Bad, ...], proof: Joint | Lemmas, how: str
) -> Iterator[Excluded]:
    """What of the written threads a proof excludes, which is open no longer. `open_` has what was made of each."""
    proved = tuple(bad for bad, moved in open_.items() if moved in bads)
    for bad in proved:
        del open_[bad]
    if proved:
        yield Excluded(proved, made.evidence(proof, proved), how)
