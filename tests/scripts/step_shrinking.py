"""What else scripts conclude (`tests.scripts.step_rules`), as texts, and with something taken away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from tests.scripts.chain_claims import ChainClaim
from tests.scripts.chain_rules import Chain, chained_claim
from tests.scripts.cutting import (
    Cut,
    cost,
    cut_refinement,
    fewer,
    less,
    own_cuts,
    part,
    refinement_cost,
    smaller_refinements,
    swapped,
    value_cuts,
    whole,
)
from tests.scripts.finite import Automaton, composition, full
from tests.scripts.game import Refinement
from tests.scripts.invariant_rules import Invariants, conjunction
from tests.scripts.step_rules import Located, Parts
from tests.scripts.writing import (
    relation,
    states,
    thread,
    valuations,
    written,
    written_refinement,
    written_relation,
    written_states,
    written_valuations,
)

Step: TypeAlias = ChainClaim | Located | Parts


def chain_claim(first: Refinement, second: Refinement, kappa: str | None = None, iota: str | None = None) -> ChainClaim:
    """A claim about two links; what is left out is what follows from them."""
    said, sides = chained_claim(Chain(first, second)), (first.concrete, second.abstract)
    rows = [old if new is None else relation(new, *sides) for old, new in ((said.kappa, kappa), (said.iota, iota))]
    return ChainClaim(Chain(first, second), rows[0], rows[1])


def located(r: Refinement, lam1: str, lam2: str) -> Located:
    """A refinement with λ1 and λ2 as states."""
    return Located(r, states(lam1, r.concrete), states(lam2, r.abstract))


def parts(automata: Sequence[str], lams: Sequence[str], kinds: Sequence[str], claim: str | None = None) -> Parts:
    """Automata with their λ, each weak or strong, and a claim, which is their conjunction if it is left out."""
    made = tuple(map(thread, automata))
    said = Invariants(made, tuple(valuations(lam, a.own) for lam, a in zip(lams, made, strict=True)))
    what = conjunction(said) if claim is None else valuations(claim, composition(made).own)
    return Parts(said, tuple(kind == "strong" for kind in kinds), what)


def written_step(step: Step) -> str:
    """The call that makes it."""
    match step:
        case ChainClaim(links, kappa, iota):
            said, sides = chained_claim(links), (links.first.concrete, links.second.abstract)
            given = [written_refinement(links.first), written_refinement(links.second)]
            given += [f"kappa={written_relation(kappa, *sides)!r}"] if kappa != said.kappa else []
            given += [f"iota={written_relation(iota, *sides)!r}"] if iota != said.iota else []
            return f"chain_claim({', '.join(given)})"
        case Located(r, lam1, lam2):
            sets = written_states(lam1, r.concrete), written_states(lam2, r.abstract)
            return f"located({written_refinement(r)}, {sets[0]!r}, {sets[1]!r})"
        case Parts(Invariants(automata, lams), strong, claim):
            sets_ = [written_valuations(lam, a.own) for lam, a in zip(lams, automata, strict=True)]
            kinds = ["strong" if s else "weak" for s in strong]
            said_ = [repr([written(a) for a in automata]), repr(sets_), repr(kinds)]
            claimed = written_valuations(claim, composition(automata).own)
            said_ += [f"claim={claimed!r}"] if claim != conjunction(step.parts) else []
            return f"parts({', '.join(said_)})"


def step_size(step: Step) -> int:
    """How much there is to read."""
    match step:
        case ChainClaim(links, kappa, iota):
            said = chained_claim(links)
            sides = cost(links.first.concrete) + cost(links.first.abstract) + cost(links.second.abstract)
            told = sum((x ^ y).bit_count() for x, y in zip((*kappa, *iota), (*said.kappa, *said.iota), strict=True))
            return sides + refinement_cost(links.first) + refinement_cost(links.second) + 2 * told
        case Located(r, lam1, lam2):
            return cost(r.concrete) + cost(r.abstract) + refinement_cost(r) + lam1.bit_count() + lam2.bit_count()
        case Parts(Invariants(automata, lams), _, claim):
            told = (claim ^ conjunction(step.parts)).bit_count()
            return sum(map(cost, automata)) + sum(lam.bit_count() for lam in lams) + 2 * told


def smaller_chain_claims(c: ChainClaim, links: Iterator[Chain]) -> Iterator[ChainClaim]:
    """The claim with smaller links, or saying something else."""
    shape = _shape(c.chain.first.concrete), _shape(c.chain.second.abstract)
    for smaller in links:
        said = chained_claim(smaller)
        yield ChainClaim(smaller, said.kappa, said.iota)
        if (_shape(smaller.first.concrete), _shape(smaller.second.abstract)) == shape:
            yield replace(c, chain=smaller)
            yield ChainClaim(smaller, c.kappa, said.iota)
            yield ChainClaim(smaller, said.kappa, c.iota)
    said = chained_claim(c.chain)
    yield replace(c, kappa=said.kappa)
    yield replace(c, iota=said.iota)
    yield from (replace(c, kappa=rows) for rows in less(c.kappa))
    yield from (replace(c, iota=rows) for rows in less(c.iota))


def _shape(a: Automaton) -> tuple[int, int]:
    return a.shared, a.own


def smaller_located(p: Located) -> Iterator[Located]:
    """A smaller refinement, or fewer states."""
    r = p.refinement
    yield from (replace(p, lam1=m) for m in fewer(p.lam1))
    yield from (replace(p, lam2=m) for m in fewer(p.lam2))
    shape = _states(r)
    yield from (replace(p, refinement=s) for s in smaller_refinements(r) if _states(s) == shape)
    cuts: list[tuple[Cut, Cut]] = [(c, whole(r.abstract)) for c in own_cuts(r.concrete)]
    cuts += [(whole(r.concrete), c) for c in own_cuts(r.abstract)]
    cuts += [(one[0], two[0]) for one, two in value_cuts([r.concrete], [r.abstract])]
    for one, two in cuts:
        yield Located(cut_refinement(r, one, two), part(p.lam1, one.states), part(p.lam2, two.states))


def _states(r: Refinement) -> list[tuple[int, int, int]]:
    return [(len(a.inv), a.shared, a.own) for a in (r.concrete, r.abstract)]


def smaller_parts(p: Parts, invariants: Iterator[Invariants]) -> Iterator[Parts]:
    """Smaller parts, or another claim."""
    shape = [_shape(a) for a in p.parts.automata]
    for smaller in invariants:
        yield Parts(smaller, p.strong, conjunction(smaller))
        if [_shape(a) for a in smaller.automata] == shape:
            yield replace(p, parts=smaller)
            yield Parts(smaller, p.strong, conjunction(smaller) | p.claim)
        else:
            yield Parts(smaller, p.strong, full(composition(smaller.automata).valuations))
            yield Parts(smaller, p.strong, 0)
    yield from (replace(p, strong=swapped(p.strong, i, False)) for i, s in enumerate(p.strong) if s)
    yield replace(p, claim=conjunction(p.parts))
    yield from (replace(p, claim=m) for m in fewer(p.claim))
