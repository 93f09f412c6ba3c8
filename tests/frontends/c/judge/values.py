"""Expressions and calls. What has an effect becomes a statement of its own before, in the order from left to right."""

from __future__ import annotations

from collections.abc import Callable

from tests.frontends.c.judge.printing import WITH_ATTRIBUTES, WITH_SHARING
from tests.frontends.c.judge.syntax import (
    ATOMIC,
    ATOMIC_POINTER,
    INT,
    NODE_POINTER,
    SEQ_CST,
    Address,
    Allocate,
    Assert,
    Assign,
    Atomic,
    Binary,
    Call,
    Create,
    Exit,
    Expression,
    Fence,
    Field,
    Free,
    If,
    Join,
    Load,
    Local,
    Named,
    Number,
    Once,
    Part,
    Place,
    Statement,
    Sync,
    Target,
)
from tests.frontends.c.judge.tokens import LEAVES, PRECEDENCE, NotRead, Tokens


class Values(Tokens):
    """Reads expressions."""

    def expression(self, level: int = 0) -> Expression:
        """An expression of operators from a precedence on."""
        if level == len(PRECEDENCE):
            return self.unary()
        left = self.expression(level + 1)
        while self.peek() in PRECEDENCE[level]:
            operator = self.next()
            if operator in ("&&", "||"):
                left = self.shortened(operator, left, level)
                continue
            self.before.append([])
            right = self.expression(level + 1)
            inner = self.before.pop()
            if inner and not isinstance(left, Number | Local | Address):
                kept = self.temporary(INT)
                self.before[-1].append(Assign(Local(kept), left))
                left = Local(kept)
            self.before[-1].extend(inner)
            if operator in (">", ">="):
                left, right, operator = right, left, operator.replace(">", "<")
            left = self.simplified(Binary(operator, left, right))
        return left

    def simplified(self, value: Binary) -> Expression:
        """`try… (…) == 0` is whether the lock was got, which is what the statement gives."""
        last = self.before[-1][-1] if self.before[-1] else None
        if isinstance(last, Sync) and last.result is not None:
            got = Local(last.result)
            if value == Binary("==", Binary("==", got, Number(0)), Number(0)):
                return got
        return value

    def shortened(self, operator: str, left: Expression, level: int) -> Expression:
        """The right side is only computed where the left one does not decide."""
        result, inner = self.temporary(INT), list[Statement]()
        self.before[-1].append(Assign(Local(result), Binary("!=", left, Number(0))))
        right = self.hoisted(inner, lambda: self.expression(level + 1))
        inner.append(Assign(Local(result), Binary("!=", right, Number(0))))
        decided = Binary("==", Local(result), Number(0))
        condition = Local(result) if operator == "&&" else decided
        self.before[-1].append(If(condition, tuple(inner)))
        return Local(result)

    def unary(self) -> Expression:
        """An operand."""
        token = self.next()
        match token:
            case "!":
                return Binary("==", self.unary(), Number(0))
            case "-":
                inner = self.unary()
                return Number(-inner.value) if isinstance(inner, Number) else Binary("-", Number(0), inner)
            case "&":
                where, _ = self.place()
                if isinstance(where, Local):
                    raise NotRead(f"the address of {where.name}")
                return Address(where)
            case "*":
                self.at -= 1
                return self.loaded(*self.place())
            case "(":
                if self.peek() in LEAVES:
                    self.base()
                    while self.took("*"):
                        pass
                    self.expect(")")
                    return self.unary()
                value = self.expression()
                self.expect(")")
                if self.peek() == "->":
                    return self.loaded(*self.members(value, ""))
                return value
            case "NULL":
                return Number(0)
            case _ if token.isdigit():
                return Number(int(token))
            case _ if self.peek() == "(":
                return self.call(token)
            case _:
                self.at -= 1
                place, of = self.place()
                return place if isinstance(place, Local) else self.loaded(place, of)

    def place(self) -> tuple[Place | Local, str]:
        """A place or local variable, and its type."""
        if self.took("*"):
            atomic = self.types.get(self.peek()) == f"{ATOMIC} *"
            return Target(self.unary()), ATOMIC if atomic else INT
        if self.took("("):
            value = self.expression()
            self.expect(")")
            return self.members(value, "")
        name = self.next()
        if self.took("["):
            name = f"{name}_{self.next()}"
            self.expect("]")
        if name not in self.types:
            raise NotRead(f"the name {name}")
        of = self.types[name]
        if self.took("."):
            field = self.next()
            place: Place = Part(name, field)
            of = self.type_of(field)
        elif name in {v.name for v in self.locals} or name in self.parameters:
            if self.peek() != "->":
                return Local(name), of
            return self.members(Local(name), of)
        else:
            place = Named(name)
        return self.members(self.loaded(place, of), of) if self.peek() == "->" else (place, of)

    def members(self, value: Expression, of: str) -> tuple[Place, str]:
        """The members of what a pointer points to."""
        while True:
            self.expect("->")
            field = self.next()
            place, of = Field(value, field), self.type_of(field)
            if self.peek() != "->":
                return place, of
            value = self.loaded(place, of)

    def type_of(self, field: str) -> str:
        """The type of a member."""
        return next((f.type for f in self.fields if f.name == field), "")

    def loaded(self, place: Place | Local, of: str) -> Expression:
        """What a place holds; of an atomic one by a step of its own."""
        if isinstance(place, Local):
            return place
        if of not in (ATOMIC, ATOMIC_POINTER):
            return Load(place)
        result = self.temporary(INT if of == ATOMIC else NODE_POINTER)
        self.before[-1].append(Atomic("load", place, (), (SEQ_CST,), result))
        return Local(result)

    # Calls.

    def call(self, name: str) -> Expression:
        """A call, as a statement of its own; its result."""
        self.expect("(")
        if name == "assert":
            value = self.expression()
            self.expect(")")
            self.before[-1].append(Assert(value))
            return Number(0)
        if name in ("malloc", "calloc", "realloc"):
            return self.allocation(name)
        if name.startswith("atomic_"):
            return self.atomic(name)
        if name.startswith(("pthread_", "sem_")):
            return self.posix(name)
        arguments = list[Expression]()
        while not self.took(")"):
            arguments.append(self.expression())
            self.took(",")
        if name == "free":
            self.before[-1].append(Free(arguments[0]))
            return Number(0)
        if name not in self.results:
            raise NotRead(f"the function {name}")
        if self.results[name] == "void":
            self.before[-1].append(Call(name, tuple(arguments)))
            return Number(0)
        result = self.temporary(self.results[name])
        self.before[-1].append(Call(name, tuple(arguments), result))
        return Local(result)

    def allocation(self, name: str) -> Expression:
        """An allocation of one object, `sizeof *p` or `sizeof(type)`."""
        old = None
        if name == "realloc":
            old = self.expression()
            self.expect(",")
        if name == "calloc":
            self.expect("1")
            self.expect(",")
        self.expect("sizeof")
        of = INT
        if self.took("("):
            of = self.base()
            self.expect(")")
        else:
            self.expect("*")
            of = self.types[self.next()].removesuffix(" *")
        self.expect(")")
        result = self.temporary(f"{of} *")
        self.before[-1].append(Allocate(name, of, result, old))
        return Local(result)

    def atomic(self, name: str) -> Expression:
        """A function of `stdatomic.h`."""
        orders, values, expected = list[str](), list[Expression](), None
        operation = name.removeprefix("atomic_").removesuffix("_explicit").replace("_weak", "_strong")
        where: Place | Local = Local("")
        of = ATOMIC
        if operation != "thread_fence":
            if self.took("&"):
                where, of = self.place()
            else:
                where = Target(self.expression())
        while not self.took(")"):
            self.took(",")
            if self.peek().startswith("memory_order_"):
                orders.append(self.next().removeprefix("memory_order_"))
            elif operation.startswith("compare") and expected is None:
                self.expect("&")
                expected = self.next()
            else:
                values.append(self.expression())
        if operation == "thread_fence":
            self.before[-1].append(Fence(orders[0]))
            return Number(0)
        given = tuple(orders) or (SEQ_CST,) * (2 if expected else 1)
        plain = operation in ("store", "init")
        result = None if plain else self.temporary(INT if expected or of == ATOMIC else NODE_POINTER)
        made = Atomic(operation, where, tuple(values), given, result, expected)  # type: ignore[arg-type]
        self.before[-1].append(made)
        return Number(0) if result is None else Local(result)

    def posix(self, name: str) -> Expression:
        """A function of threads, locks and semaphores."""
        places, values = list[Place](), list[Expression]()
        if name in ("pthread_create", "pthread_once"):
            self.expect("&")
            where, _ = self.place()
            self.expect(",")
            if name == "pthread_once":
                self.before[-1].append(Once(where, self.next()))  # type: ignore[arg-type]
                self.expect(")")
                return Number(0)
            self.expression()
            self.expect(",")
            function = self.next()
            self.expect(",")
            self.before[-1].append(Create(where, function, self.expression()))  # type: ignore[arg-type]
            self.expect(")")
            return Number(0)
        while not self.took(")"):
            self.took(",")
            if self.took("&") or (name in ("pthread_join", "pthread_detach") and not values and not places):
                places.append(self.place()[0])  # type: ignore[arg-type]
            else:
                values.append(self.expression())
        match name:
            case "pthread_join":
                self.before[-1].append(Join(places[0]))
            case "pthread_exit":
                self.before[-1].append(Exit())
            case "pthread_detach":
                pass
            case _:
                return self.synchronising(name, tuple(places), values)
        return Number(0)

    def synchronising(self, name: str, places: tuple[Place, ...], values: list[Expression]) -> Expression:
        """A function of synchronisation objects."""
        numbers = tuple(v.value for v in values if isinstance(v, Number))
        if len(numbers) != len(values) or not places:
            raise NotRead(name)
        kept = numbers[1:] if name in (*WITH_ATTRIBUTES, *WITH_SHARING) else numbers
        kept = kept if name in ("sem_init", "pthread_barrier_init") else ()
        if "try" not in name:
            self.before[-1].append(Sync(name, places, kept))
            return Number(0)
        result = self.temporary(INT)
        self.before[-1].append(Sync(name, places, kept, result))
        return Binary("==", Local(result), Number(0))

    def hoisted(self, found: list[Statement], parse: Callable[[], Expression]) -> Expression:
        """An expression; what must be done before it is added."""
        self.before.append([])
        value = parse()
        found.extend(self.before.pop())
        return value
