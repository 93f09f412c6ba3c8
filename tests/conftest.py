"""What all tests share: properties are judged by what holds, not by how long an example takes on a busy machine."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

from sa.cli.start import BETWEEN_COLLECTIONS

settings.register_profile("sacheck", deadline=None)
settings.load_profile("sacheck")

# Processes that tests start load compiled modules, as those of users do: without them each takes about a second longer.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

#: Tests that took at least LONG seconds, one a line: `make fuzz` runs them, `make test` does not.
LONGEST = Path(__file__).parent / "longest.txt"
LONG = 1.5

# Nothing that an earlier run left behind may decide a test.
os.environ["SACHECK_CACHE"] = ""


def pytest_collection_finish() -> None:
    """What thousands of tests are made of is no garbage: looking for some there took a tenth of a process' time.

    A test with a limit of time would take longer, the later it comes.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long is left to `make fuzz`, except where it is measured which tests these are."""
    if _is_measured():
        return
    longest = frozenset(LONGEST.read_text(encoding="utf-8").splitlines())
    for item in items:
        if item.nodeid in longest:
            item.add_marker(pytest.mark.fuzz)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write the list of the longest tests again, if asked to: `make longest`."""
    if _is_measured():
        longest = sorted(r.nodeid for r in terminalreporter.getreports("passed") if r.duration >= LONG)
        LONGEST.write_text("".join(f"{name}\n" for name in longest), encoding="utf-8")


def _is_measured() -> bool:
    return os.environ.get("SACHECK_LONGEST") == "write"
