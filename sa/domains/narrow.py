"""Narrowing: going down from a widened value, a bounded number of times.

Meets alone need not end (descending chains are infinite), so the caller says which step this is.
"""

from __future__ import annotations

from sa.domains.diagram import meet
from sa.domains.store import Node, Store

#: Steps that are worth their time.
STEPS = 2


def narrow(store: Store, old: Node, new: Node, count: int, most: int = STEPS) -> Node:
    """A set between the meet of both and `old`: the meet for the first `most` counts from 0, then `old` itself.

    If `old` contains all reachable states and `new` is computed from `old`, both contain them, and so does this.
    """
    return meet(store, old, new) if count < most else old
