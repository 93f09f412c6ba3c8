"""A report as one page of HTML that needs nothing else: verdict, evidence, plays and runs to step through."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files

from msgspec.structs import replace

from sa import __version__
from sa.automata.automaton import Automaton
from sa.base.verdict import Unknown, Verdict
from sa.engines.outcome import Outcome, Result
from sa.engines.verification import Verification
from sa.report.document import Document, Tone, Words, verdict_words
from sa.report.html import Gathered, document_html, scene_data, text
from sa.report.matrix import automata_html, relation_html
from sa.report.proof_tree import tree_html
from sa.report.prove import proof_document
from sa.report.refine import refinement_document, stopped_document
from sa.report.verify import verification_document
from sa.scripts.result import Proof


def stopped_page(unknown: Unknown, subject: str) -> str:
    """A question that was stopped before there was an outcome."""
    document = stopped_document(unknown, subject)
    return _page(document, subject, document_html(document, Gathered()), Gathered())


def documents_page(documents: Sequence[Document], subject: str) -> str:
    """Answers that have no evidence but what their documents show."""
    gathered = Gathered()
    several = len(documents) > 1
    heads = (f"<h2>{_verdict(d)} {text(d.subject)}</h2>" if several else "" for d in documents)
    body = "".join(head + document_html(d, gathered) for head, d in zip(heads, documents, strict=True))
    return _page(documents[0], subject if several else documents[0].subject, body, gathered)


def refinement_page(outcomes: Sequence[Outcome], unknown: Unknown | None = None) -> str:
    """The answers to the questions of one `refine`; `unknown` says why there are no more."""
    gathered = Gathered()
    documents = [refinement_document(outcome) for outcome in outcomes]
    body = list[str]()
    for number, (outcome, document) in enumerate(zip(outcomes, documents, strict=True)):
        if len(outcomes) > 1:
            body.append(f"<h2>{_verdict(document)} {text(document.subject)}</h2>")
        body.append(_unexpected(document) + document_html(document, gathered))
        body.extend(_goal(result, f"{number}-{i}") for i, result in enumerate(outcome.results))
    if unknown is not None:
        body.append(document_html(stopped_document(unknown, ""), gathered))
    worst = next((v for v in (Verdict.REFUTED, Verdict.UNKNOWN) if any(o.verdict is v for o in outcomes)), None)
    first = next((d for d in documents if worst is None or d.verdict.text == worst.value), documents[0])
    if unknown is not None and worst is None:
        first = replace(first, verdict=verdict_words(Verdict.UNKNOWN))
    subject = first.subject if len(outcomes) == 1 else f"{len(outcomes)} refinements"
    return _page(first, subject, "".join(body), gathered)


def verification_page(outcome: Verification) -> str:
    """The answer about a program's claims."""
    gathered = Gathered()
    document = verification_document(outcome)
    threads = [("thread", t) for t in outcome.program.threads]
    threads += [("any number of", f.thread) for f in outcome.program.families]
    body = _unexpected(document) + document_html(document, gathered)
    return _page(document, document.subject, f"{body}{_threads(threads)}", gathered)


def threads_page(name: str, threads: Sequence[Automaton]) -> str:
    """The automata of a program, about which nothing is asked."""
    document = Document(Words(f"{len(threads)} thread{'' if len(threads) == 1 else 's'}", Tone.STRONG), name)
    return _page(document, name, automata_html([("thread", t) for t in threads]), Gathered())


def proof_page(proof: Proof, seconds: Mapping[str, float]) -> str:
    """The answer to a script: its tree, then everything about each step."""
    gathered = Gathered()
    document = proof_document(proof, seconds)
    body = f"{_unexpected(document)}<h2>Proof</h2>{tree_html(proof)}<h2>Steps</h2>{document_html(document, gathered)}"
    relations = [
        _goal(result, f"{step.step.name}-{i}")
        for step in proof.steps
        for i, result in enumerate(step.results)
        if result.relation is not None
    ]
    return _page(document, document.subject, body + "".join(relations), gathered)


def _goal(result: Result, key: str) -> str:
    """The relation of a goal that is proved, and its automata."""
    found = "" if result.relation is None else relation_html(result.relation, result.goal, key)
    relation = f"<h3>Relation</h3>{found}" if found else ""
    sides = automata_html([("concrete", result.goal.concrete), ("abstract", result.goal.abstract)])
    name = text(result.goal.name)
    opened = f"<details><summary>Automata with invariants and environments</summary>{sides}</details>"
    return f'<section class="goal"><h2>{name}</h2>{relation}{opened}</section>'


def _threads(threads: Sequence[tuple[str, Automaton]]) -> str:
    return f"<h2>Threads</h2><details><summary>Automata</summary>{automata_html(threads)}</details>"


def _verdict(document: Document) -> str:
    return f'<span class="verdict {document.verdict.tone.value}">{text(document.verdict.text)}</span>'


def _unexpected(document: Document) -> str:
    return "" if document.unexpected is None else f'<p class="bad">{text(document.unexpected)}</p>'


def _page(document: Document, subject: str, body: str, gathered: Gathered) -> str:
    data = {
        "scenes": [scene_data(scene) for scene in gathered.scenes],
        "sources": {name: source.text for name, source in gathered.sources.items()},
    }
    parts = {
        "version": text(__version__),
        "title": text(f"{document.verdict.text}: {subject}"),
        "tone": document.verdict.tone.value,
        "verdict": text(document.verdict.text),
        "subject": text(subject),
        "body": body,
        "data": _embedded(data),
    }
    template = (files("sa.report") / "page.html").read_text(encoding="utf-8")
    return "".join(_filled(template, parts))


def _filled(template: str, parts: Mapping[str, str]) -> Iterable[str]:
    """The template with its parts. What is filled in is not looked at again."""
    first, *rest = template.split("{{")
    yield first
    for piece in rest:
        name, _, after = piece.partition("}}")
        yield parts[name]
        yield after


def _embedded(data: object) -> str:
    """JSON that can stand inside of a script element, whatever texts are in it."""
    written = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
