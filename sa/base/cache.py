"""What may be kept from one run to the next: texts that nobody trusts."""

from __future__ import annotations

from typing import Protocol


class Cache(Protocol):
    """Texts by key, kept from one run to the next. Neither method raises."""

    def read(self, key: str) -> str | None:
        """The text of a key, None where there is none."""

    def write(self, key: str, text: str) -> None:
        """Keep a text, if possible."""
