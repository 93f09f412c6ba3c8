"""What all tests share: properties are judged by what holds, not by how long an example takes on a busy machine."""

import os

from hypothesis import settings

settings.register_profile("sacheck", deadline=None)
settings.load_profile("sacheck")

# Nothing that an earlier run left behind may decide a test.
os.environ["SACHECK_CACHE"] = ""
