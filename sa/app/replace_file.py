"""Files are replaced whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress

from sa.base.diagnostic import InputError, error


def replace_file(path: str, text: str) -> None:
    """Give a file new contents, keeping its mode; a link keeps pointing to it. Raises InputError.

    The text goes to a new file in the same folder, which takes the old one's place at once, so that
    nobody ever sees half of it.
    """
    target = os.path.realpath(path)
    try:
        mode = stat.S_IMODE(os.stat(target).st_mode)
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
