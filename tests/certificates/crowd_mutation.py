"""Corrupted certificates about families of any number: whether those that are accepted are true with 1 to 3 copies.

Run as a program it writes results_crowds.md beside it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

from sa.app.certificate import verification_certificate
from sa.app.verify import Answer, VerifyRequest
from sa.automata.automaton import Automaton
from sa.automata.family import Family, concrete, copies, identity_of, numbers, symbolic_name
from sa.automata.program import Program
from sa.base.limits import limits
from sa.certificates.families import CrowdJoint, CrowdKeeps, bads_of_copies
from sa.certificates.families_json import read_crowd_joint, read_crowd_keeps
from sa.certificates.run import Bad
from sa.certificates.run_json import read_run
from sa.certificates.shape import Entry
from sa.checker.claims import claimed
from sa.checker.judge import judge_program
from sa.engines.verify import Options, verify
from sa.terms.build import integer
from sa.terms.evaluate import holds
from sa.terms.substitute import local_of, substitute
from sa.terms.term import Term, Var
from tests.certificates.mutation import COURT, Tally, accepts_all, report, tally_of
from tests.certificates.truth import happens, reachable_states, run_is_true, written
from tests.generators.crowds import random_sketch
from tests.language.texts import program_of
from tests.oracle.compatibility import own_locals
from tests.oracle.explicit import restrict

RESULTS = Path(__file__).parent / "results_crowds.md"

#: As many copies as instances have in which evidence is looked at.
MOST = 3


def crowd_mutants(seed: int, most: int) -> Tally:
    """The certificate of a random program with a family, corrupted."""
    program = program_of(random_sketch(seed).text())
    request = VerifyRequest("test.sa", False, Options(limits(10.0, None)))
    answer = Answer(verify(program, request.options), (), (program.source,))
    document = json.loads(verification_certificate("x.json", request, answer))

    def accepts(changed: Any) -> bool:
        return accepts_all(lambda: judge_program(program, Entry(changed), COURT))

    name = f"crowd {seed}"
    return tally_of(name, document["questions"][0], accepts, lambda d: _is_true(program, d), Random(seed), most)


def _is_true(program: Program, document: Any) -> bool:
    claims = claimed(program)
    for proof in document["proofs"]:
        about = claims[proof["about"]]
        meant = {
            (n, b): bad for n, c in enumerate(claims) if c.families == about.families for b, bad in enumerate(c.bads)
        }
        kind, what = Entry(proof["proof"]).only()
        asked = (about.threads, about.families, program.init, meant, program.axioms)
        if kind == "crowd_keeps" and not keeps_is_true(read_crowd_keeps(what, *asked)):
            return False
        if kind == "crowd_joint" and not joint_is_true(read_crowd_joint(what, *asked)):
            return False
    for run in document["runs"]:
        claim, counts = claims[run["claim"]], run["copies"]
        threads = (*claim.threads, *copies(claim.families, counts))
        bads = [one for b in claim.bads for one in bads_of_copies(b, claim.families, counts)]
        confined = tuple(restrict(t, 0, 5) for t in threads)
        if not run_is_true(confined, bads, read_run(Entry(run["run"]), threads)):
            return False
    return True


def keeps_is_true(made: CrowdKeeps) -> bool:
    """Whether annotations hold in each reachable state with so many copies, and what is bad does not happen."""
    for count in range(1, MOST + 1):
        counts = tuple(count for _ in made.families)
        families = [Family(written(a), f.identity) for f, a in zip(made.families, made.copies, strict=True)]
        annotated = [Family(a.automaton, f.identity) for f, a in zip(made.families, made.copies, strict=True)]
        threads = [restrict(t, 0, 5) for t in (*map(written, made.threads), *copies(families, counts))]
        said = [own_locals(t) for t in (*(a.automaton for a in made.threads), *copies(annotated, counts))]
        inv = [{q.name: q.inv for q in t.locations} for t in said]
        for places, values in reachable_states(threads):
            if not all(holds(i[q], values) for i, q in zip(inv, places, strict=True)):
                return False
        if _any_happens(threads, [n.bad for n in made.never], made.families, counts):
            return False
    return True


def joint_is_true(made: CrowdJoint) -> bool:
    """The same of joint invariants, for each choice of copies in each order."""
    known = dict(made.invariants)
    for count in range(1, MOST + 1):
        counts = tuple(count for _ in made.families)
        threads = [restrict(t, 0, 5) for t in (*made.threads, *copies(made.families, counts))]
        index = {t.name: n for n, t in enumerate(threads)}
        ((family,), (spoken,)) = made.families, made.counts
        for places, values in reachable_states(threads):
            for chosen in permutations(numbers(counts)[0], spoken):
                here = (*places[: len(made.threads)], *(places[index[f"{family.thread.name}[{i}]"]] for i in chosen))
                if here not in known or not holds(_with(known[here], family, chosen), values):
                    return False
        if _any_happens(threads, made.never, made.families, counts):
            return False
    return True


def _with(inv: Term, family: Family, chosen: Sequence[int]) -> Term:
    """A joint invariant of these copies."""
    names = dict[Var, Term]()
    for number, identity in enumerate(chosen, 1):
        name, copy = symbolic_name(family, number), concrete(family, identity)
        names |= {local_of(v.var, name): local_of(v.var, copy.name) for v in family.thread.variables}
        names[identity_of(family, name)] = integer(identity)
    return substitute(inv, names)


def _any_happens(
    threads: Sequence[Automaton], bads: Sequence[Bad], families: Sequence[Family], counts: Sequence[int]
) -> bool:
    return any(happens(threads, one) for b in bads for one in bads_of_copies(b, families, counts))


def random_crowd_mutants(seeds: Iterable[int], most: int) -> Tally:
    """Those of several programs."""
    whole = Tally()
    for seed in seeds:
        whole.add(crowd_mutants(seed, most))
    return whole


if __name__ == "__main__":
    first, last, each = map(int, sys.argv[1:4])
    made = random_crowd_mutants(range(first, last), each)
    title, module = "Corrupted certificates about families of any number", "tests.certificates.crowd_mutation"
    name = f"random programs, seeds {first} to {last - 1}"
    RESULTS.write_text(report({name: made}, title, f"{module} {first} {last} {each}"), encoding="utf-8")
    sys.exit(bool(made.wrong))
