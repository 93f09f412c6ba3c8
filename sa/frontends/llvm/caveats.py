"""What answers about LLVM IR assume, each with a way to check it."""

from __future__ import annotations

from sa.base.caveat import assuming

DEFINED = assuming(
    "defined",
    "the behaviour of the first function is defined",
    "run a program that calls it with `-fsanitize=undefined,thread`",
)
RACING_READS = assuming(
    "racing-reads",
    "a racing read gives poison, and a racing write is undefined, in both functions",
    "use atomic accesses where threads race",
)
NO_UNDEF = assuming(
    "no-undef-in-memory",
    "memory that others wrote, or were given by a call, holds values or poison, but no `undef`, and values where "
    "accesses are atomic or volatile",
    "freeze what may be `undef` or poison before it is stored",
)
TYPES = assuming(
    "type-based-aliasing", "what `!tbaa` says of the second function holds", "compile with `-fno-strict-aliasing`"
)
PARAMETERS = assuming(
    "parameters",
    "pointer parameters point to objects that are equal or apart, or to nothing",
    "call the function with pointers to objects that do not overlap in part",
)
LIBRARY = assuming(
    "library",
    "functions with names of the C library are the library's, and what the files say of them is so",
    "link the program with the C library alone",
)
LOOPS_END = assuming(
    "loops-end",
    "loops of the first function that must make progress and only compute end",
    "show that each such loop ends",
)
NOTHING_OWED = assuming(
    "stores-behind-loops",
    "a store may not be moved ahead of a loop that need not end",
    "compile with `mustprogress`",
)
