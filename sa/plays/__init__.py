"""Spoiler's plays: from what the search lost to evidence for REFUTED, on concrete states (THEORY sections 2 and 3).

`replies` lists all answers to a step, `strategy` reads Spoiler's steps off the lemmas, `single_run` tries one concrete
run whatever the answers are, `positions` are the parts of a play. `escape` asks whether the run escapes every abstract
run.
"""
