"""What answers about C assume, each with a way to check it. Where they hold is for `assumptions.py` and the parts of
the front end to say."""

from __future__ import annotations

from sa.base.caveat import Caveat, assuming, lines_of, unchecked
from sa.base.source import Span

WRAPS = assuming("overflow", "signed arithmetic wraps around", "compile with `-fwrapv`")

SEQUENTIAL = assuming(
    "sequential-consistency",
    "sequential consistency",
    "it holds where no data race exists (`--races`) and each atomic access is `seq_cst`",
)
WAITS = assuming(
    "condition-variables",
    "a thread that is stuck unless a wait ends without a signal is in a deadlock",
    "nothing has to be checked: all other claims are about runs with such spurious wake-ups",
)
WOKEN = assuming(
    "condition-variables",
    "no wait ends without a signal",
    "nothing has to be checked: a loop that waits again after each spurious wake-up ends only then",
)
FAIR = assuming(
    "fairness",
    "the scheduler is fair: a thread that can always take a step takes one",
    "leave out `--fair`: the answer is then about all schedulers",
)
THREADS = assuming(
    "number-of-threads",
    "no loop creates more than 2^30 threads",
    "each thread needs memory for a stack, so see how many your system allows",
)
# In C neighbouring bit fields are one memory location: a store to one of them may undo a store to another.
FIELDS = assuming("bit-fields", "no two threads write neighbouring bit-fields at the same time", "`--races`")
# Equal literals may be one object, memory may be given out again, and an address may be any number.
ADDRESSES = assuming(
    "addresses",
    "each object has an address of its own, a small positive number",
    "compare pointers for equality only, and do not turn them into integers",
)
REUSE = assuming(
    "address-reuse",
    "an address that was freed comes back only from an allocation of the same type, and `realloc` moves the object",
    "count versions beside pointers that are compared",
)
# Which of two objects comes first is not for C to say (C11 6.5.8).
ORDER = assuming(
    "address-order",
    "addresses follow declaration order",
    "use `<` and `>` only for pointers into one object (C11 6.5.8)",
)
ENDS = (
    assuming("failures", "an error is a visible end, in both programs", "`sacheck verify` each program"),
    assuming(
        "process-end",
        "other threads may go on after the process has ended, in both programs",
        "join all threads before `main` returns",
    ),
)
# C counts an array within an object, and each of its scalars, for itself (C11 6.5.6); here the object is one.
PARTS = assuming(
    "parts", "no pointer into a part of an object leaves that part", "run the program with `-fsanitize=bounds,address`"
)
UNSET = assuming(
    "uninitialised", "uninitialised variables hold an arbitrary value", "compile with `-Wmaybe-uninitialized`"
)
MALLOC = assuming("allocation", "`malloc` never fails", "run the program with an allocator that fails")
CREATION = assuming("creation", "the creation of a thread never fails", "test what `pthread_create` returns")
JOINING = assuming("joining", "joining a thread never fails", "join each thread once, and no detached one")
LOCKS = assuming("locks", "the initialisation of a lock never fails", "test what `pthread_mutex_init` returns")
OVERLAP = assuming("overlap", "blocks that `memcpy` copies do not overlap, in either function", "use `memmove`")

NAMED = assuming("arguments", "the program is called with its name (`argv[0]`)", "test `argc` before `argv[0]` is used")
TEXTS_END = assuming(
    "texts", "texts that are printed through pointers end within their objects", "run with `-fsanitize=address`"
)

# What two functions are compared in.
DEFINED = assuming(
    "defined",
    "the first function has no data race and no undefined behaviour",
    "`sacheck verify --races --overflow check` a program that calls it",
)
RACING_READS = assuming(
    "racing-reads",
    "a racing read of the second function gives some value",
    "do not optimise the second file again as C that is undefined in a race",
)
PARAMETERS = assuming(
    "parameters",
    "objects behind pointer parameters are equal, apart, or parts of each other; of one layout they may be equal",
    "compile with `-fno-strict-aliasing` where types differ",
)
NOT_BEHIND = assuming(
    "compared-pointers",
    "pointers that are compared point to objects, not behind them (C11 6.5.9)",
    "compare no pointer to the end of an array",
)
LOOPS_END = assuming(
    "loops-end",
    "loops of the first function that only compute end, unless their condition is constant (C11 6.8.5)",
    "show that each such loop ends, or make its condition constant",
)
NOTHING_OWED = assuming(
    "stores-behind-loops",
    "a store may not be moved ahead of a loop that need not end",
    "leave stores behind loops that access something atomic or volatile",
)


def promise(word: str) -> Caveat:
    """That what an attribute or qualifier promises holds."""
    return assuming("promises", f"what `{word}` promises holds", f"leave out `{word}` and ask again")


def computed(scalars: int) -> Caveat:
    """That memory of a size that is computed is not larger."""
    what = f"memory of a size that is computed has at most {scalars} scalars"
    return assuming("memory-size", what, "test the size before the allocation")


def outside_texts(letters: int) -> Caveat:
    """That what is read from the environment is not longer."""
    what = f"arguments, variables of the environment and messages of errors have at most {letters} letters"
    return assuming("texts", what, "test their lengths")


def few_arguments(most: int) -> Caveat:
    """That there are no more than are told apart."""
    return assuming("texts", f"there are fewer than {most:,} arguments", "test `argc`")


def undefined(name: str) -> Caveat:
    """That a function which is not defined changes nothing."""
    return assuming("undefined-functions", f"`{name}`, which is not defined, changes no variable", "define it")


def spurious(places: tuple[Span, ...]) -> Caveat:
    """That an exchange that may fail although the values are equal may do so again and again."""
    what = f"a weak compare-and-exchange may fail for ever (C11 7.17.7.4; {lines_of(places)})"
    return assuming("spurious-failures", what, "ask about the strong one, which only fails where values differ", places)


def weak(places: tuple[Span, ...]) -> Caveat:
    """That orders weaker than `seq_cst` are as good as that one."""
    what = f"memory orders weaker than seq_cst behave as seq_cst ({lines_of(places)})"
    check = "write `seq_cst` there; `refine --function` compares functions with their orders"
    return assuming("weak-orders", what, check, places)


def left_to_right(places: tuple[Span, ...]) -> Caveat:
    """That operands are evaluated in this order where another one may make a difference."""
    what = f"operands are evaluated from left to right, the right side of an assignment first ({lines_of(places)})"
    check = "write calls and assignments that influence each other as statements of their own"
    return assuming("evaluation-order", what, check, places)


def created(name: str) -> Caveat:
    """What a function that threads are created with does, where a function that creates them is compared alone."""
    return unchecked("created-threads", f"what `{name}` does in a new thread", "--plain permissions")
