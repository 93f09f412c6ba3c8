"""How many arguments functions of the library take at least: a call may come without a declaration that says so."""

from __future__ import annotations

from collections.abc import Mapping

from sa.frontends.c.atomics import ATOMICS, FLAGS

#: What an atomic function takes beside the object, by what it does; memory orders are not among it.
_OPERANDS = {"load": 0, "clear": 0, "set": 0, "load into": 1, "store from": 1, "cas from": 2}

#: Parameters for memory orders and the like of `__atomic_` functions: others say what they take in their names.
_MORE = {"cas n": 3, "cas from": 3}


def _of_atomic(name: str, what: str) -> int:
    operands = _OPERANDS.get(what, 2 if what.startswith("cas") else 1)
    if name.startswith("__atomic_"):
        return 1 + operands + _MORE.get(what, 1)
    orders = (2 if what.startswith("cas") else 1) if name.endswith("_explicit") else 0
    return 1 + operands + orders


#: By name, of functions whose calls are translated as such.
LEAST: Mapping[str, int] = {
    **{name: _of_atomic(name, what) for name, what in ATOMICS.items()},
    **{name: 2 if name.endswith("_explicit") else 1 for name in FLAGS},
    **dict.fromkeys(
        (
            "malloc", "free", "strdup", "strerror", "getenv", "atoi", "atol", "atoll", "printf", "scanf", "puts",
            "putchar", "perror", "fclose", "atomic_thread_fence", "atomic_signal_fence", "__atomic_thread_fence",
            "__atomic_signal_fence", "__builtin_constant_p", "pthread_exit", "pthread_mutex_lock",
            "pthread_mutex_unlock", "sem_wait", "sem_post", "assert", "abs", "labs", "strlen", "system",
        ),
        1,
    ),
    **dict.fromkeys(
        (
            "calloc", "realloc", "sprintf", "vsprintf", "sscanf", "fscanf", "fprintf", "dprintf", "vprintf", "fputs",
            "fputc", "putc", "setbuf", "strtod", "strcmp", "strcasecmp", "strcpy", "strcat", "strndup", "bzero",
            "__builtin_expect", "pthread_join", "pthread_key_create", "pthread_create_key", "tss_create",
            "pthread_cond_wait", "fopen", "aligned_alloc", "atomic_init",
        ),
        2,
    ),
    **dict.fromkeys(
        (
            "snprintf", "vsnprintf", "vfprintf", "strtol", "strtoll", "strtoul", "strtoull", "memset", "memcpy",
            "memmove", "memcmp", "bcmp", "strncmp", "strncasecmp", "strncpy", "strncat", "fgets", "thrd_create",
            "__builtin_add_overflow", "__builtin_sub_overflow", "__builtin_mul_overflow", "posix_memalign",
        ),
        3,
    ),
    **dict.fromkeys(("setvbuf", "fread", "fwrite", "pthread_create"), 4),
}  # fmt: skip
