"""All questions of specs/ that have a verdict by refine or verify, and their certificates judged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from msgspec import Struct

from sa.app.certificate import proof_certificate, refinement_certificate, verification_certificate
from sa.app.certify import CertifyRequest, Choice, Judgement, certify
from sa.app.prove import ProveRequest, prove
from sa.app.refine import RefineRequest, refine
from sa.app.verify import VerifyRequest, verify
from sa.base.limits import Limits
from sa.engines.options import Options
from sa.engines.verify import Options as VerifyOptions

ROOT = Path(__file__).parent.parent.parent
SPECS = ROOT / "specs"


class Subject(Struct, frozen=True):
    """A command on files: two for `refine`, one for `verify` and `prove`."""

    command: str
    files: tuple[str, ...]

    @property
    def name(self) -> str:
        """The subject in a table."""
        first = Path(self.files[-1]).relative_to(SPECS)
        return str(first.parent if self.command == "refine" else first)


def subjects() -> Iterator[Subject]:
    """The paper's table, the closed programs, the tutorial, what programs claim of themselves, and proof scripts."""
    for folder in ("paper", "closed", "tutorial"):
        for concrete in sorted((SPECS / folder).rglob("conc.sa")):
            yield Subject("refine", (str(concrete.parent / "abs.sa"), str(concrete)))
    for program in sorted((SPECS / "mutex").glob("*.sa")):
        yield Subject("verify", (str(program),))
    for folder in ("proofs", "proofs/rejected"):
        for script in sorted((SPECS / folder).glob("*.sa")):
            if not script.read_text(encoding="utf-8").startswith("// fails: SA"):
                yield Subject("prove", (str(script),))


def proved(subject: Subject, path: Path, seed: int = 0) -> tuple[str, float]:
    """Decide a subject and write its certificate; the verdicts in words, and the seconds that it took."""
    started = perf_counter()
    if subject.command == "refine":
        request = RefineRequest(subject.files, False, Options(Limits(), seed))
        answers = list(refine(request))
        verdict = " ".join(a.outcome.verdict.value for a in answers)
        seconds = perf_counter() - started
        text = refinement_certificate(str(path), request, answers)
    elif subject.command == "prove":
        wanted = ProveRequest(subject.files[0], False, Options(Limits(), seed))
        proof = prove(wanted)
        verdict = " ".join(dict.fromkeys(s.verdict.value for s in proof.proof.steps))
        seconds = perf_counter() - started
        text = proof_certificate(str(path), wanted, proof)
    else:
        asked = VerifyRequest(subject.files[0], False, VerifyOptions(Limits(), seed))
        answer = verify(asked)
        verdict = answer.outcome.verdict.value if answer.outcome.verdict is not None else "-"
        seconds = perf_counter() - started
        text = verification_certificate(str(path), asked, answer)
    path.write_text(text, encoding="utf-8")
    return verdict, seconds


def judged(subject: Subject, path: Path, solver: Choice, keeps: bool = False) -> Judgement:
    """The certificate of a subject judged."""
    folder = str(Path(subject.files[-1]).parent)
    return certify(CertifyRequest(str(path), folder, solver, keeps, Limits()))
