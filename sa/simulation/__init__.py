"""Weak simulation (Definition 6) between two automata: found, or refuted by a play.

`decide` is the entry. Read in this order: `board` (the goal, ι's equations solved), `rounds` (a concrete step and
an answer, as formulas), `runs` (abstract answers from a state), `preference` (which one to try), `closure`, `drift`
and `matching` (environments), `state` and `search` (the fixed point), `learning` (a lost state to a lemma), `horn`
(the second strategy). Plays: `replies` (all answers to a step), `refute` and `pursuit` (strategies), `wander`
(environment moves one by one), `scene` (positions and pleasant values), `escape`. `opening` is the start.
Plays of closed goals among small values: `values` (the search), on `machine` (states and steps), `following`
(abstract answers) and `duel` (pairs), and `telling` (the play).
"""
