"""Commands of sacheck on the workers of a Dask cluster; what they write comes back as soon as they end.

A worker that is lost costs what it was working on: the cluster gives that to another one. A command that has ended
several workers is no command's answer, and comes back as one that was killed.
"""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sa import __version__
from sa.base.diagnostic import InputError, error
from sa.processes.commands import Done, run_all

#: Seconds to wait for a scheduler, and for the first worker.
_SECONDS = 30


def each_on(
    address: str, commands: Mapping[str, tuple[Sequence[str], Mapping[str, str]]]
) -> Iterator[tuple[str, Done]]:
    """What became of each command, by its key: its arguments, and the texts of the files that it is to find.

    Raises InputError where there is no such cluster, or it has another version of sacheck.
    """
    try:
        from distributed import Client, as_completed
        from distributed.scheduler import KilledWorker
    except ImportError:
        hint = "install it with `pip install 'sacheck[dask]'`"
        raise InputError((error("SA923", "clusters need `distributed`, which is not installed", None, hint),)) from None
    finished: Callable[[Iterable[Any]], Iterator[Any]] = as_completed
    client = _client(Client, address)
    try:
        _check_versions(client)
        keys = {
            client.submit(answered, *given, key=f"sacheck-{key}", pure=True): key for key, given in commands.items()
        }
        for future in finished(keys):
            wrong = future.exception()
            if wrong is None:
                out, err, status, seconds = future.result()
                yield keys[future], Done(out, err, status, seconds)
            elif isinstance(wrong, KilledWorker):
                yield keys[future], Done("", f"it has ended the workers that it ran on: {wrong}", -signal.SIGKILL, 0.0)
            else:
                yield keys[future], Done("", f"{type(wrong).__name__}: {wrong}", 1, 0.0)
            future.release()
    finally:
        client.close()


def _client(kind: Any, address: str) -> Any:
    try:
        client = kind(address, timeout=_SECONDS)
        client.wait_for_workers(1, timeout=_SECONDS)
    except (OSError, ValueError, TimeoutError) as wrong:
        hint = "start `dask scheduler` and `dask worker`, and name the scheduler: `--executor dask://HOST:8786`"
        raise InputError((error("SA923", f"no cluster at `{address}`: {wrong}", None, hint),)) from None
    return client


def _check_versions(client: Any) -> None:
    """Raises InputError where a worker has another version: its answers are not those of this one."""
    for worker, found in client.run(version).items():
        if found != __version__:
            message = f"the worker {worker} has sacheck {found}, and this is {__version__}"
            raise InputError((error("SA923", message, None, "install the same version on all machines"),))


def version() -> str:
    """The version that a worker has."""
    return __version__


def answered(arguments: Sequence[str], files: Mapping[str, str]) -> tuple[str, str, int, float]:
    """On a worker: what a command writes about some texts, or about the files that the worker sees."""
    with tempfile.TemporaryDirectory(prefix="sacheck-") as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        where = folder if files else os.getcwd()
        (done,) = run_all([tuple(arguments)], 1, where)
        return done.out, done.err, done.status, done.seconds
