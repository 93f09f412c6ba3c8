"""A reader for the part of C that the programs of this comparison are written in, independent of the front end.

Calls and atomic accesses inside of expressions become statements of their own before them, in the order from left to right. A `while`
whose condition has such statements begins with them in each round.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import structs

from tests.frontends.c.judge.printing import WITH_ATTRIBUTES, WITH_SHARING
from tests.frontends.c.judge.syntax import (
    ATOMIC,
    ATOMIC_POINTER,
    HANDLE,
    INT,
    INT_POINTER,
    NODE,
    NODE_POINTER,
    SEQ_CST,
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

TOKEN = re.compile(r"\s*(?:([A-Za-z_]\w*|\d+)|(->|==|!=|<=|>=|&&|\|\||\+\+|--|\+=|-=|[-+*/&|!<>=(){}\[\];,.?:]))")
IGNORED = ("static", "extern", "volatile", "const", "inline")
LEAVES = (
    "int",
    "void",
    "atomic_int",
    "pthread_t",
    "pthread_mutex_t",
    "pthread_rwlock_t",
    "pthread_spinlock_t",
    "pthread_barrier_t",
    "pthread_cond_t",
    "pthread_once_t",
    "sem_t",
    "struct",
    "_Atomic",
)
ASSIGNING = ("=", "+=", "-=", "++", "--")
PRECEDENCE = (("||",), ("&&",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("+", "-"))


class NotRead(Exception):
    """A text that is no program of this part of C."""


def read(source: str) -> Program:
    """The program of a text.

    Raises:
        NotRead: it is not in this part of C.
    """
    source = re.sub(r"//[^\n]*|/\*.*?\*/|^\s*#[^\n]*", " ", source, flags=re.DOTALL | re.MULTILINE)
    tokens, position = list[str](), 0
    while source[position:].strip():
        found = TOKEN.match(source, position)
        if found is None:
            raise NotRead(source[position : position + 30])
        tokens.append(found[1] or found[2])
        position = found.end()
    return _Reader(tokens).program()


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.at = tokens, 0
        self.types: dict[str, str] = {}
        self.results: dict[str, str] = {}
        self.fields: tuple[Variable, ...] = ()
        self.structure = ""
        #: Of the function that is being read: its locals, which of its variables lie in memory, and statements that come first.
        self.locals: list[Variable] = []
        self.memory: set[str] = set()
        self.parameters: set[str] = set()
        self.before: list[list[Statement]] = [[]]

    # Tokens.

    def peek(self, ahead: int = 0) -> str:
        """A token to come."""
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def next(self) -> str:
        """The next token."""
        self.at += 1
        return self.tokens[self.at - 1]

    def took(self, token: str) -> bool:
        """Whether this token came next; then it is read."""
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def expect(self, token: str) -> None:
        """Reads a token that must come."""
        if not self.took(token):
            raise NotRead(" ".join(self.tokens[max(0, self.at - 5) : self.at + 5]))

    # Declarations.

    def program(self) -> Program:
        """All of a file."""
        statics, functions = list[Variable](), list[Function]()
        while self.peek():
            if self.peek() == "struct" and self.peek(2) == "{":
                self.structures()
                continue
            local = self.qualifiers()
            base = self.base()
            while not self.took(";"):
                variables = self.declarator(base)
                if self.peek() == "(":
                    functions.append(self.function(variables[0]))
                    break
                for variable in variables:
                    self.types[variable.name] = variable.type
                    initial = self.initial() if self.took("=") else None
                    statics.append(structs.replace(variable, thread_local=local, initial=initial))
                self.took(",")
        return Program(self.fields, tuple(statics), tuple(f for f in functions if f.body or f.name != ""))

    def qualifiers(self) -> bool:
        """Reads what changes nothing here; whether the variable is thread-local."""
        found = False
        while self.peek() in (*IGNORED, "_Thread_local", "__thread"):
            found |= self.next() in ("_Thread_local", "__thread")
        return found

    def structures(self) -> None:
        """The structure of the program."""
        self.next()
        self.structure = self.next()
        self.expect("{")
        fields = list[Variable]()
        while not self.took("}"):
            self.qualifiers()
            base = self.base()
            while not self.took(";"):
                fields.extend(self.declarator(base))
                self.took(",")
        self.expect(";")
        self.fields = tuple(fields)

    def base(self) -> str:
        """A type without its star."""
        name = self.next()
        if name == "struct":
            self.structure = self.next()
            return NODE
        if name == "_Atomic":
            if self.took("("):
                inner = self.base()
                starred = self.took("*")
                self.expect(")")
                return ATOMIC_POINTER if starred else ATOMIC if inner == INT else NODE
            self.base()
            return ATOMIC if self.peek() != "*" else f"_Atomic {NODE}"
        if name not in LEAVES:
            raise NotRead(f"the type {name}")
        return name

    def declarator(self, base: str) -> list[Variable]:
        """A name with its type; an array of constant size is a variable for each element."""
        stars = 0
        while self.took("*") or self.took("_Atomic"):
            stars += self.tokens[self.at - 1] == "*"
            if self.tokens[self.at - 1] == "_Atomic":
                base = "_Atomic"
        if base == "_Atomic":
            of = ATOMIC_POINTER
        else:
            of = base if not stars else {INT: INT_POINTER, NODE: NODE_POINTER}.get(base, f"{base} *")
        name = self.next()
        if self.took("["):
            size = int(self.next())
            self.expect("]")
            return [Variable(f"{name}_{i}", of) for i in range(size)]
        return [Variable(name, of)]

    def initial(self) -> int | None:
        """A constant; initialisers of locks are those that are all zero."""
        token = self.next()
        if token == "{":
            while self.next() != "}":
                pass
            return None
        sign = -1 if token == "-" else 1
        token = self.next() if token == "-" else token
        if token.endswith("_INIT") or token.endswith("_INITIALIZER") or token == "NULL":
            return None
        if not token.isdigit():
            raise NotRead(f"the first value {token}")
        return sign * int(token)

    def function(self, named: Variable) -> Function:
        """A function."""
        self.expect("(")
        parameters = list[Variable]()
        while not self.took(")"):
            base = self.base()
            if base == "void" and self.peek() == ")":
                continue
            parameters.extend(self.declarator(base))
            self.took(",")
        self.results[named.name] = named.type
        self.locals, outer = [], dict(self.types)
        self.types.update({p.name: p.type for p in parameters})
        self.parameters = {p.name for p in parameters}
        self.memory = self.addressed()
        if self.memory & {p.name for p in parameters}:
            raise NotRead("the address of a parameter")
        self.expect("{")
        body = self.block()
        self.types = outer
        thread = named.type == "void *"
        result = "int" if named.name == "main" else named.type
        found = Function(named.name, tuple(parameters), (), body, result, thread)
        return structs.replace(found, locals=tuple(self.locals))

    def addressed(self) -> set[str]:
        """The variables of the function whose address is taken, other than by a compare-exchange."""
        depth, found, at = 0, set[str](), self.at
        while True:
            token = self.tokens[at]
            depth += (token == "{") - (token == "}")
            if token == "}" and depth == 0:
                return found
            after = self.tokens[at + 1]
            member = self.tokens[at + 2 : at + 3] == ["->"]
            expected = self.tokens[at - 1] == "," and self._inside_exchange(at)
            if token == "&" and self.tokens[at - 1] in ("=", "(", ",", "return") and not expected and not member:
                found.add(after)
            at += 1

    def _inside_exchange(self, at: int) -> bool:
        while self.tokens[at] not in (";", "{", "}"):
            if self.tokens[at].startswith("atomic_compare_exchange"):
                return True
            at -= 1
        return False

    # Statements.

    def block(self) -> tuple[Statement, ...]:
        """Statements up to the brace; a variable in memory makes a block of what follows it."""
        found = list[Statement]()
        while not self.took("}"):
            in_memory = list[Variable]()
            if self.peek() in LEAVES or self.peek() in IGNORED:
                first = self.declaration(in_memory)
                if in_memory:
                    return (*found, Block(tuple(in_memory), (*first, *self.block())))
                found.extend(first)
            else:
                found.extend(self.statement())
        return tuple(found)

    def declaration(self, in_memory: list[Variable]) -> list[Statement]:
        """The declaration of variables of a function."""
        self.qualifiers()
        base, found = self.base(), list[Statement]()
        while not self.took(";"):
            for variable in self.declarator(base):
                self.types[variable.name] = variable.type
                plain = variable.type.endswith("*") or variable.type == INT
                if variable.name in self.memory or not plain or variable.name[:-2] in self.memory:
                    self.memory.add(variable.name)
                    in_memory.append(variable)
                    if self.took("="):
                        self._first(found, in_memory)
                    continue
                if variable.name not in {v.name for v in self.locals}:
                    self.locals.append(variable)
                if self.took("="):
                    self._assigned(found, Local(variable.name))
            self.took(",")
        return found

    def _first(self, found: list[Statement], in_memory: list[Variable]) -> None:
        """The first value of a variable in memory: a constant, or what is computed and stored when its block begins."""
        variable, start = in_memory[-1], self.at
        token = self.next()
        if token in ("-", "{") or token.isdigit() or token.endswith(("_INIT", "_INITIALIZER")):
            self.at = start
            in_memory[-1] = structs.replace(variable, initial=self.initial())
            return
        self.at = start
        value = self.hoisted(found, self.expression)
        found.append(Assign(Named(variable.name), value))

    def _assigned(self, found: list[Statement], target: Local) -> None:
        value = self.hoisted(found, self.expression)
        found.append(Assign(target, value))
        self.joined(found)

    def hoisted(self, found: list[Statement], parse: Callable[[], Expression]) -> Expression:
        """An expression; what must be done before it is added."""
        self.before.append([])
        value = parse()
        found.extend(self.before.pop())
        return value

    def statement(self) -> list[Statement]:
        """A statement."""
        found = list[Statement]()
        if self.took(";"):
            return found
        if self.took("{"):
            return list(self.block())
        match self.peek():
            case "if":
                self.next()
                condition = self.hoisted(found, self.parenthesised)
                then = tuple(self.statement())
                otherwise = tuple(self.statement()) if self.took("else") else ()
                found.append(If(condition, then, otherwise))
            case "while" | "for" | "do":
                self.loop(found)
            case "break":
                self.next()
                self.expect(";")
                found.append(Break())
            case "return":
                self.next()
                value = None if self.peek() == ";" else self.hoisted(found, self.expression)
                self.expect(";")
                found.append(Return(value))
            case _:
                self.simple(found)
                self.expect(";")
        return found

    def loop(self, found: list[Statement]) -> None:
        """A loop."""
        kind, first, last = self.next(), list[Statement](), list[Statement]()
        if kind == "do":
            body = tuple(self.statement())
            self.expect("while")
            condition = self.hoisted(first, self.parenthesised)
            self.expect(";")
            found.append(While(condition, (*body, *first), do=True))
            return
        if kind == "for":
            self.expect("(")
            if self.peek() in LEAVES:
                found.extend(self.declaration([]))
            elif not self.took(";"):
                self.simple(found)
                self.expect(";")
            condition = Number(1) if self.peek() == ";" else self.hoisted(first, self.expression)
            self.expect(";")
            if self.peek() != ")":
                self.simple(last)
            self.expect(")")
        else:
            condition = self.hoisted(first, self.parenthesised)
        body = (*self.statement(), *last)
        if first:
            negated = Binary("==", condition, Number(0))
            body, condition = (*first, If(negated, (Break(),)), *body), Number(1)
        found.append(While(condition, body))

    def parenthesised(self) -> Expression:
        """An expression in parentheses."""
        self.expect("(")
        value = self.expression()
        self.expect(")")
        return value

    def simple(self, found: list[Statement]) -> None:
        """An assignment, a call, or an expression for its effects."""
        self.before.append([])
        start, kept = self.at, list(self.locals)
        try:
            place, of = self.place()
        except NotRead:
            place, of = Number(0), ""
        if isinstance(place, Number) or self.peek() not in ASSIGNING:
            self.at, self.locals, self.before[-1] = start, kept, []
            value = self.expression()
            if isinstance(value, Load):
                self.before[-1].append(Assign(Local(self.temporary(INT)), value))
        else:
            operator = self.next()
            right = self.expression() if operator in ("=", "+=", "-=") else Number(1)
            self.assignment(place, of, operator, right)
        found.extend(self.before.pop())

    def assignment(self, target: Place | Local, of: str, operator: str, right: Expression) -> None:
        """An assignment; of an atomic object in one step."""
        if of in (ATOMIC, ATOMIC_POINTER):
            name = "store" if operator == "=" else "fetch_sub" if "-" in operator else "fetch_add"
            self.before[-1].append(Atomic(name, target, (right,), (SEQ_CST,)))  # type: ignore[arg-type]
            return
        if operator != "=":
            old = target if isinstance(target, Local) else Load(target)
            right = Binary("-" if "-" in operator else "+", old, right)
        self.before[-1].append(Assign(target, right))
        self.joined(self.before[-1])

    def joined(self, statements: list[Statement]) -> None:
        """A result that is only kept to be assigned to a local variable goes there."""
        if len(statements) < 2:
            return
        made, last = statements[-2:]
        if not isinstance(last, Assign) or not isinstance(last.place, Local) or not isinstance(last.value, Local):
            return
        kept = last.value.name
        if isinstance(made, Atomic | Allocate | Call | Sync) and made.result == kept and kept.startswith("got_"):
            statements[-2:] = [structs.replace(made, result=last.place.name)]
            self.locals = [v for v in self.locals if v.name != kept]

    # Expressions.

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

    def temporary(self, of: str) -> str:
        """A new local variable."""
        name = f"got_{len(self.locals)}"
        while name in {v.name for v in self.locals}:
            name += "_"
        self.locals.append(Variable(name, of))
        self.types[name] = of
        return name

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
            if self.took("&"):
                places.append(self.place()[0])  # type: ignore[arg-type]
            elif name in ("pthread_join", "pthread_detach") and not values and not places:
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
