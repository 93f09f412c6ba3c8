"""The constructs of C that a file uses, and which of them are accepted: a line for each."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

#: Lines that are named of one construct.
_MOST_LINES = 8


class Used(Struct, frozen=True):
    """A construct, whether it is accepted, and the numbers of its lines."""

    name: str
    accepted: bool
    lines: tuple[int, ...]


def show_coverage(path: str, found: Sequence[Used]) -> str:
    """`no   ... line 3` for what is refused, then `yes  ... lines 3, 5` for the rest."""
    refused = sum(not u.accepted for u in found)
    lines = [f"{path}: {len(found) - refused} constructs accepted, {refused} not"]
    wide = max((len(u.name) for u in found if u.accepted), default=0)
    for used in found:
        answer = "yes" if used.accepted else "no "
        lines.append(f"  {answer}  {used.name:<{wide}}  {_places(used.lines)}")
    return "\n".join(lines) + "\n"


def _places(numbers: tuple[int, ...]) -> str:
    more = f", and {len(numbers) - _MOST_LINES} more" if len(numbers) > _MOST_LINES else ""
    return f"{'line' if len(numbers) == 1 else 'lines'} {', '.join(map(str, numbers[:_MOST_LINES]))}{more}"
