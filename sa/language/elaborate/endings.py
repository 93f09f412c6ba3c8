"""What a file claims of how its runs go on: that they end, that nobody is stuck, what leads to what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Fault, Origin
from sa.automata.program import PROGRESS, Ends, Invariant
from sa.automata.scheduler import Scheduler, serving
from sa.automata.standstill import no_standstill
from sa.base.diagnostic import Diagnostic, error, warning
from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.declarations import Declared
from sa.language.elaborate.expressions import boolean
from sa.language.elaborate.invariants import about_states
from sa.language.elaborate.threads import is_any_number
from sa.lowering.draft import origin
from sa.terms.name import named, whole


def progress(
    module: syntax.Module, threads: Sequence[Automaton], scheduler: Scheduler | None, problems: list[Diagnostic]
) -> Iterator[Invariant]:
    """That nobody is stuck: in every state some thread can step, or each is at its end, but for a scheduler."""
    found = [d for d in module.declarations if isinstance(d, syntax.Progress)]
    _once(found, "progress", problems)
    for written in found[:1]:
        why = replace(origin(written.span), text="progress")
        yield Invariant(
            PROGRESS, no_standstill(threads, serving(scheduler)), False, written.expect, why, fault=Fault.DEADLOCK
        )


def ends(
    module: syntax.Module, declared: Declared, threads: Sequence[Automaton], several: Mapping[str, Set[str]]
) -> tuple[Ends, ...]:
    """What comes to an end: claims of threads first, in the order of the text, then those of the file."""
    problems = declared.context.problems
    fair = [d for d in module.declarations if isinstance(d, syntax.Fair)]
    whole_file = [d for d in module.declarations if isinstance(d, syntax.Terminates)]
    for found, word in ((fair, "fair"), (whole_file, "terminates")):
        _once(found, word, problems)
    made = [*_of_threads(module, threads, problems)]
    everyone = tuple(t.name for t in threads)
    made += [Ends("terminates", everyone, _origin(d.span), d.expect) for d in whole_file[:1]]
    context = replace(about_states(declared, threads, several), undefined=None)
    for d in module.declarations:
        if isinstance(d, syntax.Leads):
            since, until = boolean(d.before, context), boolean(d.after, context)
            if since is not None and until is not None:
                why = _origin(d.span)
                name = " ".join(why.text.split()).removesuffix(";")
                made.append(Ends(name, everyone, why, d.expect, since=since, until=until))
    _refuse(module, fair, made, problems)
    return tuple(replace(e, fair=bool(fair)) for e in made)


def _origin(span: Span) -> Origin:
    return Origin(span, origin(span).text)


def _of_threads(module: syntax.Module, threads: Sequence[Automaton], problems: list[Diagnostic]) -> Iterator[Ends]:
    for d in module.declarations:
        if isinstance(d, syntax.Thread | syntax.AutomatonDeclaration):
            written = _written(d)
            _once(written, "terminates", problems)
            index = d.index if isinstance(d, syntax.AutomatonDeclaration) and isinstance(d.index, int) else None
            for thread in threads:
                name = named(thread.name)
                if written and whole(name) == d.name.name and index in (None, name.position):
                    (first, *_) = written
                    yield Ends("terminates", (thread.name,), _origin(first.span), first.expect, of=thread.name)


def _written(declaration: syntax.Thread | syntax.AutomatonDeclaration) -> Sequence[syntax.Terminates]:
    if isinstance(declaration, syntax.Thread):
        return declaration.terminates
    return [i for i in declaration.items if isinstance(i, syntax.Terminates)]


def _once(
    found: Sequence[syntax.Terminates] | Sequence[syntax.Progress] | Sequence[syntax.Fair],
    word: str,
    problems: list[Diagnostic],
) -> None:
    if len(found) > 1:
        problems.append(error("SA011", f"a second `{word}` in one place", found[1].span, "leave it out"))


def _refuse(
    module: syntax.Module, fair: Sequence[syntax.Fair], made: Sequence[Ends], problems: list[Diagnostic]
) -> None:
    """Claims about copies of any number, and fairness that no claim depends on."""
    claims = (syntax.Terminates, syntax.Progress, syntax.Leads)
    family = next((d for d in module.declarations if is_any_number(d)), None)
    if family is not None:
        claimed = [d.span for d in module.declarations if isinstance(d, claims)]
        for d in module.declarations:
            if isinstance(d, syntax.Thread | syntax.AutomatonDeclaration):
                claimed += [c.span for c in _written(d)]
        hint = "write a number of threads, `thread T[i : 1..3]`"
        problems.extend(
            error("SA326", "this is not claimed where a family has any number of copies", span, hint)
            for span in claimed
        )
    elif fair and not made:
        hint = "it is assumed by `terminates;` and `leads P ~> Q;`; `progress;` is about states"
        problems.append(warning("SA515", "nothing here depends on `fair`", fair[0].span, hint))
