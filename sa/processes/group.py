"""A process and those below it: how much memory they hold, and their end.

Linux tells in /proc, and reading that costs some microseconds, so that it can be done a hundred times a second.
Elsewhere psutil knows, which is a dependency there only.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc/self/statm").exists()


def below(pid: int) -> list[int]:
    """The processes that a process started, and those that these started."""
    found = _children(pid)
    for child in found:
        found.extend(_children(child))
    return found


def held_by_all(pid: int) -> int:
    """The bytes that a process and those below it hold in memory; pages that they share count for each."""
    return sum(held(each) for each in (pid, *below(pid)))


def held(pid: int) -> int:
    """The bytes that a process holds in memory, 0 where there is none."""
    if not _PROC:
        import psutil

        with suppress(psutil.Error):
            return int(psutil.Process(pid).memory_info().rss)
        return 0
    with suppress(OSError), open(f"/proc/{pid}/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def lead(pid: int) -> None:
    """Make a child of this process, or 0 for this process itself, the first of a group: of all those that it starts."""
    with suppress(OSError):
        os.setpgid(pid, pid)


def tell_all(leader: int, number: signal.Signals) -> None:
    """Send a signal to a whole group, also to those whose parents have ended, and to those that are just being made.

    Who leads the group must not have been waited for, since its number may be another one's then.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def is_dead(pid: int) -> bool:
    """Whether a child of this process has ended; it can still be asked how."""
    if not hasattr(os, "waitid"):
        import psutil

        with suppress(psutil.NoSuchProcess):
            return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
        return True
    with suppress(ChildProcessError):
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return True


def _children(pid: int) -> list[int]:
    if not _PROC:
        import psutil

        with suppress(psutil.Error):
            return [child.pid for child in psutil.Process(pid).children()]
        return []
    found = list[int]()
    # A process may end while one looks at it.
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found.extend(map(int, file.read().split()))
    return found


def age() -> float:
    """The seconds since this process was started, as far as the system tells; never too many."""
    if _PROC:
        with suppress(OSError, ValueError), open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
            return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - (ticks + 1) / os.sysconf("SC_CLK_TCK"))
    return time.process_time()
