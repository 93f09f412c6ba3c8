"""Files and folders are written whole or not at all."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress

from sa.base.diagnostic import InputError, error


def replace_file(path: str, text: str) -> None:
    """Give a file, old or new, its contents, keeping its mode; a link keeps pointing to it. Raises InputError.

    The text goes to a new file in the same folder, which takes the old one's place at once, so that
    nobody ever sees half of it.
    """
    target = os.path.realpath(path)
    try:
        mode = _mode(target)
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".sacheck-")
    except OSError as wrong:
        raise InputError((error("SA903", f"cannot write `{path}`: {wrong.strerror}"),)) from wrong
    try:
        with open(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException as wrong:
        with suppress(OSError):
            os.unlink(temporary)
        if isinstance(wrong, OSError):
            raise InputError((error("SA903", f"cannot write `{path}`: {wrong.strerror}"),)) from wrong
        raise


def _mode(target: str) -> int:
    """The mode of a file; of one that is not there what the system gives new ones."""
    try:
        return stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def write_folder(path: str, files: Mapping[str, str]) -> None:
    """Make a folder, or fill an empty one, with these files. Raises InputError."""
    target = os.path.realpath(path)
    if os.path.lexists(target) and (not os.path.isdir(target) or os.listdir(target)):
        raise InputError((error("SA913", f"`{path}` is there, and no empty folder", None, "name a new one"),))
    temporary = ""
    try:
        temporary = tempfile.mkdtemp(dir=os.path.dirname(target), prefix=".sacheck-")
        for name, text in files.items():
            with open(os.path.join(temporary, name), "w", encoding="utf-8", newline="") as file:
                file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o777 & ~mask)
        os.replace(temporary, target)
    except BaseException as wrong:
        if temporary:
            shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(wrong, OSError):
            raise InputError((error("SA903", f"cannot write `{path}`: {wrong.strerror}"),)) from wrong
        raise
