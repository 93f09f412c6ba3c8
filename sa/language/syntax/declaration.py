"""Declarations and whole files as they are written."""

from __future__ import annotations

from typing import TypeAlias

from sa.base.source import Source, Span
from sa.base.verdict import Verdict
from sa.language.syntax.clause import Clauses, Rely, ThreadName
from sa.language.syntax.expression import Expression, Identifier, Type
from sa.language.syntax.node import Node
from sa.language.syntax.proof import StepDeclaration
from sa.language.syntax.statement import Asked, Await, Block, Label, Local


class Import(Node, frozen=True):
    """`import "path" as alias;`"""

    path: str
    alias: Identifier
    span: Span


class Const(Node, frozen=True):
    """`const N = e;`, a type is optional."""

    name: Identifier
    type: Type | None
    value: Expression
    span: Span


class Param(Node, frozen=True):
    """`param A, B : int;`: rigid."""

    names: tuple[Identifier, ...]
    type: Type
    span: Span


class Global(Node, frozen=True):
    """`global x, y : int = e;`, the value is optional."""

    names: tuple[Identifier, ...]
    type: Type
    value: Expression | None
    ghost: bool
    span: Span


class Enumeration(Node, frozen=True):
    """`enum Color { Red, Green }`."""

    name: Identifier
    constructors: tuple[Identifier, ...]
    span: Span


class Define(Node, frozen=True):
    """`define busy(p) = p != 0;`: a macro, typed where it is used. No parameters: `define free = l == 0;`."""

    name: Identifier
    parameters: tuple[Identifier, ...]
    body: Expression
    span: Span


class FunctionParameter(Node, frozen=True):
    """`x : int` or just `int`."""

    name: Identifier | None
    type: Type
    span: Span


class FunctionDeclaration(Node, frozen=True):
    """`function gcd(int, int) : int;`, with a body `function f(x : int) : int = e;`."""

    name: Identifier
    parameters: tuple[FunctionParameter, ...]
    result: Type
    body: Expression | None
    span: Span


class Procedure(Node, frozen=True):
    """`proc f(x : int) : int { … }`: statements that calls stand for. A parameter is a local with a value."""

    name: Identifier
    parameters: tuple[Formal, ...]
    result: Type | None
    body: Block
    span: Span


class Formal(Node, frozen=True):
    """`x : int`, a parameter of a procedure."""

    name: Identifier
    type: Type
    span: Span


class AxiomDeclaration(Node, frozen=True):
    """`axiom e;`"""

    formula: Expression
    span: Span


class Init(Node, frozen=True):
    """`init e;`"""

    formula: Expression
    span: Span


class Guarantee(Node, frozen=True):
    """`guarantee G;` in a thread or an automaton: every step of it keeps G."""

    relation: Expression
    span: Span


class Terminates(Node, frozen=True):
    """`terminates;` in a file, a thread or an automaton: only finitely many steps are taken."""

    expect: Verdict | None
    span: Span


class Progress(Node, frozen=True):
    """`progress;`: nobody is stuck."""

    expect: Verdict | None
    span: Span


class Fair(Node, frozen=True):
    """`fair;`: a thread that can always take a step takes one."""

    span: Span


class Leads(Node, frozen=True):
    """`leads P ~> Q;`: where P holds, Q holds then or later."""

    before: Expression
    after: Expression
    expect: Verdict | None
    span: Span


class Family(Node, frozen=True):
    """`[i : low..high]`: one thread for each value, `i` a constant in it."""

    name: Identifier
    low: Expression
    high: Expression
    span: Span


class AnyNumber(Node, frozen=True):
    """`[i : *]`: any number of copies, `i` the identity of each; without a name it is `self`."""

    name: Identifier | None
    span: Span


class Thread(Node, frozen=True):
    """`thread T { … }`, `thread T[i : 1..3] { … }` or `thread T[i : *] { … }`."""

    name: Identifier
    family: Family | AnyNumber | None
    relies: tuple[Rely, ...]
    guarantees: tuple[Guarantee, ...]
    terminates: tuple[Terminates, ...]
    body: Block
    span: Span


class LocationDeclaration(Node, frozen=True):
    """`location q0 initial { inv e; env R; }`; several `inv` or `env` are conjoined."""

    name: Identifier
    initial: bool
    inv: tuple[Expression, ...]
    env: tuple[Expression, ...]
    span: Span


class EdgeDeclaration(Node, frozen=True):
    """`edge a -> b @label when guard { body }`; the body is atomic, None for `;`.

    `checked` says that its values are known to be in range: no edges to `fail` come with it.
    """

    source: Identifier
    target: Identifier
    label: Label | None
    guard: Expression | None
    checked: bool
    body: Block | None
    span: Span


class AutomatonDeclaration(Node, frozen=True):
    """`automaton P1 { … }`; `index` for a member of a family, `automaton T[2]`, or for one of any number."""

    name: Identifier
    index: int | AnyNumber | None
    items: tuple[AutomatonItem, ...]
    span: Span


AutomatonItem: TypeAlias = Global | Local | Init | Rely | Guarantee | Terminates | LocationDeclaration | EdgeDeclaration


class InvariantDeclaration(Node, frozen=True):
    """`invariant name : e expect proved;`, weak unless `strong`."""

    name: Identifier
    formula: Expression
    strong: bool
    expect: Verdict | None
    span: Span


class Expect(Node, frozen=True):
    """`expect proved;` for the file."""

    verdict: Verdict
    span: Span


class ThreadPair(Node, frozen=True):
    """`thread Concrete refines Abstract;`"""

    concrete: ThreadName
    abstract: ThreadName
    span: Span


class Path(Node, frozen=True):
    """A file that a text names, as it is written there."""

    text: str
    span: Span


class RefinementBlock(Node, frozen=True):
    """`refinement name { … }`; formulas over both sides say `conc.x` and `abs.x`."""

    name: Identifier
    abstract: Path | None
    concrete: Path | None
    clauses: Clauses
    preserve: str | None
    pairs: tuple[ThreadPair, ...]
    expect: Verdict | None
    span: Span


class UsesScheduler(Node, frozen=True):
    """`scheduler NAME;`: the threads of the file run one at a time, and this scheduler says which; `cooperative;`."""

    name: Identifier
    span: Span


class Event(Node, frozen=True):
    """An event, or `size` of them: `event e[3];`."""

    name: Identifier
    size: Expression | None
    span: Span


class Events(Node, frozen=True):
    """`event e, f[3];`."""

    events: tuple[Event, ...]
    span: Span


class Answer(Node, frozen=True):
    """`on wait(e) { … }`: what a scheduler does in one step when a thread asks for this."""

    asked: Asked
    parameters: tuple[Identifier, ...]
    body: Block
    span: Span


class Scheduler(Node, frozen=True):
    """`scheduler NAME { … }`: its state, its answers to threads, and the steps that it takes while no thread runs."""

    name: Identifier
    state: tuple[Global, ...]
    definitions: tuple[Define, ...]
    answers: tuple[Answer, ...]
    steps: tuple[Await, ...]
    span: Span


Declaration: TypeAlias = (
    Import
    | Const
    | Param
    | Global
    | Enumeration
    | Define
    | FunctionDeclaration
    | Procedure
    | AxiomDeclaration
    | Init
    | Thread
    | AutomatonDeclaration
    | InvariantDeclaration
    | Terminates
    | Progress
    | Fair
    | Leads
    | Expect
    | RefinementBlock
    | StepDeclaration
    | UsesScheduler
    | Events
    | Scheduler
)


class Module(Node, frozen=True):
    """A parsed file."""

    source: Source
    declarations: tuple[Declaration, ...] = ()
