"""What all tests share: properties are judged by what holds, not by how long an example takes on a busy machine."""

import gc
import os

from hypothesis import settings

from sa.cli.start import BETWEEN_COLLECTIONS

settings.register_profile("sacheck", deadline=None)
settings.load_profile("sacheck")

# Processes that tests start load compiled modules, as those of users do: without them each takes about a second longer.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Nothing that an earlier run left behind may decide a test.
os.environ["SACHECK_CACHE"] = ""


def pytest_collection_finish() -> None:
    """What thousands of tests are made of is no garbage: looking for some there took a tenth of a process' time.

    A test with a limit of time would take longer, the later it comes.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])
