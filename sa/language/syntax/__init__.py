"""The surface syntax of `.sa` files as data: what the parser makes and elaboration reads.

Trees say what was written, in order, and nothing more: no names are resolved, no types known.
Equality ignores spans, so two texts with the same meaning for the parser give equal trees.
Two things that are not visible in the shape of the data, for everyone who gives it a meaning:

* a `Local` before the first other statement of a thread belongs to the initial state (no step);
  any other `Local` is a step of its own, an assignment or (without a value) a `havoc`;
* a label's values are read before its statement, also inside of an atomic block.
"""

# The four files are one language: whoever imports this package has all of it.
from sa.language.syntax.clause import *  # noqa: F403
from sa.language.syntax.declaration import *  # noqa: F403
from sa.language.syntax.expression import *  # noqa: F403
from sa.language.syntax.proof import *  # noqa: F403
from sa.language.syntax.statement import *  # noqa: F403
