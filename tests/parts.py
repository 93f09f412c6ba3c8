"""Many small cases as few tests: of thousands of tests that take a millisecond each, pytest itself takes most."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import Parameter, signature
from itertools import islice
from typing import Any

import pytest

#: Cases in a test.
TOGETHER = 50


def for_each(name: str, cases: Iterable[object], together: int = TOGETHER) -> Callable[[Callable[..., None]], Any]:
    """A test with an argument `name`, run for all cases, so many in a test; a failure names its case."""

    def decorate(test: Callable[..., None]) -> Any:
        def in_parts(part: tuple[object, ...], **others: object) -> None:
            for case in part:
                try:
                    test(**{name: case}, **others)
                except BaseException as failure:
                    failure.add_note(f"{name} = {case}")
                    raise

        known = signature(test)
        others = [p for p in known.parameters.values() if p.name != name]
        in_parts.__signature__ = known.replace(  # type: ignore[attr-defined] -- this is how pytest finds arguments
            parameters=[Parameter("part", Parameter.POSITIONAL_OR_KEYWORD), *others]
        )
        in_parts.__name__, in_parts.__doc__, in_parts.__module__ = test.__name__, test.__doc__, test.__module__
        in_parts.pytestmark = getattr(test, "pytestmark", [])  # type: ignore[attr-defined]
        left = iter(cases)
        parts = list(iter(lambda: tuple(islice(left, together)), ()))
        return pytest.mark.parametrize("part", parts, ids=[f"{p[0]}..." for p in parts])(in_parts)

    return decorate
