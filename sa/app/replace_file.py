"""Files are replaced, and folders made, whole or not at all; streams are written to."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Mapping
from contextlib import suppress
from typing import TextIO

from sa.base.diagnostic import InputError, error


def replace_file(path: str, text: str) -> None:
    """Give a file its contents, or new ones, keeping its mode; a link keeps pointing to it. Raises InputError.

    The text goes to a new file in the same folder, which takes the old one's place at once, so that nobody ever sees
    half of it. Where the system can, the new file has no name until it is complete: then not even a process that is
    killed leaves anything behind. What is no regular file stays what it is, and the text is written to it.
    """
    try:
        handle = _stream(path)
        if handle is None:
            _replace(path, text)
            return
        with open(handle, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            file.write(text)
    except OSError as wrong:
        raise InputError((error("SA903", f"cannot write `{path}`: {wrong.strerror}"),)) from wrong


def append_to(path: str) -> TextIO:
    """A file that is written line by line while others may read it, empty at first. Raises OSError."""
    handle = _stream(path)
    return open(path if handle is None else handle, "w", encoding="utf-8")


def _stream(path: str) -> int | None:
    """A descriptor for what is written to as it is: a pipe, a terminal, or where this process's own output goes.

    None for regular files and new ones. Raises OSError, also for what a text has no business in.
    """
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    for standard in (1, 2):
        # What the shell has opened for this process must not be replaced below its feet, nor written from its start.
        with suppress(OSError):
            if os.path.samestat(os.fstat(standard), found):
                return os.dup(standard)
    if stat.S_ISREG(found.st_mode):
        return None
    if not (stat.S_ISFIFO(found.st_mode) or stat.S_ISCHR(found.st_mode)):
        kind = "it is a directory" if stat.S_ISDIR(found.st_mode) else "it is neither a file nor a stream"
        raise OSError(errno.EINVAL, kind)
    return os.open(path, os.O_WRONLY)


def _replace(path: str, text: str) -> None:
    """A new regular file, or new contents of one. Raises OSError."""
    # Loaded where something is written: it takes as long as ten rooms.
    from tempfile import mkstemp

    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    temporary = ""
    try:
        handle, temporary = _nameless(folder) or mkstemp(dir=folder, prefix=".sacheck-")
        with open(handle, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            file.write(text)
            file.flush()
            os.fchmod(handle, _mode(target))
            os.fsync(handle)
            if not temporary:
                temporary = os.path.join(folder, f".sacheck-{os.urandom(8).hex()}")
                # Python follows the link to the file only where a folder is given, whatever it is.
                os.link(f"/proc/self/fd/{handle}", temporary, src_dir_fd=handle, follow_symlinks=True)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _nameless(folder: str) -> tuple[int, str] | None:
    """A file that vanishes with the process unless it gets a name; None where the system has none of these."""
    with suppress(AttributeError, OSError):
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600), ""
    return None


def _mode(target: str) -> int:
    """The mode of a file, or what a new one gets."""
    try:
        return stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        return 0o666 & ~_mask()


def _mask() -> int:
    """What new files are not allowed."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_folder(path: str, files: Mapping[str, str]) -> None:
    """Make a new folder with these files in it, or fill an empty one, with all of them or none. Raises InputError."""
    from tempfile import mkdtemp

    target = os.path.realpath(path)
    if os.path.lexists(path) and not (os.path.isdir(path) and not os.listdir(path)):
        raise InputError((error("SA913", f"`{path}` is in use", None, "name a new folder, or an empty one"),))
    temporary = ""
    try:
        temporary = mkdtemp(dir=os.path.dirname(target), prefix=".sacheck-")
        for name, text in files.items():
            with open(os.path.join(temporary, name), "w", encoding="utf-8", newline="") as file:
                file.write(text)
        os.chmod(temporary, 0o777 & ~_mask())
        os.rename(temporary, target)
    except BaseException as wrong:
        shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(wrong, OSError):
            raise InputError((error("SA903", f"cannot write `{path}`: {wrong.strerror}"),)) from wrong
        raise
