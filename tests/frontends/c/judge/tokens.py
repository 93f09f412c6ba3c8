"""The tokens of a text in the part of C that the programs of this comparison are written in, and their types."""

from __future__ import annotations

import re

from tests.frontends.c.judge.syntax import (
    ATOMIC,
    ATOMIC_POINTER,
    INT,
    INT_POINTER,
    NODE,
    NODE_POINTER,
    Statement,
    Variable,
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


class Tokens:
    """What is left of a text, and what is known of its names."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.at = tokens, 0
        self.types: dict[str, str] = {}
        self.results: dict[str, str] = {}
        self.fields: tuple[Variable, ...] = ()
        self.structure = ""
        #: Of the function that is being read: its locals, its variables in memory, and statements that come first.
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

    def qualifiers(self) -> bool:
        """Reads what changes nothing here; whether the variable is thread-local."""
        found = False
        while self.peek() in (*IGNORED, "_Thread_local", "__thread"):
            found |= self.next() in ("_Thread_local", "__thread")
        return found

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
        if token.endswith(("_INIT", "_INITIALIZER")) or token == "NULL":
            return None
        if not token.isdigit():
            raise NotRead(f"the first value {token}")
        return sign * int(token)

    def temporary(self, of: str) -> str:
        """A new local variable."""
        name = f"got_{len(self.locals)}"
        while name in {v.name for v in self.locals}:
            name += "_"
        self.locals.append(Variable(name, of))
        self.types[name] = of
        return name
