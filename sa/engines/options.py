"""What a caller may ask of `refine` beyond the two programs."""

from __future__ import annotations

from msgspec import Struct, field

from sa.base.cache import Cache
from sa.base.limits import Limits
from sa.engines.runner import Reports
from sa.engines.tried import Diary


class Options(Struct, frozen=True):
    """`whole` asks for the game on the two products; `jobs` changes time only, `seed` only which proof is found.

    `plays_first`: refutations are looked for before anything else.

    Evidence that was found before is taken from the `cache`, and put there. Only the named `engines` are asked, if any
    are named; they tell `reports` what they are at. The `diary` says which were asked, and how far they came.
    """

    limits: Limits
    seed: int = 0
    jobs: int = 1
    whole: bool = False
    plays_first: bool = False
    cache: Cache | None = None
    engines: tuple[str, ...] = ()
    reports: Reports | None = None
    diary: Diary = field(default_factory=Diary)
