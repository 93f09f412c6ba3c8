"""Weak simulation (Definition 6) between two automata: found, or refuted by a play.

`board` lays the goal out with ι's equations solved, `runs` explores abstract answers, `closure` and
`drift` say what the environments may do, `engine` is the fixed point, `learning` turns a lost state into
a lemma, `refute` turns lemmas into a play.
"""
