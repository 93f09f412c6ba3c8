"""Techniques under the names that the literature gives them, with parameters; how users pick engines by them.

An engine of a portfolio is a technique with the values of its parameters. Its name says both, as in
`abstract-interpretation:domain=boxes`. Whoever names a technique alone, or some of its parameters, means all engines
that fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from msgspec import Struct

from sa.base.diagnostic import Diagnostic, InputError, error


class Technique(Struct, frozen=True):
    """A technique: its `name`, one sentence about it, and what each value of each of its parameters says in words."""

    name: str
    about: str
    parameters: Mapping[str, Mapping[str, str]] = {}


_EFFORT = {"least": "at a glance", "little": "briefly", "much": "with more patience"}

_VARIABLES = {"remainders": "in remainders and differences, which say how ring buffers and ticket locks count"}

EXPLICIT_STATE = Technique(
    "explicit-state",
    "visits states one by one, with partial-order reduction",
    {
        "effort": _EFFORT,
        "search": {
            "beam": "states that come closer to a claim first, where values grow",
            "ending-loops": "joint blocks of the threads, where all loops end soon",
            "preemptions": "long runs of threads and copies with at most 3 preemptions (context bounding)",
            "random": "long runs of many threads, which of them moves chosen at random",
            "inclusion": "short runs on few values with the sets of abstract states that match them, best first",
        },
        "copies": {"few": "1, 2, 3 copies of each family, for refutations alone"},
    },
)
ABSTRACT_INTERPRETATION = Technique(
    "abstract-interpretation",
    "computes invariants in abstract domains, thread by thread or at control points",
    {
        "domain": {
            "intervals": "intervals at each thread's locations, with the interferences of the others",
            "boxes": "bounds of variables, thread by thread, with inferred environments (Algorithm 1)",
            "polyhedra": "linear inequalities, each thread in the environment of the threads that it needs",
            "equalities": "equations and differences between variables, at control points",
            "predicates": "equations, the program's tests and claims, and orders of numbers, at control points",
        },
        "variables": _VARIABLES,
    },
)
CHC = Technique(
    "chc",
    "solves constrained Horn clauses for invariants or relations (Spacer)",
    {
        "encoding": {
            "control-points": "an invariant for each control point",
            "environment": "all copies together are one thread, which may do at any time what some copy may do",
        },
        "domain": {"arrays": "elements of arrays are spoken of by their index"},
        "variables": _VARIABLES,
    },
)
HOUDINI = Technique(
    "houdini",
    "keeps the largest inductive subset of candidate formulas: the program's tests and assignments unless said",
    {
        "candidates": {
            "claims": "the claims alone",
            "preconditions": "the claims and their weakest preconditions along a few steps",
            "sums": "sums of non-linear terms that loops compute too",
            "counts": "weakest preconditions and the numbers of copies at locations too, for families",
        },
        "encoding": {"threads": "each thread and each copy by itself, for families"},
        "effort": _EFFORT,
    },
)
ICE = Technique(
    "ice",
    "learns joint invariants from random runs, counterexamples and implications",
    {},
)
BMC = Technique(
    "bmc",
    "bounded model checking: runs within growing bounds on rounds and unwindings, as circuits for a SAT solver",
    {"effort": _EFFORT},
)
RANKING = Technique(
    "ranking",
    "proves that runs end: linear ranks that steps lower, and what some thread can always do where runs are fair",
    {
        "scope": {
            "threads": "thread by thread, with what is known of locks and flags unless said",
            "joint": "all threads together, at joint control points",
        },
        "invariants": {"guessed": "what seems to hold of numbers is asked of the other techniques"},
    },
)
REDUCTION = Technique(
    "reduction",
    "makes a simpler program first: blocks of steps that commute with those of others (Lipton) unless said",
    {
        "transform": {
            "turns": "what a thread does while a variable says that it is its turn is one step",
            "owners": "what a thread loads and stores while nobody else may write it is one update",
            "unbounded-counters": "numbers that wrap around are compared as if they did not",
        }
    },
)

SIMULATION = Technique(
    "simulation",
    "looks for a weak simulation by lemmas from failed matches, or for a play against it (Algorithm 2)",
    {
        "answers": {
            "first": "keeps the answers that it chose first",
            "likely": "keeps an answer where it is possible",
            "late": "prefers not to move before it has to",
            "short": "changes answers early",
            "long": "allows answers of any length",
            "aligned": "answers as runs do whose loops are aligned, at different rates if need be",
            "linearization-points": "makes the abstract steps when runs say so, also for other threads (helping)",
            "resting": "abstract threads rest only where they have to",
            "resting-short": "the same, and changes answers early",
        },
        "control": {"flags": "the values of flags and locks tell pairs of locations apart"},
        "states": {"initial": "the initial states alone"},
        "functions": {"arrays": "functions are read as arrays that no step changes"},
        "effort": _EFFORT,
    },
)
GAME = Technique(
    "game",
    "plays the simulation game on small values",
    {
        "moves": {"guessed": "concrete steps that win on few values, against all matching abstract states"},
        "functions": {"simple": "functions without a body mean something simple that satisfies the axioms"},
        "effort": _EFFORT,
    },
)
RANDOM_WALKS = Technique(
    "random-walks",
    "makes random concrete runs and follows all abstract states along each",
    {},
)


class Row(Struct, frozen=True):
    """What a portfolio says of an engine before the engine itself: its technique, and the values of parameters."""

    technique: Technique
    parameters: Mapping[str, str]

    @property
    def name(self) -> str:
        """The engine's name: its technique with the values of its parameters."""
        values = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.technique.name}:{values}" if values else self.technique.name


def wanted(text: str) -> tuple[str, ...]:
    """The engines that an option lists: `NAME[:PARAMETER=VALUE,…],…`, where parameters belong to the name before."""
    names = list[str]()
    for piece in map(str.strip, text.split(",")):
        if names and "=" in piece and ":" not in piece:
            names[-1] += ("," if ":" in names[-1] else ":") + piece
        else:
            names.append(piece)
    return tuple(names)


def picked(names: Sequence[str], there: Sequence[Row]) -> tuple[str, ...]:
    """The names of the engines that are meant, in the order of `names`, then in their own. Raises InputError."""
    found = [name for text in names for name in _picked(text, there)]
    return tuple(dict.fromkeys(found))


def _picked(text: str, there: Sequence[Row]) -> Iterator[str]:
    """The engines that one name means: the one that is called so, or all that fit. Raises InputError."""
    if text in [one.name for one in there]:
        yield text
        return
    name, _, rest = text.partition(":")
    of_it = [one for one in there if one.technique.name == name]
    if not of_it:
        raise InputError((_unknown(name, list(dict.fromkeys(one.technique.name for one in there))),))
    given = [part.partition("=") for part in rest.split(",")] if rest else []
    fits = [one for one in of_it if all(one.parameters.get(key) == value for key, _, value in given)]
    if not fits:
        raise InputError((_unfit(text, name, of_it),))
    yield from (one.name for one in fits)


def _unknown(name: str, there: Sequence[str]) -> Diagnostic:
    """The message for the name of a technique that is not there."""
    close = get_close_matches(name, there, 1)
    hint = f"did you mean `{close[0]}`?" if close else f"the techniques are {', '.join(there)}"
    return error("SA914", f"there is no technique `{name}` for this question", None, hint)


def _unfit(text: str, name: str, there: Sequence[Row]) -> Diagnostic:
    """The message for parameters that no engine of a technique has."""
    known = "; ".join(f"`{one.name}`" for one in there)
    return error("SA914", f"`{name}` has no engine with the parameters of `{text}`", None, f"there are {known}")
