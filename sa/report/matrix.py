"""A weak simulation for readers: which locations are related, by which lemmas, and how steps are answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sa.automata.automaton import Automaton, Edge, location_of
from sa.automata.ranges import without_ranges
from sa.base.source import position, span_text
from sa.certificates.goal import Goal
from sa.certificates.pairs import Simulation, StatePairs
from sa.certificates.relation import AbstractPath, EdgeAnswer, PairRelation, Relation
from sa.report.explain import bare, statement_of
from sa.report.formulas import action_name
from sa.report.html import text
from sa.report.svg import picture
from sa.terms.printer import show

#: Relations of more pairs are cut, tables of more locations left out: nobody reads them.
MOST_PAIRS, MOST_LOCATIONS = 400, 60
#: So much of a statement is shown beside the name of the location before it.
_WIDEST = 40


def relation_html(relation: Simulation, goal: Goal, key: str) -> str:
    """The relation of a goal; `key` makes the names of its parts unique on the page."""
    match relation:
        case StatePairs():
            sides = f"{len(relation.concrete.states):,} concrete and {len(relation.abstract.states):,} abstract states"
            return f"<p>{len(relation.pairs):,} pairs of states, of {sides}: all that the two sides can be in.</p>"
        case Relation():
            return _relation(relation, goal, key)


def _relation(relation: Relation, goal: Goal, key: str) -> str:
    common = _common(goal)
    pairs = {(p.concrete, p.abstract): p for p in relation.pairs}
    numbers = {pair: number for number, pair in enumerate(pairs)}
    table = _matrix(pairs, numbers, goal, key)
    answers = dict[tuple[str, str], list[EdgeAnswer]]()
    for answer in relation.answers:
        answers.setdefault((answer.concrete, answer.abstract), []).append(answer)
    shown = list[str]()
    for pair in relation.pairs[:MOST_PAIRS]:
        at = (pair.concrete, pair.abstract)
        shown.append(_pair(pair, answers.get(at, []), goal, f"{key}-{numbers[at]}"))
    more = len(relation.pairs) - len(shown)
    rest = f'<p class="faint">and {more:,} more pairs, which the certificate has</p>' if more > 0 else ""
    return f'{common}{table}<div class="pairs">{"".join(shown)}</div>{rest}'


def _common(goal: Goal) -> str:
    always = "".join(f"<li><code>{text(show(f.term))}</code></li>" for f in goal.iota)
    return f"<p>At every pair:</p><ul>{always}</ul>" if always else ""


def _matrix(
    pairs: Mapping[tuple[str, str], PairRelation], numbers: Mapping[tuple[str, str], int], goal: Goal, key: str
) -> str:
    rows = [loc.name for loc in goal.concrete.locations if any(c == loc.name for c, _ in pairs)]
    columns = [loc.name for loc in goal.abstract.locations if any(a == loc.name for _, a in pairs)]
    if max(len(rows), len(columns)) > MOST_LOCATIONS:
        return ""
    head = "".join(f'<th scope="col" title="{text(_place(goal.abstract, a))}">{text(a)}</th>' for a in columns)
    body = list[str]()
    for c in rows:
        cells = (_cell(pairs.get((c, a)), f"{key}-{numbers.get((c, a))}") for a in columns)
        body.append(f'<tr><th scope="row">{_named(goal.concrete, c)}</th>{"".join(cells)}</tr>')
    corner = '<th class="faint">concrete \\ abstract</th>'
    table = f'<table class="matrix"><thead><tr>{corner}{head}</tr></thead><tbody>{"".join(body)}</tbody></table>'
    return f'<div class="scroll">{table}</div>'


def _cell(pair: PairRelation | None, name: str) -> str:
    if pair is None:
        return "<td></td>"
    count = f"{len(pair.lemmas)} lemma{'' if len(pair.lemmas) == 1 else 's'}"
    title = text(f"{pair.concrete}, {pair.abstract}: {count}")
    return f'<td class="related"><a href="#pair-{name}" title="{title}">{len(pair.lemmas) or "·"}</a></td>'


def _pair(pair: PairRelation, answers: Sequence[EdgeAnswer], goal: Goal, name: str) -> str:
    lemmas = "".join(f"<li><code>{text(show(lemma))}</code></li>" for lemma in pair.lemmas)
    told = "".join(f"<li>{line}</li>" for line in dict.fromkeys(_answered(answer, goal) for answer in answers))
    body = f"<ul>{lemmas}</ul>" if lemmas else '<p class="faint">no lemma</p>'
    steps = f"<ul>{told}</ul>" if told else ""
    summary = f"{_named(goal.concrete, pair.concrete)} with {_named(goal.abstract, pair.abstract)}"
    return f'<details id="pair-{name}"><summary>{summary}</summary>{body}{steps}</details>'


def _named(automaton: Automaton, name: str) -> str:
    """A location with the statement that it stands before."""
    return f'{text(name)} <span class="faint">{text(_place(automaton, name))}</span>'


def _place(automaton: Automaton, name: str) -> str:
    """Where a location stands in the text: its line, and what begins there."""
    origin = location_of(automaton, name).origin
    if origin.span is None:
        return ""
    first = span_text(origin.span).partition("\n")[0].strip()
    short = first if len(first) <= _WIDEST else f"{first[: _WIDEST - 1]}…"
    return f"{position(origin.span.source, origin.span.start).line}: {short}"


def _answered(answer: EdgeAnswer, goal: Goal) -> str:
    step = text(statement_of(goal.concrete.edges[answer.edge]))
    if not answer.answers:
        return f"<code>{step}</code> cannot be taken here"
    paths = " or ".join(dict.fromkeys(_path(a, goal.abstract) for a in answer.answers))
    return f"<code>{step}</code> is answered by {paths}"


def _path(answer: AbstractPath, abstract: Automaton) -> str:
    steps = " ; ".join(statement_of(abstract.edges[e]) for e in answer.edges)
    return f"<code>{text(steps)}</code>" if steps else "staying"


# ---------------------------------------------------------------- automata


def automata_html(automata: Sequence[tuple[str, Automaton]]) -> str:
    """Automata beside each other, each with what it is called here."""
    return f'<div class="sides">{"".join(_automaton(role, a) for role, a in automata)}</div>'


def _automaton(role: str, automaton: Automaton) -> str:
    rows = "".join(_location(automaton, number) for number in range(len(automaton.locations[:MOST_PAIRS])))
    lane = text(f"{role} {automaton.name}")
    start = show(without_ranges(automaton.init, automaton.variables), bare)
    init = f"<p>starts at {text(automaton.initial)} where <code>{text(start)}</code></p>"
    table = f'<div class="scroll"><table class="automaton">{rows}</table></div>'
    drawn = ""
    if len(automaton.locations) <= MOST_LOCATIONS and _is_written(automaton):
        drawn = f'<div class="picture">{picture(automaton)}</div>'
        table = f"<details><summary>as a table, with invariants and environments</summary>{table}</details>"
    return f'<div class="side" data-lane="{lane}"><h4>{lane}</h4>{init}{drawn}{table}</div>'


def _is_written(automaton: Automaton) -> bool:
    """Whether the steps are those of a text in `.sa`; what a translation makes of C fits no picture."""
    span = automaton.origin.span
    return span is None or span.source.name.endswith(".sa")


def _location(automaton: Automaton, number: int) -> str:
    location = automaton.locations[number]
    invariant = show(without_ranges(location.inv, automaton.variables), bare)
    inv = f'<p title="invariant">invariant <code>{text(invariant)}</code></p>'
    env = "" if location.env is None else show(location.env, bare)
    environment = f'<p title="environment">environment <code>{text(env)}</code></p>' if env else ""
    steps = "".join(_step(e) for e in automaton.edges if e.source == location.name)
    told = f"invariant: {invariant}" + (f"\nenvironment: {env}" if env else "")
    detail = f"<details><summary>invariant, environment</summary>{inv}{environment}</details>"
    name = f'<th scope="row" title="{text(told)}">{text(location.name)}</th>'
    return f'<tr data-location="{text(location.name)}">{name}<td>{"".join(steps)}{detail}</td></tr>'


def _step(edge: Edge) -> str:
    parts = "".join(_parts(edge))
    return f'<p class="edge">{parts} → {text(edge.target)}</p>'


def _parts(edge: Edge) -> Iterator[str]:
    guard = show(edge.guard, bare)
    if guard != "true":
        yield f'<span class="faint">when</span> <code>{text(guard)}</code> '
    updates = "; ".join(f"{bare(variable)} := {show(term, bare)}" for variable, term in edge.updates)
    if updates:
        yield f"<code>{text(updates)}</code> "
    if edge.label is not None:
        values = ", ".join(show(v, bare) for v in edge.label.values)
        yield f'<span class="place">@{text(f"{action_name(edge)}")}{text(f"({values})") if values else ""}</span>'
