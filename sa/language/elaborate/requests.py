"""What threads ask of their scheduler, written out in the threads."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from sa.base.diagnostic import error
from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.rewriting import rewritten, with_names
from sa.language.elaborate.schedulers import Made, conjunction, plus, runs
from sa.language.names import did_you_mean
from sa.language.syntax.node import Node
from sa.language.syntax.statement import Asked


def with_requests(declaration: syntax.Declaration, made: Made) -> syntax.Declaration:
    """A declaration of a file with the scheduler's answers in it, where it asks for any."""
    match declaration:
        case syntax.Thread(name):
            number = made.numbers[name.name][1]
            if isinstance(declaration.family, syntax.Family):
                family = declaration.family
                index = syntax.Name(family.name.name, 0, family.span)
                number = plus(number, syntax.Chain((index, family.low), ("-",), family.span))
            return _thread(declaration, number, made)
        case syntax.Procedure(name) if name.name in made.asking:
            at = declaration.name.span
            zero, one = syntax.Integer(0, at), syntax.Integer(1, at)
            last = syntax.Chain((made.meanings["THREADS"], one), ("-",), at)
            formal = syntax.Formal(syntax.Identifier(made.name("self"), at), syntax.RangeType(zero, last, at), at)
            body = _block(declaration.body, syntax.Name(made.name("self"), 0, at), made, in_thread=False)
            return replace(declaration, parameters=(*declaration.parameters, formal), body=body)
        case _:
            return declaration


def _thread(thread: syntax.Thread, number: syntax.Expression, made: Made) -> syntax.Thread:
    at, statements = thread.name.span, list(thread.body.statements)
    leading = 0
    while leading < len(statements) and _is_initial(statements[leading]):
        leading += 1
    written = _block(replace(thread.body, statements=tuple(statements[leading:])), number, made, in_thread=True)
    begun = _resumed(number, at, made)
    body = (*statements[:leading], begun, *written.statements, *_ended(number, at, made))
    return replace(thread, body=replace(thread.body, statements=body))


def _is_initial(statement: syntax.Statement) -> bool:
    return isinstance(statement.action, syntax.Local) and statement.name is None and statement.label is None


def _block(block: syntax.Block, number: syntax.Expression, made: Made, in_thread: bool) -> syntax.Block:
    """A block with the scheduler's answers. In procedures `return` is not the end of the thread."""

    def change(part: Node) -> Node | None:
        match part:
            case syntax.Block(statements):
                return replace(part, statements=tuple(s for each in statements for s in step(each)))
            case syntax.Call(name, values, span) if name in made.asking:
                return syntax.Call(name, (*(rewritten(v, change) for v in values), number), span)
            case syntax.Apply(name, arguments, span) if name in made.asking:
                return syntax.Apply(name, (*(rewritten(a, change) for a in arguments), number), span)
            case _:
                return None

    def step(statement: syntax.Statement) -> Iterator[syntax.Statement]:
        match statement.action:
            case syntax.Request(asked, about, delay, span):
                yield from _asked(statement, asked, about, delay, span, number, made)
            case syntax.Join(thread, span):
                yield from _asked(statement, Asked.JOIN, thread, None, span, number, made)
            case syntax.Return() if in_thread:
                ending = _ended(number, statement.span, made)
                yield from (replace(s, name=statement.name if s is ending[0] else None) for s in ending)
                yield replace(statement, name=None)
            case syntax.Start(_, span):
                hint = "all threads begin when the program does; let it wait for an event first"
                made.problems.append(error("SA327", "cooperative threads are not started", span, hint))
            case syntax.Atomic() | syntax.Await():
                _refuse_waiting(statement, made)
                yield rewritten(statement, change)
            case _:
                yield rewritten(statement, change)

    return rewritten(block, change)


def _refuse_waiting(step: syntax.Statement, made: Made) -> None:
    """Report what hands over in the middle of one step."""
    waits = {a.asked for a in made.scheduler.answers if _suspends(a.body)}

    def look(part: Node) -> None:
        asked = (
            Asked.JOIN if isinstance(part, syntax.Join) else part.asked if isinstance(part, syntax.Request) else None
        )
        calls = isinstance(part, syntax.Call | syntax.Apply) and part.name in made.asking
        if isinstance(part, syntax.Join | syntax.Request | syntax.Call | syntax.Apply) and (asked in waits or calls):
            message = "this may hand over in the middle, so it cannot be inside of one step"
            hint = "no other thread steps between two requests, so `atomic` is not needed"
            made.problems.append(error("SA306", message, part.span, hint))

    rewritten(step, look)


def _asked(
    statement: syntax.Statement,
    asked: Asked,
    about: syntax.ThreadName | None,
    delay: syntax.Expression | None,
    span: Span,
    number: syntax.Expression,
    made: Made,
) -> Iterator[syntax.Statement]:
    answer = next((a for a in made.scheduler.answers if a.asked is asked), None)
    if answer is None:
        word, name = asked.value.partition("(")[0], made.scheduler.name.name
        hint = f"add `on {asked.value} {{ … }}` to it, or choose another scheduler"
        made.problems.append(error("SA327", f"the scheduler `{name}` does not know `{word}`", span, hint))
        return
    values = list[syntax.Expression]()
    checks: tuple[syntax.Statement, ...] = ()
    if about is not None:
        found = _thread_number(about, made) if asked is Asked.JOIN else _event_number(about, made)
        if found is None:
            return
        values.append(found[0])
        checks = tuple(_plain(syntax.Assert(c, about.span), about.span) for c in found[1])
    if delay is not None:
        values.append(delay)
    yield from _answered(statement, answer, values, checks, number, made)


def _answered(
    statement: syntax.Statement,
    answer: syntax.Answer,
    values: list[syntax.Expression],
    checks: tuple[syntax.Statement, ...],
    number: syntax.Expression,
    made: Made,
) -> Iterator[syntax.Statement]:
    """One step where nobody or everybody who asks is suspended; else a choice: who goes on is not where others wait."""
    span = statement.span

    def step(way: _Way, asking: syntax.Statement) -> tuple[syntax.Statement, ...]:
        body = _body(replace(answer, body=way.block), values, number, made)
        inside = syntax.Atomic(replace(body, statements=(*checks, *body.statements)), span)
        behind = (_resumed(number, span, made),) if way.suspends else ()
        return replace(asking, action=inside), *behind

    ways = tuple(_ways(answer.body, made))
    if len(ways) == 1:
        yield from step(ways[0], statement)
    else:
        branches = tuple(syntax.Block(step(way, replace(statement, name=None)), span) for way in ways)
        yield replace(statement, label=None, action=syntax.Choose(branches, span))


class _Way(Struct, frozen=True):
    """A way through an answer, and whether it suspends who asks."""

    block: syntax.Block
    suspends: bool


def _ways(block: syntax.Block, made: Made) -> Iterator[_Way]:
    """The ways through an answer as far as they differ in whether they suspend."""
    known: tuple[tuple[tuple[syntax.Statement, ...], bool], ...] = (((), False),)
    for statement in block.statements:
        parts = tuple(_ways_of(statement, made))
        known = tuple(((*before, way), some or more) for before, some in known for way, more in parts)
    yield from (_Way(replace(block, statements=statements), suspends) for statements, suspends in known)


def _ways_of(statement: syntax.Statement, made: Made) -> Iterator[tuple[syntax.Statement, bool]]:
    match statement.action:
        case syntax.Suspend():
            yield statement, True
        case syntax.If(arms, orelse, span) if _suspends(statement):
            inside = (*(a.body for a in arms), orelse or syntax.Block((), span))
            for chosen, body in enumerate(inside):
                for way in _ways(body, made):
                    bodies = [way.block if n == chosen else _never(b) for n, b in enumerate(inside)]
                    kept = tuple(replace(a, body=b) for a, b in zip(arms, bodies, strict=False))
                    yield replace(statement, action=syntax.If(kept, bodies[-1], span)), way.suspends
        case syntax.Choose(branches) if _suspends(statement):
            for branch in branches:
                for way in _ways(branch, made):
                    yield replace(statement, action=replace(statement.action, branches=(way.block,))), way.suspends
        case _ if _suspends(statement):
            hint = "set a variable in the loop, and suspend after it"
            made.problems.append(error("SA306", "`suspend` in a loop is not accepted", statement.span, hint))
        case _:
            yield statement, False


def _never(block: syntax.Block) -> syntax.Block:
    """A branch that is not taken."""
    return replace(
        block, statements=(_plain(syntax.Assume(syntax.Boolean(False, block.span), block.span), block.span),)
    )


def _body(
    answer: syntax.Answer, values: list[syntax.Expression], number: syntax.Expression, made: Made
) -> syntax.Block:
    given = dict(zip((p.name for p in answer.parameters), values, strict=True))
    nobody = syntax.Name(made.name("running"), 0, answer.span)

    def suspended(part: Node) -> Node | None:
        if isinstance(part, syntax.Suspend):
            return syntax.Assign((nobody,), (made.meanings["THREADS"],), part.span)
        return None

    return with_names(rewritten(answer.body, suspended), {**made.meanings, **given, "self": number})


def _suspends(node: Node) -> bool:
    """Whether an answer may stop the thread that asks."""
    seen = list[Node]()

    def look(part: Node) -> None:
        if isinstance(part, syntax.Suspend):
            seen.append(part)

    rewritten(node, look)
    return bool(seen)


def _resumed(number: syntax.Expression, span: Span, made: Made) -> syntax.Statement:
    """The step with which a thread begins, or goes on."""
    running = syntax.Name(made.name("running"), 0, span)
    ready = syntax.Apply(made.name("ready"), (number,), span)
    condition = conjunction(runs(made, made.meanings["THREADS"], span), ready)
    begun = _plain(syntax.Assign((running,), (number,), span), span)
    return _plain(syntax.Await(condition, syntax.Block((begun,), span), span), span)


def _ended(number: syntax.Expression, span: Span, made: Made) -> tuple[syntax.Statement, ...]:
    """The last step of a thread: nobody runs behind it."""
    answer = next((a for a in made.scheduler.answers if a.asked is Asked.END), None)
    body = _body(answer, [], number, made).statements if answer is not None else ()
    running = syntax.Name(made.name("running"), 0, span)
    over = _plain(syntax.Assign((running,), (made.meanings["THREADS"],), span), span)
    return (_plain(syntax.Atomic(syntax.Block((*body, over), span), span), span),)


def _plain(action: syntax.Action, span: Span) -> syntax.Statement:
    return syntax.Statement(action, None, None, span)


def _event_number(
    about: syntax.ThreadName, made: Made
) -> tuple[syntax.Expression, tuple[syntax.Expression, ...]] | None:
    """The number of an event, and what must hold of the index."""
    event = made.events.get(about.name)
    if event is None:
        hint = did_you_mean(about.name, list(made.events)) or f"declare it: `event {about.name};`"
        made.problems.append(error("SA328", f"there is no event `{about.name}`", about.span, hint))
        return None
    first = syntax.Name(about.name, 0, about.span)
    if (event.size is None) != (about.index is None):
        message = f"`{about.name}` is one event" if event.size is None else f"`{about.name}` is several events"
        hint = "leave out the index" if event.size is None else "say which one, by its index in brackets"
        made.problems.append(error("SA328", message, about.span, hint))
        return None
    if event.size is None or about.index is None:
        return first, ()
    zero = syntax.Integer(0, about.span)
    inside = (
        syntax.Compare("<=", zero, about.index, about.span),
        syntax.Compare("<", about.index, event.size, about.span),
    )
    return plus(first, about.index), inside


def _thread_number(
    about: syntax.ThreadName, made: Made
) -> tuple[syntax.Expression, tuple[syntax.Expression, ...]] | None:
    found = made.numbers.get(about.name)
    if found is None:
        hint = did_you_mean(about.name, list(made.numbers))
        made.problems.append(error("SA323", f"there is no thread `{about.name}`", about.span, hint))
        return None
    thread, number = found
    if isinstance(thread.family, syntax.Family) != (about.index is not None):
        hint = "say which one, by its index in brackets" if about.index is None else "leave out the index"
        made.problems.append(error("SA323", "this does not name one thread", about.span, hint))
        return None
    if not isinstance(thread.family, syntax.Family) or about.index is None:
        return number, ()
    low, high = thread.family.low, thread.family.high
    inside = (
        syntax.Compare("<=", low, about.index, about.span),
        syntax.Compare("<=", about.index, high, about.span),
    )
    return plus(number, syntax.Chain((about.index, low), ("-",), about.span)), inside
