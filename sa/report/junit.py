"""Answers as JUnit XML, which continuous integration reads: a suite for each question, a case for each part of it.

What is not as expected is a failure; where there is no answer, an error. A part without an answer is never a case that
passes: where the file as a whole is as expected without it, it is skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from msgspec import Struct

from sa.base.verdict import Verdict
from sa.report.facts import Facts, Part, as_expected, errors_of
from sa.report.printable import printable


class _Case(Struct, frozen=True):
    """A test case; `wrong` is the tag and the type of what keeps it from passing, `text` says more."""

    name: str
    seconds: float
    wrong: tuple[str, str] | None
    text: str


def junit(found: Sequence[Facts]) -> str:
    """The document with all answers."""
    root = ElementTree.Element("testsuites", name="sacheck")
    for facts in found:
        cases = _cases(facts)
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=printable(facts.subject),
            tests=str(len(cases)),
            failures=str(sum(c.wrong is not None and c.wrong[0] == "failure" for c in cases)),
            errors=str(sum(c.wrong is not None and c.wrong[0] == "error" for c in cases)),
            skipped=str(sum(c.wrong is not None and c.wrong[0] == "skipped" for c in cases)),
            time=f"{sum(c.seconds for c in cases):.3f}",
        )
        if facts.caveats:
            properties = ElementTree.SubElement(suite, "properties")
            for text in facts.caveats:
                ElementTree.SubElement(properties, "property", name="caveat", value=printable(text))
        for case in cases:
            entry = ElementTree.SubElement(
                suite,
                "testcase",
                classname=printable(facts.subject),
                name=printable(case.name),
                time=f"{case.seconds:.3f}",
            )
            if case.wrong is not None:
                tag, kind = case.wrong
                message = printable(case.text).partition("\n")[0]
                ElementTree.SubElement(entry, tag, type=kind, message=message).text = printable(case.text)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _cases(facts: Facts) -> list[_Case]:
    found = [_diagnosed(facts)] if facts.parts == () or errors_of(facts) or facts.stopped else []
    whole = facts.expected
    for part in facts.parts:
        found.append(_Case(part.name, part.seconds, _wrong_part(part, whole), part.text))
    if whole is not None and facts.parts:
        text = f"the file expects {whole.value}"
        found.append(_Case("the file as a whole", 0.0, _wrong(facts.verdict, whole), text))
    return found


def _wrong_part(part: Part, whole: Verdict | None) -> tuple[str, str] | None:
    """What keeps a part from passing: where a failure of the whole is expected, only that there is no answer."""
    if part.expected is not None or whole in (None, Verdict.PROVED):
        return _wrong(part.verdict, part.expected or Verdict.PROVED)
    return ("skipped", "UNKNOWN") if part.verdict is Verdict.UNKNOWN else None


def _wrong(verdict: Verdict | None, wanted: Verdict) -> tuple[str, str] | None:
    if verdict is wanted:
        return None
    if verdict in (None, Verdict.UNKNOWN):
        return ("error", "UNKNOWN")
    return ("failure", verdict.value)


def _diagnosed(facts: Facts) -> _Case:
    """What there is to say of a question without parts: errors in the files, or that it was stopped."""
    errors = errors_of(facts)
    if errors:
        told = (f"{d.span.file}:{d.span.line}:{d.span.column}: " if d.span else "" for d in errors)
        text = "\n".join(f"{place}{d.code}: {d.message}" for place, d in zip(told, errors, strict=True))
        return _Case("the files are well-formed", 0.0, ("error", errors[0].code), text)
    if facts.stopped:
        return _Case("there is an answer", 0.0, ("error", "stopped"), facts.stopped)
    met = as_expected(facts)
    return _Case("the files are well-formed", 0.0, ("failure", "expectation") if met is False else None, "")
