"""What is preserved beside visible actions, as a part of an answer: of functions, and of C without overflow, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sa.automata.program import Program, Refinement
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.preservation import Kept
from sa.engines.options import Options
from sa.engines.outcome import Outcome
from sa.engines.preserving import with_preservation, without_run
from sa.frontends.flow.sequential_refinement import never_ending

#: An abstract and a concrete program, how they are related, and whether they are functions that are compared alone.
Sides: TypeAlias = tuple[Program, Program, Refinement | None, bool]


def with_preserved(
    outcome: Outcome, sides: Sides, kept: Kept, options: Options, checked: Callable[[], Sides | None] | None
) -> Outcome:
    """The outcome with what is to be preserved.

    Where overflow is assumed not to happen, `checked` reads the files again so that it is undefined: a run counts only
    if there is one then, too. Raises InputError.
    """
    abstract, concrete, block, alone = sides
    # A function that is undefined may go on for ever.
    first = never_ending(abstract) if alone else abstract
    found = with_preservation(outcome, first, concrete, block, kept, options)
    if checked is None or found.preservation is None or found.preservation.verdict is not Verdict.REFUTED:
        return found
    again = checked()
    if again is not None:
        sure = with_preserved(outcome, again, kept, options, None).preservation
        if sure is not None and sure.verdict is Verdict.REFUTED:
            return found
    return without_run(found, Unknown(Reason.UNDEFINED, "the run may need signed arithmetic to overflow"))
