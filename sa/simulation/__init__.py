"""The search for a weak simulation (Definition 6) between two automata.

The game on terms is in `sa.game`, the environments' part in `sa.environments`. Read in this order: `state` and `search`
(the fixed point), `preference` (which answer to try), `learning` (a lost state to a lemma), `horn` (the second
strategy), `endings`. What a lost state means for the user is a play: `sa.plays`.
"""
