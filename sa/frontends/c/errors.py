"""Functions that may fail for reasons outside of the program, and say which in `errno` (C11 7.5, POSIX)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sa.frontends.c.body import Body
from sa.frontends.c.numbers_in_texts import is_outside
from sa.frontends.c.syntax_tree import nodes_of

#: Their names. Of numbers that are read from texts of the program it is known whether they are too large.
ERRING = frozenset(
    [
        "fopen",
        "fdopen",
        "freopen",
        "fclose",
        "fflush",
        "fread",
        "fwrite",
        "fgets",
        "fgetc",
        "getc",
        "getchar",
        "fputs",
        "fputc",
        "putc",
        "puts",
        "putchar",
        "printf",
        "fprintf",
        "dprintf",
        "vprintf",
        "vfprintf",
        "scanf",
        "fscanf",
        "fseek",
        "ftell",
        "rewind",
        "remove",
        "rename",
        "tmpfile",
        "perror",
        "setvbuf",
        "getline",
        "strtol",
        "strtoll",
        "strtoul",
        "strtoull",
        "strtod",
        "strtof",
        "strtold",
        "malloc",
        "calloc",
        "realloc",
        "posix_memalign",
        "aligned_alloc",
        "strdup",
        "strndup",
        "open",
        "close",
        "read",
        "write",
        "lseek",
        "ioctl",
        "fcntl",
        "socket",
        "bind",
        "listen",
        "accept",
        "connect",
        "send",
        "recv",
        "select",
        "poll",
        "usleep",
        "sleep",
        "nanosleep",
        "clock_gettime",
        "clock_nanosleep",
        "gettimeofday",
        "time",
        "clock",
        "system",
        "fork",
        "pipe",
        "sysconf",
        "getcwd",
        "chdir",
        "unlink",
        "mkdir",
        "setenv",
        "unsetenv",
    ]
)


def may_fail(body: Body, name: str, arguments: Sequence[Any]) -> bool:
    """Whether a call of one of these may leave a number in `errno` that the program looks at."""
    if name.startswith("strto") and arguments and not is_outside(body, arguments[0]):
        return False
    own = (f.body for n, f in body.file.bodies.items() if n not in body.file.library)
    return any(getattr(node, "name", None) == "__errno_location" for f in own for node in nodes_of(f))
