"""The weak simulation game (Definition 6, THEORY section 3) on terms.

`board` is the goal with ι's equations solved, `rounds` a concrete step and an answer as formulas, `runs` all abstract
answers from a state, `opening` the start: initial coverage.
"""
