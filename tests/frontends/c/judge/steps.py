"""Each thread as a list of elementary steps, of which each makes at most one access that another thread can see."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from msgspec import Struct, structs

from tests.frontends.c.judge import effects, locks, printing
from tests.frontends.c.judge.effects import Effect, Pure, Where
from tests.frontends.c.judge.machine import FIRST, Layout, Storage
from tests.frontends.c.judge.shape import creations, every
from tests.frontends.c.judge.syntax import (
    Address,
    Allocate,
    Assert,
    Assign,
    Atomic,
    Binary,
    Block,
    Break,
    Call,
    Create,
    Exit,
    Expression,
    Fence,
    Field,
    Free,
    Function,
    If,
    Join,
    Load,
    Local,
    Named,
    Number,
    Once,
    Part,
    Place,
    Program,
    Return,
    Statement,
    Sync,
    Target,
    Variable,
    While,
)


class Step(Struct):
    """A step: its effect, or a jump. A local one is taken together with what precedes it."""

    effect: Effect | None
    text: str
    local: bool = False
    #: Where the thread goes; `otherwise` where the condition is zero.
    condition: Pure | None = None
    target: int = -1
    otherwise: int = -1


class Machine(Struct):
    """A program as steps: those of each thread, how many registers it has, and its memory."""

    layout: Layout
    threads: list[list[Step]]
    registers: list[int]
    #: Of each thread the register of its parameter, and its thread-local objects.
    parameters: list[int | None]
    own: list[tuple[int, ...]]
    statics: list[int]
    initial: dict[int, int]


OPERATORS: dict[str, Callable[[int, int], int]] = {
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "&": lambda a, b: a & b,
}


def machine(program: Program, heap: int) -> Machine:
    """The steps of a program."""
    layout = Layout(program.fields, creations(program))
    shared, initial, statics = dict[str, int](), dict[int, int](), list[int]()
    for static in program.statics:
        if not static.thread_local:
            shared[static.name] = len(layout.objects)
            statics.append(shared[static.name])
            made = layout.add(static, Storage.STATIC)
            if static.initial is not None:
                initial[made.base] = static.initial
    pool = tuple(range(len(layout.objects), len(layout.objects) + heap))
    kinds = {a.of for f in program.functions for a in every(f.body) if isinstance(a, Allocate)}
    for number in range(heap if kinds else 0):
        layout.add(Variable(f"memory {number}", min(kinds)), Storage.HEAP)
    assert len(kinds) < 2, "programs allocate objects of one type"
    result = Machine(layout, [], [], [], [], statics, initial)
    starts = ["main"]
    for number, start in enumerate(starts):
        own = tuple(s for s in program.statics if s.thread_local)
        made_own = {s.name: _own(layout, s, f"thread {number}", initial) for s in own}
        compiler = Compiler(program, layout, {**shared, **made_own}, pool, starts)
        function = compiler.functions[start]
        compiler.thread(function)
        result.threads.append(compiler.steps)
        result.registers.append(len(compiler.registers))
        first = function.parameters[0].name if function.parameters else None
        result.parameters.append(None if first is None else compiler.registers[("", first)])
        result.own.append(tuple(made_own.values()))
    return result


def _own(layout: Layout, static: Variable, thread: str, initial: dict[int, int]) -> int:
    number = len(layout.objects)
    made = layout.add(structs.replace(static, name=f"{static.name} of {thread}"), Storage.AUTOMATIC)
    initial[made.base] = static.initial or 0
    return number


class Compiler:
    """The steps of one thread. Calls are part of their callers, with variables of their own."""

    def __init__(
        self, program: Program, layout: Layout, names: dict[str, int], pool: tuple[int, ...], starts: list[str]
    ) -> None:
        self.functions = {f.name: f for f in program.functions}
        self.layout, self.names, self.pool, self.starts = layout, dict(names), pool, starts
        self.steps: list[Step] = []
        self.registers: dict[tuple[str, str], int] = {}
        self.calls = 0
        self.is_main = False
        self.result_register = -1
        #: The call, the objects of open blocks, the jumps to its end, and where its result goes.
        self.frame = ""
        self.open: list[list[int]] = [[]]
        self.returns: list[list[Step]] = [[]]
        self.results: list[str | None] = [None]
        self.temporaries: list[int] = []
        #: Of each loop around: how many objects were open before it, and the jumps out of it.
        self.loops: list[tuple[int, list[Step]]] = []

    def thread(self, function: Function) -> None:
        """All of a thread."""
        self.is_main = function.name == "main"
        for variable in (*function.parameters, *function.locals):
            self.register(variable.name)
        for variable in function.locals:
            if variable.initial is not None:
                self.local(effects.constant(self.register(variable.name), variable.initial), "")
        self.body(function.body)
        self._leave("main" if self.is_main else "thread")

    def _leave(self, how: str) -> None:
        objects = tuple(n for frame in self.open for n in frame)
        self.emit(effects.leave(how == "main", objects), "return")

    def register(self, name: str) -> int:
        """The register of a local variable."""
        return self.registers.setdefault((self.frame, name), len(self.registers))

    def emit(self, effect: Effect, text: str) -> Step:
        """A step that others may see."""
        step = Step(effect, text)
        self.steps.append(step)
        step.target = len(self.steps)
        return step

    def local(self, effect: Effect, text: str) -> Step:
        """A step that nobody sees."""
        step = self.emit(effect, text)
        step.local = True
        return step

    def branch(self, condition: Pure | None) -> Step:
        """A jump whose targets are to be set."""
        step = Step(None, "", local=True, condition=condition, target=len(self.steps) + 1)
        self.steps.append(step)
        return step

    def body(self, body: tuple[Statement, ...]) -> None:
        """Statements in their order."""
        for statement in body:
            self.statement(statement)
            self.clear()

    def clear(self) -> None:
        """Values that are not needed any more are no part of states."""
        if self.temporaries:
            self.local(effects.clear(tuple(self.temporaries)), "")
            self.temporaries = []

    # Expressions.

    def value(self, expression: Expression) -> Pure:
        """The value of an expression, once its loads are done."""
        match expression:
            case Number(number):
                return lambda _registers: number
            case Local(name):
                return effects.local(self.register(name), name)
            case Load(place):
                where = self.where(place)
                temporary = self.temporary()
                self.emit(effects.load(where, temporary, printing.place(place)), f"read {printing.place(place)}")
                return effects.local(temporary, "")
            case Address(place):
                return effects.address(self.where(place))
            case Binary(operator, left, right):
                return effects.binary(OPERATORS[operator], self.value(left), self.value(right))
            case _:
                assert_never(expression)

    def temporary(self) -> int:
        """A register for a value in between."""
        self.registers[("temporary", str(len(self.registers)))] = found = len(self.registers)
        self.temporaries.append(found)
        return found

    def where(self, place: Place) -> Where:
        """The address of a place."""
        match place:
            case Named(name):
                return self._fixed(self.layout.objects[self.names[name]].base)
            case Part(name, field):
                return self._fixed(self.layout.objects[self.names[name]].base + self.layout.offset(field))
            case Field(pointer, field):
                return effects.moved(self.value(pointer), self.layout.offset(field))
            case Target(pointer):
                return self.value(pointer)
            case _:
                assert_never(place)

    def _fixed(self, cell: int) -> Where:
        return lambda _registers: FIRST + cell

    # Statements.

    def statement(self, statement: Statement) -> None:
        """The steps of a statement."""
        text = printing.first_line(statement)
        match statement:
            case Assign(Local(name), value):
                self.local(effects.assign(self.register(name), self.value(value)), text)
            case Assign(place, value):
                assert not isinstance(place, Local)
                where = self.where(place)
                self.emit(effects.store(where, self.value(value), text), text)
            case Atomic():
                self._atomic(statement, text)
            case Fence(order):
                self.emit(effects.fence(order), text)
            case Allocate(function, _, result, old):
                before = None if old is None else self.value(old)
                made = effects.allocate(function, self.pool, self.register(result), before, text)
                self.emit(made, text)
            case Free(pointer):
                self.emit(effects.free(self.value(pointer), text), text)
            case Sync():
                self._sync(statement, text)
            case Create(handle, function, argument):
                given, number = self.value(argument), len(self.starts)
                self.starts.append(function)
                self.emit(effects.create(number, given), text)
                self.emit(effects.store(self.where(handle), lambda _registers: number, text), text)
            case Join(handle):
                self.emit(effects.join(self.value(Load(handle)), text), text)
            case Exit():
                self._leave("exit")
            case Assert(value):
                self.emit(effects.check(self.value(value), text), text)
            case Call() | Return() | Once():
                self._calls(statement, text)
            case If() | While() | Block() | Break():
                self._structured(statement)
            case _:
                assert_never(statement)

    def _atomic(self, statement: Atomic, text: str) -> None:
        where = self.where(statement.place)
        values = tuple(map(self.value, statement.values))
        result = None if statement.result is None else self.register(statement.result)
        expected = None if statement.expected is None else self.register(statement.expected)
        if statement.operation == "init":
            self.emit(effects.store(where, values[0], text), text)
        else:
            made = effects.atomic(statement.operation, where, values, statement.orders, (result, expected), text)
            self.emit(made, text)

    def _sync(self, statement: Sync, text: str) -> None:
        result = None if statement.result is None else self.register(statement.result)
        places = tuple(map(self.where, statement.places))
        for effect in locks.steps(statement.function, places, statement.numbers, result, text):
            self.emit(effect, text)

    def _calls(self, statement: Call | Return | Once, text: str) -> None:
        match statement:
            case Call(name, arguments, result):
                values = tuple(map(self.value, arguments))
                self._call(self.functions[name], values, result)
            case Once(place, name):
                where = self.where(place)
                temporary = self.temporary()
                self.emit(locks.once_begin(where, temporary, text), text)
                jump = self.branch(effects.local(temporary, ""))
                self._call(self.functions[name], (), None)
                self.emit(locks.once_end(where, text), text)
                jump.otherwise = len(self.steps)
            case Return(value):
                given = self.value(value) if value is not None else None
                if len(self.results) == 1:
                    self._leave("main" if self.is_main else "thread")
                    return
                if given is not None and self.results[-1] is not None:
                    self.local(effects.assign(self.result_register, given), text)
                self._end(self.open[-1])
                self.returns[-1].append(self.branch(None))
            case _:
                assert_never(statement)

    def _call(self, function: Function, values: tuple[Pure, ...], result: str | None) -> None:
        target = -1 if result is None else self.register(result)
        saved = self.frame, self.result_register, self.names, self.temporaries
        self.calls += 1
        self.frame, self.result_register, self.temporaries = f"{function.name} {self.calls}", target, []
        self.open.append([])
        self.returns.append([])
        self.results.append(result)
        for parameter, value in zip(function.parameters, values, strict=True):
            self.local(effects.assign(self.register(parameter.name), value), "")
        for variable in function.locals:
            register = self.register(variable.name)
            if variable.initial is not None:
                self.local(effects.constant(register, variable.initial), "")
        self.body(function.body)
        self._end(self.open.pop())
        for jump in self.returns.pop():
            jump.target = len(self.steps)
        self.results.pop()
        own = tuple(r for (frame, _), r in self.registers.items() if frame == self.frame)
        self.local(effects.clear(own), "")
        self.frame, self.result_register, self.names, self.temporaries = saved

    def _end(self, objects: list[int]) -> None:
        if objects:
            self.emit(effects.end(tuple(objects)), "end of block")

    def _structured(self, statement: If | While | Block | Break) -> None:
        match statement:
            case If(condition, then, otherwise):
                jump = self.branch(self.value(condition))
                self.clear()
                self.body(then)
                over = self.branch(None)
                jump.otherwise = len(self.steps)
                self.body(otherwise)
                over.target = len(self.steps)
            case While(condition, body, do):
                first = len(self.steps)
                jump = None if do else self.branch(self.value(condition))
                self.clear()
                self.loops.append((len(self.open[-1]), []))
                self.body(body)
                back = self.branch(self.value(condition) if do else None)
                self.clear()
                back.target, back.otherwise = first, len(self.steps)
                for leaving in self.loops.pop()[1]:
                    leaving.target = len(self.steps)
                if jump is not None:
                    jump.otherwise = len(self.steps)
            case Break():
                depth, leaves = self.loops[-1]
                self._end(self.open[-1][depth:])
                leaves.append(self.branch(None))
            case Block(variables, body):
                saved, objects = dict(self.names), list[int]()
                for variable in variables:
                    self.names[variable.name] = len(self.layout.objects)
                    objects.append(len(self.layout.objects))
                    made = self.layout.add(variable, Storage.AUTOMATIC)
                    self.local(effects.begin(objects[-1], made, variable.initial), "")
                self.open[-1].extend(objects)
                self.body(body)
                self._end(objects)
                del self.open[-1][len(self.open[-1]) - len(objects) :]
                self.names = saved
            case _:
                assert_never(statement)
