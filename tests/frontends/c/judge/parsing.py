"""A reader for the part of C that the programs of this comparison are written in, independent of the front end.

Calls and atomic accesses inside of expressions become statements of their own before them, in the order from left to
right. A `while` whose condition has such statements begins with them in each round.
"""

from __future__ import annotations

import re

from msgspec import structs

from tests.frontends.c.judge.syntax import (
    ATOMIC,
    ATOMIC_POINTER,
    INT,
    SEQ_CST,
    Allocate,
    Assign,
    Atomic,
    Binary,
    Block,
    Break,
    Call,
    Expression,
    Function,
    If,
    Load,
    Local,
    Named,
    Number,
    Place,
    Program,
    Return,
    Statement,
    Sync,
    Variable,
    While,
)
from tests.frontends.c.judge.tokens import ASSIGNING, IGNORED, LEAVES, TOKEN, NotRead
from tests.frontends.c.judge.values import Values


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
    return Reader(tokens).program()


class Reader(Values):
    """Reads statements and declarations."""

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
