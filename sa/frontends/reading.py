"""How files of C are read, and which are of LLVM IR: what a user may choose, and as words for a certificate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from sa.base.caveat import Caveat, assuming

#: What can go wrong, and what is asked of it: the claims of one property alone.
PROPERTIES = (
    "unreach-call",
    "valid-memsafety",
    "valid-deref",
    "valid-free",
    "valid-memtrack",
    "no-data-race",
    "no-overflow",
    "no-deadlock",
    "termination",
)

#: Those that ask for leaks, which nothing else does; and other names.
TRACKING = ("valid-memsafety", "valid-memtrack")
SHORT = {"memory": "valid-memsafety"}
OVERFLOW = ("assume", "check", "wrap")

#: What an answer takes for granted of signed arithmetic. Where numbers have no bounds, a play may pass those of C.
NO_OVERFLOW = assuming("overflow", "signed arithmetic does not overflow", "ask again with `--overflow check`")
NO_BOUNDS = assuming("overflow", "signed integers are unbounded", "ask again with `--overflow check`")

#: A load that is put behind a call reads memory that the call may have freed, which nothing else looks at.
NOTHING_FREED = assuming(
    "freed",
    "functions that are called and not defined free nothing that pointer parameters point to",
    "define them, or look at what they free",
)


def used_in_one_way(mixed: Iterable[tuple[str, str]]) -> Caveat:
    """That no variable is accessed both atomically and plainly, other than the `mixed` ones."""
    names = ", ".join(f"`{''.join(key)}`" for key in sorted(mixed))
    what = f"no environment accesses a variable{f' other than {names}' if names else ''} both atomically and plainly"
    return assuming("atomic-or-plain", what, "use each variable in one way in the whole program")


#: What is asked for or not.
FLAGS = ("races", "deadlock", "open", "fair", "lasting", "endless")

#: How plain shared variables are compared: after each step, or as far as a thread has permission to access them.
PLAIN = ("always", "permissions")


class Reading(Struct, frozen=True):
    """`compiler` and `arguments` are for preprocessing. Signed overflow is assumed away, checked, or wraps around.

    Where programs are compared, what the outside sees of them is `visible`: calls, volatile accesses, results.

    A program that is `open` has an environment beside its threads; this alone is for `.sa` too.

    A `function` that is compared alone stands in any environment, its plain variables under permissions. So do all
    threads of programs that are compared where `plain` is one of PLAIN that says so.

    `heap` objects are made at most by an allocation in a loop. `only` is one of PROPERTIES. That a program terminates
    may be asked of a `fair` scheduler. Where `lasting` runs are compared no two steps are one.
    Loops of C that only compute are taken to end (C11 6.8.5p6), unless they may be `endless`.
    """

    compiler: str = "cc"
    arguments: tuple[str, ...] = ()
    entry: str = "main"
    overflow: str = "assume"
    heap: int = 4
    races: bool = False
    deadlock: bool = False
    only: str | None = None
    visible: bool = False
    open: bool = False
    function: str | None = None
    plain: str = "always"
    fair: bool = False
    lasting: bool = False
    endless: bool = False


USUAL = Reading()


def is_llvm(path: str) -> bool:
    """Whether a file is of LLVM IR, of which functions are compared, by its name alone."""
    return path.lower().endswith((".ll", ".bc"))


def is_c(path: str) -> bool:
    """Whether a file is of C, by its name alone."""
    return path.lower().endswith((".c", ".i"))


def is_overflow_left_out(reading: Reading) -> bool:
    """Whether a run ends where signed arithmetic overflows.

    Where two programs are compared, numbers pass the bounds of their types instead: a step of the first program that
    ended there would answer nothing.
    """
    return reading.overflow == "assume" and not reading.visible and reading.function is None


def is_overflow_passed(reading: Reading) -> bool:
    """Whether nothing happens where signed arithmetic overflows."""
    return reading.overflow != "check" and not is_overflow_left_out(reading)


def words(reading: Reading) -> tuple[str, ...]:
    """A reading as words, none for the usual one."""
    found = [f"-{a}" for a in reading.arguments]
    for name in ("compiler", "entry", "overflow", "heap", "only", "function", "plain"):
        if getattr(reading, name) != getattr(USUAL, name):
            found.append(f"{name}={getattr(reading, name)}")
    return (*found, *(name for name in FLAGS if getattr(reading, name)))


def reading_of(written: Sequence[str]) -> Reading:
    """The reading that words stand for. Raises ValueError."""
    values: dict[str, str] = dict(w.split("=", 1) for w in written if "=" in w and not w.startswith("-"))
    flags = {w for w in written if "=" not in w and not w.startswith("-")}
    made = Reading(
        values.pop("compiler", USUAL.compiler),
        tuple(w[1:] for w in written if w.startswith("-")),
        values.pop("entry", USUAL.entry),
        values.pop("overflow", USUAL.overflow),
        int(values.pop("heap", str(USUAL.heap))),
        "races" in flags,
        "deadlock" in flags,
        values.pop("only", None),
        open="open" in flags,
        function=values.pop("function", None),
        plain=values.pop("plain", USUAL.plain),
        fair="fair" in flags,
        lasting="lasting" in flags,
        endless="endless" in flags,
    )
    known = made.overflow in OVERFLOW and (made.only is None or made.only in PROPERTIES) and made.heap > 0
    known = known and made.plain in PLAIN
    if values or flags - set(FLAGS) or not known:
        raise ValueError("these are no options for reading a program")
    return made
