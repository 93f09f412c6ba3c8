"""What engines were called up to release 0.1: `--engine` takes these names for one more release, with a note."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: Of `verify`.
OF_CLAIMS: Mapping[str, str] = MappingProxyType(
    {
        "claims": "houdini:candidates=claims",
        "intervals": "abstract-interpretation:domain=intervals",
        "boxes": "abstract-interpretation:domain=boxes",
        "preconditions": "houdini:candidates=preconditions",
        "states": "explicit-state",
        "far-states": "explicit-state:search=beam",
        "more-states": "explicit-state:effort=much",
        "control": "chc:encoding=control-points",
        "elements": "chc:encoding=control-points,domain=arrays",
        "equalities": "abstract-interpretation:domain=equalities",
        "candidates": "abstract-interpretation:domain=predicates",
        "alternatives": "abstract-interpretation:domain=disjunctions",
        "more-equalities": "abstract-interpretation:domain=disjunctions,effort=much",
        "growing": "reduction:transform=unbounded-counters",
        "coordinates": "chc:encoding=control-points,variables=remainders",
        "rings": "abstract-interpretation:domain=segments",
        "quick-coordinates": "abstract-interpretation:domain=equalities,variables=remainders",
        "tests": "abstract-interpretation:domain=equalities,partition=tests",
        "quick-tests": "abstract-interpretation:domain=equalities,partition=tests,effort=little",
        "more-control": "chc:encoding=control-points,effort=much",
        "conjunctions": "houdini",
        "products": "houdini:candidates=products",
        "sums": "houdini:candidates=sums",
        "more-sums": "houdini:candidates=sums,effort=much",
        "learned": "ice",
        "more-learned": "ice:candidates=derived",
        "bounded": "bmc",
        "quick-bounded": "bmc:effort=little",
        "ending-states": "explicit-state:search=ending-loops",
        "ownership": "reduction:transform=owners",
        "reduction": "reduction",
        "conjunctions-apart": "houdini:encoding=threads",
        "counts": "houdini:candidates=counts",
        "few-states": "explicit-state:copies=few",
    }
)

#: Of `refine`.
OF_GOALS: Mapping[str, str] = MappingProxyType(
    {
        "start": "simulation:states=initial",
        "first-answers": "simulation:answers=first",
        "some-states": "explicit-state:effort=little",
        "late-points": "simulation:control=flags,answers=late,effort=little",
        "quick-points": "simulation:control=flags,effort=little",
        "few-states": "explicit-state:effort=least",
        "quick-values": "game:effort=little",
        "quick-guesses": "game:moves=guessed,effort=little",
        "meanings": "game:functions=simple",
        "arrays": "simulation:functions=arrays",
        "values": "game",
        "likely-answers": "simulation:answers=likely",
        "late-answers": "simulation:answers=late",
        "states": "explicit-state",
        "walks": "random-walks",
        "guesses": "game:moves=guessed",
        "long-walks": "random-walks:effort=much",
        "strategy": "simulation:answers=taught",
        "points": "simulation:control=flags",
        "samples": "simulation:lemmas=sampled",
        "bounded": "bmc",
        "short-answers": "simulation:answers=short",
        "trials": "random-walks:values=any",
        "horn": "chc",
        "long-guesses": "game:moves=guessed,effort=much",
        "long-answers": "simulation:answers=long",
    }
)
